"""What an interval may ask of whoever computes a task."""

from __future__ import annotations

from typing import Protocol

from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.intervals.bootstrap import Bootstrap
from evalreport.engine.intervals.impact import Selection
from evalreport.engine.settings import Settings
from evalreport.plan.task import Task
from evalreport.predict.view import LabelView


class Measuring(Protocol):
    """One dataset and model: its rows, tables, settings and shared draws."""

    view: LabelView
    tables: MemoryTables
    settings: Settings
    bootstrap: Bootstrap

    def class_index(self, task: Task) -> int:
        """Code of the class that a task's value belongs to."""

    def highest(self, task: Task, threshold: float | None) -> Selection | None:
        """The group with the highest selection rate among those of the task's columns."""
