"""A seal held against the run: signature, files, statement, metadata and time stamp. Offline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalreport.engine.reference.run import records_of
from evalreport.errors import FilesError, Location, Problem, UsageError, VerificationError
from evalreport.results.codec import parse_json
from evalreport.runs.hashing import record_file, sha256
from evalreport.runs.manifest import CRATE, ENVELOPE, OF_A_SEAL, PUBLIC_KEY, STAMP, read_manifest
from evalreport.runs.manifest import NAME as MANIFEST
from evalreport.seal.envelope import (
    Envelope,
    key_name,
    load_public,
    parse_envelope,
    read_public_key,
    require_cryptography,
    signature_holds,
    supported,
)
from evalreport.seal.stamp import stamp_of
from evalreport.seal.statement import crate_metadata, statement, subjects_of
from evalreport.verify.verify import RESULTS


@dataclass(frozen=True)
class Trusted:
    """What the operator trusts: the public key of who seals, certificates of authorities."""

    key: Path | None = None
    authorities: tuple[Path, ...] = ()


#: Of operators who trust no key and no authority.
NOBODY = Trusted()


@dataclass(frozen=True)
class SealCheck:
    """What is wrong with the seal of a run, and in words what it says where nothing is."""

    problems: tuple[Problem, ...]
    said: str = ""


def check_seal(run: Path, trusted: Trusted = NOBODY) -> SealCheck:
    """Hold the seal of a run against its files; nothing is said of a run that has none.

    With a trusted key the run must be sealed, and by it. Where what checks signatures is not
    installed, that is a problem too. Raises FilesError for a trusted key or certificate that
    cannot be used.
    """
    folder = run.resolve()
    there = [name for name in sorted(OF_A_SEAL) if os.path.lexists(folder / name)]
    if not there:
        if trusted.key is None and not trusted.authorities:
            return SealCheck(())
        what = "the run is not sealed: it never was, or the seal was removed"
        return SealCheck((Problem(what, "a run that is sealed", Location(str(run))),))
    if ENVELOPE not in there:
        what = f"{ENVELOPE} is missing, and other files of a seal are there"
        return SealCheck((Problem(what, "the seal was removed, or never finished", _at(run)),))
    try:
        require_cryptography()
    except UsageError as error:
        return SealCheck(tuple(Problem(p.what, p.instead, _at(run)) for p in error.problems))
    try:
        return _checked(folder, trusted)
    except _Broken as broken:
        return SealCheck((Problem(broken.what, broken.instead, _at(run, broken.name)),))


class _Broken(Exception):  # noqa: N818  # no error that leaves this module
    """The seal cannot be looked at any further."""

    def __init__(self, name: str, what: str, instead: str = "") -> None:
        super().__init__(what)
        self.name, self.what, self.instead = name, what, instead


def _checked(folder: Path, trusted: Trusted) -> SealCheck:
    envelope = _envelope(folder)
    public = _public(folder)
    name = key_name(public)
    found: list[Problem] = []
    if trusted.key is not None and key_name(read_public_key(trusted.key)) != name:
        what = f"sealed by another key than the trusted one: {name}"
        found.append(Problem(what, f"the key of {trusted.key}", _at(folder, PUBLIC_KEY)))
    if envelope.keyid != name or not signature_holds(envelope, public):
        what = "the signature is not of this statement by this key"
        found.append(Problem(what, "the seal was altered", _at(folder, ENVELOPE)))
    found += _file_problems(folder, envelope)
    if not found:
        found += _statement_problems(folder, envelope)
    by = f"sealed by key {name}"
    by += "" if trusted.key else ", which was not compared with a trusted one (--sealed-by)"
    stamped = _stamped(folder, envelope, trusted, found)
    return SealCheck(tuple(found), f"{by}; {stamped}")


def _envelope(folder: Path) -> Envelope:
    try:
        return parse_envelope(_content(folder, ENVELOPE))
    except ValueError as error:
        raise _Broken(ENVELOPE, f"altered, or no seal: {error}") from None


def _public(folder: Path) -> Any:
    try:
        public = load_public(_content(folder, PUBLIC_KEY))
    except ValueError as error:
        raise _Broken(PUBLIC_KEY, f"altered: {error}") from None
    if wrong := supported(public):
        raise _Broken(PUBLIC_KEY, f"a key of a kind that does not seal: {wrong}")
    return public


def _file_problems(folder: Path, envelope: Envelope) -> Iterator[Problem]:
    """Files that are not those that were signed: altered, missing, added."""
    try:
        signed = subjects_of(parse_json(envelope.payload))
    except ValueError as error:
        yield Problem(f"what was signed is {error}", "", _at(folder, ENVELOPE))
        return
    there = {entry.name for entry in os.scandir(folder)} - {ENVELOPE, PUBLIC_KEY, STAMP}
    for name in sorted(there | set(signed)):
        if name not in signed:
            yield Problem("added after the run was sealed", "", _at(folder, name))
        elif name not in there:
            yield Problem("missing: the seal covers it", "", _at(folder, name))
        elif _hash(folder / name) != signed[name]:
            what = "altered after the run was sealed: its sha256 is another"
            yield Problem(what, signed[name], _at(folder, name))


def _statement_problems(folder: Path, envelope: Envelope) -> Iterator[Problem]:
    """Whether statement and metadata follow from the run; a signature alone does not say so."""
    try:
        manifest, record = read_manifest(folder)
        results = records_of(_content(folder, RESULTS), _at(folder, RESULTS))
    except (FilesError, VerificationError) as error:
        yield from error.problems
        return
    crate = crate_metadata(manifest, record, results.title)
    if _content(folder, CRATE) != crate:
        yield Problem("does not follow from the manifest", "", _at(folder, CRATE))
    covered = {name: one.sha256 for name, one in manifest.outputs.items()}
    covered |= {MANIFEST: record.sha256, CRATE: sha256(crate)}
    if envelope.payload != statement(manifest, results.acceptance, covered):
        what = "the signed statement does not follow from the run"
        yield Problem(what, "outcome, criteria, inputs and files", _at(folder, ENVELOPE))


def _stamped(folder: Path, envelope: Envelope, trusted: Trusted, found: list[Problem]) -> str:
    """What the time stamp says; what is wrong with it is added to ``found``."""
    if not os.path.lexists(folder / STAMP):
        if trusted.authorities:
            what = "the seal has no time stamp, or it was removed"
            found.append(Problem(what, "a stamp of the trusted authority", _at(folder, STAMP)))
        return "no time stamp shows when"
    try:
        stamp = stamp_of(_content(folder, STAMP), envelope.signature, trusted.authorities)
    except ValueError as error:
        found.append(Problem(str(error), "", _at(folder, STAMP)))
        return ""
    when = stamp.when.strftime("%Y-%m-%d %H:%M:%S UTC")
    known = "" if stamp.trusted else ", not checked against a trusted authority (--authority)"
    return f"no later than {when}, according to {stamp.authority}{known}"


def _content(folder: Path, name: str) -> bytes:
    path = folder / name
    try:
        if path.is_symlink() or not path.is_file():
            raise _Broken(name, "missing, or not a regular file")
        return path.read_bytes()
    except OSError as error:
        raise _Broken(name, f"cannot be read: {error.strerror or error}") from None


def _hash(path: Path) -> str:
    try:
        return "" if path.is_symlink() else record_file(path).sha256
    except FilesError:
        return ""


def _at(folder: Path, name: str = "") -> Location:
    return Location(str(folder / name) if name else str(folder))
