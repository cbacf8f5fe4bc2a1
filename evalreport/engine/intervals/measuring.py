"""What an interval may ask of whoever computes a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.intervals.bootstrap import Bootstrap
from evalreport.engine.intervals.impact import Selection
from evalreport.engine.settings import Settings
from evalreport.plan.task import Task
from evalreport.predict.view import LabelView
from evalreport.results.identity import Slice
from evalreport.results.records import MissingRows

if TYPE_CHECKING:
    from evalreport.engine.intervals.missing_cases import Ranked


class Measuring(Protocol):
    """One dataset and model: its rows, tables, settings and shared draws."""

    view: LabelView
    tables: MemoryTables
    settings: Settings
    bootstrap: Bootstrap

    def class_index(self, task: Task) -> int:
        """Code of the class that a task's value belongs to."""

    def missing(self, where: Slice, threshold: float | None) -> MissingRows | None:
        """The rows of a slice that lack something; None where there are none."""

    def missing_scores(self, task: Task) -> Ranked | None:
        """What the rows of a slice lack that ranks them; None for none, or where none can tell."""

    def highest(self, task: Task, threshold: float | None) -> Selection | None:
        """The group with the highest selection rate among those of the task's columns."""
