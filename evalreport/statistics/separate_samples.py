"""The same number of two separate samples: now minus then.

Nothing but the two values, counts and limits is needed, so that samples taken months
apart can be compared without their data.
"""

from __future__ import annotations

import math
from fractions import Fraction

from evalreport.statistics.interval import Interval
from evalreport.statistics.unpaired import newcombe_hybrid, two_proportion_z
from evalreport.values import dataclass


@dataclass(frozen=True)
class Estimate:
    """A recorded value: its limits at ``level``, and its counts where rows are independent."""

    value: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    fraction: tuple[int, int] | None = None


@dataclass(frozen=True)
class Shift:
    """Now minus then; ``reason`` says why there is no interval."""

    difference: float
    interval: Interval | None = None
    level: float | None = None
    method: str | None = None
    test: str | None = None
    statistic: float | None = None
    p_value: float | None = None
    reason: str | None = None

    @property
    def beyond_chance(self) -> bool | None:
        """Whether the interval leaves out 0; None without an interval."""
        if self.interval is None:
            return None
        return not self.interval.low <= 0.0 <= self.interval.high


def shift(now: Estimate, then: Estimate) -> Shift:
    """Now minus then of independent samples, with its interval where one can be had.

    Two proportions: Newcombe 1998, method 10, with the pooled z test. Other values:
    square-and-add of their own intervals (Zou and Donner 2008, MOVER), which need
    not be symmetric.

    >>> found = shift(Estimate(0.8, 0.7, 0.9, 0.95), Estimate(0.6, 0.5, 0.7, 0.95))
    >>> [round(limit, 4) for limit in found.interval], found.beyond_chance
    ([0.0586, 0.3414], True)
    """
    difference = _difference(now, then)
    if now.level is None or then.level is None:
        which = "both" if now.level is then.level else "one"
        return Shift(difference, reason=f"no interval of {which} to go by")
    if now.level != then.level:
        return Shift(difference, reason=f"levels differ: {now.level:g} and {then.level:g}")
    if now.fraction is not None and then.fraction is not None:
        return _of_proportions(difference, now.fraction, then.fraction, now.level)
    interval = square_and_add(now, then)
    if interval is None:
        return Shift(difference, reason="a limit is missing")
    return Shift(difference, interval, now.level, "square_and_add")


def square_and_add(now: Estimate, then: Estimate) -> Interval | None:
    """Limits of a difference from the limits of both values; None where one is missing."""
    if now.low is None or now.high is None or then.low is None or then.high is None:
        return None
    difference = now.value - then.value
    down = math.hypot(now.value - now.low, then.high - then.value)
    up = math.hypot(now.high - now.value, then.value - then.low)
    return Interval(difference - down, difference + up)


def _difference(now: Estimate, then: Estimate) -> float:
    if now.fraction is not None and then.fraction is not None:
        return float(Fraction(*now.fraction) - Fraction(*then.fraction))
    return now.value - then.value


def _of_proportions(
    difference: float, now: tuple[int, int], then: tuple[int, int], level: float
) -> Shift:
    interval = newcombe_hybrid(*now, *then, level)
    test = two_proportion_z(*now, *then)
    if test is None:
        # all rows, or none, succeed on both sides: the values are equal
        return Shift(difference, interval, level, "newcombe_hybrid", "two_proportion_z", None, 1.0)
    return Shift(
        difference,
        interval,
        level,
        "newcombe_hybrid",
        "two_proportion_z",
        test.statistic,
        test.p_value,
    )
