"""Limits of intervals again, by code of its own, where a table or a curve settles them.

Checked are Wilson's limits of a share of rows, the square-and-add limits of Youden's J and
what is a straight line of it, those of metrics of the four cells from Jeffreys limits of their
shares, DeLong's of the area under the ROC curve on both scales and in score form, and bands of
curves. All other methods are taken as stated.

Widths of intervals, and the rows that a wanted width would take, follow from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from statistics import NormalDist

from evalreport.record.checks import OF_THE_SPEC, Finding, Known, checks, held
from evalreport.record.roc_curves import area
from evalreport.record.share_limits import square_and_add_limits
from evalreport.record.table_counts import Counts, number
from evalreport.results.records import Band, Column, Curve, Interval, Measure, SampleSize
from evalreport.statistics.tail import t_quantile

Limits = tuple[float, float]

_TOLERANCE = 1e-8


def share_problems(measure: Measure) -> list[str]:
    """Wilson's limits of numerator of denominator rows."""
    interval = measure.interval
    if interval is None or interval.method != "wilson" or measure.weight is not None:
        return []
    if measure.numerator is None or not measure.denominator:
        return []
    x, n = float(number(measure.numerator)), float(number(measure.denominator))
    if measure.average == "micro" and measure.indeterminate is None:
        # Of pooled counts, such as 2 TP of 2 TP + FP + FN: the share is of the rows.
        x, n = x * measure.n / n, float(measure.n)
    return _differences(interval, _wilson(x, n, _deviate(interval)), "its fraction")


def rates_problems(measure: Measure, counts: Counts | None) -> list[str]:
    """Square-and-add limits from those of recall and of the false positive rate."""
    interval = measure.interval
    if interval is None or interval.method != "newcombe_hybrid" or counts is None:
        return []
    line = _LINES_OF_J.get(measure.metric)
    if line is None or measure.weight is not None:
        return []
    tp, fn, fp, tn = (float(c) for c in (counts.tp, counts.fn, counts.fp, counts.tn))
    low, high = _square_and_add((tp, tp + fn), (fp, fp + tn), _deviate(interval))
    ends = sorted((line(low), line(high)))
    return _differences(interval, (ends[0], ends[1]), "its table")


def shares_problems(measure: Measure, counts: Counts | None) -> list[str]:
    """Square-and-add limits from those of three independent shares of the rows."""
    interval = measure.interval
    if interval is None or interval.method != "mover_jeffreys" or counts is None:
        return []
    if measure.weight is not None:
        return []
    limits = square_and_add_limits(measure, interval, counts)
    return [] if limits is None else _differences(interval, limits, "its table")


def area_problems(measure: Measure, curve: Curve | None) -> list[str]:
    """DeLong's limits from the steps of the ROC curve.

    Not where the curve is thinned out, or has a slanted piece: tied scores that lie on one
    line are drawn as one.
    """
    interval, scale = measure.interval, _LINES_OF_AREA.get(measure.metric)
    if interval is None or scale is None:
        return []
    if interval.method not in (*_AREA_LIMITS, "delong_score"):
        return []
    if curve is None or curve.thinned or measure.weight is not None:
        return []
    steps = _steps(curve)
    if steps is None or interval.low == interval.high:
        return []
    points = curve.points
    rates = [(number(x), number(y)) for x, y in zip(points["fpr"], points["tpr"], strict=True)]
    found, error = float(area(rates)), _delong_error(steps)
    p, n = float(points["p"][0] or 0), float(points["n"][0] or 0)
    if interval.method == "delong_score":
        limits = area_in_score_form(found, error, p, n, interval.level)
    elif error is None:
        return []
    else:
        limits = _AREA_LIMITS[interval.method](found, _deviate(interval) * error)
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


def _hanley_mcneil(a: float, p: float, n: float) -> float:
    """Their variance of an area (1982)."""
    two_positives, two_negatives = a / (2 - a), 2 * a * a / (1 + a)
    total = a * (1 - a) + (p - 1) * (two_positives - a * a) + (n - 1) * (two_negatives - a * a)
    return max(total, 0.0) / (p * n)


