"""The interval of one value: the planned method carried out, with its fallback named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.methods import (
    AREA_OF_CLUSTERS,
    DELTA_T,
    SANDWICH_T,
    SHARE_OF_CLUSTERS,
    SHARE_OF_WEIGHTS,
)
from evalreport.results import records
from evalreport.statistics import agreement, delong, means, proportions
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
from evalreport.statistics.widened import averaged_limits, widened_limits

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


def from_limits(
    limits: Limits | None, level: float, method: str, note: str | None = None, **told: Any
) -> records.Interval | None:
    """A result from plain limits; None where the method gives none.

    ``told``: what the record says beside them, as the standard error.
    """
    if limits is None or not (math.isfinite(limits.low) and math.isfinite(limits.high)):
        return None
    low, high = float(limits.low), float(limits.high)
    return records.Interval(level, low, high, method, note, **told)


def has_width(limits: Limits | records.Interval | None) -> bool:
    """Whether there are limits and they differ by more than rounding.

    Where all rows are predicted alike, or lose alike, a variance of 0 would pass for a
    value that is known without error.
    """
    if limits is None:
        return False
    if math.isinf(limits.high):
        return True
    return limits.high - limits.low > ROUNDING * max(abs(limits.low), abs(limits.high))


def symmetric(
    value: float,
    variance: float,
    level: float,
    method: str,
    bounds: tuple[float, float],
    df: float = math.inf,
    **told: Any,
) -> records.Interval:
    """Value plus and minus t or z standard errors, kept within the metric's bounds."""
    half = deviate(level, df) * math.sqrt(max(variance, 0.0))
    low, high = max(value - half, bounds[0]), min(value + half, bounds[1])
    return records.Interval(level, low, high, method, df=_told(df), **told)


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
        return symmetric(value, variance, level, method, bounds, df, standard_error=error)
    half = deviate(level, df) * error / (high - low) / (place * (1.0 - place))
    centre = math.log(place / (1.0 - place))
    # exp may overflow where t is large: the limit is then a bound
    with np.errstate(over="ignore"):
        ends = [float(1.0 / (1.0 + np.exp(-(centre + side * half)))) for side in (-1.0, 1.0)]
    low, high = (low + (high - low) * end for end in ends)
    return records.Interval(level, low, high, method, df=_told(df), standard_error=error)


def _told(df: float) -> float | None:
    """Degrees of freedom as a record has them; None for the normal deviate."""
    return None if math.isinf(df) else df


# -- proportions ---------------------------------------------------------------------------


def proportion(x: float, n: float, level: float, method: str) -> records.Interval | None:
    """A single proportion of independent rows by the named method."""
    return from_limits(proportions.PROPORTION_METHODS[method](x, n, level), level, method)


def weighted_proportion(v: TableValue, method: str) -> records.Interval | None:
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
        return _unvaried_proportion(v, method)
    if method == SHARE_OF_WEIGHTS and v.squares is not None:
        return _of_kish(v, found.variance)
    return n_eff_interval(v.value, found.variance, v.level, found.units_df)


def _of_kish(v: TableValue, variance: float) -> records.Interval | None:
    """Wilson on no more rows than weights leave.

    Of few rows of one kind the variance hangs on what these happen to weigh, and is mostly too
    small. Kish's (sum of w)^2 / (sum of w^2) of the rows below the line does not.
    """
    assert v.squares is not None
    inside = gradient(v.function, v.table) != 0
    left = float(v.table[inside].sum()) ** 2 / float(v.squares[inside].sum())
    effective = min(v.value * (1 - v.value) / variance, left)
    limits = proportions.wilson_n_eff(v.value, effective, v.level)
    error = math.sqrt(variance)
    return from_limits(
        limits, v.level, SHARE_OF_WEIGHTS, n_effective=effective, standard_error=error
    )


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
    told: dict[str, Any] = {"standard_error": math.sqrt(variance), "df": _told(df)}
    return from_limits(limits, level, "wilson_n_eff", n_effective=effective, **told)


def share_of_rows(
    share: float,
    weight: npt.NDArray[np.float64],
    hit: npt.NDArray[np.bool_],
    level: float,
    method: str,
    rows: float,
) -> records.Interval | None:
    """The same from the weight of each row, shape (n,), and whether it is in the share.

    ``rows``: of the whole sample. By ``wilson_kish`` on no more rows than Kish's.
    """
    total, heaviest = math.fsum(weight), float(weight.max(initial=0.0))
    if total <= 0:
        return None
    squares = math.fsum(weight[hit] ** 2), math.fsum(weight[~hit] ** 2)
    variance = means.share_variance(share, total, squares, rows)
    if _is_unvaried(share, variance):
        own = _alike(share, total / heaviest, heaviest, level, "wilson_n_eff")
    else:
        own = n_eff_interval(share, variance, level)
    if own is None or method != SHARE_OF_WEIGHTS:
        return own
    error = own.standard_error
    if own.n_effective is None or error is None:
        return replace(own, method=method)
    left = means.effective_size_from_sums(total, math.fsum(squares))
    effective = min(own.n_effective, left)
    limits = proportions.wilson_n_eff(share, effective, level)
    return from_limits(limits, level, method, n_effective=effective, standard_error=error)


