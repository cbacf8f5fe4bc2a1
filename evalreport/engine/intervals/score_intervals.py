"""Intervals of score metrics, by the planned method."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.evaluate import Evaluated
from evalreport.engine.intervals import grouped_jackknife, influence, linearised
from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.intervals.class_bootstrap import (
    class_jackknife,
    class_left_out,
    class_replicates,
)
from evalreport.engine.intervals.jackknife import Influence
from evalreport.engine.intervals.linearised import contributions
from evalreport.metrics.declare import LOG_T, RESAMPLING, SANDWICH, Interval, Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.interval_methods import (
    AREA_OF_CLUSTERS,
    AREA_OF_WEIGHTS,
    FEW_LOSSES_OF_CLUSTERS,
    OF_WEIGHTS,
    Held,
    few_clusters,
    taking_over,
)
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.methods import ASKED, BOOTSTRAP_ROWS, SURVEY_BOOTSTRAP
from evalreport.plan.task import Task
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.statistics import delong, design_based, means, obuchowski, proportions
from evalreport.statistics.interval import Interval as Limits
from evalreport.statistics.interval import deviate, z_value

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
) -> records.Interval | None:
    """The interval of one value of a score metric; None where the method gives none."""
    assert isinstance(value.outcome, Value)
    drawn = _drawn_in_slice(measurer, task, metric)
    if drawn is not None:
        found = _resampled(measurer, drawn, metric, arguments, value.outcome.number, index)
        return None if found is None else replace(found, why=drawn.why)
    number, level = value.outcome.number, measurer.settings.level
    method = task.interval
    assert method is not None
    few = _clustered_losses(measurer, task, metric, table, number, index)
    if few is not None:
        return few
    if method in delong.AUC_METHODS:
        return _area(metric, arguments, table, level, method, asked=task.why == ASKED)
    if method in ("obuchowski", SANDWICH) and not _of_simple_rows(measurer, metric, method):
        return _linearised(measurer, task, metric, arguments, table, number, index)
    if method == "obuchowski" or (method == SANDWICH and metric.row_loss is None):
        asked = task.why == ASKED
        return _area_of_rows(
            measurer, task, metric, arguments, table, level, method, index, asked=asked
        )
    if method in ("normal", LOG_T, SANDWICH):
        asked = task.why == ASKED
        rows = measurer.tables.row_count(EVERYTHING if method == SANDWICH else task.where)
        if method == SANDWICH:
            result = _weighted_mean(metric, table, number, level, rows, asked=asked)
        else:
            result = _mean(metric, table, number, level, rows, method, asked=asked)
        # the same loss in every row says nothing about the error of the mean
        return result if asked or intervals.has_width(result) else None
    if metric.interval is Interval.LOGISTIC and method == "wald":
        return _logistic(metric, table, number, level)
    if method in ("influence", grouped_jackknife.METHOD):
        return _on_many_rows(measurer, task, metric, arguments, table, number, index)
    return _resampled(measurer, task, metric, arguments, number, index)


def _drawn_in_slice(measurer: Measuring, task: Task, metric: Metric) -> Task | None:
    """The task drawn after all, where a slice of many rows has few enough; else None.

    Rows are not drawn above so many of the dataset; what holds for those, influence functions
    and the jackknife, does not for the few of a subgroup.
    """
    default = metric.interval.methods[0] if metric.interval.methods else ""
    view, method = measurer.view, task.interval
    planned = method in ("influence", grouped_jackknife.METHOD) and default in RESAMPLING
    plain = view.weight is None and view.cluster is None and view.sample is None
    if not planned or not plain or task.why == ASKED or task.where == EVERYTHING:
        return None
    if measurer.tables.row_count(task.where) > BOOTSTRAP_ROWS:
        return None
    return replace(task, interval=default, why="rows are drawn: the slice has few enough")


def _of_simple_rows(measurer: Measuring, metric: Metric, method: str) -> bool:
    """Whether rows have weights or clusters, not both, and the metric a variance for them."""
    view = measurer.view
    if view.sample is not None:
        return False
    if view.cluster is not None:
        return method == "obuchowski" and view.weight is None
    known = metric.interval is Interval.AUC or metric.row_loss is not None
    return view.weight is not None and known


def _linearised(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    number: float,
    index: int | None,
) -> records.Interval | None:
    """Value plus and minus t or z standard errors from what rows or clusters contribute."""
    estimated = linearised.variance(measurer, task, metric, arguments, table, number, index)
    level, method = measurer.settings.level, str(task.interval)
    if estimated is None:
        return None
    if task.why == ASKED:
        estimated = estimated.as_known
    variance, df = estimated.variance, estimated.df
    if variance <= intervals.VANISHED:
        return _separated(measurer, task, metric, arguments, table, level, method, index)
    if metric.interval is Interval.AUC and method == SANDWICH:
        return intervals.on_logits(number, variance, level, method, _bounds(metric), df)
    around = intervals.symmetric(number, variance, level, method, _bounds(metric), df)
    return replace(around, standard_error=math.sqrt(variance))


def _separated(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    level: float,
    method: str,
    index: int | None,
) -> records.Interval | None:
    """Of an area without variance: Wilson on the pairs of rows that are independent."""
    area = delong.auc(table.positives, table.negatives)
    if area is None or metric.interval is not Interval.AUC:
        return None
    view, rows = measurer.view, measurer.tables.rows(task.where)
    positive = view.actual[rows] == (view.positive_index if index is None else index)
    fallback = intervals.independent_pairs(
        area, float(positive.sum()), float((~positive).sum()), level, method
    )
    return _scaled(metric, arguments, table, fallback)


def _on_many_rows(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    number: float,
    index: int | None,
) -> records.Interval | None:
    """By the influence of single rows where it is known, else with groups of them left out."""
    level, note = measurer.settings.level, ""
    if task.interval == "influence":
        variance = influence.variance(metric, table, arguments)
        if variance is not None:
            return intervals.symmetric(number, variance, level, "influence", metric.bounds)
        if metric.influence is not None and metric.influence(table, **arguments) is not None:
            return None  # one class alone: nothing can be told
        note = grouped_jackknife.NO_INFLUENCE
    left = measurer.bootstrap.left_out(task.where, index, lambda t: metric(t, **arguments).array())
    return grouped_jackknife.interval(left, number, level, metric.bounds, note)


def _influence(metric: Metric) -> Influence | None:
    """The influence of a row on a metric without parameters; None where it is not known."""
    return None if metric.parameters else metric.influence


def _resampled(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    number: float,
    index: int | None,
) -> records.Interval | None:
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
) -> records.Interval | None:
    area = delong.auc(table.positives, table.negatives)
    variance = delong.delong_variance(table.positives, table.negatives)
    few = taking_over(method, _pairs_held(area, table)) if area and variance else None
    if few is not None and variance and not asked:
        # where the variance vanishes the interval is that of independent pairs, see below
        limits = delong.delong_score(table.positives, table.negatives, level)
        found = intervals.from_limits(limits, level, few.name)
        if found is not None:
            found = replace(found, standard_error=math.sqrt(variance), why=few.reason)
        return _scaled(metric, arguments, table, found)
    limits = delong.AUC_METHODS[method](table.positives, table.negatives, level)
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


def _pairs_held(area: float, table: ScoreTable) -> Held:
    """Independent pairs of a positive and a negative row that are ranked the rarer way."""
    pairs = min(float(table.positive_total), float(table.negative_total))
    return Held(fewer_pairs=pairs * min(area, 1.0 - area))


def _scaled(
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    interval: records.Interval | None,
) -> records.Interval | None:
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
    error = interval.standard_error
    return replace(
        interval,
        low=low + (high - low) * interval.low,
        high=low + (high - low) * interval.high,
        standard_error=None if error is None else abs(high - low) * error,
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
    *,
    asked: bool,
) -> records.Interval | None:
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
    if method == "obuchowski" and variance > intervals.VANISHED:
        scored = _of_few_clusters(area, variance, positive, view.cluster[0][rows], level)  # type: ignore[index]
        if scored is not None:
            return _scaled(metric, arguments, table, scored)
    if variance <= intervals.VANISHED:
        fallback = intervals.independent_pairs(
            area, float(positive.sum()), float((~positive).sum()), level, method
        )
        return _scaled(metric, arguments, table, fallback)
    if method != SANDWICH:
        around = intervals.symmetric(area, variance, level, method, (0.0, 1.0))
        return _scaled(metric, arguments, table, around)
    assert view.weight is not None
    few = None if asked else _few_weights(area, variance, positive, view.weight[rows], level)
    if few is not None:
        return _scaled(metric, arguments, table, few)
    own = obuchowski.weighted_influence(positive, column[rows], view.weight[rows])
    df = math.inf if asked else design_based.of_single_rows(len(rows)).estimated(own).df
    around = intervals.on_logits(area, variance, level, method, (0.0, 1.0), df)
    return _scaled(metric, arguments, table, around)


def _few_weights(
    area: float,
    variance: float,
    positive: npt.NDArray[np.bool_],
    weight: npt.NDArray[np.float64],
    level: float,
) -> records.Interval | None:
    """Score limits with the design-based variance, where weighted rows are worth few pairs."""
    worth = [
        means.effective_size_from_sums(math.fsum(own), math.fsum(own * own))
        for own in (weight[positive], weight[~positive])
    ]
    held = Held(fewer_pairs=min(worth) * min(area, 1.0 - area))
    few = next(m for m in OF_WEIGHTS if m.name == AREA_OF_WEIGHTS)
    if not few.few(held):
        return None
    limits = delong.score_form(area, variance, (worth[0], worth[1]), min(worth), z_value(level))
    found = intervals.from_limits(limits, level, few.name, n_effective=math.fsum(worth))
    if found is None:
        return None
    return replace(found, why=few.reason, standard_error=math.sqrt(variance))


def _of_few_clusters(
    area: float,
    variance: float,
    positive: npt.NDArray[np.bool_],
    cluster: npt.NDArray[Any],
    level: float,
) -> records.Interval | None:
    """Score limits with Obuchowski's variance and Student's t; None with clusters enough."""
    clusters = len(np.unique(cluster))
    few = few_clusters(AREA_OF_CLUSTERS, clusters)
    if few is None:
        return None
    units = min(len(np.unique(cluster[side])) for side in (positive, ~positive))
    counted = float(positive.sum()), float((~positive).sum())
    limits = delong.score_form(area, variance, counted, units, deviate(level, clusters - 1.0))
    found = intervals.from_limits(limits, level, few.name)
    if found is None:
        return None
    return replace(found, why=few.reason, standard_error=math.sqrt(variance))


# -- means and fits -----------------------------------------------------------------------------


def _losses(metric: Metric, table: ScoreTable) -> tuple[Any, Any]:
    assert metric.row_loss is not None
    return metric.row_loss(table.scores, True), metric.row_loss(table.scores, False)


def _mean(
    metric: Metric,
    table: ScoreTable,
    number: float,
    level: float,
    rows: int,
    method: str,
    *,
    asked: bool,
) -> records.Interval | None:
    if metric.row_loss is None or rows < 2:
        return None
    of_positive, of_negative = _losses(metric, table)
    n = float(table.total)
    second = float(
        np.sum(table.positives * of_positive**2) + np.sum(table.negatives * of_negative**2)
    )
    return _of_losses(metric, n, number, second / n, level, method, asked=asked)


def _of_losses(
    metric: Metric,
    n: float,
    mean: float,
    second: float,
    level: float,
    method: str,
    *,
    asked: bool,
    classes: int = 2,
) -> records.Interval | None:
    """Limits of a mean of losses, from their mean square; t on the logarithm where few carry it."""
    least, most = metric.range_of(classes)
    few = None
    if method != LOG_T and not asked and least >= 0:
        few = taking_over(method, Held(loss_rows=means.effective_rows(n, mean, second)))
    if few is None and method != LOG_T:
        return intervals.mean_of_rows(mean, n, second, level, (least, most))
    limits = means.log_t_interval(n, mean, second, level)
    if limits is None:
        return None
    within = Limits(limits.low, min(limits.high, most))
    found = intervals.from_limits(within, level, LOG_T)
    return found if few is None or found is None else replace(found, why=few.reason)


def _clustered_losses(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    table: ScoreTable,
    number: float,
    index: int | None,
) -> records.Interval | None:
    """Limits of a mean of losses over few clusters; None where the planned method stays."""
    view, tables = measurer.view, measurer.tables
    if metric.row_loss is None or view.cluster is None or view.weight is not None:
        return None
    if task.interval not in FEW_LOSSES_OF_CLUSTERS.instead_of or task.why == ASKED:
        return None
    rows = tables.rows(task.where)
    own = contributions(measurer, rows, table, _losses(metric, table), index)
    codes = view.cluster[0][rows]
    return clustered_mean(metric, own, codes, number, measurer.settings.level)


def clustered_mean(
    metric: Metric,
    losses: npt.NDArray[np.float64],
    codes: npt.NDArray[Any],
    number: float,
    level: float,
    classes: int = 2,
) -> records.Interval | None:
    """Student's t on the logarithm of a mean of losses, where few clusters ask for it."""
    least, most = metric.range_of(classes)
    known = means.clustered_losses(losses, codes) if least >= 0 else None
    if known is None or number <= 0:
        return None
    few = FEW_LOSSES_OF_CLUSTERS
    if not few.few(Held(clusters=len(np.unique(codes)), loss_rows=known.rows)):
        return None
    limits = means.log_t_limits(number, known.error, known.degrees, level)
    if limits is None or not intervals.has_width(limits):
        return None
    within = Limits(limits.low, min(limits.high, most))
    found = intervals.from_limits(within, level, few.name)
    if found is None:
        return None
    return replace(found, standard_error=known.error, df=known.degrees, why=few.reason)


