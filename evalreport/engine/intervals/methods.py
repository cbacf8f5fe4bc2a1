"""The interval of one value: the planned method carried out, with its fallback named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.interval_result import IntervalResult
from evalreport.statistics import agreement, means, proportions
from evalreport.statistics.delta import (
    cluster_variance,
    delta_variance,
    gradient,
    sandwich_variance,
)
from evalreport.statistics.interval import Interval as Limits
from evalreport.statistics.interval import z_value

Floats = npt.NDArray[np.float64]

#: Below this a variance is nothing but rounding.
VANISHED = 1e-24
#: Limits that differ by less, as a share of the larger, are the same number.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class TableValue:
    """What an interval of a table metric needs.

    ``function`` maps stacked tables (B, K, K) to values (B,); ``table`` is the
    dense table; ``squares`` the sums of squared weights; ``clusters`` the tables
    of the clusters, shape (C, K, K).
    """

    value: float
    function: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
    table: Floats
    bounds: tuple[float, float]
    level: float
    squares: Floats | None = None
    clusters: Floats | None = None


def from_limits(
    limits: Limits | None,
    level: float,
    method: str,
    note: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> IntervalResult | None:
    """A result from plain limits; None where the method gives none."""
    if limits is None or not (math.isfinite(limits.low) and math.isfinite(limits.high)):
        return None
    return IntervalResult(level, float(limits.low), float(limits.high), method, note, facts or {})


def has_width(limits: Limits | IntervalResult | None) -> bool:
    """Whether there are limits and they differ by more than rounding.

    Where all rows are predicted alike, or lose alike, a variance of 0 would pass for a
    value that is known without error.
    """
    if limits is None:
        return False
    return limits.high - limits.low > ROUNDING * max(abs(limits.low), abs(limits.high))


def symmetric(
    value: float, variance: float, level: float, method: str, bounds: tuple[float, float]
) -> IntervalResult:
    """Value plus and minus z standard errors, kept within the metric's bounds."""
    half = z_value(level) * math.sqrt(max(variance, 0.0))
    low, high = max(value - half, bounds[0]), min(value + half, bounds[1])
    return IntervalResult(level, low, high, method)


# -- proportions ---------------------------------------------------------------------------


def proportion(x: float, n: float, level: float, method: str) -> IntervalResult | None:
    """A single proportion of independent rows by the named method."""
    return from_limits(proportions.PROPORTION_METHODS[method](x, n, level), level, method)


def weighted_proportion(
    share: float, weight: float, squares: float, level: float
) -> IntervalResult | None:
    """Wilson on Kish's effective number of rows, (sum w)^2 / sum w^2."""
    if squares <= 0:
        return None
    effective = means.effective_size_from_sums(weight, squares)
    limits = proportions.wilson_n_eff(share, effective, level)
    return from_limits(limits, level, "wilson_n_eff", facts={"n_effective": effective})


def clustered_proportion(hits: Floats, sizes: Floats, level: float) -> IntervalResult | None:
    """Ratio estimator over clusters, as Wilson on the effective number of rows."""
    occupied = int(np.count_nonzero(sizes))
    if occupied < 2:
        return None
    estimate = means.clustered_proportion(hits, sizes)
    if estimate is None or estimate.standard_error is None:
        return None
    share = float(hits.sum() / sizes.sum())
    error = estimate.standard_error
    if error * error <= VANISHED:
        limits = proportions.wilson_n_eff(share, float(occupied), level)
        note = "no variation between clusters: Wilson on the number of clusters"
        return from_limits(limits, level, "wilson_clusters", note)
    effective = share * (1 - share) / (error * error)
    limits = proportions.wilson_n_eff(share, effective, level)
    return from_limits(limits, level, "cluster_robust", facts={"n_effective": effective})


# -- smooth functions of the table -----------------------------------------------------------


def smooth(v: TableValue, method: str = "delta", scale: str = "plain") -> IntervalResult | None:
    """Delta method, sandwich or cluster-robust; at the edge on the table plus one half a cell.

    ``scale``: ``log`` for ratios and ``fisher_z`` for correlations, so that limits
    keep to their range; ``plain`` otherwise.
    """
    variance = _variance(v, method)
    if not math.isfinite(variance):
        return None
    if variance <= VANISHED:
        return plus_half(v, method)
    half = z_value(v.level) * math.sqrt(variance)
    if scale == "log" and v.value > 0:
        ratio = math.exp(half / v.value)
        return IntervalResult(v.level, v.value / ratio, v.value * ratio, method)
    if scale == "fisher_z" and abs(v.value) < 1:
        return _on_fisher_scale(v.value, variance, v.level, method)
    return symmetric(v.value, variance, v.level, method, v.bounds)


def _on_fisher_scale(value: float, variance: float, level: float, method: str) -> IntervalResult:
    """Limits on the scale of artanh, on which the error of a correlation r is s / (1 - r^2)."""
    center, wide = math.atanh(value), z_value(level) * math.sqrt(variance) / (1 - value**2)
    return IntervalResult(level, math.tanh(center - wide), math.tanh(center + wide), method)


