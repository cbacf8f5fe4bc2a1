"""Each measure over the periods of a dataset, its control limits, and whether it changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evalreport.engine.periods.calendar import period_columns
from evalreport.engine.records import Measure
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Interval
from evalreport.metrics.recorded import estimate_of, series_key
from evalreport.statistics.control_limits import limits_for
from evalreport.statistics.interval import z_value
from evalreport.statistics.separate_samples import Estimate
from evalreport.statistics.trend import cochran_armitage, weighted_changes
from evalreport.statistics.unpaired import heterogeneity

if TYPE_CHECKING:
    from evalreport.engine.working import Working

UNDATED = "(missing)"
NO_TEST = "fewer than two periods have a value with an interval"


def period_records(working: Working) -> dict[str, Any]:
    """The part of ``results.json`` with every measure over time; nothing without periods."""
    columns = period_columns(working.prepared.loaded.spec)
    if not columns:
        return {}
    courses: dict[tuple[str, str], list[Measure]] = {}
    for measure in working.measures:
        own = dict(measure.where.subgroup)
        (column, *more) = own or [""]
        if column not in columns or more or measure.where.fold is not None:
            continue
        # rows without a date stand at no place in time
        if own[column] != UNDATED:
            key = series_key({**measure.as_json(), "subgroup": {}})
            courses.setdefault((column, key), []).append(measure)
    return {
        "periods": [
            _record(column, columns[column], sorted(found, key=lambda m: m.where.subgroup))
            for (column, _), found in courses.items()
        ]
    }


def _record(column: str, every: str, measures: Sequence[Measure]) -> dict[str, Any]:
    first = measures[0]
    return {
        "dataset": first.dataset,
        "model": first.model,
        "metric": first.metric,
        "params": dict(first.params),
        "average": first.average,
        "label": first.label,
        "threshold": first.threshold,
        "threshold_rule": first.threshold_rule,
        "column": column,
        "every": every,
        "periods": [dict(m.where.subgroup)[column] for m in measures],
        "measures": [m.id for m in measures],
        "values": [m.value for m in measures],
        "limits": _limits(measures),
        **_tests(first, [e for m in measures if (e := estimate_of(m.as_json())) is not None]),
    }


def _limits(measures: Sequence[Measure]) -> list[dict[str, Any]]:
    """Of each period, the control limits that the periods before it give, and whether it is out."""
    found: list[dict[str, Any]] = []
    earlier: list[Estimate] = []
    metric = find(measures[0].metric)
    within = metric.bounds if metric is not None else (-math.inf, math.inf)
    for measure in measures:
        estimate = estimate_of(measure.as_json())
        if estimate is None:
            names = ("centre", "low", "high", "chart")
            found.append({**dict.fromkeys(names), "reason": measure.reason, "signal": False})
            continue
        limits = limits_for(estimate, earlier, within)
        found.append({**asdict(limits), "signal": limits.signals(estimate.value)})
        earlier.append(estimate)
    return found


def _tests(first: Measure, estimates: Sequence[Estimate]) -> dict[str, Any]:
    metric = find(first.metric)
    shares = [e.fraction for e in estimates if e.fraction is not None]
    if metric is not None and metric.interval is Interval.NONE:
        return _told(None, None, None, None, None, reason="p values and statistics are not tested")
    if len(shares) == len(estimates) >= 2:
        x, n = ([float(pair[i]) for pair in shares] for i in (0, 1))
        among, trend = heterogeneity(x, n), cochran_armitage(x, n)
        if among is None or trend is None:
            reason = "all rows, or none, are counted in every period"
            return _told(None, None, None, None, None, reason=reason)
        return _told("chi_square", among, "cochran_armitage", trend.statistic, trend.p_value)
    errors = [
        (e.high - e.low) / (2.0 * z_value(e.level))
        for e in estimates
        if e.low is not None and e.high is not None and e.level is not None
    ]
    if len(errors) < len(estimates):
        return _told(None, None, None, None, None, reason=NO_TEST)
    found = weighted_changes([e.value for e in estimates], errors)
    if found is None or found.trend is None:
        return _told(None, None, None, None, None, reason=NO_TEST)
    return _told("cochran_q", found, "weighted_slope", found.trend.statistic, found.trend.p_value)


def _told(
    change: str | None,
    among: Any,
    trend: str | None,
    statistic: float | None,
    p_value: float | None,
    *,
    reason: str | None = None,
) -> dict[str, Any]:
    return {
        "change_test": change,
        "change_statistic": None if among is None else among.statistic,
        "change_df": None if among is None else among.df,
        "change_p_value": None if among is None else among.p_value,
        "trend_test": trend,
        "trend_statistic": statistic,
        "trend_p_value": p_value,
        "reason": reason,
    }
