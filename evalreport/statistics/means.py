"""Means over rows, weighted rows and clusters: variances, intervals and the paired t test."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.design_based import spread_of
from evalreport.statistics.exact_sums import exact_sum, sums_by_code
from evalreport.statistics.interval import Interval, deviate, z_value
from evalreport.statistics.numbering import numbered, unless_once
from evalreport.statistics.tail import t_two_sided


class Estimate(NamedTuple):
    """A value and its standard error; None where the error is not estimable."""

    value: float
    standard_error: float | None


def mean_interval(n: float, mean: float, second_moment: float, level: float) -> Interval | None:
    """Normal interval of a mean, from the mean and the mean square of ``n`` rows.

    None with fewer than two rows, and where all are alike. Not clipped: the range belongs to the
    quantity.

    >>> low, high = mean_interval(4, 2.5, 7.5, 0.95)   # 1, 2, 3, 4
    >>> round(low, 4), round(high, 4)
    (1.2348, 3.7652)
    """
    if n < 2 or are_alike(mean, second_moment):
        return None
    variance = (second_moment - mean * mean) * n / (n - 1.0)
    half = z_value(level) * math.sqrt(variance / n)
    return Interval(mean - half, mean + half)


#: Variances below this share of the mean square are what rounding leaves of sums.
_ROUNDING = 1e-12


def are_alike(mean: float, second_moment: float) -> bool:
    """Whether rows of this mean and mean square are all the same, but for rounding.

    >>> are_alike(0.3, 0.3 * 0.3 * (1 + 1e-15)), are_alike(0.3, 0.0901)
    (True, False)
    """
    return second_moment - mean * mean <= _ROUNDING * second_moment


def effective_rows(n: float, mean: float, second_moment: float) -> float:
    """Rows of equal values whose mean would be spread like this one: (sum x)^2 / sum x^2.

    >>> effective_rows(4, 1.0, 4.0)    # 4, 0, 0, 0
    1.0
    """
    return n * mean * mean / second_moment if second_moment > 0.0 else n


#: Of the effective rows less one, how many make one degree of freedom.
ROWS_PER_DEGREE = 1.5
#: Below so many degrees of freedom Student's t has no variance, and limits by it say nothing.
LEAST_DEGREES = 2.0


def log_t_interval(n: float, mean: float, second_moment: float, level: float) -> Interval | None:
    """Limits of a mean of values from 0 up, some far larger than most, as losses are.

    mean * exp(+- t s / mean), s the standard error: the normal interval of the logarithm by
    the delta method, with Student's t for the few rows that carry the sum. Its degrees of
    freedom are (e - 1) / 1.5 of e = (sum x)^2 / sum x^2 rows; 1.5 was chosen by the coverage
    study (docs/coverage.md). None where all rows are alike, and with e below 4, that is fewer
    than two degrees of freedom.

    >>> low, high = log_t_interval(6, 3.5, 91 / 6, 0.95)   # 1 to 6
    >>> round(low, 3), round(high, 3)
    (1.627, 7.531)
    """
    if n < 2 or are_alike(mean, second_moment):
        return None
    variance = (second_moment - mean * mean) / (n - 1.0)
    degrees = loss_degrees(effective_rows(n, mean, second_moment))
    return log_t_limits(mean, math.sqrt(variance), degrees, level)


def loss_degrees(rows: float) -> float:
    """Degrees of freedom of a mean of losses that so many rows carry, see log_t_interval."""
    return (rows - 1.0) / ROWS_PER_DEGREE


def log_t_limits(mean: float, error: float, degrees: float, level: float) -> Interval | None:
    """Mean * exp(+- t error / mean), t with so many degrees of freedom, at least two; else None.

    None too for a mean of 0.
    """
    if mean <= 0.0 or degrees < LEAST_DEGREES:
        return None
    half = deviate(level, degrees) * error / mean
    return Interval(mean * math.exp(-half), mean * math.exp(half) if half < 700.0 else math.inf)


class ClusteredMean(NamedTuple):
    """A mean of losses of clustered rows: its standard error and how many carry it.

    ``rows`` and ``clusters``: of equal losses whose mean would be spread alike.
    """

    error: float
    rows: float
    clusters: float

    @property
    def degrees(self) -> float:
        """Degrees of freedom: as of independent rows, and no more than clusters less one."""
        return min(loss_degrees(self.rows), self.clusters - 1.0)


def clustered_losses(
    losses: ArrayLike,
    codes: ArrayLike,
    times: ArrayLike | None = None,
    weights: NDArray[np.float64] | None = None,
) -> ClusteredMean | None:
    """How well the mean of losses, shape (rows,), is known; ``codes``: the cluster of each.

    The error is that of the ratio of totals of clusters. ``times``: how many rows there are of
    each that is given; ``weights``: of the rows, of which the losses are given times their weight.
    Sums do not depend on the order of rows, whether they come as kinds, or how clusters are
    numbered. None with fewer than two clusters and with losses of 0.
    """
    x, code = np.asarray(losses, np.float64), numbered(np.asarray(codes))[1]
    if not x.size:
        return None
    often, many = None if times is None else np.asarray(times), int(code.max()) + 1
    totals = sums_by_code(code, lambda at: x[at], many, often)
    if weights is None:
        sizes = np.bincount(code, often, many).astype(np.float64)
    else:
        sizes = sums_by_code(code, lambda at: weights[at], many, often)
    whole, count, n = math.fsum(totals), len(totals), math.fsum(sizes)
    if count < 2 or whole <= 0.0:
        return None
    spread = math.fsum((totals - whole / n * sizes) ** 2)
    return ClusteredMean(
        math.sqrt(count / (count - 1.0) * spread) / n,
        whole * whole / exact_sum(x * x, often),
        whole * whole / math.fsum(totals**2),
    )


class PairedT(NamedTuple):
    """Paired t test of a mean difference; statistic and p are None when all differences agree."""

    difference: float
    interval: Interval
    statistic: float | None
    df: float
    p_value: float | None
    error: float | None = None


def paired_t(
    differences: ArrayLike,
    level: float,
    times: ArrayLike | None = None,
    *,
    own_df: bool = False,
) -> PairedT | None:
    """Student's t of row-wise differences, shape (rows,); None with fewer than two rows.

    All differences 0: p = 1. All equal and not 0: no statistic (its denominator is 0).
    ``times`` and ``own_df``: see :func:`mean_of`.
    """
    found = mean_of(differences, times, own_df=own_df)
    return None if found is None else t_of(found.mean, math.sqrt(found.variance), found.df, level)


class Mean(NamedTuple):
    """A mean of independent rows: the variance of the mean, and its degrees of freedom."""

    mean: float
    variance: float
    df: float


def mean_of(values: ArrayLike, times: ArrayLike | None, *, own_df: bool) -> Mean | None:
    """The mean of kinds of rows, both of shape (k,); None with fewer than two rows.

    ``times``: how many rows have each value, one each where None. Sums are rounded once, so they
    depend neither on the order of rows nor on how they were counted.

    ``own_df``: with as many degrees of freedom as the variance has, fewer than n - 1 where few
    rows lose much (see :func:`evalreport.statistics.design_based.spread_of`).
    """
    x = np.asarray(values, np.float64)
    often = unless_once(None if times is None else np.asarray(times, np.int64))
    if (x.size if often is None else int(often.sum())) < 2:
        return None
    n, mean, squared, df = spread_of(x, often, own_df=own_df)
    return Mean(mean, squared / (n - 1.0) / n, df)


def welch_t(one: Mean, two: Mean, level: float) -> PairedT:
    """Welch's t of the difference of two means of independent rows.

    (s1 + s2)^2 / (s1^2 / v1 + s2^2 / v2) degrees of freedom, s the variances of the means and v
    their degrees of freedom (Welch B. Biometrika 34, 1947; Satterthwaite F. Biometrics Bulletin
    2, 1946). Statistic and p are None where neither varies and the means differ.

    >>> a, b = Mean(2.0, 0.5, 9.0), Mean(1.0, 0.5, 9.0)
    >>> found = welch_t(a, b, 0.95)
    >>> found.statistic, found.df, round(found.p_value, 3)
    (1.0, 18.0, 0.331)
    """
    difference, variance = one.mean - two.mean, one.variance + two.variance
    if variance == 0.0:
        both = Interval(difference, difference)
        return PairedT(difference, both, None, math.inf, 1.0 if difference == 0.0 else None)
    df = variance**2 / (one.variance**2 / one.df + two.variance**2 / two.df)
    return t_of(difference, math.sqrt(variance), df, level)


def t_of(difference: float, error: float, df: float, level: float) -> PairedT:
    """Student's t of a difference with its standard error; no statistic where that is 0."""
    half = deviate(level, df) * error
    interval = Interval(difference - half, difference + half)
    if error == 0.0:
        return PairedT(difference, interval, None, df, 1.0 if difference == 0.0 else None)
    t = difference / error
    return PairedT(difference, interval, t, df, t_two_sided(t, df), error)


