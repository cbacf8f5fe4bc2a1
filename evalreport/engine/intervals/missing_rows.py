"""The rows of a slice that lack something, and the cells of the table that each may be of.

A row without a prediction may be right or wrong, one without a target of any class, and
one without either anything at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evalreport.data.completeness import Lost
from evalreport.predict.view import View
from evalreport.results.identity import Slice
from evalreport.results.records import MissingRows

#: Cells of one class against the rest, as a row of the class or not, found or not; and of all.
TP, FN, FP, TN = "tp", "fn", "fp", "tn"
CELLS = (TP, FN, FP, TN)
RIGHT, WRONG = "right", "wrong"

Number = int | float


def missing_rows(view: View, where: Slice, threshold: float | None) -> MissingRows | None:
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
    return MissingRows(
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


Groups = list[tuple[Number, tuple[str, ...]]]


def placeable(missing: MissingRows, index: int | None, size: int, mode: str | None) -> Groups:
    """Rows that lack something, with the cells that they may be of.

    ``index``: the class against the rest, None for all ``size`` classes together; ``mode``:
    how indeterminate predictions count.
    """
    groups = _of_class(missing, index) if index is not None else _of_all(missing)
    return _indeterminate(groups, missing, size, mode)


def _of_class(missing: MissingRows, index: int) -> Groups:
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


def _of_all(missing: MissingRows) -> Groups:
    size = len(missing.without_prediction)
    some = [*missing.without_prediction, *missing.without_target[:size], missing.without_both]
    return [(_added(some), (RIGHT, WRONG))]


def _indeterminate(groups: Groups, missing: MissingRows, size: int, mode: str | None) -> Groups:
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
