"""A run that came to nothing leaves a line in the history: when, which series, which status.

A line of an attempt holds the chain together as any other, and names no run. What was wrong
was told when it happened; messages may quote rows, so that no line holds them.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from evalreport.errors import ConflictError, EvalreportError, FilesError
from evalreport.record.history import NAME as HISTORY
from evalreport.record.history import append, line_of_attempt
from evalreport.record.lock import WAIT, runs_lock
from evalreport.record.recovery import recover
from evalreport.record.signals import signals_held
from evalreport.spec.scalars import Scalar
from evalreport.spec.yaml_document import read_document


def record_attempt(runs: Path, series: str, status: int, *, when: str, version: str) -> None:
    """Add the line of an attempt that ended with ``status``, where RUNS has a history.

    A folder of runs is never made for one. Where the line cannot be written the run's own
    error is what is told.
    """
    if not os.path.lexists(runs / HISTORY):
        return
    with (
        suppress(OSError, FilesError, ConflictError),
        runs_lock(runs, WAIT),
        signals_held(),
    ):
        recover(runs)
        append(runs, line_of_attempt(when, version, series, status))


def series_of_file(path: Path) -> str:
    """The series of a spec that does not load: what it says, else its file's name."""
    with suppress(OSError, EvalreportError):
        root = read_document(path.read_bytes(), str(path)).root
        stated = root.get("series") if isinstance(root, dict) else None
        text = stated.text if isinstance(stated, Scalar) else stated
        if isinstance(text, str) and text:
            return text[:100]
    return path.stem
