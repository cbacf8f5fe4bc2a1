"""The root of a monotone function of one variable."""

from __future__ import annotations

from collections.abc import Callable

# Enough halvings for any bracket of doubles, subnormal numbers included.
_HALVINGS = 1100


def bisect(function: Callable[[float], float], low: float, high: float) -> float:
    """Where ``function``, monotone on ``[low, high]``, changes its sign.

    Halves the bracket until no double lies between its ends: slower than a secant
    method, but it cannot fail and gives the same bits everywhere. Without a change of
    sign the end at which the function is nearer to zero is the answer.

    >>> round(bisect(lambda x: x * x - 2.0, 0.0, 2.0), 12)
    1.414213562373
    """
    at_low, at_high = function(low), function(high)
    if at_low == 0.0:
        return low
    if at_high == 0.0:
        return high
    if (at_low > 0.0) == (at_high > 0.0):
        return low if abs(at_low) < abs(at_high) else high
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2.0
        if middle in (low, high):
            break
        value = function(middle)
        if value == 0.0:
            return middle
        if (value > 0.0) == (at_low > 0.0):
            low = middle
        else:
            high = middle
    return low + (high - low) / 2.0
