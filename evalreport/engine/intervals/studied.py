"""What the coverage study held, told with an interval that a default method made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from evalreport.engine.counting.memory import Tables
from evalreport.metrics import coverage_study
from evalreport.metrics.catalogue import find, metric_named
from evalreport.metrics.coverage_study import CLASSES, SETS, Drawn, name_of
from evalreport.metrics.kinds import Interval as Kind
from evalreport.plan.methods import REQUESTED
from evalreport.plan.task import Task
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import LabelView
from evalreport.results.identity import Slice
from evalreport.results.records import Interval


def as_declared(metric: str, params: Iterable[tuple[str, Any]]) -> bool:
    """Whether a metric is measured with the parameters of its declaration, written or not."""
    declared = find(metric)
    defaults = {} if declared is None else {own.name: own.default for own in declared.parameters}
    return all(defaults.get(name) == value for name, value in params)


def of_value(interval: Interval, task: Task, tables: Tables[Any]) -> Interval:
    """The limits of a value with what such limits held in the study.

    Only defaults were studied, for metrics as they are without parameters, and no sample by
    design.
    """
    view, sets = tables.view, isinstance(tables.view, SetView)
    # a share of the rows is one whatever its parameters are
    share = metric_named(task.metric).interval is Kind.PROPORTION
    known = share or as_declared(task.metric, task.params)
    if task.why in REQUESTED or view.sample is not None or not known:
        return interval
    if sets:
        name, of = " ".join(filter(None, (task.metric, task.average))), SETS
    else:
        name, of = studied_as(task, view)
    drawn = drawn_in(tables, task.where, of, task.label)
    return interval.with_study(coverage_study.held(name, drawn, interval))


def studied_as(task: Task, view: LabelView) -> tuple[str, str]:
    """The name of a value in the study, and what it is of: a class against the rest is of two."""
    two = len(view.labels) == 2
    name = name_of(task.metric, task.average, two_classes=two)
    return name, "" if " " not in name and (two or task.label is not None) else CLASSES


def drawn_in(tables: Tables[Any], where: Slice, of: str, label: str | None) -> Drawn:
    """The rows of a slice as the study counts them, whatever they weigh.

    ``of``: several classes or sets of labels, of which the rarest counts; else ``label`` does, the
    positive class where it is None.
    """
    view, rows = tables.view, tables.class_rows(where)
    code = view.positive_index if label is None else view.labels.index(label)
    counted = min(rows) if of else rows[code]
    others = (tables.row_count(where) if of == SETS else sum(rows)) - counted
    clusters, uneven = 0, False
    if view.cluster is not None:
        sizes = tables.cluster_sizes(where)
        clusters, squares = len(sizes), float(np.sum(sizes**2))
        uneven = float(sizes.sum()) ** 2 < coverage_study.EVEN * clusters * squares
    how = coverage_study.design(
        weighted=view.weight is not None, clustered=view.cluster is not None, uneven=uneven
    )
    return Drawn(counted, others, how, clusters, of)


def was_studied(view: LabelView, task: Task) -> bool:
    """Whether the study has differences of such values, of rows drawn one way."""
    both = view.weight is not None and view.cluster is not None
    return as_declared(task.metric, task.params) and not both and view.sample is None


def drawn_together(view: LabelView, of: str, counted: int) -> Drawn:
    """All rows as the study counts those on which two models are compared.

    ``counted``: those of the class that counts.
    """
    how = coverage_study.PAIRS
    if view.weight is not None:
        how = coverage_study.WEIGHTED_PAIRS
    elif view.cluster is not None:
        how = coverage_study.CLUSTERED_PAIRS
    return Drawn(counted, sum(view.class_rows) - counted, how, view.clusters, of)


def with_study(
    interval: Interval | None,
    metric: str,
    drawn: Drawn | None,
    sides: tuple[float | None, float | None],
    of: str = "",
) -> Interval | None:
    """The limits of a difference of two values with what such limits held in the study."""
    one, two = sides
    if interval is None or drawn is None or one is None or two is None:
        return interval
    return interval.with_study(coverage_study.held(metric, drawn, interval, of, (one, two)))
