"""Selection rates and impact ratios of results.json again, from the tables in it alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from evalreport.errors import Problem
from evalreport.record.table_counts import number, read_table

# Sums of weights carry rounding of their own.
LOOSE = Fraction(1, 10**9)
FOUR_FIFTHS = Fraction(4, 5)
TWO_PERCENT = Fraction(2, 100)
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)


@dataclass(frozen=True)
class _Group:
    """A category as it is stated: whether it is known, and its counts."""

    record: Mapping[str, Any]
    selected: Fraction
    n: Fraction
    unknown: bool

    @property
    def rate(self) -> Fraction:
        return self.selected / self.n


def impact_problems(results: Mapping[str, Any]) -> list[Problem]:
    """Every number of the ``impact`` records that does not follow from its table.

    Scoring rates have no table at their median: their counts are taken as stated, and
    only what is made of them is worked out again.
    """
    found: list[Problem] = []
    for place, record in enumerate(results.get("impact") or ()):
        try:
            problems = _record(record, results)
        except _MALFORMED as error:
            problems = [f"cannot be checked, it is malformed: {error!r}"]
        found += [Problem(f"impact record {place}: {what}") for what in problems]
    return found


def _record(record: Mapping[str, Any], results: Mapping[str, Any]) -> list[str]:
    categories = record["categories"]
    if not categories:
        return [] if record["reason"] else ["no category, and no reason is given"]
    groups = [
        _Group(c, number(c["selected"]), number(c["n"]), bool(c["unknown"])) for c in categories
    ]
    tables = {t["id"]: t for t in results["tables"]}
    found = _account(record, groups, results)
    total = sum((g.n for g in groups), Fraction(0))
    taking = [
        g
        for g in groups
        if not g.unknown and g.n > 0 and g.n >= number(record["smallest_share"]) * total
    ]
    unknown = sum((g.n for g in groups if g.unknown), Fraction(0))
    found += _differs("unknown", record["unknown"], unknown)
    for group in groups:
        problems = _from_table(group, tables, record["label"])
        problems += _rates(group, taking, total, unknown)
        found += [f"{_named(group)}: {what}" for what in problems]
    return found


def _account(
    record: Mapping[str, Any], groups: Sequence[_Group], results: Mapping[str, Any]
) -> list[str]:
    """Every used row is of one category."""
    held = sum(int(g.record["rows"]) for g in groups)
    for rows in results.get("rows") or ():
        same = (rows["dataset"], rows["model"]) == (record["dataset"], record["model"])
        if same and rows["used"] != held:
            return [f"its categories hold {held} rows, {rows['used']} were used"]
    return []


def _from_table(group: _Group, tables: Mapping[str, Any], label: Any) -> list[str]:
    """Selected and total against the counts of the group's table."""
    name = group.record["table"]
    if name is None:
        return []
    table = read_table(tables[name], None)
    place = table.index(label)
    selected = table.predicted[place] if place is not None else Fraction(0)
    return [
        *_differs("selected", group.record["selected"], selected),
        *_differs("n", group.record["n"], table.rows),
    ]


def _rates(
    group: _Group, taking: Sequence[_Group], total: Fraction, unknown: Fraction
) -> list[str]:
    record = group.record
    known = group.n > 0 and not group.unknown
    found = _differs("selection_rate", record["selection_rate"], group.rate if known else None)
    if total:
        found += _differs("share_of_rows", record["share_of_rows"], group.n / total)
        if record["under_two_percent"] != (group.n / total < TWO_PERCENT):
            found.append("under_two_percent is wrong")
    top = max((g.rate for g in taking), default=Fraction(0))
    ratio = group.rate / top if group in taking and top else None
    found += _differs("impact_ratio", record["impact_ratio"], ratio)
    if ratio is None:
        return found if record["reason"] else [*found, "no ratio, and no reason is given"]
    if record["below_four_fifths"] != (ratio < FOUR_FIFTHS):
        found.append("below_four_fifths is wrong")
    if record["interval"] is not None:
        found += _limits(group, record["interval"], record["highest_fraction"])
    if record["bounds"] is not None:
        found += _bounds(group, taking, unknown)
    return found


def _bounds(group: _Group, taking: Sequence[_Group], unknown: Fraction) -> list[str]:
    """If every row of unknown category were of this group, not selected or selected."""
    others = max((g.rate for g in taking if g is not group), default=Fraction(0))
    found = []
    for name, more in (("not_selected", Fraction(0)), ("selected", unknown)):
        stated = group.record["bounds"][name]
        rate = (group.selected + more) / (group.n + unknown)
        most = max(rate, others)
        found += _differs(f"bounds, {name}, rate", stated["selection_rate"], rate)
        ratio = rate / most if most else None
        found += _differs(f"bounds, {name}, ratio", stated["impact_ratio"], ratio)
    return found


def _limits(
    group: _Group, interval: Mapping[str, Any], highest: Sequence[float]
) -> list[str]:
    """The log interval of a ratio of two independent proportions."""
    selected, n = (number(part) for part in highest)
    error = math.sqrt(1 / group.selected - 1 / group.n + 1 / selected - 1 / n)
    half = NormalDist().inv_cdf((1 + interval["level"]) / 2) * error
    centre = math.log(group.rate * n / selected)
    return [
        *_differs("lower limit", interval["low"], Fraction(math.exp(centre - half))),
        *_differs("upper limit", interval["high"], Fraction(math.exp(centre + half))),
    ]


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
    return ", ".join(f"{column} {value}" for column, value in group.record["subgroup"].items())