def _weighted_mean(
    metric: Metric,
    table: ScoreTable,
    number: float,
    level: float,
    rows: int,
    *,
    asked: bool,
) -> records.Interval | None:
    """The ratio estimator of ``means.weighted_mean``, from the table; t on logs with few rows."""
    if table.squares_positive is None or table.squares_negative is None or rows < 2:
        return None
    of_positive, of_negative = _losses(metric, table)
    spread = float(
        np.sum(table.squares_positive * (of_positive - number) ** 2)
        + np.sum(table.squares_negative * (of_negative - number) ** 2)
    )
    variance = rows / (rows - 1) * spread / float(table.total) ** 2
    few = None if asked else _few_weighted_losses(metric, table, number, variance, level)
    if few is not None:
        return few
    around = intervals.symmetric(number, variance, level, "sandwich", _bounds(metric))
    return replace(around, standard_error=math.sqrt(variance))


def _few_weighted_losses(
    metric: Metric, table: ScoreTable, number: float, variance: float, level: float
) -> records.Interval | None:
    """Student's t on the logarithm, where few rows carry the weighted losses; else None."""
    of_positive, of_negative = _losses(metric, table)
    assert table.squares_positive is not None
    assert table.squares_negative is not None
    squares = float(
        np.sum(table.squares_positive * of_positive**2)
        + np.sum(table.squares_negative * of_negative**2)
    )
    least, most = metric.range_of(2)
    if least < 0 or squares <= 0 or number <= 0:
        return None
    carrying = (float(table.total) * number) ** 2 / squares
    few = taking_over(SANDWICH, Held(loss_rows=carrying))
    degrees, error = means.loss_degrees(carrying), math.sqrt(variance)
    limits = None if few is None else means.log_t_limits(number, error, degrees, level)
    if few is None or limits is None:
        return None
    within = Limits(limits.low, min(limits.high, most))
    found = intervals.from_limits(within, level, few.name)
    if found is None:
        return None
    return replace(found, standard_error=error, df=degrees, why=few.reason)


