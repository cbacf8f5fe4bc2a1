"""The results of one published run, read and held against its manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evalreport.errors import FilesError, LimitError, Location, Problem, VerificationError
from evalreport.runs.durable import explained
from evalreport.runs.hashing import parse_json, sha256
from evalreport.runs.manifest import NAME as MANIFEST
from evalreport.runs.manifest import read_manifest

if TYPE_CHECKING:
    from evalreport.results.lookup import Results

Part = TypeVar("Part")

RESULTS = "results.json"
#: Bytes of a results.json that is read.
MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class RecordedRun:
    """A run by its name: what its ``results.json`` holds, and the file's sha256."""

    name: str
    results: Results
    sha256: str

    @property
    def at(self) -> str:
        """The run's clock as text; empty where it is not recorded."""
        return self.results.provenance.at


@dataclass(frozen=True)
class RecordedBytes:
    """The bytes of the results of a run, which are what its manifest recorded."""

    name: str
    data: bytes
    sha256: str
    where: Location

    @property
    def run(self) -> RecordedRun:
        """The same, read. Raises FilesError as :func:`records_of`."""
        return RecordedRun(self.name, records_of(self.data, self.where), self.sha256)


def read_recorded(path: Path) -> RecordedRun:
    """The results of a run folder, of a link to one, or of a ``results.json`` by itself.

    Raises FilesError when there are none, VerificationError when they are not what
    the manifest beside them recorded.
    """
    return recorded_bytes(path).run


def recorded_bytes(path: Path) -> RecordedBytes:
    """The bytes of the results of a run. Raises as :func:`read_recorded`."""
    file = path / RESULTS if path.is_dir() else path
    where = Location(str(file))
    with explained("read the results", file):
        if not file.is_file():
            hint = "give the folder of a run, such as RUNS/latest"
            raise FilesError(Problem(f"no {RESULTS}", hint, where))
        data = read_file(file)
    folder = file.parent.resolve()
    if file.name == RESULTS and (folder / MANIFEST).is_file():
        check_recorded(file, data)
    return RecordedBytes(folder.name, data, sha256(data), where)


def check_recorded(file: Path, data: bytes) -> None:
    """Refuse what a file of a run holds if its manifest recorded another: VerificationError."""
    recorded = read_manifest(file.parent.resolve())[0].outputs.get(file.name)
    digest = sha256(data)
    if recorded is None or recorded.sha256 != digest:
        what = f"altered: sha256 {digest}, {MANIFEST} records another"
        raise VerificationError(Problem(what, "", Location(str(file))))


def read_file(path: Path) -> bytes:
    """The bytes of a regular file of no more than 1 GiB. Raises FilesError."""
    where = Location(str(path))
    with explained("read", path):
        # Found out before it is opened: a pipe would wait for ever.
        if not path.is_file():
            what = "is no file" if path.exists() else "there is no such file"
            raise FilesError(Problem(what, "give a results.json", where))
        if path.stat().st_size > MOST_BYTES:
            raise LimitError(Problem(f"is larger than {MOST_BYTES:,} bytes", "", where))
        return path.read_bytes()


def records_of(data: bytes, where: Location) -> Results:
    """The records of a ``results.json``, held to their form and their own references.

    This is where results that come from a file enter: what is read of them later is there, of
    its type and length. Raises FilesError with every path that is not.
    """
    from evalreport.results.codec import decode

    return decode(_content(data, where), where.file)


def part_of(kind: type[Part], data: bytes, where: Location, curves: Sequence[str]) -> Part:
    """The fields of a ``results.json`` that a record of this kind has, held to their form.

    For who reads hundreds of runs and a little of each; ``curves`` are the kinds of those that
    are looked at. Raises FilesError as ``records_of``.
    """
    from evalreport.results.codec import decode_part

    content = _content(data, where)
    items = content.get("curves") if isinstance(content, dict) else None
    if isinstance(items, list):
        # what is no curve has to be refused
        content["curves"] = [
            one for one in items if not isinstance(one, dict) or one.get("kind") in curves
        ]
    return decode_part(kind, content, where.file)


def _content(data: bytes, where: Location) -> Any:
    try:
        content = parse_json(data)
    except ValueError as error:
        raise FilesError(Problem(f"is no {RESULTS}: {error}", "", where)) from None
    return content
