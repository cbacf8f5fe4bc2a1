"""Limits on the logit with Student's t, whose variance has a floor from the value itself.

For values between two bounds that rest on few units of one class, such as an average precision,
an average over classes or a kappa. Rows that all agree show no variance, and where few disagree
it is mostly too small: one unit's binomial variance is added, shared out over the units. With
many rows the limits are those of the delta method or of influence functions.
"""

from __future__ import annotations

import math

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
    least, most = bounds
    k, width = max(units, 1.0), most - least
    place = (value - least) / width
    if 0.0 < place < 1.0:
        floor = place * (1.0 - place) / (parts * k * (k + 1.0))
    else:
        apart = 0.5 / (k + 1.0)
        place = 1.0 - apart if place >= 1.0 else apart
        floor = place * (1.0 - place) / (parts * (k + 1.0))
    error = math.sqrt(max(variance, 0.0) / width**2 + floor)
    half = deviate(level, max(k - 1.0, 1.0)) * error / (place * (1.0 - place))
    middle = math.log(place / (1.0 - place))
    low, high = (least + width * expit(middle + side * half) for side in (-1.0, 1.0))
    return Interval(min(low, value), max(high, value))
