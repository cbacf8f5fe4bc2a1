"""How far two distributions over the same bins lie apart."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalreport.statistics.tail import kolmogorov_sf


def population_stability_index(expected: ArrayLike, actual: ArrayLike) -> float | None:
    """Sum of (a - e) ln(a / e) over the shares of each bin.

    Bins empty on both sides are left out. None when a side has no rows, or a bin is empty
    on one side only: the index is then infinite, and depends on whatever is added to it.

    >>> round(population_stability_index([50, 50], [60, 40]), 6)
    0.040547
    """
    e, a = np.asarray(expected, np.float64), np.asarray(actual, np.float64)
    held = (e > 0) | (a > 0)
    if not held.any() or bool(np.any(e[held] == 0)) or bool(np.any(a[held] == 0)):
        return None
    share_e, share_a = e[held] / np.sum(e), a[held] / np.sum(a)
    return math.fsum((share_a - share_e) * np.log(share_a / share_e))


class KolmogorovSmirnov(NamedTuple):
    """Largest gap between two distribution functions, and its limiting two-sided p-value."""

    statistic: float
    p_value: float


def kolmogorov_smirnov(first: ArrayLike, second: ArrayLike) -> KolmogorovSmirnov | None:
    """Two-sample statistic from counts over the same values, in the order of the values.

    None when a side has no rows.
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    n_a, n_b = float(np.sum(a)), float(np.sum(b))
    if n_a <= 0.0 or n_b <= 0.0:
        return None
    statistic = float(np.max(np.abs(np.cumsum(a) / n_a - np.cumsum(b) / n_b)))
    size = n_a * n_b / (n_a + n_b)
    return KolmogorovSmirnov(statistic, kolmogorov_sf(math.sqrt(size) * statistic))
