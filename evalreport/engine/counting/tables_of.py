"""The tables of a view: built from rows in memory, or taken from what was counted."""

from __future__ import annotations

from typing import overload

import numpy as np

from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.engine.counting.counted_view import FOLD, CountedView
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.counting.set_tables import SetTables
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import LabelView, View
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
        view = self.view
        columns = tuple(column for column, _ in where.subgroup)
        place = [
            view.groups[c][1].index(value)
            for c, value in where.subgroup
            if value in view.groups[c][1]
        ]
        if where.fold is not None:
            assert view.fold is not None
            columns, place = (FOLD,), [view.fold[1].index(where.fold)]
        found = view.score_tables[columns].get(tuple(place))
        return found if found is not None else _nothing(view)


def _nothing(view: CountedView) -> ScoreTable:
    none, zero = np.zeros(0), np.zeros(0, np.int64)
    if view.bins is None:
        return ScoreTable(none, zero, zero)
    return BinnedScores(none, zero, zero, highs=none, bins=view.bins)
