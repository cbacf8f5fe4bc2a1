"""What the parts of a run share while it is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.counting.set_tables import SetTables
from evalreport.engine.due import Due
from evalreport.engine.evaluation import Evaluation, Numbering
from evalreport.engine.guarding import guarded
from evalreport.engine.measures import TaskMeasurer
from evalreport.engine.prepared import Prepared
from evalreport.engine.thresholds import Resolved
from evalreport.plan.task import ThresholdRequest
from evalreport.results.records import AgainstBaseline, Failure, Look, Measure

Key = tuple[str, str]

T = TypeVar("T")


@dataclass
class RunState:
    """What the parts of a run share while it is computed."""

    prepared: Prepared
    numbering: Numbering = field(default_factory=Numbering)
    tables: dict[Key, MemoryTables] = field(default_factory=dict)
    set_tables: dict[Key, SetTables] = field(default_factory=dict)
    set_measurers: dict[Key, TaskMeasurer[Any, Any]] = field(default_factory=dict)
    thresholds: dict[Key, dict[ThresholdRequest, Resolved]] = field(default_factory=dict)
    first_threshold: dict[Key, ThresholdRequest | None] = field(default_factory=dict)
    evaluations: list[Evaluation] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    against: list[AgainstBaseline] = field(default_factory=list)
    due: Due | None = None
    looks: tuple[Look, ...] = ()
    #: What the data of the newest look are of, where this run is of an earlier time.
    later_look: str | None = None

    def tables_of(self, dataset: str, model: str) -> MemoryTables | SetTables:
        """The tables of a dataset and model, of whatever kind."""
        key = dataset, model
        return self.set_tables[key] if key in self.set_tables else self.tables[key]

    def first_number(self, key: Key) -> float | None:
        """The first threshold of a model; None where it has none."""
        first = self.first_threshold.get(key)
        return None if first is None else self.thresholds[key][first].number

    @property
    def measures(self) -> list[Measure]:
        """Every measure of the run, in order."""
        return [m for evaluation in self.evaluations for m in evaluation.measures]

    def guarded(self, section: str, work: Callable[[], T], otherwise: T, **place: str) -> T:
        """What a part of the run gives, or its failure among ``failures``."""
        return guarded(self.failures, section, work, otherwise, **place)

    def records(self, section: str, work: Callable[[], list[T]], **place: str) -> list[T]:
        """The records of a part of the run; none, and a failure, where it fails."""
        return self.guarded(section, work, list[T](), **place)