def _bounds(metric: Metric) -> tuple[float, float]:
    """The metric's range with one score, that is with two classes or one against the rest."""
    return metric.range_of(2)


def _logistic(
    metric: Metric, table: ScoreTable, number: float, level: float
) -> records.Interval | None:
    error = metric.standard_error(table) if metric.standard_error is not None else None
    if error is None:
        return None
    half = z_value(level) * error
    return records.Interval(level, number - half, number + half, "wald")


# -- one column per class -----------------------------------------------------------------------


def class_score_interval(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    value: Evaluated,
) -> records.Interval | None:
    """The interval of a metric over the columns of all classes, or of a class average."""
    assert isinstance(value.outcome, Value)
    number, level, method = value.outcome.number, measurer.settings.level, task.interval
    assert method is not None
    if method == "normal":
        losses = _row_values(measurer, task, metric, arguments)
        assert losses is not None
        second = math.fsum(losses**2) / len(losses)
        asked, classes = task.why == ASKED, len(measurer.view.labels)
        return _of_losses(
            metric, len(losses), number, second, level, method, asked=asked, classes=classes
        )
    if method in FEW_LOSSES_OF_CLUSTERS.instead_of and task.why != ASKED:
        few = _clustered_class_losses(measurer, task, metric, arguments, number)
        if few is not None:
            return few
    if method in (SANDWICH, "wilson_n_eff"):
        return _row_mean(measurer, task, metric, arguments, number)
    if method in proportions.PROPORTION_METHODS:
        if value.numerator is None or value.denominator is None:
            return None
        return intervals.proportion(value.numerator, value.denominator, level, method)
    return _class_resampled(measurer, task, metric, arguments, number)


