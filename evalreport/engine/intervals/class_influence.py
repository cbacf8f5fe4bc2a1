"""What each row contributes to a metric of the scores of all classes, and limits that follow.

Such a metric is a mean over classes, or over pairs of classes: a row adds what it does to each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.memory import summed
from evalreport.engine.intervals.case import Case
from evalreport.engine.intervals.methods import widened
from evalreport.metrics.methods import INFLUENCE_T
from evalreport.metrics.ranking import roc_auc
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import distinct
from evalreport.results.identity import EVERYTHING
from evalreport.results.records import Interval
from evalreport.statistics.exact_sums import exact_sum
from evalreport.statistics.means import effective_size_from_sums

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Piece(NamedTuple):
    """A value that the mean takes a share of: its table and how it moves with a row there.

    ``slopes``: by the weight of a positive and a negative row at each score; ``scores``: of the
    rows, ``positive`` and ``negative``: which of them are so, all of shape (rows,).
    """

    share: float
    table: ScoreTable
    slopes: tuple[Floats, Floats]
    scores: Floats
    positive: Flags
    negative: Flags

    @property
    def influence(self) -> Floats:
        """The derivative of the value by the weight of each row."""
        entry = np.searchsorted(-self.table.scores, -self.scores)
        entry = np.minimum(entry, len(self.table.scores) - 1)
        of_positive, of_negative = self.slopes
        own = np.where(self.positive, of_positive[entry], 0.0)
        return own + np.where(self.negative, of_negative[entry], 0.0)


def influence_of(pieces: Sequence[Piece]) -> Floats:
    """The derivative of the mean by the weight of each row, shape (rows,)."""
    total = np.zeros(len(pieces[0].scores))
    for piece in pieces:
        total += piece.share * piece.influence
    return total


def of_units(case: Case, influence: Floats) -> tuple[Floats, npt.NDArray[np.int64] | None]:
    """What each weighted row, or cluster, contributes, and how many are alike; None: one each."""
    view, rows = case.measurer.view, case.measurer.tables.kinds(case.task.where)
    own = influence if view.weight is None else influence * view.weight[rows]
    times = None if view.times is None else view.times[rows]
    if view.cluster is None:
        return own, times
    codes = view.cluster[0][rows]
    totals = np.asarray(summed(codes, own, view.cluster[1], times), np.float64)
    return totals[np.unique(codes)], None


def variance_of(case: Case, influence: Floats) -> float | None:
    """Variance of the mean by how rows were drawn; None of one weighted row, or one cluster."""
    view = case.measurer.view
    own, times = of_units(case, influence)
    squares = exact_sum(own**2, times)
    if view.cluster is None and view.weight is None:
        return squares
    units = len(own) if view.cluster is not None else case.measurer.tables.row_count(EVERYTHING)
    return units / (units - 1) * squares if units > 1 else None


def units_of_classes(case: Case) -> list[float]:
    """Rows of each class that occurs; Kish's rows of weighted ones, or clusters that have them."""
    view, rows = case.measurer.view, case.measurer.tables.kinds(case.task.where)
    actual = view.actual[rows]
    if view.cluster is not None:
        codes = view.cluster[0][rows]
        return [float(distinct(codes[actual == k])) for k in np.unique(actual)]
    size, times = len(view.labels), None if view.times is None else view.times[rows]
    if view.weight is None:
        found = summed(actual, None, size, times).tolist()
    else:
        weight = view.weight[rows]
        sums = [summed(actual, weight**power, size, times) for power in (1, 2)]
        found = [effective_size_from_sums(a, b) for a, b in zip(*sums, strict=True)]
    return [float(one) for one in found if one > 0]


def by_influence(case: Case, influence: Floats) -> Interval | str | None:
    """Limits of a mean of classes from what rows contribute, see `widened_limits`."""
    variance, units = variance_of(case, influence), units_of_classes(case)
    if variance is None:
        return None
    clusters = case.measurer.view.cluster is not None
    of = (case.number, variance, min(units), case.level, INFLUENCE_T)
    return widened(*of, bounds=case.metric.bounds, parts=len(units), clusters=clusters)


def of_pairs(case: Case) -> Interval | str | None:
    """Limits of the mean area over ordered pairs of classes; None if no pair has rows of both."""
    found = influence_of_pairs(case)
    return None if found is None else by_influence(case, found)


def influence_of_pairs(case: Case) -> Floats | None:
    """The derivative of that mean by the weight of each row, shape (rows,); None without pairs."""
    view, rows = case.measurer.view, case.measurer.tables.kinds(case.task.where)
    table = case.measurer.tables.class_scores(case.task.where, case.metric.class_pairs)
    assert view.class_scores is not None
    assert roc_auc.influence is not None
    actual = view.actual[rows]
    known = {
        pair: own
        for pair, own in sorted(table.pairs.items())
        if float(own.positive_total * own.negative_total)
    }
    pieces = [
        Piece(
            1.0 / len(known),
            own,
            roc_auc.influence(own),
            view.class_scores[rows, one],
            actual == one,
            actual == other,
        )
        for (one, other), own in known.items()
    ]
    return influence_of(pieces) if pieces else None
