"""Sums over rows, or over kinds of rows, rounded once: they depend on no order and no counting."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def exact_sum(values: Floats, times: npt.NDArray[np.int64] | None = None) -> float:
    """The sum of ``values``, shape (n,), each of which stands ``times`` times; rounded once.

    Products are kept in two parts, whose sum is exact (Dekker, Numerische Mathematik 18, 1971).
    ``times`` are whole numbers below 2^53.

    >>> exact_sum(np.array([0.1, 1e16, -1e16]), np.array([10, 1, 1]))
    1.0
    """
    if times is None:
        return math.fsum(values.tolist())
    often = times.astype(np.float64)
    product = values * often
    high, low = _halves(values), _halves(often)
    rest = high[0] * low[0] - product
    rest = ((rest + high[0] * low[1]) + high[1] * low[0]) + high[1] * low[1]
    return math.fsum([*product.tolist(), *rest.tolist()])


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Upper and lower half of the bits of each value; their sum is the value."""
    scaled = values * (2.0**27 + 1.0)
    upper = scaled - (scaled - values)
    return upper, values - upper
