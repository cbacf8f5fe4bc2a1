"""Averages over classes of a metric of scores.

With one column of scores per class, each class has a score table of its own. With one
score of two classes, the other class's table is the mirror image: what is scored low is
scored high for it. The micro average is the metric of the tables of all classes added up, in
which every row stands once for each class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.mirrored_scores import mirrored
from evalreport.engine.intervals import grouped_jackknife
from evalreport.engine.intervals.at_cut import at_cut, lowered_by, parts_at_cut
from evalreport.engine.intervals.bootstrap import drawn_interval
from evalreport.engine.intervals.case import Case, ScoreCase
from evalreport.engine.intervals.class_bootstrap import average_of, class_draws
from evalreport.engine.intervals.class_influence import (
    Floats,
    Piece,
    by_influence,
    influence_of,
    influence_of_pairs,
    of_units,
    variance_of,
)
from evalreport.engine.intervals.methods import from_limits, symmetric
from evalreport.engine.metric_values import Evaluated, average, evaluated
from evalreport.metrics.declare import Average, Kind, Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.methods import AT_CUT, AT_CUT_OF_CLUSTERS, INFLUENCE_T
from evalreport.metrics.tables import ScoreTable, pooled
from evalreport.plan.task import Task
from evalreport.predict.view import LabelView
from evalreport.results.records import Interval
from evalreport.statistics.exact_sums import exact_sum
from evalreport.statistics.interval import clipped

if TYPE_CHECKING:
    from evalreport.engine.intervals.measuring import Measuring


def average_of_scores(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> tuple[Evaluated, Interval | str | None]:
    """The average over classes, with its interval by the planned method."""
    labels, kind = measurer.view.labels, Average(str(task.average))
    tables, values = _of_classes(measurer, task, metric, arguments)
    value = values[0]
    if kind is not Average.MICRO:
        value = average(kind, labels, values, [t.positive_total.item() for t in tables])
    if not isinstance(value.outcome, Value) or task.interval is None:
        return value, None
    case = Case(measurer, task, metric, arguments, value)
    return value, _interval(case, tables, values)


def _of_classes(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> tuple[list[ScoreTable], list[Evaluated]]:
    """The table and the value of each class; of the micro average those of all, each time."""
    labels, tables = measurer.view.labels, _tables(measurer, task, metric)
    if task.average == Average.MICRO.value:
        tables = [pooled(tables)] * len(labels)
        return tables, [evaluated(metric, metric(tables[0], **arguments), None)] * len(labels)
    return tables, [
        evaluated(metric, metric(table, **arguments), label)
        for table, label in zip(tables, labels, strict=True)
    ]


def influence(case: Case) -> Floats | None:
    """What a row's weight moves a value of all classes by, shape (rows,); None if not known.

    Of the mean area over pairs of classes, and of averages over classes.
    """
    if case.task.average is None:
        return influence_of_pairs(case) if case.metric.class_pairs else None
    return _influence(case, *_of_classes(case.measurer, case.task, case.metric, case.arguments))


def _interval(
    case: Case, tables: Sequence[ScoreTable], values: Sequence[Evaluated]
) -> Interval | str | None:
    """The planned method carried out; ``tables`` and ``values`` are those of the classes."""
    task, note = case.task, ""
    if task.interval in (AT_CUT, AT_CUT_OF_CLUSTERS):
        return _of_cuts(case, tables, values)
    if task.interval in ("influence", INFLUENCE_T):
        found = _influence(case, tables, values)
        if found is not None and task.interval == INFLUENCE_T:
            return by_influence(case, found)
        variance = None if found is None else variance_of(case, found)
        if variance is not None:
            return symmetric(case.number, variance, case.level, "influence", case.metric.bounds)
        note = grouped_jackknife.NO_INFLUENCE
    if len(case.measurer.view.labels) > 2:
        draws = class_draws(case)
    else:
        of_both = partial(average_of_both, case.metric, case.arguments, str(task.average))
        draws = case.measurer.bootstrap.scores(task.where, None, of_both)
    return None if draws is None else drawn_interval(case, draws, note)


def _influence(
    case: Case, tables: Sequence[ScoreTable], values: Sequence[Evaluated]
) -> Floats | None:
    """What a row's weight moves the average by, shape (rows,); None where it is not known.

    A row also moves the weights of a weighted average. Undefined classes are left out. Of the
    pooled scores of all classes a row stands in the one table once for each class.
    """
    pieces = _pieces(case, tables, values)
    if pieces is None:
        return None
    if case.task.average != Average.WEIGHTED.value:
        return influence_of(list(pieces.values()))
    total = sum(float(piece.table.positive_total) for piece in pieces.values())
    known = {k: _number(values[k]) for k in pieces}
    mean = sum(piece.share * known[k] for k, piece in pieces.items())
    moved = np.zeros(len(case.measurer.tables.kinds(case.task.where)))
    for k, piece in pieces.items():
        moved += piece.share * piece.influence
        moved += np.where(piece.positive, (known[k] - mean) / total, 0.0)
    return moved


def _pieces(
    case: Case, tables: Sequence[ScoreTable], values: Sequence[Evaluated]
) -> dict[int, Piece] | None:
    """The classes that have a value, with what the average takes of each; None if not known."""
    metric, task = case.metric, case.task
    known = [k for k, v in enumerate(values) if isinstance(v.outcome, Value)]
    if metric.influence is None or not all(float(tables[k].negative_total) for k in known):
        return None
    slopes = {k: metric.influence(tables[k], **case.arguments) for k in known}
    if any(slope is None for slope in slopes.values()):
        return None
    share = dict.fromkeys(known, 1.0)
    if task.average == Average.MACRO.value:
        share = dict.fromkeys(known, 1.0 / len(known))
    elif task.average == Average.WEIGHTED.value:
        support = {k: float(tables[k].positive_total) for k in known}
        total = sum(support.values())
        share = {k: support[k] / total for k in known}
    view, rows = case.measurer.view, case.measurer.tables.kinds(task.where)
    actual = view.actual[rows]
    return {
        k: Piece(
            *(share[k], tables[k], slopes[k], _column(view, metric, k)[rows]),
            *(actual == k, actual != k),
        )
        for k in known
    }


def _number(value: Evaluated) -> float:
    assert isinstance(value.outcome, Value)
    return value.outcome.number


def _of_cuts(
    case: Case, tables: Sequence[ScoreTable], values: Sequence[Evaluated]
) -> Interval | None:
    """Limits of the mean of the classes' largest distances, each at its own cut.

    Squares of the distances of the classes' limits add, times how the classes go together by what
    rows contribute (square-and-add: Zou G., Donner A. Stat Med 27, 2008); the lower limit is
    lowered by the mean of what the classes' are.
    """
    measurer, task = case.measurer, case.task
    if len(measurer.view.labels) <= 2:  # both classes have the same distance
        own = ScoreCase(*_of(case, values[0]), measurer.tables.scores(task.where), None)
        return at_cut(own)
    pieces = _pieces(case, tables, values)
    if not pieces:
        return None
    found = [parts_at_cut(ScoreCase(*_of(case, values[k]), tables[k], k)) for k in pieces]
    if any(one is None for one in found):
        return None
    share = np.array([piece.share for piece in pieces.values()])
    number = np.array([_number(values[k]) for k in pieces])
    low, high, bias = np.array([[*one[0], one[1]] for one in found if one is not None]).T
    units = [of_units(case, piece.influence) for piece in pieces.values()]
    together = _correlations(units)
    down, up = (
        float(np.sqrt(max(apart @ together @ apart, 0.0)))
        for apart in (share * (number - low), share * (high - number))
    )
    lowered = float(share @ bias)
    limits = clipped(case.number - down - lowered, case.number + up)
    made = from_limits(limits, case.level, case.method)
    return None if made is None else replace(made, note=lowered_by(lowered))


def _of(
    case: Case, value: Evaluated
) -> tuple[Measuring, Task, Metric, Mapping[str, Any], Evaluated]:
    return case.measurer, case.task, case.metric, case.arguments, value


def _correlations(units: Sequence[tuple[Floats, Any]]) -> Floats:
    """How values go together by what units contribute to each, shape (values, values)."""
    sums = np.array([[exact_sum(a * b, times) for b, _ in units] for a, times in units])
    size = np.sqrt(np.diag(sums))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = sums / np.outer(size, size)
    found = np.where(np.isfinite(found), np.clip(found, -1.0, 1.0), 0.0)
    np.fill_diagonal(found, 1.0)
    return found


def _column(view: LabelView, metric: Metric, k: int) -> npt.NDArray[np.float64]:
    """The score of each row for a class, of one score of two classes its mirror image."""
    if len(view.labels) > 2:
        assert view.class_scores is not None
        return np.asarray(view.class_scores[:, k])
    assert view.score is not None
    if k == view.positive_index:
        return view.score
    return 1.0 - view.score if metric.kind is Kind.PROBABILITY else -view.score


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
