"""One value with all that its interval can be made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.classification import ClassificationTable
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.formula import Infinite, Value
from evalreport.metrics.tables import Matrix, ScoreTable
from evalreport.plan.methods import REQUESTED
from evalreport.plan.task import Task
from evalreport.statistics.means import effective_size_from_sums

if TYPE_CHECKING:
    from evalreport.engine.intervals.measuring import Measuring

#: TP, FN, FP, TN.
Cells = tuple[float, float, float, float]


@dataclass(frozen=True)
class Case:
    """What was asked for and where, the metric with its arguments, and the value.

    ``measurer`` holds the rows, their design, the settings and the shared draws. An interval is
    made where the value is a number or infinite; ``number`` may be read there alone.
    """

    measurer: Measuring
    task: Task
    metric: Metric
    arguments: Mapping[str, Any]
    value: Evaluated

    @property
    def number(self) -> float:
        """The value; infinity where it is infinite."""
        if isinstance(self.value.outcome, Infinite):
            return math.inf
        assert isinstance(self.value.outcome, Value)
        return self.value.outcome.number

    @property
    def level(self) -> float:
        """The level of confidence."""
        return self.measurer.settings.level

    @property
    def method(self) -> str:
        """The planned method."""
        assert self.task.interval is not None
        return self.task.interval

    @property
    def asked(self) -> bool:
        """Whether the spec asks for this very method: it is then exchanged for no other."""
        return self.task.why in REQUESTED


@dataclass(frozen=True)
class TableCase(Case):
    """A value of a classification table; ``matrix`` counts its indeterminate predictions."""

    table: ClassificationTable
    matrix: Matrix
    threshold: float | None

    @property
    def index(self) -> int:
        """Code of the class that the value belongs to."""
        return self.measurer.class_index(self.task)

    @property
    def cells(self) -> Cells | None:
        """The cells of a metric that is taken apart into shares; None for any other."""
        metric, matrix = self.metric, self.matrix
        of_two = metric.table is Table.COUNTS and metric.scope == "class"
        if metric.shares is None or self.task.average is not None:
            return None
        classes = len(matrix.row_totals)
        if any(map(np.any, matrix.unplaced)) or classes < 2 or (classes > 2 and not of_two):
            return None
        own = matrix.one_versus_rest(self.index)
        return (
            float(own.tp.exact()),
            float(own.fn.exact()),
            float(own.fp.exact()),
            float(own.tn.exact()),
        )


@dataclass(frozen=True)
class ScoreCase(Case):
    """A value of a table of scores; ``index`` is the class of a column of class scores."""

    table: ScoreTable
    index: int | None

    @property
    def worth(self) -> tuple[float, float]:
        """Rows that the weights of positives, and of negatives, are worth (Kish)."""
        where, tables = self.task.where, self.measurer.tables
        return tables.once(("worth", where, self.index), lambda: self._worth(tables.kinds(where)))

    def _worth(self, inside: npt.NDArray[np.intp]) -> tuple[float, float]:
        view = self.measurer.view
        positive = view.positives_of(self.index)[inside]
        one, two = (
            effective_size_from_sums(view.total_weight(side), view.total_weight(side, 2))
            for side in (inside[positive], inside[~positive])
        )
        return one, two