def area_in_score_form(
    found: float, error: float | None, p: float, n: float, level: float
) -> Limits:
    """Areas t of their own errors away; the errors mixed of both variances, six pairs to one."""
    formed, pairs, factor = _hanley_mcneil(found, p, n), min(p, n), 1.0
    t = t_quantile((1 + level) / 2, pairs + 5)
    if error is not None and formed > 0:
        factor = (pairs * error * error / formed + 6) / (pairs + 6)

    def far(bound: float) -> bool:
        return (found - bound) ** 2 > t * t * factor * _hanley_mcneil(bound, p, n)

    ends = []
    for inner, outer in ((min(found, 1 - 1e-15), 0.0), (max(found, 1e-15), 1.0)):
        if (found <= 0 and outer == 0) or (found >= 1 and outer == 1):
            ends.append(outer)
            continue
        near, away = inner, outer
        for _ in range(200):
            middle = (near + away) / 2
            near, away = (near, middle) if far(middle) else (middle, away)
        ends.append((near + away) / 2)
    return ends[0], ends[1]


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


def _steps(curve: Curve) -> list[tuple[int, int]] | None:
    """Positives and negatives of each piece; None where a piece is slanted."""
    tp, fp = (_whole(curve.points[name]) for name in ("tp", "fp"))
    steps = [(b - a, d - c) for a, b, c, d in zip(tp, tp[1:], fp, fp[1:], strict=False)]
    return None if any(up and right for up, right in steps) else steps


def _whole(column: Column) -> list[int]:
    """A column of counts. Raises ValueError for a part of a row, or none."""
    found = [int(count) for count in column if count is not None and float(count).is_integer()]
    if len(found) < len(column):
        raise ValueError("counts of a curve that are not whole")
    return found


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


def _deviate(interval: Interval | Band) -> float:
    return NormalDist().inv_cdf((1 + interval.level) / 2)


