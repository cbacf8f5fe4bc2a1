"""Gaps and ratios of a measure between subgroups, and whether the groups differ at all.

Everything follows from the records of the measures: their fractions, values and
intervals. Groups of one column, or one crossing of columns, are independent of each
other; all rows contain the group that is held against them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalreport.engine.groups.standard_errors import standard_error
from evalreport.engine.interval_result import IntervalResult
from evalreport.engine.records import Measure
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Interval
from evalreport.statistics import unpaired
from evalreport.statistics.interval import Interval as Limits
from evalreport.statistics.tail import chi2_sf

MISSING = "(missing)"
#: Methods that tell that the rows of a cluster are not independent.
DEPENDENT = ("cluster_robust", "wilson_clusters", "cluster_bootstrap", "grouped_jackknife")


@dataclass(frozen=True)
class Family:
    """One measure on all rows and in every group of one column or crossing."""

    columns: tuple[str, ...]
    everything: Measure | None
    groups: tuple[Measure, ...]

    @property
    def largest(self) -> Measure | None:
        """The group with the most rows whose membership is known; the first of equals."""
        known = [g for g in self.groups if MISSING not in dict(g.where.subgroup).values()]
        return max(known, key=lambda g: g.n, default=None)


def families(measures: Sequence[Measure]) -> tuple[Family, ...]:
    """Measures that belong together, in the order in which they first occur."""
    everything: dict[Any, Measure] = {}
    groups: dict[Any, list[Measure]] = {}
    for m in measures:
        if m.where.fold is not None:
            continue
        key = _identity(m)
        if not m.where.subgroup:
            everything[key] = m
        else:
            columns = tuple(column for column, _ in m.where.subgroup)
            groups.setdefault((key, columns), []).append(m)
    return tuple(
        Family(columns, everything.get(key), tuple(found))
        for (key, columns), found in groups.items()
    )


def _identity(m: Measure) -> tuple[Any, ...]:
    return (
        m.dataset,
        m.model,
        m.metric,
        tuple(sorted((name, repr(value)) for name, value in m.params.items())),
        m.average,
        m.label,
        m.threshold,
        m.threshold_rule,
        m.indeterminate,
    )


def subgroup_gaps(
    measures: Sequence[Measure], level: float, *, minimum: int = 0
) -> list[dict[str, Any]]:
    """One record per group and reference: all rows, and the largest group.

    ``gap`` is the group minus the reference, ``ratio`` the group over it. ``few`` marks a
    group, or a reference, of fewer than ``minimum`` rows.
    """
    records = []
    for family in families(measures):
        largest = family.largest
        for group in family.groups:
            if family.everything is not None:
                records.append(_record(family, group, family.everything, level, minimum))
            if largest is not None and group is not largest:
                records.append(_record(family, group, largest, level, minimum))
    return records


def _record(
    family: Family, group: Measure, reference: Measure, level: float, minimum: int
) -> dict[str, Any]:
    to_all = not reference.where.subgroup
    one, two = group.value, reference.value
    gap = None if one is None or two is None else one - two
    ratio = None if one is None or two is None or two == 0 else one / two
    gap_interval, gap_reason = _gap_interval(group, reference, level) if gap is not None else (
        None,
        _undefined(group, reference),
    )
    ratio_interval = _ratio_interval(group, reference, level) if ratio is not None else None
    return {
        **_header(family, group),
        "subgroup": dict(group.where.subgroup),
        "measure": group.id,
        "against": "all rows" if to_all else "largest group",
        "against_subgroup": dict(reference.where.subgroup),
        "against_measure": reference.id,
        "n": group.n,
        "against_n": reference.n,
        "value": one,
        "against_value": two,
        "gap": gap,
        "gap_interval": None if gap_interval is None else gap_interval.as_json(),
        "ratio": ratio,
        "ratio_interval": None if ratio_interval is None else ratio_interval.as_json(),
        "ratio_reason": "0 below the line" if gap is not None and ratio is None else None,
        "few": min(group.n, reference.n) < minimum,
        "reason": gap_reason,
    }


def _header(family: Family, group: Measure) -> dict[str, Any]:
    return {
        "dataset": group.dataset,
        "model": group.model,
        "metric": group.metric,
        "params": dict(group.params),
        "average": group.average,
        "label": group.label,
        "threshold": group.threshold,
        "threshold_rule": group.threshold_rule,
        "columns": list(family.columns),
    }


def _undefined(*measures: Measure) -> str:
    return "; ".join(
        f"{m.where}: {m.state.replace('_', ' ')}, {m.reason}"
        for m in measures
        if m.state != "value"
    )


# -- intervals ----------------------------------------------------------------------------------


def _fraction(m: Measure) -> tuple[float, float] | None:
    """Counts of a plain proportion of independent rows."""
    metric = find(m.metric)
    if metric is None or metric.interval is not Interval.PROPORTION or "weight" in m.extra:
        return None
    if m.interval is not None and m.interval.method in DEPENDENT:
        return None
    if m.numerator is None or not m.denominator:
        return None
    return float(m.numerator), float(m.denominator)


def _gap_interval(
    group: Measure, reference: Measure, level: float
) -> tuple[IntervalResult | None, str | None]:
    one, two = _fraction(group), _fraction(reference)
    if not reference.where.subgroup:
        if one is None or two is None:
            return None, "the group is part of all rows, and it is no plain share of rows"
        return _part_of_all(one, two, level)
    if one is not None and two is not None:
        limits = unpaired.newcombe_hybrid(*one, *two, level)
        method = "newcombe_hybrid"
    else:
        limits, method = _square_and_add(group, reference), "square_and_add"
    if limits is None:
        return None, "one of the two has no interval"
    return IntervalResult(level, limits.low, limits.high, method), None


def _part_of_all(
    group: tuple[float, float], whole: tuple[float, float], level: float
) -> tuple[IntervalResult | None, str | None]:
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
    return IntervalResult(level, rest * limits.low, rest * limits.high, "newcombe_hybrid"), None


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


def _ratio_interval(group: Measure, reference: Measure, level: float) -> IntervalResult | None:
    """Log interval of a ratio of two proportions; None for anything else, or with a 0."""
    one, two = _fraction(group), _fraction(reference)
    if one is None or two is None:
        return None
    if reference.where.subgroup:
        limits = unpaired.katz(*one, *two, level)
    else:
        limits = _ratio_to_all(one, two, level)
    return None if limits is None else IntervalResult(level, limits.low, limits.high, "log")


def _ratio_to_all(
    group: tuple[float, float], whole: tuple[float, float], level: float
) -> Limits | None:
    """Delta method for log(p / p_all), p_all = w p + (1 - w) p_rest with w held fixed."""
    (x, n), (x_all, n_all) = group, whole
    if min(x, x_all) <= 0 or n_all <= n:
        return None
    p, p_all, w = x / n, x_all / n_all, n / n_all
    p_rest = (x_all - x) / (n_all - n)
    own = (1.0 / p - w / p_all) ** 2 * p * (1.0 - p) / n
    other = ((1.0 - w) / p_all) ** 2 * p_rest * (1.0 - p_rest) / (n_all - n)
    return unpaired.log_interval(p / p_all, own + other, level)


# -- heterogeneity --------------------------------------------------------------------------------


def heterogeneity_tests(measures: Sequence[Measure], level: float) -> list[dict[str, Any]]:
    """One record per measure and column: do its groups differ by more than chance?

    Pearson's chi-square for proportions, else Cochran's Q on the standard errors that the
    intervals (at ``level``) were made with.
    """
    records = []
    for family in families(measures):
        test, found, reason = _heterogeneity(family, level)
        records.append(
            {
                **_header(family, family.groups[0]),
                "groups": len(family.groups),
                "test": test,
                "statistic": None if found is None else found.statistic,
                "df": None if found is None else found.df,
                "p_value": None if found is None else found.p_value,
                "reason": reason,
            }
        )
    return records


def _heterogeneity(
    family: Family, level: float
) -> tuple[str, unpaired.Heterogeneity | None, str | None]:
    fractions = [f for f in map(_fraction, family.groups) if f is not None]
    if len(fractions) > 1:
        found = unpaired.heterogeneity([x for x, _ in fractions], [n for _, n in fractions])
        reason = None if found else "all rows of the groups, or none, count above the line"
        return "chi_square", found, reason
    parts = [
        (m.value, error)
        for m in family.groups
        if m.value is not None and (error := standard_error(m, level)) is not None
    ]
    if len(parts) < 2:
        return "cochran_q", None, "fewer than two groups have a standard error"
    return "cochran_q", _cochran(parts), None


def _cochran(parts: Sequence[tuple[float, float]]) -> unpaired.Heterogeneity:
    """Cochran's Q: squared distances from the mean weighted by inverse variances."""
    weights = [1.0 / error**2 for _, error in parts]
    centre = math.fsum(w * v for w, (v, _) in zip(weights, parts, strict=True)) / math.fsum(weights)
    statistic = math.fsum(w * (v - centre) ** 2 for w, (v, _) in zip(weights, parts, strict=True))
    df = len(parts) - 1
    return unpaired.Heterogeneity(statistic, df, chi2_sf(statistic, df))
