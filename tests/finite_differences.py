"""The delta method by finite differences: a slow reference for functions of counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
CountFunction = Callable[[Floats], float | None]


def count_gradient(function: CountFunction, counts: ArrayLike) -> Floats | None:
    """Derivatives of ``function`` by each count, shape of ``counts``; 0 where a count is 0.

    Central differences, extrapolated once, with steps of a share of the count: the table
    keeps its empty cells empty. None when the function is undefined at a step.
    """
    table = np.asarray(counts, np.float64)
    gradient = np.zeros_like(table)
    for place in np.ndindex(table.shape):
        count = float(table[place])
        if count <= 0.0:
            continue
        slopes = []
        for share in (2e-3, 1e-3):
            step = count * share
            above, below = (_shifted(function, table, place, d) for d in (step, -step))
            if above is None or below is None:
                return None
            slopes.append((above - below) / (2.0 * step))
        gradient[place] = (4.0 * slopes[1] - slopes[0]) / 3.0
    return gradient


def _shifted(
    function: CountFunction, table: Floats, place: tuple[int, ...], step: float
) -> float | None:
    moved = table.copy()
    moved[place] += step
    return function(moved)


def delta_variance(
    function: CountFunction, counts: ArrayLike, margin: int | None = None
) -> float | None:
    """Variance of a function of multinomial counts.

    Sum of count times the squared gradient, less the square of their mean: exact in first
    order whether or not the function depends on shares only.

    Args:
        function: of an array shaped like ``counts``; None where undefined.
        counts: any shape.
        margin: None when only the total is fixed; 0 when the sums of the rows are.

    Returns:
        None when the function is undefined near the counts, or there are none.
    """
    table = np.asarray(counts, np.float64)
    gradient = count_gradient(function, table)
    if gradient is None or float(np.sum(table)) <= 0.0:
        return None
    rows = table.reshape(len(table) if margin == 0 else 1, -1)
    slopes = gradient.reshape(rows.shape)
    variance = 0.0
    for count, slope in zip(rows, slopes, strict=True):
        total = float(np.sum(count))
        if total > 0.0:
            mean = float(np.sum(count * slope)) / total
            variance += float(np.sum(count * (slope - mean) ** 2))
    return variance
