"""The interval of one value: the planned method carried out, with its fallback named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.interval_methods import (
    OF_WEIGHTS,
    SHARE_OF_CLUSTERS,
    Held,
    few_clusters,
    taking_over,
)
from evalreport.metrics.methods import method_title
from evalreport.results import records
from evalreport.statistics import agreement, means, proportions
from evalreport.statistics.delta import (
    cluster_variance,
    delta_variance,
    gradient,
    sandwich_variance,
    weight_of_unseen,
)
from evalreport.statistics.design_based import DesignVariance
from evalreport.statistics.interval import Interval as Limits
from evalreport.statistics.interval import deviate

Floats = npt.NDArray[np.float64]

#: Below this a variance is nothing but rounding.
VANISHED = 1e-24
#: Limits that differ by less, as a share of the larger, are the same number.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class TableValue:
    """What an interval of a table metric needs.

    ``function`` maps stacked tables (B, K, K) to values (B,); ``table`` is the
    dense table; ``squares`` the sums of squared weights, None where every row weighs 1;
    ``clusters`` the tables of the clusters, shape (C, K, K); ``rows`` the number of rows
    of the whole sample. ``designed``: the variance by the design of the sample with its degrees
    of freedom, from the derivatives by the cells, shape (K, K); None where no design is declared.
    ``by_default``: whether the method may give way to another where few rows are held.
    """

    value: float
    function: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
    table: Floats
    bounds: tuple[float, float]
    level: float
    squares: Floats | None = None
    clusters: Floats | None = None
    rows: float = math.inf
    designed: Callable[[Floats], DesignVariance] | None = None
    by_default: bool = False


def from_limits(
    limits: Limits | None,
    level: float,
    method: str,
    note: str | None = None,
    n_effective: float | None = None,
) -> records.Interval | None:
    """A result from plain limits; None where the method gives none."""
    if limits is None or not (math.isfinite(limits.low) and math.isfinite(limits.high)):
        return None
    low, high = float(limits.low), float(limits.high)
    return records.Interval(level, low, high, method, note, n_effective=n_effective)


def has_width(limits: Limits | records.Interval | None) -> bool:
    """Whether there are limits and they differ by more than rounding.

    Where all rows are predicted alike, or lose alike, a variance of 0 would pass for a
    value that is known without error.
    """
    if limits is None:
        return False
    return limits.high - limits.low > ROUNDING * max(abs(limits.low), abs(limits.high))


def symmetric(
    value: float,
    variance: float,
    level: float,
    method: str,
    bounds: tuple[float, float],
    df: float = math.inf,
) -> records.Interval:
    """Value plus and minus t or z standard errors, kept within the metric's bounds."""
    half = deviate(level, df) * math.sqrt(max(variance, 0.0))
    low, high = max(value - half, bounds[0]), min(value + half, bounds[1])
    return records.Interval(level, low, high, method, df=_told(df))


def on_logits(
    value: float,
    variance: float,
    level: float,
    method: str,
    bounds: tuple[float, float],
    df: float = math.inf,
) -> records.Interval:
    """Symmetric on the logit of where a value lies between its bounds, as limits of areas are.

    At a bound itself, value plus and minus as many standard errors.
    """
    low, high = bounds
    place, error = (value - low) / (high - low), math.sqrt(max(variance, 0.0))
    if not 0.0 < place < 1.0:
        found = symmetric(value, variance, level, method, bounds, df)
    else:
        half = deviate(level, df) * error / (high - low) / (place * (1.0 - place))
        centre = math.log(place / (1.0 - place))
        # exp may overflow where t is large: the limit is then a bound
        with np.errstate(over="ignore"):
            ends = [float(1.0 / (1.0 + np.exp(-(centre + side * half)))) for side in (-1.0, 1.0)]
        found = records.Interval(
            level, low + (high - low) * ends[0], low + (high - low) * ends[1], method, df=_told(df)
        )
    return replace(found, standard_error=error)


def _told(df: float) -> float | None:
    """Degrees of freedom as a record has them; None for the normal deviate."""
    return None if math.isinf(df) else df


