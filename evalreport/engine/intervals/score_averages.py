"""Averages over classes of a metric of scores.

With one column of scores per class, each class has a score table of its own. With one
score of two classes, the other class's table is the mirror image: what is scored low is
scored high for it. The micro average is the metric of the tables of all classes added up, in
which every row stands once for each class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.mirrored_scores import mirrored
from evalreport.engine.intervals import grouped_jackknife
from evalreport.engine.intervals.bootstrap import drawn_interval
from evalreport.engine.intervals.case import Case
from evalreport.engine.intervals.class_bootstrap import average_of, class_draws
from evalreport.engine.intervals.methods import symmetric, widened
from evalreport.engine.metric_values import Evaluated, average, evaluated
from evalreport.metrics.declare import Average, Kind, Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.kinds import INFLUENCE_T
from evalreport.metrics.tables import ScoreTable, pooled
from evalreport.plan.task import Task
from evalreport.predict.view import LabelView
from evalreport.results.records import Interval
from evalreport.statistics.exact_sums import exact_sum

if TYPE_CHECKING:
    from evalreport.engine.intervals.measuring import Measuring


def average_of_scores(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> tuple[Evaluated, Interval | str | None]:
    """The average over classes, with its interval by the planned method."""
    labels, kind = measurer.view.labels, Average(str(task.average))
    tables = _tables(measurer, task, metric)
    if kind is Average.MICRO:
        tables = [pooled(tables)] * len(labels)
        values = [evaluated(metric, metric(tables[0], **arguments), None)] * len(labels)
        value = values[0]
    else:
        values = [
            evaluated(metric, metric(table, **arguments), label)
            for table, label in zip(tables, labels, strict=True)
        ]
        value = average(kind, labels, values, [t.positive_total.item() for t in tables])
    if not isinstance(value.outcome, Value) or task.interval is None:
        return value, None
    case = Case(measurer, task, metric, arguments, value)
    return value, _interval(case, tables, values)


def _interval(
    case: Case, tables: Sequence[ScoreTable], values: Sequence[Evaluated]
) -> Interval | str | None:
    """The planned method carried out; ``tables`` and ``values`` are those of the classes."""
    task, note = case.task, ""
    if task.interval in ("influence", INFLUENCE_T):
        found = _variance(case, tables, values)
        if found is not None and task.interval == INFLUENCE_T:
            return _widened(case, found)
        if found is not None:
            return symmetric(case.number, found, case.level, "influence", case.metric.bounds)
        note = grouped_jackknife.NO_INFLUENCE
    if len(case.measurer.view.labels) > 2:
        draws = class_draws(case)
    else:
        of_both = partial(average_of_both, case.metric, case.arguments, str(task.average))
        draws = case.measurer.bootstrap.scores(task.where, None, of_both)
    return None if draws is None else drawn_interval(case, draws, note)


def _variance(
    case: Case, tables: Sequence[ScoreTable], values: Sequence[Evaluated]
) -> float | None:
    """Variance of independent unweighted rows; None where the influence is not known.

    The influence of a row on the average is the sum of its influences on the classes, each by
    the weight of its class; a row also moves the weights of a weighted average. Undefined
    classes are left out. Of the pooled scores of all classes a row stands in the one table once
    for each class.
    """
    metric, task = case.metric, case.task
    known = {k: v.outcome.number for k, v in enumerate(values) if isinstance(v.outcome, Value)}
    if metric.influence is None or not all(float(tables[k].negative_total) for k in known):
        return None
    slopes = {k: metric.influence(tables[k], **case.arguments) for k in known}
    if any(slope is None for slope in slopes.values()):
        return None
    share, moved = dict.fromkeys(known, 1.0), dict.fromkeys(known, 0.0)
    if task.average == Average.MACRO.value:
        share = dict.fromkeys(known, 1.0 / len(known))
    elif task.average == Average.WEIGHTED.value:
        support = {k: float(tables[k].positive_total) for k in known}
        total = sum(support.values())
        share = {k: support[k] / total for k in known}
        mean = sum(share[k] * known[k] for k in known)
        moved = {k: (known[k] - mean) / total for k in known}
    view, rows = case.measurer.view, case.measurer.tables.kinds(task.where)
    influence = np.zeros(len(rows))
    for k, part in share.items():
        of_positive, of_negative = slopes[k]
        entry = np.searchsorted(-tables[k].scores, -_column(view, metric, k)[rows])
        own = view.actual[rows] == k
        influence += part * np.where(own, of_positive[entry], of_negative[entry])
        influence += np.where(own, moved[k], 0.0)
    return exact_sum(influence**2, None if view.times is None else view.times[rows])


def _column(view: LabelView, metric: Metric, k: int) -> npt.NDArray[np.float64]:
    """The score of each row for a class, of one score of two classes its mirror image."""
    if len(view.labels) > 2:
        assert view.class_scores is not None
        return np.asarray(view.class_scores[:, k])
    assert view.score is not None
    if k == view.positive_index:
        return view.score
    return 1.0 - view.score if metric.kind is Kind.PROBABILITY else -view.score


def _widened(case: Case, variance: float) -> Interval | str | None:
    """Limits of a mean of classes from the influence of rows, see `widened_limits`."""
    view, rows = case.measurer.view, case.measurer.tables.kinds(case.task.where)
    times = None if view.times is None else view.times[rows]
    counted = np.bincount(view.actual[rows], times, len(view.labels))
    counted = counted[counted > 0]
    return widened(
        *(case.number, variance, float(counted.min()), case.level, INFLUENCE_T),
        bounds=case.metric.bounds,
        parts=len(counted),
    )


def _tables(measurer: Measuring, task: Task, metric: Metric) -> list[ScoreTable]:
    """The score table of each class, in the order of the labels."""
    size = len(measurer.view.labels)
    if size > 2:
        return [measurer.tables.scores(task.where, k) for k in range(size)]
    own, positive = measurer.tables.scores(task.where), measurer.view.positive_index
    return [own if k == positive else mirrored(own, metric.kind) for k in range(size)]


def average_of_both(
    metric: Metric, arguments: Mapping[str, Any], average: str, table: ScoreTable
) -> Any:
    """An average over the class of one score and the other class, of stacked tables."""
    both = [table, mirrored(table, metric.kind)]
    return average_of(both, metric, arguments, Average(average))
