"""The delta method for smooth functions of counts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.interval import Interval, symmetric, z_value

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


def cluster_robust_variance(function: CountFunction, cluster_tables: ArrayLike) -> float | None:
    """Variance of a function of counts whose rows come in dependent clusters.

    The linearised contribution of cluster k is the sum of its counts times the gradient
    at the total; the variance is K / (K - 1) times the sum of their squares about the mean.

    Args:
        function: of an array shaped like one table; None where undefined.
        cluster_tables: counts of each cluster, shape (K, *table shape).

    Returns:
        None with fewer than two clusters, or when the function is undefined near the total.
    """
    tables = np.asarray(cluster_tables, np.float64)
    clusters = len(tables)
    if clusters < 2:
        return None
    gradient = count_gradient(function, tables.sum(axis=0))
    if gradient is None:
        return None
    contribution = np.sum(tables.reshape(clusters, -1) * gradient.reshape(1, -1), axis=1)
    squares = float(np.sum((contribution - contribution.mean()) ** 2))
    return clusters / (clusters - 1.0) * squares


def sandwich_variance(
    function: CountFunction, weights: ArrayLike, squared_weights: ArrayLike, rows: int
) -> float | None:
    """Design-based variance of a function of a weighted table of independent rows.

    Args:
        function: of an array shaped like ``weights``; None where undefined.
        weights: sum of weights per cell, any shape.
        squared_weights: sum of squared weights per cell, the same shape.
        rows: rows with a weight above 0.

    Returns:
        rows / (rows - 1) times the sum of squared weights times squared gradient about
        its weighted mean. None with fewer than two rows, or where undefined.
    """
    table, squares = np.asarray(weights, np.float64), np.asarray(squared_weights, np.float64)
    if rows < 2:
        return None
    gradient = count_gradient(function, table)
    if gradient is None:
        return None
    mean = float(np.sum(table * gradient)) / float(np.sum(table))
    return rows / (rows - 1.0) * float(np.sum(squares * (gradient - mean) ** 2))


def delta_interval(
    function: CountFunction,
    counts: ArrayLike,
    level: float,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Interval | None:
    """Normal interval of a function of multinomial counts, kept within ``bounds``.

    >>> low, high = delta_interval(lambda t: float(t[0] / t.sum()), [80, 20], 0.95)
    >>> round(low, 4), round(high, 4)
    (0.7216, 0.8784)
    """
    value = function(np.asarray(counts, np.float64))
    variance = delta_variance(function, counts)
    if value is None or variance is None:
        return None
    return symmetric(value, z_value(level) * math.sqrt(variance), *bounds)
