"""Bins of probabilities: equal widths with exact edges, or quantile groups keeping ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.declare import Parameter
from evalreport.metrics.formula import ROUNDING
from evalreport.metrics.tables import ScoreTable
from evalreport.values import dataclass

BINS = (
    Parameter("bins", int, 10, low=1, high=10_000, meaning="number of bins"),
    Parameter(
        "strategy",
        str,
        "uniform",
        choices=("uniform", "quantile"),
        meaning="bins of equal width, or of about equally many rows",
    ),
)


@dataclass(frozen=True, eq=False)
class Bins:
    """Sums over the rows of each bin, lowest first; arrays of shape (..., bins)."""

    positives: npt.NDArray[Any]
    rows: npt.NDArray[Any]
    expected: npt.NDArray[Any]


def as_observed(expected: Any, positives: Any) -> Any:
    """Sums of probabilities, or the positives where nothing but rounding lies between them.

    A share such as 764 / 2683 is no double: times its rows it may miss the count that it was
    made from by the last digit.

    >>> 2683 * (764 / 2683) == 764, float(as_observed(2683 * (764 / 2683), 764)) == 764
    (False, True)
    """
    alike = np.abs(np.subtract(expected, positives)) <= ROUNDING * np.abs(positives)
    return np.where(alike, positives, expected)


def probability_bins(s: ScoreTable, bins: int, strategy: str) -> Bins:
    """Positives, rows and summed probability of each bin; empty bins are all 0."""
    if strategy == "quantile":
        return binned(s, quantile_groups(s, bins), bins)
    return binned(s, uniform_bins(s.scores, bins), bins)


def uniform_bins(scores: npt.NDArray[Any], bins: int) -> npt.NDArray[Any]:
    """The bin of each score: [k/b, (k+1)/b), the last one closed.

    The edges are the numbers k/b themselves, as a reader would write them, so that
    0.3 is in the fourth of ten bins.

    >>> uniform_bins(np.array([1.0, 0.7, 0.3, 0.29, 0.0]), 10).tolist()
    [9, 7, 3, 2, 0]
    """
    inner = np.arange(1, bins) / bins
    return np.searchsorted(inner, scores, side="right")


def quantile_groups(s: ScoreTable, groups: int) -> npt.NDArray[Any]:
    """The group of each score, shape (..., D): cut at type-7 quantiles, right-closed.

    A cut equal to the lowest score falls away, as in R's ``cut`` with
    ``include.lowest``; equal scores share a group. With fractional weights the cut
    is the lowest score at which the cumulated weight reaches its share.

    >>> one = np.ones(5, dtype=int)
    >>> quantile_groups(ScoreTable(np.array([0.9, 0.7, 0.5, 0.3, 0.1]), one, 0 * one), 2).tolist()
    [1, 1, 0, 0, 0]
    """
    mass = (s.positives + s.negatives)[..., ::-1]
    reached = np.cumsum(mass, axis=-1)
    group = np.zeros(mass.shape, dtype=np.int64)
    if not mass.shape[-1]:
        return group
    place = np.arange(mass.shape[-1])
    first = _first_over(reached, np.zeros(mass.shape[:-1]))
    for k in range(1, groups):
        last, above = _cut(reached, k, groups)
        group = group + ((place > last[..., None]) & (above > first)[..., None])
    return group[..., ::-1]


def _cut(reached: npt.NDArray[Any], k: int, groups: int) -> tuple[Any, Any]:
    """Entry up to which rows lie below the k-th cut, and the entry of the next order statistic.

    The type-7 quantile lies between two order statistics; the cut is the lower of
    them only where it falls on it, or where both are equal.
    """
    n = reached[..., -1]
    if not np.array_equal(reached, np.rint(reached)):
        last = (reached < (n * (k / groups))[..., None] * (1 - 1e-12)).sum(axis=-1)
        return last, last
    whole = np.rint(n).astype(np.int64)
    position, rest = np.divmod((whole - 1) * k, groups)
    return _first_over(reached, position), _first_over(reached, position + (rest > 0))


def _first_over(reached: npt.NDArray[Any], position: Any) -> Any:
    """Entry that holds the row at a position counted from 0, rows in ascending order."""
    return (reached <= np.asarray(position)[..., None]).sum(axis=-1)


def binned(s: ScoreTable, bin_of: npt.NDArray[Any], bins: int) -> Bins:
    """Sums over the entries of each bin; ``bin_of`` falls from entry to entry."""
    rows = s.positives + s.negatives
    parts = (s.positives, rows, rows * s.scores)
    positives, held, expected = (_sums(part, bin_of, bins) for part in parts)
    return Bins(positives, held, as_observed(expected, positives))


def _sums(part: npt.NDArray[Any], bin_of: npt.NDArray[Any], bins: int) -> npt.NDArray[Any]:
    """Sums of each run of entries with one bin, in ascending order of bins."""
    found = np.zeros((*part.shape[:-1], bins), dtype=part.dtype)
    if bin_of.ndim == 1:
        present, starts = np.unique(bin_of[::-1], return_index=True)
        if len(present):
            found[..., present] = np.add.reduceat(part[..., ::-1], starts, axis=-1)
        return found
    for k in range(bins):
        found[..., k] = np.where(bin_of == k, part, 0).sum(axis=-1)
    return found
