"""An interval of two limits, and the normal deviate of a confidence level."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from evalreport.statistics.root import bisect
from evalreport.statistics.tail import normal_quantile, t_quantile


class Interval(NamedTuple):
    """Lower and upper confidence limit."""

    low: float
    high: float


def z_value(level: float) -> float:
    """The standard normal deviate of a two-sided interval at ``level``.

    Raises ValueError unless 0 < level < 1.

    >>> round(z_value(0.95), 6)
    1.959964
    """
    check_level(level)
    # the upper tail is asked for by its complement: 0.5 + level / 2 loses digits near 1
    return -normal_quantile((1.0 - level) / 2.0)


def deviate(level: float, df: float = math.inf) -> float:
    """The deviate of Student's t with ``df`` degrees of freedom; the normal one where infinite.

    >>> round(deviate(0.95, 9), 6), deviate(0.95) == z_value(0.95)
    (2.262157, True)
    """
    if math.isinf(df):
        return z_value(level)
    check_level(level)
    return -t_quantile((1.0 - level) / 2.0, df)


def check_level(level: float) -> None:
    """Raise ValueError unless ``level`` lies strictly between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"confidence level {level!r}: must lie between 0 and 1")


def clipped(low: float, high: float, least: float = 0.0, most: float = 1.0) -> Interval:
    """Limits kept within ``[least, most]``.

    >>> clipped(-0.1, 0.4)
    Interval(low=0.0, high=0.4)
    """
    return Interval(min(max(low, least), most), min(max(high, least), most))


def square_and_add(
    one: float, own: Interval, two: float, other: Interval, correlation: float = 0.0
) -> Interval:
    """Limits of ``one`` less ``two`` from the limits of both and how far they go together.

    With l and u the limits of each and r the correlation the lower one lies
    sqrt(a^2 + b^2 - 2 r a b) below the difference, a = one - l1 and b = u2 - two, and the upper
    one likewise above (Newcombe R. Stat Med 17, 1998, of shares; Zou G., Donner A. Stat Med 27,
    2008). Limits need not be symmetric, and a value near its bound is not taken as certain.

    >>> square_and_add(5.0, Interval(2.0, 9.0), 1.0, Interval(-2.0, 5.0))
    Interval(low=-1.0, high=9.0)
    """

    def together(a: float, b: float) -> float:
        return math.sqrt(max(a * a - 2.0 * correlation * a * b + b * b, 0.0))

    down = together(one - own.low, other.high - two)
    up = together(own.high - one, two - other.low)
    return Interval(one - two - down, one - two + up)


def errors_to(
    null: float, value: float, limits: Callable[[float], Interval], least: float, most: float
) -> float:
    """How many standard errors away the limit of ``value`` meets ``null``: 0, or least to most.

    Signed, so that the test of the null by it agrees with ``limits`` of every level.
    """
    if value == null:
        return 0.0
    side = 0 if value > null else 1
    found = bisect(lambda errors: limits(errors)[side] - null, least, most)
    return found if value > null else -found


def symmetric(centre: float, half: float, least: float, most: float) -> Interval:
    """``centre`` plus and minus ``half``, kept within ``[least, most]``."""
    return clipped(centre - half, centre + half, least, most)
