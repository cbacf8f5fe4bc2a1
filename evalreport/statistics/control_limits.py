"""Control limits: where the next value lies if nothing has changed since the earlier ones.

Each run or period is held against those before it, and only from ``MINIMUM`` of them on. From the
first alarm on, limits stay those of the runs before it: runs of a process that has changed would
widen them and draw them along. An alarm is a run outside its limits, or one at which the moving
average or the cumulative sum passes its own (:mod:`evalreport.statistics.course`): these see a
change late, and limits are then those of the runs before it. Shares of rows: p chart, limits of
three standard errors for the rows of this one (Shewhart 1931). Other values: individuals chart,
limits of three times the mean moving range over 1.128.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from evalreport.statistics.course import first_alarm
from evalreport.statistics.separate_samples import Estimate

#: Earlier values that are needed before limits are given.
MINIMUM = 5
SIGMAS = 3.0
#: Expected range of two values of a normal distribution, in standard deviations (d2 for n = 2).
RANGE_OF_TWO = 2.0 / math.sqrt(math.pi)


def rule(of: str = "run", own_data: str = ", one for each data file") -> str:
    """The rule in words; ``of`` is what follows in time, a run or a period.

    >>> rule("month", "")[:50]
    'Each month is compared with the months before it, '
    """
    return (
        f"Each {of} is compared with the {of}s before it{own_data}, from {MINIMUM} of them on. "
        f"Shares of rows: pooled share of the earlier {of}s plus and minus three standard errors "
        f"for the rows of this {of} (p chart). Other values: mean of the earlier {of}s plus and "
        "minus three times their mean moving range over 1.128 (individuals chart). From the first "
        f"{of} outside on, limits stay those of the {of}s before it; from the first at which the "
        "moving average (EWMA) or the cumulative sum (CUSUM) passes its limit, those of the "
        f"{of}s before the most likely change, {MINIMUM} at least."
    )


@dataclass(frozen=True)
class Limits:
    """Centre and control limits; ``reason`` says why there are none."""

    centre: float | None = None
    low: float | None = None
    high: float | None = None
    chart: str | None = None
    reason: str | None = None

    def signals(self, value: float) -> bool:
        """Whether a value lies outside the limits."""
        if self.low is None or self.high is None:
            return False
        return not self.low <= value <= self.high


def _too_few(count: int) -> Limits:
    return Limits(reason=f"{count} earlier values, {MINIMUM} are needed")


def _of_shares(rows: int, top: int, bottom: int) -> Limits:
    """The p chart for a share of so many rows, by the shares before it, added up."""
    pooled = top / bottom
    if pooled in (0.0, 1.0):
        return Limits(reason="the earlier rows are all equal: limits would have no width")
    half = SIGMAS * math.sqrt(pooled * (1.0 - pooled) / rows)
    return Limits(pooled, max(pooled - half, 0.0), min(pooled + half, 1.0), "p")


def _of_values(count: int, total: float, ranges: float, within: tuple[float, float]) -> Limits:
    """The individuals chart by the sum of the values before, and of their moving ranges."""
    spread = ranges / (count - 1) / RANGE_OF_TWO
    if spread == 0.0:
        return Limits(reason="the earlier values are all equal: limits would have no width")
    centre = total / count
    low, high = centre - SIGMAS * spread, centre + SIGMAS * spread
    return Limits(centre, max(low, within[0]), min(high, within[1]), "individuals")


class EarlierValues:
    """The values of a course so far, one for each data file, and the limits that they give.

    Limits are kept ``within`` what a value can be. Sums are carried along, exactly, so that the
    time for a course does not grow with the square of its length.

    >>> before = EarlierValues()
    >>> for place, value in enumerate((1.0, 2.0, 1.0, 2.0, 1.0)):
    ...     before.add(Estimate(value), f"file {place}")
    >>> found = before.limits(Estimate(1.5), "now")
    >>> found.centre, round(found.high, 3), found.signals(4.5)
    (1.4, 4.059, True)
    """

    def __init__(self, within: tuple[float, float] = (-math.inf, math.inf)) -> None:
        self._within = within
        self._by_file: dict[str, Estimate] = {}
        self._top = self._bottom = self._shares = 0
        self._total, self._ranges = Fraction(), Fraction()
        self._last = 0.0

    def add(self, estimate: Estimate, file: str) -> None:
        """The next value, unless its file was there before: the same rows say nothing new."""
        if file in self._by_file:
            return
        if self._by_file:
            self._ranges += Fraction(abs(estimate.value - self._last))
        self._total += Fraction(estimate.value)
        if estimate.fraction is not None:
            self._shares += 1
            self._top += estimate.fraction[0]
            self._bottom += estimate.fraction[1]
        self._last = estimate.value
        self._by_file[file] = estimate

    def limits(self, now: Estimate, file: str) -> Limits:
        """The limits for a value that was made of a file, from the values of others before it."""
        if file in self._by_file:
            others = EarlierValues(self._within)
            for name, estimate in self._by_file.items():
                if name != file:
                    others.add(estimate, name)
            return others.limits(now, file)
        count = len(self._by_file)
        if count < MINIMUM:
            return _too_few(count)
        if now.fraction is not None and self._shares == count:
            return _of_shares(now.fraction[1], self._top, self._bottom)
        return _of_values(count, float(self._total), float(self._ranges), self._within)


def limits_of_course(
    course: Sequence[tuple[Estimate, str]], within: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[Limits, ...]:
    """The limits of each value of a course, oldest first, each with the name of its data file.

    From the first alarm on they stay as they were before it, or before the change.
    """
    steps: dict[str, Estimate] = {}
    for estimate, file in course:
        steps.setdefault(file, estimate)
    alarm = first_alarm(list(steps.values()))
    files = list(steps)
    held = None if alarm is None else max(alarm[0], MINIMUM)
    stops = None if held is None or held >= len(files) else files[held]
    earlier, frozen, found = EarlierValues(within), False, []
    for estimate, file in course:
        if alarm is not None and file == stops and not frozen:
            frozen, earlier = True, EarlierValues(within)
            for one in files[: max(alarm[1], MINIMUM)]:
                earlier.add(steps[one], one)
        limits = earlier.limits(estimate, file)
        found.append(limits)
        frozen = frozen or limits.signals(estimate.value)
        if not frozen:
            earlier.add(estimate, file)
    return tuple(found)
