"""What stays of a run that is removed: its numbers, in a file that prune keeps beside the history.

The file holds measures with their limits, tables of counts, criteria, cautions, the account of
rows, and the curves that scores can be told from: every number that a trend, a
difference or drift is made of. Pages, other curves and the text of the spec go. Its sha256 stands
in the line of the history that tells of the removal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from evalreport.errors import EvalreportError, FilesError, Location, Problem, VerificationError
from evalreport.record.durable import explained, remove_file, write_new_file
from evalreport.record.hashing import canonical_json, sha256
from evalreport.record.history import NAME as HISTORY
from evalreport.record.history import History, read_history
from evalreport.record.recorded import (
    RecordedBytes,
    RecordedRun,
    read_file,
    read_recorded,
    records_of,
)
from evalreport.results.codec import encode
from evalreport.results.lookup import Results

FOLDER = "kept"
#: Scores are told from the one; that they are probabilities from the other.
CURVES = ("gain", "calibration")


def keep(runs: Path, name: str) -> str | None:
    """Write what stays of a run; its sha256, or None where its results cannot be read.

    Raises OSError.
    """
    try:
        content = canonical_json(encode(_lasting(read_recorded(runs / name).results)))
    except EvalreportError:
        return None
    path = kept_file(runs, name)
    path.parent.mkdir(exist_ok=True)
    # one that a prune left which came to nothing
    remove_file(path)
    write_new_file(path, content)
    return sha256(content)


def kept_file(runs: Path, name: str) -> Path:
    """Where the numbers of a removed run are."""
    return runs / FOLDER / f"{name}.json"


def _lasting(results: Results) -> Results:
    made_by = results.provenance
    spec = None if made_by.spec is None else replace(made_by.spec, text="")
    return Results(
        title=results.title,
        spec=results.spec,
        provenance=replace(made_by, spec=spec),
        labels=results.labels,
        rows=results.rows,
        thresholds=results.thresholds,
        tables=results.tables,
        measures=results.measures,
        curves=tuple(c for c in results.curves if c.kind in CURVES and not c.subgroup),
        comparisons=(),
        acceptance=results.acceptance,
        looks=results.looks,
        cautions=results.cautions,
        failures=results.failures,
    )


def read_kept(runs: Path, name: str, history: History) -> RecordedBytes:
    """What stays of a removed run, in the form of ``results.json``.

    Raises FilesError where nothing does, VerificationError where it is not what was recorded.
    """
    path = kept_file(runs, name)
    where = Location(str(path))
    recorded = history.kept.get(name)
    if recorded is None:
        hint = "a run that is there; what others leave is kept since this version"
        raise FilesError(Problem("nothing of this run is kept", hint, where))
    data = read_file(path)
    if sha256(data) != recorded:
        raise VerificationError(Problem(f"altered: {HISTORY} records another sha256", "", where))
    return RecordedBytes(name, data, recorded, where)


def read_run(path: Path) -> RecordedRun:
    """The results of a run, or what stays of one that was removed. Raises as ``read_recorded``."""
    if path.exists():
        return read_recorded(path)
    history = read_history(path.parent)
    if path.name not in history.kept:
        return read_recorded(path)
    found = read_kept(path.parent, path.name, history)
    return RecordedRun(found.name, records_of(found.data, found.where), found.sha256)


def removed_problems(runs: Path, history: History) -> Iterator[Problem]:
    """Kept numbers that are missing or altered."""
    for name, recorded in history.kept.items():
        path = kept_file(runs, name)
        where = Location(str(path))
        if not path.is_file():
            yield Problem(f"missing: what is kept of run {name}", "the file from a backup", where)
            continue
        with explained("read what is kept", path):
            if sha256(path.read_bytes()) != recorded:
                yield Problem(f"altered: {HISTORY} records another sha256", "", where)
