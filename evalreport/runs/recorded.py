"""The results of one published run, read and held against its manifest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalreport.errors import FilesError, LimitError, Location, Problem, VerificationError
from evalreport.runs.durable import explained
from evalreport.runs.hashing import parse_json, sha256
from evalreport.runs.manifest import NAME as MANIFEST
from evalreport.runs.manifest import read_manifest

if TYPE_CHECKING:
    from evalreport.engine.reference.run import ReferenceRun
    from evalreport.results.lookup import Results

RESULTS = "results.json"
#: Bytes of a results.json that is read.
MOST_BYTES = 1 << 30


def read_recorded(path: Path) -> ReferenceRun:
    """The results of a run folder, of a link to one, or of a ``results.json`` by itself.

    Raises FilesError when there are none, VerificationError when they are not what
    the manifest beside them recorded.
    """
    from evalreport.engine.reference.run import ReferenceRun

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
    return ReferenceRun(folder.name, sha256(data), records_of(data, where))


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
            what = "is not a file" if path.exists() else "file not found"
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

    try:
        content = parse_json(data)
    except ValueError as error:
        raise FilesError(Problem(f"is not a {RESULTS}: {error}", "", where)) from None
    return decode(content, where.file)
