"""Selection rates and impact ratios of results.json again, from the tables in it alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from evalreport.record.checks import OF_THE_SPEC, Finding, Held, Known, checks, held
from evalreport.record.table_counts import number, read_table
from evalreport.results.records import Impact, ImpactCategory, Interval
from evalreport.values import dataclass

# Sums of weights carry rounding of their own.
LOOSE = Fraction(1, 10**9)
FOUR_FIFTHS = Fraction(4, 5)
TWO_PERCENT = Fraction(2, 100)


@dataclass(frozen=True)
class _Group:
    """A category as it is stated, and its counts."""

    record: ImpactCategory
    selected: Fraction
    n: Fraction

    @property
    def unknown(self) -> bool:
        return self.record.unknown

    @property
    def rate(self) -> Fraction:
        return self.selected / self.n


@checks(
    Impact,
    lambda _, place: f"impact record {place}",
    holds=("categories", "unknown"),
    unless={
        "categories.p_value": "the test is not worked out again",
        "categories.selected": "who scores above the median is counted from rows",
        "categories.n": "who scores above the median is counted from rows",
        "median": "the median is found among the scores of rows",
        "smallest_share": OF_THE_SPEC,
        "threshold": OF_THE_SPEC,
    },
)
def impact(record: Impact, known: Known) -> list[Finding]:
    """Every number that does not follow from its table.

    Scoring rates have no table at their median: their counts are taken as stated, and
    only what is made of them is worked out again.
    """
    if not record.categories:
        return [] if record.reason else ["no category, and no reason is given"]
    groups = [_Group(c, number(c.selected), number(c.n)) for c in record.categories]
    found: list[Finding] = [*_account(record, groups, known), _settled(record)]
    total = sum((g.n for g in groups), Fraction(0))
    taking = [
        g
        for g in groups
        if not g.unknown and g.n > 0 and g.n >= number(record.smallest_share) * total
    ]
    unknown = sum((g.n for g in groups if g.unknown), Fraction(0))
    found += _differs("unknown", record.unknown, unknown)
    for group in groups:
        problems = _from_table(group, known, record.label)
        problems += _rates(group, taking, total, unknown)
        found += [f"{_named(group)}: {what}" for what in problems]
    return found


def _settled(record: Impact) -> Held:
    """The numbers that are worked out again: of scores, what is made of their counts."""
    paths = ["unknown", *(f"categories.{name}" for name in _MADE)]
    if record.kind == "selection":
        paths += ["categories.selected", "categories.n"]
    return held(*paths)


#: Numbers of a category that follow from counts.
_MADE = ("rows", "share_of_rows", "selection_rate", "impact_ratio", "highest_fraction",
         "interval.low", "interval.high", "bounds")  # fmt: skip


def _account(record: Impact, groups: Sequence[_Group], known: Known) -> list[str]:
    """Every used row is of one category."""
    held = sum(g.record.rows for g in groups)
    for rows in known.results.rows:
        same = (rows.dataset, rows.model) == (record.dataset, record.model)
        # A row that was predicted several times is selected, or not, with each prediction.
        used = rows.predictions or rows.used
        if same and used != held:
            return [f"its categories hold {held} rows, {used} were used"]
    return []


def _from_table(group: _Group, known: Known, label: str | None) -> list[str]:
    """Selected and total against the counts of the group's table."""
    name = group.record.table
    if name is None:
        return []
    table = read_table(known.results.table(name), None)
    place = table.index(label)
    selected = table.predicted[place] if place is not None else Fraction(0)
    return [
        *_differs("selected", group.record.selected, selected),
        *_differs("n", group.record.n, table.rows),
    ]


