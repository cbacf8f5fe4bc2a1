"""Widths of intervals, and the rows that a wanted width would take, again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist

from evalreport.record.checks import OF_THE_SPEC, Finding, Known, checks, held
from evalreport.record.table_counts import number
from evalreport.results.records import Interval, Measure, SampleSize

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
        widths = [_wilson(share, n, level) for n in (below, below - 1)]
        if widths[0] > wanted + _ROUNDING or (below > 1 and widths[1] < wanted - _ROUNDING):
            yield f"{below!r} rows below the line are not the fewest for {wanted!r}"


def _wilson(share: float, n: float, level: float) -> float:
    """The width of Wilson's interval; 1 without rows."""
    if n <= 0:
        return 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    return 2 * z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
