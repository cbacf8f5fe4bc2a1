"""Sums over rows, or over kinds of rows, rounded once: they depend on no order and no counting."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Numbers that are added at once: what is made of them stays in the cache.
BLOCK = 1 << 15
#: The sum of a block of numbers has so many bits more than they.
_BITS = 16
#: Numbers from which on adding them by parts takes less time than ``math.fsum``.
MANY = 4096
#: Numbers up to here are taken apart without leaving the range of doubles.
_LARGE = 2.0**990
_HIGHEST = 1022


def exact_sum(values: Floats, times: npt.NDArray[np.int64] | None = None) -> float:
    """The sum of ``values``, shape (n,), each of which stands ``times`` times; rounded once.

    Products are kept in two parts, whose sum is exact (Dekker, Numerische Mathematik 18, 1971).
    ``times`` are whole numbers below 2^53.

    >>> exact_sum(np.array([0.1, 1e16, -1e16]), np.array([10, 1, 1]))
    1.0
    """
    sums: list[float] = []
    for start in range(0, len(values), BLOCK):
        own = values[start : start + BLOCK]
        parts = (own,) if times is None else _products(own, times[start : start + BLOCK])
        for part in parts:
            sums += _exact_parts(part)
    return math.fsum(sums)


def sum_of_parts(part: Callable[[slice], Floats], size: int) -> float:
    """The sum of an array of which only parts are made at a time; to the bit that of ``np.sum``.

    NumPy adds up the halves of an array, the first a multiple of eight, and halves of these.
    ``part``: what stands at a slice of the ``size`` places.

    >>> values = np.arange(100_000) / 7
    >>> bool(sum_of_parts(lambda at: values[at], len(values)) == np.sum(values))
    True
    """
    return sums_of_parts(lambda at: (part(at),), size)[0]


def sums_of_parts(parts: Callable[[slice], Sequence[Floats]], size: int) -> list[float]:
    """The same of several arrays that are made together."""
    return _added(parts, 0, size)


def _added(parts: Callable[[slice], Sequence[Floats]], start: int, stop: int) -> list[float]:
    if stop - start <= BLOCK:
        return [float(np.sum(part)) for part in parts(slice(start, stop))]
    half = (stop - start) // 16 * 8
    first, second = _added(parts, start, start + half), _added(parts, start + half, stop)
    return [one + two for one, two in zip(first, second, strict=True)]


def sums_by_code(
    codes: npt.NDArray[Any],
    values: Callable[[slice], Floats],
    size: int,
    times: npt.NDArray[Any] | None = None,
) -> Floats:
    """What the values of each code add up to, shape (size,): the same bits in any order of rows.

    Values are taken apart as by :func:`exact_sum`, so that the parts of all rows of a code add up
    exactly; neither does it matter whether rows come as kinds.

    Args:
        codes: from 0 to ``size`` less 1, shape (n,).
        values: what stands at a slice of the ``n`` rows.
        size: how many codes there are.
        times: whole numbers, how many rows there are of each that is given, shape (n,).

    >>> values = np.array([1e16, 2.0, 0.25, -1e16])
    >>> sums_by_code(np.array([0, 0, 1, 0]), lambda at: values[at], 2).tolist()
    [2.0, 0.25]
    """
    blocks = [slice(start, start + BLOCK) for start in range(0, len(codes), BLOCK)]
    largest = max((float(np.abs(values(at)).max()) for at in blocks), default=0.0)
    rows = len(codes) if times is None else int(times.sum())
    # a sum of so many multiples of its last place is below 2^53 of them
    above = math.frexp(largest)[1] + rows.bit_length()
    if not math.isfinite(largest) or above > _HIGHEST:
        every = np.concatenate([values(at) for at in blocks])
        every = every if times is None else every * times
        return np.asarray(np.bincount(codes, every, size), np.float64)
    parts: list[Floats] = [np.zeros(size)]
    for at in blocks:
        rest, level = values(at), 0
        while rest.any():
            coarse = math.ldexp(1.5, above - level * (53 - rows.bit_length()))
            part = (rest + coarse) - coarse
            rest = rest - part
            if level == len(parts):
                parts.append(np.zeros(size))
            np.add.at(parts[level], codes[at], part if times is None else part * times[at])
            level += 1
    found = parts.pop()
    while parts:
        found += parts.pop()
    return found


def _products(values: Floats, times: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Values by how often they stand, and what rounding took of each product."""
    often = times.astype(np.float64)
    product = values * often
    high, low = _halves(values), _halves(often)
    rest = high[0] * low[0] - product
    return product, ((rest + high[0] * low[1]) + high[1] * low[0]) + high[1] * low[1]


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Upper and lower half of the bits of each value; their sum is the value."""
    scaled = values * (2.0**27 + 1.0)
    upper = scaled - (scaled - values)
    return upper, values - upper


def _exact_parts(values: Floats) -> list[float]:
    """Numbers, mostly few, whose sum is exactly that of the values of a block.

    Many are taken apart into multiples of a 2^-36th of the power of two above the largest, of
    what is left, and so on (Rump, Ogita, Oishi, SIAM J Sci Comput 31, 2008): the parts of a block
    add up exactly.

    >>> _exact_parts(np.array([1.0, 0.5] * 5000))
    [7500.0]
    """
    if len(values) < MANY or not np.abs(values).max() < _LARGE:
        return list(values.tolist())
    sums, rest = [], values
    above = math.frexp(float(np.abs(rest).max()))[1] + _BITS
    while rest.any():
        coarse = math.ldexp(1.5, above)
        part = (rest + coarse) - coarse
        sums.append(float(part.sum()))
        rest = rest - part
        above -= 53 - _BITS
    return sums
