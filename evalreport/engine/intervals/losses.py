"""Limits of means of what rows lose: Student's t on the logarithm, or plus and minus z errors.

Few rows may carry most of a mean of losses, so degrees of freedom are those of as many rows of
equal losses as would spread it alike, see :func:`evalreport.statistics.means.log_t_interval`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.case import Case, ScoreCase
from evalreport.engine.intervals.linearised import contributions, spread
from evalreport.metrics.declare import Interval
from evalreport.metrics.methods import LOG_T, SANDWICH, SHARE_OF_CLUSTERS, SHARE_OF_WEIGHTS
from evalreport.predict.view import distinct
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.statistics import means
from evalreport.statistics.exact_sums import exact_sum
from evalreport.statistics.interval import Interval as Limits

Floats = npt.NDArray[np.float64]
Found = records.Interval | str | None

#: Why a mean of losses has no limits.
LOSSES_ALIKE = "all losses are equal: they show no variance"
ONE_ROW = "one row shows no variance"


def _carried(rows: float, most: float) -> str:
    """Why a mean that few rows carry has no limits; ``rows``: as many equal losses, of ``most``."""
    return f"too few losses: {rows:.2g} of {most:,g} make up the mean"


def _classes(case: Case) -> int:
    """Classes that the range of the mean is of: of one score it is that of two."""
    return 2 if isinstance(case, ScoreCase) else len(case.measurer.view.labels)


def _within(case: Case, limits: Limits, **told: Any) -> records.Interval | None:
    """Limits no higher than a mean of losses can be."""
    most = case.metric.range_of(_classes(case))[1]
    high = Limits(limits.low, min(limits.high, most))
    return intervals.from_limits(high, case.level, case.method, **told)


# -- of the table of scores ----------------------------------------------------------------------


def table_mean(case: ScoreCase) -> Found:
    """Limits of a mean of losses by the score; of weighted rows, but for `normal`, weighted."""
    table, tables = case.table, case.measurer.tables
    if case.metric.row_loss is None:
        return None
    losses = _losses(case)
    if case.measurer.view.weight is not None and case.method != "normal":
        return _weighted_table_mean(case, losses)
    if tables.row_count(case.task.where) < 2:
        return ONE_ROW
    n = float(table.total)
    return of_moments(case, n, spread(table.positives, table.negatives, losses) / n)


def _losses(case: ScoreCase) -> tuple[Any, Any]:
    """What a positive and a negative row lose at each score."""
    assert case.metric.row_loss is not None
    return tuple(case.metric.row_loss(case.table.scores, side) for side in (True, False))


def _weighted_table_mean(case: ScoreCase, losses: tuple[Any, Any]) -> Found:
    """The ratio estimator of ``means.ratio_of_totals``, from the table, or t on the logarithm."""
    table, number = case.table, case.number
    squares = table.squares
    rows = case.measurer.tables.row_count(EVERYTHING)
    if squares is None:
        return None
    if rows < 2:
        return ONE_ROW
    apart = losses[0] - number, losses[1] - number
    total = float(table.total)
    variance = rows / (rows - 1) * spread(*squares, apart) / total**2
    if variance <= intervals.VANISHED * number**2:
        return LOSSES_ALIKE
    if case.method == LOG_T:
        return _weighted(case, total, spread(*squares, losses), variance)
    error, bounds = math.sqrt(variance), case.metric.range_of(2)
    return intervals.symmetric(number, variance, case.level, SANDWICH, bounds, standard_error=error)


def of_moments(case: Case, n: float, second: float) -> Found:
    """Limits of a mean of losses, from their mean square: normal, or t on the logarithm."""
    mean, level = case.number, case.level
    if means.are_alike(mean, second):
        return LOSSES_ALIKE
    if case.method != LOG_T:
        bounds = case.metric.range_of(_classes(case))
        return intervals.mean_of_rows(mean, n, second, level, bounds)
    limits = means.log_t_interval(n, mean, second, level)
    if limits is None:
        return _carried(means.effective_rows(n, mean, second), n)
    return _within(case, limits)


def _weighted(case: Case, total: float, squares: float, variance: float) -> Found:
    """Student's t on the logarithm of a mean of weighted losses.

    ``total``: of the weights; ``squares``: the sum of the squares of the weighted losses.
    """
    number = case.number
    if squares <= 0 or number <= 0:
        return None
    carrying = (total * number) ** 2 / squares
    degrees, error = means.loss_degrees(carrying), math.sqrt(variance)
    limits = means.log_t_limits(number, error, degrees, case.level)
    if limits is None:
        return _carried(carrying, total)
    return _within(case, limits, standard_error=error, df=degrees)


def clustered(case: Case) -> Found:
    """Student's t on the logarithm of a mean of losses of clustered rows."""
    view, tables = case.measurer.view, case.measurer.tables
    assert view.cluster is not None
    rows = tables.chosen(case.task.where)
    weight = None if view.weight is None else view.weight[rows]
    losses: Floats | None
    if isinstance(case, ScoreCase):
        losses = contributions(case, rows, _losses(case))
    else:
        losses = row_values(case, tables.kinds(case.task.where))
        losses = losses if losses is None or weight is None else losses * weight
    codes, number = view.cluster[0][rows], case.number
    times = tables.times_of(rows)
    known = None if losses is None else means.clustered_losses(losses, codes, times, weight)
    if known is None or number <= 0:
        return LOSSES_ALIKE if number <= 0 else None
    limits = means.log_t_limits(number, known.error, known.degrees, case.level)
    if limits is None:
        return _carried(min(known.rows, known.clusters), float(distinct(codes)))
    if not intervals.has_width(limits):
        return LOSSES_ALIKE
    return _within(case, limits, standard_error=known.error, df=known.degrees)


