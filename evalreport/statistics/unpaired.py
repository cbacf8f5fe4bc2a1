"""Two proportions of different rows: x1 of n1 and x2 of n2, and more than two of them.

The difference is first minus second, the ratio first over second. An interval is None
when a side has no rows; limits of a difference lie within [-1, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evalreport.statistics.interval import Interval, clipped, square_and_add, symmetric, z_value
from evalreport.statistics.proportions import wilson, wilson_cc
from evalreport.statistics.root import bisect
from evalreport.statistics.tail import ChiSquare, ZTest

UnpairedMethod = Callable[[float, float, float, float, float], Interval | None]
ProportionMethod = Callable[[float, float, float], Interval | None]


def newcombe_hybrid(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """Square-and-add of two Wilson intervals (Newcombe 1998, method 10).

    >>> low, high = newcombe_hybrid(56, 70, 48, 80, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    return _hybrid(x1, n1, x2, n2, level, wilson)


def newcombe_hybrid_cc(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """Square-and-add of two continuity-corrected Wilson intervals (Newcombe 1998, method 11)."""
    return _hybrid(x1, n1, x2, n2, level, wilson_cc)


def _hybrid(
    x1: float, n1: float, x2: float, n2: float, level: float, method: ProportionMethod
) -> Interval | None:
    first, second = method(x1, n1, level), method(x2, n2, level)
    if first is None or second is None:
        return None
    return clipped(*square_and_add(x1 / n1, first, x2 / n2, second), -1.0, 1.0)


def wald(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """Normal interval of the difference."""
    return _wald(x1, n1, x2, n2, level, corrected=False)


def wald_cc(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """Normal interval of the difference, widened by (1 / n1 + 1 / n2) / 2."""
    return _wald(x1, n1, x2, n2, level, corrected=True)


def _wald(
    x1: float, n1: float, x2: float, n2: float, level: float, *, corrected: bool
) -> Interval | None:
    if n1 <= 0 or n2 <= 0:
        return None
    p1, p2 = x1 / n1, x2 / n2
    half = z_value(level) * math.sqrt(p1 * (1.0 - p1) / n1 + p2 * (1.0 - p2) / n2)
    if corrected:
        half += 0.5 / n1 + 0.5 / n2
    return symmetric(p1 - p2, half, -1.0, 1.0)


def agresti_caffo(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """Normal interval after adding a success and a failure to each side (2000)."""
    if n1 <= 0 or n2 <= 0:
        return None
    return wald(x1 + 1.0, n1 + 2.0, x2 + 1.0, n2 + 2.0, level)


def mee(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """Score interval of the difference (Mee 1984)."""
    return _score_interval(x1, n1, x2, n2, level, 1.0)


def miettinen_nurminen(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """Score interval with the variance multiplied by N / (N - 1) (1985)."""
    if n1 + n2 <= 1:
        return None
    return _score_interval(x1, n1, x2, n2, level, (n1 + n2) / (n1 + n2 - 1.0))


def _score_interval(
    x1: float, n1: float, x2: float, n2: float, level: float, inflation: float
) -> Interval | None:
    if n1 <= 0 or n2 <= 0:
        return None
    z = z_value(level)
    observed = x1 / n1 - x2 / n2

    def score(delta: float) -> float:
        return difference_score(x1, n1, x2, n2, delta, inflation)

    low = -1.0 if observed <= -1.0 else bisect(lambda d: score(d) - z, -1.0, observed)
    high = 1.0 if observed >= 1.0 else bisect(lambda d: score(d) + z, observed, 1.0)
    return Interval(low, high)


def difference_score(
    x1: float, n1: float, x2: float, n2: float, delta: float, inflation: float
) -> float:
    """Score statistic of the null hypothesis that the difference is ``delta``; n1, n2 above 0.

    ``inflation`` multiplies the variance: 1 (Mee), N / (N - 1) (Miettinen, Nurminen).
    """
    p2 = _restricted_proportion(x1, n1, x2, n2, delta)
    p1 = min(max(p2 + delta, 0.0), 1.0)
    variance = (p1 * (1.0 - p1) / n1 + p2 * (1.0 - p2) / n2) * inflation
    distance = x1 / n1 - x2 / n2 - delta
    if variance <= 0.0:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / math.sqrt(variance)


def _restricted_proportion(x1: float, n1: float, x2: float, n2: float, delta: float) -> float:
    """Maximum-likelihood second proportion when the first exceeds it by ``delta``.

    The log-likelihood is concave, so its slope is searched for a zero: the closed form
    (a cubic solved by an arc cosine) loses half the digits near the edges.
    """
    low, high = max(0.0, -delta), min(1.0, 1.0 - delta)

    def slope(p: float) -> float:
        return (
            _share(x1, p + delta)
            - _share(n1 - x1, 1.0 - p - delta)
            + _share(x2, p)
            - _share(n2 - x2, 1.0 - p)
        )

    if low >= high or slope(low) <= 0.0:
        return low
    return high if slope(high) >= 0.0 else bisect(slope, low, high)


def _share(count: float, probability: float) -> float:
    if count == 0:
        return 0.0
    return count / probability if probability > 0.0 else 1e300


def katz(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """Log interval of the ratio of two proportions (Katz 1978); None with 0 of n on a side."""
    if min(x1, n1, x2, n2) <= 0:
        return None
    ratio = (x1 / n1) / (x2 / n2)
    variance = (n1 - x1) / x1 / n1 + (n2 - x2) / x2 / n2
    return log_interval(ratio, variance, level)


def log_interval(ratio: float, log_variance: float, level: float) -> Interval:
    """Normal interval on the log scale, ``ratio`` times or over exp(z SE)."""
    factor = math.exp(z_value(level) * math.sqrt(log_variance))
    return Interval(ratio / factor, ratio * factor)


def two_proportion_z(x1: float, n1: float, x2: float, n2: float) -> ZTest | None:
    """Pooled z test of equal proportions; None when all rows, or none, are successes."""
    if n1 <= 0 or n2 <= 0:
        return None
    pooled = (x1 + x2) / (n1 + n2)
    variance = pooled * (1.0 - pooled) * (1.0 / n1 + 1.0 / n2)
    if variance <= 0.0:
        return None
    return ZTest.of((x1 / n1 - x2 / n2) / math.sqrt(variance))


def fisher_exact(x1: int, n1: int, x2: int, n2: int) -> float | None:
    """Two-sided exact p-value: all tables with the same margins, no likelier than this one."""
    if n1 <= 0 or n2 <= 0:
        return None
    weight, place = _same_margins(x1, n1, x2, n2)
    # tables as likely as the observed one differ from it by rounding only
    as_extreme = weight <= weight[place] * (1.0 + 1e-7)
    return min(1.0, float(np.sum(weight[as_extreme]) / np.sum(weight)))


def fisher_tails(x1: int, n1: int, x2: int, n2: int) -> tuple[float, float]:
    """P(the first count is as large) and P(it is as small) given the margins; n1, n2 above 0.

    >>> greater, less = fisher_tails(3, 4, 1, 4)   # Fisher's tea
    >>> round(greater, 4), round(less, 4)
    (0.2429, 0.9857)
    """
    weight, place = _same_margins(x1, n1, x2, n2)
    total = float(np.sum(weight))
    greater, less = float(np.sum(weight[place:])), float(np.sum(weight[: place + 1]))
    return min(1.0, greater / total), min(1.0, less / total)


#: Tables with the same margins that are all weighed; of more, those that can weigh anything.
MOST_WEIGHED = 100_000
#: exp(-LIGHTEST) is 0 as a double.
LIGHTEST = 746.0


def _same_margins(x1: int, n1: int, x2: int, n2: int) -> tuple[NDArray[np.float64], int]:
    """Weights of the tables with the same margins by their first count, and the place of x1.

    Of many tables only those near the mean are weighed, about as many as the root of the rows
    times 40; the weight of the others is 0. Hoeffding W., Probability inequalities for sums of
    bounded random variables, 1963, section 6: P(|X - mean| >= d) <= 2 exp(-2 d^2 / m), where m is
    any of the margins, and the likeliest table has at least 1 / (m + 1).
    """
    successes = x1 + x2
    least, most = max(0, successes - n2), min(successes, n1)
    first, last = least, most
    if most - least > MOST_WEIGHED:
        total = n1 + n2
        margin = min(n1, n2, successes, total - successes)
        far = math.sqrt(margin * (LIGHTEST + math.log(2.0 * (margin + 1))) / 2.0)
        mean = n1 * successes / total
        first, last = max(least, math.floor(mean - far)), min(most, math.ceil(mean + far))
    k = np.arange(first, last, dtype=np.float64)
    steps = np.log((n1 - k) * (successes - k)) - np.log((k + 1.0) * (n2 - successes + k + 1.0))
    log_weight = np.concatenate([[0.0], np.cumsum(steps)])
    weight = np.exp(log_weight - log_weight.max())
    if first <= x1 <= last:
        return weight, x1 - first
    # One table beyond those that are weighed stands for all on its side.
    before = x1 < first
    return np.concatenate([[0.0] * before, weight, [0.0] * (not before)]), (
        0 if before else len(weight)
    )


def heterogeneity(x: Sequence[float], n: Sequence[float]) -> ChiSquare | None:
    """Pearson's chi-square over groups with rows, that they share one proportion.

    None with fewer than two such groups, or when all rows, or none, are successes.
    """
    groups = [(a, b) for a, b in zip(x, n, strict=True) if b > 0]
    total = math.fsum(b for _, b in groups)
    if len(groups) < 2:
        return None
    pooled = math.fsum(a for a, _ in groups) / total
    if pooled in (0.0, 1.0):
        return None
    spread = pooled * (1.0 - pooled)
    statistic = math.fsum((a - b * pooled) ** 2 / (b * spread) for a, b in groups)
    return ChiSquare.of(statistic, len(groups) - 1)


UNPAIRED_METHODS: dict[str, UnpairedMethod] = {
    "newcombe_hybrid": newcombe_hybrid,
    "newcombe_hybrid_cc": newcombe_hybrid_cc,
    "wald": wald,
    "wald_cc": wald_cc,
    "agresti_caffo": agresti_caffo,
    "mee": mee,
    "miettinen_nurminen": miettinen_nurminen,
}
