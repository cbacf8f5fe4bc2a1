"""Tail areas and quantiles of the usual distributions.

The only door to ``scipy.special``. The module is loaded at the first call, so that
importing the names of interval methods stays cheap.
"""

from __future__ import annotations

import importlib
from typing import Any

#: The least probability that is told: below it doubles underflow, and no p-value is 0.
LEAST = 5e-324


def _told(probability: float) -> float:
    """A tail area that is never 0.

    >>> _told(0.0), _told(0.5)
    (5e-324, 0.5)
    """
    return max(float(probability), LEAST)


def _special() -> Any:
    return importlib.import_module("scipy.special")


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
    return _told(2.0 * normal_sf(abs(z)))


def t_quantile(probability: float, df: float) -> float:
    """Quantile of Student's t distribution."""
    return float(_special().stdtrit(df, probability))


def t_sf(t: float, df: float) -> float:
    """P(T > t) of Student's t distribution."""
    return float(_special().stdtr(df, -t))


def t_two_sided(t: float, df: float) -> float:
    """Two-sided p-value of a t statistic."""
    return _told(min(1.0, 2.0 * t_sf(abs(t), df)))


def chi2_sf(statistic: float, df: float) -> float:
    """P(X > statistic) of the chi-square distribution.

    >>> round(chi2_sf(3.841459, 1), 6)
    0.05
    """
    return _told(_special().chdtrc(df, statistic))


def kolmogorov_sf(y: float) -> float:
    """Limiting P(sqrt(n) D > y) of the two-sided Kolmogorov-Smirnov statistic."""
    return _told(_special().kolmogorov(y))


def binomial_greater(x: float, n: float, p: float) -> float:
    """One-sided exact p-value P(X >= x), X ~ binomial(n, p).

    >>> binomial_greater(7, 10, 0.5)
    0.171875
    """
    if x <= 0:
        return 1.0
    if x > n:
        return 0.0
    return _told(_special().betainc(x, n - x + 1.0, p))


def binomial_less(x: float, n: float, p: float) -> float:
    """One-sided exact p-value P(X <= x), X ~ binomial(n, p)."""
    if x < 0:
        return 0.0
    if x >= n:
        return 1.0
    return float(_special().betaincc(x + 1.0, n - x, p))
