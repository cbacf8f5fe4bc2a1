"""Gaps and ratios of a measure between subgroups, and whether the groups differ at all.

Everything follows from the records of the measures: their fractions, values and
intervals. Groups of one column, or one crossing of columns, are independent of each
other; all rows contain the group that is held against them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalreport.engine.groups.standard_errors import standard_error
from evalreport.engine.groups.studied_groups import StudiedGroups
from evalreport.engine.groups.widest import Fraction, widest_gap
from evalreport.engine.intervals.methods import from_limits
from evalreport.engine.intervals.studied import with_study
from evalreport.metrics.catalogue import find
from evalreport.metrics.coverage_study import RATIO, RATIO_TO_ALL, TO_ALL, WIDEST
from evalreport.metrics.declare import Interval
from evalreport.metrics.estimates import different_classes
from evalreport.results import records
from evalreport.results.identity import WhichNumber
from evalreport.results.records import Gap, Heterogeneity, Measure, WidestGap
from evalreport.statistics import ratios, unpaired
from evalreport.statistics.interval import Interval as Limits
from evalreport.statistics.tail import ChiSquare
from evalreport.statistics.trend import weighted_changes

MISSING = "(missing)"


@dataclass(frozen=True)
class Family:
    """One measure on all rows and in every group of one column or crossing."""

    columns: tuple[str, ...]
    everything: Measure | None
    groups: tuple[Measure, ...]
    #: Its rows depend on each other: those of a cluster, or the labels of one row.
    dependent: bool = False

    @property
    def largest(self) -> Measure | None:
        """The group with the most rows whose membership is known; the first of equals."""
        return max(_known(self), key=lambda g: g.n, default=None)


def _known(family: Family) -> list[Measure]:
    """The groups whose membership is known."""
    return [g for g in family.groups if MISSING not in dict(g.where.subgroup).values()]


def families(
    measures: Sequence[Measure], dependent: Collection[tuple[str, str]] = ()
) -> tuple[Family, ...]:
    """Measures that belong together, in the order in which they first occur."""
    everything: dict[WhichNumber, Measure] = {}
    groups: dict[tuple[WhichNumber, tuple[str, ...]], list[Measure]] = {}
    for m in measures:
        if m.where.fold is not None:
            continue
        key = replace(m.which, subgroup=())
        if not m.where.subgroup:
            everything[key] = m
        else:
            columns = tuple(column for column, _ in m.where.subgroup)
            groups.setdefault((key, columns), []).append(m)
    return tuple(
        Family(
            columns,
            everything.get(key),
            tuple(found),
            dependent=(found[0].dataset, found[0].model) in dependent,
        )
        for (key, columns), found in groups.items()
    )


def subgroup_gaps(
    measures: Sequence[Measure],
    level: float,
    *,
    minimum: int = 0,
    studied: StudiedGroups | None = None,
    dependent: Collection[tuple[str, str]] = (),
) -> list[Gap]:
    """One record per group and reference: all rows, and the largest group.

    ``gap`` is the group minus the reference, ``ratio`` the group over it. ``few`` marks a
    group, or a reference, of fewer than ``minimum`` rows. ``studied``: what limits like these
    held in the coverage study. ``dependent``: datasets with models whose rows come in clusters,
    or have sets of labels: their shares are no binomial counts.
    """
    found = []
    for family in families(measures, dependent):
        largest = family.largest
        for group in family.groups:
            if family.everything is not None:
                found.append(_record(family, group, family.everything, level, minimum))
            if largest is not None and group is not largest:
                found.append(_record(family, group, largest, level, minimum))
    return found if studied is None else [_with_study(gap, studied) for gap in found]


def _with_study(gap: Gap, studied: StudiedGroups) -> Gap:
    """The gap, its limits with what such limits held in the coverage study."""
    to_all = gap.against == "all rows"
    # the rest of all rows may be smaller than the group, and then counts
    tables = (gap.measure, gap.against_measure)
    drawn = studied.smaller(gap.metric, tables, to_all=to_all)
    ends = (TO_ALL, RATIO_TO_ALL) if to_all else ("", RATIO)
    sides = gap.value, gap.against_value
    return replace(
        gap,
        gap_interval=with_study(gap.gap_interval, gap.metric, drawn, sides, ends[0]),
        ratio_interval=with_study(gap.ratio_interval, gap.metric, drawn, sides, ends[1]),
    )


def _record(family: Family, group: Measure, reference: Measure, level: float, minimum: int) -> Gap:
    to_all = not reference.where.subgroup
    one, two = group.value, reference.value
    gap = ratio = ratio_reason = gap_interval = ratio_interval = None
    gap_reason: str | None = _not_compared(group, reference)
    if gap_reason is None and one is not None and two is not None:
        gap, ratio_reason = one - two, _no_ratio(reference)
        ratio = one / two if ratio_reason is None else None
        fractions = _fraction(group, family), _fraction(reference, family)
        gap_interval, gap_reason = _gap_interval(group, reference, fractions, level)
        if ratio is not None:
            ratio_interval = _ratio_interval(fractions, level, to_all=to_all)
    return Gap(
        **_header(family, group),
        subgroup=group.subgroup,
        measure=group.id,
        against="all rows" if to_all else "largest group",
        against_subgroup=reference.subgroup,
        against_measure=reference.id,
        n=group.n,
        against_n=reference.n,
        value=one,
        against_value=two,
        gap=gap,
        gap_interval=gap_interval,
        ratio=ratio,
        ratio_interval=ratio_interval,
        ratio_reason=ratio_reason,
        few=min(group.n, reference.n) < minimum,
        reason=gap_reason,
    )


def _header(family: Family, group: Measure) -> dict[str, Any]:
    return {
        "dataset": group.dataset,
        "model": group.model,
        "metric": group.metric,
        "params": group.params,
        "average": group.average,
        "label": group.label,
        "threshold": group.threshold,
        "threshold_rule": group.threshold_rule,
        "columns": family.columns,
    }


def _no_ratio(reference: Measure) -> str | None:
    """Why a value over that of the reference says nothing; None where it does."""
    metric = find(reference.metric)
    if metric is None or metric.bounds[0] < 0:
        return "values may be below 0: there is no ratio scale"
    return "0 below the line" if reference.value == 0 else None


def _not_compared(*measures: Measure) -> str | None:
    """Why there is no gap between two measures: one is undefined, or they are of other classes."""
    undefined = [
        f"{m.where}: {m.state.replace('_', ' ')}, {m.reason}"
        for m in measures
        if m.state != "value"
    ]
    if undefined:
        return "; ".join(undefined)
    one, two = ((str(m.where), m.left_out) for m in measures)
    return different_classes(one, two)


# -- intervals ----------------------------------------------------------------------------------


def _fraction(m: Measure, family: Family) -> Fraction | None:
    """Counts of a plain proportion of independent rows."""
    metric = find(m.metric)
    if metric is None or metric.interval is not Interval.PROPORTION or m.weight is not None:
        return None
    if family.dependent or m.numerator is None or not m.denominator:
        return None
    return float(m.numerator), float(m.denominator)


def _gap_interval(
    group: Measure,
    reference: Measure,
    fractions: tuple[Fraction | None, Fraction | None],
    level: float,
) -> tuple[records.Interval | None, str | None]:
    one, two = fractions
    if not reference.where.subgroup:
        if one is None or two is None:
            return None, "the group is part of all rows, and it is not a plain share of rows"
        return _part_of_all(one, two, level)
    if one is not None and two is not None:
        limits = unpaired.newcombe_hybrid(*one, *two, level)
        method = "newcombe_hybrid"
    else:
        limits, method = _square_and_add(group, reference), "square_and_add"
    if limits is None:
        return None, "one of the two has no interval"
    return records.Interval(level, limits.low, limits.high, method), None


def _part_of_all(
    group: tuple[float, float], whole: tuple[float, float], level: float
) -> tuple[records.Interval | None, str | None]:
    """A group against all rows that contain it, by way of the rest.

    With w the group's share below the line, p - p_all = (1 - w)(p - p_rest): the hybrid
    interval of the two independent parts, times 1 - w.
    """
    (x, n), (x_all, n_all) = group, whole
    if n_all - n <= 0:
        return None, "the group is all there is"
    limits = unpaired.newcombe_hybrid(x, n, x_all - x, n_all - n, level)
    if limits is None:
        return None, "one of the two has no interval"
    rest = 1.0 - n / n_all
    return records.Interval(level, rest * limits.low, rest * limits.high, "newcombe_hybrid"), None


def _square_and_add(group: Measure, reference: Measure) -> Limits | None:
    """Limits of a difference of independent values from the limits of each.

    Zou G., Donner A. Stat Med 27, 2008; on Wilson's limits it is Newcombe's hybrid.
    """
    a, b = group.interval, reference.interval
    if a is None or b is None or group.value is None or reference.value is None:
        return None
    difference = group.value - reference.value
    down = math.hypot(group.value - a.low, b.high - reference.value)
    up = math.hypot(a.high - group.value, reference.value - b.low)
    return Limits(difference - down, difference + up)


def _ratio_interval(
    fractions: tuple[Fraction | None, Fraction | None], level: float, *, to_all: bool
) -> records.Interval | None:
    """Koopman's interval of a ratio of two proportions; None for anything else."""
    one, two = fractions
    if one is None or two is None:
        return None
    limits = ratios.to_the_whole(*one, *two, level) if to_all else ratios.koopman(*one, *two, level)
    return from_limits(limits, level, "koopman")


