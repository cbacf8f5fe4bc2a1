"""Values of an answer as Python values that tell one value of a column from another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.data.table import RawColumn

if TYPE_CHECKING:
    from evalreport.engine.counting.answering import CountedRows


def values_of(rows: CountedRows, name: str, values: Any) -> list[Any]:
    """The values of an answer that tell one value of a column from another, None where missing.

    Of JSON they stay as written: 1, 1.0 and true would be one key.
    """
    kind = rows.field(name).kind
    if kind == "JSON":
        gone = np.ma.getmaskarray(values).tolist()
        texts = np.ma.getdata(values).tolist()
        return [None if gap else text for text, gap in zip(texts, gone, strict=True)]
    return plain(rows.column(name, kind, values))


def plain(column: RawColumn, rows: Any = slice(None)) -> list[Any]:
    """Values of a column as Python values, None where missing."""
    values: list[Any] = column.values[rows].tolist()
    gone = column.missing[rows].tolist()
    return [None if gap else value for value, gap in zip(values, gone, strict=True)]
