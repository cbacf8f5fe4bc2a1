"""A seal is put on a run: metadata, the signed statement, the public key, the time stamp."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evalreport.engine.reference.run import records_of
from evalreport.errors import (
    ConflictError,
    FilesError,
    Location,
    Problem,
    VerificationError,
    explained,
)
from evalreport.runs.durable import remove_file, sync_folder, write_new_file
from evalreport.runs.hashing import sha256
from evalreport.runs.lock import runs_lock
from evalreport.runs.manifest import CRATE, ENVELOPE, PUBLIC_KEY, STAMP, read_manifest
from evalreport.runs.manifest import NAME as MANIFEST
from evalreport.seal.envelope import Envelope, parse_envelope, public_pem, sign
from evalreport.seal.stamp import stamp_of
from evalreport.seal.statement import crate_metadata, statement
from evalreport.verify.verify import RESULTS, verify_numbers, verify_run

#: Gives the time stamp of a signature, as an authority answers.
Stamper = Callable[[bytes], bytes]


def seal_run(run: Path, key: Any, stamper: Stamper | None = None) -> Envelope:
    """Seal a published run with a private key; the envelope that was written.

    The run is verified first, and nothing is written before all is made. Raises
    VerificationError for a run that is not as it was published, or a stamp that does not hold,
    ConflictError for one that is sealed already, FilesError.
    """
    folder = run.resolve()
    if os.path.lexists(folder / ENVELOPE):
        hint = "a seal is never replaced; a time stamp can be added to it without --key"
        raise ConflictError(Problem("the run is sealed already", hint, Location(str(run))))
    if problems := verify_run(run) or list(verify_numbers(run).problems):
        raise VerificationError(*problems)
    manifest, record = read_manifest(folder)
    results = records_of((folder / RESULTS).read_bytes(), Location(str(run)))
    crate = crate_metadata(manifest, record, results.title)
    covered = {name: one.sha256 for name, one in manifest.outputs.items()}
    covered |= {MANIFEST: record.sha256, CRATE: sha256(crate)}
    envelope = sign(statement(manifest, results.acceptance, covered), key)
    files = {CRATE: crate, PUBLIC_KEY: public_pem(key.public_key())}
    if stamper is not None:
        files[STAMP] = _held(stamper(envelope.signature), envelope, run)
    # The envelope last: what lies there without it is no seal yet, and may be written again.
    _write(folder, {**files, ENVELOPE: envelope.to_bytes()})
    return envelope


def add_stamp(run: Path, stamper: Stamper) -> None:
    """Add the time stamp to a sealed run that has none.

    Raises ConflictError where it has one, VerificationError for one that does not hold,
    FilesError where there is no seal.
    """
    folder = run.resolve()
    if os.path.lexists(folder / STAMP):
        hint = "a time stamp is never replaced"
        raise ConflictError(Problem("the seal has a time stamp already", hint, Location(str(run))))
    envelope = envelope_of(folder)
    _write(folder, {STAMP: _held(stamper(envelope.signature), envelope, run)})


def envelope_of(run: Path) -> Envelope:
    """The envelope of a sealed run. Raises FilesError where there is none."""
    path = run / ENVELOPE
    try:
        return parse_envelope(path.read_bytes())
    except OSError:
        what, hint = "the run is not sealed", "seal it with --key KEY"
        raise FilesError(Problem(what, hint, Location(str(run)))) from None
    except ValueError as error:
        raise FilesError(Problem(f"no seal: {error}", "", Location(str(path)))) from None


def _held(data: bytes, envelope: Envelope, run: Path) -> bytes:
    try:
        stamp_of(data, envelope.signature)
    except ValueError as error:
        raise VerificationError(Problem(str(error), "", Location(str(run)))) from None
    return data


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    with runs_lock(folder.parent), explained("cannot write the seal", folder):
        for name, data in files.items():
            aside = folder.parent / f".seal-{os.getpid()}-{name}"
            try:
                write_new_file(aside, data)
                aside.replace(folder / name)
            finally:
                remove_file(aside)
        sync_folder(folder)
