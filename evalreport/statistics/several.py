"""One test of more than two models on the same rows.

A statistic is chi-square under the hypothesis that all models are alike; None where nothing
varies, so that no statistic can be formed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.delong import delong_paired
from evalreport.statistics.tail import ChiSquare

Floats = NDArray[np.float64]

#: Singular values below this share of the largest are rounding.
_RANK = 1e-10


def cochran_q(totals: Sequence[int], rows: Sequence[int]) -> ChiSquare | None:
    """Cochran's Q of k shares of the same rows (Biometrika 37, 1950).

    Args:
        totals: rows that count for each model, shape (k,).
        rows: how many rows count for 0, 1, ..., k models, shape (k + 1,).

    Returns:
        None where every row counts for all models or for none.

    >>> cochran_q([6, 3, 1], [1, 4, 3, 0]).statistic
    5.428571428571429
    """
    k = len(totals)
    total = sum(totals)
    below = k * total - sum(many * count**2 for count, many in enumerate(rows))
    if below <= 0:
        return None
    statistic = (k - 1) * (k * sum(t * t for t in totals) - total**2) / below
    return ChiSquare.of(statistic, k - 1)


class Areas(NamedTuple):
    """Areas under k ROC curves of the same rows, and their covariances, k by k."""

    areas: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]


def delong_several(positive: NDArray[np.bool_], scores: Sequence[ArrayLike]) -> Areas | None:
    """Areas with the covariances of DeLong, DeLong, Clarke-Pearson (Biometrics 44, 1988).

    None with fewer than two rows of a class. ``scores``: for each model, shape (rows,).
    """
    spread = np.empty((len(scores), len(scores)))
    areas = [0.0] * len(scores)
    for i, j in combinations(range(len(scores)), 2):
        found = delong_paired(positive, scores[i], scores[j])
        if found is None or found.covariance is None:
            return None
        areas[i], areas[j] = found.auc_1, found.auc_2
        spread[i, i], spread[j, j] = found.variance_1, found.variance_2
        spread[i, j] = spread[j, i] = found.covariance
    return Areas(tuple(areas), tuple(map(tuple, spread.tolist())))


def equal_areas(found: Areas) -> ChiSquare | None:
    """Chi-square test that k areas are equal, on as many degrees as differences vary.

    Differences from the first area over their covariance; None where none varies.
    """
    areas = np.array(found.areas)
    contrast = np.hstack([-np.ones((len(areas) - 1, 1)), np.eye(len(areas) - 1)])
    spread = contrast @ np.array(found.covariance) @ contrast.T
    apart = contrast @ areas
    sizes = np.linalg.svd(spread, compute_uv=False, hermitian=True)
    rank = int(np.sum(sizes > _RANK * sizes[0])) if sizes[0] > 0 else 0
    if not rank:
        return None
    statistic = float(apart @ np.linalg.pinv(spread, rcond=_RANK, hermitian=True) @ apart)
    return ChiSquare.of(max(statistic, 0.0), rank)


class Ranks(NamedTuple):
    """Sums of the ranks that each of k models takes within the rows, and what ties take away.

    ``ties``: the sum of t^3 - t over all groups of t equal values within a row.
    """

    rows: int
    sums: tuple[float, ...]
    ties: int


def ranked(values: Floats) -> Ranks:
    """Ranks within rows, equal values sharing their mean rank; ``values``: shape (rows, k)."""
    below = (values[:, :, None] > values[:, None, :]).sum(axis=2)
    alike = (values[:, :, None] == values[:, None, :]).sum(axis=2)
    ranks = below + (alike + 1.0) / 2.0
    # each of t tied values adds t^2 - 1, together t^3 - t
    ties = int(np.sum(alike.astype(np.int64) ** 2 - 1))
    return Ranks(len(values), tuple(float(x) for x in ranks.sum(axis=0)), ties)


def friedman(found: Ranks) -> ChiSquare | None:
    """Friedman's test of k models with the correction for ties (Friedman 1937; Conover 1999).

    None where all values of each row are equal.
    """
    n, k = found.rows, len(found.sums)
    below = n * k * (k + 1.0) - found.ties / (k - 1.0)
    if n == 0 or below <= 0:
        return None
    centre = n * (k + 1.0) / 2.0
    statistic = 12.0 * math.fsum((total - centre) ** 2 for total in found.sums) / below
    return ChiSquare.of(statistic, k - 1)
