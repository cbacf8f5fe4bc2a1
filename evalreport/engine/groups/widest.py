"""The largest gap between any two groups, with simultaneous limits.

The largest of several observed gaps was chosen by the data: it is too large on average, and an
interval of that pair alone would not hold. Limits of all pairs together, each at 1 - alpha over
the number of pairs (Bonferroni), hold the gap of every pair at once with the stated confidence,
so the largest true gap is at least the largest lower limit and at most the largest upper one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

from evalreport.engine.groups.standard_errors import standard_error
from evalreport.results import records
from evalreport.results.records import Measure, WidestGap
from evalreport.statistics.interval import Interval, z_value
from evalreport.statistics.unpaired import newcombe_hybrid

#: Groups up to which all pairs are held against each other.
MOST_GROUPS = 60
SHARES, NORMAL = "newcombe_hybrid_simultaneous", "normal_simultaneous"

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
        return None, f"pairs are held together up to {MOST_GROUPS} groups"
    each = 1.0 - (1.0 - level) / pairs
    shares = [f for _, f in known if f is not None]
    errors = [standard_error(m, level) for m, _ in known]
    if len(shares) == len(known):
        low, high = of_pairs(shares, lambda a, b: newcombe_hybrid(*a, *b, each))
        return records.Interval(level, low, high, SHARES), None
    if any(error is None for error in errors):
        return None, "the standard error of a group is not known"
    z = z_value(each)
    parts = [(m.value or 0.0, error or 0.0) for (m, _), error in zip(known, errors, strict=True)]

    def normal(a: Fraction, b: Fraction) -> Interval:
        half = z * math.hypot(a[1], b[1])
        return Interval(a[0] - b[0] - half, a[0] - b[0] + half)

    low, high = of_pairs(parts, normal)
    return records.Interval(level, low, high, NORMAL), None


def of_pairs(
    parts: Sequence[Fraction], limits: Callable[[Fraction, Fraction], Interval | None]
) -> tuple[float, float]:
    """The largest least distance of a pair from 0, and the largest distance of all."""
    low = high = 0.0
    for one, two in combinations(parts, 2):
        found = limits(one, two)
        assert found is not None
        low = max(low, found.low, -found.high)
        high = max(high, abs(found.low), abs(found.high))
    return low, high
