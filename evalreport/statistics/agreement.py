"""Chance-corrected agreement: kappa, weighted kappa and the variance of Matthews' coefficient."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.interval import Interval, symmetric, z_value

Floats = NDArray[np.float64]


def agreement_weights(classes: int, kind: str) -> Floats:
    """Weights 1 - |i - j| / (K - 1), ``linear``, or the same with squares, shape (K, K)."""
    index = np.arange(classes, dtype=np.float64)
    distance = np.abs(index[:, None] - index[None, :]) / max(classes - 1, 1)
    return np.asarray(1.0 - distance ** (1 if kind == "linear" else 2), np.float64)


def _shares(table: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats, float]:
    counts = np.asarray(table, np.float64)
    agreement = np.eye(len(counts)) if weights is None else np.asarray(weights, np.float64)
    if counts.ndim != 2 or counts.shape != agreement.shape:
        raise ValueError(f"table {counts.shape}, weights {agreement.shape}: must both be (K, K)")
    n = float(np.sum(counts))
    return counts / n if n > 0 else counts, agreement, n


def kappa(table: ArrayLike, weights: ArrayLike | None = None) -> float | None:
    """Cohen's kappa of a (K, K) table, weighted by a matrix of agreement weights if given.

    None for an empty table or when chance agreement is 1 (0/0).

    >>> round(kappa([[15, 5], [10, 70]]), 4)
    0.5714
    """
    p, w, n = _shares(table, weights)
    if n <= 0:
        return None
    observed = float(np.sum(w * p))
    expected = float(np.sum(w * np.outer(p.sum(axis=1), p.sum(axis=0))))
    # chance agreement is 1 only for both margins in one class: ask the counts, not a rounding
    if _one_cell(p, w):
        return None
    return (observed - expected) / (1.0 - expected)


def _one_cell(p: Floats, w: Floats) -> bool:
    """Whether every pair of an occurring row and an occurring column has full agreement."""
    rows, columns = np.flatnonzero(p.sum(axis=1)), np.flatnonzero(p.sum(axis=0))
    return bool(np.all(w[np.ix_(rows, columns)] == 1.0))


def kappa_se(table: ArrayLike, weights: ArrayLike | None = None) -> float | None:
    """Standard error of (weighted) kappa away from 0 (Fleiss, Cohen, Everitt 1969).

    None where kappa is None.
    """
    p, w, n = _shares(table, weights)
    if kappa(table, weights) is None:
        return None
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed = float(np.sum(w * p))
    expected = float(np.sum(w * np.outer(rows, columns)))
    mean_weight = np.sum(w * columns[None, :], axis=1)[:, None] + np.sum(w * rows[:, None], axis=0)
    spread = w * (1.0 - expected) - mean_weight * (1.0 - observed)
    offset = observed * expected - 2.0 * expected + observed
    variance = float(np.sum(p * spread**2)) - offset**2
    return math.sqrt(max(variance, 0.0) / n) / (1.0 - expected) ** 2


def kappa_wald(table: ArrayLike, level: float, weights: ArrayLike | None = None) -> Interval | None:
    """Normal interval of (weighted) kappa, kept within [-1, 1]; None where nothing varies."""
    value, error = kappa(table, weights), kappa_se(table, weights)
    if value is None or not error or abs(value) >= 1.0 or not math.isfinite(error):
        return None
    return symmetric(value, z_value(level) * error, -1.0, 1.0)
