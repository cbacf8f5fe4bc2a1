"""Tables handed over in memory: a pandas data frame or a mapping of columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from evalreport.data.delimited import check_names
from evalreport.data.table import Kind, RawColumn, RawTable
from evalreport.data.typed_values import column_of
from evalreport.errors import DataError, Location, Problem

_KINDS: dict[str, Kind] = {"b": "boolean", "i": "integer", "u": "integer", "f": "float64"}


def read_frame(frame: Any, name: str, columns: Collection[str] | None = None) -> RawTable:
    """The rows of a data frame, or of a mapping from column name to equally long values.

    The index of a frame is not looked at; a column named by a whole number is named by its
    digits, as in a file. Raises DataError for names that are repeated or neither text nor
    whole numbers, for columns of different length, and for no rows.
    """
    given = _names(frame, name)
    header = [_name(column, name) for column in given]
    check_names(header, name)
    series = [_series(frame, index, key, name) for index, key in enumerate(given)]
    lengths = {column: len(values) for column, values in zip(header, series, strict=True)}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{column}: {length}" for column, length in lengths.items())
        raise DataError(
            Problem(
                f"columns are not equally long ({told})",
                "give every column one value per row",
                Location(name),
            )
        )
    rows = next(iter(lengths.values()), 0)
    if not rows:
        raise DataError(Problem("the table has no rows", "give at least one", Location(name)))
    kept = {
        column: _column(column, values, name)
        for column, values in zip(header, series, strict=True)
        if columns is None or column in columns
    }
    return RawTable(name=name, rows=rows, header=tuple(header), columns=kept)


def _names(frame: Any, name: str) -> list[Any]:
    if not isinstance(frame, Mapping) and not hasattr(frame, "iloc"):
        raise DataError(
            Problem(
                f"a {type(frame).__name__} is not a table",
                "give a pandas data frame, or a mapping of columns",
                Location(name),
            )
        )
    return list(frame) if isinstance(frame, Mapping) else list(frame.columns)


def _series(frame: Any, index: int, key: Any, name: str) -> Any:
    values = frame[key] if isinstance(frame, Mapping) else frame.iloc[:, index]
    if isinstance(values, str) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) != 1:
        raise DataError(
            Problem(
                f"column '{key}' does not have one value per row",
                "give a list or a one-dimensional array",
                Location(name),
            )
        )
    return values


def _name(column: Any, name: str) -> str:
    if isinstance(column, str):
        return column
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
        return str(column)
    raise DataError(
        Problem(
            f"the column name {column!r} is not text",
            "name columns with text or whole numbers",
            Location(name),
        )
    )


def _column(column: str, values: Any, name: str) -> RawColumn:
    dtype = getattr(values, "dtype", None)
    kind = _KINDS.get(dtype.kind) if isinstance(dtype, np.dtype) else None
    if isinstance(dtype, np.dtype) and dtype.kind == "M":
        texts = np.datetime_as_string(np.asarray(values))
        return column_of(column, [None if t == "NaT" else t for t in texts.tolist()], name)
    if kind is None:
        return column_of(column, list(values), name)
    missing = np.ma.getmaskarray(values).copy()
    array = np.array(np.ma.getdata(values))
    if kind != "float64":
        return RawColumn(column, kind, array, missing)
    missing |= np.isnan(array)
    if array.dtype.itemsize <= 4:
        return RawColumn(column, "float32", array.astype(np.float32), missing)
    return RawColumn(column, kind, array.astype(np.float64), missing)
