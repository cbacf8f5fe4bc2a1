"""The largest gap between any two groups, with simultaneous limits.

The largest of several observed gaps was chosen by the data: it is too large on average, and an
interval of that pair alone would not hold. Limits of all pairs together, each at 1 - alpha over
the number of pairs (Bonferroni), hold the gap of every pair at once with the stated confidence,
so the largest true gap is at least the largest lower limit and at most the largest upper one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import WIDEST_ADDED, WIDEST_OF_SHARES
from evalreport.results import records
from evalreport.results.records import Measure, WidestGap
from evalreport.statistics.interval import Interval, z_value
from evalreport.statistics.unpaired import newcombe_hybrid

#: Groups up to which all pairs are held against each other.
MOST_GROUPS = 60

Fraction = tuple[float, float]


def widest_gap(
    groups: Sequence[Measure], fractions: Sequence[Fraction | None], level: float
) -> WidestGap | None:
    """Largest minus least value of the groups; None with fewer than two values.

    Args:
        groups: one measure for each group of a column.
        fractions: its counts above and below the line where it is a plain share of rows.
        level: of the interval, and of the intervals of the measures.
    """
    known = [(m, f) for m, f in zip(groups, fractions, strict=True) if m.value is not None]
    if len(known) < 2:
        return None
    ordered = sorted((m for m, _ in known), key=lambda m: m.value or 0.0)
    least, most = ordered[0], ordered[-1]
    pairs = len(known) * (len(known) - 1) // 2
    interval, reason = _simultaneous(known, level, pairs)
    return WidestGap(
        highest=most.id,
        lowest=least.id,
        gap=(most.value or 0.0) - (least.value or 0.0),
        pairs=pairs,
        interval=interval,
        reason=reason,
    )


def _simultaneous(
    known: Sequence[tuple[Measure, Fraction | None]], level: float, pairs: int
) -> tuple[records.Interval | None, str | None]:
    if len(known) > MOST_GROUPS:
        return None, f"pairs are compared simultaneously up to {MOST_GROUPS} groups"
    each = 1.0 - (1.0 - level) / pairs
    shares = [f for _, f in known if f is not None]
    if len(shares) == len(known):
        low, high = of_pairs(shares, lambda a, b: newcombe_hybrid(*a, *b, each))
        return records.Interval(level, low, high, WIDEST_OF_SHARES), None
    if any(m.interval is None for m, _ in known):
        return None, "a group has no interval"
    wider = z_value(each) / z_value(level)
    sides = [_sides(m, wider) for m, _ in known]
    low, high = of_pairs([side for side in sides if side is not None], _added)
    most = _range(known[0][0].metric)
    return records.Interval(level, low, min(high, most), WIDEST_ADDED), None


@dataclass(frozen=True)
class _Sides:
    """A value with how far its limits lie below and above it."""

    value: float
    down: float
    up: float


def _sides(m: Measure, wider: float) -> _Sides | None:
    """The limits of a group as far apart as those of a higher level; None without any."""
    if m.interval is None or m.value is None:
        return None
    down, up = m.value - m.interval.low, m.interval.high - m.value
    return _Sides(m.value, wider * max(down, 0.0), wider * max(up, 0.0))


def _added(a: _Sides, b: _Sides) -> Interval:
    """Square-and-add of two independent values (Zou G., Donner A. Stat Med 27, 2008)."""
    apart = a.value - b.value
    return Interval(apart - math.hypot(a.down, b.up), apart + math.hypot(a.up, b.down))


def _range(name: str) -> float:
    """The most that two values of a metric can differ by."""
    metric = find(name)
    return math.inf if metric is None else metric.bounds[1] - metric.bounds[0]


Part = TypeVar("Part")


def of_pairs(
    parts: Sequence[Part], limits: Callable[[Part, Part], Interval | None]
) -> tuple[float, float]:
    """The largest least distance of a pair from 0, and the largest distance of all."""
    low = high = 0.0
    for one, two in combinations(parts, 2):
        found = limits(one, two)
        assert found is not None
        low = max(low, found.low, -found.high)
        high = max(high, abs(found.low), abs(found.high))
    return low, high
