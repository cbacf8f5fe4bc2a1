"""Columns of Python values whose types are known one by one: JSON lines and frames."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from evalreport.data.table import Kind, RawColumn
from evalreport.errors import DataError, Location, Problem

_SURROGATE = re.compile("[\ud800-\udfff]")
_DATES = (dt.date, dt.time, dt.timedelta)


def column_of(name: str, values: Sequence[Any], file: str) -> RawColumn:
    """A column of the values as they are: None and NaN are missing, nothing is converted.

    Dates and decimals become their text, numpy scalars Python values. Raises DataError
    for a value that is no text, number, boolean or list of texts or numbers.
    """
    if set(map(type, values)) == {str}:
        plain: list[Any] = list(values)
    else:
        plain = [plain_value(value, name, row, file) for row, value in enumerate(values)]
    _check_text(plain, name, file)
    missing = np.fromiter((value is None for value in plain), np.bool_, len(plain))
    types = {type(value) for value in plain if value is not None}
    kind = _kind(types, plain)
    return RawColumn(name, kind, _array(kind, plain, missing), missing)


def _check_text(values: Sequence[Any], name: str, file: str) -> None:
    """Half of a surrogate pair is no character: it could be written to no file."""
    texts = [value for value in values if isinstance(value, str)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        row = next(i for i, v in enumerate(values) if isinstance(v, str) and _SURROGATE.search(v))
        raise DataError(
            Problem(
                f"row {row + 1} of column '{name}' contains half of a surrogate pair",
                "give whole characters",
                Location(file),
            )
        ) from None


def _kind(types: set[type], plain: Sequence[Any]) -> Kind:
    if types <= {str}:
        # A column of nothing but empty text says nothing of its type.
        return "text"
    if types == {bool}:
        return "boolean"
    if types == {int}:
        return "integer"
    if types <= {int, float} and _exact_as_floats(plain):
        return "float64"
    if types != {list}:
        return "mixed"
    parts = {type(part) for value in plain if value is not None for part in value}
    return "list" if parts <= {str} else "vector" if str not in parts else "mixed"


def _exact_as_floats(values: Sequence[Any]) -> bool:
    return all(abs(v) <= 2**53 for v in values if type(v) is int)


def _array(kind: Kind, plain: list[Any], missing: Any) -> Any:
    if kind in ("boolean", "integer", "float64"):
        zero: Any = {"boolean": False, "integer": 0, "float64": 0.0}[kind]
        filled = [zero if value is None else value for value in plain]
        if kind != "integer" or all(-(2**63) <= v < 2**63 for v in filled):
            return np.array(filled, {"boolean": bool, "integer": np.int64}.get(kind, np.float64))
        plain = filled
    values = np.empty(len(plain), object)
    for row, value in enumerate(plain):
        values[row] = "" if value is None and kind == "text" else value
    assert len(missing) == len(values)
    return values


def _plain_list(value: Any) -> list[Any] | None:
    """A list of texts, or of numbers (None where one is missing); None for any other."""
    parts = value.tolist() if isinstance(value, np.ndarray) else list(value)
    parts = [part.item() if isinstance(part, np.generic) else part for part in parts]
    if all(isinstance(part, str) for part in parts):
        return parts
    if all(_is_number(part) for part in parts):
        return [None if part is None else float(part) for part in parts]
    return None


def _is_number(part: Any) -> bool:
    return part is None or (isinstance(part, int | float) and not isinstance(part, bool))


def plain_value(value: Any, name: str, row: int, file: str) -> Any:
    """Text, a number, a boolean, a list, or None where there is no value.

    A list holds texts, or numbers of which some may be missing. Raises DataError for
    anything else, with its ``row`` (from 0).
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, decimal.Decimal):
        return None if value.is_nan() else str(value)
    if isinstance(value, _DATES):
        # pandas' "not a time" is a date that is not equal to itself.
        return None if value != value else str(value)  # noqa: PLR0124
    if isinstance(value, list | tuple | np.ndarray):
        parts = _plain_list(value)
        if parts is not None:
            return parts
    if type(value).__name__ == "NAType":
        return None
    raise DataError(
        Problem(
            f"row {row + 1} of column '{name}' has a value of type {type(value).__name__}",
            "give text, numbers, booleans, or lists of text or of numbers",
            Location(file),
        )
    )
