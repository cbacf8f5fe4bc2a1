"""Intervals of metrics of the classification table, by the planned method."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.classification import dense_counts
from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.intervals.case import Cells, TableCase
from evalreport.engine.intervals.methods import TableValue
from evalreport.engine.metric_values import class_value, overall_value, stacked_value
from evalreport.metrics.declare import Average, Interval, Metric, Table
from evalreport.metrics.formula import Ratio, Value
from evalreport.metrics.methods import (
    DELTA_T,
    SANDWICH_T,
    SHARE_OF_CLUSTERS,
    SHARE_OF_WEIGHTS,
    SQUARE_AND_ADD,
    TABLE_OF_CLUSTERS,
    TABLE_OF_WEIGHTS,
)
from evalreport.metrics.properties import same_number
from evalreport.metrics.tables import Counts
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.statistics import ratios
from evalreport.statistics.delta import (
    cluster_variance,
    delta_variance,
    gradient,
    sandwich_variance,
)
from evalreport.statistics.design_based import DesignVariance
from evalreport.statistics.interval import Interval as Limits
from evalreport.statistics.interval import z_value
from evalreport.statistics.means import share_variance
from evalreport.statistics.proportions import PROPORTION_METHODS
from evalreport.statistics.square_and_add import square_and_add
from evalreport.statistics.tail import t_quantile

#: Classes up to which a dense table is made for an interval.
MOST_CLASSES = 500


def table_interval(case: TableCase) -> records.Interval | str | None:
    """The interval of one value of a table metric; None, or the reason, where there is none."""
    stand_in = _standing_for(case)
    if stand_in is None:
        return None
    case = stand_in
    level, method, metric, value = case.level, case.method, case.metric, case.value
    if method == SQUARE_AND_ADD:
        cells = case.cells
        return None if cells is None else added(metric, case.arguments, cells, case.number, level)
    if method in PROPORTION_METHODS and metric.interval is Interval.PROPORTION:
        if value.numerator is None or value.denominator is None:
            return None
        return intervals.proportion(value.numerator, value.denominator, level, method)
    if method == "newcombe_hybrid":
        return _of_rates(metric, case.matrix.one_versus_rest(case.index), level)
    if case.table.size > MOST_CLASSES or any(np.any(u) for u in case.matrix.unplaced):
        return _sparse_share(case) if method in (SHARE_OF_WEIGHTS, "wilson_n_eff") else None
    return OF_TABLES.get(method, _smooth)(case, _table_value(case))


def _standing_for(case: TableCase) -> TableCase | None:
    """What the interval is taken of: of an average that is another number, this other one.

    None where that is undefined, as balanced accuracy of rows of one class.
    """
    task = case.task
    same, average = same_number(case.metric, task.average, two_classes=case.table.size <= 2)
    if (same, average) == (case.metric, task.average) or task.indeterminate is not None:
        return case
    arguments = case.arguments if same is case.metric else {}
    label = None if average is not None or case.table.size > 2 else case.table.labels[case.index]
    if label is None:
        value = overall_value(same, case.matrix, arguments)
    else:
        value = class_value(same, case.matrix.one_versus_rest(case.index), arguments, label)
    if not isinstance(value.outcome, Value):
        return None
    own = replace(task, average=average, label=label)
    return replace(case, task=own, metric=same, arguments=arguments, value=value)


def _of_weights(case: TableCase, v: TableValue) -> records.Interval | None:
    return intervals.weighted_proportion(v, case.method)


def _of_clusters(case: TableCase, v: TableValue) -> records.Interval | str | None:
    """The interval of a value of clustered rows; None where their tables would not fit."""
    if v.clusters is None:
        return None
    if _single_proportion(case):
        top, bottom = _parts(case, v.clusters)
        return intervals.clustered_proportion(top, bottom, v.level, case.method)
    return _of_whole(case, v) if case.method == SHARE_OF_CLUSTERS else _smooth(case, v)


def _of_whole(case: TableCase, v: TableValue) -> records.Interval | str | None:
    """A function of the table of all classes; of two classes alone it is a value of its own."""
    single = case.task.average is None and case.table.size <= 2
    occur = int(np.count_nonzero(v.table.sum(axis=1)))
    of_class = None
    if case.task.average == Average.WEIGHTED.value:
        of_class = partial(_of_class, case)
    parts = 1 if single else max(occur, 1)
    return intervals.whole_table(v, case.method, parts=parts, of_class=of_class)


def _of_class(case: TableCase, index: int) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]]:
    """The metric of one class of stacked tables."""
    return stacked_value(case.metric, case.arguments, average=None, index=index)


def added(
    metric: Metric,
    arguments: Mapping[str, Any],
    cells: Cells,
    number: float,
    level: float,
) -> records.Interval | None:
    """Square-and-add limits at the counts of the cells, within what one row can give.

    ``cells``: TP, FN, FP, TN; ``number``: the value at them.
    """
    assert metric.shares is not None
    limits = square_and_add(
        lambda shares: of_shares(metric, arguments, shares),
        cells,
        metric.shares.value,
        level,
        log=metric.interval is Interval.LOG,
    )
    if limits is None or not intervals.has_width(limits):
        return None
    least, most = metric.bounds
    if metric.interval is Interval.MEAN:
        rows = of_shares(metric, arguments, np.eye(4))
        least, most = float(rows.min()), float(rows.max())
    within = Limits(max(limits.low, least), min(limits.high, most))
    found = intervals.from_limits(within, level, SQUARE_AND_ADD)
    room = intervals.ROUNDING * max(abs(number), 1.0)
    if found is None or not found.low - room <= number <= found.high + room:
        return None
    return replace(found, low=min(found.low, number), high=max(found.high, number))


def _added_of_clusters(case: TableCase, v: TableValue) -> records.Interval | None:
    """Square-and-add on the rows that clustered ones are worth, with Student's t.

    Cells are divided by the design effect and by (t / z)^2 for as many degrees of freedom as there
    are clusters less one. Clusters without variation count as one row each.
    """
    if v.clusters is None or len(v.clusters) < 2:
        return None
    clusters = len(v.clusters)
    t = t_quantile((1.0 - v.level) / 2.0, clusters - 1.0)
    together = partial(cluster_variance, table=v.table, per_cluster=v.clusters)
    return _added_over(case, v, together, clusters, (t / z_value(v.level)) ** 2)


def _added_of_weights(case: TableCase, v: TableValue) -> records.Interval | None:
    """Square-and-add on the rows that weighted ones are worth."""
    if v.squares is None:
        return None
    together = partial(sandwich_variance, table=v.table, squares=v.squares, rows=v.rows)
    return _added_over(case, v, together)


def _added_over(
    case: TableCase,
    v: TableValue,
    variance: Callable[[npt.NDArray[np.float64]], float],
    clusters: int | None = None,
    wider: float = 1.0,
) -> records.Interval | None:
    """Square-and-add on cells over the design effect, and over how much wider t makes limits.

    Cells are shares of as many rows as there are. The effect is the variance over that of
    independent rows without weights (Rao J., Scott A. Biometrics 48, 1992), at least 1 and at
    least Kish's effect of the weights: the variance of few rows hangs on what these happen to
    weigh, and is mostly too small. ``clusters``: the rows that count where nothing varies.

    A ratio that is infinite has score limits on these cells, and the effect of the table with half
    a row more in each.
    """
    cells, rows = case.cells, float(case.measurer.tables.row_count(case.task.where))
    if cells is None or sum(cells) <= 0.0 or rows < 1:
        return None
    total, infinite = sum(cells), math.isinf(v.value)
    slopes = gradient(v.function, v.table + 0.5 * total / rows if infinite else v.table)
    alone, together = delta_variance(slopes, v.table) * (total / rows), variance(slopes)
    varies = together > intervals.VANISHED and alone > intervals.VANISHED
    of_rows = 1.0 if clusters is None else rows / clusters
    of_weights = 1.0 if v.squares is None else rows * float(v.squares.sum()) / total**2
    effect = max(together / alone if varies else of_rows, of_weights, 1.0)
    worth = rows / total / (effect * wider)
    if infinite:
        found = _of_score(case, replace(v, table=worth * v.table))
    else:
        tp, fn, fp, tn = (worth * cell for cell in cells)
        found = added(case.metric, case.arguments, (tp, fn, fp, tn), v.value, v.level)
    if found is None:
        return None
    if clusters is not None:
        return replace(found, method=TABLE_OF_CLUSTERS, n_effective=rows / effect)
    error = math.sqrt(together) if varies else None
    return replace(found, method=TABLE_OF_WEIGHTS, n_effective=rows / effect, standard_error=error)


def _of_score(case: TableCase, v: TableValue) -> records.Interval | None:
    """Score limits of a ratio at the counts of a table; None where the metric has none."""
    score = case.metric.score_limits.get("miettinen_nurminen")
    if score is None:
        return None
    params = case.metric.arguments(dict(case.task.params))
    return intervals.of_cells(score, params, v, case.index, "miettinen_nurminen")


def of_shares(
    metric: Metric, arguments: Mapping[str, Any], shares: npt.NDArray[np.float64]
) -> npt.NDArray[Any]:
    """The metric of tables with the shares (TP, FN, FP, TN) of rows, shape (B, 4)."""
    tp, fn, fp, tn = shares.T
    if metric.table is Table.COUNTS:
        values = metric(Counts(tp=tp, fp=fp, fn=fn, tn=tn), **arguments).array()
        return np.broadcast_to(np.asarray(values), tp.shape)
    whole = stacked_value(metric, arguments, average=None, index=None)
    return whole(np.stack([tp, fn, fp, tn], axis=-1).reshape(-1, 2, 2))


def _sparse_share(case: TableCase) -> records.Interval | None:
    """A weighted share whose table is not made dense: squared weights above and below the line."""
    task, metric = case.task, case.metric
    squares = case.table.squares_matrix(task.indeterminate)
    if squares is None or not case.value.denominator:
        return None
    pooled = metric.table is Table.MATRIX or task.average is not None
    own = squares if pooled else squares.one_versus_rest(case.index)
    form = (metric.for_classes or metric) if pooled else metric
    expression = form(own, **case.arguments)
    assert isinstance(expression, Ratio)
    hits, all_rows = float(expression.top.exact()), float(expression.bottom.exact())
    share, n = case.number, case.measurer.tables.row_count(EVERYTHING)
    total = float(case.value.denominator)
    variance = share_variance(share, total, (hits, all_rows - hits), n) if n > 1 else 0.0
    if variance <= intervals.VANISHED:
        return None
    return intervals.n_eff_interval(share, variance, case.level)


def _of_rates(metric: Metric, own: Counts, level: float) -> records.Interval | None:
    """Limits of a measure that follows from two rates of one class against the rest."""
    assert metric.limits is not None
    cells = (float(cell.exact()) for cell in (own.tp, own.fn, own.fp, own.tn))
    return intervals.from_limits(metric.limits(*cells, level=level), level, "newcombe_hybrid")


def _smooth(case: TableCase, v: TableValue) -> records.Interval | None:
    metric, method = case.metric, case.method
    if method in ("delta", "sandwich", "cluster_robust"):
        if method != "delta" and _lacks_clusters(case, v):
            return None
        scales = {Interval.LOG: "log", Interval.RATIO: "log", Interval.CORRELATION: "fisher_z"}
        asked_plain = method == "delta"
        return intervals.smooth(
            v, method, "plain" if asked_plain else scales.get(metric.interval, "plain")
        )
    if method == "fisher_z":
        return intervals.smooth(v, method, "fisher_z") if abs(v.value) < 1 else None
    if method in ratios.RATIO_METHODS and metric.interval is Interval.RATIO:
        return _impact(case, v)
    if method in metric.score_limits or method in ("log", "mercaldo"):
        limits = metric.score_limits.get(method, metric.limits)
        assert limits is not None
        params = metric.arguments(dict(case.task.params))
        return intervals.of_cells(limits, params, v, case.index, method)
    if method == "wald" and metric.interval is Interval.KAPPA:
        return intervals.kappa_wald(v, metric.arguments(dict(case.task.params)).get("weights"))
    if method == "normal":
        return _mean_interval(v)
    draws = case.measurer.bootstrap
    drawn = (case.task.where, case.threshold, v.function, v.table, case.task.indeterminate)
    left_out = draws.table_jackknife(*drawn) if method == "bootstrap_bca" else None
    return from_replicates(draws.of_table(*drawn), v.value, v.level, method, left_out)


def _lacks_clusters(case: TableCase, v: TableValue) -> bool:
    """Whether rows stand in clusters whose tables would not fit."""
    return case.measurer.view.cluster is not None and v.clusters is None and v.designed is None


def _table_value(case: TableCase) -> TableValue:
    task, metric, table = case.task, case.metric, case.table
    view, tables = case.measurer.view, case.measurer.tables
    overall = metric.table is Table.MATRIX or (table.size > 2 and metric.scope == "all")
    squares = table.squares_matrix(task.indeterminate)
    function = stacked_value(
        metric,
        case.arguments,
        average=Average(task.average) if task.average is not None else None,
        index=None if overall or task.average is not None else case.index,
    )
    bounds = metric.bounds
    if metric.interval is Interval.MEAN and task.average is None:
        # a mean over rows lies between the least and the greatest value of a row
        values = cell_values(function, case.table.size)
        bounds = float(values.min()), float(values.max())
    return TableValue(
        value=case.number,
        function=function,
        table=dense_counts(case.matrix),
        bounds=bounds,
        level=case.level,
        squares=None if squares is None else dense_counts(squares),
        clusters=tables.clusters(task.where, case.threshold, task.indeterminate),
        rows=tables.row_count(EVERYTHING),
        designed=None if view.sample is None else partial(_designed_variance, case),
    )


def _designed_variance(case: TableCase, slopes: npt.NDArray[np.float64]) -> DesignVariance:
    """By the design of the sample; its limits are normal where the method was asked for."""
    where, indeterminate = case.task.where, case.task.indeterminate
    tables = case.measurer.tables
    found = tables.designed_variance(where, case.threshold, indeterminate, slopes)
    return found.as_known if case.asked else found


def _impact(case: TableCase, v: TableValue) -> records.Interval | None:
    """Interval of the ratio against the group with the highest rate; none for that group itself."""
    top = case.measurer.highest(case.task, case.threshold)
    if top is None or top.group == case.task.where.subgroup:
        return None
    selected = float(v.table[:, case.index].sum())
    rates = (selected, float(v.table.sum()), float(top.selected), float(top.n))
    limits = ratios.RATIO_METHODS[case.method](*rates, v.level)
    note = "the group with the highest rate was chosen by the data"
    return intervals.from_limits(limits, v.level, case.method, note)


def _single_proportion(case: TableCase) -> bool:
    return (
        case.metric.interval is Interval.PROPORTION
        and case.metric.table is Table.COUNTS
        and case.task.average is None
    )


def _parts(
    case: TableCase, stack: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Numerator and denominator of a proportion in each of the stacked tables."""
    k = case.index
    tp = stack[:, k, k]
    fn = stack[:, k, :].sum(axis=1) - tp
    fp = stack[:, :, k].sum(axis=1) - tp
    counts = Counts(tp=tp, fp=fp, fn=fn, tn=stack.sum(axis=(1, 2)) - tp - fn - fp)
    expression = case.metric(counts, **case.arguments)
    assert isinstance(expression, Ratio)
    return np.asarray(expression.top.array()), np.asarray(expression.bottom.array())


