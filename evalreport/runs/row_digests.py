"""Rows known by the digests that runs keep of their ids, and counted by looks.

``rows.json`` of a run that looks holds, beside its own rows, the digests of those that looks before
have counted and that are no longer in its file, so that one run is enough to know them all.

Digests are made with the secret of a folder of runs: by it the rows of two runs are paired, and by
nobody else. It lies beside the runs and in none of them, so that a run can be handed on without
it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from evalreport.engine.reference.run import CountedRows, ReferenceRun, read_file
from evalreport.errors import FilesError, Location, Problem, explained
from evalreport.results.codec import decode_as, parse_json
from evalreport.results.kept_rows import KeptRows
from evalreport.results.lookup import Results
from evalreport.results.records import Look
from evalreport.runs.durable import remove_file, write_new_file
from evalreport.runs.manifest import NAME as MANIFEST
from evalreport.runs.recorded import check_recorded

NAME = "rows.json"
KEY_FILE = ".rows-key"
SIZE = 32


def read_rows(path: Path) -> KeptRows | None:
    """What a run kept of its rows; None where it kept nothing.

    Raises FilesError for a file that cannot be read, VerificationError for one that
    is not what the manifest recorded.
    """
    file = (path if path.is_dir() else path.parent).resolve() / NAME
    if not file.is_file() or not (file.parent / MANIFEST).is_file():
        return None
    data = read_file(file)
    check_recorded(file, data)
    try:
        content = parse_json(data)
    except ValueError as error:
        raise FilesError(Problem(f"is not a {NAME}: {error}", "", Location(str(file)))) from None
    return decode_as(KeptRows, content, str(file))


def rows_key(runs: Path) -> bytes:
    """The key of a folder of runs, made when it is first needed. Raises FilesError."""
    path = runs / KEY_FILE
    if not path.exists():
        _make(path)
    with explained("cannot read the key of the rows", path):
        key = path.read_bytes()
    if len(key) != SIZE:
        hint = "the file as it was; without it rows cannot be paired with those of earlier runs"
        raise FilesError(Problem("is not a key of rows", hint, Location(str(path))))
    return key


def _make(path: Path) -> None:
    aside = path.with_name(f"{KEY_FILE}-{os.getpid()}-{secrets.token_hex(4)}")
    with explained("cannot make the key of the rows", path):
        try:
            write_new_file(aside, secrets.token_bytes(SIZE), 0o600)
            # whole or not at all, and never in the place of another's
            with suppress(FileExistsError):
                os.link(aside, path)
        finally:
            remove_file(aside)


def with_rows_counted(before: ReferenceRun | None, runs: Path) -> ReferenceRun | None:
    """The run of the looks before, with the rows that they counted; as it is where none are kept.

    Raises FilesError and VerificationError for kept rows that cannot be used.
    """
    if before is None or not (runs / KEY_FILE).is_file():
        return before
    kept = read_rows(runs / before.name)
    if kept is None:
        return before
    return replace(before, counted=CountedRows(rows_key(runs), _digests(kept)))


def _digests(kept: KeptRows) -> Mapping[str, frozenset[str]]:
    return {
        name: frozenset((*one.ids, *(one.counted or ()))) for name, one in kept.datasets.items()
    }


def with_counted(kept: KeptRows, runs: Path, results: Results) -> KeptRows:
    """The rows that a run keeps, with those that the looks before it have counted."""
    looks = [one for one in results.of(Look) if one.recognised_by == "row"]
    datasets = dict(kept.datasets)
    for name in sorted({one.previous for one in looks if one.previous is not None}):
        earlier = read_rows(runs / name)
        known = {} if earlier is None else _digests(earlier)
        for dataset in {one.dataset for one in looks} & datasets.keys() & known.keys():
            gone = known[dataset].difference(datasets[dataset].ids)
            if gone:
                datasets[dataset] = replace(datasets[dataset], counted=tuple(sorted(gone)))
    return replace(kept, datasets=datasets)
