"""Sums over rows, or over kinds of rows, rounded once: they depend on no order and no counting."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Numbers that are added at once: what is made of them stays in the cache, and sums of 27 bits
#: each far below 2^53.
BLOCK = 1 << 15
#: Numbers from which on adding whole numbers takes less time than ``math.fsum``.
MANY = 4096
#: Lower bits of a significand, and below the exponent of every float.
_LOW, _LEAST = (1 << 27) - 1, -1127


def exact_sum(values: Floats, times: npt.NDArray[np.int64] | None = None) -> float:
    """The sum of ``values``, shape (n,), each of which stands ``times`` times; rounded once.

    Products are kept in two parts, whose sum is exact (Dekker, Numerische Mathematik 18, 1971).
    ``times`` are whole numbers below 2^53.

    >>> exact_sum(np.array([0.1, 1e16, -1e16]), np.array([10, 1, 1]))
    1.0
    """
    if times is None:
        return _rounded_once(values)
    often = times.astype(np.float64)
    product = values * often
    high, low = _halves(values), _halves(often)
    rest = high[0] * low[0] - product
    rest = ((rest + high[0] * low[1]) + high[1] * low[0]) + high[1] * low[1]
    return _rounded_once(np.concatenate([product, rest]))


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Upper and lower half of the bits of each value; their sum is the value."""
    scaled = values * (2.0**27 + 1.0)
    upper = scaled - (scaled - values)
    return upper, values - upper


def _rounded_once(values: Floats) -> float:
    """The sum, as ``math.fsum`` has it; raises as that does.

    Of many, significands are taken as whole numbers of 53 bits: their upper and lower halves are
    added for each exponent, which is exact, and the few sums by Python's whole numbers.

    >>> _rounded_once(np.array([1e300, 1.0, -1e300] * 5000))
    5000.0
    """
    if len(values) < MANY or not np.isfinite(values).all():
        return math.fsum(values.tolist())
    total = 0
    for start in range(0, len(values), BLOCK):
        fractions, exponents = np.frexp(values[start : start + BLOCK])
        whole = np.ldexp(fractions, 53).astype(np.int64)
        low = int(exponents.min())
        place = exponents - low
        upper, lower = np.bincount(place, whole >> 27), np.bincount(place, whole & _LOW)
        for k in np.flatnonzero((upper != 0) | (lower != 0)).tolist():
            total += ((int(upper[k]) << 27) + int(lower[k])) << (k + low - 53 - _LEAST)
    return total / (1 << -_LEAST)
