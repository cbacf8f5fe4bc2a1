"""Shapes of curves: thinned out for drawing, and one ROC curve against another."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evalreport.metrics.curves import Columns


def decimate(points: Mapping[str, Sequence[Any]], at_most: int = 1000) -> Columns:
    """Fewer points for drawing, the ends and the extremes of every stretch kept.

    The points are cut into stretches; of each, the rows with the lowest and highest
    number of every column stay. Tables keep all points.

    >>> height = [0.0] * 5000
    >>> height[1234] = 1.0
    >>> thin = decimate({"x": list(range(5000)), "y": height}, 100)
    >>> len(thin["x"]) <= 100, 1.0 in thin["y"], thin["x"][0], thin["x"][-1]
    (True, True, 0, 4999)
    """
    size = len(next(iter(points.values()), ()))
    if size <= at_most:
        return {name: list(column) for name, column in points.items()}
    numbers = [
        np.array([math.nan if v is None else v for v in column], dtype=np.float64)
        for column in points.values()
        if any(isinstance(v, (int, float)) for v in column)
    ]
    stretches = max(1, at_most // 2)
    keep = _extremes(numbers, size, stretches)
    while len(keep) > at_most and stretches > 1:
        stretches = max(1, stretches * 3 // 4)
        keep = _extremes(numbers, size, stretches)
    return {name: [column[k] for k in keep] for name, column in points.items()}


def _extremes(numbers: list[Any], size: int, stretches: int) -> list[int]:
    kept = {0, size - 1}
    for part in range(stretches):
        start, stop = part * size // stretches, (part + 1) * size // stretches
        for column in numbers:
            inside = column[start:stop]
            if not np.isnan(inside).all():
                kept.add(start + int(np.nanargmin(inside)))
                kept.add(start + int(np.nanargmax(inside)))
    return sorted(kept)


class _Path:
    """A ROC curve as a function of the false positive rate, with its upright pieces."""

    def __init__(self, roc: Mapping[str, Sequence[Any]]) -> None:
        low: dict[float, float] = {}
        high: dict[float, float] = {}
        for x, y in zip(roc["fpr"], roc["tpr"], strict=True):
            low[x] = min(low.get(x, y), y)
            high[x] = max(high.get(x, y), y)
        self.x = sorted(low)
        self.low = [low[x] for x in self.x]
        self.high = [high[x] for x in self.x]

    def at(self, x: float) -> tuple[float, float]:
        """The true positive rate on arriving at a false positive rate, and on leaving it."""
        k = bisect_left(self.x, x)
        if k < len(self.x) and self.x[k] == x:
            return self.low[k], self.high[k]
        x0, x1, y0, y1 = self.x[k - 1], self.x[k], self.high[k - 1], self.low[k]
        value = y0 + (y1 - y0) * (x - x0) / (x1 - x0)
        return value, value


def dominates(first: Mapping[str, Sequence[Any]], second: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the first ROC curve is nowhere below the second and somewhere above it.

    Both are columns of :func:`~evalreport.metrics.curves.roc`.

    >>> perfect = {"fpr": [0.0, 0.0, 1.0], "tpr": [0.0, 1.0, 1.0]}
    >>> chance = {"fpr": [0.0, 1.0], "tpr": [0.0, 1.0]}
    >>> dominates(perfect, chance), dominates(chance, perfect), dominates(chance, chance)
    (True, False, False)
    """
    gaps = [gap for _, *both in _gaps(first, second) for gap in both]
    return min(gaps) >= 0 and max(gaps) > 0


def crossings(
    first: Mapping[str, Sequence[Any]], second: Mapping[str, Sequence[Any]]
) -> list[tuple[float, float]]:
    """The points (fpr, tpr) at which one ROC curve passes from below to above the other.

    >>> steep = {"fpr": [0.0, 0.0, 1.0], "tpr": [0.0, 0.5, 1.0]}
    >>> late = {"fpr": [0.0, 0.5, 1.0], "tpr": [0.0, 1.0, 1.0]}
    >>> [(round(x, 6), round(y, 6)) for x, y in crossings(steep, late)]
    [(0.333333, 0.666667)]
    """
    a, b = _Path(first), _Path(second)
    found: list[tuple[float, float]] = []
    side, x_before, gap_before = 0, 0.0, 0.0
    for x, arriving, leaving in _gaps(first, second):
        for gap, upright in ((arriving, False), (leaving, True)):
            sign = (gap > 0) - (gap < 0)
            if sign * side < 0:
                if upright:
                    found.append((x, max(a.at(x)[0], b.at(x)[0])))
                else:
                    at = x_before + (x - x_before) * gap_before / (gap_before - gap)
                    found.append((at, a.at(at)[0]))
            side = sign or side
            x_before, gap_before = x, gap
    return found


def _gaps(
    first: Mapping[str, Sequence[Any]], second: Mapping[str, Sequence[Any]]
) -> list[tuple[float, float, float]]:
    """First minus second, on arriving at and on leaving each false positive rate of either."""
    a, b = _Path(first), _Path(second)
    found = []
    for x in sorted({*a.x, *b.x}):
        (a_low, a_high), (b_low, b_high) = a.at(x), b.at(x)
        # at 0 both curves start in the corner: only leaving it counts
        arriving = a_high - b_high if x == 0 else a_low - b_low
        found.append((x, arriving, a_high - b_high))
    return found