# -- proportions ---------------------------------------------------------------------------


def proportion(x: float, n: float, level: float, method: str) -> records.Interval | None:
    """A single proportion of independent rows by the named method."""
    return from_limits(proportions.PROPORTION_METHODS[method](x, n, level), level, method)


def weighted_proportion(v: TableValue) -> records.Interval | None:
    """Wilson on the number of rows that would leave a share as uncertain as it is.

    That number is p (1 - p) over the linearised variance (Korn E., Graubard B. Survey
    Methodology 24, 1998; Kish L. Survey Sampling, 1965, on the design effect). At a share
    of 0 or 1 the variance is 0 and tells nothing: there a row of the other kind could have
    any weight that such rows may have, and the rows count as if each had that.
    """
    found = _variance(v, "sandwich")
    if not math.isfinite(found.variance):
        return None
    if _is_unvaried(v.value, found.variance):
        return _unvaried_proportion(v)
    few = _of_few_weights(v, found.variance) if v.by_default and v.designed is None else None
    return few or n_eff_interval(v.value, found.variance, v.level, found.units_df)


def _of_few_weights(v: TableValue, variance: float) -> records.Interval | None:
    """Wilson on no more rows than weights leave, where few succeeded, or failed; else None.

    Of few rows of one kind the variance hangs on what these happen to weigh, and is mostly too
    small. Kish's (sum of w)^2 / (sum of w^2) of the rows below the line does not.
    """
    if v.squares is None or v.clusters is not None:
        return None
    slopes = gradient(v.function, v.table)
    sides = slopes > 0, slopes < 0, slopes != 0
    hits, misses, both = (
        float(v.table[side].sum()) ** 2 / max(float(v.squares[side].sum()), 1e-300)
        for side in sides
    )
    few = taking_over("wilson_n_eff", Held(least_cell=min(hits, misses)), OF_WEIGHTS)
    if few is None:
        return None
    effective = min(v.value * (1 - v.value) / variance, both)
    limits = proportions.wilson_n_eff(v.value, effective, v.level)
    found = from_limits(limits, v.level, few.name, n_effective=effective)
    if found is None:
        return None
    return replace(found, standard_error=math.sqrt(variance), why=few.reason)


def n_eff_interval(
    share: float, variance: float, level: float, df: float = math.inf
) -> records.Interval | None:
    """Wilson on share (1 - share) / variance rows, with both told.

    ``df``: degrees of freedom of the design, whose t takes the place of the normal deviate, as
    Korn and Graubard have it.
    """
    effective = share * (1 - share) / variance
    if math.isinf(df):
        limits = proportions.wilson_n_eff(share, effective, level)
    else:
        limits = proportions.wilson_t(share, effective, df, level)
    found = from_limits(limits, level, "wilson_n_eff", n_effective=effective)
    if found is None:
        return None
    return replace(found, standard_error=math.sqrt(variance), df=_told(df))


def share_of_weights(
    share: float,
    total: float,
    squares: tuple[float, float],
    heaviest: float,
    level: float,
    rows: float = math.inf,
) -> records.Interval | None:
    """The same from sums: of weights, and of squared weights of hits and of misses.

    ``heaviest``: the weight that an unseen row may have; ``rows``: of the whole sample.
    """
    if total <= 0 or heaviest <= 0:
        return None
    factor = 1.0 if math.isinf(rows) or rows < 2 else rows / (rows - 1.0)
    hits, misses = squares
    variance = factor * (hits * (1 - share) ** 2 + misses * share**2) / total**2
    if _is_unvaried(share, variance):
        return _alike(share, total / heaviest, heaviest, level)
    return n_eff_interval(share, variance, level)


def _is_unvaried(share: float, variance: float) -> bool:
    """Whether all rows are alike: a share of 0 or 1, but for the rounding of sums of weights."""
    return share * (1 - share) <= ROUNDING or variance <= VANISHED * share * (1 - share)


