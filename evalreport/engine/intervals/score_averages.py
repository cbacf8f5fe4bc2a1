"""Averages over classes of a metric of scores.

With one column of scores per class, each class has a score table of its own. With one
score of two classes, the other class's table is the mirror image: what is scored low is
scored high for it. The micro average is the metric of the tables of all classes added up, in
which every row stands once for each class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.counting.mirrored_scores import mirrored
from evalreport.engine.intervals import grouped_jackknife
from evalreport.engine.intervals.average_influence import average_variance, pooled_variance
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.intervals.case import Case
from evalreport.engine.intervals.class_bootstrap import average_of, class_left_out
from evalreport.engine.intervals.methods import from_limits, symmetric, too_few
from evalreport.engine.intervals.score_intervals import class_score_interval
from evalreport.engine.metric_values import Evaluated, average, evaluated
from evalreport.metrics.declare import Average, Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.kinds import DRAWN, INFLUENCE_T
from evalreport.metrics.tables import ScoreTable, pooled
from evalreport.plan.task import Task
from evalreport.results.records import Interval
from evalreport.statistics import means
from evalreport.statistics.widened import widened_limits

if TYPE_CHECKING:
    from evalreport.engine.intervals.measuring import Measuring


def average_of_scores(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> tuple[Evaluated, Interval | str | None]:
    """The average over classes, with its interval by the planned method."""
    labels, kind = measurer.view.labels, Average(str(task.average))
    tables = _tables(measurer, task, metric)
    if kind is Average.MICRO:
        return _of_pooled(measurer, task, metric, arguments, tables)
    values = [
        evaluated(metric, metric(table, **arguments), label)
        for table, label in zip(tables, labels, strict=True)
    ]
    value = average(kind, labels, values, [t.positive_total.item() for t in tables])
    if not isinstance(value.outcome, Value):
        return value, None
    case = Case(measurer, task, metric, arguments, value)
    variance = partial(average_variance, measurer, task, metric, arguments, tables, values)
    return value, _interval(case, variance)


def _of_pooled(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    tables: Sequence[ScoreTable],
) -> tuple[Evaluated, Interval | str | None]:
    """The metric of the scores of all classes in one table; rows are drawn, not pairs."""
    together = pooled(tables)
    value = evaluated(metric, metric(together, **arguments), None)
    if not isinstance(value.outcome, Value):
        return value, None
    case = Case(measurer, task, metric, arguments, value)
    variance = partial(pooled_variance, measurer, task, metric, arguments, together)
    return value, _interval(case, variance)


def _interval(case: Case, variance: Callable[[], float | None]) -> Interval | str | None:
    """The planned method carried out; ``variance`` by influence, None where it is not known."""
    task, note = case.task, ""
    if task.interval in ("influence", INFLUENCE_T):
        found = variance()
        if found is not None and task.interval == INFLUENCE_T:
            return _widened(case, found)
        if found is not None:
            return symmetric(case.number, found, case.level, "influence", case.metric.bounds)
        note = grouped_jackknife.NO_INFLUENCE
    if task.interval in ("influence", INFLUENCE_T, grouped_jackknife.METHOD):
        return _jackknife(case, note)
    if task.interval not in DRAWN:
        return None
    if len(case.measurer.view.labels) > 2 or task.average == Average.MICRO.value:
        return class_score_interval(case)
    return _mirrored_interval(case)


def _widened(case: Case, variance: float) -> Interval | str | None:
    """Limits of a mean of classes from the influence of rows, see `widened_limits`."""
    view, rows = case.measurer.view, case.measurer.tables.kinds(case.task.where)
    times = None if view.times is None else view.times[rows]
    counted = np.bincount(view.actual[rows], times, len(view.labels))
    counted = counted[counted > 0]
    units = float(counted.min())
    if units - 1.0 < means.LEAST_DEGREES:
        return too_few(units, clusters=False)
    limits = widened_limits(
        case.number, variance, units, case.level, bounds=case.metric.bounds, parts=len(counted)
    )
    found = from_limits(limits, case.level, INFLUENCE_T)
    if found is None:
        return None
    error = float(np.sqrt(variance)) or None
    return replace(found, df=units - 1.0, standard_error=error)


def _tables(measurer: Measuring, task: Task, metric: Metric) -> list[ScoreTable]:
    """The score table of each class, in the order of the labels."""
    size = len(measurer.view.labels)
    if size > 2:
        return [measurer.tables.scores(task.where, k) for k in range(size)]
    own, positive = measurer.tables.scores(task.where), measurer.view.positive_index
    return [own if k == positive else mirrored(own, metric.kind) for k in range(size)]


def _jackknife(case: Case, note: str) -> Interval | None:
    """Random groups of rows or clusters left out in turn, all classes together."""
    columns = len(case.measurer.view.labels) > 2
    left_out = class_left_out(case) if columns else _mirrored_left_out(case)
    if left_out is None:
        return None
    bounds, view = case.metric.bounds, case.measurer.view
    return grouped_jackknife.interval(left_out, case.number, case.level, bounds, note, view)


def _mirrored_left_out(case: Case) -> Any:
    """Averages over both classes of one score without each group."""
    function = partial(average_of_both, case.metric, case.arguments, str(case.task.average))
    return case.measurer.bootstrap.left_out(case.task.where, None, function)


def _mirrored_interval(case: Case) -> Interval | None:
    """Bootstrap over the one table, both classes from the same draws."""
    where, bootstrap = case.task.where, case.measurer.bootstrap
    function = partial(average_of_both, case.metric, case.arguments, str(case.task.average))
    values = bootstrap.of_scores(where, None, function)
    left_out = None
    if case.method == "bootstrap_bca":
        left_out = bootstrap.score_jackknife(where, None, function)
    return from_replicates(values, case.number, case.level, case.method, left_out)


def average_of_both(
    metric: Metric, arguments: Mapping[str, Any], average: str, table: ScoreTable
) -> Any:
    """An average over the class of one score and the other class, of stacked tables."""
    both = [table, mirrored(table, metric.kind)]
    return average_of(both, metric, arguments, Average(average))
