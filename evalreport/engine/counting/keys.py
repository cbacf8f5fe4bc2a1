"""Columns to count by: as codes where their values are few texts, else as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting import queries
from evalreport.engine.counting.counted_values import values_of

if TYPE_CHECKING:
    from evalreport.engine.counting.answering import CountedRows

Codes = npt.NDArray[np.int64]

#: Up to so many texts a column is coded by the query itself.
FEW = 64


@dataclass(frozen=True)
class Key:
    """A column whose values have known ``codes``."""

    column: str
    codes: Mapping[Any, int]

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
            return np.asarray(np.ma.getdata(values).astype(np.int64))
        written = values_of(rows, self.column, values)
        return np.fromiter(map(self.codes.__getitem__, written), np.int64, len(written))
