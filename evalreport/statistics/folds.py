"""Means over folds: the corrected resampled t of Nadeau and Bengio.

Folds share training rows, so the plain standard error of their mean is too small. The
correction replaces 1 / J by 1 / J + n_test / n_train (Nadeau, Bengio 2003).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from evalreport.statistics.interval import Interval
from evalreport.statistics.means import PairedT
from evalreport.statistics.tail import t_quantile, t_two_sided


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
    variance = 0.0
    if not bool(np.all(values == values[0])):
        variance = float(np.sum((values - mean) ** 2)) / (folds - 1.0)
    error = math.sqrt((1.0 / folds + n_test / n_train) * variance)
    df = folds - 1.0
    half = -t_quantile((1.0 - level) / 2.0, df) * error
    interval = Interval(mean - half, mean + half)
    if error == 0.0:
        return PairedT(mean, interval, None, df, 1.0 if mean == 0.0 else None)
    return PairedT(mean, interval, mean / error, df, t_two_sided(mean / error, df), error)


def nadeau_bengio(
    values: ArrayLike, n_train: float, n_test: float, level: float
) -> Interval | None:
    """Corrected t interval of a mean over folds; None with fewer than two folds.

    >>> low, high = nadeau_bengio([0.8, 0.9, 0.7, 0.8], 75, 25, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.6015, 0.9985)
    """
    result = corrected_resampled_t(values, n_train, n_test, level)
    return None if result is None else result.interval
