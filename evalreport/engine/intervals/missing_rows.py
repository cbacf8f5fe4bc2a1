"""Worst and best case of a proportion: what the rows that lack something could make of it.

A row without a prediction may be right or wrong, one without a target of any class, and
one without either anything at all. A share x / n of rows is least, or greatest, when each
of these rows is taken alone to be of the cell that moves it most: into x and n where that
can be, else into neither (to raise it); into n alone, else into neither (to lower it).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalreport.data.completeness import Lost
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.declare import Interval, Metric, Table
from evalreport.metrics.formula import Ratio
from evalreport.metrics.tables import Counts, Matrix
from evalreport.predict.view import View
from evalreport.results.identity import Slice
from evalreport.results.records import Fraction, MissingBounds, MissingRows

#: Cells of one class against the rest, as a row of the class or not, found or not.
TP, FN, FP, TN = "tp", "fn", "fp", "tn"
CELLS = (TP, FN, FP, TN)

Number = int | float


@dataclass(frozen=True)
class Missing:
    """Rows of a slice that lack something, or the sum of their weights.

    ``without_prediction``: by actual class, shape (K,). ``without_target``: by predicted
    class, and by indeterminate prediction after that. ``without_both``: the others.
    """

    without_prediction: tuple[Number, ...]
    without_target: tuple[Number, ...]
    without_both: Number

    def record(self) -> MissingRows:
        """As it stands beside a table of the results."""
        return MissingRows(self.without_prediction, self.without_target, self.without_both)


def missing_rows(view: View, where: Slice, threshold: float | None) -> Missing | None:
    """The rows of a slice that lack something; None where there are none, and in folds.

    A row left out has no fold.
    """
    found = lost_inside(view, where)
    if found is None:
        return None
    lost, inside = found
    size, extra = len(view.labels), len(view.indeterminate)
    actual, weight = lost.actual[inside], lost.weight[inside]
    predicted = _predicted(view, lost, threshold)[inside]
    without = predicted < 0
    return Missing(
        _by_code(actual[without], weight[without], size),
        _by_code(predicted[actual < 0], weight[actual < 0], size + extra),
        _sum(weight[without & (actual < 0)]),
    )


def lost_inside(view: View, where: Slice) -> tuple[Lost, Any] | None:
    """What is known of the rows left out, and which of them a slice would hold; None for none."""
    lost: Lost | None = getattr(view.ledger, "lost", None)
    if lost is None or where.fold is not None:
        return None
    inside = np.ones(len(lost.row), np.bool_)
    for column, value in where.subgroup:
        names = view.groups_of(column)
        inside &= lost.groups[column] == (names.index(value) if value in names else -2)
    return (lost, inside) if inside.any() else None


def _by_code(codes: Any, weight: Any, size: int) -> tuple[Number, ...]:
    """Sums of weights by code; codes below 0 are left out."""
    found: list[Number] = [0] * size
    for code in np.unique(codes[codes >= 0]).tolist():
        found[code] = _sum(weight[codes == code])
    return tuple(found)


def _predicted(view: View, lost: Lost, threshold: float | None) -> Any:
    """Predicted codes of the rows, -1 where nothing is predicted."""
    if not view.has_score or threshold is None:
        return lost.predicted
    positive = view.positive_index
    side = np.where(lost.score >= threshold, positive, 1 - positive)
    return np.where(np.isnan(lost.score), -1, side)


def _sum(weights: Any) -> Number:
    whole = np.issubdtype(weights.dtype, np.integer)
    return int(weights.sum()) if whole else math.fsum(weights)


def missing_bounds(
    metric: Metric,
    arguments: Mapping[str, Any],
    value: Evaluated,
    matrix: Matrix,
    index: int | None,
    missing: Missing,
    indeterminate: str | None,
) -> MissingBounds | None:
    """The least and greatest share, each with its fraction; None for what is no share of rows.

    Args:
        metric: a share of rows of ``matrix``.
        arguments: of the metric.
        value: of the rows that are complete.
        matrix: the table of the complete rows.
        index: the class against the rest; None for a share of all rows.
        missing: the rows that lack something.
        indeterminate: how indeterminate predictions count: ``for``, ``against`` or None.
    """
    parts = _parts(metric, arguments, index, value, matrix)
    if parts is None:
        return None
    groups = placeable(missing, index, len(matrix.row_totals), indeterminate)
    x, n = value.numerator or 0, value.denominator or 0
    low, high = [x, n], [x, n]
    for count, cells in groups:
        kinds = {parts[cell] for cell in cells}
        for found, order in ((low, _LOWER), (high, _HIGHER)):
            top, bottom = next(kind for kind in order if kind in kinds)
            found[0] += top * count
            found[1] += bottom * count
    return MissingBounds(_share(*low), _share(*high)) if low[1] and high[1] else None


#: What one row adds above and below the line, in the order that lowers a share most.
_LOWER = ((0, 1), (0, 0), (1, 1))
_HIGHER = ((1, 1), (0, 0), (0, 1))
RIGHT, WRONG = "right", "wrong"


def _share(x: Number, n: Number) -> Fraction:
    return Fraction(x / n, x, n)


def _parts(
    metric: Metric,
    arguments: Mapping[str, Any],
    index: int | None,
    value: Evaluated,
    matrix: Matrix,
) -> dict[str, tuple[int, int]] | None:
    """What one row in each cell adds above and below the line; None if that is not all."""
    if metric.interval is not Interval.PROPORTION or value.numerator is None:
        return None
    if index is None:
        if len(matrix.row_totals) < 2:
            return None
        form = metric.for_classes or metric.function
        units = {
            RIGHT: form(Matrix(2, {(0, 0): 1}), **arguments),
            WRONG: form(Matrix(2, {(0, 1): 1}), **arguments),
        }
        right = sum(matrix.diagonal)
        held = {RIGHT: right, WRONG: sum(matrix.row_totals) - right}
    elif metric.table is Table.COUNTS:
        units = {
            cell: metric(Counts(**{c: int(c == cell) for c in CELLS}), **arguments)
            for cell in CELLS
        }
        own = matrix.one_versus_rest(index)
        held = {cell: getattr(own, cell).value for cell in CELLS}
    else:
        return None
    if not all(isinstance(unit, Ratio) for unit in units.values()):
        return None
    found = {
        cell: (int(unit.top.exact()), int(unit.bottom.exact())) for cell, unit in units.items()
    }
    exact = all(part in _LOWER for part in found.values()) and _adds_up(found, held, value)
    return found if exact else None


def _adds_up(
    parts: Mapping[str, tuple[int, int]], held: Mapping[str, Any], value: Evaluated
) -> bool:
    """Whether the metric is the sum of what its rows add: the largest class, say, is not."""
    top = math.fsum(parts[cell][0] * held[cell] for cell in parts)
    bottom = math.fsum(parts[cell][1] * held[cell] for cell in parts)
    return math.isclose(top, value.numerator or 0, abs_tol=1e-9) and math.isclose(
        bottom, value.denominator or 0, abs_tol=1e-9
    )


Groups = list[tuple[Number, tuple[str, ...]]]


def placeable(missing: Missing, index: int | None, size: int, mode: str | None) -> Groups:
    """Rows that lack something, with the cells that they may be of.

    ``index``: the class against the rest, None for all ``size`` classes together; ``mode``:
    how indeterminate predictions count.
    """
    groups = _of_class(missing, index) if index is not None else _of_all(missing)
    return _indeterminate(groups, missing, size, mode)


def _of_class(missing: Missing, index: int) -> Groups:
    """Rows with the cells that they may be of, one class against the rest."""
    own, others = _split(missing.without_prediction, index)
    size = len(missing.without_prediction)
    said, said_other = _split(missing.without_target[:size], index)
    return [
        (own, (TP, FN)),
        (others, (FP, TN)),
        (said, (TP, FP)),
        (said_other, (FN, TN)),
        (missing.without_both, CELLS),
    ]


def _of_all(missing: Missing) -> Groups:
    size = len(missing.without_prediction)
    some = [*missing.without_prediction, *missing.without_target[:size], missing.without_both]
    return [(_added(some), (RIGHT, WRONG))]


def _indeterminate(groups: Groups, missing: Missing, size: int, mode: str | None) -> Groups:
    """With the rows that are indeterminate and lack a target: right, wrong or left out."""
    unsure = _added(missing.without_target[size:])
    if not unsure or mode is None:
        return groups
    of_class = any(TP in cells for _, cells in groups)
    right, wrong = ((TP, TN), (FN, FP)) if of_class else ((RIGHT,), (WRONG,))
    return [*groups, (unsure, right if mode == "for" else wrong)]


def _split(counts: Sequence[Number], index: int) -> tuple[Number, Number]:
    return counts[index], _added([c for k, c in enumerate(counts) if k != index])


def _added(counts: Iterable[Number]) -> Number:
    listed = list(counts)
    whole = all(isinstance(count, int) for count in listed)
    return sum(listed) if whole else math.fsum(listed)
