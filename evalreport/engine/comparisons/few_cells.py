"""Differences of metrics of two tables of the same rows, where a cell holds few of them.

In place of drawn rows: the shares of both tables are taken together, each with its correlation
between the two models. A share that all rows, or none, have in the sample stays as it is in every
draw, and the difference would count as known too well.
"""

from __future__ import annotations

from dataclasses import dataclass

from evalreport.engine.comparisons.pairs import Pair, Side, metric_of, paired_calls
from evalreport.engine.comparisons.result import Test
from evalreport.engine.intervals.table_intervals import of_shares
from evalreport.metrics.comparing import BOOTSTRAP, Family
from evalreport.metrics.declare import Interval, Table
from evalreport.metrics.interval_methods import DIFFERENCES, Held, taking_over
from evalreport.plan.comparisons import ASKED, ComparisonTask
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

#: The same of independent rows: nothing is correlated.
INDEPENDENT = "square_and_add"


@dataclass(frozen=True, eq=False)
class OfTables:
    """The difference of a metric of two tables, with the correlations of their shares."""

    values: tuple[OfCells, OfCells]
    cells: tuple[Cells, Cells]
    correlations: tuple[float, float, float]
    most: float
    name: str
    why: str

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
        return records.Interval(level, low, high, self.name, why=self.why)


def of_tables(pair: Pair, task: ComparisonTask) -> OfTables | None:
    """The difference by its shares; None where the planned method stays."""
    if not _may(pair, task):
        return None
    positives, negatives = paired_calls(pair, task.task, task.reference)
    cells = _cells(positives, negatives, first=True), _cells(positives, negatives, first=False)
    few = taking_over(BOOTSTRAP, Held(least_cell=min(map(min, cells))), DIFFERENCES)
    if few is None:
        return None
    least, most = metric_of(task.task).bounds
    return OfTables(
        (_value(pair.model, task.task), _value(pair.reference, task.reference)),
        cells,
        (1.0, correlation(*positives), correlation(*negatives)),
        most - least,
        few.name,
        few.reason,
    )


def of_independent(model: Side, reference: Side, task: ComparisonTask) -> OfTables | None:
    """The same of two datasets, whose shares are not correlated."""
    sides = (model, task.task), (reference, task.reference)
    if not all(_may_be(side, own, task) for side, own in sides):
        return None
    one, two = (_own_cells(side, own) for side, own in sides)
    if one is None or two is None:
        return None
    few = taking_over(BOOTSTRAP, Held(least_cell=min(*one, *two)), DIFFERENCES)
    if few is None:
        return None
    least, most = metric_of(task.task).bounds
    values = _value(model, task.task), _value(reference, task.reference)
    return OfTables(values, (one, two), (0.0, 0.0, 0.0), most - least, INDEPENDENT, few.reason)


def _own_cells(side: Side, task: Task) -> Cells | None:
    """(TP, FN, FP, TN) of one model on its own rows; None with indeterminate predictions."""
    table = side.tables.classification(EVERYTHING, side.threshold(task).number)
    if table.extra:
        return None
    own = table.matrix().one_versus_rest(side.class_index(task))
    return float(own.tp.value), float(own.fn.value), float(own.fp.value), float(own.tn.value)


def tails(pair: Pair, task: ComparisonTask) -> AtNull | None:
    """The planned test of a hypothesis at every null, where it is one of few cells."""
    if task.hypothesis is None or task.hypothesis.test != BOOTSTRAP:
        return None
    found = of_tables(pair, task)
    return None if found is None else found.tails


def _may(pair: Pair, task: ComparisonTask) -> bool:
    """Whether the metric is one of four cells of independent rows, and no method was asked for."""
    return _may_be(pair.model, task.task, task)


def _may_be(side: Side, own: Task, task: ComparisonTask) -> bool:
    metric, view = metric_of(own), side.view
    if task.why == ASKED or task.test != BOOTSTRAP or task.family is not Family.OTHER:
        return False
    if task.test_reason is not None or task.interval_reason is not None:
        return False
    if view.weight is not None or view.cluster is not None or view.sample is not None:
        return False
    of_cells = metric.shares is not None or metric.interval is Interval.PROPORTION
    if not of_cells or own.average is not None or metric.interval is Interval.LOG:
        return False
    of_class = metric.table is Table.COUNTS and metric.scope == "class"
    return of_class or len(view.labels) == 2


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