def _clustered_class_losses(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any], number: float
) -> records.Interval | None:
    """Of a loss of rows with a score of each class, in few clusters; else None."""
    view = measurer.view
    if metric.class_loss is None or view.cluster is None or view.weight is not None:
        return None
    losses = _row_values(measurer, task, metric, arguments)
    if losses is None:
        return None
    codes = view.cluster[0][measurer.tables.rows(task.where)]
    level, classes = measurer.settings.level, len(view.labels)
    return clustered_mean(metric, losses, codes, number, level, classes)


def _row_values(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> npt.NDArray[np.float64] | None:
    """What each row adds to a mean over rows, or whether it is in a share of rows; else None."""
    view, rows = measurer.view, measurer.tables.rows(task.where)
    assert view.class_scores is not None
    if metric.class_loss is not None:
        losses = metric.class_loss(view.class_scores[rows], view.actual[rows])
        return np.asarray(losses, np.float64)
    if metric.interval is not Interval.PROPORTION:
        return None
    # tables of one row each: whether a row counts follows from the rank of its class
    table = measurer.tables.class_scores(task.where, metric.class_pairs)
    single = np.eye(len(view.labels))
    by_rank = metric(replace(table, ranks=single, class_totals=single), **arguments).array()
    return np.asarray(by_rank, np.float64)[measurer.tables.ranks(task.where)]


def _row_mean(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any], number: float
) -> records.Interval | None:
    """A mean or share of rows with a score of each class, by how the rows were sampled."""
    values = _row_values(measurer, task, metric, arguments)
    if values is None:
        return None
    view, rows = measurer.view, measurer.tables.rows(task.where)
    level, method = measurer.settings.level, str(task.interval)
    weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
    if view.sample is not None:
        return _designed_mean(measurer, task, metric, values, weight, number)
    if method == "wilson_n_eff":
        squares = tuple(math.fsum(weight[values == hit] ** 2) for hit in (1.0, 0.0))
        return intervals.share_of_weights(
            number,
            math.fsum(weight),
            (squares[0], squares[1]),
            float(weight.max()),
            level,
            measurer.tables.row_count(EVERYTHING),
        )
    top, bottom = weight * values, weight
    if view.cluster is not None:
        unit = np.unique(view.cluster[0][rows], return_inverse=True)[1]
        top, bottom = (np.bincount(unit, part).astype(np.float64) for part in (top, bottom))
    estimate = means.ratio_of_totals(top, bottom)
    if estimate is None or not estimate.standard_error:
        return None
    return intervals.symmetric(number, estimate.standard_error**2, level, method, metric.bounds)


