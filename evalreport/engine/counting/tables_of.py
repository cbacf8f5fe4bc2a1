"""The tables of a view: built from rows in memory, or taken from what was counted."""

from __future__ import annotations

from typing import overload

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.engine.counting.counted_view import FOLD, BinnedKinds, CountedView, TabledView
from evalreport.engine.counting.memory import ByClass, MemoryTables
from evalreport.engine.counting.set_tables import SetTables
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import Floats, LabelView, View
from evalreport.results.identity import Slice


@overload
def tables_of(view: LabelView) -> MemoryTables: ...
@overload
def tables_of(view: View) -> MemoryTables | SetTables: ...


def tables_of(view: View) -> MemoryTables | SetTables:
    """The tables of one dataset and model."""
    if isinstance(view, SetView):
        return SetTables(view)
    if isinstance(view, CountedView):
        return CountedTables(view)
    if isinstance(view, BinnedKinds):
        return BinnedTables(view)
    assert isinstance(view, LabelView)
    return MemoryTables(view)


class CountedTables(MemoryTables):
    """Tables of kinds of rows whose scores are in tables of their own."""

    view: CountedView

    def _score_table(
        self,
        where: Slice,
        index: int | None,  # noqa: ARG002 - there is one column of scores
    ) -> ScoreTable:
        found = _counted(self.view, where)
        assert found is not None
        return found


class BinnedTables(MemoryTables):
    """Tables of kinds of rows by bins of scores; finer ones where they were counted beside."""

    view: BinnedKinds

    def drawn_scores(self, where: Slice, index: int | None = None) -> ScoreTable:
        make = super()._score_table
        return self._once(("centres", where, index), lambda: make(where, index))

    def at_each(
        self,
        kinds: npt.NDArray[np.intp],
        column: Floats,
        table: ScoreTable,
        values: ByClass,
    ) -> tuple[ByClass, npt.NDArray[np.intp]]:
        """The means over the rows of each bin, and the bin of each of the kinds."""
        place = np.searchsorted(-self.view.centres, -column[kinds])
        return self._mean_in_bins(table, values), place

    def _mean_in_bins(self, table: ScoreTable, values: ByClass) -> ByClass:
        """Means over the rows of each bin, shape (G,); 0 where it has none of a class.

        ``values``: of each class at each entry of a ``table`` that is finer, shape (D,).
        """
        place, size = self._place(table), len(self.view.centres)

        def mean(weight: Floats, value: Floats) -> Floats:
            rows = np.bincount(place, weight, size)
            worth = np.bincount(place, np.where(weight > 0, weight * value, 0.0), size)
            return np.divide(worth, rows, out=np.zeros(size), where=rows > 0)

        return mean(table.positives, values[0]), mean(table.negatives, values[1])

    def lost(self, table: ScoreTable, slopes: ByClass) -> float:
        """What a variance lacks that is made of bins: the spread of ``slopes`` within each bin.

        As of independent rows, so that what models or rows of a cluster share within a bin is
        not counted in their favour.
        """
        place, means = self._place(table), self._mean_in_bins(table, slopes)
        total = 0.0
        for slope, mean, weight, own in zip(
            slopes,
            means,
            (table.positives, table.negatives),
            (table.squares_positive, table.squares_negative),
            strict=True,
        ):
            squares = weight if own is None else own
            apart = np.where(weight > 0, slope - mean[place], 0.0)
            total += float(np.sum(squares * apart**2))
        return total

    def _place(self, table: ScoreTable) -> npt.NDArray[np.intp]:
        """The place of the bin that each entry of a finer table lies in."""
        return np.searchsorted(-self.view.lows, -table.scores)

    def _score_table(self, where: Slice, index: int | None) -> ScoreTable:
        view = self.view
        finer = _counted(view, where)
        if finer is not None:
            return finer
        own = self.drawn_scores(where, index)
        # of the bins those that occur in the slice
        place = np.searchsorted(-view.centres, -own.scores)
        return BinnedScores(
            view.lows[place],
            own.positives,
            own.negatives,
            own.squares_positive,
            own.squares_negative,
            highs=view.highs[place],
            bins=len(view.centres),
        )


def _counted(view: TabledView, where: Slice) -> ScoreTable | None:
    """The table of a slice that was counted; None where its columns were not counted by."""
    columns = tuple(column for column, _ in where.subgroup)
    place = [
        view.groups[c][1].index(value) for c, value in where.subgroup if value in view.groups[c][1]
    ]
    if where.fold is not None:
        assert view.fold is not None
        columns, place = (FOLD,), [view.fold[1].index(where.fold)]
    tables = view.score_tables.get(columns)
    if tables is None:
        return None
    found = tables.get(tuple(place))
    return found if found is not None else _nothing(view.bins)


def _nothing(bins: int | None) -> ScoreTable:
    none, zero = np.zeros(0), np.zeros(0, np.int64)
    if bins is None:
        return ScoreTable(none, zero, zero)
    return BinnedScores(none, zero, zero, highs=none, bins=bins)