def _is_unvaried(share: float, variance: float) -> bool:
    """Whether all rows are alike: a share of 0 or 1, but for the rounding of sums of weights."""
    return share * (1 - share) <= ROUNDING or variance <= VANISHED * share * (1 - share)


def _alike(
    share: float, effective: float, heaviest: float, level: float, method: str
) -> records.Interval | None:
    """Of rows that all succeed, or all fail, each as heavy as an unseen one may be."""
    kind = "succeeded" if share >= 0.5 else "failed"
    note = (
        f"every row {kind}: the rows count as {effective:.4g}, each as heavy "
        f"as an unseen one may be ({heaviest:.4g})"
    )
    limits = proportions.wilson_n_eff(share, effective, level)
    return from_limits(limits, level, method, note, n_effective=effective)


def _unvaried_proportion(v: TableValue, method: str) -> records.Interval | None:
    slopes = gradient(v.function, v.table, everywhere=True)
    seen = v.table > 0
    unseen = (np.abs(slopes) > 0) & ~seen
    if not unseen.any():
        return None
    squares = v.table if v.squares is None else v.squares
    heaviest = weight_of_unseen(v.table, squares, unseen)
    # a unit in a cell of the other kind moves the share by 1 over what is below the line
    below = 1.0 / float(np.abs(slopes[unseen]).max())
    return _alike(v.value, below / heaviest, heaviest, v.level, method)


def clustered_proportion(
    hits: Floats, sizes: Floats, level: float, method: str
) -> records.Interval | None:
    """Ratio estimator over clusters, as Wilson on the effective number of rows.

    By Student's t with as many degrees of freedom as clusters less one, on no more rows than there
    are: a variance below theirs is an accident of few clusters. ``cluster_robust``, on request,
    has the normal deviate and its own number of rows. Without variation a cluster is one row.
    """
    hits, sizes = hits[sizes > 0], sizes[sizes > 0]
    occupied = len(sizes)
    if occupied < 2:
        return None
    estimate = means.ratio_of_totals(hits, sizes)
    if estimate is None or estimate.standard_error is None:
        return None
    share = float(hits.sum() / sizes.sum())
    error = estimate.standard_error
    note, effective = None, float(occupied)
    if error * error > VANISHED:
        effective = share * (1 - share) / (error * error)
    else:
        note = "no variation between clusters: Wilson on the number of clusters"
    if method != SHARE_OF_CLUSTERS:
        limits = proportions.wilson_n_eff(share, effective, level)
        return from_limits(limits, level, method, note, n_effective=effective)
    effective = min(effective, float(sizes.sum()))
    limits = proportions.wilson_t(share, effective, occupied - 1, level)
    known = None if note else error
    return from_limits(limits, level, method, note, n_effective=effective, standard_error=known)


# -- smooth functions of the table -----------------------------------------------------------


def smooth(v: TableValue, method: str = "delta", scale: str = "plain") -> records.Interval | None:
    """Delta method, sandwich or cluster-robust; None where nothing varies.

    ``scale``: ``log`` for ratios and ``fisher_z`` for correlations, so that limits
    keep to their range; ``plain`` otherwise.
    """
    estimated = _variance(v, method)
    variance, df = estimated.variance, estimated.df
    if not math.isfinite(variance):
        return None
    if variance <= VANISHED:
        return None
    half = deviate(v.level, df) * math.sqrt(variance)
    if scale == "log" and v.value > 0:
        with np.errstate(over="ignore"):
            ratio = float(np.exp(half / v.value))
        limits = Limits(v.value / ratio, v.value * ratio)
        return from_limits(limits, v.level, method, df=_told(df))
    if scale == "fisher_z" and abs(v.value) < 1:
        return _on_fisher_scale(v.value, variance, v.level, method, df)
    designed = method in ("sandwich", "cluster_robust")
    error = math.sqrt(variance) if designed else None
    return symmetric(v.value, variance, v.level, method, v.bounds, df, standard_error=error)


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


def kappa_wald(v: TableValue, weights: str | None) -> records.Interval | None:
    """Kappa with the Fleiss-Cohen-Everitt standard error; None at 1 and -1."""
    matrix = None if weights is None else agreement.agreement_weights(len(v.table), weights)
    return from_limits(agreement.kappa_wald(v.table, v.level, matrix), v.level, "wald")


def of_cells(
    function: Callable[..., Limits | None],
    params: Mapping[str, Any],
    v: TableValue,
    positive: int,
    method: str,
) -> records.Interval | None:
    """Declared limits of a metric of two classes; None where a cell of 0 breaks them.

    The upper one of an infinite value is infinite.
    """
    limits = function(*_cells(v.table, positive), level=v.level, **params)
    if limits is None or not has_width(limits):
        return None
    return records.Interval(v.level, float(limits.low), float(limits.high), method)


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


