"""Differences of two models by what each row contributes.

For samples drawn by a design, and for losses with weights or clusters; how far two values go
together, for all whose limits are squared and added.

A row contributes to the difference what it contributes to the one value less what it does to
the other, and the variance is that of the sum of these by the design (Binder D. International
Statistical Review 51, 1983): rows, strata and clusters that both models share cancel. Test and
limits are by Student's t with the degrees of freedom of that variance, as those of one value are.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.comparisons.areas import scale
from evalreport.engine.comparisons.contrast import ByError, Contrast, Unknown
from evalreport.engine.comparisons.draws import of_table
from evalreport.engine.comparisons.pairs import Pair, Side
from evalreport.engine.counting.memory import summed
from evalreport.engine.intervals.case import Case
from evalreport.engine.intervals.linearised import slopes_of
from evalreport.engine.intervals.score_averages import influence
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.formula import Value
from evalreport.metrics.kinds import Interval, Table
from evalreport.metrics.methods import BY_DESIGN, SANDWICH
from evalreport.metrics.ranking import roc_auc
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import AT_THRESHOLD, Task
from evalreport.predict.view import LabelView
from evalreport.results.identity import EVERYTHING
from evalreport.statistics.delta import gradient
from evalreport.statistics.design_based import DesignVariance, spread_of
from evalreport.statistics.numbering import numbered, unless_once

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

#: Below this a variance is nothing but rounding.
_VANISHED = 1e-24


def by_contributions(
    both: Pair, task: ComparisonTask, values: tuple[Evaluated, Evaluated], difference: float
) -> Contrast:
    """The difference by Student's t with the degrees of freedom of its variance."""

    def estimated() -> DesignVariance | None:
        one, two = _of_both(both, task, values)
        if one is None or two is None:
            return None
        one -= two
        del two
        return _known(one, both.model.view)

    found = both.once((BY_DESIGN, task.task, task.reference), estimated)
    if found is None:
        return Unknown("what a row contributes to the difference is not known")
    error = math.sqrt(found.variance) if found.variance > _VANISHED else 0.0
    told = {"standard_error": error, "df": found.df}
    low, high = metric_named(task.task.metric).bounds
    return ByError(difference, error, found.df, SANDWICH, told=told, most=high - low)


def _of_both(
    both: Pair, task: ComparisonTask, values: tuple[Evaluated, Evaluated]
) -> tuple[Floats | None, Floats | None]:
    one = _contributions(both.model, task.task, values[0])
    return one, _contributions(both.reference, task.reference, values[1])


def of_value(side: Side, task: Task, value: Evaluated) -> DesignVariance | None:
    """The variance of one value with its degrees of freedom; None where it is not known."""
    own = _contributions(side, task, value)
    return None if own is None else _known(own, side.view)


def _known(own: Floats, view: LabelView) -> DesignVariance | None:
    if view.sample is not None:
        found = view.sample.estimated(own)
        return found if math.isfinite(found.variance) else None
    spread = spread_of(*_units(own, view), own_df=True)
    if not math.isfinite(spread.of_sum):
        return None
    return DesignVariance(spread.of_sum, spread.n - 1.0, spread.df)


def correlation(
    both: Pair, task: ComparisonTask, values: tuple[Evaluated, Evaluated]
) -> float | None:
    """How far two values of the same rows go together, by what each row contributes to both.

    0 where one of them does not vary; None where contributions are not known.
    """
    one, two = _of_both(both, task, values)
    if one is None or two is None:
        return None
    view = both.model.view
    first, second = (_variance(own, view) for own in (one, two))
    one -= two
    del two
    apart = _variance(one, view)
    if not math.isfinite(first + second + apart):
        return None
    if min(first, second) <= _VANISHED:
        return 0.0
    found = (first + second - apart) / (2.0 * math.sqrt(first * second))
    return min(max(found, -1.0), 1.0)


def _units(contributions: Floats, view: LabelView) -> tuple[Floats, npt.NDArray[Any] | None]:
    """What rows, or clusters, contribute, and how many do; one each where None."""
    if view.cluster is None:
        return contributions, unless_once(view.times)
    codes = numbered(view.cluster[0])[1]
    return summed(codes, contributions, int(codes.max(initial=-1)) + 1, view.times), None


def _variance(own: Floats, view: LabelView) -> float:
    return spread_of(*_units(own, view), own_df=False).of_sum


def _table(side: Side, task: Task, code: Codes, weight: Floats) -> Floats:
    """The table of the rows, shape (K, K); ``code``: the cell of each."""
    size = len(side.view.labels)
    if side.view.sample is not None or side.view.indeterminate:
        return summed(code, weight, size * size, side.view.times).reshape(size, size)
    table = np.zeros((size, size))
    cells = side.tables.classification(EVERYTHING, side.threshold(task).number).cells
    for place, held in cells.items():
        table[place] = held
    return table


def _contributions(side: Side, task: Task, value: Evaluated) -> Floats | None:
    """Weight times derivative of each row, or kind of rows, shape (n,)."""
    view = side.view
    if not isinstance(value.outcome, Value):
        return None
    weight = np.ones(len(view.actual)) if view.weight is None else view.weight
    if task.table in AT_THRESHOLD:
        size, predicted = len(view.labels), side.predicted(task)
        if bool(np.any(predicted >= size)):
            return None
        code = view.actual.astype(np.int64) * size + predicted
        table = _table(side, task, code, weight)
        slopes = gradient(of_table(side, task), table)
        slopes = slopes - float((table * slopes).sum()) / float(table.sum())
        return np.asarray(weight * slopes.reshape(-1)[code], np.float64)
    losses = side.losses(task)
    if losses is not None:
        total = float(view.rows) if view.weight is None else view.whole_weight
        return np.asarray(weight * (losses - value.outcome.number) / total, np.float64)
    if task.average is not None or task.table != Table.SCORES.value:
        task = replace(task, where=EVERYTHING)
        case = Case(side.measurer, task, side.metric(task), side.arguments(task), value)
        moved = influence(case)
        return None if moved is None else np.asarray(weight * moved, np.float64)
    index = side.column(task)
    held = side.tables.scores(EVERYTHING, index)
    metric, arguments, factor = side.metric(task), side.arguments(task), 1.0
    if metric.interval is Interval.AUC and metric.influence is None:
        # a line of the area, of pairs that are the same for both models
        metric, arguments, factor = roc_auc, {}, scale(side, task)
    found = slopes_of(metric, arguments, held, value.outcome.number)
    if found is None:
        return None
    entry = side.tables.entries(EVERYTHING, index)
    positive, own = view.positives_of(index), found[1][entry]
    own[positive] = found[0][entry[positive]]
    own *= factor * weight
    return own
