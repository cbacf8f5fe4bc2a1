"""Intervals of score metrics, by the planned method."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.evaluate import Evaluated
from evalreport.engine.interval_result import IntervalResult
from evalreport.engine.intervals import grouped_jackknife, influence
from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.intervals.class_bootstrap import (
    class_jackknife,
    class_left_out,
    class_replicates,
)
from evalreport.engine.intervals.jackknife import Influence
from evalreport.metrics.declare import Interval, Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.methods import ASKED
from evalreport.plan.task import Task
from evalreport.statistics import delong, means, obuchowski, proportions
from evalreport.statistics.interval import z_value

if TYPE_CHECKING:
    from evalreport.engine.intervals.measuring import Measuring


def score_interval(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    value: Evaluated,
    index: int | None,
) -> IntervalResult | None:
    """The interval of one value of a score metric; None where the method gives none."""
    assert isinstance(value.outcome, Value)
    number, level = value.outcome.number, measurer.settings.level
    method = task.interval
    assert method is not None
    if method in AREAS:
        return _area(metric, arguments, table, level, method, asked=task.why == ASKED)
    if method == "obuchowski" or (method == "sandwich" and metric.row_loss is None):
        return _area_of_rows(measurer, task, metric, arguments, table, level, method, index)
    if method in ("normal", "sandwich"):
        rows = measurer.tables.row_count(task.where)
        mean = _mean if method == "normal" else _weighted_mean
        result = mean(metric, table, number, level, rows)
        # the same loss in every row says nothing about the error of the mean
        asked = task.why == ASKED
        return result if asked or intervals.has_width(result) else None
    if metric.interval is Interval.LOGISTIC and method == "wald":
        return _logistic(metric, table, number, level)
    if method in ("influence", grouped_jackknife.METHOD):
        return _on_many_rows(measurer, task, metric, arguments, table, number, index)
    return _resampled(measurer, task, metric, arguments, number, index)


def _on_many_rows(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    number: float,
    index: int | None,
) -> IntervalResult | None:
    """By the influence of single rows where it is known, else with groups of them left out."""
    level, note = measurer.settings.level, ""
    if task.interval == "influence":
        variance = influence.variance(metric, table, arguments)
        if variance is not None:
            return intervals.symmetric(number, variance, level, "influence", metric.bounds)
        if metric.influence is not None and metric.influence(table, **arguments) is not None:
            return None  # one class alone: nothing can be told
        note = grouped_jackknife.NO_INFLUENCE
    left = measurer.bootstrap.left_out(
        task.where, index, lambda t: metric(t, **arguments).array()
    )
    return grouped_jackknife.interval(left, number, level, metric.bounds, note)


def _influence(metric: Metric) -> Influence | None:
    """The influence of a row on a metric without parameters; None where it is not known."""
    return None if metric.parameters else metric.influence


AREAS = ("delong", "delong_logit", "hanley_mcneil")


def _resampled(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    number: float,
    index: int | None,
) -> IntervalResult | None:
    name, method = task.name(), str(task.interval)
    measurer.bootstrap.plan(
        task.where, index, name, lambda stacked: metric(stacked, **arguments).array()
    )
    values = measurer.bootstrap.of_scores(task.where, index, name)
    left_out = None
    level = measurer.settings.level
    if method == "bootstrap_bca":
        left_out = measurer.bootstrap.score_jackknife(
            task.where, index, lambda t: metric(t, **arguments).array(), _influence(metric)
        )
    return from_replicates(values, number, level, method, left_out)


# -- areas -------------------------------------------------------------------------------------


def _area(
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    level: float,
    method: str,
    *,
    asked: bool,
) -> IntervalResult | None:
    area = delong.auc(table.positives, table.negatives)
    limits = getattr(delong, method)(table.positives, table.negatives, level)
    if limits is not None and limits.low < limits.high:
        return _scaled(metric, arguments, table, intervals.from_limits(limits, level, method))
    if area is None:
        return None
    if asked:
        # a method that was asked for is not exchanged for another
        note = f"no width: the variance of {method} is 0 here"
        bare = intervals.from_limits(limits, level, method, note)
        return _scaled(metric, arguments, table, bare)
    fallback = intervals.independent_pairs(
        area, float(table.positive_total), float(table.negative_total), level, method
    )
    return _scaled(metric, arguments, table, fallback)


def _scaled(
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    interval: IntervalResult | None,
) -> IntervalResult | None:
    """Limits of an area carried over to a metric that is linear in it (Gini, U).

    The line is found from the metric itself at an area of 0 and of 1.
    """
    if interval is None:
        return None
    scores = np.array([1.0, 0.0])
    p, n, none = table.positive_total, table.negative_total, 0 * table.positive_total
    worst = metric(ScoreTable(scores, np.array([none, p]), np.array([n, none])), **arguments)
    best = metric(ScoreTable(scores, np.array([p, none]), np.array([none, n])), **arguments)
    low, high = float(worst.exact()), float(best.exact())
    return IntervalResult(
        interval.level,
        low + (high - low) * interval.low,
        low + (high - low) * interval.high,
        interval.method,
        interval.note,
        interval.facts,
    )


def _area_of_rows(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    level: float,
    method: str,
    index: int | None,
) -> IntervalResult | None:
    view = measurer.view
    rows = measurer.tables.rows(task.where)
    column = view.score if index is None else view.class_scores[:, index]  # type: ignore[index]
    assert column is not None
    positive = view.actual[rows] == (view.positive_index if index is None else index)
    if method == "obuchowski":
        assert view.cluster is not None
        variance = obuchowski.obuchowski_variance(positive, column[rows], view.cluster[0][rows])
    else:
        assert view.weight is not None
        variance = obuchowski.sandwich_auc_variance(positive, column[rows], view.weight[rows])
    area = delong.auc(table.positives, table.negatives)
    if area is None or variance is None:
        return None
    if variance <= intervals.VANISHED:
        fallback = intervals.independent_pairs(
            area, float(positive.sum()), float((~positive).sum()), level, method
        )
        return _scaled(metric, arguments, table, fallback)
    around = intervals.symmetric(area, variance, level, method, (0.0, 1.0))
    return _scaled(metric, arguments, table, around)


# -- means and fits -----------------------------------------------------------------------------


def _losses(metric: Metric, table: ScoreTable) -> tuple[Any, Any]:
    assert metric.row_loss is not None
    return metric.row_loss(table.scores, True), metric.row_loss(table.scores, False)


def _mean(
    metric: Metric, table: ScoreTable, number: float, level: float, rows: int
) -> IntervalResult | None:
    if metric.row_loss is None or rows < 2:
        return None
    of_positive, of_negative = _losses(metric, table)
    n = float(table.total)
    second = float(
        np.sum(table.positives * of_positive**2) + np.sum(table.negatives * of_negative**2)
    )
    return intervals.mean_of_rows(number, n, second / n, level, _bounds(metric))


def _weighted_mean(
    metric: Metric, table: ScoreTable, number: float, level: float, rows: int
) -> IntervalResult | None:
    """The ratio estimator of ``means.weighted_mean``, from the table."""
    if table.squares_positive is None or table.squares_negative is None or rows < 2:
        return None
    of_positive, of_negative = _losses(metric, table)
    spread = float(
        np.sum(table.squares_positive * (of_positive - number) ** 2)
        + np.sum(table.squares_negative * (of_negative - number) ** 2)
    )
    variance = rows / (rows - 1) * spread / float(table.total) ** 2
    return intervals.symmetric(number, variance, level, "sandwich", _bounds(metric))


def _bounds(metric: Metric) -> tuple[float, float]:
    """The metric's range with two classes: a Brier score ends at 1, over more classes at 2."""
    low, high = metric.bounds
    return (low, min(high, 1.0)) if metric.row_loss is not None and high == 2.0 else (low, high)