def in_score_form(
    own: delong.AreaLimits, df: float, level: float, method: str, **told: Any
) -> records.Interval | None:
    """Limits of an area in score form by Student's t; ``told``: what the record says beside."""
    error = math.sqrt(own.variance or 0.0) or None
    limits = own.at(deviate(level, df))
    return from_limits(limits, level, method, df=df, standard_error=error, **told)


def area_of_clusters(
    area: float,
    variance: float,
    rows: tuple[float, float],
    clusters: tuple[float, float, float],
    level: float,
) -> records.Interval | None:
    """Score limits of an area of clustered rows, with Obuchowski's variance and Student's t.

    ``rows``: positives and negatives; ``clusters``: with positives, with negatives, in all. Where
    clusters do not vary each counts as one row.
    """
    *each, together = clusters
    if together < 2:
        return None
    seen = variance if variance > VANISHED else None
    counted = rows if seen is not None else (each[0], each[1])
    own = delong.AreaLimits(area, seen, counted, min(each))
    return in_score_form(own, together - 1.0, level, AREA_OF_CLUSTERS)


# -- functions of a whole table --------------------------------------------------------------


def widened(
    value: float,
    variance: float,
    units: float,
    level: float,
    method: str,
    *,
    bounds: tuple[float, float],
    parts: int = 1,
    clusters: bool = False,
) -> records.Interval | str | None:
    """Limits as `widened_limits` has them, with t of units less one; the reason with too few."""
    if units - 1.0 < means.LEAST_DEGREES:
        return too_few(units, clusters=clusters)
    limits = widened_limits(value, variance, units, level, bounds=bounds, parts=parts)
    error = math.sqrt(variance) or None
    return from_limits(limits, level, method, df=units - 1.0, standard_error=error)


def averaged(
    values: Sequence[float],
    shares: Sequence[float],
    units: Sequence[float],
    variance: float,
    level: float,
    method: str,
    *,
    bounds: tuple[float, float],
    clusters: bool = False,
) -> records.Interval | str | None:
    """Limits as `averaged_limits` has them; the reason with too few units."""
    limits, df = averaged_limits(values, shares, units, variance, level, bounds=bounds)
    if df < means.LEAST_DEGREES:
        return too_few(df + 1.0, clusters=clusters)
    error = math.sqrt(variance) or None
    return from_limits(limits, level, method, df=df, standard_error=error)


def too_few(units: float, *, clusters: bool) -> str:
    """Why a value has no limits by Student's t: one or two rows, or clusters, show too little."""
    what = "clusters" if clusters else "rows"
    return f"too few {what}: {units:.3g} of the class that has fewer"


def whole_table(
    v: TableValue,
    method: str,
    *,
    parts: int,
    of_class: Callable[[int], Callable[[Floats], Floats]] | None = None,
) -> records.Interval | str | None:
    """A function of the table of all classes, or a mean of ``parts`` classes, see `widened_limits`.

    By the delta method, or the variance of weights or clusters. Units are those of the class that
    has fewest: rows, Kish's rows that weights leave, or clusters. ``of_class``: of an average that
    is weighted by rows, the values of stacked tables by the place of a class: each class then
    counts by its own rows, see `averaged_limits`.
    """
    by = {DELTA_T: "delta", SANDWICH_T: "sandwich"}.get(method, "cluster_robust")
    variance = _variance(v, by).variance
    if not math.isfinite(variance):
        return None
    clusters = v.clusters is not None
    if of_class is None:
        of = (v.value, variance, _least_units(v), v.level, method)
        found = widened(*of, bounds=v.bounds, parts=parts, clusters=clusters)
    else:
        each = [float(of_class(k)(v.table[None])[0]) for k in range(len(v.table))]
        inside = [k for k, own in enumerate(each) if math.isfinite(own)]
        totals = v.table.sum(axis=1)[inside]
        found = averaged(
            [each[k] for k in inside],
            (totals / totals.sum()).tolist(),
            [_rarer_side(v, k) for k in inside],
            variance,
            v.level,
            method,
            bounds=v.bounds,
            clusters=clusters,
        )
    return found if isinstance(found, str) or has_width(found) else None


def _least_units(v: TableValue) -> float:
    """Units of the actual class that occurs and has fewest of them."""
    return min(_units_in(v, [k]) for k in np.flatnonzero(v.table.sum(axis=1) > 0))


def _rarer_side(v: TableValue, index: int) -> float:
    """Units of a class, or of all others, whichever are fewer."""
    others = [k for k in range(len(v.table)) if k != index]
    return min(_units_in(v, [index]), _units_in(v, others))


def _units_in(v: TableValue, classes: Any) -> float:
    """Units of some actual classes: clusters that have them, Kish's rows, or rows."""
    if v.clusters is not None:
        return float(np.count_nonzero(v.clusters[:, classes].sum(axis=(1, 2)) > 0))
    total = float(v.table[classes].sum())
    if v.squares is not None:
        return means.effective_size_from_sums(total, float(v.squares[classes].sum()))
    return total