# -- heterogeneity --------------------------------------------------------------------------------


def heterogeneity_tests(
    measures: Sequence[Measure],
    level: float,
    *,
    widest: bool = False,
    studied: StudiedGroups | None = None,
    dependent: Collection[tuple[str, str]] = (),
) -> list[Heterogeneity]:
    """One record per measure and column: do its groups differ by more than chance?

    Pearson's chi-square for proportions, else Cochran's Q on the standard errors that the
    intervals (at ``level``) were made with. ``widest``: with the largest gap of any two groups
    whose membership is known; ``studied`` and ``dependent`` as of :func:`subgroup_gaps`.
    """
    own = families(measures, dependent)
    found = [_tested(family, level, widest=widest) for family in own]
    if studied is None:
        return found
    return [
        replace(one, widest=_widest_with_study(one, family, studied))
        for one, family in zip(found, own, strict=True)
    ]


def _widest_with_study(
    found: Heterogeneity, family: Family, studied: StudiedGroups
) -> WidestGap | None:
    if found.widest is None:
        return None
    known = {g.id: g.value for g in _known(family) if g.value is not None}
    drawn = studied.smaller(found.metric, list(known))
    sides = max(known.values()), min(known.values())
    interval = with_study(found.widest.interval, found.metric, drawn, sides, WIDEST)
    return replace(found.widest, interval=interval)


