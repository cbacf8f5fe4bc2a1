"""Means over folds: the corrected resampled t of Nadeau and Bengio.

Folds share training rows, so the plain standard error of their mean is too small. The
correction replaces 1 / J by 1 / J + n_test / n_train (Nadeau, Bengio 2003).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from evalreport.statistics.interval import Interval
from evalreport.statistics.means import PairedT, t_of

#: Values of folds that lie no further apart, as a share of the largest, are the same.
_ROUNDING = 1e-12


def are_alike(values: ArrayLike) -> bool:
    """Whether values of folds, shape (J,), are all the same but for rounding."""
    found = np.asarray(values, np.float64)
    return float(np.ptp(found)) <= _ROUNDING * float(np.max(np.abs(found)))


def standard_deviation(values: Sequence[float]) -> float | None:
    """Of values of folds or repeats, with ddof 1; 0 where all are alike, None with fewer than two.

    >>> standard_deviation([0.1 + 0.2, 0.3]), round(standard_deviation([0.8, 0.9, 0.85]), 4)
    (0.0, 0.05)
    """
    if len(values) < 2:
        return None
    if are_alike(values):
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))


def corrected_resampled_t(
    differences: ArrayLike, n_train: float, n_test: float, level: float
) -> PairedT | None:
    """Corrected t interval and test of the mean of J fold-wise values.

    Args:
        differences: shape (J,), one value per fold (or repeat and fold).
        n_train: rows trained on per fold, their mean if they vary.
        n_test: rows tested on per fold.
        level: confidence level.

    Returns:
        None with fewer than two folds; all folds 0 gives p = 1, all equal gives no statistic.
    """
    values = np.asarray(differences, np.float64)
    folds = values.size
    if folds < 2 or n_train <= 0:
        return None
    mean = float(np.mean(values))
    variance = 0.0 if are_alike(values) else float(np.sum((values - mean) ** 2)) / (folds - 1.0)
    error = math.sqrt((1.0 / folds + n_test / n_train) * variance)
    return t_of(mean, error, folds - 1.0, level)


def nadeau_bengio(
    values: ArrayLike, n_train: float, n_test: float, level: float
) -> Interval | None:
    """Corrected t interval of a mean over folds; None with fewer than two, or all alike.

    >>> low, high = nadeau_bengio([0.8, 0.9, 0.7, 0.8], 75, 25, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.6015, 0.9985)
    """
    result = corrected_resampled_t(values, n_train, n_test, level)
    return None if result is None or result.error is None else result.interval