def _designed_mean(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
    number: float,
) -> records.Interval | None:
    """The same of a sample drawn by a declared design."""
    sample, level = measurer.view.sample, measurer.settings.level
    assert sample is not None
    contributions = np.zeros(len(measurer.view.actual))
    inside = measurer.tables.rows(task.where)
    contributions[inside] = weight * (values - number) / math.fsum(weight)
    estimated = sample.estimated(contributions)
    if task.why == ASKED:
        estimated = estimated.as_known
    variance = estimated.variance
    if not math.isfinite(variance) or variance <= intervals.VANISHED:
        return None
    if task.interval == "wilson_n_eff":
        return intervals.n_eff_interval(number, variance, level, estimated.units_df)
    method = str(task.interval)
    around = intervals.symmetric(number, variance, level, method, metric.bounds, estimated.df)
    return replace(around, standard_error=math.sqrt(variance))


def _class_resampled(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    number: float,
) -> records.Interval | None:
    """Whole rows or clusters drawn, or left out in groups, all columns together."""
    method, level = str(task.interval), measurer.settings.level
    if method == grouped_jackknife.METHOD:
        left = class_left_out(measurer, task, metric, arguments)
        if left is None:
            return None
        return grouped_jackknife.interval(left, number, level, metric.bounds)
    if not method.startswith(("bootstrap", "cluster_bootstrap", SURVEY_BOOTSTRAP)):
        return None
    values = class_replicates(measurer, task, metric, arguments)
    if values is None:
        return None
    left_out = None
    if method == "bootstrap_bca":
        left_out = class_jackknife(measurer, task, metric, arguments)
    return from_replicates(values, number, level, method, left_out)
