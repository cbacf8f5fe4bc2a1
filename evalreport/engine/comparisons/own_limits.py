"""Differences of two values by the limits that each of them has by itself, squared and added.

For values of ranked scores, and for values of weighted rows and clusters (Zou G., Donner A. Stat
Med 27, 2008). How far two values of the same rows go together follows from what each row, or
cluster, contributes to both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from evalreport.engine.comparisons.pairs import Side, metric_of
from evalreport.engine.comparisons.result import Test
from evalreport.engine.measures import Measurer
from evalreport.metrics.comparing import ADDED
from evalreport.metrics.formula import Value
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import Task
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.statistics import hypotheses
from evalreport.statistics.interval import Interval, clipped, square_and_add, z_value
from evalreport.statistics.tail import normal_two_sided

#: Why a difference has neither test nor limits.
NO_LIMITS = "one of the two values has no interval, or how they go together is not known"


@dataclass(frozen=True)
class OfLimits:
    """A difference with its limits at a level; ``most``: how far two values can lie apart."""

    difference: float
    limits: Interval
    most: float
    level: float

    def interval(self) -> records.Interval:
        """Limits of the difference, within what two values of the metric can differ by."""
        return records.Interval(self.level, *clipped(*self.limits, -self.most, self.most), ADDED)

    def test(self) -> Test:
        """The normal test of no difference that agrees with the limits."""
        z = self._statistic(0.0)
        return Test(z, normal_two_sided(z), name=ADDED)

    def tails(self, null: float) -> hypotheses.Tails:
        """One-sided tails of the same where the difference is ``null``."""
        return hypotheses.of_normal(self._statistic(null))

    def _statistic(self, null: float) -> float:
        apart = self.difference - null
        low, high = self.limits
        side = self.difference - low if apart > 0 else high - self.difference
        return apart * z_value(self.level) / side if side > 0 else math.copysign(math.inf, apart)


def of_limits(
    sides: tuple[Side, Side], task: ComparisonTask, difference: float, correlation: float | None
) -> OfLimits | None:
    """The difference by the limits of its values; None where one of them has none.

    ``correlation``: of the two values; 0 where their rows are independent, None where not known.
    """
    one, two = (
        _limits(side, own) for side, own in zip(sides, (task.task, task.reference), strict=True)
    )
    if one is None or two is None or correlation is None:
        return None
    least, most = metric_of(task.task).bounds
    limits = square_and_add(*one, *two, correlation)
    return OfLimits(difference, limits, most - least, sides[0].settings.level)


def _limits(side: Side, task: Task) -> tuple[float, Interval] | None:
    """One value and its limits, of which none lies on its other side; None where it has none."""
    measurer = Measurer(side.view, side.tables, side.settings, side.thresholds)
    task = replace(task, where=EVERYTHING)
    computed = side.tables.once(("computed", task), lambda: measurer.compute(task))
    value, limits = computed.evaluated.outcome, computed.interval
    if limits is None or not isinstance(value, Value):
        return None
    number = value.number
    return number, Interval(min(limits.low, number), max(limits.high, number))
