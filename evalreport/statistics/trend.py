"""Whether a value changes over ordered periods, of independent rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from evalreport.statistics.tail import ChiSquare, ZTest


def cochran_armitage(x: Sequence[float], n: Sequence[float]) -> ZTest | None:
    """Trend of proportions over equally spaced periods (Cochran 1954, Armitage 1955).

    z = sum t (x - n p) / sqrt(p q (sum n t^2 - (sum n t)^2 / N)). None with rows in fewer
    than two periods, or where all rows, or none, are successes.

    >>> found = cochran_armitage([10, 20, 30], [50, 50, 50])
    >>> round(found.statistic, 4)
    4.0825
    """
    total, hits = math.fsum(n), math.fsum(x)
    if total <= 0.0:
        return None
    p = hits / total
    first = math.fsum(t * b for t, b in enumerate(n))
    second = math.fsum(t * t * b for t, b in enumerate(n))
    variance = p * (1.0 - p) * (second - first * first / total)
    if variance <= 0.0:
        return None
    score = math.fsum(t * (a - b * p) for t, (a, b) in enumerate(zip(x, n, strict=True)))
    return ZTest.of(score / math.sqrt(variance))


class ChangeTests(NamedTuple):
    """Chi-square that all periods share one value, and the trend of a straight line.

    That of the trend is above 0 where the value rises.
    """

    alike: ChiSquare
    trend: ZTest


def weighted_changes(values: Sequence[float], errors: Sequence[float]) -> ChangeTests | None:
    """Cochran's Q of values with standard errors, and the slope over their places.

    Weights are 1 / error^2. None with fewer than two values or an error that is not
    above 0.

    >>> found = weighted_changes([0.0, 1.0, 2.0], [1.0, 1.0, 1.0])
    >>> found.alike.statistic, found.alike.df, round(found.trend.statistic, 6)
    (2.0, 2, 1.414214)
    """
    if len(values) < 2 or any(not error > 0.0 for error in errors):
        return None
    weights = [1.0 / (error * error) for error in errors]
    whole = math.fsum(weights)
    mean = math.fsum(w * v for w, v in zip(weights, values, strict=True)) / whole
    q = math.fsum(w * (v - mean) ** 2 for w, v in zip(weights, values, strict=True))
    centre = math.fsum(w * t for t, w in enumerate(weights)) / whole
    spread = math.fsum(w * (t - centre) ** 2 for t, w in enumerate(weights))
    slope = math.fsum(
        w * (t - centre) * v for t, (w, v) in enumerate(zip(weights, values, strict=True))
    )
    return ChangeTests(ChiSquare.of(q, len(values) - 1), ZTest.of(slope / math.sqrt(spread)))
