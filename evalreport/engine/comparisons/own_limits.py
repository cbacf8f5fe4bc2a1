"""Differences of two values by the limits that each of them has by itself, squared and added.

For values of ranked scores whose replicates lie to one side of the truth: drawn differences would
do so too, the limits of the values do not (Zou G., Donner A. Stat Med 27, 2008). And for few
weighted rows, or clusters: drawn, they vary too little, which the limits of values make up for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from evalreport.engine.comparisons.pairs import Side, metric_of
from evalreport.engine.comparisons.result import Replicates, Test
from evalreport.engine.intervals.studied import design_of, drawn_as, was_studied
from evalreport.engine.measures import Measurer
from evalreport.metrics.comparing import BOOTSTRAP, CLUSTERS, PERCENTILE
from evalreport.metrics.declare import Interval
from evalreport.metrics.interval_methods import CLUSTERS as CLUSTERS_ENOUGH
from evalreport.plan.comparisons import ASKED, ComparisonTask
from evalreport.plan.task import Task
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.statistics import hypotheses
from evalreport.statistics.interval import z_value
from evalreport.statistics.tail import normal_two_sided

NAME = "square_and_add"
WHY = "drawn differences lie to one side: limits of both values"
WHY_FEW = f"fewer than {CLUSTERS_ENOUGH} clusters, or weighted rows of a class: both limits"
#: Families whose values have limits with weights and in clusters without drawing rows; those of
#: losses are far too wide to be added.
_ANALYTIC = (
    *(Interval.PROPORTION, Interval.TWO_RATES, Interval.SMOOTH, Interval.KAPPA),
    *(Interval.CORRELATION, Interval.AUC),
)
DRAWN = (BOOTSTRAP, PERCENTILE, CLUSTERS)


@dataclass(frozen=True)
class OfLimits:
    """A difference with how far its limits lie below and above it, at a level."""

    difference: float
    down: float
    up: float
    most: float
    level: float
    why: str = WHY

    def interval(self) -> records.Interval:
        """Limits of the difference, within what two values of the metric can differ by."""
        low = max(self.difference - self.down, -self.most)
        high = min(self.difference + self.up, self.most)
        return records.Interval(self.level, low, high, NAME, why=self.why)

    def test(self) -> Test:
        """The normal test of no difference that agrees with the limits."""
        z = self._statistic(0.0)
        return Test(z, normal_two_sided(z), name=NAME)

    def tails(self, null: float) -> hypotheses.Tails:
        """One-sided tails of the same where the difference is ``null``."""
        return hypotheses.of_normal(self._statistic(null))

    def _statistic(self, null: float) -> float:
        apart = self.difference - null
        side = self.down if apart > 0 else self.up
        return apart * z_value(self.level) / side if side > 0 else math.copysign(math.inf, apart)


def of_limits(
    sides: tuple[Side, Side],
    task: ComparisonTask,
    difference: float,
    replicates: Replicates | str | None,
) -> OfLimits | None:
    """The difference by the limits of its values; None where the planned method stays.

    ``replicates``: of the same rows, whose correlation the values have; None where the rows of
    the two are independent.
    """
    if not may(sides, task):
        return None
    correlation = 0.0
    if replicates is not None:
        if isinstance(replicates, str) or not replicates.vary:
            return None
        correlation = replicates.correlation
    one, two = (
        _limits(side, own) for side, own in zip(sides, (task.task, task.reference), strict=True)
    )
    if one is None or two is None:
        return None
    (below, above), (low, high) = one, two
    least, most = metric_of(task.task).bounds
    return OfLimits(
        difference,
        _together(below, high, correlation),
        _together(above, low, correlation),
        most - least,
        sides[0].settings.level,
        WHY if _ranked(task) else WHY_FEW,
    )


def may(sides: tuple[Side, Side], task: ComparisonTask) -> bool:
    """Whether the values are of ranked scores or rows are few, and no method was asked for."""
    fits = _ranked(task) or _few_units(sides, task)
    planned = task.test in DRAWN and task.interval in DRAWN
    asked = ASKED in (task.why, task.task.why, task.reference.why)
    sampled = any(side.view.sample is not None for side in sides)
    unreasoned = task.test_reason is None and task.interval_reason is None
    return fits and planned and unreasoned and not asked and not sampled


def _ranked(task: ComparisonTask) -> bool:
    ranked = metric_of(task.task).interval in (Interval.DISTANCE, Interval.RANKED)
    return ranked and task.task.average is None


def _few_units(sides: tuple[Side, Side], task: ComparisonTask) -> bool:
    """Whether the values are of the same few weighted rows, or clusters, of two classes."""
    view = sides[0].view
    known = metric_of(task.task).interval in _ANALYTIC and was_studied(view, task.task)
    if not known or not task.paired or not design_of(view):
        return False
    rows = np.arange(len(view.actual))
    drawn = drawn_as(view, rows, sides[0].class_index(task.task))
    least = drawn.clusters if view.cluster is not None else min(drawn.positives, drawn.negatives)
    return least < CLUSTERS_ENOUGH


def _limits(side: Side, task: Task) -> tuple[float, float] | None:
    """How far down and up the limits of one value lie from it; None where it has none."""
    measurer = Measurer(side.view, side.tables, side.settings, side.thresholds)
    computed = measurer.compute(replace(task, where=EVERYTHING))
    value = computed.evaluated.outcome
    if computed.interval is None:
        return None
    number = float(value.number)  # type: ignore[union-attr]  # an interval is of a number
    return max(number - computed.interval.low, 0.0), max(computed.interval.high - number, 0.0)


def _together(one: float, two: float, correlation: float) -> float:
    return math.sqrt(max(one * one - 2.0 * correlation * one * two + two * two, 0.0))
