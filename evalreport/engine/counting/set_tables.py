"""The tables of a view: of one class in each row, or of sets of labels."""

from __future__ import annotations

from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.memory import MemoryTables, Tables
from evalreport.metrics.sets_table import LabelSets
from evalreport.metrics.tables import Counts
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import LabelView, View
from evalreport.results.identity import Slice

Floats = npt.NDArray[np.float64]

#: The four cells of a label, in the order they are stacked.
CELLS = ("tp", "fp", "fn", "tn")


class SetTables(Tables[SetView]):
    """Builds, once each, the tables of one dataset and model with sets of labels."""

    @cached_property
    def of_labels(self) -> tuple[MemoryTables, ...]:
        """The tables of each label against its absence, in the order of the labels."""
        return tuple(MemoryTables(self.view.of_label(k)) for k in range(len(self.view.labels)))

    def sets(self, where: Slice, threshold: float | None) -> LabelSets:
        """The sets of labels of the rows of a slice."""
        return self.once(("sets", where, threshold), lambda: self._sets(where, threshold))

    def counts(self, where: Slice, threshold: float | None) -> list[Counts]:
        """The four cells of each label, in the order of the labels."""
        return [one.classification(where, threshold).binary() for one in self.of_labels]

    def _sets(self, where: Slice, threshold: float | None) -> LabelSets:
        view = self.view
        alone = view.weight is None and view.cluster is None
        rows = self.kinds(where) if alone else self.rows(where)
        scores = view.label_scores
        return LabelSets(
            labels=view.labels,
            actual=view.actual_sets[rows],
            predicted=view.predicted_sets(threshold)[rows],
            scores=None if scores is None else scores[rows],
            times=None if view.weight is None else view.weight[rows],
            often=view.times[rows] if alone and view.times is not None else None,
            known=None if view.known is None else view.known[rows],
        )


def cell_flags(sets: LabelSets) -> Floats:
    """Which cell of each label a row falls into: 0 or 1, shape (n, 4, K)."""
    a, p = sets.actual, sets.predicted
    cells = np.stack([a & p, ~a & p, a & ~p, ~a & ~p], axis=1)
    return (cells if sets.known is None else cells & sets.known[:, None]).astype(np.float64)


def stacked_counts(cells: Floats) -> Counts:
    """Cells of shape (..., 4, K) as the counts of labels, arrays of shape (..., K)."""
    return Counts(**{name: cells[..., k, :] for k, name in enumerate(CELLS)})


def patterns(sets: LabelSets) -> tuple[LabelSets, npt.NDArray[np.int64]]:
    """The distinct rows of actual and predicted sets, and how many rows each stands for."""
    known = [] if sets.known is None else [sets.known]
    both = np.packbits(np.concatenate([sets.actual, sets.predicted, *known], axis=1), axis=1)
    _, first, kind = np.unique(both, axis=0, return_index=True, return_inverse=True)
    distinct = LabelSets(
        sets.labels,
        sets.actual[first],
        sets.predicted[first],
        known=None if sets.known is None else sets.known[first],
    )
    # Whole numbers below 2^53, so the sums are exact.
    return distinct, np.bincount(kind.reshape(-1), sets.often, len(first)).astype(np.int64)


@overload
def tables_of(view: LabelView) -> MemoryTables: ...
@overload
def tables_of(view: View) -> MemoryTables | SetTables: ...


def tables_of(view: View) -> MemoryTables | SetTables:
    """The tables of one dataset and model."""
    if isinstance(view, SetView):
        return SetTables(view)
    assert isinstance(view, LabelView)
    return MemoryTables(view)
