"""Confidence sequences: limits that hold at every look at once, however many there are.

A 95 % interval looked at every week is wrong sooner or later nearly always. A confidence
sequence of level 95 % contains the truth at all times together with that chance, so it may be
looked at as often as one likes, and a decision may be taken at any of the looks.
"""

from __future__ import annotations

import math

from evalreport.statistics.interval import Interval, check_level, clipped
from evalreport.statistics.root import bisect

#: Rows at which the limits are narrowest for their number.
BEST_AT = 500.0


def share_sequence(
    x: float,
    n: float,
    level: float,
    expected: float | None = None,
) -> Interval | None:
    """Limits of one share from ``x`` of the first ``n`` rows, valid at all n together.

    The beta-binomial mixture of Robbins (1970; Howard, Ramdas, McAuliffe, Sekhon 2021): all p
    whose likelihood is more than 1 - level times that of the mixture over Beta(a, b), which is
    a non-negative martingale under p, so that Ville's inequality bounds the chance that it
    ever reaches 1 / (1 - level). It depends on the counts alone and is exact for independent
    rows. Where a value is ``expected`` beforehand, such as the one that a criterion requires,
    the mixture lies around it and the limits are narrowest near ``BEST_AT`` rows; else it is
    Beta(1/2, 1/2). None without rows. Raises ValueError unless 0 <= x <= n.

    >>> low, high = share_sequence(470, 500, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.895, 0.971)
    """
    check_level(level)
    if not 0 <= x <= n or not math.isfinite(n):
        raise ValueError(f"x = {x!r} of n = {n!r}: must satisfy 0 <= x <= n")
    if n == 0:
        return None
    a, b = _prior(expected, level)
    evidence = _log_beta(a + x, b + n - x) - _log_beta(a, b)
    limit = -math.log(1.0 - level)

    def excess(p: float) -> float:
        return evidence - _log_likelihood(x, n, p) - limit

    estimate = x / n
    low = 0.0 if x == 0 else bisect(excess, 0.0, estimate)
    high = 1.0 if x == n else bisect(excess, estimate, 1.0)
    return Interval(low, high)


def _prior(expected: float | None, level: float) -> tuple[float, float]:
    """The two weights of the mixture: its variance is that of a share of about ``BEST_AT`` rows."""
    if expected is None or not 0.0 < expected < 1.0:
        return 0.5, 0.5
    weight = max(1.0 / _variance_per_row(level) - 1.0, 1.0)
    return weight * expected, weight * (1.0 - expected)


def _variance_per_row(level: float) -> float:
    """Variance of the mixture, in variances of one row, that is tightest at ``BEST_AT`` rows.

    (2 ln(1 / alpha) + ln(1 + 2 ln(1 / alpha))) / n (Waudby-Smith, Arbour, Sinha, Kennedy and
    Ramdas 2021, appendix on the choice of rho).
    """
    twice = -2.0 * math.log(1.0 - level)
    return (twice + math.log1p(twice)) / BEST_AT


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _log_likelihood(x: float, n: float, p: float) -> float:
    hits = x * math.log(p) if p > 0.0 else (0.0 if x == 0 else -math.inf)
    misses = (n - x) * math.log1p(-p) if p < 1.0 else (0.0 if x == n else -math.inf)
    return hits + misses


def mean_sequence(
    value: float,
    standard_error: float,
    n: float,
    level: float,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Interval | None:
    """Limits of an asymptotically normal estimate, valid at all n together for large n.

    The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
    (2021, theorem 2.2): value plus and minus
    sd sqrt((1 + n rho^2) / (n rho)^2 ln((1 + n rho^2) / alpha^2)), sd = standard error sqrt(n).
    For means of row losses, and for the area under the ROC curve with DeLong's standard
    error. None without rows.

    >>> low, high = mean_sequence(0.9, 0.01, 400, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.8696, 0.9304)
    """
    check_level(level)
    if n <= 0 or not math.isfinite(standard_error):
        return None
    alpha = 1.0 - level
    rho2 = _variance_per_row(level)
    spread = (1.0 + n * rho2) / (n * rho2) * math.log((1.0 + n * rho2) / alpha**2)
    half = standard_error * math.sqrt(spread)
    return clipped(value - half, value + half, *within)
