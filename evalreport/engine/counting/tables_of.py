"""The tables of a view: built from rows in memory, or taken from what was counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.engine.counting.classification import ClassificationTable
from evalreport.engine.counting.counted_view import FOLD, CountedView
from evalreport.engine.counting.memory import MemoryTables, counted_cells
from evalreport.engine.counting.set_tables import SetTables
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import View
from evalreport.results.identity import Slice


def tables_of(view: View) -> MemoryTables:
    """The tables of one dataset and model."""
    if isinstance(view, SetView):
        return SetTables(view)
    return CountedTables(view) if isinstance(view, CountedView) else MemoryTables(view)


class CountedTables(MemoryTables):
    """Tables of a view without rows; what would need single rows was refused before."""

    view: CountedView

    def rows_of(self, where: Slice) -> npt.NDArray[np.bool_] | None:
        raise TypeError(f"a counted view holds no rows ({where})")

    def kinds(self, where: Slice) -> npt.NDArray[np.intp]:
        raise TypeError(f"a counted view holds no rows ({where})")

    def row_count(self, where: Slice) -> int:
        cells = self.view.counted
        return int(cells.rows[self._inside(where)].sum())

    def clusters(
        self,
        where: Slice,  # noqa: ARG002 - as for rows in memory
        threshold: float | None,  # noqa: ARG002
        indeterminate: str | None = None,  # noqa: ARG002
    ) -> None:
        return None

    def _inside(self, where: Slice) -> npt.NDArray[np.bool_]:
        """Which cells a slice holds."""
        cells = self.view.counted
        inside = np.ones(len(cells.rows), np.bool_)
        for column, value in where.subgroup:
            codes, names = cells.groups[column]
            inside &= codes == (names.index(value) if value in names else -1)
        if where.fold is not None:
            assert self.view.fold is not None
            codes, names = self.view.fold
            inside &= codes == names.index(where.fold)
        return inside

    def _classify(self, where: Slice, threshold: float | None) -> ClassificationTable:
        view = self.view
        if view.has_score:
            return self._classify_scores(where, threshold)
        cells = view.counted
        assert cells.predicted is not None
        inside = self._inside(where)
        width = len(view.labels) + len(view.indeterminate)
        code = cells.actual[inside].astype(np.int64) * width + cells.predicted[inside]
        found = counted_cells(code, cells.rows[inside], width)
        return ClassificationTable(
            view.labels, view.positive, found, self.row_count(where), view.indeterminate
        )

    def _score_table(
        self,
        where: Slice,
        index: int | None,  # noqa: ARG002 - there is one column of scores
    ) -> ScoreTable:
        view = self.view
        columns = tuple(column for column, _ in where.subgroup)
        place = [
            view.counted.groups[c][1].index(value)
            for c, value in where.subgroup
            if value in view.counted.groups[c][1]
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
