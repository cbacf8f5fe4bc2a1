"""MANIFEST.json: what a run made, from what, with what. Written last.

It holds sha256 and size of every file of the run and of every input, and its own
sha256 over its canonical JSON without that field; the history of runs records the
sha256 of its bytes. It names no host, no user and no absolute path. Nor does it
name the run: the same run made twice has the same manifest.

The files of a run are held against it: altered, missing, added, or not files at all.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from evalreport.errors import FilesError, Location, Problem, VerificationError, explained
from evalreport.results.codec import decode_as, encode, parse_json
from evalreport.runs.hashing import FileRecord, canonical_json, record_bytes, record_file, sha256

NAME = "MANIFEST.json"
SCHEMA = "evalreport/manifest/1"
LARGEST = 64 << 20


@dataclass(frozen=True, order=True)
class InputFile:
    """A file that was read. ``role`` says as what (dataset, model, template), ``name`` which."""

    role: str
    name: str
    sha256: str
    size: int

    def __post_init__(self) -> None:
        # A dataset before the file, "holdout: a.csv", may be called as its spec likes.
        file = self.name.rpartition(": ")[2]
        for kind in (PurePosixPath, PureWindowsPath):
            if kind(file).is_absolute():
                raise ValueError(f"an absolute path in a manifest: {self.name!r}; give its name")


@dataclass(frozen=True)
class RunDetails:
    """What the caller knows of a run when it is published.

    ``when`` is the run's clock as text, ``outcome`` such as "passed" or "failed",
    ``spec`` the record of the spec's bytes, ``versions`` of evalreport and the
    libraries behind the numbers, ``settings`` anything else that fixes the result.
    """

    when: str
    version: str
    outcome: str
    spec: FileRecord
    plan_sha256: str
    inputs: tuple[InputFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """The details of a run and the record of each file it made, by name."""

    details: RunDetails
    outputs: Mapping[str, FileRecord]

    @property
    def data_sha256(self) -> str:
        """One sha256 for everything that was read, in the order of role and name."""
        rows = [[i.role, i.name, i.sha256, i.size] for i in sorted(self.details.inputs)]
        return sha256(canonical_json(rows))

    def to_bytes(self) -> bytes:
        """The bytes of MANIFEST.json; the same for the same manifest."""
        value = self._value()
        return canonical_json({**value, "sha256": sha256(canonical_json(value))})

    def _value(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            **encode(replace(self.details, inputs=tuple(sorted(self.details.inputs)))),
            "data_sha256": self.data_sha256,
            "outputs": {name: encode(record) for name, record in self.outputs.items()},
        }


def read_manifest(run: Path) -> tuple[Manifest, FileRecord]:
    """The manifest of a run folder, and the record of its bytes.

    Raises FilesError when there is none or it cannot be read, VerificationError
    when a byte of it is not as it was written.
    """
    path = run / NAME
    where = Location(str(path))
    with explained("cannot be read", path, ""):
        if path.is_symlink() or not path.is_file():
            raise FilesError(Problem(f"no {NAME}", "give the folder of a run", where))
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise VerificationError(Problem(f"larger than {LARGEST} bytes", "", where))
    try:
        manifest = parse_manifest(data)
    except ValueError as error:
        raise VerificationError(
            Problem(f"altered, or not a manifest: {error}", "", where)
        ) from error
    return manifest, record_bytes(data)


def parse_manifest(data: bytes) -> Manifest:
    """The manifest of these bytes; ValueError unless they are exactly what it would write."""
    value = parse_json(data)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    if value.get("schema") != SCHEMA:
        raise ValueError(f"schema is {value.get('schema')!r}, this version reads {SCHEMA!r}")
    try:
        own = {each.name: value[each.name] for each in fields(RunDetails)}
        outputs = {n: decode_as(FileRecord, one, n) for n, one in value["outputs"].items()}
        manifest = Manifest(decode_as(RunDetails, own, NAME), outputs)
    except (KeyError, AttributeError, FilesError) as error:
        raise ValueError(f"not laid out as {SCHEMA}: {error}") from None
    # One comparison finds a wrong sha256, a wrong data_sha256, added keys and other spacing.
    if manifest.to_bytes() != data:
        raise ValueError("its content does not have the sha256 that it states")
    return manifest


#: What a seal adds to a run after it was published; checked with the seal.
CRATE = "ro-crate-metadata.json"
ENVELOPE, PUBLIC_KEY, STAMP = "SEAL.json", "SEAL.pub.pem", "SEAL.tsr"
OF_A_SEAL = frozenset({CRATE, ENVELOPE, PUBLIC_KEY, STAMP})


def file_problems(run: Path, manifest: Manifest) -> list[Problem]:
    """Every way in which the files of a run are not those of its manifest, by name.

    Links are not followed: a link in a run is a problem whatever it leads to.
    Raises FilesError when the folder cannot be listed.
    """
    with explained("the run cannot be listed", run, ""), os.scandir(run) as entries:
        there = {entry.name for entry in entries}
    found = []
    for name in sorted(((there - OF_A_SEAL) | set(manifest.outputs)) - {NAME}):
        where = Location(str(run / name))
        if name not in manifest.outputs:
            found.append(Problem(f"not in {NAME}: added after the run", "", where))
        elif name not in there:
            found.append(Problem("missing", f"{NAME} records it", where))
        else:
            found += _content_problems(run / name, manifest.outputs[name])
    return found


def _content_problems(path: Path, recorded: FileRecord) -> list[Problem]:
    where = Location(str(path))
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return [Problem("not a regular file any more", f"{NAME} records a file", where)]
        actual = record_file(path)
    except OSError as error:
        return [Problem(f"cannot be read: {error.strerror}", "", where)]
    except FilesError as error:
        return list(error.problems)
    if actual.size != recorded.size:
        what = f"altered: {actual.size} bytes, {NAME} records {recorded.size}"
        return [Problem(what, "", where)]
    if actual.sha256 != recorded.sha256:
        what = f"altered: sha256 {actual.sha256}, {NAME} records {recorded.sha256}"
        return [Problem(what, "", where)]
    return []
