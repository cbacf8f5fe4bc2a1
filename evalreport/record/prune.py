"""Old runs go; their lines in the history stay, and a line says that they went."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from evalreport.errors import FilesError, Location, Problem, UsageError
from evalreport.record.clock import clock_text
from evalreport.record.durable import explained, remove_folder, sync_folder
from evalreport.record.history import NAME as HISTORY
from evalreport.record.history import History, append, read_history
from evalreport.record.lock import WAIT, runs_lock, runs_lock_for_reading
from evalreport.record.recovery import recover
from evalreport.record.removed import FOLDER, keep
from evalreport.record.runs import PRUNING, run_folders
from evalreport.record.signals import signals_held
from evalreport.results.history import HistoryLine


def prune(
    runs: Path, keep: int, *, when: datetime, version: str, wait: float = WAIT
) -> tuple[str, ...]:
    """Remove all but the ``keep`` newest runs of each series; the names removed, oldest first.

    Newest is what was recorded last, whatever its clock says. Runs that a link in RUNS leads
    to (`latest`, those of the series, a baseline or tag of one's own) and folders that are not
    recorded are never removed. Of each run that goes its numbers are kept, see ``removed``.
    Raises UsageError unless ``keep`` is 1 or more, FilesError, ConflictError.
    """
    if keep < 1:
        raise UsageError(Problem(f"--keep {keep}", "keep 1 run or more"))
    if not os.path.lexists(runs / HISTORY):
        hint = "give the folder of runs"
        raise FilesError(Problem(f"no {HISTORY}, so no run to remove", hint, Location(str(runs))))
    with explained("prune", runs), runs_lock(runs, wait), signals_held():
        history = recover(runs)
        old = _old(runs, history, {folder.name for folder in run_folders(runs)}, keep)
        if old:
            _remove(runs, old, when, version)
        return old


def would_go(runs: Path, keep: int, *, wait: float = WAIT) -> tuple[str, ...]:
    """The runs that :func:`prune` would remove now; nothing is changed. Raises as it does."""
    if not os.path.lexists(runs / HISTORY):
        hint = "give the folder of runs"
        raise FilesError(Problem(f"no {HISTORY}, so no run to remove", hint, Location(str(runs))))
    with runs_lock_for_reading(runs, wait):
        return _old(runs, read_history(runs), {folder.name for folder in run_folders(runs)}, keep)


def _old(runs: Path, history: History, there: set[str], most: int) -> tuple[str, ...]:
    """The runs that may go: of each series all but the last ``keep``, none that is led to."""
    series: dict[str | None, list[str]] = {}
    for name, entry in history.runs.items():
        if name in there:
            series.setdefault(history.series_of(entry), []).append(name)
    gone = {name for names in series.values() for name in names[:-most]} - _held(runs)
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
            sync_folder(runs / FOLDER)
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


def _held(runs: Path) -> set[str]:
    """The runs that a link in RUNS leads to: `latest`, those of the series, and any other."""
    held = set()
    with os.scandir(runs) as entries:
        for entry in entries:
            if entry.is_symlink():
                with suppress(OSError):
                    held.add(Path(entry.path).readlink().name)
    return held
