"""Worst and best case of a value with the rows that lack something, whatever kind it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.engine.evaluate import Evaluated
from evalreport.engine.intervals.missing_areas import area_bounds, ranked
from evalreport.engine.intervals.missing_extremes import extremes
from evalreport.engine.intervals.missing_rows import (
    lost_inside,
    missing_bounds,
    missing_rows,
    placeable,
)
from evalreport.metrics.declare import Average, Metric, Table
from evalreport.metrics.formula import Value
from evalreport.metrics.tables import Matrix, ScoreTable
from evalreport.plan.task import Task
from evalreport.predict.view import View


def of_table(
    view: View,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    matrix: Matrix,
    value: Evaluated,
    threshold: float | None,
    own_class: int,
) -> Evaluated:
    """The value of a table metric with its worst and best case, where it has one.

    ``own_class``: the class that the value belongs to, where it belongs to one.
    """
    pooled = task.average == Average.MICRO.value and metric.for_classes is not None
    missing = missing_rows(view, task.where, threshold)
    if missing is None or not (task.average is None or pooled):
        return value
    if not isinstance(value.outcome, Value):
        return value
    classes = len(view.labels)
    whole = pooled or (classes > 2 and metric.scope == "all")
    index = None if whole else own_class
    bounds = missing_bounds(metric, arguments, value, matrix, index, missing, task.indeterminate)
    if bounds is None and index is not None and (metric.table is Table.COUNTS or classes == 2):
        groups = placeable(missing, index, classes, task.indeterminate)
        bounds = extremes(metric, arguments, matrix.one_versus_rest(index), groups)
    return replace(value, missing=bounds)


def of_scores(
    view: View, task: Task, metric: Metric, table: ScoreTable, value: Evaluated, own_class: int
) -> Evaluated:
    """An area with its worst and best case, where rows lack a score or a target."""
    found = lost_inside(view, task.where)
    if found is None or isinstance(table, BinnedScores) or not isinstance(value.outcome, Value):
        return value
    missing = ranked(*found, own_class, len(view.labels) > 2)
    bounds = None if missing is None else area_bounds(metric, table, missing)
    return value if bounds is None else replace(value, missing=bounds)
