"""Tail areas and quantiles of the usual distributions.

The only door to ``scipy.special``. Its functions are loaded at the first call, so that
importing the names of interval methods stays cheap.

scipy's incomplete beta function and its inverse lose digits for large parameters: from
10^10 on its noise for half-integers exceeds 10^-7, and at 10^15 it spoils the second
digit of a half-width. There the saddlepoint form of the distribution is used, whose
error falls with the smaller parameter to the power -3/2.
"""

from __future__ import annotations

import importlib
import math
from functools import cache, lru_cache
from typing import Any, NamedTuple

from evalreport.statistics.root import bisect

#: The least probability that is told: below it doubles underflow, and no p-value is 0.
LEAST = 5e-324


def never_zero(probability: float) -> float:
    """A tail area that is never 0.

    >>> never_zero(0.0), never_zero(0.5)
    (5e-324, 0.5)
    """
    return max(float(probability), LEAST)


@cache
def _special() -> Any:
    """``scipy.special``, loaded where a function of it is called first."""
    return importlib.import_module("scipy.special")


@lru_cache(maxsize=256)
def normal_quantile(probability: float) -> float:
    """Quantile of the standard normal distribution."""
    return float(_special().ndtri(probability))


def normal_cdf(z: float) -> float:
    """P(Z <= z) of the standard normal distribution."""
    return float(_special().ndtr(z))


def normal_sf(z: float) -> float:
    """P(Z > z) of the standard normal distribution."""
    return float(_special().ndtr(-z))


def normal_two_sided(z: float) -> float:
    """Two-sided p-value of a standard normal statistic.

    >>> round(normal_two_sided(1.959964), 6)
    0.05
    """
    return never_zero(2.0 * normal_sf(abs(z)))


class ZTest(NamedTuple):
    """A standard normal statistic and its two-sided p-value."""

    statistic: float
    p_value: float

    @classmethod
    def of(cls, z: float) -> ZTest:
        """The statistic with its p-value."""
        return cls(z, normal_two_sided(z))


def t_quantile(probability: float, df: float) -> float:
    """Quantile of Student's t distribution."""
    return float(_special().stdtrit(df, probability))


def t_sf(t: float, df: float) -> float:
    """P(T > t) of Student's t distribution."""
    return float(_special().stdtr(df, -t))


def t_two_sided(t: float, df: float) -> float:
    """Two-sided p-value of a t statistic."""
    return never_zero(min(1.0, 2.0 * t_sf(abs(t), df)))


def chi2_sf(statistic: float, df: float) -> float:
    """P(X > statistic) of the chi-square distribution.

    >>> round(chi2_sf(3.841459, 1), 6)
    0.05
    """
    return never_zero(_special().chdtrc(df, statistic))


class ChiSquare(NamedTuple):
    """A chi-square statistic, its degrees of freedom and p-value."""

    statistic: float
    df: int
    p_value: float

    @classmethod
    def of(cls, statistic: float, df: int) -> ChiSquare:
        """The statistic with its p-value."""
        return cls(statistic, df, chi2_sf(statistic, df))


def kolmogorov_sf(y: float) -> float:
    """Limiting P(sqrt(n) D > y) of the two-sided Kolmogorov-Smirnov statistic."""
    return never_zero(_special().kolmogorov(y))


def binomial_greater(x: float, n: float, p: float) -> float:
    """One-sided exact p-value P(X >= x), X ~ binomial(n, p).

    >>> binomial_greater(7, 10, 0.5)
    0.171875
    """
    if x <= 0:
        return 1.0
    if x > n:
        return 0.0
    return never_zero(_special().betainc(x, n - x + 1.0, p))


def binomial_less(x: float, n: float, p: float) -> float:
    """One-sided exact p-value P(X <= x), X ~ binomial(n, p)."""
    if x < 0:
        return 0.0
    if x >= n:
        return 1.0
    return float(_special().betaincc(x + 1.0, n - x, p))


def _is_large(a: float, b: float) -> bool:
    return a + b > 1e9 and min(a, b) > 1e5


def beta_cdf(x: float, a: float, b: float) -> float:
    """P(X <= x) of the beta distribution with parameters a and b."""
    if _is_large(a, b) and 0.0 < x < 1.0:
        return normal_cdf(_normal_score(x - a / (a + b), a, b))
    return float(_special().betainc(a, b, x))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution, from its lower tail.

    >>> round(beta_quantile(0.025, 10, 1), 4)
    0.6915
    """
    if _is_large(a, b):
        return _large_quantile(normal_quantile(probability), a, b)
    special = _special()
    start = float(special.betaincinv(a, b, probability))
    if a + b < 1e6:
        return start
    return _polished(start, probability, a, b, lower=True)


def beta_quantile_upper(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution, from its upper tail."""
    if _is_large(a, b):
        return _large_quantile(-normal_quantile(probability), a, b)
    special = _special()
    start = float(special.betainccinv(a, b, probability))
    if a + b < 1e6:
        return start
    return _polished(start, probability, a, b, lower=False)


def _polished(start: float, probability: float, a: float, b: float, *, lower: bool) -> float:
    """The quantile near ``start``: scipy's distribution function is better than its inverse."""
    tail = _special().betainc if lower else _special().betaincc
    deviation = math.sqrt(a * b / (a + b)) / (a + b)

    def excess(x: float) -> float:
        return float(tail(a, b, x)) - probability

    for reach in (deviation / 1024.0, deviation / 8.0, deviation):
        low, high = max(start - reach, 0.0), min(start + reach, 1.0)
        if (excess(low) > 0.0) != (excess(high) > 0.0):
            return bisect(excess, low, high)
    return start


def _large_quantile(z: float, a: float, b: float) -> float:
    mean = a / (a + b)
    # 40 standard deviations hold every tail area that a double can express
    reach = 40.0 * math.sqrt(mean * (b / (a + b)) / (a + b))
    low, high = max(-reach, -mean), min(reach, b / (a + b))
    return mean + bisect(lambda d: _normal_score(d, a, b) - z, low, high)


def _normal_score(distance: float, a: float, b: float) -> float:
    """The normal deviate with the tail area of mean + ``distance`` (Temme 1982; Barndorff-Nielsen).

    w is the signed root of the deviance, q the standardised distance, the score
    w + log(q / w) / w. The distance is passed in, not x: their difference would cancel.
    """
    if distance == 0.0:
        return 0.0
    n = a + b
    deviance = 2.0 * (a * minus_log1p(distance / (a / n)) + b * minus_log1p(-distance / (b / n)))
    if math.isinf(deviance):
        return math.copysign(math.inf, distance)
    w = math.copysign(math.sqrt(deviance), distance)
    q = distance * n * math.sqrt(n) / (math.sqrt(a) * math.sqrt(b))
    return w + math.log(q / w) / w


def minus_log1p(u: float) -> float:
    """Value of u - log(1 + u), without cancellation for small u; infinite at u = -1."""
    if u <= -1.0:
        return math.inf
    if abs(u) > 0.05:
        return u - math.log1p(u)
    return math.fsum((-u) ** k / k for k in range(2, 16))


def expit(logit: float) -> float:
    """The share whose logit this is, without overflow.

    >>> expit(0.0), 0.0 < expit(-math.inf) < 1e-300
    (0.5, True)
    """
    if logit >= 0.0:
        return 1.0 / (1.0 + math.exp(-min(logit, 700.0)))
    odds = math.exp(max(logit, -700.0))
    return odds / (1.0 + odds)
