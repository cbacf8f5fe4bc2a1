"""Numbers that follow from the points of a ROC curve, by sums of trapezoids in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from evalreport.record.table_counts import number
from evalreport.results.records import Curve, Measure

Point = tuple[Fraction, Fraction]
# Sums of weights, added up in another order, differ in their last digits.
LOOSE = Fraction(1, 10**9)


def curve_value(curve: Curve, measure: Measure) -> Fraction | None:
    """What a measure must be by the points of its ROC curve; None where they do not settle it.

    Raises KeyError, TypeError or ValueError when the curve is malformed.
    """
    if curve.thinned:
        return None
    points = roc_points(curve)
    metric, params = measure.metric, measure.params
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


def reached_problems(measure: Measure, curve: Curve | None) -> list[str]:
    """What is wrong with the threshold where a distance of rates is reached, and its table.

    By itself, the table there gives the value. By the whole curve, the threshold is the
    largest at which the rates are that far apart, and its cells are those of the curve.

    Raises KeyError, TypeError or ValueError when the curve is malformed.
    """
    at = measure.reached
    if at is None or measure.state != "value":
        return []
    tp, fp, fn, tn = (number(cell) for cell in (at.tp, at.fp, at.fn, at.tn))
    if min(tp, fp, fn, tn) < 0 or tp + fn <= 0 or fp + tn <= 0:
        return ["the table where it is reached has no actual positives or no negatives"]
    apart = abs(tp / (tp + fn) - fp / (fp + tn))
    if abs(apart - number(measure.value)) > LOOSE:
        return [f"value is {measure.value!r}, the table where it is reached gives {float(apart)!r}"]
    if curve is None or curve.thinned or not apart:
        return []
    return _reached_on(curve, measure, (tp, fp, tp + fn, fp + tn))


def _reached_on(curve: Curve, measure: Measure, stated: tuple[Fraction, ...]) -> list[str]:
    """The first point of the curve that is farthest from the diagonal, and its counts."""
    columns, at = curve.points, measure.reached
    counts = [
        tuple(number(cell) for cell in cells)
        for cells in zip(*(columns[name] for name in ("tp", "fp", "p", "n")), strict=True)
    ]
    apart = [abs(tp / p - fp / n) for tp, fp, p, n in counts]
    # Of sums of weights, which of two equal distances is first is a matter of rounding.
    room = LOOSE if measure.weight is not None else Fraction(0)
    farthest = [place for place, far in enumerate(apart) if far >= max(apart) - room]
    fits = farthest if measure.weight is not None else farthest[:1]
    told = None if at is None else number(at.threshold)
    for place in fits:
        own = columns["threshold"][place]
        same = all(abs(a - b) <= room * b for a, b in zip(stated, counts[place], strict=True))
        if own is not None and number(own) == told and same:
            return []
    tp, fp, p, n = (float(count) for count in counts[fits[0]])
    here = f"{columns['threshold'][fits[0]]!r} with TP {tp:g} of {p:g} and FP {fp:g} of {n:g}"
    return [f"by its curve it is reached at {here}, not as its table there says"]


def roc_points(curve: Curve) -> list[Point]:
    """The points of a ROC curve: false and true positive rate, from nothing to everything.

    Raises KeyError, TypeError or ValueError when the curve is malformed.
    """
    columns = curve.points
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
