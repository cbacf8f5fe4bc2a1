"""Derivatives of a metric with respect to the cells of its table.

The complex-step derivative: a metric built from sums, products, quotients and
roots is evaluated at ``count + i h`` and the imaginary part divided by ``h``;
exact to rounding, without differences of nearly equal numbers (Squire W.,
Trapp G. SIAM Review 40, 1998). From the gradient follow the delta method for
independent rows, the sandwich variance for weighted rows and the linearised
variance for clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_STEP = 1e-30
_CHUNK = 256


def gradient(function: Callable[[npt.NDArray[Any]], npt.NDArray[Any]], table: Floats) -> Floats:
    """Derivative of ``function`` by every cell that holds rows; 0 elsewhere. Shape (K, K)."""
    rows, columns = np.nonzero(table)
    slopes = np.zeros_like(table, dtype=np.float64)
    for start in range(0, len(rows), _CHUNK):
        part = slice(start, start + _CHUNK)
        i, j = rows[part], columns[part]
        stack = np.repeat(table[None].astype(np.complex128), len(i), axis=0)
        stack[np.arange(len(i)), i, j] += _STEP * 1j
        slopes[i, j] = np.imag(function(stack)) / _STEP
    return slopes


def delta_variance(slopes: Floats, table: Floats) -> float:
    """Variance for independent rows: the multinomial delta method.

    ``sum p g^2 - (sum p g)^2`` over n, with g the gradient in shares of rows.
    """
    n = float(table.sum())
    mean = float((table * slopes).sum()) / n
    return float((table * (slopes - mean) ** 2).sum())


def sandwich_variance(slopes: Floats, table: Floats, squares: Floats) -> float:
    """Variance for independent weighted rows, from the sums of squared weights per cell."""
    mean = float((table * slopes).sum()) / float(table.sum())
    return float((squares * (slopes - mean) ** 2).sum())


def cluster_variance(slopes: Floats, table: Floats, per_cluster: Floats) -> float:
    """Variance for clustered rows, from the tables of the clusters, shape (C, K, K).

    ``C / (C - 1) * sum of squared linearised cluster totals`` (Genders et al. 2012).
    """
    clusters = per_cluster.shape[0]
    mean = float((table * slopes).sum()) / float(table.sum())
    totals = (per_cluster * (slopes - mean)).sum(axis=(1, 2))
    return float(clusters / (clusters - 1) * (totals**2).sum())
