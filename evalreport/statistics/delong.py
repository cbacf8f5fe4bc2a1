"""Variance and intervals of the area under the ROC curve, from a table of scores.

The table has one entry per distinct score, the highest first: how many positives and
how many negatives have it. Ties share an entry and count one half. Everything is one
pass over the entries; the counts are multiplicities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.exact_sums import sum_of_parts, sums_by_code
from evalreport.statistics.interval import (
    Interval,
    clipped,
    deviate,
    errors_to,
    square_and_add,
    symmetric,
    z_value,
)
from evalreport.statistics.numbering import (
    highest_first,
    numbered,
    tallied,
    unless_once,
)
from evalreport.statistics.root import bisect

Floats = NDArray[np.float64]
AucMethod: TypeAlias = Callable[["AreaLimits", float], Interval | None]


def _table(positives: ArrayLike, negatives: ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.asarray(positives, np.float64), np.asarray(negatives, np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(
            f"positives {first.shape} and negatives {second.shape}: must be two lists "
            "of the same length, one entry per distinct score"
        )
    return first, second


def _after(counts: Floats) -> Floats:
    """Per entry the sum of those after it: of weights never below 0, and 0 where there are none."""
    found = np.zeros(len(counts))
    np.cumsum(counts[:0:-1], out=found[-2::-1])
    return found


def _before(counts: Floats) -> Floats:
    """The same of those before it."""
    found = np.zeros(len(counts))
    np.cumsum(counts[:-1], out=found[1:])
    return found


def _with_ties(beside: Floats, counts: Floats) -> Floats:
    """Twice the sums beside entries, with the entries themselves; overwrites ``beside``."""
    beside *= 2.0
    beside += counts
    return beside


def placements(positives: Floats, negatives: Floats) -> tuple[Floats, Floats]:
    """Per entry: share of negatives scored lower, and of positives scored higher; ties half.

    Sums of counts are exact up to 2^53; only the last division rounds.
    """
    return negatives_below(negatives), positives_above(positives)


def negatives_below(negatives: Floats) -> Floats:
    """Per entry the share of negatives scored lower, ties half."""
    lower = _with_ties(_after(negatives), negatives)
    lower /= 2.0 * np.sum(negatives)
    return lower


def positives_above(positives: Floats) -> Floats:
    """Per entry the share of positives scored higher, ties half."""
    higher = _with_ties(_before(positives), positives)
    higher /= 2.0 * np.sum(positives)
    return higher


def auc(positives: ArrayLike, negatives: ArrayLike) -> float | None:
    """Probability that a positive outscores a negative, ties one half.

    None without positives or without negatives.

    >>> auc([1, 0, 1, 0], [0, 1, 0, 1])   # scores .8 .4 .35 .1
    0.75
    """
    pos, neg = _table(positives, negatives)
    found = _ranked(pos, neg)
    return None if found is None else found[0]


def _ranked(pos: Floats, neg: Floats) -> tuple[float, Floats] | None:
    """The area, and twice the negatives below each entry with the ties; None without a class."""
    m, n = float(np.sum(pos)), float(np.sum(neg))
    if m <= 0.0 or n <= 0.0:
        return None
    lower = _with_ties(_after(neg), neg)
    return min(float(np.sum(pos * lower)) / (2.0 * m * n), 1.0), lower


class AreaLimits(NamedTuple):
    """An area with what its limits in score form follow from, see :func:`score_form`."""

    area: float
    variance: float | None
    rows: tuple[float, float]
    units: float

    def at(self, errors: float) -> Interval:
        """Limits so many standard errors away."""
        return score_form(self.area, self.variance, self.rows, self.units, errors)

    @property
    def degrees(self) -> float:
        """Degrees of freedom: the pairs of rows, those of the form included, less one."""
        return self.units + PAIRS_OF_FORM - 1.0


def area_of(positives: ArrayLike, negatives: ArrayLike) -> AreaLimits | None:
    """The area of independent rows with what its limits follow from; None without a class.

    The variance (DeLong, DeLong, Clarke-Pearson 1988) is that of placements with ddof 1, None
    with fewer than two positives or two negatives.
    """
    pos, neg = _table(positives, negatives)
    found = _ranked(pos, neg)
    if found is None:
        return None
    area, lower = found
    m, n = float(np.sum(pos)), float(np.sum(neg))
    variance = None
    if m >= 2.0 and n >= 2.0:
        higher = _with_ties(_before(pos), pos)
        s10 = _squares(pos, lower, 2.0 * n, area) / (m - 1.0)
        s01 = _squares(neg, higher, 2.0 * m, area) / (n - 1.0)
        variance = s10 / m + s01 / n
    return AreaLimits(area, variance, (m, n), min(m, n))


def _squares(counts: Floats, apart: Floats, whole: float, area: float) -> float:
    """Sum of squared distances of placements from the area; overwrites ``apart``."""
    apart /= whole
    apart -= area
    np.square(apart, out=apart)
    apart *= counts
    return float(np.sum(apart))


def delong(found: AreaLimits, level: float) -> Interval | None:
    """Normal interval of the area, kept within [0, 1]; of zero width when the variance is 0."""
    if found.variance is None:
        return None
    return symmetric(found.area, z_value(level) * math.sqrt(found.variance), 0.0, 1.0)


def delong_logit(found: AreaLimits, level: float) -> Interval | None:
    """Interval on the logit scale; None for an area of 0 or 1."""
    if found.variance is None or found.area in (0.0, 1.0):
        return None
    area, error = found.area, math.sqrt(found.variance)
    odds = area / (1.0 - area)
    factor = math.exp(z_value(level) * error / (area * (1.0 - area)))
    return clipped(odds / (factor + odds), 1.0 / (1.0 + 1.0 / (odds * factor)))


def hanley_mcneil_variance(area: float, m: float, n: float) -> float:
    """Variance of an area of ``m`` positives and ``n`` negatives (Hanley, McNeil 1982)."""
    q1 = area / (2.0 - area)
    q2 = 2.0 * area * area / (1.0 + area)
    total = math.fsum(
        (
            area * (1.0 - area),
            (m - 1.0) * (q1 - area * area),
            (n - 1.0) * (q2 - area * area),
        )
    )
    return max(total, 0.0) / (m * n)


def hanley_mcneil(found: AreaLimits, level: float) -> Interval:
    """Normal interval of the area with the Hanley-McNeil variance."""
    variance = hanley_mcneil_variance(found.area, *found.rows)
    return symmetric(found.area, z_value(level) * math.sqrt(variance), 0.0, 1.0)


def hanley_mcneil_score(found: AreaLimits, level: float) -> Interval:
    """Areas whose own Hanley-McNeil standard error puts the observed one within z of them.

    The analogue of Wilson's interval. Unlike the others it does not shrink to a point
    when the classes are perfectly separated, and it needs one row of each class only.

    >>> low, high = hanley_mcneil_score(area_of([10, 0], [0, 10]), 0.95)
    >>> round(low, 3), high
    (0.8, 1.0)
    """
    return _score_limits(found.area, *found.rows, z_value(level))


#: Independent pairs of rows that the Hanley-McNeil variance counts as, beside DeLong's.
PAIRS_OF_FORM = 6.0


def score_form(
    area: float,
    variance: float | None,
    rows: tuple[float, float],
    units: float,
    errors: float,
) -> Interval:
    """The score form of Hanley and McNeil with another variance at the observed area.

    ``rows``: positives and negatives. ``units``: how many independent pairs the variance was
    estimated from; :data:`PAIRS_OF_FORM` more are put on Hanley and McNeil's. ``errors``: how
    many standard errors away the limits are, the deviate of the level.
    """
    m, n = rows
    formed, factor = hanley_mcneil_variance(area, m, n), 1.0
    if variance and formed > 0.0:
        factor = (units * variance / formed + PAIRS_OF_FORM) / (units + PAIRS_OF_FORM)
    return _score_limits(area, m, n, errors * math.sqrt(factor))


def _score_limits(area: float, m: float, n: float, errors: float) -> Interval:
    """Areas whose Hanley-McNeil variance puts ``area`` within so many of their errors."""

    def excess(bound: float) -> float:
        return abs(area - bound) - errors * math.sqrt(hanley_mcneil_variance(bound, m, n))

    # an area of 0 or 1 is a root as well: start beside it, to find the other one
    inner_low, inner_high = 1e-300, math.nextafter(1.0, 0.0)
    low = 0.0 if area <= 0.0 else bisect(excess, 0.0, min(area, inner_high))
    high = 1.0 if area >= 1.0 else bisect(excess, max(area, inner_low), 1.0)
    return Interval(low, high)


def delong_score(found: AreaLimits, level: float) -> Interval:
    """Areas whose own standard error puts the observed one within t of them.

    How the error of an area follows from the area is Hanley and McNeil's; how large it is, is
    DeLong's: their variance at every bound is multiplied by (k V / H + 6) / (k + 6), V and H
    the variances of DeLong and of Hanley and McNeil at the observed area, k the smaller of the
    numbers of positives and negatives. So it is the score form of Hanley and McNeil with few
    rows, of which little is known but the area, and DeLong's with many. The 6 was chosen by the
    coverage study (docs/coverage.md): with less, areas near 1 are held too rarely. Student's t
    has k + 5 degrees of freedom.
    With areas of 0 and 1, and one row of a class, it is Hanley and McNeil's alone.

    >>> low, high = delong_score(area_of([1, 0, 1, 0], [0, 1, 0, 1]), 0.95)
    >>> round(low, 3), round(high, 3)
    (0.16, 0.978)
    """
    return found.at(deviate(level, found.degrees))


class PairedAreas(NamedTuple):
    """Two areas of the same rows, their variances and covariance (None: not estimable)."""

    auc_1: float
    auc_2: float
    variance_1: float | None
    variance_2: float | None
    covariance: float | None

    @property
    def difference(self) -> float:
        """First area minus second."""
        return self.auc_1 - self.auc_2

    @property
    def correlation(self) -> float:
        """Correlation of the two areas; 0 where one of them does not vary."""
        if not self.variance_1 or not self.variance_2 or self.covariance is None:
            return 0.0
        found = self.covariance / math.sqrt(self.variance_1) / math.sqrt(self.variance_2)
        return min(max(found, -1.0), 1.0)

    @property
    def difference_variance(self) -> float | None:
        """Variance of the difference; exactly 0 only when the placements agree."""
        if self.variance_1 is None or self.variance_2 is None or self.covariance is None:
            return None
        return max(math.fsum((self.variance_1, self.variance_2, -2.0 * self.covariance)), 0.0)


def row_placements(actual_positive: NDArray[np.bool_], score: ArrayLike) -> tuple[Floats, Floats]:
    """Placement of every positive row among the negatives, and of every negative row.

    Args:
        actual_positive: shape (rows,).
        score: shape (rows,); higher is more positive.

    Returns:
        V10 in the order of the positive rows, V01 in the order of the negative rows.
    """
    entry, size = highest_first(score)
    pos = np.bincount(entry[actual_positive], minlength=size).astype(np.float64)
    neg = np.bincount(entry[~actual_positive], minlength=size).astype(np.float64)
    v10, v01 = placements(pos, neg)
    return v10[entry[actual_positive]], v01[entry[~actual_positive]]


def delong_paired(
    actual_positive: NDArray[np.bool_],
    score_1: ArrayLike,
    score_2: ArrayLike,
    times: ArrayLike | None = None,
) -> PairedAreas | None:
    """Two areas of the same rows with DeLong's covariance; None without both classes.

    ``times``: how many rows are of each kind; each stands for itself where None. Variances are
    None with fewer than two positives or two negatives.
    """
    return areas_of_rows(actual_positive, (score_1, score_2), times)


def areas_of_rows(
    actual_positive: NDArray[np.bool_],
    scores: Sequence[ArrayLike],
    times: ArrayLike | None,
    clusters: ArrayLike | None = None,
) -> PairedAreas | None:
    """Areas of two scores of the same rows; of one, it is both. None without both classes.

    The covariances are sums over what is independent: rows (DeLong), or ``clusters``, shape
    (rows,) (Obuchowski 1997). Sums go over the distinct scores, or pairs of scores, in their order,
    so neither the order of rows nor whether they come as kinds changes a bit.
    """
    positive = np.asarray(actual_positive, np.bool_)
    many = unless_once(None if times is None else np.asarray(times))
    ranked = [(entry.astype(np.int32), size) for entry, size in map(highest_first, scores)]
    unit = None if clusters is None else numbered(np.asarray(clusters))[1].astype(np.int32)
    count = 0 if unit is None else int(unit.max(initial=-1)) + 1
    sides = positive, ~positive
    often = [None if many is None else many[side] for side in sides]
    totals = [
        float(np.count_nonzero(side) if own is None else np.sum(own))
        for side, own in zip(sides, often, strict=True)
    ]
    if not all(totals):
        return None
    in_class = [
        _OfClass(ranked, side, own, None if unit is None else unit[side], count)
        for side, own in zip(sides, often, strict=True)
    ]
    areas: list[float] = []
    parts = [(one.alike, list[Floats]()) for one in in_class]
    for place, (entry, size) in enumerate(ranked):
        counts: list[NDArray[Any]] = [
            np.bincount(entry[side], n, size).astype(
                np.int32 if n is None else np.float64, copy=False
            )
            for side, n in zip(sides, often, strict=True)
        ]
        # of millions of scores each array is large: none is held longer than it is needed
        for k, placed in enumerate((negatives_below, positives_above)):
            values = placed(counts[1 - k])
            mean = _mean(counts[k], values, totals[k])
            if k == 0:
                areas.append(min(mean, 1.0))
            values -= mean
            parts[k][1].append(in_class[k].of_units(place, values))
            del values
        del counts
    counted = [float(np.sum(alike)) for alike, _ in parts]
    if min(counted) < 2:
        return PairedAreas(areas[0], areas[-1], None, None, None)

    def covariance(a: int, b: int) -> float:
        found = 0.0
        for (alike, sums), units, rows in zip(parts, counted, totals, strict=True):
            products = sum_of_parts(
                lambda at: alike[at] * (sums[a][at] * sums[b][at]),  # noqa: B023 - called at once
                len(alike),
            )
            found += units / (units - 1.0) * products / rows**2
        if unit is not None:
            (_, one), (_, two) = parts
            crossed = float(np.sum(one[a] * two[b])) + float(np.sum(one[b] * two[a]))
            found += count / (count - 1.0) * crossed / (totals[0] * totals[1])
        return found

    last = len(scores) - 1
    one, two = max(covariance(0, 0), 0.0), max(covariance(last, last), 0.0)
    return PairedAreas(areas[0], areas[-1], one, two, covariance(0, last))


def _mean(counts: Floats, values: Floats, total: float) -> float:
    """The mean of rows of which so many are at each entry, with the value there."""
    return sum_of_parts(lambda at: counts[at] * values[at], len(values)) / total


class _OfClass:
    """The units of a class, and how many of them are ``alike``.

    A unit is a row, of which those of the same pair of scores are alike, or one of ``count``
    clusters. ``ranked``: the entry of each row of both classes by each score, and how many there
    are; ``side``: which rows are of the class; of these, ``many`` and ``unit``.
    """

    def __init__(
        self,
        ranked: Sequence[tuple[NDArray[np.int32], int]],
        side: NDArray[np.bool_],
        many: Floats | None,
        unit: NDArray[np.int32] | None,
        count: int,
    ) -> None:
        self._ranked, self._side, self._many = ranked, side, many
        self._unit, self._count = unit, count
        if unit is None:
            (first, _), (last, size) = ranked[0], ranked[-1]
            self._pairs, self.alike = tallied(first[side] * np.int64(size) + last[side], many)
        else:
            self.alike = (np.bincount(unit, minlength=count) > 0).astype(np.float64)

    def of_units(self, place: int, values: Floats) -> Floats:
        """What the ``values`` at the entries of a score add up to in each unit."""
        if self._unit is None:
            size = self._ranked[-1][1]
            at = self._pairs // size if place == 0 else self._pairs % size
            return np.asarray(values[at])
        entries = self._ranked[place][0][self._side]
        return sums_by_code(self._unit, lambda at: values[entries[at]], self._count, self._many)


def difference_interval(difference: float, variance: float | None, level: float) -> Interval | None:
    """Normal interval of a difference of areas, kept within [-1, 1]."""
    if variance is None:
        return None
    return symmetric(difference, z_value(level) * math.sqrt(variance), -1.0, 1.0)


def score_difference(
    first: AreaLimits, second: AreaLimits, correlation: float, errors: float
) -> Interval:
    """Limits of a difference of two areas from those of each in score form: square-and-add."""
    one, two = first.at(errors), second.at(errors)
    return clipped(*square_and_add(first.area, one, second.area, two, correlation), -1.0, 1.0)


#: Standard errors beyond which a difference is not told apart any further.
_MOST_ERRORS = 40.0


def score_difference_statistic(
    first: AreaLimits, second: AreaLimits, correlation: float, null: float
) -> float:
    """How many standard errors away the limit of :func:`score_difference` meets ``null``.

    Signed, so that the test of the null by Student's t agrees with the limits of every level.
    """
    return errors_to(
        null,
        first.area - second.area,
        lambda errors: score_difference(first, second, correlation, errors),
        0.0,
        _MOST_ERRORS,
    )


#: Intervals of an area of independent rows, by their names.
AUC_METHODS: dict[str, AucMethod] = {
    "delong": delong,
    "delong_logit": delong_logit,
    "delong_score": delong_score,
    "hanley_mcneil": hanley_mcneil,
}
