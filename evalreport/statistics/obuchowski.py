"""Variance of the area under the ROC curve for clustered and for weighted rows.

With one row per cluster the clustered variance is DeLong's; so is the weighted one when
all weights are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.delong import Floats, PairedAreas, placements
from evalreport.statistics.numbering import highest_first, numbered, tallied

Bools = NDArray[np.bool_]


class _ClusterSums:
    """Per cluster: sums over its positive and its negative rows of placement minus area."""

    def __init__(self, score: ArrayLike, kinds: _Kinds) -> None:
        entry, size = highest_first(score)
        counts = [kinds.totals(entry, side, size) for side in kinds.sides]
        placed = placements(counts[0], counts[1])
        means = [
            float(np.sum(many * place)) / float(np.sum(many))
            for many, place in zip(counts, placed, strict=True)
        ]
        self.area = min(means[0], 1.0)
        self.positive, self.negative = (
            kinds.of_clusters(entry, side, place - mean)
            for side, place, mean in zip(kinds.sides, placed, means, strict=True)
        )


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Kinds of clustered rows, of shape (k,): their class, cluster from 0, and how many there are.

    Sums go over the distinct pairs of cluster and score in their order, so neither the order of
    rows nor whether they come as kinds changes a bit.
    """

    positive: Bools
    cluster: NDArray[np.int64]
    times: Floats

    @property
    def sides(self) -> tuple[Bools, Bools]:
        return self.positive, ~self.positive

    def totals(self, entry: NDArray[np.intp], side: Bools, size: int) -> Floats:
        """Rows of each entry, shape (size,)."""
        return np.bincount(entry[side], self.times[side], size).astype(np.float64)

    def of_clusters(self, entry: NDArray[np.intp], side: Bools, values: Floats) -> Floats:
        """Sums of the values of entries over the rows of each cluster, shape (C,)."""
        size = len(values)
        pairs, many = tallied(self.cluster[side] * np.int64(size) + entry[side], self.times[side])
        clusters = int(self.cluster.max()) + 1
        return np.bincount(pairs // size, many * values[pairs % size], clusters).astype(np.float64)


def obuchowski_variance(
    actual_positive: Bools,
    score: ArrayLike,
    cluster_codes: ArrayLike,
    times: ArrayLike | None = None,
) -> float | None:
    """Variance of the area when the rows of a cluster are dependent (Obuchowski 1997).

    Args:
        actual_positive: shape (rows,).
        score: shape (rows,).
        cluster_codes: shape (rows,); clusters numbered from 0.
        times: how many rows there are of each that is given; each stands for itself where None.

    Returns:
        None with fewer than two clusters holding positives, or negatives.
    """
    paired = _areas(actual_positive, (score,), cluster_codes, times)
    return None if paired is None else paired.variance_1


def obuchowski_paired(
    actual_positive: Bools,
    score_1: ArrayLike,
    score_2: ArrayLike,
    cluster_codes: ArrayLike,
    times: ArrayLike | None = None,
) -> PairedAreas | None:
    """Two areas of the same clustered rows; None without both classes.

    ``times`` as in :func:`obuchowski_variance`. Variances are None with fewer than two clusters
    holding positives, or negatives.
    """
    return _areas(actual_positive, (score_1, score_2), cluster_codes, times)


def _areas(
    actual_positive: Bools,
    scores: tuple[ArrayLike, ...],
    cluster_codes: ArrayLike,
    times: ArrayLike | None,
) -> PairedAreas | None:
    """Areas of one or two scores of the same rows; of one, it is both."""
    positive = np.asarray(actual_positive, np.bool_)
    many = np.ones(positive.size) if times is None else np.asarray(times, np.float64)
    m, n = float(np.sum(many[positive])), float(np.sum(many[~positive]))
    if m == 0 or n == 0:
        return None
    _, codes = numbered(np.asarray(cluster_codes))
    kinds = _Kinds(positive, codes.astype(np.int64), many)
    clusters = int(kinds.cluster.max()) + 1
    with_positives, with_negatives = (
        int(np.count_nonzero(np.bincount(kinds.cluster[side]))) for side in kinds.sides
    )
    sums = [_ClusterSums(score, kinds) for score in scores]
    first, second = sums[0], sums[-1]
    if with_positives < 2 or with_negatives < 2:
        return PairedAreas(first.area, second.area, None, None, None)
    factor_10 = with_positives / (with_positives - 1.0) / (m * m)
    factor_01 = with_negatives / (with_negatives - 1.0) / (n * n)
    factor_11 = clusters / (clusters - 1.0) / (m * n)

    def covariance(a: _ClusterSums, b: _ClusterSums) -> float:
        total = factor_10 * float(np.sum(a.positive * b.positive))
        total += factor_01 * float(np.sum(a.negative * b.negative))
        total += factor_11 * float(np.sum(a.positive * b.negative))
        return total + factor_11 * float(np.sum(b.positive * a.negative))

    return PairedAreas(
        first.area,
        second.area,
        max(covariance(first, first), 0.0),
        max(covariance(second, second), 0.0),
        covariance(first, second),
    )


def weighted_influence(
    actual_positive: Bools, score: ArrayLike, weight: ArrayLike, times: ArrayLike = 1.0
) -> Floats:
    """Linearised contribution of each row to the weighted area, shape (rows,).

    A positive row gives weight (V10 - A) / W1, a negative one weight (V01 - A) / W0,
    placements being weighted shares; the contributions add up to 0. ``times``: how many rows
    there are of each that is given.
    """
    w = np.asarray(weight, np.float64)
    whole = w * np.asarray(times, np.float64)
    entry, size = highest_first(score)
    pos = np.bincount(entry[actual_positive], whole[actual_positive], size)
    neg = np.bincount(entry[~actual_positive], whole[~actual_positive], size)
    total_pos, total_neg = float(np.sum(pos)), float(np.sum(neg))
    lower = (2.0 * (total_neg - np.cumsum(neg)) + neg) / (2.0 * total_neg)
    higher = (2.0 * np.cumsum(pos) - pos) / (2.0 * total_pos)
    area = float(np.sum(pos * lower)) / total_pos
    own = np.where(actual_positive, lower[entry] - area, higher[entry] - area)
    return np.asarray(w * own / np.where(actual_positive, total_pos, total_neg), np.float64)


def sandwich_auc_variance(
    actual_positive: Bools, score: ArrayLike, weight: ArrayLike, times: ArrayLike = 1.0
) -> float | None:
    """Design-based variance of the weighted area of independent rows.

    Sum of squared contributions per class with the factor k / (k - 1), k the rows of the
    class with a weight above 0. None with fewer than two such rows in a class. ``times``: how
    many rows there are of each that is given.
    """
    w = np.asarray(weight, np.float64)
    often = np.broadcast_to(np.asarray(times, np.float64), w.shape)
    used = w > 0.0
    variance = 0.0
    rows = [int(np.sum(often[used & side])) for side in (actual_positive, ~actual_positive)]
    if min(rows) < 2:
        return None
    influence = weighted_influence(actual_positive, score, w, often)
    for side, k in zip((actual_positive, ~actual_positive), rows, strict=True):
        variance += k / (k - 1.0) * float(np.sum(often[side] * influence[side] ** 2))
    return variance
