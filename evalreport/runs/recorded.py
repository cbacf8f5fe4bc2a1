"""The results of one published run, read and held against its manifest."""

from __future__ import annotations

from pathlib import Path

from evalreport.engine.reference.run import RESULTS, ReferenceRun, read_file, records_of
from evalreport.errors import FilesError, Location, Problem, VerificationError, explained
from evalreport.runs.hashing import sha256
from evalreport.runs.manifest import NAME as MANIFEST
from evalreport.runs.manifest import read_manifest


def read_recorded(path: Path) -> ReferenceRun:
    """The results of a run folder, of a link to one, or of a ``results.json`` by itself.

    Raises FilesError when there are none, VerificationError when they are not what
    the manifest beside them recorded.
    """
    file = path / RESULTS if path.is_dir() else path
    where = Location(str(file))
    with explained("cannot read the results", file):
        if not file.is_file():
            hint = "give the folder of a run, such as RUNS/latest"
            raise FilesError(Problem(f"no {RESULTS}", hint, where))
        data = read_file(file)
    folder = file.parent.resolve()
    if file.name == RESULTS and (folder / MANIFEST).is_file():
        check_recorded(file, data)
    return ReferenceRun(folder.name, sha256(data), records_of(data, where))


def check_recorded(file: Path, data: bytes) -> None:
    """Refuse what a file of a run holds if its manifest recorded another: VerificationError."""
    recorded = read_manifest(file.parent.resolve())[0].outputs.get(file.name)
    digest = sha256(data)
    if recorded is None or recorded.sha256 != digest:
        what = f"altered: sha256 {digest}, {MANIFEST} records another"
        raise VerificationError(Problem(what, "", Location(str(file))))