def effective_size_from_sums(total: float, total_of_squares: float) -> float:
    """Kish's effective sample size from the sum of weights and of their squares."""
    return total * total / total_of_squares if total_of_squares > 0.0 else 0.0


def share_variance(
    share: float, total: float, squares: tuple[float, float], rows: float = math.inf
) -> float:
    """Linearised variance of a share of weighted rows.

    ``total``: of the weights; ``squares``: sums of squared weights of hits and of misses;
    ``rows``: of the whole sample, for the factor n / (n - 1), which is 1 without it.
    """
    factor = 1.0 if math.isinf(rows) or rows < 2 else rows / (rows - 1.0)
    hits, misses = squares
    return factor * (hits * (1 - share) ** 2 + misses * share**2) / total**2


def ratio_of_totals(numerators: ArrayLike, denominators: ArrayLike) -> Estimate | None:
    """Ratio sum x / sum d over K independent units, with the ratio-estimator standard error.

    SE = sqrt(K / (K - 1) sum (x_i - r d_i)^2) / sum d. None when the total is 0; the
    error is None with fewer than two units.

    Args:
        numerators: shape (K,), totals of the units (clusters, or weighted rows).
        denominators: shape (K,).

    >>> value, error = ratio_of_totals([1, 2, 3], [2, 2, 4])
    >>> value, round(error, 6)
    (0.75, 0.108253)
    """
    x, d = np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)
    total = float(np.sum(d))
    if total <= 0.0:
        return None
    ratio = float(np.sum(x)) / total
    k = x.size
    if k < 2:
        return Estimate(ratio, None)
    residuals = float(np.sum((x - ratio * d) ** 2))
    return Estimate(ratio, math.sqrt(k / (k - 1.0) * residuals) / total)
