"""Both sufficient statistics from numpy arrays: one pass and one sort per model.

The rows of a dataset and model are sorted by score once; the tables of every
subgroup and fold are counted from that order. Sums of weights are taken over
the sorted weights of each cell, so they do not depend on the order of rows.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from evalreport.data.table import Chosen
from evalreport.engine.counting.canonical_rows import canonical_stack
from evalreport.engine.counting.classification import (
    ClassificationTable,
    column_of_indeterminate,
)
from evalreport.metrics.tables import ClassScores, ScoreTable
from evalreport.predict.view import LabelView, View
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.statistics.design_based import DesignVariance
from evalreport.statistics.exact_sums import sums_by_code
from evalreport.statistics.numbering import (
    in_order,
    numbered,
    unless_once,
)

T = TypeVar("T")
Seen = TypeVar("Seen", bound=View)
Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Counts up to here are kept in 32 bits each, which hold the cube of a sum of two of them.
_SMALL = 600
#: Cells of all clusters' tables together that are held in memory.
MOST_CLUSTER_CELLS = 50_000_000


class Tables(Generic[Seen]):
    """Builds, once each, the tables of one dataset and model; ``built`` counts the builds."""

    def __init__(self, view: Seen) -> None:
        self.view = view
        self.built: Counter[str] = Counter()
        self._kept: dict[tuple[Any, ...], Any] = {}

    def rows_of(self, where: Slice) -> npt.NDArray[np.bool_] | None:
        """Which rows a slice holds; None for all of them."""
        return self.once(("rows", where), lambda: self._mask(where))

    def row_count(self, where: Slice) -> int:
        """How many rows a slice holds."""
        return self.once(("row_count", where), lambda: self._row_count(where))

    def _row_count(self, where: Slice) -> int:
        mask, sample = self.rows_of(where), self.view.sample
        if sample is not None and sample.own is not None:
            return len(np.unique(self.view.row[self.rows(where)]))
        if self.times is not None:
            return int(self.times[slice(None) if mask is None else mask].sum())
        return len(self.view.row) if mask is None else int(np.count_nonzero(mask))

    @cached_property
    def times(self) -> Codes | None:
        """How many rows are of each kind; None where each is a row of its own."""
        return unless_once(self.view.times)

    def class_rows(self, where: Slice) -> tuple[int, ...]:
        """How many rows of a slice are of each class, or have each label, whatever they weigh."""
        return self.once(("class_rows", where), lambda: self._class_rows(where))

    def _class_rows(self, where: Slice) -> tuple[int, ...]:
        if where == EVERYTHING:
            return self.view.class_rows
        inside = self.kinds(where)
        truth, times = self.view.truth[inside], self.times
        often = None if times is None else times[inside]
        if truth.ndim == 1:
            found = np.bincount(truth, often, len(self.view.labels))
        else:
            found = truth.sum(axis=0) if often is None else often @ truth
        # whole numbers below 2^53, so the sums are exact
        return tuple(found.astype(np.int64).tolist())

    def cluster_sizes(self, where: Slice) -> npt.NDArray[np.int64]:
        """How many rows of a slice each of its clusters has, shape (C,)."""
        return self.once(("cluster_sizes", where), lambda: self._cluster_sizes(where))

    def _cluster_sizes(self, where: Slice) -> npt.NDArray[np.int64]:
        assert self.view.cluster is not None
        inside = self.kinds(where)
        times = None if self.times is None else self.times[inside]
        sizes = np.bincount(self.view.cluster[0][inside], times)
        return sizes[sizes > 0].astype(np.int64)

    def kinds(self, where: Slice) -> npt.NDArray[np.intp]:
        """Indices of what a slice holds in the order of the view: rows, or kinds of rows."""
        mask = self.rows_of(where)
        return np.arange(len(self.view.row)) if mask is None else np.nonzero(mask)[0]

    def chosen(self, where: Slice) -> Chosen:
        """The same as an index; of everything nothing is copied."""
        mask = self.rows_of(where)
        return slice(None) if mask is None else np.nonzero(mask)[0]

    def times_of(self, chosen: Chosen) -> Codes | None:
        """How many rows are of each chosen kind; None where each kind is a row."""
        return None if self.times is None else self.times[chosen]

    def rows(self, where: Slice) -> npt.NDArray[np.intp]:
        """An index for each row of a slice, as often as there are rows of its kind.

        In the order of ``View.places``.
        """
        mask, places, times = self.rows_of(where), self.view.places, self.view.times
        inside = places if mask is None else places[mask[places]]
        return inside if times is None else np.repeat(inside, times[inside])

    def once(self, key: tuple[Any, ...], build: Callable[[], T]) -> T:
        """What is built, once for each key."""
        if key not in self._kept:
            self._kept[key] = build()
            self.built[str(key[0])] += 1
        kept: T = self._kept[key]
        return kept

    def _mask(self, where: Slice) -> npt.NDArray[np.bool_] | None:
        if where == EVERYTHING:
            return None
        mask = np.ones(len(self.view.row), dtype=bool)
        for column, value in where.subgroup:
            codes, names = self.view.groups[column]
            wanted = names.index(value) if value in names else -1
            mask &= codes == wanted
        if where.fold is not None:
            assert self.view.fold is not None
            codes, names = self.view.fold
            mask &= codes == names.index(where.fold)
        return mask


@dataclass(frozen=True, eq=False)
class Ranked:
    """Distinct ``scores``, highest first, and the place among them of each row's.

    ``looked_up`` is that place, or None where the rows ``ascend``.
    """

    scores: npt.NDArray[np.float64]
    looked_up: npt.NDArray[np.int32] | None

    @property
    def ascend(self) -> bool:
        """Whether each row has a score of its own, and a higher one than the row before."""
        return self.looked_up is None

    @property
    def place(self) -> npt.NDArray[np.int32]:
        """The place of each row's score from the highest on, from 0."""
        if self.looked_up is None:
            return np.arange(len(self.scores) - 1, -1, -1, dtype=np.int32)
        return self.looked_up

    @property
    def ranks(self) -> npt.NDArray[np.int32]:
        """The place of each row's score from the lowest on, from 0."""
        if self.looked_up is None:
            return np.arange(len(self.scores), dtype=np.int32)
        return np.int32(len(self.scores) - 1) - self.looked_up


