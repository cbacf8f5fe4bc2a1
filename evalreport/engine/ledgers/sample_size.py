"""How wide intervals came out, and how many rows the wanted width would take.

A share of rows is taken to stay as it is, and its own method to be used on more rows. The
width of any other interval falls with the square root of the number of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Interval
from evalreport.results.records import Measure, SampleSize
from evalreport.statistics.proportions import PROPORTION_METHODS

#: More rows than this are not worth a number.
MOST_ROWS = 10**12
SAME_SHARE = "the same share and method, on more rows"
SQUARE_ROOT = "the width falls with the square root of the rows"


def sample_sizes(measures: Sequence[Measure], wanted: float | None) -> list[SampleSize]:
    """One record for each interval of all rows; where a width is wanted, of subgroups too.

    An interval that reaches up to infinity, or beyond the range of numbers, has no width.
    """
    return [
        _record(m, wanted)
        for m in measures
        if m.interval is not None
        and m.value is not None
        and m.where.fold is None
        and (wanted is not None or not m.where.subgroup)
        and math.isfinite(m.interval.high - m.interval.low)
    ]


def _record(m: Measure, wanted: float | None) -> SampleSize:
    assert m.interval is not None
    assert m.value is not None
    width = m.interval.high - m.interval.low
    metric = find(m.metric)
    share = metric is not None and metric.interval is Interval.PROPORTION
    record = SampleSize(
        measure=m.id,
        width=width,
        half_width=width / 2,
        rows=m.n,
        denominator=(m.denominator or None) if share else None,
        wanted_width=wanted,
    )
    if wanted is None:
        return record
    if metric is None or not all(map(math.isfinite, metric.bounds)):
        reason = "the metric has no bounds to compare a width with"
        return replace(record, reason=reason)
    method = PROPORTION_METHODS.get(m.interval.method) if share else None
    if method is None or not m.denominator:
        rows = math.ceil(m.n * (width / wanted) ** 2)
        return replace(record, rows_needed=rows, rule=SQUARE_ROOT)
    below = _fewest(m.value, wanted, m.interval.level, method)
    if below is None:
        return replace(record, reason=f"no number of rows up to {MOST_ROWS:,} is enough")
    return replace(
        record,
        denominator_needed=below,
        rows_needed=math.ceil(below * m.n / m.denominator),
        rule=SAME_SHARE,
    )


def _fewest(share: float, wanted: float, level: float, method: Callable[..., Any]) -> int | None:
    """The fewest rows below the line at which a share has an interval no wider than wanted."""

    def enough(n: int) -> bool:
        limits = method(min(share * n, n), n, level)
        return limits is not None and limits.high - limits.low <= wanted

    high = 1
    while not enough(high):
        high *= 2
        if high > MOST_ROWS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
