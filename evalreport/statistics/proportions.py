"""Confidence intervals of one proportion, x of n.

Each method takes ``(x, n, level)`` and gives limits within [0, 1], or None where it
gives none (n = 0 for all of them). Limits above one half are mirrored from the other
side: x successes and n - x failures get exactly mirrored intervals, and 0 of n and
n of n get limits of exactly 0 and 1 where the method says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

from evalreport.statistics.interval import Interval, check_level, clipped, z_value
from evalreport.statistics.root import bisect
from evalreport.statistics.tail import (
    beta_cdf,
    beta_quantile,
    beta_quantile_upper,
    expit,
    minus_log1p,
    t_quantile,
)

Method = Callable[[float, float, float], Interval | None]


def _checked(x: float, n: float, level: float) -> bool:
    """False when there are no rows; ValueError when x is no part of n."""
    check_level(level)
    if not 0 <= x <= n or not math.isfinite(n):
        raise ValueError(f"x = {x!r} of n = {n!r}: must satisfy 0 <= x <= n")
    return n > 0


def _mirrored(lower_half: Callable[[float, float, float], Interval | None]) -> Method:
    """The method that gives the interval of x by that of min(x, n - x), where digits are kept."""

    @wraps(lower_half)
    def method(x: float, n: float, level: float) -> Interval | None:
        if not _checked(x, n, level):
            return None
        if x <= n - x:
            return lower_half(x, n, level)
        found = lower_half(n - x, n, level)
        return None if found is None else Interval(1.0 - found.high, 1.0 - found.low)

    return method


def _score_limits(x: float, n: float, z: float) -> Interval:
    """Roots p of (x / n - p)^2 = z^2 p (1 - p) / n; x may be any number within [0, n]."""
    z2 = z * z
    high = (2.0 * x + z2 + z * math.sqrt(z2 + 4.0 * x * (n - x) / n)) / (2.0 * (n + z2))
    # the product of the roots is x^2 / (n (n + z^2)): no cancellation for small x
    low = (x / n) * x / ((n + z2) * high)
    return Interval(low, high)


@_mirrored
def wilson(x: float, n: float, level: float) -> Interval | None:
    """Score interval (Wilson 1927); x and n may be fractional (effective sample sizes).

    >>> low, high = wilson(44, 51, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.7428, 0.9319)
    """
    return _score_limits(x, n, z_value(level))


def wilson_n_eff(p: float, n_eff: float, level: float) -> Interval | None:
    """Wilson interval of a proportion ``p`` known as well as by ``n_eff`` independent rows."""
    return wilson(min(p * n_eff, n_eff), n_eff, level)


def wilson_t(p: float, n_eff: float, df: float, level: float) -> Interval | None:
    """Wilson's with Student's t of ``df`` degrees of freedom, for a variance that is estimated.

    >>> low, high = wilson_t(0.5, 50, 9, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.3476, 0.6524)
    """
    t = -t_quantile((1.0 - level) / 2.0, df)
    by_t = _mirrored(lambda x, n, _: _score_limits(x, n, t))
    return by_t(min(p * n_eff, n_eff), n_eff, level)


@_mirrored
def wilson_cc(x: float, n: float, level: float) -> Interval | None:
    """Score interval with continuity correction (Newcombe 1998, method 4).

    The lower limit is the score limit of x - 1/2, the upper that of x + 1/2.
    """
    z = z_value(level)
    # with 0 < x < 1/2 the corrected statistic is zero at p = 0 already
    low = _score_limits(x - 0.5, n, z).low if x > 0.5 else 0.0
    high = _score_limits(x + 0.5, n, z).high if n - x > 0.5 else 1.0
    return Interval(low, high)


def wald(x: float, n: float, level: float) -> Interval | None:
    """Normal interval p +- z sqrt(p (1 - p) / n), kept within [0, 1]."""
    return _wald_limits(x, n, level, 0.0) if _checked(x, n, level) else None


def wald_cc(x: float, n: float, level: float) -> Interval | None:
    """Normal interval widened by 1 / (2 n), kept within [0, 1]."""
    return _wald_limits(x, n, level, 0.5 / n) if _checked(x, n, level) else None


def _wald_limits(x: float, n: float, level: float, correction: float) -> Interval:
    p = x / n
    half = z_value(level) * math.sqrt(p * ((n - x) / n) / n) + correction
    return clipped(p - half, p + half)


@_mirrored
def agresti_coull(x: float, n: float, level: float) -> Interval | None:
    """Wald interval after adding z^2 / 2 successes and failures (1998), kept within [0, 1]."""
    z = z_value(level)
    total = n + z * z
    p = (x + z * z / 2.0) / total
    half = z * math.sqrt(p * (1.0 - p) / total)
    return clipped(p - half, p + half)


@_mirrored
def clopper_pearson(x: float, n: float, level: float) -> Interval | None:
    """Exact interval: both one-sided binomial tests have p = alpha / 2 (1934).

    >>> low, high = clopper_pearson(10, 10, 0.95)
    >>> round(low, 4), high
    (0.6915, 1.0)
    """
    return _exact_limits(x, n, (1.0 - level) / 2.0)


def _exact_limits(x: float, n: float, tail: float) -> Interval:
    low = 0.0 if x == 0 else beta_quantile(tail, x, n - x + 1.0)
    high = 1.0 if x == n else beta_quantile_upper(tail, x + 1.0, n - x)
    return Interval(low, high)


@_mirrored
def jeffreys(x: float, n: float, level: float) -> Interval | None:
    """Equal-tailed posterior interval under Beta(1/2, 1/2).

    The lower limit is 0 at 0 of n and the upper 1 at n of n (Brown, Cai, DasGupta 2001).
    """
    tail, a, b = (1.0 - level) / 2.0, x + 0.5, n - x + 0.5
    low = 0.0 if x == 0 else beta_quantile(tail, a, b)
    return Interval(low, 1.0 if x == n else beta_quantile_upper(tail, a, b))


@_mirrored
def mid_p(x: float, n: float, level: float) -> Interval | None:
    """Exact interval in which the observed outcome counts half in each tail.

    The limits lie between x / n and the exact ones.
    """
    tail = (1.0 - level) / 2.0
    exact = _exact_limits(x, n, tail)
    if x == 0:
        return Interval(0.0, -math.expm1(math.log(2.0 * tail) / n))

    def at_least(p: float) -> float:
        return 0.5 * (beta_cdf(p, x, n - x + 1.0) + beta_cdf(p, x + 1.0, n - x))

    low = bisect(lambda p: at_least(p) - tail, exact.low, x / n)
    high = bisect(lambda p: at_least(p) - (1.0 - tail), x / n, exact.high)
    return Interval(low, high)


@_mirrored
def likelihood_ratio(x: float, n: float, level: float) -> Interval | None:
    """All p whose binomial deviance is below the chi-square quantile of one degree of freedom."""
    z2 = z_value(level) ** 2
    if x == 0:
        return Interval(0.0, -math.expm1(-z2 / (2.0 * n)))
    estimate = x / n

    def excess(p: float) -> float:
        up = (p - estimate) / estimate
        down = (estimate - p) / ((n - x) / n)
        return 2.0 * (x * minus_log1p(up) + (n - x) * minus_log1p(down)) - z2

    return Interval(bisect(excess, 0.0, estimate), bisect(excess, estimate, 1.0))


@_mirrored
def logit(x: float, n: float, level: float) -> Interval | None:
    """Wald interval of the log odds, transformed back; None at 0 of n and n of n."""
    if x in (0, n):
        return None
    half = z_value(level) * math.sqrt(n / x / (n - x))
    centre = math.log(x / (n - x))
    return Interval(expit(centre - half), expit(centre + half))


PROPORTION_METHODS: dict[str, Method] = {
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "agresti_coull": agresti_coull,
    "jeffreys": jeffreys,
    "wald": wald,
    "wilson_cc": wilson_cc,
    "wald_cc": wald_cc,
    "mid_p": mid_p,
    "likelihood_ratio": likelihood_ratio,
    "logit": logit,
}