def _rates(
    group: _Group, taking: Sequence[_Group], total: Fraction, unknown: Fraction
) -> list[str]:
    record = group.record
    known = group.n > 0 and not group.unknown
    found = _differs("selection_rate", record.selection_rate, group.rate if known else None)
    if total:
        found += _differs("share_of_rows", record.share_of_rows, group.n / total)
        if record.under_two_percent != (group.n / total < TWO_PERCENT):
            found.append("under_two_percent is wrong")
    top = max((g.rate for g in taking), default=Fraction(0))
    ratio = group.rate / top if group in taking and top else None
    found += _differs("impact_ratio", record.impact_ratio, ratio)
    if ratio is None:
        return found if record.reason else [*found, "no ratio, and no reason is given"]
    if record.below_four_fifths != (ratio < FOUR_FIFTHS):
        found.append("below_four_fifths is wrong")
    if record.interval is not None:
        found += _limits(group, record.interval, record.highest_fraction or (0, 0))
    if record.bounds is not None:
        found += _bounds(group, taking, unknown)
    return found


def _bounds(group: _Group, taking: Sequence[_Group], unknown: Fraction) -> list[str]:
    """If every row of unknown category were of this group, not selected or selected."""
    others = max((g.rate for g in taking if g is not group), default=Fraction(0))
    found = []
    bounds = group.record.bounds
    assert bounds is not None
    for name, stated, more in (
        ("not_selected", bounds.not_selected, Fraction(0)),
        ("selected", bounds.selected, unknown),
    ):
        rate = (group.selected + more) / (group.n + unknown)
        most = max(rate, others)
        found += _differs(f"bounds, {name}, rate", stated.selection_rate, rate)
        ratio = rate / most if most else None
        found += _differs(f"bounds, {name}, ratio", stated.impact_ratio, ratio)
    return found


def _limits(group: _Group, interval: Interval, highest: tuple[float, float]) -> list[str]:
    """Limits of a ratio of two independent proportions, by the method that is named."""
    selected, n = (number(part) for part in highest)
    z = NormalDist().inv_cdf((1 + interval.level) / 2)
    if interval.method == "koopman":
        ends = (("lower limit", interval.low, z), ("upper limit", interval.high, -z))
        counts = [float(part) for part in (group.selected, group.n, selected, n)]
        return [
            f"{name} is {limit!r}, not {abs(wanted):.4g} standard errors from what was found"
            for name, limit, wanted in ends
            if not _is_score_limit(limit, wanted, *counts)
        ]
    error = math.sqrt(1 / group.selected - 1 / group.n + 1 / selected - 1 / n)
    half = z * error
    centre = math.log(group.rate * n / selected)
    return [
        *_differs("lower limit", interval.low, Fraction(math.exp(centre - half))),
        *_differs("upper limit", interval.high, Fraction(math.exp(centre + half))),
    ]


def _is_score_limit(
    ratio: float, wanted: float, x1: float, n1: float, x2: float, n2: float
) -> bool:
    """Whether the rates lie so many standard errors from a ratio (Koopman 1984).

    The rates under the ratio are found where their likelihood is flat, by halving.
    """
    if x1 == 0 and wanted > 0:
        return ratio == 0
    low, high = 0.0, min(1.0, 1.0 / ratio) if ratio > 0 else 1.0
    for _ in range(200):
        p = (low + high) / 2
        up = (x1 + x2) * (1 - ratio * p) * (1 - p)
        down = (n1 - x1) * ratio * p * (1 - p) + (n2 - x2) * p * (1 - ratio * p)
        low, high = (p, high) if up > down else (low, p)
    p = (low + high) / 2
    variance = ratio * p * (1 - ratio * p) / n1 + ratio**2 * p * (1 - p) / n2
    distance = x1 / n1 - ratio * x2 / n2
    return abs(distance - wanted * math.sqrt(max(variance, 0.0))) <= 1e-7 * max(1.0, ratio)


def _differs(name: str, stated: Any, expected: Fraction | None) -> list[str]:
    if stated is None or expected is None:
        same = stated is None and expected is None
        return [] if same else [f"{name} is {stated!r}, its counts give {_shown(expected)}"]
    if abs(number(stated) - expected) <= LOOSE * max(abs(expected), LOOSE):
        return []
    return [f"{name} is {stated!r}, its counts give {_shown(expected)}"]


def _shown(value: Fraction | None) -> str:
    return "none" if value is None else repr(float(value))


def _named(group: _Group) -> str:
    return ", ".join(f"{column} {value}" for column, value in group.record.subgroup.items())
