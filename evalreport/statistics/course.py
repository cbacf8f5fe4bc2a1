"""A course of one measure, over the periods of a file or over runs: its charts, its change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evalreport.statistics.change import (
    ChangePoint,
    Charted,
    Period,
    change_of_shares,
    change_of_values,
    cusum,
    ewma,
    of_shares,
    self_starting,
    self_starting_shares,
)
from evalreport.statistics.interval import z_value
from evalreport.statistics.separate_samples import Estimate

#: Fewer steps than this say nothing of a change.
FEWEST = 5


@dataclass(frozen=True)
class ChartedCourse:
    """What is told of a course: standardised values, both charts, the point of change.

    ``values``, ``averages`` and ``sums`` have one entry a step, None for the first; ``before``
    and ``after`` are the values on the two sides of the point.
    """

    values: tuple[float | None, ...]
    averages: tuple[Charted | None, ...]
    sums: tuple[Charted | None, ...]
    point: ChangePoint | None
    before: float | None
    after: float | None

    @property
    def alarm(self) -> int | None:
        """The first step beyond the limit of the cumulative sum."""
        signals = (k for k, one in enumerate(self.sums) if one is not None and one.signal)
        return next(signals, None)


def charted_course(estimates: Sequence[Estimate]) -> ChartedCourse | None:
    """The charts and the change of a course, oldest first.

    Shares of rows are charted by their counts, other values by the standard errors that their
    intervals show. None for fewer than FEWEST steps, or values without intervals.
    """
    found = _standardised(estimates)
    if found is None:
        return None
    periods, values = found
    point = _point(estimates, periods)
    before = after = None
    if point is not None:
        before = _mean(estimates[: point.index], periods[: point.index])
        after = _mean(estimates[point.index :], periods[point.index :])
    return ChartedCourse(values, ewma(values), cusum(values), point, before, after)


def first_alarm(estimates: Sequence[Estimate]) -> tuple[int, int] | None:
    """The first step beyond the limit of a chart that carries the past along, and the change.

    Of the moving average or the cumulative sum. The change is the most likely first step after
    one, as far as was known at the alarm. None without an alarm, or where nothing is charted.

    >>> months = [Estimate(x / 50, fraction=(x, 50)) for x in (40, 41, 39, 42, 38, 34, 31, 32)]
    >>> first_alarm(months[:6]), first_alarm(months)
    (None, (7, 5))
    """
    found = _standardised(estimates)
    if found is None:
        return None
    periods, values = found
    both = zip(ewma(values), cusum(values), strict=True)
    alarms = (k for k, own in enumerate(both) if any(one and one.signal for one in own))
    alarm = next(alarms, None)
    if alarm is None:
        return None
    point = _point(estimates[: alarm + 1], periods[: alarm + 1])
    return alarm, alarm if point is None else point.index


def _standardised(
    estimates: Sequence[Estimate],
) -> tuple[tuple[Period, ...], tuple[float | None, ...]] | None:
    """The steps of a course and their standardised values; None where none are charted."""
    if len(estimates) < FEWEST:
        return None
    shares = _shares(estimates)
    if shares is not None:
        return of_shares(shares), self_starting_shares(shares)
    periods = _normal(estimates)
    return None if periods is None else (periods, self_starting(periods))


def _point(estimates: Sequence[Estimate], periods: Sequence[Period]) -> ChangePoint | None:
    """The point of change of some steps; None for fewer than two."""
    shares = _shares(estimates)
    if shares is not None:
        return change_of_shares(shares)
    return change_of_values(periods)


def _shares(estimates: Sequence[Estimate]) -> list[tuple[int, int]] | None:
    """The counts of shares of rows; None where a value is none."""
    found = [one.fraction for one in estimates if one.fraction is not None]
    return found if len(found) == len(estimates) else None


def _normal(estimates: Sequence[Estimate]) -> tuple[Period, ...] | None:
    found = []
    for one in estimates:
        if one.low is None or one.high is None or one.level is None or one.high <= one.low:
            return None
        error = (one.high - one.low) / (2.0 * z_value(one.level))
        found.append(Period(one.value, error**2))
    return tuple(found)


def _mean(estimates: Sequence[Estimate], periods: Sequence[Period]) -> float | None:
    """The value over some steps: of all their rows for shares, else weighted by precision."""
    shares = _shares(estimates)
    if shares is not None:
        bottom = sum(n for _, n in shares)
        return sum(x for x, _ in shares) / bottom if bottom else None
    weights = [1.0 / one.variance for one in periods]
    total = math.fsum(w * one.value for w, one in zip(weights, periods, strict=True))
    return total / math.fsum(weights)
