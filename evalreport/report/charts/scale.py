"""Scales for scores of any size: what an axis is divided by, and ends that are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Numbers from here on are drawn in their power of ten: spans of them are no numbers.
FAR = 1e100
#: Numbers up to here are drawn as 0.
TINY = 1e-100


def reach(drawn: Sequence[float]) -> tuple[float, float]:
    """Between what ends a mark can stand without squeezing what is drawn to a line; none: nan.

    >>> reach([0.0, 1.0]), 5.0 <= reach([])[1]
    ((-20.0, 21.0), False)
    """
    low, high = min(drawn, default=math.nan), max(drawn, default=math.nan)
    room = 20 * max(high - low, abs(low), abs(high), 1e-300)
    return low - room, high + room


def with_span(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis, moved apart where one is as good as the other.

    >>> with_span(0.0, 1.0), with_span(2.0, 2.0), with_span(0.0, 5e-324)
    ((0.0, 1.0), (1.9, 2.1), (-1.0, 1.0))
    """
    most = max(abs(low), abs(high))
    if high - low > 1e-9 * most and most > TINY:
        return low, high
    room = 0.05 * most if most > TINY else 1.0
    return low - room, high + room


def in_reach(values: Sequence[float]) -> tuple[float, str]:
    """What to divide the numbers of an axis by, and the words for that: 1 and none for most.

    >>> in_reach([0.2, 0.9]), in_reach([-1.7e308, 5.0])
    ((1.0, ''), (1e+308, ', in 1e308'))
    """
    most = max(map(abs, values), default=0.0)
    if most < FAR:
        return 1.0, ""
    power = math.floor(math.log10(most))
    return float(f"1e{power}"), f", in 1e{power}"
