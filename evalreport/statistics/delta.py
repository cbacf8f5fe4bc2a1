"""Derivatives of a metric with respect to the cells of its table.

The complex-step derivative: a metric built from sums, products, quotients and
roots is evaluated at ``count + i h`` and the imaginary part divided by ``h``;
exact to rounding, without differences of nearly equal numbers (Squire W.,
Trapp G. SIAM Review 40, 1998). From the gradient follow the delta method for
independent rows, the sandwich variance for weighted rows and the linearised
variance for clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_STEP = 1e-30
_CHUNK = 256


def gradient(
    function: Callable[[npt.NDArray[Any]], npt.NDArray[Any]],
    table: Floats,
    *,
    everywhere: bool = False,
) -> Floats:
    """Derivative of ``function`` by every cell that holds rows; 0 elsewhere. Shape (K, K).

    ``everywhere``: by the empty cells too.
    """
    rows, columns = np.nonzero(np.ones_like(table) if everywhere else table)
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


def sandwich_variance(
    slopes: Floats, table: Floats, squares: Floats, rows: float = math.inf
) -> float:
    """Variance for independent weighted rows, from the sums of squared weights per cell.

    The linearised variance of a sample drawn with replacement, ``n / (n - 1)`` times the
    squared contributions of the rows (Binder 1983); ``rows`` is n, of the whole sample
    where the table is that of a part of it. Without it the factor is 1.
    """
    mean = float((table * slopes).sum()) / float(table.sum())
    factor = 1.0 if math.isinf(rows) else rows / (rows - 1.0) if rows > 1 else math.nan
    return factor * float((squares * (slopes - mean) ** 2).sum())


def weight_of_unseen(sums: Floats, squares: Floats, cells: npt.NDArray[np.bool_]) -> float:
    """How heavy a row would be in cells that hold none, at most; ``cells``, shape (K, K).

    The weight of a cell is the weighted mean of its rows' weights. Where all cells of an
    actual class weigh the same, weights were given by class, and an unseen row would weigh
    as those of its class; likewise by prediction. Else it may weigh as the heaviest cell.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(sums > 0, squares / sums, np.nan)
    found = [_along(weight, cells), _along(weight.T, cells.T)]
    known = [one for one in found if one is not None]
    return max(known) if known else float(np.nanmax(weight))


def _along(weight: Floats, cells: npt.NDArray[np.bool_]) -> float | None:
    """The heaviest of the rows of ``weight`` that hold cells, if all rows are even; else None."""
    heaviest = []
    for line, wanted in zip(weight, cells, strict=True):
        seen = line[np.isfinite(line)]
        if len(seen) and not np.allclose(seen, seen[0], rtol=1e-9, atol=0.0):
            return None
        if wanted.any():
            if not len(seen):
                return None
            heaviest.append(float(seen[0]))
    return max(heaviest, default=None)


def cluster_variance(slopes: Floats, table: Floats, per_cluster: Floats) -> float:
    """Variance for clustered rows, from the tables of the clusters, shape (C, K, K).

    ``C / (C - 1) * sum of squared linearised cluster totals`` (Genders et al. 2012).
    """
    clusters = per_cluster.shape[0]
    mean = float((table * slopes).sum()) / float(table.sum())
    totals = (per_cluster * (slopes - mean)).sum(axis=(1, 2))
    return float(clusters / (clusters - 1) * (totals**2).sum())