# -- of rows with a score of each class -----------------------------------------------------------


def class_mean(case: Case) -> Found:
    """Limits of a mean of losses of independent rows with a score of each class."""
    view, inside = case.measurer.view, case.measurer.tables.kinds(case.task.where)
    losses = row_values(case, inside)
    assert losses is not None
    times = None if view.times is None else view.times[inside]
    rows = len(inside) if times is None else int(times.sum())
    return of_moments(case, rows, exact_sum(losses**2, times) / rows)


def row_values(case: Case, rows: npt.NDArray[np.intp]) -> Floats | None:
    """What each of ``rows`` adds to a mean, or whether it is in a share of rows; else None."""
    metric, where, tables = case.metric, case.task.where, case.measurer.tables
    view = case.measurer.view
    assert view.class_scores is not None
    if metric.class_loss is not None:
        losses = metric.class_loss(view.class_scores[rows], view.actual[rows])
        return np.asarray(losses, np.float64)
    if metric.interval is not Interval.PROPORTION:
        return None
    # tables of one row each: whether a row counts follows from the rank of its class
    table = tables.class_scores(where, metric.class_pairs)
    single = np.eye(len(view.labels))
    by_rank = metric(replace(table, ranks=single, class_totals=single), **case.arguments).array()
    return np.asarray(by_rank, np.float64)[tables.ranks(rows)]


def row_mean(case: Case) -> Found:
    """A mean or share of rows with a score of each class, by how the rows were sampled."""
    view, rows = case.measurer.view, case.measurer.tables.rows(case.task.where)
    values = row_values(case, rows)
    if values is None:
        return None
    number, level, method = case.number, case.level, case.method
    weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
    if view.sample is not None:
        return _designed_mean(case, values, weight)
    if method in (SHARE_OF_WEIGHTS, "wilson_n_eff"):
        every = case.measurer.tables.row_count(EVERYTHING)
        return intervals.share_of_rows(number, weight, values > 0, level, method, every)
    top, bottom = weight * values, weight
    if view.cluster is not None:
        unit = np.unique(view.cluster[0][rows], return_inverse=True)[1]
        top, bottom = (np.bincount(unit, part).astype(np.float64) for part in (top, bottom))
        if method in (SHARE_OF_CLUSTERS, "cluster_robust"):
            return intervals.clustered_proportion(top, bottom, level, method)
    estimate = means.ratio_of_totals(top, bottom)
    if estimate is None or not estimate.standard_error:
        return None
    variance, bounds = estimate.standard_error**2, case.metric.bounds
    if method != LOG_T:
        return intervals.symmetric(number, variance, level, method, bounds)
    if variance <= intervals.VANISHED * number**2:
        return LOSSES_ALIKE
    total, squared = math.fsum(weight), float(np.sum(top**2))
    return _weighted(case, total, squared, variance)


def _designed_mean(case: Case, values: Floats, weight: Floats) -> records.Interval | None:
    """The same of a sample drawn by a declared design."""
    view, number, level = case.measurer.view, case.number, case.level
    assert view.sample is not None
    contributions = np.zeros(len(view.actual))
    inside = case.measurer.tables.rows(case.task.where)
    contributions[inside] = weight * (values - number) / math.fsum(weight)
    estimated = view.sample.estimated(contributions)
    if case.asked:
        estimated = estimated.as_known
    variance = estimated.variance
    if not math.isfinite(variance) or variance <= intervals.VANISHED:
        return None
    if case.method == "wilson_n_eff":
        return intervals.n_eff_interval(number, variance, level, estimated.units_df)
    of = (number, variance, level, case.method, case.metric.bounds, estimated.df)
    return intervals.symmetric(*of, standard_error=math.sqrt(variance))
