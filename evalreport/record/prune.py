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
from evalreport.record.history import append, read_history
from evalreport.record.lock import WAIT, runs_lock
from evalreport.record.recovery import recover
from evalreport.record.runs import LATEST, PRUNING, run_folders
from evalreport.record.signals import signals_held


def prune(
    runs: Path, keep: int, *, when: datetime, version: str, wait: float = WAIT
) -> tuple[str, ...]:
    """Remove all but the ``keep`` newest runs of RUNS; the names of those removed, oldest first.

    Newest is what was recorded last, whatever its clock says. The run that
    `latest` leads to, and folders that are not recorded, are never removed.
    Raises UsageError unless ``keep`` is 1 or more, FilesError, ConflictError.
    """
    if keep < 1:
        raise UsageError(Problem(f"--keep {keep}", "keep 1 run or more"))
    if not os.path.lexists(runs / HISTORY):
        hint = "give the folder of runs"
        raise FilesError(Problem(f"no {HISTORY}, so no run to remove", hint, Location(str(runs))))
    with explained("prune", runs), runs_lock(runs, wait), signals_held():
        history = recover(runs)
        there = {folder.name for folder in run_folders(runs)}
        recorded = [name for name in history.runs if name in there]
        latest = _led_to(runs / LATEST)
        old = tuple(name for name in recorded[:-keep] if name != latest)
        if old:
            _remove(runs, old, when, version)
        return old


def _remove(runs: Path, old: tuple[str, ...], when: datetime, version: str) -> None:
    """Set the folders aside, write the line, then remove them.

    Until the line is written the folders can be put back, by us or by recovery;
    a folder under its own name is never removed because a line says so, so a run
    brought back from a backup stays.
    """
    lines = len(read_history(runs).lines)
    try:
        for name in old:
            (runs / name).rename(runs / f"{PRUNING}{name}")
        sync_folder(runs)
        append(runs, {"when": clock_text(when), "version": version, "pruned": list(old)})
    except BaseException:
        if len(read_history(runs).lines) == lines:
            for name in old:
                with suppress(OSError):
                    (runs / f"{PRUNING}{name}").rename(runs / name)
        raise
    for name in old:
        remove_folder(runs / f"{PRUNING}{name}")


def _led_to(link: Path) -> str | None:
    try:
        return link.readlink().name
    except OSError:
        return None
