"""Limits on the logit with Student's t, whose variance has a floor from the value itself.

For values between two bounds that rest on few units of one class, such as an average precision,
an average over classes or a kappa. Rows that all agree show no variance, and where few disagree
it is mostly too small: one unit's binomial variance is added, shared out over the units. With
many rows the limits are those of the delta method or of influence functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalreport.statistics.interval import Interval, deviate
from evalreport.statistics.tail import expit


def widened_limits(
    value: float,
    variance: float,
    units: float,
    level: float,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    parts: int = 1,
) -> Interval:
    """Limits of ``value`` between its ``bounds``.

    Args:
        value: within the bounds; at one of them half a unit is put on the other side.
        variance: of the value, 0 where nothing varies.
        units: independent rows, or clusters, of the class that has fewest; Student's t has one
            less as degrees of freedom.
        level: of confidence.
        bounds: least and greatest value.
        parts: how many values of classes the value is a mean of; 1 for a value of its own.

    >>> low, high = widened_limits(0.9, 0.0, 10, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.814, 0.949)
    >>> low, high = widened_limits(1.0, 0.0, 10, 0.95)
    >>> round(low, 3), high
    (0.443, 1.0)
    """
    k, (least, most) = max(units, 1.0), bounds
    place, floor = _seen((value - least) / (most - least), k, parts)
    return _limits(value, place, variance, floor, k - 1.0, level, bounds)


def averaged_limits(
    values: Sequence[float],
    shares: Sequence[float],
    units: Sequence[float],
    variance: float,
    level: float,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> tuple[Interval, float]:
    """Limits of a mean of values of classes or labels, and the degrees of freedom of their t.

    Each value adds its floor times the square of its share, so that one that carries the mean
    decides by its own rows; a value at a bound counts as half a unit from it. Degrees of freedom
    are Satterthwaite's over the units of the values less one (Biometrics Bulletin 2, 1946). With
    equal values, shares and units these are `widened_limits` of as many parts, but for t.

    Args:
        values: of the classes, within the bounds.
        shares: that the mean takes of each, which add to 1.
        units: independent rows, or clusters, of the rarer side of each class.
        variance: of the mean, 0 where nothing varies.
        level: of confidence.
        bounds: least and greatest value.

    >>> (low, high), df = averaged_limits([0.9, 0.9], [0.5, 0.5], [10, 10], 0.0, 0.95)
    >>> (low, high) == widened_limits(0.9, 0.0, 10, 0.95, parts=2), round(df, 9)
    (True, 9.0)
    """
    least, most = bounds
    value = math.fsum(w * v for w, v in zip(shares, values, strict=True))
    place = floor = together = of_each = 0.0
    for v, w, m in zip(values, shares, units, strict=True):
        k = max(m, 1.0)
        own, added = _seen((v - least) / (most - least), k)
        spread = w * w * own * (1.0 - own) / k
        place, floor = place + w * own, floor + w * w * added
        together, of_each = together + spread, of_each + spread * (k - 1.0)
    df = of_each / together
    return _limits(value, place, variance, floor, df, level, bounds), df


def _seen(place: float, units: float, parts: int = 1) -> tuple[float, float]:
    """A value from 0 to 1 as it counts, half a unit within a bound, with its floor."""
    if 0.0 < place < 1.0:
        return place, place * (1.0 - place) / (parts * units * (units + 1.0))
    apart = 0.5 / (units + 1.0)
    place = 1.0 - apart if place >= 1.0 else apart
    return place, place * (1.0 - place) / (parts * (units + 1.0))


def _limits(
    value: float,
    place: float,
    variance: float,
    floor: float,
    df: float,
    level: float,
    bounds: tuple[float, float],
) -> Interval:
    """Limits about a place between the bounds, and the value within them."""
    least, most = bounds
    width = most - least
    error = math.sqrt(max(variance, 0.0) / width**2 + floor)
    half = deviate(level, max(df, 1.0)) * error / (place * (1.0 - place))
    middle = math.log(place / (1.0 - place))
    low, high = (least + width * expit(middle + side * half) for side in (-1.0, 1.0))
    return Interval(min(low, value), max(high, value))