def _mean_interval(v: TableValue) -> records.Interval | None:
    """Mean over rows whose value depends on their cell alone: cost, net benefit."""
    values = cell_values(v.function, v.table.shape[0])
    n = float(v.table.sum())
    second = float((v.table * values**2).sum()) / n
    return intervals.mean_of_rows(v.value, n, second, v.level, v.bounds)


#: Methods that need the tables of weights or clusters, or of all classes; others are plainer.
OF_TABLES: Mapping[str, Callable[[TableCase, TableValue], records.Interval | str | None]] = {
    **dict.fromkeys((SHARE_OF_WEIGHTS, "wilson_n_eff"), _of_weights),
    **dict.fromkeys((SHARE_OF_CLUSTERS, "cluster_robust"), _of_clusters),
    **dict.fromkeys((DELTA_T, SANDWICH_T), _of_whole),
    TABLE_OF_CLUSTERS: _added_of_clusters,
    TABLE_OF_WEIGHTS: _added_of_weights,
}


def cell_values(
    function: Callable[[npt.NDArray[Any]], npt.NDArray[Any]], size: int
) -> npt.NDArray[np.float64]:
    """What one row in each cell contributes: the metric of the table holding that row alone."""
    units = np.eye(size * size).reshape(size * size, size, size)
    return np.asarray(function(units), dtype=np.float64).reshape(size, size)
