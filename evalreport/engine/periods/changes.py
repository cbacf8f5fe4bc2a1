"""Each measure over the periods of a dataset, its control limits, and whether it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalreport.engine.calendar import period_columns
from evalreport.engine.periods.charts import MovedRows, change_of, control_limits
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Interval
from evalreport.metrics.estimates import estimate_of
from evalreport.results.identity import WhichNumber
from evalreport.results.records import Measure, Period
from evalreport.statistics.interval import z_value
from evalreport.statistics.separate_samples import Estimate
from evalreport.statistics.trend import cochran_armitage, weighted_changes
from evalreport.statistics.unpaired import heterogeneity

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

UNDATED = "(missing)"
NO_TEST = "fewer than two periods have a value with an interval"


def period_records(
    state: RunState, moved_rows: MovedRows | None = None
) -> tuple[Period, ...] | None:
    """Every measure over time; None without periods. ``moved_rows`` as of :func:`change_of`."""
    columns = period_columns(state.prepared.loaded.spec)
    if not columns:
        return None
    courses: dict[tuple[str, WhichNumber], list[Measure]] = {}
    for measure in state.measures:
        own = dict(measure.where.subgroup)
        (column, *more) = own or [""]
        if column not in columns or more or measure.where.fold is not None:
            continue
        # rows without a date stand at no place in time
        if own[column] != UNDATED:
            key = replace(measure.which.series, subgroup=())
            courses.setdefault((column, key), []).append(measure)
    return tuple(
        _record(
            state,
            column,
            columns[column],
            sorted(found, key=lambda m: m.where.subgroup),
            moved_rows,
        )
        for (column, _), found in courses.items()
    )


def _record(
    state: RunState,
    column: str,
    every: str,
    measures: Sequence[Measure],
    moved_rows: MovedRows | None,
) -> Period:
    first = measures[0]
    metric = find(first.metric)
    charted = metric is None or metric.interval is not Interval.NONE
    course = Period(
        dataset=first.dataset,
        model=first.model,
        metric=first.metric,
        params=first.params,
        average=first.average,
        label=first.label,
        threshold=first.threshold,
        threshold_rule=first.threshold_rule,
        column=column,
        every=every,
        periods=tuple(m.subgroup[column] for m in measures),
        measures=tuple(m.id for m in measures),
        values=tuple(m.value for m in measures),
        limits=control_limits(measures, [m.id for m in measures]),
        change=change_of(state, column, measures, moved_rows) if charted else None,
    )
    return _tested(course, [e for m in measures if (e := estimate_of(m)) is not None])


def _tested(period: Period, estimates: Sequence[Estimate]) -> Period:
    """The period with tests of a change and of a trend, or why there are none."""
    metric = find(period.metric)
    shares = [e.fraction for e in estimates if e.fraction is not None]
    if metric is not None and metric.interval is Interval.NONE:
        return replace(period, reason="p values and statistics are not tested")
    if len(shares) == len(estimates) >= 2:
        x, n = ([float(pair[i]) for pair in shares] for i in (0, 1))
        among, trend = heterogeneity(x, n), cochran_armitage(x, n)
        if among is None or trend is None:
            return replace(period, reason="all rows, or none, are counted in every period")
        return _told(period, ("chi_square", among), ("cochran_armitage", trend))
    errors = [
        (e.high - e.low) / (2.0 * z_value(e.level))
        for e in estimates
        if e.low is not None and e.high is not None and e.level is not None
    ]
    if len(errors) < len(estimates):
        return replace(period, reason=NO_TEST)
    found = weighted_changes([e.value for e in estimates], errors)
    if found is None:
        return replace(period, reason=NO_TEST)
    return _told(period, ("cochran_q", found.alike), ("weighted_slope", found.trend))


def _told(period: Period, change: tuple[str, Any], trend: tuple[str, Any]) -> Period:
    (change_test, among), (trend_test, slope) = change, trend
    return replace(
        period,
        change_test=change_test,
        change_statistic=among.statistic,
        change_df=among.df,
        change_p_value=among.p_value,
        trend_test=trend_test,
        trend_statistic=slope.statistic,
        trend_p_value=slope.p_value,
    )