def _alike(
    share: float, effective: float, heaviest: float, level: float
) -> records.Interval | None:
    """Of rows that all succeed, or all fail, each as heavy as an unseen one may be."""
    kind = "succeeded" if share >= 0.5 else "failed"
    note = (
        f"every row {kind}: the rows count as {effective:.4g}, each as heavy "
        f"as an unseen one may be ({heaviest:.4g})"
    )
    limits = proportions.wilson_n_eff(share, effective, level)
    return from_limits(limits, level, "wilson_n_eff", note, n_effective=effective)


def _unvaried_proportion(v: TableValue) -> records.Interval | None:
    slopes = gradient(v.function, v.table, everywhere=True)
    seen = v.table > 0
    unseen = (np.abs(slopes) > 0) & ~seen
    if not unseen.any():
        return None
    squares = v.table if v.squares is None else v.squares
    heaviest = weight_of_unseen(v.table, squares, unseen)
    # a unit in a cell of the other kind moves the share by 1 over what is below the line
    below = 1.0 / float(np.abs(slopes[unseen]).max())
    return _alike(v.value, below / heaviest, heaviest, v.level)


def clustered_proportion(hits: Floats, sizes: Floats, level: float) -> records.Interval | None:
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
    few = few_clusters(SHARE_OF_CLUSTERS, occupied)
    if few is not None:
        # fewer rows than they are: a variance below theirs is an accident of few clusters
        effective = min(effective, float(sizes.sum()))
        limits = proportions.wilson_t(share, effective, occupied - 1, level)
        found = from_limits(limits, level, few.name, n_effective=effective)
        return None if found is None else replace(found, standard_error=error, why=few.reason)
    limits = proportions.wilson_n_eff(share, effective, level)
    return from_limits(limits, level, "cluster_robust", n_effective=effective)


# -- smooth functions of the table -----------------------------------------------------------


def smooth(v: TableValue, method: str = "delta", scale: str = "plain") -> records.Interval | None:
    """Delta method, sandwich or cluster-robust; at the edge on the table plus one half a cell.

    ``scale``: ``log`` for ratios and ``fisher_z`` for correlations, so that limits
    keep to their range; ``plain`` otherwise.
    """
    estimated = _variance(v, method)
    variance, df = estimated.variance, estimated.df
    if not math.isfinite(variance):
        return None
    if variance <= VANISHED:
        return plus_half(v, method)
    half = deviate(v.level, df) * math.sqrt(variance)
    if scale == "log" and v.value > 0:
        with np.errstate(over="ignore"):
            ratio = float(np.exp(half / v.value))
        made = from_limits(Limits(v.value / ratio, v.value * ratio), v.level, method)
        return None if made is None else replace(made, df=_told(df))
    if scale == "fisher_z" and abs(v.value) < 1:
        return _on_fisher_scale(v.value, variance, v.level, method, df)
    around = symmetric(v.value, variance, v.level, method, v.bounds, df)
    designed = method in ("sandwich", "cluster_robust")
    return replace(around, standard_error=math.sqrt(variance)) if designed else around


def _on_fisher_scale(
    value: float, variance: float, level: float, method: str, df: float = math.inf
) -> records.Interval:
    """Limits on the scale of artanh, on which the error of a correlation r is s / (1 - r^2)."""
    center, wide = math.atanh(value), deviate(level, df) * math.sqrt(variance) / (1 - value**2)
    low, high = math.tanh(center - wide), math.tanh(center + wide)
    return records.Interval(level, low, high, method, df=_told(df))


def _variance(v: TableValue, method: str) -> DesignVariance:
    slopes = gradient(v.function, v.table)
    if method == "sandwich" and v.designed is not None:
        mean = float((v.table * slopes).sum()) / float(v.table.sum())
        return v.designed(slopes - mean)
    if method in ("cluster_robust", "sandwich") and v.clusters is not None:
        alone = len(v.clusters) < 2
        return DesignVariance(math.nan if alone else cluster_variance(slopes, v.table, v.clusters))
    if method == "sandwich":
        squares = v.table if v.squares is None else v.squares
        return DesignVariance(sandwich_variance(slopes, v.table, squares, v.rows))
    return DesignVariance(delta_variance(slopes, v.table))