def _variance(v: TableValue, method: str) -> float:
    slopes = gradient(v.function, v.table)
    if method == "cluster_robust" and v.clusters is not None:
        return cluster_variance(slopes, v.table, v.clusters) if len(v.clusters) > 1 else math.nan
    if method == "sandwich" and v.squares is not None:
        return sandwich_variance(slopes, v.table, v.squares)
    return delta_variance(slopes, v.table)


def plus_half(v: TableValue, method: str, reason: str = "") -> IntervalResult | None:
    """Fallback at the edge: the method on the table with two rows spread over its cells.

    A correlation keeps to Fisher's scale; all else is the delta method.
    With two classes that is 1/2 to each cell (Agresti A. Categorical Data Analysis,
    3rd ed., 2013, section 3.1.1); with more the same two rows are spread thinner.
    The limits are widened to hold the value itself.
    """
    cells = v.table.size
    table = v.table + 2.0 / cells
    value = float(np.real(v.function(table[None])[0]))
    variance = delta_variance(gradient(v.function, table), table)
    if not (math.isfinite(value) and math.isfinite(variance)):
        return None
    two = cells == 4
    name = f"{method}_plus_half" if two else f"{method}_plus_two_rows"
    on_scale = method == "fisher_z" and abs(value) < 1
    around = (
        _on_fisher_scale(value, variance, v.level, name)
        if on_scale
        else symmetric(value, variance, v.level, name, v.bounds)
    )
    added = "1/2 was added to each cell" if two else "two rows were spread over the cells"
    note = reason or f"{method} gives no width here: {added}"
    low, high = min(around.low, v.value), max(around.high, v.value)
    found = IntervalResult(v.level, low, high, around.method, note)
    return found if has_width(found) else None  # one class, declared and seen: nothing can vary


def fisher_z(v: TableValue) -> IntervalResult | None:
    """Delta method on the scale of Fisher's z, for correlations."""
    if abs(v.value) >= 1:
        return plus_half(v, "fisher_z")
    return smooth(v, "fisher_z", "fisher_z")


def kappa_wald(v: TableValue, weights: str | None) -> IntervalResult | None:
    """Kappa with the Fleiss-Cohen-Everitt standard error."""
    size = v.table.shape[0]
    matrix = None
    if weights is not None:
        linear = weights == "linear"
        matrix = agreement.linear_weights(size) if linear else agreement.quadratic_weights(size)
    error = agreement.kappa_se(v.table, matrix)
    if error is None or not math.isfinite(error):
        return None
    if abs(v.value) >= 1 or error * error <= VANISHED:
        return plus_half(v, "wald")
    return symmetric(v.value, error * error, v.level, "wald", v.bounds)


def of_cells(
    function: Callable[..., Limits | None],
    params: Mapping[str, Any],
    v: TableValue,
    positive: int,
    method: str,
) -> IntervalResult | None:
    """Declared limits of a metric of two classes; +1/2 in each cell where a zero breaks them."""
    cells = _cells(v.table, positive)
    limits = function(*cells, level=v.level, **params)
    if has_width(limits):
        return from_limits(limits, v.level, method)
    limits = function(*(cell + 0.5 for cell in cells), level=v.level, **params)
    if limits is None:
        return None
    note = "a cell is 0: 1/2 was added to each cell"
    low, high = min(limits.low, v.value), max(limits.high, v.value)
    return IntervalResult(v.level, low, high, f"{method}_plus_half", note)


def _cells(table: Floats, positive: int) -> tuple[float, float, float, float]:
    """One class against the rest, as (tp, fn, fp, tn)."""
    tp = float(table[positive, positive])
    fn = float(table[positive].sum()) - tp
    fp = float(table[:, positive].sum()) - tp
    return tp, fn, fp, float(table.sum()) - tp - fn - fp


# -- means and areas -------------------------------------------------------------------------


def mean_of_rows(
    value: float, n: float, second_moment: float, level: float, bounds: tuple[float, float]
) -> IntervalResult | None:
    """Normal interval of a mean over n independent rows, from the mean square."""
    limits = means.mean_interval(n, value, second_moment, level)
    if limits is None:
        return None
    low, high = max(limits.low, bounds[0]), min(limits.high, bounds[1])
    return IntervalResult(level, low, high, "normal")


def independent_pairs(
    value: float, positives: float, negatives: float, level: float, method: str
) -> IntervalResult | None:
    """Fallback of an area whose variance vanishes: Wilson on the independent pairs.

    Of P positives and N negatives, min(P, N) disjoint pairs can be formed; they
    are independent and each is won with the probability that the area estimates.
    """
    pairs = min(positives, negatives)
    limits = proportions.wilson_n_eff(value, pairs, level)
    note = (
        f"{method} gives no width here: Wilson on the {pairs:g} pairs of "
        "a positive and a negative row that are independent"
    )
    return from_limits(limits, level, "wilson_pairs", note)
