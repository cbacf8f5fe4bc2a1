"""How far counts of categories, or of values, have moved from one sample to another.

The distances are between two distributions over the same bins.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.tail import chi2_sf, kolmogorov_sf


def population_stability_index(expected: ArrayLike, actual: ArrayLike) -> float | None:
    """Sum of (a - e) ln(a / e) over the shares of each bin.

    Bins empty on both sides are left out. None when a side has no rows, or a bin is empty
    on one side only: the index is then infinite, and depends on whatever is added to it.

    >>> round(population_stability_index([50, 50], [60, 40]), 6)
    0.040547
    """
    e, a = np.asarray(expected, np.float64), np.asarray(actual, np.float64)
    held = (e > 0) | (a > 0)
    if not held.any() or bool(np.any(e[held] == 0)) or bool(np.any(a[held] == 0)):
        return None
    share_e, share_a = e[held] / np.sum(e), a[held] / np.sum(a)
    return math.fsum((share_a - share_e) * np.log(share_a / share_e))


class KolmogorovSmirnov(NamedTuple):
    """Largest gap between two distribution functions, and its limiting two-sided p-value."""

    statistic: float
    p_value: float


def kolmogorov_smirnov(first: ArrayLike, second: ArrayLike) -> KolmogorovSmirnov | None:
    """Two-sample statistic from counts over the same values, in the order of the values.

    None when a side has no rows.
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    n_a, n_b = float(np.sum(a)), float(np.sum(b))
    if n_a <= 0.0 or n_b <= 0.0:
        return None
    statistic = float(np.max(np.abs(np.cumsum(a) / n_a - np.cumsum(b) / n_b)))
    size = n_a * n_b / (n_a + n_b)
    return KolmogorovSmirnov(statistic, kolmogorov_sf(math.sqrt(size) * statistic))


#: Values from the lowest to the highest, each with its number of rows.
Values = Sequence[tuple[float, float]]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Values with their rows: distinct ones, or bins, each named by the lowest value in it.

    A bin ends below the next one. The cumulative counts at the values are exact in either case.
    """

    values: Values
    in_bins: bool = False

    def rows_below(self, points: Floats) -> Floats:
        """Rows below each point; rows of a bin lie evenly in it, those of the highest at its value.

        >>> Sample([(0.2, 2), (0.4, 4)], in_bins=True).rows_below(np.array([0.2, 0.3, 0.5]))
        array([0., 1., 6.])
        """
        values, rows = self._cumulative()
        if not self.in_bins:
            return rows[np.searchsorted(values, points)]
        return np.interp(points, [*values, np.nextafter(values[-1], np.inf)], rows)

    def shares(self, points: Floats, *, after: bool) -> tuple[Floats, Floats]:
        """The least and the largest share of rows below each point, or right ``after`` it."""
        values, rows = self._cumulative()
        most = np.searchsorted(values, points, "right" if after else "left")
        least = most
        if self.in_bins:
            least = np.maximum(np.searchsorted(values, points, "right") - 1, 0)
        return rows[least] / rows[-1], rows[most] / rows[-1]

    def _cumulative(self) -> tuple[Floats, Floats]:
        """The values, and the rows below each of them and in all."""
        values, rows = np.array(self.values, np.float64).reshape(-1, 2).T
        return values, np.concatenate([[0.0], np.cumsum(rows)])


def on_common_points(first: Sample, second: Sample) -> tuple[Values, Values]:
    """Both samples as rows from each value of either to the next; distinct ones stay as they are.

    >>> on_common_points(Sample([(0.1, 2), (0.3, 2)], in_bins=True), Sample([(0.2, 5)]))
    ([(0.1, 1.0), (0.2, 1.0), (0.3, 2.0)], [(0.2, 5)])
    """
    points = _points(first, second)

    def spread(side: Sample) -> Values:
        if not side.in_bins:
            return side.values
        below = side.rows_below(points)
        rows = np.diff(below, append=math.fsum(n for _, n in side.values))
        return [(p, n) for p, n in zip(points.tolist(), rows.tolist(), strict=True) if n > 0]

    return spread(first), spread(second)


def kolmogorov_smirnov_bounds(first: Sample, second: Sample) -> tuple[float, float]:
    """The least and the largest distance that two samples may have, given what their bins hold.

    They are equal where both hold distinct values.

    >>> bins = Sample([(0.1, 2), (0.3, 2)], in_bins=True)
    >>> kolmogorov_smirnov_bounds(bins, Sample([(0.2, 1), (0.3, 3)]))
    (0.25, 0.5)
    """
    points = _points(first, second)
    (low, high), (other_low, other_high) = (s.shares(points, after=False) for s in (first, second))
    least = max(0.0, float(np.max(low - other_high)), float(np.max(other_low - high)))
    (low, high), (other_low, other_high) = (s.shares(points, after=True) for s in (first, second))
    return least, max(float(np.max(high - other_low)), float(np.max(other_high - low)))


def _points(*samples: Sample) -> Floats:
    return np.unique([value for side in samples for value, _ in side.values])


EMPTY_BIN = "a bin is empty on one side only"


@dataclass(frozen=True)
class Index:
    """A stability index, and the chance of one as large if nothing has moved.

    The index of n and m rows over B bins, times n m / (n + m), is asymptotically
    chi-square with B - 1 degrees of freedom (Yurdakul 2018, Statistical properties of
    the population stability index). ``expected`` is its mean then.
    """

    psi: float | None
    p_value: float | None = None
    expected: float | None = None


def index_of(reference: Sequence[float], now: Sequence[float]) -> Index:
    """The index of counts over the same bins; none where a bin is empty on one side only.

    >>> found = index_of([50, 50], [60, 40])
    >>> round(found.psi, 6), round(found.p_value, 4), found.expected
    (0.040547, 0.1545, 0.02)
    """
    psi = population_stability_index(reference, now)
    held = sum(a + b > 0 for a, b in zip(reference, now, strict=True))
    if psi is None or held < 2:
        return Index(psi)
    n, m = math.fsum(reference), math.fsum(now)
    return Index(psi, chi2_sf(psi * n * m / (n + m), held - 1), (held - 1) * (1.0 / n + 1.0 / m))


def chi_square(counts: Sequence[tuple[float, float]]) -> tuple[float | None, int]:
    """Pearson's chi-square of two columns of counts, and its degrees of freedom."""
    held = [(a, b) for a, b in counts if a + b > 0]
    totals = (sum(a for a, _ in held), sum(b for _, b in held))
    df = len(held) - 1
    if df < 1 or min(totals) <= 0:
        return None, 0
    whole = sum(totals)
    statistic = 0.0
    for pair in held:
        for count, total in zip(pair, totals, strict=True):
            expected = sum(pair) * total / whole
            statistic += (count - expected) ** 2 / expected
    return statistic, df