class MemoryTables(Tables[LabelView]):
    """The tables of rows, or kinds of rows, of one class each."""

    # -- tables ---------------------------------------------------------------------------

    def classification(self, where: Slice, threshold: float | None) -> ClassificationTable:
        """Counts by actual and predicted label; for score models at ``score >= threshold``."""
        key = ("classification", where, threshold)
        return self.once(key, lambda: self._with_rows(where, threshold))

    def scores(self, where: Slice, index: int | None = None) -> ScoreTable:
        """Distinct scores with the weight of positives and negatives.

        ``index`` picks the class and column where there is one column per class.
        """
        view = self.view
        return self.once(
            ("scores", where, index),
            lambda: self._table_of(index, view.positives_of(index), self.rows_of(where)),
        )

    def class_scores(self, where: Slice, pairs: bool = False) -> ClassScores:
        """What the columns of class scores are reduced to."""
        return self.once(("class_scores", where, pairs), lambda: self._class_scores(where, pairs))

    def ranks(self, rows: npt.NDArray[np.intp]) -> Codes:
        """The rank of the actual class among the scores of each of the rows, 0 first."""
        assert self.view.class_scores is not None
        return _ranks(self.view.class_scores[rows], self.view.actual[rows])

    def predicted(self, threshold: float | None) -> npt.NDArray[Any]:
        """Predicted label code of every row; without a threshold, what the model itself decides."""
        view = self.view
        if view.score is None or threshold is None:
            assert view.predicted is not None
            return view.predicted
        positive, drawn = view.positive_index, view.drawn_at(threshold)
        above = view.score >= threshold
        called = above if drawn is None else above & ~drawn
        return np.where(called, np.int8(positive), np.int8(1 - positive))

    def columns(
        self,
        rows: Chosen,
        threshold: float | None,
        indeterminate: str | None,
    ) -> npt.NDArray[np.int64]:
        """The column of the K x K table that each of the rows is counted in; below 0 for none.

        ``indeterminate``: how such predictions count, ``for``, ``against`` or None.
        """
        size = len(self.view.labels)
        predicted = self.predicted(threshold)[rows].astype(np.int64)
        neither = predicted >= size
        if neither.any():
            actual = self.view.actual[rows][neither].astype(np.int64)
            predicted[neither] = column_of_indeterminate(actual, size, indeterminate)
        return predicted

    def designed_variance(
        self,
        where: Slice,
        threshold: float | None,
        indeterminate: str | None,
        slopes: npt.NDArray[np.float64],
    ) -> DesignVariance:
        """Variance of a value by the design of the sample, from its derivatives by the cells.

        Rows outside the slice belong to the sample all the same, and contribute nothing.
        """
        view = self.view
        assert view.sample is not None
        assert view.weight is not None
        rows = self.rows(where)
        column = self.columns(rows, threshold, indeterminate)
        rows, column = rows[column >= 0], column[column >= 0]
        contributions = np.zeros(len(view.actual))
        contributions[rows] = view.weight[rows] * slopes[view.actual[rows], column]
        return view.sample.estimated(contributions)

    def clusters(
        self, where: Slice, threshold: float | None, indeterminate: str | None = None
    ) -> npt.NDArray[np.float64] | None:
        """Tables of the clusters, shape (C, K, K), clusters without rows left out.

        ``indeterminate``: how such predictions count. None where no cluster is declared or
        the tables would not fit.
        """
        view = self.view
        size = len(view.labels)
        if view.cluster is None or view.cluster[1] * size * size > MOST_CLUSTER_CELLS:
            return None
        key = ("clusters", where, threshold, indeterminate)
        return self.once(key, lambda: self._cluster_tables(where, threshold, indeterminate))

    def distinct(
        self, where: Slice, index: int | None, positive: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        """One index for the rows of a slice that are alike, and how many rows are.

        Alike are rows of the same class, score and weight, and they come in this order. Of what
        each of them is worth nothing else depends, so sums over rows are sums over these.

        Args:
            where: the slice.
            index: the class of the scores, where there is one column per class.
            positive: whether each row, or kind of rows, is a positive one, shape (n,).
        """
        view, kinds, order = self.view, self.kinds(where), self.ranked(index)
        if self.times is None and len(kinds) == len(view.row) == len(order.scores):
            # each row of all has a score of its own
            rows = kinds
            if not order.ascend:
                rows = np.empty(len(kinds), np.intp)
                rows[order.ranks] = kinds
            of_class = positive[rows]
            rows = np.concatenate([rows[~of_class], rows[of_class]])
            return rows, np.broadcast_to(np.float64(1.0), rows.shape)
        code = positive[kinds] * np.int64(len(order.scores)) - order.place[kinds]
        if view.weight is not None:
            weights, place = numbered(view.weight[kinds])
            code = code * len(weights) + place
        by_code = np.argsort(code)
        new = np.ones(len(code), np.bool_)
        np.not_equal(code[by_code[1:]], code[by_code[:-1]], out=new[1:])
        starts = np.flatnonzero(new)
        often = np.ones(len(code)) if view.times is None else view.times[kinds[by_code]]
        summed = np.add.reduceat(often, starts) if len(starts) else often
        return kinds[by_code[starts]], summed.astype(np.float64)

    # -- how ------------------------------------------------------------------------------

    def _cluster_tables(
        self, where: Slice, threshold: float | None, indeterminate: str | None
    ) -> npt.NDArray[np.float64]:
        view = self.view
        assert view.cluster is not None
        rows = self.chosen(where)
        predicted = self.columns(rows, threshold, indeterminate)
        inside = predicted >= 0
        if not inside.all():
            rows = self.kinds(where)[inside]
            predicted = predicted[inside]
        size = len(view.labels)
        held, code = numbered(view.cluster[0][rows])
        count = len(held)
        code *= size
        code += view.actual[rows]
        code *= size
        code += predicted
        weight = None if view.weight is None else view.weight[rows]
        total = summed(code, weight, count * size * size, self.times_of(rows))
        # In an order of their own, so that sums over clusters depend on no name.
        return canonical_stack(total.reshape(count, size, size).astype(float))

    def _with_rows(self, where: Slice, threshold: float | None) -> ClassificationTable:
        """The table, with the rows behind its cells where they are estimates of a sample."""
        table, view = self._classify(where, threshold), self.view
        if view.sample is None:
            return table
        rows = self.rows(where)
        rows = rows if view.sample.own is None else rows[view.sample.own[rows]]
        width = len(view.labels) + len(view.indeterminate)
        codes = view.actual[rows].astype(np.int64) * width + self.predicted(threshold)[rows]
        return replace(table, sampled=counted_cells(codes, None, width))

    def _classify(self, where: Slice, threshold: float | None) -> ClassificationTable:
        view = self.view
        width = len(view.labels) + len(view.indeterminate)
        if view.has_score and threshold is not None and view.drawn_at(threshold) is None:
            return self._classify_scores(where, threshold)
        inside = self.kinds(where)
        codes = (view.actual.astype(np.int64) * width + self.predicted(threshold))[inside]
        cells: Mapping[tuple[int, int], int | float]
        squares = None
        if view.weight is None:
            times = None if view.times is None else view.times[inside]
            cells = counted_cells(codes, times, width)
        else:
            chosen = {divmod(c, width): inside[codes == c] for c in np.unique(codes).tolist()}
            cells = {cell: view.total_weight(kinds) for cell, kinds in chosen.items()}
            squares = {cell: view.total_weight(kinds, 2) for cell, kinds in chosen.items()}
        return ClassificationTable(
            view.labels, view.positive, cells, self.row_count(where), view.indeterminate, squares
        )

    def _classify_scores(self, where: Slice, threshold: float) -> ClassificationTable:
        view = self.view
        table = self.scores(where)
        c = table.counts_at(threshold)
        pos = view.positive_index
        neg = 1 - pos
        named = {(pos, pos): c.tp, (neg, pos): c.fp, (pos, neg): c.fn, (neg, neg): c.tn}
        cells = {place: cell.value for place, cell in sorted(named.items()) if cell.value}
        squares = None
        if table.squares is not None:
            k = len(table.scores) - int(np.searchsorted(table.scores[::-1], threshold))
            squares = {}
            for actual, own in zip((pos, neg), table.squares, strict=True):
                squares[actual, pos] = float(np.sum(own[:k]))
                squares[actual, neg] = float(np.sum(own[k:]))
        return ClassificationTable(
            view.labels, view.positive, cells, self.row_count(where), (), squares
        )

    def ranked(self, index: int | None = None) -> Ranked:
        """The rows by their score, or by that of the class ``index``; sorted once."""
        return self.once(("sort", index), lambda: _ranked(self.view.scores_of(index)))

    def entries(self, where: Slice, index: int | None = None) -> npt.NDArray[np.int32]:
        """The place of each row's score in the score table of a slice, shape (n,).

        Of rows outside the slice it has no meaning.
        """
        order, mask = self.ranked(index), self.rows_of(where)
        if mask is None:
            return order.place
        return (np.cumsum(_held(order, mask), dtype=np.int32) - 1)[order.place]

    def _table_of(
        self, index: int | None, positive: npt.NDArray[np.bool_], mask: npt.NDArray[np.bool_] | None
    ) -> ScoreTable:
        """The score table of the rows in a mask, of which some are positive."""
        view, order = self.view, self.ranked(index)
        if order.ascend:
            return self._table_in_order(order, positive, mask)
        there = slice(None) if mask is None else _held(order, mask)
        scores, rows = order.scores[there], len(positive) if mask is None else np.sum(mask)
        single = view.weight is not None and self.times is None and len(scores) == rows
        sums: list[Any] = []
        squares: list[Floats] = []
        for side in (positive, ~positive):
            chosen = side if mask is None else side & mask
            entry = order.place[chosen]
            often = None if self.times is None else self.times[chosen]
            weight = None if view.weight is None else view.weight[chosen]
            if weight is not None and single:
                own = np.zeros(len(order.scores))
                own[entry] = weight
            else:
                own = summed(entry, weight, len(order.scores), often)
            sums.append(_narrow(own)[there])
            if weight is not None and not single:
                squares.append(summed(entry, weight**2, len(order.scores), often)[there])
        squared = (squares[0], squares[1]) if squares else None
        return ScoreTable(scores, sums[0], sums[1], squared, single)

    def _table_in_order(
        self, order: Ranked, positive: npt.NDArray[np.bool_], mask: npt.NDArray[np.bool_] | None
    ) -> ScoreTable:
        """The same where each kind of rows has a score of its own: nothing is looked up."""
        weight = self.view.weight
        inside = slice(None, None, -1) if mask is None else np.flatnonzero(mask)[::-1]
        side = positive[inside]
        often = np.int32(1) if self.times is None else _narrow(self.times[inside])
        scores = order.scores if mask is None else order.scores[::-1][inside]
        worth: Any = often if weight is None else weight[inside] * often
        positives, negatives = (np.where(own, worth, worth.dtype.type(0)) for own in (side, ~side))
        single, squared = weight is not None and self.times is None, None
        if weight is not None and not single:
            square = weight[inside] ** 2 * often
            squared = np.where(side, square, 0.0), np.where(side, 0.0, square)
        return ScoreTable(scores, positives, negatives, squared, single)

    def _class_scores(self, where: Slice, pairs: bool) -> ClassScores:
        view = self.view
        assert view.class_scores is not None
        mask = self.rows_of(where)
        chosen = slice(None) if mask is None else mask
        scores, actual = view.class_scores[chosen], view.actual[chosen]
        weight = None if view.weight is None else view.weight[chosen]
        times = None if view.times is None else view.times[chosen]
        size = len(view.labels)
        own = scores[np.arange(len(actual)), actual]
        rank = _ranks(scores, actual)
        true_scores, entry = np.unique(own, return_inverse=True)
        return ClassScores(
            labels=view.labels,
            per_class=tuple(self.scores(where, k) for k in range(size)),
            true_scores=true_scores,
            true_weights=summed(entry.reshape(-1), weight, len(true_scores), times),
            ranks=summed(rank, weight, size, times),
            class_totals=summed(actual.astype(np.int64), weight, size, times),
            pairs=self._pairs(where) if pairs else {},
        )

    def _pairs(self, where: Slice) -> Mapping[tuple[int, int], ScoreTable]:
        view = self.view
        size = len(view.labels)
        found: dict[tuple[int, int], ScoreTable] = {}
        actual, mask = view.actual, self.rows_of(where)
        for i, j in itertools.permutations(range(size), 2):
            both = (actual == i) | (actual == j)
            found[i, j] = self._table_of(i, actual == i, both if mask is None else both & mask)
        return found


def _ranks(scores: npt.NDArray[np.float64], actual: npt.NDArray[Any]) -> Codes:
    """Place of each row's actual class among its scores, 0 first; ties by the order of classes."""
    own = scores[np.arange(len(actual)), actual]
    ahead = (scores > own[:, None]).sum(axis=1)
    before = np.arange(scores.shape[1]) < actual[:, None]
    return np.asarray(ahead + ((scores == own[:, None]) & before).sum(axis=1), np.int64)


def _narrow(counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Counts in 32 bits where what formulas make of them fits; weights as they are."""
    whole = counts.dtype.kind == "i" and counts.max(initial=0) <= _SMALL
    return counts.astype(np.int32, copy=False) if whole else counts


def _held(order: Ranked, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which of the distinct scores rows in a mask have."""
    there = np.zeros(len(order.scores), np.bool_)
    there[order.place[mask]] = True
    return there


def _ranked(scores: npt.NDArray[np.float64]) -> Ranked:
    if np.all(scores[1:] > scores[:-1]) and not np.signbit(scores[scores == 0.0]).any():
        # kinds of rows come by a score: nothing is sorted, and no score kept twice
        return Ranked(scores[::-1], None)
    # rows of one score share a place: their order says nothing
    distinct, place = in_order(scores)
    np.subtract(np.int32(len(distinct) - 1), place, out=place)
    return Ranked(distinct[::-1] + 0.0, place)


def summed(
    entry: npt.NDArray[Any],
    weights: npt.NDArray[np.float64] | None,
    size: int,
    times: Codes | None = None,
) -> npt.NDArray[Any]:
    """Rows, or their summed weights, per entry.

    ``times``: how many rows are of each kind; see :func:`sums_by_code`.
    """
    if weights is None:
        # Whole numbers below 2^53, so the sums are exact.
        return np.bincount(entry, times, minlength=size).astype(np.int64, copy=False)
    return sums_by_code(entry, lambda at: weights[at], size, times)


def counted_cells(codes: Codes, times: Codes | None, width: int) -> dict[tuple[int, int], int]:
    """Rows of each cell that has some, by (actual, predicted); ``times`` as in a view."""
    present, entry = np.unique(codes, return_inverse=True)
    # Whole numbers below 2^53, so the sums of bincount are exact.
    counts = np.bincount(entry.reshape(-1), times, len(present))
    return {divmod(int(c), width): int(n) for c, n in zip(present, counts, strict=True) if n}