def _differences(interval: Interval, expected: Limits, source: str) -> list[str]:
    return [
        f"the {name} limit is {stated!r}, {source} gives {right!r}"
        for stated, name, right in (
            (interval.low, "lower", expected[0]),
            (interval.high, "upper", expected[1]),
        )
        if not math.isclose(stated, right, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    ]


#: The rows that the height of a curve is a share of TP of: columns that add up to them.
_BELOW = {"tpr": ("p",), "precision": ("tp", "fp")}
_BANDED = (*_BELOW, "observed")
_OF_POINTS = "points are counted from rows; areas are held against them"


@checks(
    Curve,
    lambda one, _: f"curve {one.id}, {one.kind} of {one.model} on {one.dataset}",
    holds=(
        "band.level",
        *(f"points.{of}_{end}" for of in _BANDED for end in ("low", "high")),
    ),
    unless={
        **dict.fromkeys(("points", "bins"), _OF_POINTS),
        "band": OF_THE_SPEC,
    },
)
def band(record: Curve, known: Known) -> Iterator[Finding]:
    """The limits of a band follow from the counts at each point, at the level of the spec."""
    own = record.band
    if own is None:
        return
    if known.asked is not None:
        if own.level != known.asked.settings.level:
            yield f"its band is at {own.level!r}, the spec asks for {known.asked.settings.level!r}"
        yield held("band.level")
    names = [f"{own.of}_{end}" for end in ("low", "high")]
    if own.method is None:
        if any(name in record.points for name in names) or not own.reason:
            yield "its band has no method, and limits or no reason"
        return
    if own.of not in _BELOW:
        yield from _smoothed_band(record, own, names)
        return
    below = [record.points[name] for name in _BELOW[own.of]]
    counts = zip(record.points["tp"], *below, strict=True)
    ends = zip(*(record.points[name] for name in names), strict=True)
    for place, (cells, stated) in enumerate(zip(counts, ends, strict=True)):
        x, n = float(cells[0] or 0), float(sum(cell or 0 for cell in cells[1:]))
        right = _wilson(x, n, _deviate(own)) if n else (None, None)
        if not all(_is_near(one, other) for one, other in zip(stated, right, strict=True)):
            yield f"its band at point {place + 1} is {stated!r}, its counts give {right!r}"
            break
    yield held(*(f"points.{name}" for name in names))


def _smoothed_band(record: Curve, own: Band, names: list[str]) -> Iterator[Finding]:
    """Limits of a smoothed share: so many standard errors around it, within 0 and 1."""
    z = _deviate(own)
    columns = [record.points[name] for name in (own.of, "standard_error", *names)]
    for place, (value, error, *stated) in enumerate(zip(*columns, strict=True)):
        middle, reach = float(value or 0), z * float(error or 0)
        right = (max(0.0, middle - reach), min(1.0, middle + reach))
        if not all(_is_near(one, other) for one, other in zip(stated, right, strict=True)):
            yield f"its band at point {place + 1} is {stated!r}, its error gives {right!r}"
            break
    yield held(*(f"points.{name}" for name in names))


def _is_near(stated: float | None, right: float | None) -> bool:
    if stated is None or right is None:
        return stated is right
    return math.isclose(stated, right, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)


_ROUNDING = 1e-9


@checks(
    SampleSize,
    lambda r, _: f"sample_size of {r.measure}",
    holds=("width", "half_width", "rows"),
    unless={
        "denominator": OF_THE_SPEC,
        "wanted_width": OF_THE_SPEC,
        "denominator_needed": OF_THE_SPEC,
        "rows_needed": OF_THE_SPEC,
    },
)
def width(record: SampleSize, known: Known) -> Iterator[Finding]:
    """What does not follow from the interval of the measure.

    Rows needed are checked for Wilson's method and for the square-root rule; those of the
    other methods of a share are taken as stated.
    """
    measure = known.results.measure(record.measure)
    interval = measure.interval
    if interval is None:
        yield "its measure has no interval"
        return
    yield held("width", "half_width", "rows")
    wide = float(number(interval.high) - number(interval.low))
    for name, stated, expected in (
        ("width", record.width, wide),
        ("half_width", record.half_width, wide / 2),
        ("rows", record.rows, measure.n),
    ):
        if not math.isclose(stated, expected, rel_tol=_ROUNDING, abs_tol=1e-15):
            yield f"{name} is {stated!r}, its interval gives {expected!r}"
    if record.rows_needed is not None and record.wanted_width is not None:
        yield from _needed(record, measure, interval, wide)


def _needed(record: SampleSize, measure: Measure, interval: Interval, wide: float) -> Iterator[str]:
    needed, wanted = record.rows_needed or 0, record.wanted_width or 0.0
    below = record.denominator_needed
    if below is None:
        expected = measure.n * (wide / wanted) ** 2
        if abs(needed - math.ceil(expected)) > 1:
            yield f"rows_needed is {needed!r}, its width gives {math.ceil(expected)!r}"
        return
    if measure.numerator is None or not measure.denominator:
        yield "its measure is no fraction"
        return
    rows = below * measure.n / measure.denominator
    if abs(needed - math.ceil(rows)) > 1:
        yield f"rows_needed is {needed!r}, {below!r} below the line give {rows!r}"
    if interval.method == "wilson":
        share, level = measure.numerator / measure.denominator, interval.level
        widths = [_wilson_width(share, n, level) for n in (below, below - 1)]
        if widths[0] > wanted + _ROUNDING or (below > 1 and widths[1] < wanted - _ROUNDING):
            yield f"{below!r} rows below the line are not the fewest for {wanted!r}"


def _wilson_width(share: float, n: float, level: float) -> float:
    """The width of Wilson's interval; 1 without rows."""
    if n <= 0:
        return 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    return 2 * z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
