"""Intervals of metrics of the classification table, by the planned method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.classification import ClassificationTable, dense_counts
from evalreport.engine.evaluate import Evaluated, stacked_value
from evalreport.engine.interval_result import IntervalResult
from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.intervals.methods import TableValue
from evalreport.metrics.declare import Average, Interval, Metric, Table
from evalreport.metrics.formula import Ratio, Value
from evalreport.metrics.tables import Counts, Matrix
from evalreport.plan.methods import ASKED
from evalreport.plan.task import Task
from evalreport.statistics import ratios
from evalreport.statistics.proportions import PROPORTION_METHODS

if TYPE_CHECKING:
    from evalreport.engine.intervals.measuring import Measuring

#: Classes up to which a dense table is made for an interval.
MOST_CLASSES = 500


def table_interval(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ClassificationTable,
    matrix: Matrix,
    value: Evaluated,
    threshold: float | None,
) -> IntervalResult | None:
    """The interval of one value of a table metric; None where the method gives none."""
    assert isinstance(value.outcome, Value)
    level, method = measurer.settings.level, task.interval
    assert method is not None
    if method in PROPORTION_METHODS and metric.interval is Interval.PROPORTION:
        if value.numerator is None or value.denominator is None:
            return None
        return intervals.proportion(value.numerator, value.denominator, level, method)
    if method == "wilson_n_eff":
        squares = _denominator_squares(metric, arguments, task, table, measurer)
        share, weight = value.outcome.number, float(value.denominator or 0)
        return intervals.weighted_proportion(share, weight, squares, level)
    if method == "newcombe_hybrid":
        return _of_rates(metric, matrix.one_versus_rest(measurer.class_index(task)), level)
    if table.size > MOST_CLASSES or any(np.any(u) for u in matrix.unplaced):
        return None
    v = _table_value(measurer, task, metric, arguments, table, matrix, value, threshold)
    if method == "cluster_robust" and _single_proportion(metric, task) and v.clusters is not None:
        top, bottom = _parts(metric, arguments, task, measurer, v.clusters)
        return intervals.clustered_proportion(top, bottom, level)
    if method == "cluster_robust" and v.clusters is None:
        return None
    return _smooth(measurer, task, metric, v, threshold, method)


def _of_rates(metric: Metric, own: Counts, level: float) -> IntervalResult | None:
    """Limits of a measure that follows from two rates of one class against the rest."""
    assert metric.limits is not None
    cells = (float(cell.exact()) for cell in (own.tp, own.fn, own.fp, own.tn))
    return intervals.from_limits(metric.limits(*cells, level=level), level, "newcombe_hybrid")


def _smooth(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    v: TableValue,
    threshold: float | None,
    method: str,
) -> IntervalResult | None:
    index = measurer.class_index(task)
    if task.why != ASKED and method in ("delta", "fisher_z", "wald") and _has_empty_cell(v):
        reason = "a cell of the table is empty: 1/2 was added to each cell"
        return intervals.plus_half(v, method, reason)
    if method in ("delta", "sandwich", "cluster_robust"):
        scales = {Interval.LOG: "log", Interval.CORRELATION: "fisher_z"}
        asked_plain = method == "delta"
        return intervals.smooth(
            v, method, "plain" if asked_plain else scales.get(metric.interval, "plain")
        )
    if method == "fisher_z":
        return intervals.fisher_z(v)
    if method == "log" and "highest" in metric.context:
        return _impact(measurer, task, v, threshold)
    if method in ("log", "mercaldo"):
        assert metric.limits is not None
        params = metric.arguments(dict(task.params))
        return intervals.of_cells(metric.limits, params, v, index, method)
    if method == "wald" and metric.interval is Interval.KAPPA:
        return intervals.kappa_wald(v, metric.arguments(dict(task.params)).get("weights"))
    if method == "normal":
        return _mean_interval(v, asked=task.why == ASKED)
    values = measurer.bootstrap.of_table(task.where, threshold, v.function, v.table)
    left_out = None
    if method == "bootstrap_bca":
        left_out = measurer.bootstrap.table_jackknife(task.where, threshold, v.function, v.table)
    return from_replicates(values, v.value, v.level, method, left_out)


def _table_value(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ClassificationTable,
    matrix: Matrix,
    value: Evaluated,
    threshold: float | None,
) -> TableValue:
    assert isinstance(value.outcome, Value)
    overall = metric.table is Table.MATRIX or (table.size > 2 and metric.scope == "all")
    function = stacked_value(
        metric,
        arguments,
        average=Average(task.average) if task.average is not None else None,
        index=None if overall or task.average is not None else measurer.class_index(task),
    )
    return TableValue(
        value=value.outcome.number,
        function=function,
        table=dense_counts(matrix),
        bounds=metric.bounds,
        level=measurer.settings.level,
        squares=table.dense_squares,
        clusters=measurer.tables.clusters(task.where, threshold),
    )


def _has_empty_cell(v: TableValue) -> bool:
    """Whether a two-class table has an empty cell: its rate would be taken as certain."""
    return bool(v.table.size == 4 and (v.table == 0).any())


def _impact(
    measurer: Measuring, task: Task, v: TableValue, threshold: float | None
) -> IntervalResult | None:
    """Log interval against the group with the highest rate; none for that group itself."""
    top = measurer.highest(task, threshold)
    if top is None or top.group == task.where.subgroup:
        return None
    k = measurer.class_index(task)
    selected = float(v.table[:, k].sum())
    limits = ratios.impact_ratio(selected, float(v.table.sum()), top.selected, top.n, v.level)
    note = "the group with the highest rate was chosen by the data"
    return intervals.from_limits(limits, v.level, "log", note)


def _single_proportion(metric: Metric, task: Task) -> bool:
    return (
        metric.interval is Interval.PROPORTION
        and metric.table is Table.COUNTS
        and task.average is None
    )


def _parts(
    metric: Metric,
    arguments: Mapping[str, Any],
    task: Task,
    measurer: Measuring,
    stack: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Numerator and denominator of a proportion in each of the stacked tables."""
    k = measurer.class_index(task)
    tp = stack[:, k, k]
    fn = stack[:, k, :].sum(axis=1) - tp
    fp = stack[:, :, k].sum(axis=1) - tp
    counts = Counts(tp=tp, fp=fp, fn=fn, tn=stack.sum(axis=(1, 2)) - tp - fn - fp)
    expression = metric(counts, **arguments)
    assert isinstance(expression, Ratio)
    return np.asarray(expression.top.array()), np.asarray(expression.bottom.array())


