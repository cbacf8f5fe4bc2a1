"""The same number of two separate samples: now minus then.

Nothing but the two values, counts and limits is needed, so that samples taken months
apart can be compared without their data.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from evalreport.statistics.interval import Interval, square_and_add
from evalreport.statistics.unpaired import newcombe_hybrid, two_proportion_z


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
    if now.low is None or now.high is None or then.low is None or then.high is None:
        return Shift(difference, reason="a limit is missing")
    own, other = Interval(now.low, now.high), Interval(then.low, then.high)
    interval = square_and_add(now.value, own, then.value, other)
    return Shift(difference, interval, now.level, "square_and_add")


def _difference(now: Estimate, then: Estimate) -> float:
    if now.fraction is not None and then.fraction is not None:
        return float(Fraction(*now.fraction) - Fraction(*then.fraction))
    return now.value - then.value


def _of_proportions(
    difference: float, now: tuple[int, int], then: tuple[int, int], level: float
) -> Shift:
    interval = newcombe_hybrid(*now, *then, level)
    test = two_proportion_z(*now, *then)
    # where all rows, or none, succeed on both sides the values are equal
    statistic, p_value = (None, 1.0) if test is None else test
    names = "newcombe_hybrid", "two_proportion_z"
    return Shift(difference, interval, level, *names, statistic, p_value)
