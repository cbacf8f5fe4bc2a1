"""Which group or class fares worst, and which have too few rows to judge."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Goal
from evalreport.metrics.kinds import Interval
from evalreport.metrics.properties import moves_with_prevalence
from evalreport.report.contents import Contents, View, identity, view_of
from evalreport.report.marking import flat_counts
from evalreport.report.strips import fraction_text
from evalreport.results.identity import Quantity
from evalreport.results.records import Measure

#: Rows of a subgroup below which it has too few, where the spec says nothing.
FEWEST = 10
#: Metrics that set the rows of one class against those of the other.
OF_TWO_CLASSES = (Interval.AUC, Interval.RANKED, Interval.TWO_RATES)
#: The level of tests of a run without intervals.
LEVEL = 0.95


def compares_groups(contents: Contents, key: Quantity, views: Sequence[View]) -> bool:
    """Whether groups with other shares of positives can be compared by a quantity."""
    if not any(contents.is_binary(view) for view in views):
        return True
    metric = find(key.metric)
    return metric is not None and not moves_with_prevalence(metric)


def worst_group(
    contents: Contents, view: View, key: Quantity
) -> tuple[Measure | None, list[Measure]]:
    """The group that fares worst, and those of too few rows to judge.

    Periods are no such groups; one that fares no worse than all rows is not named.
    """
    groups = [
        m
        for m in contents.of_view(view)
        if m.subgroup
        and m.fold is None
        and m.value is not None
        and tuple(m.subgroup) not in contents.period_columns
        and contents.at_first(view)(m)
        and identity(m) == key
    ]
    few = [m for m in groups if stands_on_few(contents, m)]
    worst = worst_of([m for m in groups if not stands_on_few(contents, m)])
    whole = next((m for m in contents.pooled(view) if identity(m) == key), None)
    if worst is None or whole is None or worst_of([whole, worst]) is not worst:
        return None, few
    return worst, few


def groups_differ(contents: Contents, m: Measure) -> bool:
    """Whether the groups of a measure are shown to differ by it.

    By the one test over all of them, as the data chose which group to look at; where there is no
    such test, by the limits of the gap of this group.
    """
    tested = tested_groups_differ(contents, m)
    if tested is not None:
        return tested
    gaps = (gap.gap_interval for gap in contents.gaps.get(m.id, ()))
    return any(limits and (limits.low > 0 or limits.high < 0) for limits in gaps)


def tested_groups_differ(contents: Contents, m: Measure) -> bool | None:
    """The same by the one test over all of the groups; None where there is none."""
    at = (view_of(m), identity(m), m.threshold, m.threshold_rule, tuple(m.subgroup))
    p = contents.group_tests.get(at)
    return None if p is None else p < 1 - (m.interval.level if m.interval else LEVEL)


def stands_on_few(contents: Contents, m: Measure) -> bool:
    """Whether its group has too few rows, or too few of those that the value is of.

    Those of a share are its denominator; of an area, pairs of rows, the smaller of two classes.
    """
    least = float(contents.spec.get("subgroup_minimum") or FEWEST)
    share = m.denominator if share_of_rows(contents, m) else None
    numbers = of_two_classes(contents, m) if share is None else (share,)
    return m.few or min(numbers, default=math.inf) < least


def of_two_classes(contents: Contents, m: Measure) -> tuple[float, ...]:
    """The positive rows and the others, of a metric that sets them against each other."""
    declared, table = find(m.metric), contents.table_of(m.table)
    flat = None if table is None else flat_counts(table)
    if declared is None or declared.interval not in OF_TWO_CLASSES or not flat:
        return ()
    return flat["TP"] + flat["FN"], flat["FP"] + flat["TN"]


def by_class(contents: Contents, view: View) -> list[Measure]:
    """Each of several classes by the metric that tells its worst class, or else by the first."""
    if contents.is_binary(view):
        return []
    own = [m for m in contents.pooled(view) if m.label is not None and m.average is None]
    metrics = dict.fromkeys(identity(m)._replace(label=None) for m in own if m.value is not None)
    first = [key for key in metrics if (metric := find(key.metric)) and metric.worst_class]
    chosen = [*first, *metrics][:1]
    return [m for m in own if identity(m)._replace(label=None) in chosen]


def worst_first(contents: Contents, views: Sequence[View]) -> list[str]:
    """The classes of these views by the worst value of :func:`by_class`, those without one last."""
    values: dict[str, float] = {}
    for m in (m for view in views for m in by_class(contents, view)):
        if m.value is not None:
            label = str(m.label)
            values[label] = min(sign_of(m.metric) * m.value, values.get(label, math.inf))
    known = dict.fromkeys(label for view in views for label in contents.classes(view))
    return sorted(known, key=lambda label: values.get(label, math.inf))


def worst_of(measures: Sequence[Measure]) -> Measure | None:
    """The worst of several values of one metric; None where there are no two."""
    sign = sign_of(measures[0].metric) if len(measures) > 1 else 0
    return min(measures, key=lambda m: sign * (m.value or 0.0)) if sign else None


def sign_of(metric: str) -> int:
    """1 where a metric's declaration has more as better, -1 where less is, else 0."""
    goal = None if (declared := find(metric)) is None else declared.goal
    return 1 if goal is Goal.MAXIMIZE else -1 if goal is Goal.MINIMIZE else 0


def share_of_rows(contents: Contents, m: Measure) -> str:
    """How many of how many rows; nothing where the value is no share of rows."""
    declared = find(m.metric)
    share = declared is not None and declared.interval is Interval.PROPORTION
    return fraction_text(contents, m) if share else ""
