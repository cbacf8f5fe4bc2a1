"""Differences by the limits of what they are made of, squared and added.

Of two values the limits that each of them has by itself: for values of ranked scores, and for
values of weighted rows and clusters (Zou G., Donner A. Stat Med 27, 2008). Of metrics of two
tables the limits of their shares, all taken together. How far two values, or shares, of the same
rows go together follows from the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from evalreport.engine.comparisons.contrast import ByStatistic, Contrast, Limits, Unknown
from evalreport.engine.comparisons.counts import counted
from evalreport.engine.comparisons.pairs import Pair, Side
from evalreport.engine.intervals.methods import has_width
from evalreport.engine.intervals.table_intervals import of_shares
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.formula import Value
from evalreport.metrics.methods import ADDED, TWO_TABLES
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import Task
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.statistics import square_and_add as added
from evalreport.statistics.interval import Interval, clipped, square_and_add, z_value
from evalreport.statistics.paired import correlation
from evalreport.statistics.predictive import PairedCalls

#: Why a difference has neither test nor limits.
NO_LIMITS = "one of the two values has no interval, or how they go together is not known"

Sides = tuple[Side, Side]


def _most(task: ComparisonTask) -> float:
    """How far two values of the metric can lie apart."""
    least, most = metric_named(task.task.metric).bounds
    return most - least


# -- two values -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class OfLimits(ByStatistic):
    """A difference with its limits at the level of the report, within ``most`` of 0."""

    difference: float
    known: Interval
    most: float
    level: float
    df: None = None

    def limits(self, level: float) -> Limits:
        return records.Interval(level, *clipped(*self.known, -self.most, self.most), ADDED), None

    def statistic(self, null: float) -> float | None:
        apart = self.difference - null
        if apart == 0:
            return 0.0
        side = self.difference - self.known.low if apart > 0 else self.known.high - self.difference
        return apart * z_value(self.level) / side if side > 0 else None


def of_limits(
    sides: Sides, task: ComparisonTask, difference: float, together: float | None
) -> Contrast:
    """The difference by the limits of its values, of which each needs some.

    ``together``: correlation of the two; 0 where their rows are independent, None if not known.
    """
    both = zip(sides, (task.task, task.reference), strict=True)
    one, two = (_limits(side, own) for side, own in both)
    if one is None or two is None or together is None:
        return Unknown(NO_LIMITS)
    known = square_and_add(*one, *two, together)
    return OfLimits(difference, known, _most(task), sides[0].settings.level)


def _limits(side: Side, task: Task) -> tuple[float, Interval] | None:
    """One value and its limits, of which none lies on its other side.

    None where it has none, or where these are the value itself and show no variance.
    """
    computed = side.measurer.computed(replace(task, where=EVERYTHING))
    value, limits = computed.evaluated.outcome, computed.interval
    if limits is None or not isinstance(value, Value) or not has_width(limits):
        return None
    number = value.number
    return number, Interval(min(limits.low, number), max(limits.high, number))


# -- two tables -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OfTables(ByStatistic):
    """The difference of a metric of two tables, with the correlations of their shares."""

    values: tuple[added.OfCells, added.OfCells]
    cells: tuple[added.Cells, added.Cells]
    correlations: Sequence[float]
    most: float
    method: str
    df: None = None

    def statistic(self, null: float) -> float | None:
        return added.difference_statistic(self.values, self.cells, self.correlations, null)

    def limits(self, level: float) -> Limits:
        found = added.difference_of_tables(self.values, self.cells, self.correlations, level)
        if found is None:
            return None, "the difference is undefined"
        within = max(found.low, -self.most), min(found.high, self.most)
        return records.Interval(level, *within, self.method), None


def of_tables(pair: Pair, task: ComparisonTask) -> Contrast:
    """The difference of two models on the same rows by its shares."""
    joint, sides = pair.calls(task.task, task.reference), (pair.model, pair.reference)
    calls = counted(joint.actual_positive), counted(joint.actual_negative)
    cells = _cells(calls, first=True), _cells(calls, first=False)
    together = (1.0, *(correlation(*own) for own in calls))
    return OfTables(_values(sides, task), cells, together, _most(task), TWO_TABLES)


def of_two_tables(sides: Sides, task: ComparisonTask) -> Contrast:
    """The same of two datasets, whose shares are not correlated; not with indeterminate rows."""
    one, two = _own_cells(sides[0], task.task), _own_cells(sides[1], task.reference)
    if one is None or two is None:
        return Unknown(NO_LIMITS)
    return OfTables(_values(sides, task), (one, two), (0.0, 0.0, 0.0), _most(task), ADDED)


def _values(sides: Sides, task: ComparisonTask) -> tuple[added.OfCells, added.OfCells]:
    one, two = (
        partial(of_shares, side.metric(own), side.arguments(own))
        for side, own in zip(sides, (task.task, task.reference), strict=True)
    )
    return one, two


def _cells(calls: Sequence[PairedCalls], *, first: bool) -> added.Cells:
    """(TP, FN, FP, TN) of one of the two models, from the calls of both."""
    tp, fp = (own.both + (own.first_only if first else own.second_only) for own in calls)
    p, n = map(sum, calls)
    return tp, p - tp, fp, n - fp


def _own_cells(side: Side, task: Task) -> added.Cells | None:
    """(TP, FN, FP, TN) of one model on its own rows; None with indeterminate predictions."""
    table = side.tables.classification(EVERYTHING, side.threshold(task).number)
    if table.extra:
        return None
    own = table.matrix().one_versus_rest(side.class_index(task))
    return float(own.tp.value), float(own.fn.value), float(own.fp.value), float(own.tn.value)