def _of_different_classes(groups: Sequence[Measure]) -> str | None:
    """Why averages of groups are not held against each other; None where they are."""
    known = [g for g in groups if g.value is not None]
    apart = (_not_compared(known[0], other) for other in known[1:])
    return next(filter(None, apart), None)


def _widest(family: Family, level: float) -> WidestGap | None:
    known = _known(family)
    if _of_different_classes(known) is not None:
        return None
    return widest_gap(known, [_fraction(g, family) for g in known], level)


def _tested(family: Family, level: float, *, widest: bool) -> Heterogeneity:
    test, found, reason = _heterogeneity(family, level)
    return Heterogeneity(
        **_header(family, family.groups[0]),
        groups=len(family.groups),
        test=test,
        statistic=None if found is None else found.statistic,
        df=None if found is None else found.df,
        p_value=None if found is None else found.p_value,
        reason=reason,
        widest=_widest(family, level) if widest else None,
    )


def _heterogeneity(family: Family, level: float) -> tuple[str, ChiSquare | None, str | None]:
    apart = _of_different_classes(family.groups)
    if apart is not None:
        return "cochran_q", None, apart
    found = (_fraction(g, family) for g in family.groups)
    fractions = [f for f in found if f is not None]
    if len(fractions) > 1:
        alike = unpaired.heterogeneity([x for x, _ in fractions], [n for _, n in fractions])
        reason = None if alike else "all rows of the groups, or none, count above the line"
        return "chi_square", alike, reason
    parts = [
        (m.value, error)
        for m in family.groups
        if m.value is not None and (error := standard_error(m, level)) is not None
    ]
    if len(parts) < 2:
        return "cochran_q", None, "fewer than two groups have a standard error"
    changes = weighted_changes([value for value, _ in parts], [error for _, error in parts])
    if changes is None:
        return "cochran_q", None, "the value of a group shows no variance"
    return "cochran_q", changes.alike, None