def plus_half(v: TableValue, method: str, reason: str = "") -> records.Interval | None:
    """Fallback at the edge: the method on the table with two rows spread over its cells.

    A correlation keeps to Fisher's scale; all else is the delta method.
    With two classes that is 1/2 to each cell (Agresti A. Categorical Data Analysis,
    3rd ed., 2013, section 3.1.1); with more the same two rows are spread thinner.
    The limits are widened to hold the value itself. Clusters count as one row each, and
    weighted rows as if all were as heavy as those of the heaviest cell.
    """
    cells = v.table.size
    table = v.table * _worth(v, method) + 2.0 / cells
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
    note = reason or f"{method_title(method)} gives no width here: {added}"
    low, high = min(around.low, v.value), max(around.high, v.value)
    found = records.Interval(v.level, low, high, around.method, note)
    return found if has_width(found) else None  # one class, declared and seen: nothing can vary


def _worth(v: TableValue, method: str) -> float:
    """How many independent rows one unit of the table counts as, for methods that honour this."""
    if method not in ("sandwich", "cluster_robust"):
        return 1.0
    if v.clusters is not None:
        return len(v.clusters) / float(v.table.sum())
    if v.squares is None:
        return 1.0
    seen = v.table > 0
    return 1.0 / float((v.squares[seen] / v.table[seen]).max())


def fisher_z(v: TableValue) -> records.Interval | None:
    """Delta method on the scale of Fisher's z, for correlations."""
    if abs(v.value) >= 1:
        return plus_half(v, "fisher_z")
    return smooth(v, "fisher_z", "fisher_z")


def kappa_wald(v: TableValue, weights: str | None) -> records.Interval | None:
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
    at_edge: Callable[..., Limits | None] | None = None,
) -> records.Interval | None:
    """Declared limits of a metric of two classes; +1/2 in each cell where a zero breaks them.

    ``at_edge``: score limits that serve wherever a cell is 0; None for none.
    """
    cells = _cells(v.table, positive)
    if at_edge is not None and min(cells) == 0:
        score = from_limits(
            at_edge(*cells, level=v.level, **params),
            v.level,
            "koopman",
            f"a cell is 0, which {method} would take as certain: score limits",
        )
        if score is not None:
            return score
    limits = function(*cells, level=v.level, **params)
    if has_width(limits):
        return from_limits(limits, v.level, method)
    limits = function(*(cell + 0.5 for cell in cells), level=v.level, **params)
    if limits is None:
        return None
    note = "a cell is 0: 1/2 was added to each cell"
    low, high = min(limits.low, v.value), max(limits.high, v.value)
    return records.Interval(v.level, low, high, f"{method}_plus_half", note)


def _cells(table: Floats, positive: int) -> tuple[float, float, float, float]:
    """One class against the rest, as (tp, fn, fp, tn)."""
    tp = float(table[positive, positive])
    fn = float(table[positive].sum()) - tp
    fp = float(table[:, positive].sum()) - tp
    return tp, fn, fp, float(table.sum()) - tp - fn - fp


# -- means and areas -------------------------------------------------------------------------


def mean_of_rows(
    value: float, n: float, second_moment: float, level: float, bounds: tuple[float, float]
) -> records.Interval | None:
    """Normal interval of a mean over n independent rows, from the mean square."""
    limits = means.mean_interval(n, value, second_moment, level)
    if limits is None:
        return None
    low, high = max(limits.low, bounds[0]), min(limits.high, bounds[1])
    return records.Interval(level, low, high, "normal")


def independent_pairs(
    value: float, positives: float, negatives: float, level: float, method: str
) -> records.Interval | None:
    """Fallback of an area whose variance vanishes: Wilson on the independent pairs.

    Of P positives and N negatives, min(P, N) disjoint pairs can be formed; they
    are independent and each is won with the probability that the area estimates.
    """
    pairs = min(positives, negatives)
    limits = proportions.wilson_n_eff(value, pairs, level)
    note = (
        f"{method_title(method)} gives no width here: Wilson on the {pairs:g} pairs of "
        "a positive and a negative row that are independent"
    )
    return from_limits(limits, level, "wilson_pairs", note)
