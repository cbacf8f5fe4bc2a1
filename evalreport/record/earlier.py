"""The runs of a series that a new run of it comes after."""

from __future__ import annotations

from pathlib import Path

from evalreport.engine.due import EarlierRun
from evalreport.record.history import History, read_history


def earlier_runs(runs: Path, series: str, until: str | None = None) -> tuple[EarlierRun, ...]:
    """The recorded runs of a series by their time; those before ``until`` was recorded.

    Raises FilesError where the history cannot be read.
    """
    history = read_history(runs)
    return tuple(
        EarlierRun(name, history.runs[name].time, history.runs[name].delivered)
        for name in _recorded(history, until)
        if history.series_of(history.runs[name]) == series
    )


def _recorded(history: History, until: str | None) -> list[str]:
    names = list(history.runs)
    return names[: names.index(until)] if until in names else names
