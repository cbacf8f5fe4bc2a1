"""Which stored type of Parquet becomes which kind of column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from evalreport.data.table import CodedText, Kind, RawColumn

_INTEGERS = {
    f"{sign}{size}" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
}
_FLOATS: dict[str, Kind] = {"FLOAT": "float32", "DOUBLE": "float64"}
_WITH_ZONE = "TIMESTAMP WITH TIME ZONE"
_AS_TEXT = ("VARCHAR", "DATE", "TIME", "TIMESTAMP", "INTERVAL", "UUID", "ENUM", "DECIMAL")
_LIST = "VARCHAR[]"
#: Lists of numbers, of any length or of a fixed one.
_VECTOR = re.compile(r"(U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\([0-9,]+\))\[[0-9]*\]")


def readable(kind: str) -> bool:
    """Whether columns of a DuckDB type are read.

    >>> readable("DECIMAL(10,2)"), readable("STRUCT(a INTEGER)"), readable("DATE[]")
    (True, False, False)
    """
    if kind in _INTEGERS or kind in _FLOATS or kind in ("BOOLEAN", _LIST):
        return True
    if _VECTOR.fullmatch(kind):
        return True
    return kind.startswith(_AS_TEXT) and not kind.endswith("]")


def is_number(kind: str) -> bool:
    """Whether values of a DuckDB type are held as numbers, not as objects."""
    return kind in _INTEGERS or kind in _FLOATS or kind == "BOOLEAN"


def expression(kind: str, column: str) -> str:
    """What is selected of a column: itself, or its text where numpy would change it."""
    if kind in _INTEGERS or kind in _FLOATS or kind in ("BOOLEAN", "VARCHAR", _LIST):
        return column
    if _VECTOR.fullmatch(kind):
        return f"CAST({column} AS DOUBLE[])"
    if kind == _WITH_ZONE:
        # Written in UTC, whatever the zone of the machine.
        return f"CAST(make_timestamp(epoch_us({column})) AS VARCHAR) || '+00'"
    return f"CAST({column} AS VARCHAR)"


def parquet_column(name: str, kind: str, values: Any) -> RawColumn:
    """The column of what DuckDB gave as numpy values, masked where NULL."""
    missing = np.ma.getmaskarray(values).copy()
    data = np.ma.getdata(values)
    if kind in _FLOATS:
        return RawColumn(name, _FLOATS[kind], data, missing | np.isnan(data))
    if kind in _INTEGERS:
        return RawColumn(name, "integer", data, missing)
    if kind == "BOOLEAN":
        return RawColumn(name, "boolean", data.astype(np.bool_), missing)
    if kind == _LIST:
        lists = np.empty(len(data), object)
        for row in np.flatnonzero(~missing).tolist():
            lists[row] = _texts(data[row])
        return RawColumn(name, "list", lists, missing)
    if _VECTOR.fullmatch(kind):
        vectors = np.empty(len(data), object)
        for row in np.flatnonzero(~missing).tolist():
            gaps = np.ma.getmaskarray(data[row])
            given = np.ma.getdata(data[row]).tolist()
            vectors[row] = [None if gap else v for v, gap in zip(given, gaps, strict=True)]
        return RawColumn(name, "vector", vectors, missing)
    return RawColumn(name, "text", data, missing)


def place_of(column: int) -> str:
    """What is selected of a column of text that is listed: the place of its text, from 0."""
    return f"enum_code(CAST(c{column} AS t{column}))"


def text_column(name: str, places: Any, texts: Sequence[str]) -> RawColumn:
    """A column of text of the places of its texts, masked where NULL; rows share the texts."""
    of = np.ma.getdata(places).astype(np.int32)
    of[np.ma.getmaskarray(places)] = -1
    return CodedText.of(name, of, texts)


def _texts(values: Any) -> list[str]:
    gaps = np.ma.getmaskarray(values)
    return ["" if gap else str(v) for v, gap in zip(np.ma.getdata(values), gaps, strict=True)]
