"""Worst and best case of a value with the rows that lack something: a share, an area, another.

A share x / n of rows is least, or greatest, when each of these rows is taken alone to be of the
cell that moves it most: into x and n where that can be, else into neither (to raise it); into n
alone, else into neither (to lower it). Another measure of four cells is extreme where cells are,
the area under the ROC curve where the rows that lack a score, or a class, stand at one end of the
ranking.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.completeness import Lost
from evalreport.engine.intervals.case import ScoreCase, TableCase
from evalreport.engine.intervals.missing_rows import (
    CELLS,
    FN,
    FP,
    RIGHT,
    TN,
    TP,
    WRONG,
    Groups,
    Number,
    placeable,
)
from evalreport.engine.metric_values import Evaluated, stacked_value
from evalreport.metrics.declare import Average, Interval, Metric, Table
from evalreport.metrics.formula import Value, whole
from evalreport.metrics.properties import share_of
from evalreport.metrics.tables import Counts, ScoreTable
from evalreport.results.records import Cells, Fraction, MissingBounds, OfCells

Floats = npt.NDArray[np.float64]


def of_table(case: TableCase) -> Evaluated:
    """The value of a table metric with its worst and best case, where it has one."""
    view, task, metric, value = case.measurer.view, case.task, case.metric, case.value
    pooled = task.average == Average.MICRO.value and metric.for_classes is not None
    missing = case.measurer.missing(task.where, case.threshold)
    if missing is None or not (task.average is None or pooled):
        return value
    if not isinstance(value.outcome, Value):
        return value
    classes = len(view.labels)
    whole = pooled or (classes > 2 and metric.scope == "all")
    index = None if whole else case.index
    groups = placeable(missing, index, classes, task.indeterminate)
    bounds: MissingBounds | None = None
    if metric.interval is Interval.PROPORTION and metric.table is Table.COUNTS and classes > 1:
        bounds = of_share(metric, value, groups)
    elif index is not None and (metric.table is Table.COUNTS or classes == 2):
        bounds = extremes(metric, case.arguments, case.matrix.one_versus_rest(index), groups)
    return replace(value, missing=bounds)


#: What one row adds above and below the line, in the order that lowers a share most.
_LOWER = ((0, 1), (0, 0), (1, 1))
_HIGHER = ((1, 1), (0, 0), (0, 1))


def of_share(metric: Metric, value: Evaluated, groups: Groups) -> MissingBounds | None:
    """The least and greatest share, each with its fraction; None where that has no rows.

    ``value``: of the rows that are complete; ``groups``: how many rows may be of which cells.
    """
    share = share_of(metric)
    parts = {cell: (int(share.top[at]), int(share.bottom[at])) for cell, at in PLACES.items()}
    x, n = value.numerator or 0, value.denominator or 0
    low, high = [x, n], [x, n]
    for count, cells in groups:
        kinds = {parts[cell] for cell in cells}
        for found, order in ((low, _LOWER), (high, _HIGHER)):
            top, bottom = next(kind for kind in order if kind in kinds)
            found[0] += top * count
            found[1] += bottom * count
    if not low[1] or not high[1]:
        return None
    return MissingBounds(Fraction(low[0] / low[1], *low), Fraction(high[0] / high[1], *high))


#: Where rows of a cell stand by (actual, predicted), of all classes together by either one.
PLACES = {
    TP: (True, True),
    FN: (True, False),
    FP: (False, True),
    TN: (False, False),
    RIGHT: (True, True),
    WRONG: (False, True),
}


def of_scores(case: ScoreCase) -> Evaluated:
    """An area with its worst and best case, where rows lack a score or a target."""
    table, value = case.table, case.value
    if not isinstance(value.outcome, Value):
        return value
    missing = case.measurer.missing_scores(case.task)
    bounds = None if missing is None else area_bounds(case.metric, table, missing)
    return value if bounds is None else replace(value, missing=bounds)


#: Rows with a score and no target up to which every cut between them is tried.
MOST_SCORED = 1_000_000


@dataclass(frozen=True)
class Ranked:
    """What the rows of a slice lack that ranks them, one class against the rest.

    ``positives`` and ``negatives``: rows, or weights, without a score. ``scored``: scores of
    the rows without a target. ``unknown``: rows without either.
    """

    positives: float
    negatives: float
    scored: Floats
    unknown: float


def ranked(lost: Lost, inside: npt.NDArray[np.bool_], index: int, columns: bool) -> Ranked | None:
    """The rows of a slice that lack something; None where there is no telling.

    ``columns``: there is one column of scores per class, and what a row without a target
    scores in the column of this class is not kept: it may be anything.
    """
    actual, weight, score = lost.actual[inside], lost.weight[inside], lost.score[inside]
    silent = np.isnan(score) if not columns else np.ones(len(score), np.bool_)
    known = actual >= 0
    whole = np.issubdtype(weight.dtype, np.integer)
    with_score = ~known & ~silent
    if not whole and bool(np.any(~known)):
        return None
    if int(weight[with_score].sum()) > MOST_SCORED:
        return None
    scored = np.repeat(score[with_score], weight[with_score].astype(np.intp))
    return Ranked(
        positives=float(weight[known & silent & (actual == index)].sum()),
        negatives=float(weight[known & silent & (actual != index)].sum()),
        scored=np.sort(scored)[::-1],
        unknown=float(weight[~known & silent].sum()),
    )


def area_bounds(metric: Metric, table: ScoreTable, missing: Ranked) -> MissingBounds | None:
    """The least and the greatest area, each with the pairs won and all pairs.

    None for what is no area, or no straight line of one that has bounds of its own.
    """
    least, most = metric.bounds
    if metric.interval is not Interval.AUC or not np.isfinite([least, most]).all():
        return None
    won, pairs = _best(table.scores, table.positives, table.negatives, missing)
    turned = Ranked(missing.positives, missing.negatives, -missing.scored[::-1], missing.unknown)
    lost, other = _best(-table.scores[::-1], table.positives[::-1], table.negatives[::-1], turned)
    return MissingBounds(
        low=_told(other - lost, other, least, most), high=_told(won, pairs, least, most)
    )


def _told(won: float, pairs: float, least: float, most: float) -> Fraction:
    numerator = least * pairs + (most - least) * won
    return Fraction(numerator / pairs, whole(numerator), whole(pairs))


def _best(scores: Floats, positives: Any, negatives: Any, missing: Ranked) -> tuple[float, float]:
    """Pairs won and all pairs where the area is greatest; ties count half."""
    t, m = missing.scored, len(missing.scored)
    p, n = float(positives.sum()), float(negatives.sum())
    above = np.concatenate([[0.0], np.cumsum(positives)]).astype(np.float64)
    over = np.concatenate([[0.0], np.cumsum(negatives)]).astype(np.float64)
    known = float(np.sum(positives * (n - over[:-1] - negatives / 2)))
    first = np.searchsorted(-scores, -t, "left")
    last = np.searchsorted(-scores, -t, "right")
    # what a row with such a score would win as a positive, and as a negative
    as_positive = n - (over[first] + over[last]) / 2
    as_negative = (above[first] + above[last]) / 2
    k = np.arange(m + 1)
    gained = np.concatenate([[0.0], np.cumsum(as_positive)])
    left = as_negative.sum() - np.concatenate([[0.0], np.cumsum(as_negative)])
    won = known + gained + left + k * (m - k) - _tied(t) / 2
    own, other = p + k, n + m - k
    lost = own * other - won
    # of the rows without anything, so many positives that there are most pairs
    free, more, less = missing.unknown, missing.positives, missing.negatives
    extra = np.clip(np.round((other + less + free - own - more) / 2), 0, free)
    pairs = (own + more + extra) * (other + less + free - extra)
    best = int(np.argmin(lost / pairs))
    return float(pairs[best] - lost[best]), float(pairs[best])


def _tied(t: Floats) -> Floats:
    """Pairs of equal scores that a cut after the k-th score parts, for k from 0 to all."""
    parted = np.zeros(len(t) + 1)
    if len(t):
        start = np.searchsorted(-t, -t, "left")
        stop = np.searchsorted(-t, -t, "right")
        k = np.arange(1, len(t) + 1)
        parted[1:] = (k - start) * (stop - k)
    return parted


Placement = Mapping[str, Number]


def extremes(
    metric: Metric, arguments: Mapping[str, Any], own: Counts, groups: Groups
) -> MissingBounds | None:
    """The least and the greatest value, each with its four cells.

    None for p values and measures of several groups. Of complete rows that have a value, every
    placement has one: rows are only added.

    Args:
        metric: of one class against the rest.
        arguments: of the metric.
        own: the cells of the complete rows.
        groups: how many rows may be of which cells.
    """
    if metric.interval is Interval.NONE or "highest" in metric.context:
        return None
    held = {cell: getattr(own, cell).value for cell in CELLS}
    tables = [
        {cell: held[cell] + added.get(cell, 0) for cell in CELLS} for added in _placements(groups)
    ]
    function = stacked_value(metric, arguments, average=None, index=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.real(np.asarray(function(_stack(tables)), np.complex128)).astype(np.float64)
    if not np.isfinite(values).all():
        return None
    least, most = int(np.argmin(values)), int(np.argmax(values))
    low, high = (OfCells(float(values[place]), Cells(**tables[place])) for place in (least, most))
    return MissingBounds(low, high)


def _stack(tables: Sequence[Placement]) -> npt.NDArray[np.float64]:
    """Tables with the actual classes in the rows, the rest first; shape (b, 2, 2)."""
    order = [("tn", "fp"), ("fn", "tp")]
    return np.array([[[t[cell] for cell in row] for row in order] for t in tables], np.float64)


def _placements(groups: Groups) -> Iterator[dict[str, Number]]:
    """What is added to the cells, for every way of placing the groups."""
    ways = [list(_ways(count, cells)) for count, cells in groups if count]
    for chosen in itertools.product(*ways):
        added: dict[str, Number] = {}
        for part in chosen:
            for cell, count in part.items():
                added[cell] = added.get(cell, 0) + count
        yield added


def _ways(count: Number, cells: tuple[str, ...]) -> Iterator[dict[str, Number]]:
    yield from ({cell: count} for cell in cells)
    half = count // 2 if isinstance(count, int) else count / 2
    if half:
        yield from ({a: half, b: count - half} for a, b in itertools.combinations(cells, 2))
