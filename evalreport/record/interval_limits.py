"""Limits of intervals again, by code of its own, where a table or a curve settles them.

Checked are Wilson's limits of a share of rows, the square-and-add limits of Youden's J and
what is a straight line of it, and DeLong's of the area under the ROC curve on both scales.
All other methods are taken as stated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from evalreport.record.curve_areas import area
from evalreport.record.table_counts import Counts, number

Limits = tuple[float, float]

_TOLERANCE = 1e-8


def share_problems(measure: Mapping[str, Any]) -> list[str]:
    """Wilson's limits of numerator of denominator rows."""
    interval = measure["interval"]
    if interval is None or interval["method"] != "wilson" or measure.get("weight") is not None:
        return []
    if measure["numerator"] is None or not measure["denominator"]:
        return []
    x, n = float(number(measure["numerator"])), float(number(measure["denominator"]))
    return _differences(interval, _wilson(x, n, _deviate(interval)), "its fraction")


def rates_problems(measure: Mapping[str, Any], counts: Counts | None) -> list[str]:
    """Square-and-add limits from those of recall and of the false positive rate."""
    interval = measure["interval"]
    if interval is None or interval["method"] != "newcombe_hybrid" or counts is None:
        return []
    line = _LINES_OF_J.get(measure["metric"])
    if line is None or measure.get("weight") is not None:
        return []
    tp, fn, fp, tn = (float(c) for c in (counts.tp, counts.fn, counts.fp, counts.tn))
    low, high = _square_and_add((tp, tp + fn), (fp, fp + tn), _deviate(interval))
    ends = sorted((line(low), line(high)))
    return _differences(interval, (ends[0], ends[1]), "its table")


def area_problems(measure: Mapping[str, Any], curve: Mapping[str, Any] | None) -> list[str]:
    """DeLong's limits from the steps of the ROC curve.

    Not where the curve is thinned out, or has a slanted piece: tied scores that lie on one
    line are drawn as one.
    """
    interval, scale = measure["interval"], _LINES_OF_AREA.get(measure["metric"])
    if interval is None or scale is None or interval["method"] not in _AREA_LIMITS:
        return []
    if curve is None or curve.get("thinned") or measure.get("weight") is not None:
        return []
    steps = _steps(curve)
    if steps is None or interval["low"] == interval["high"]:
        return []
    points = curve["points"]
    rates = [(number(x), number(y)) for x, y in zip(points["fpr"], points["tpr"], strict=True)]
    found, error = float(area(rates)), _delong_error(steps)
    if error is None:
        return []
    limits = _AREA_LIMITS[interval["method"]](found, _deviate(interval) * error)
    p, n = float(points["p"][0]), float(points["n"][0])
    low, high = (scale(limit, p * n) for limit in limits)
    return _differences(interval, (low, high), "the points of its curve")


#: Measures that are a straight line of Youden's J.
_LINES_OF_J: dict[str, Callable[[float], float]] = {
    "youden_j": lambda j: j,
    "balanced_accuracy": lambda j: (1 + j) / 2,
    "balanced_error_rate": lambda j: (1 - j) / 2,
}
#: Measures that are a straight line of the area, given the number of pairs.
_LINES_OF_AREA: dict[str, Callable[[float, float], float]] = {
    "roc_auc": lambda a, _: a,
    "gini": lambda a, _: 2 * a - 1,
    "mann_whitney_u": lambda a, pairs: a * pairs,
}


def _plain(found: float, half: float) -> Limits:
    return max(found - half, 0.0), min(found + half, 1.0)


def _on_logits(found: float, half: float) -> Limits:
    centre, wide = math.log(found / (1 - found)), half / (found * (1 - found))
    return 1 / (1 + math.exp(wide - centre)), 1 / (1 + math.exp(-wide - centre))


_AREA_LIMITS: dict[str, Callable[[float, float], Limits]] = {
    "delong": _plain,
    "delong_logit": _on_logits,
}


def _wilson(x: float, n: float, z: float) -> Limits:
    """The roots of n (p - x / n)^2 = z^2 p (1 - p)."""
    centre, spread = 2 * x + z * z, z * math.sqrt(z * z + 4 * x * (n - x) / n)
    below = 2 * (n + z * z)
    return max((centre - spread) / below, 0.0), min((centre + spread) / below, 1.0)


def _square_and_add(first: Limits, second: Limits, z: float) -> Limits:
    """Newcombe 1998, method 10; each side is hits and rows."""
    (x1, n1), (x2, n2) = first, second
    (low1, high1), (low2, high2) = _wilson(x1, n1, z), _wilson(x2, n2, z)
    p1, p2 = x1 / n1, x2 / n2
    down = math.sqrt((p1 - low1) ** 2 + (high2 - p2) ** 2)
    up = math.sqrt((high1 - p1) ** 2 + (p2 - low2) ** 2)
    return max(p1 - p2 - down, -1.0), min(p1 - p2 + up, 1.0)


def _steps(curve: Mapping[str, Any]) -> list[tuple[int, int]] | None:
    """Positives and negatives of each piece; None where a piece is slanted."""
    tp, fp = curve["points"]["tp"], curve["points"]["fp"]
    steps = [(b - a, d - c) for a, b, c, d in zip(tp, tp[1:], fp, fp[1:], strict=False)]
    return None if any(up and right for up, right in steps) else steps


def _delong_error(steps: list[tuple[int, int]]) -> float | None:
    """Standard error from the shares of pairs that each positive and each negative wins."""
    p, n = sum(up for up, _ in steps), sum(right for _, right in steps)
    if p < 2 or n < 2:
        return None
    above = beside = 0
    of_positive: list[tuple[int, Fraction]] = []
    of_negative: list[tuple[int, Fraction]] = []
    for up, right in steps:
        if up:
            of_positive.append((up, Fraction(n - beside, n)))
        if right:
            of_negative.append((right, Fraction(above, p)))
        above, beside = above + up, beside + right
    return math.sqrt(_variance(of_positive, p) / p + _variance(of_negative, n) / n)


def _variance(shares: list[tuple[int, Fraction]], rows: int) -> Fraction:
    mean = sum((count * share for count, share in shares), Fraction(0)) / rows
    squares = sum((count * (share - mean) ** 2 for count, share in shares), Fraction(0))
    return squares / (rows - 1)


def _deviate(interval: Mapping[str, Any]) -> float:
    return NormalDist().inv_cdf((1 + interval["level"]) / 2)


def _differences(interval: Mapping[str, Any], expected: Limits, source: str) -> list[str]:
    return [
        f"the {name} limit is {interval[key]!r}, {source} gives {right!r}"
        for key, name, right in zip(("low", "high"), ("lower", "upper"), expected, strict=True)
        if not math.isclose(interval[key], right, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    ]
