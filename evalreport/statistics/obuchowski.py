"""Variance of the area under the ROC curve for clustered and for weighted rows.

With one row per cluster the clustered variance is DeLong's; so is the weighted one when
all weights are equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.delong import Floats, PairedAreas, row_placements

Bools = NDArray[np.bool_]


class _ClusterSums:
    """Per cluster: sums over its positive and its negative rows of placement minus area."""

    def __init__(self, actual_positive: Bools, score: ArrayLike, codes: NDArray[np.int64]) -> None:
        clusters = int(codes.max()) + 1
        v10, v01 = row_placements(actual_positive, score)
        self.area = min(float(np.mean(v10)), 1.0)
        self.positive = np.bincount(codes[actual_positive], v10 - v10.mean(), clusters)
        self.negative = np.bincount(codes[~actual_positive], v01 - v01.mean(), clusters)


def obuchowski_variance(
    actual_positive: Bools, score: ArrayLike, cluster_codes: ArrayLike
) -> float | None:
    """Variance of the area when the rows of a cluster are dependent (Obuchowski 1997).

    Args:
        actual_positive: shape (rows,).
        score: shape (rows,).
        cluster_codes: shape (rows,); clusters numbered from 0.

    Returns:
        None with fewer than two clusters holding positives, or negatives.
    """
    paired = obuchowski_paired(actual_positive, score, score, cluster_codes)
    return None if paired is None else paired.variance_1


def obuchowski_paired(
    actual_positive: Bools, score_1: ArrayLike, score_2: ArrayLike, cluster_codes: ArrayLike
) -> PairedAreas | None:
    """Two areas of the same clustered rows; None without both classes.

    Variances are None with fewer than two clusters holding positives, or negatives.
    """
    m = int(np.count_nonzero(actual_positive))
    n = int(actual_positive.size) - m
    if m == 0 or n == 0:
        return None
    _, codes = np.unique(np.asarray(cluster_codes), return_inverse=True)
    codes = codes.reshape(-1).astype(np.int64)
    clusters = int(codes.max()) + 1
    with_positives = np.unique(codes[actual_positive]).size
    with_negatives = np.unique(codes[~actual_positive]).size
    first = _ClusterSums(actual_positive, score_1, codes)
    second = _ClusterSums(actual_positive, score_2, codes)
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
    _, entry = np.unique(-np.asarray(score, np.float64), return_inverse=True)
    entry = entry.reshape(-1)
    pos = np.bincount(entry[actual_positive], whole[actual_positive], int(entry.max()) + 1)
    neg = np.bincount(entry[~actual_positive], whole[~actual_positive], int(entry.max()) + 1)
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