def _logistic(
    metric: Metric, table: ScoreTable, number: float, level: float
) -> IntervalResult | None:
    error = metric.standard_error(table) if metric.standard_error is not None else None
    if error is None:
        return None
    half = z_value(level) * error
    return IntervalResult(level, number - half, number + half, "wald")


# -- one column per class -----------------------------------------------------------------------


def class_score_interval(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    value: Evaluated,
) -> IntervalResult | None:
    """The interval of a metric over the columns of all classes, or of a class average."""
    assert isinstance(value.outcome, Value)
    number, level, view = value.outcome.number, measurer.settings.level, measurer.view
    method = task.interval
    assert method is not None
    rows = measurer.tables.rows(task.where)
    if method in ("normal", "sandwich") and metric.class_loss is not None:
        assert view.class_scores is not None
        losses = metric.class_loss(view.class_scores[rows], view.actual[rows])
        if view.weight is None:
            second = math.fsum(losses**2) / len(rows)
            return intervals.mean_of_rows(number, len(rows), second, level, metric.bounds)
        estimate = means.weighted_mean(losses, view.weight[rows])
        if estimate is None or estimate.standard_error is None:
            return None
        return intervals.symmetric(
            number, estimate.standard_error**2, level, method, metric.bounds
        )
    if method in proportions.PROPORTION_METHODS:
        if value.numerator is None or value.denominator is None:
            return None
        return intervals.proportion(value.numerator, value.denominator, level, method)
    if method == "wilson_n_eff" and view.weight is not None:
        weight = view.weight[rows]  # a share of all rows: none is left out below the line
        total, squares = math.fsum(weight), math.fsum(weight**2)
        return intervals.weighted_proportion(number, total, squares, level)
    return _class_resampled(measurer, task, metric, arguments, number)


def _class_resampled(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    number: float,
) -> IntervalResult | None:
    """Whole rows or clusters drawn, or left out in groups, all columns together."""
    method, level = str(task.interval), measurer.settings.level
    if method == grouped_jackknife.METHOD:
        left = class_left_out(measurer, task, metric, arguments)
        if left is None:
            return None
        return grouped_jackknife.interval(left, number, level, metric.bounds)
    if not method.startswith(("bootstrap", "cluster_bootstrap")):
        return None
    values = class_replicates(measurer, task, metric, arguments)
    if values is None:
        return None
    left_out = None
    if method == "bootstrap_bca":
        left_out = class_jackknife(measurer, task, metric, arguments)
    return from_replicates(values, number, level, method, left_out)