def _denominator_squares(
    metric: Metric,
    arguments: Mapping[str, Any],
    task: Task,
    table: ClassificationTable,
    measurer: Measuring,
) -> float:
    """Sum of squared weights over the cells below the line: the formula's own denominator."""
    inside = {place: s for place, s in (table.squares or {}).items() if place[1] < table.size}
    matrix = Matrix(table.size, inside)
    if metric.table is Table.MATRIX:
        expression = metric(matrix, **arguments)
    else:
        expression = metric(matrix.one_versus_rest(measurer.class_index(task)), **arguments)
    assert isinstance(expression, Ratio)
    return float(expression.bottom.exact())


def _mean_interval(v: TableValue, *, asked: bool) -> IntervalResult | None:
    """Mean over rows whose value depends on their cell alone: cost, net benefit.

    Kept between the least and the greatest value of a row. Where all rows have the same
    value, as without any mistake, 1/2 is added to each cell, unless ``normal`` was asked for.
    """
    values = cell_values(v.function, v.table.shape[0])
    within = replace(v, bounds=(float(values.min()), float(values.max())))
    n = float(v.table.sum())
    if not asked and np.all(values[v.table > 0] == v.value):
        return intervals.plus_half(within, "normal")
    second = float((v.table * values**2).sum()) / n
    return intervals.mean_of_rows(v.value, n, second, v.level, within.bounds)


def cell_values(
    function: Callable[[npt.NDArray[Any]], npt.NDArray[Any]], size: int
) -> npt.NDArray[np.float64]:
    """What one row in each cell contributes: the metric of the table holding that row alone."""
    units = np.eye(size * size).reshape(size * size, size, size)
    return np.asarray(function(units), dtype=np.float64).reshape(size, size)
