"""When a course over time changed: charts that add up small shifts, and the point of change.

A Shewhart chart holds each period against its limits alone, so that a small lasting fall is
seen late, and looking at every period makes a false alarm likely in the long run. The charts
here carry the past along, and their limits follow from the number of periods that pass on
average between two false alarms (the in-control run length).

All of them take standardised values, one a period: independent and of variance one as long as
nothing changes. ``self_starting`` makes them from periods of any size with no value known
beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

#: Periods that pass on average between two false alarms of a chart: that of three sigmas.
RUN_LENGTH = 370.0
#: Weight of the newest period in the moving average; small shifts are what it is for.
WEIGHT = 0.2
#: Half the shift, in standard errors of one period, that the cumulative sum is tuned to: one that
#: a few periods show. Larger values see small shifts late and, of shares near 1, raise more
#: false alarms (docs/looks.md).
ALLOWANCE = 0.75
#: The limits of both charts that give that run length, by the Markov chain of Brook and Evans
#: (1972) with 101 states: a test solves for them.
EWMA_FACTOR = 2.8595132641494274
CUSUM_LIMIT = 3.33911926113069
#: Level of the interval of the point of change.
LEVEL = 0.95


class Period(NamedTuple):
    """One period of a course: its value and the variance of its estimate."""

    value: float
    variance: float


def of_shares(counts: Sequence[tuple[float, float]]) -> tuple[Period, ...]:
    """Periods of a share, from (x, n) of each; the variance is that of the share of all.

    A pooled variance keeps periods without a single miss from counting as certain.
    """
    x, n = math.fsum(top for top, _ in counts), math.fsum(bottom for _, bottom in counts)
    pooled = (x + 0.5) / (n + 1.0)
    return tuple(Period(top / bottom, pooled * (1.0 - pooled) / bottom) for top, bottom in counts)


def self_starting(periods: Sequence[Period]) -> tuple[float | None, ...]:
    """Each period against all before it, standardised; None for the first.

    z_t = (v_t - mean of the earlier ones) / sqrt(variance of both), the mean weighted by
    1 / variance: recursive residuals (Brown, Durbin, Evans 1975; self-starting charts, Hawkins
    1987), which are independent of each other although the mean is not known beforehand.

    >>> self_starting([Period(0.5, 1.0), Period(1.5, 1.0)])
    (None, 0.7071067811865475)
    """
    found: list[float | None] = []
    weight = total = 0.0
    for one in periods:
        if weight == 0.0:
            found.append(None)
        else:
            distance = one.value - total / weight
            found.append(distance / math.sqrt(one.variance + 1.0 / weight))
        weight += 1.0 / one.variance
        total += one.value / one.variance
    return tuple(found)


def self_starting_shares(counts: Sequence[tuple[float, float]]) -> tuple[float | None, ...]:
    """Each share (x, n) against that of all periods before, standardised; None for the first.

    As ``self_starting``, with the variance of a row from the rows up to this period: what was
    charted does not change when later periods come in, and a fall does not hide in the spread
    that it makes itself.

    >>> self_starting_shares([(50, 100), (50, 100)])
    (None, 0.0)
    """
    found: list[float | None] = []
    top = bottom = 0.0
    for x, n in counts:
        if bottom == 0.0:
            found.append(None)
        else:
            p = (top + x + 0.5) / (bottom + n + 1.0)
            spread = p * (1.0 - p) * (1.0 / n + 1.0 / bottom)
            found.append((x / n - top / bottom) / math.sqrt(spread))
        top, bottom = top + x, bottom + n
    return tuple(found)


class Charted(NamedTuple):
    """A chart at one period: its statistic, its limit, and whether that is crossed."""

    statistic: float
    limit: float
    signal: bool


def ewma(values: Sequence[float | None]) -> tuple[Charted | None, ...]:
    """Exponentially weighted moving average of standardised values (Roberts 1959).

    s_t = w z_t + (1 - w) s_(t-1), limits of L sqrt(w / (2 - w) (1 - (1 - w)^(2 t))) both ways, L
    for the in-control run length (Lucas, Saccucci 1990). Goes on after a signal; None where there
    is no value.
    """
    found: list[Charted | None] = []
    average, steps = 0.0, 0
    for value in values:
        if value is None:
            found.append(None)
            continue
        steps += 1
        average = WEIGHT * value + (1.0 - WEIGHT) * average
        spread = WEIGHT / (2.0 - WEIGHT) * (1.0 - (1.0 - WEIGHT) ** (2 * steps))
        limit = EWMA_FACTOR * math.sqrt(spread)
        found.append(Charted(average, limit, abs(average) > limit))
    return tuple(found)


def cusum(values: Sequence[float | None]) -> tuple[Charted | None, ...]:
    """Cumulative sums of standardised values, upwards and downwards (Page 1954).

    The statistic is that of the larger of the two sums, negative where it is the downward one.
    The limit is that for which both together have the in-control run length.
    """
    found: list[Charted | None] = []
    up = down = 0.0
    for value in values:
        if value is None:
            found.append(None)
            continue
        up = max(0.0, up + value - ALLOWANCE)
        down = max(0.0, down - value - ALLOWANCE)
        statistic = up if up >= down else -down
        found.append(Charted(statistic, CUSUM_LIMIT, max(up, down) > CUSUM_LIMIT))
    return tuple(found)


@dataclass(frozen=True)
class ChangePoint:
    """The first period after the change, the periods it may have been, and how likely a change is.

    ``low`` and ``high`` are indexes as ``index`` is, 0 for the first period. ``probability`` is
    that of a change at all, one half beforehand.
    """

    index: int
    low: int
    high: int
    probability: float


def change_of_shares(counts: Sequence[tuple[float, float]]) -> ChangePoint | None:
    """Where the share of (x, n) in each period changed once, if it did.

    Every point of change is equally likely beforehand, the shares before and after it each
    follow Jeffreys' distribution; their likelihood given the counts is known exactly (Smith
    1975). The interval holds the most likely points up to ``LEVEL``. None for fewer than two
    periods.

    >>> change_of_shares([(45, 50), (46, 50), (44, 50), (30, 50), (31, 50)]).index
    3
    """
    x = np.cumsum([top for top, _ in counts])
    n = np.cumsum([bottom for _, bottom in counts])
    if len(counts) < 2:
        return None

    def log_share(top: Array, bottom: Array) -> Array:
        from scipy.special import betaln

        return np.asarray(betaln(top + 0.5, bottom - top + 0.5) - betaln(0.5, 0.5))

    changed = log_share(x[:-1], n[:-1]) + log_share(x[-1] - x[:-1], n[-1] - n[:-1])
    return _most_likely(changed, float(log_share(x[-1:], n[-1:])[0]))


def change_of_values(periods: Sequence[Period]) -> ChangePoint | None:
    """Where the mean of normal estimates of known variance changed once, if it did.

    As ``change_of_shares``; each mean has beforehand the variance of four single periods around
    the mean of all (a unit-information distribution is too narrow for few periods). None for
    fewer than two periods.
    """
    if len(periods) < 2:
        return None
    values = np.array([one.value for one in periods])
    weights = 1.0 / np.array([one.variance for one in periods])
    centre = float((values * weights).sum() / weights.sum())
    prior = 4.0 / float(np.mean(weights))
    residual = values - centre
    w, wr = np.cumsum(weights), np.cumsum(weights * residual)

    def log_mean(weight: Array, sum_of: Array) -> Array:
        spread = 1.0 + prior * weight
        return np.asarray(-0.5 * np.log(spread) + 0.5 * prior * sum_of**2 / spread)

    changed = log_mean(w[:-1], wr[:-1]) + log_mean(w[-1] - w[:-1], wr[-1] - wr[:-1])
    return _most_likely(changed, float(log_mean(w[-1:], wr[-1:])[0]))


def _most_likely(changed: Array, same: float) -> ChangePoint:
    top = float(changed.max())
    chances = np.exp(changed - top)
    evidence = top + math.log(float(chances.mean())) - same
    chances = chances / chances.sum()
    order = np.argsort(-chances, kind="stable")
    held = order[: int(np.searchsorted(np.cumsum(chances[order]), LEVEL)) + 1]
    # after the change begins the period that follows the one it is counted from
    probability = 1.0 / (1.0 + math.exp(-min(max(evidence, -700.0), 700.0)))
    return ChangePoint(int(order[0]) + 1, int(held.min()) + 1, int(held.max()) + 1, probability)