@dataclass(frozen=True)
class ValueShift:
    """Bins cut at shares of the reference, their counts on both sides, and how far they lie apart.

    A value equal to a cut belongs to the bin below it.
    """

    cuts: list[float]
    reference: list[float]
    now: list[float]
    index: Index
    ks: float | None
    ks_p_value: float | None


def value_shift(reference: Values, now: Values, bins: int) -> ValueShift:
    """The shift of values: index over bins of the reference, and Kolmogorov-Smirnov.

    >>> found = value_shift([(0.1, 5), (0.9, 5)], [(0.1, 5), (0.9, 5)], 10)
    >>> found.index.psi, found.ks, found.ks_p_value
    (0.0, 0.0, 1.0)
    """
    cuts = _cuts(reference, bins)
    before, after = _binned(reference, cuts), _binned(now, cuts)
    index = index_of(before, after) if reference and now else Index(None)
    values = sorted({value for value, _ in (*reference, *now)})
    per_value = [dict(side) for side in (reference, now)]
    ks = kolmogorov_smirnov(*([side.get(v, 0.0) for v in values] for side in per_value))
    return ValueShift(
        cuts,
        before,
        after,
        index,
        None if ks is None else ks.statistic,
        None if ks is None else ks.p_value,
    )


def on_grid(values: Values, grid: Sequence[float]) -> list[tuple[float, float]]:
    """Distinct values in bins: each counts at the highest point of a grid that is no higher.

    The grid is ascending; what lies below it counts at its first point. Against a sample with
    these bins, at most the share of its largest bin is lost of the Kolmogorov-Smirnov distance.

    >>> on_grid([(0.1, 2), (0.25, 1), (0.3, 4), (0.9, 1)], [0.2, 0.3])
    [(0.2, 3.0), (0.3, 5.0)]
    """
    counts = dict.fromkeys(grid, 0.0)
    for value, rows in values:
        counts[grid[max(bisect_right(grid, value) - 1, 0)]] += rows
    return list(counts.items())


def _cuts(values: Values, bins: int) -> list[float]:
    """Values at which one share, two shares, ... of the rows are at or below; ties share a bin."""
    below = list(accumulate(count for _, count in values))
    if not below:
        return []
    places = [
        next(i for i, rows in enumerate(below) if rows * bins >= below[-1] * share)
        for share in range(1, bins)
    ]
    # a cut at the highest value would leave nothing above it
    return list(dict.fromkeys(values[i][0] for i in places if i < len(values) - 1))


def _binned(values: Values, cuts: Sequence[float]) -> list[float]:
    counts = [0.0] * (len(cuts) + 1)
    for value, rows in values:
        counts[bisect_left(cuts, value)] += rows
    return counts
