"""Differences of metrics of two tables by the limits of their shares, squared and added.

The shares of both tables are taken together, each with its correlation between the two models.
"""

from __future__ import annotations

from dataclasses import dataclass

from evalreport.engine.comparisons.pairs import Pair, Side, metric_of
from evalreport.engine.comparisons.result import Test
from evalreport.engine.intervals.table_intervals import of_shares
from evalreport.metrics.comparing import ADDED, TWO_TABLES
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import Task
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.statistics import hypotheses
from evalreport.statistics.hypotheses import AtNull
from evalreport.statistics.paired import correlation
from evalreport.statistics.predictive import PairedCalls
from evalreport.statistics.square_and_add import (
    Cells,
    OfCells,
    difference_of_tables,
    difference_statistic,
)
from evalreport.statistics.tail import normal_two_sided


@dataclass(frozen=True, eq=False)
class OfTables:
    """The difference of a metric of two tables, with the correlations of their shares."""

    values: tuple[OfCells, OfCells]
    cells: tuple[Cells, Cells]
    correlations: tuple[float, float, float]
    most: float
    name: str

    def test(self) -> Test:
        """The normal test of no difference that agrees with the limits."""
        found = difference_statistic(self.values, self.cells, self.correlations, 0.0)
        if found is None:
            return Test(reason="the difference is undefined")
        return Test(found, normal_two_sided(found), name=self.name)

    def tails(self, null: float) -> hypotheses.Tails | None:
        """One-sided tails of the same where the difference is ``null``."""
        found = difference_statistic(self.values, self.cells, self.correlations, null)
        return None if found is None else hypotheses.of_normal(found)

    def interval(self, level: float) -> records.Interval | None:
        """Limits of the difference, within what two values of the metric can differ by."""
        found = difference_of_tables(self.values, self.cells, self.correlations, level)
        if found is None:
            return None
        low, high = max(found.low, -self.most), min(found.high, self.most)
        return records.Interval(level, low, high, self.name)


def of_tables(pair: Pair, task: ComparisonTask) -> OfTables:
    """The difference of two models on the same rows by its shares."""
    positives, negatives = pair.calls(task.task, task.reference)
    cells = _cells(positives, negatives, first=True), _cells(positives, negatives, first=False)
    least, most = metric_of(task.task).bounds
    return OfTables(
        (_value(pair.model, task.task), _value(pair.reference, task.reference)),
        cells,
        (1.0, correlation(*positives), correlation(*negatives)),
        most - least,
        TWO_TABLES,
    )


def of_independent(model: Side, reference: Side, task: ComparisonTask) -> OfTables | None:
    """The same of two datasets, whose shares are not correlated; None with indeterminate rows."""
    one, two = _own_cells(model, task.task), _own_cells(reference, task.reference)
    if one is None or two is None:
        return None
    least, most = metric_of(task.task).bounds
    values = _value(model, task.task), _value(reference, task.reference)
    return OfTables(values, (one, two), (0.0, 0.0, 0.0), most - least, ADDED)


def _own_cells(side: Side, task: Task) -> Cells | None:
    """(TP, FN, FP, TN) of one model on its own rows; None with indeterminate predictions."""
    table = side.tables.classification(EVERYTHING, side.threshold(task).number)
    if table.extra:
        return None
    own = table.matrix().one_versus_rest(side.class_index(task))
    return float(own.tp.value), float(own.fn.value), float(own.fp.value), float(own.tn.value)


def tails(pair: Pair, task: ComparisonTask) -> AtNull | None:
    """The planned test of a hypothesis at every null, where it is one of two tables."""
    if task.hypothesis is None or task.hypothesis.test != TWO_TABLES:
        return None
    return of_tables(pair, task).tails


def _cells(positives: PairedCalls, negatives: PairedCalls, *, first: bool) -> Cells:
    """(TP, FN, FP, TN) of one of the two models."""
    ends = []
    for calls in (positives, negatives):
        alone = calls.first_only if first else calls.second_only
        other = calls.second_only if first else calls.first_only
        ends.append((calls.both + alone, other + calls.neither))
    (tp, fn), (fp, tn) = ends
    return tp, fn, fp, tn


def _value(side: Side, task: Task) -> OfCells:
    metric, arguments = side.metric(task), side.arguments(task)
    return lambda shares: of_shares(metric, arguments, shares)
