"""Variance of the area under the ROC curve for clustered and for weighted rows.

With one row per cluster the clustered variance is DeLong's; so is the weighted one when
all weights are equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.delong import (
    Floats,
    PairedAreas,
    areas_of_rows,
    negatives_below,
    positives_above,
)
from evalreport.statistics.exact_sums import sum_of_parts
from evalreport.statistics.numbering import highest_first, unless_once

Bools = NDArray[np.bool_]


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
        cluster_codes: shape (rows,).
        times: how many rows there are of each that is given; each stands for itself where None.

    Returns:
        None with fewer than two clusters holding positives, or negatives.
    """
    found = areas_of_rows(actual_positive, (score,), times, cluster_codes)
    return None if found is None else found.variance_1


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
    return areas_of_rows(actual_positive, (score_1, score_2), times, cluster_codes)


def weighted_influence(
    actual_positive: Bools, score: ArrayLike, weight: ArrayLike, times: ArrayLike = 1.0
) -> Floats:
    """Linearised contribution of each row to the weighted area, shape (rows,).

    A positive row gives weight (V10 - A) / W1, a negative one weight (V01 - A) / W0,
    placements being weighted shares; the contributions add up to 0. ``times``: how many rows
    there are of each that is given.
    """
    w = np.asarray(weight, np.float64)
    often = unless_once(np.asarray(times))
    places, size = highest_first(score)
    entry = places.astype(np.int32)
    del places
    positive, negative = actual_positive, ~actual_positive

    def counts(side: Bools) -> Floats:
        weights = w[side] if often is None else w[side] * often[side]
        return np.bincount(entry[side], weights, size).astype(np.float64, copy=False)

    def contributions(side: Bools, placements: Floats, total: float) -> Floats:
        placements -= area
        values = placements[entry[side]]
        values *= w[side]
        values /= total
        return values

    # of millions of rows each array is large: none is made before it is needed, or held longer
    neg = counts(negative)
    lower, below = negatives_below(neg), float(np.sum(neg))
    del neg
    pos = counts(positive)
    above = float(np.sum(pos))
    area = _sum_of_products(pos, lower) / above
    of_positive = contributions(positive, lower, above)
    del lower
    higher = positives_above(pos)
    del pos
    of_negative = contributions(negative, higher, below)
    del higher
    own = np.empty(len(entry))
    own[positive], own[negative] = of_positive, of_negative
    return own


def _sum_of_products(one: Floats, two: Floats) -> float:
    return sum_of_parts(lambda at: one[at] * two[at], len(one))


def sandwich_auc_variance(
    actual_positive: Bools, score: ArrayLike, weight: ArrayLike, times: ArrayLike = 1.0
) -> float | None:
    """Design-based variance of the weighted area of independent rows.

    Sum of squared contributions per class with the factor k / (k - 1), k the rows of the
    class with a weight above 0. None with fewer than two such rows in a class. ``times``: how
    many rows there are of each that is given.
    """
    w = np.asarray(weight, np.float64)
    often = unless_once(np.asarray(times))
    used = w > 0.0
    variance = 0.0
    rows = [
        int(np.count_nonzero(used & side) if often is None else np.sum(often[used & side]))
        for side in (actual_positive, ~actual_positive)
    ]
    if min(rows) < 2:
        return None
    influence = weighted_influence(actual_positive, score, w, times)
    for side, k in zip((actual_positive, ~actual_positive), rows, strict=True):
        squares = influence[side]
        np.square(squares, out=squares)
        squares *= 1.0 if often is None else often[side]
        variance += k / (k - 1.0) * float(np.sum(squares))
    return variance
