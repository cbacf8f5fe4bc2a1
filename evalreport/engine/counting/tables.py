"""Which rows of a view a slice holds, and tables that are built once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from evalreport.predict.view import View
from evalreport.results.identity import EVERYTHING, Slice

T = TypeVar("T")
Seen = TypeVar("Seen", bound=View)


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
        if self.view.times is not None:
            return int(self.view.times[slice(None) if mask is None else mask].sum())
        return len(self.view.row) if mask is None else int(np.count_nonzero(mask))

    def kinds(self, where: Slice) -> npt.NDArray[np.intp]:
        """Indices of what a slice holds in the order of the view: rows, or kinds of rows."""
        mask = self.rows_of(where)
        return np.arange(len(self.view.row)) if mask is None else np.nonzero(mask)[0]

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
