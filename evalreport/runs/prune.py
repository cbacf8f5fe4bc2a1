"""Old runs go; their lines in the history stay, and a line says that they went.

What stays of a run that is removed is its numbers, in a file beside the history. It holds measures
with their limits, tables of counts, criteria, cautions, the account of rows, and the curves that
scores can be told from: every number that a trend, a difference or drift is made of. Pages, other
curves and the text of the spec go. Its sha256 stands in the line of the history that tells of the
removal.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from evalreport.engine.reference.run import KEPT, ReferenceRun, read_file, records_of
from evalreport.errors import (
    EvalreportError,
    FilesError,
    Location,
    Problem,
    UsageError,
    VerificationError,
    explained,
)
from evalreport.results.codec import encode
from evalreport.results.history import HistoryLine
from evalreport.results.lookup import Results
from evalreport.results.records import CURVES_OF_SCORES
from evalreport.runs.clock import clock_text
from evalreport.runs.durable import remove_file, remove_folder, sync_folder, write_new_file
from evalreport.runs.hashing import canonical_json, sha256
from evalreport.runs.history import NAME as HISTORY
from evalreport.runs.history import History, append, read_history, recorded_history
from evalreport.runs.lock import WAIT, runs_lock, runs_lock_for_reading
from evalreport.runs.recorded import read_recorded
from evalreport.runs.recovery import recover
from evalreport.runs.runs import PRUNING, run_folders
from evalreport.runs.signals import signals_held

#: The parts of results that stay of a removed run as they are.
LASTING = (
    "title", "spec", "labels", "rows", "thresholds", "tables", "measures", "acceptance", "looks",
    "cautions", "failures",
)  # fmt: skip


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
    return runs / KEPT / f"{name}.json"


def _lasting(results: Results) -> Results:
    made_by = results.provenance
    spec = None if made_by.spec is None else replace(made_by.spec, text="")
    return Results(
        **{name: getattr(results, name) for name in LASTING},
        provenance=replace(made_by, spec=spec),
        curves=tuple(c for c in results.curves if c.kind in CURVES_OF_SCORES and not c.subgroup),
        comparisons=(),
    )


def read_kept(runs: Path, name: str, history: History) -> ReferenceRun:
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
    return ReferenceRun(name, recorded, records_of(data, where))


def read_run(path: Path) -> ReferenceRun:
    """The results of a run, or what stays of one that was removed. Raises as ``read_recorded``."""
    history = History() if path.exists() else read_history(path.parent)
    if path.name in history.kept:
        return read_kept(path.parent, path.name, history)
    return read_recorded(path)


def removed_problems(runs: Path, history: History) -> Iterator[Problem]:
    """Kept numbers that are missing or altered."""
    for name, recorded in history.kept.items():
        path = kept_file(runs, name)
        where = Location(str(path))
        if not path.is_file():
            yield Problem(f"missing: what is kept of run {name}", "the file from a backup", where)
            continue
        with explained("cannot read what is kept", path):
            if sha256(path.read_bytes()) != recorded:
                yield Problem(f"altered: {HISTORY} records another sha256", "", where)


def prune(
    runs: Path, keep: int, *, when: datetime, version: str, wait: float = WAIT
) -> tuple[str, ...]:
    """Remove all but the ``keep`` newest runs of each series; the names removed, oldest first.

    Newest is by what the data are of, else by the clock, as the history lists them: a backfill
    of an old month pushes out no newer one. Runs that a link in RUNS leads
    to (`latest`, those of the series, a baseline or tag of one's own) and folders that are not
    recorded are never removed. Of each run that goes its numbers are kept, see ``removed``.
    Raises UsageError unless ``keep`` is 1 or more, FilesError, ConflictError.
    """
    if keep < 1:
        raise UsageError(Problem(f"--keep {keep}", "keep 1 run or more"))
    recorded_history(runs)
    with explained("cannot prune", runs), runs_lock(runs, wait), signals_held():
        history = recover(runs)
        old = _old(runs, history, {folder.name for folder in run_folders(runs)}, keep)
        if old:
            _remove(runs, old, when, version)
        return old


def would_go(runs: Path, keep: int) -> tuple[str, ...]:
    """The runs that :func:`prune` would remove now; nothing is changed. Raises as it does."""
    recorded_history(runs)
    with runs_lock_for_reading(runs, WAIT):
        return _old(runs, read_history(runs), {folder.name for folder in run_folders(runs)}, keep)


def _old(runs: Path, history: History, there: set[str], most: int) -> tuple[str, ...]:
    """The runs that may go: of each series all but the last ``most``, none that is led to."""
    gone: set[str] = set()
    for lines in history.by_series.values():
        names = [name for run in lines.runs if (name := str(run.run)) in there]
        gone.update(names[:-most])
    gone -= _linked(runs)
    return tuple(name for name in history.runs if name in gone)


def _remove(runs: Path, old: tuple[str, ...], when: datetime, version: str) -> None:
    """Keep their numbers, set the folders aside, write the line, then remove them.

    Until the line is written the folders can be put back, by us or by recovery;
    a folder under its own name is never removed because a line says so, so a run
    brought back from a backup stays.
    """
    lines = len(read_history(runs).lines)
    try:
        kept = {name: digest for name in old if (digest := keep(runs, name)) is not None}
        if kept:
            sync_folder(runs / KEPT)
        for name in old:
            (runs / name).rename(runs / f"{PRUNING}{name}")
        sync_folder(runs)
        append(runs, HistoryLine(when=clock_text(when), version=version, pruned=old, kept=kept))
    except BaseException:
        if len(read_history(runs).lines) == lines:
            for name in old:
                with suppress(OSError):
                    (runs / f"{PRUNING}{name}").rename(runs / name)
        raise
    for name in old:
        remove_folder(runs / f"{PRUNING}{name}")


def _linked(runs: Path) -> set[str]:
    """The runs that a link in RUNS leads to: `latest`, those of the series, and any other."""
    found = set()
    for path in runs.iterdir():
        if path.is_symlink():
            with suppress(OSError):
                found.add(path.readlink().name)
    return found
