"""Columns to count by: as codes where their values are few texts, else as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting import queries
from evalreport.engine.counting.counted_values import values_of
from evalreport.values import dataclass

if TYPE_CHECKING:
    from evalreport.engine.counting.answering import CountedRows

Codes = npt.NDArray[np.int64]

#: Up to so many texts a column is coded by the query itself.
FEW = 64


#: The code of a value that no row holds that is used.
UNUSED = -1


@dataclass(frozen=True)
class Key:
    """A column whose values have known ``codes``; ``partly``: the others are ``UNUSED``."""

    column: str
    codes: Mapping[Any, int]
    partly: bool = False

    def is_few(self, rows: CountedRows) -> bool:
        """Whether the query itself gives codes."""
        return rows.field(self.column).kind in ("VARCHAR", "JSON") and len(self.codes) <= FEW

    def tree(self, rows: CountedRows) -> queries.Tree:
        """What is counted by."""
        field = rows.field(self.column)
        return queries.coded(field, self.codes) if self.is_few(rows) else field.value

    def read(self, rows: CountedRows, values: Any) -> Codes:
        """The codes of what a query gave for the tree."""
        if self.is_few(rows):
            return np.asarray(np.ma.filled(values, UNUSED).astype(np.int64))
        data, gone = np.ma.getdata(values), np.ma.getmaskarray(values)
        if data.dtype == object:
            return self._each(rows, values)
        codes = np.empty(len(data), np.int64)
        # each number once, and once what is missing
        held, missing = np.flatnonzero(~gone), np.flatnonzero(gone)
        _, first, place = np.unique(data[held], return_index=True, return_inverse=True)
        codes[held] = self._each(rows, values[held[first]])[place.reshape(-1)]
        codes[missing] = self._each(rows, values[missing[:1]])
        return codes

    def _each(self, rows: CountedRows, values: Any) -> Codes:
        written = values_of(rows, self.column, values)
        return np.fromiter(map(self._code, written), np.int64, len(written))

    def _code(self, value: Any) -> int:
        return self.codes.get(value, UNUSED) if self.partly else self.codes[value]
