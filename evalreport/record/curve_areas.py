"""Numbers that follow from the points of a ROC curve, by sums of trapezoids in fractions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from evalreport.record.table_counts import number

Point = tuple[Fraction, Fraction]


def curve_value(curve: Mapping[str, Any], measure: Mapping[str, Any]) -> Fraction | None:
    """What a measure must be by the points of its ROC curve; None where they do not settle it.

    Raises KeyError, TypeError or ValueError when the curve is malformed.
    """
    if curve.get("thinned"):
        return None
    points = _points(curve)
    metric, params = measure["metric"], measure["params"]
    if metric == "roc_auc":
        return area(points)
    if metric == "gini":
        return 2 * area(points) - 1
    if metric == "ks":
        return max(abs(tpr - fpr) for fpr, tpr in points)
    if metric == "partial_auc" and "max_fpr" in params:
        return _partial(points, number(params["max_fpr"]), bool(params.get("standardized")))
    return None


def area(points: list[Point]) -> Fraction:
    """The area under points joined by straight lines.

    >>> area([(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))])
    Fraction(1, 2)
    """
    pieces = ((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    return sum(pieces, Fraction(0))


def _points(curve: Mapping[str, Any]) -> list[Point]:
    columns = curve["points"]
    fpr, tpr = columns["fpr"], columns["tpr"]
    points = [(number(x), number(y)) for x, y in zip(fpr, tpr, strict=True)]
    if not points:
        raise ValueError("a curve without points")
    if any(b[0] < a[0] or b[1] < a[1] for a, b in pairwise(points)):
        raise ValueError("a ROC curve that turns back")
    return points


def _partial(points: list[Point], limit: Fraction, standardized: bool) -> Fraction:
    """The area up to a false positive rate; standardised as McClish (1989) does."""
    kept = [point for point in points if point[0] <= limit]
    beyond = [point for point in points if point[0] > limit]
    if kept and beyond and kept[-1][0] < limit:
        (x0, y0), (x1, y1) = kept[-1], beyond[0]
        kept.append((limit, y0 + (y1 - y0) * (limit - x0) / (x1 - x0)))
    part = area(kept)
    if not standardized:
        return part
    least, most = limit * limit / 2, limit
    return (1 + (part - least) / (most - least)) / 2
