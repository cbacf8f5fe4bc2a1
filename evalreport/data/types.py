"""Types that a spec declares for columns: they settle what text stands for."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from evalreport.data.findings import SHOWN_ROWS, quoted, rows_problem, shown_value
from evalreport.data.labels import written
from evalreport.data.scores import number_of
from evalreport.data.table import Array, Kind, RawColumn, RawTable
from evalreport.errors import DataError, Location, Problem, did_you_mean

ColumnType = Literal["text", "integer", "number", "boolean"]

_INTEGER = re.compile(r"[+-]?[0-9]{1,1000}")
#: Whole numbers up to here are doubles.
_EXACT = 2.0**53
_TRUTH = {"true": True, "false": False, "1": True, "0": False}


def _nowhere(_: str) -> Location | None:
    return None


def with_types(
    table: RawTable,
    types: Mapping[str, ColumnType],
    where: Callable[[str], Location | None] = _nowhere,
) -> RawTable:
    """The table with the columns of ``types`` read as declared; others stay as they are.

    ``1``, ``1.0`` and ``+1`` in a column of numbers are one value. ``where`` tells where the
    type of a column is declared. Raises DataError naming the rows with values that are not of
    the type, and columns that the table has not.
    """
    columns, problems = dict(table.columns), list[Problem]()
    for name, kind in types.items():
        if name in columns:
            columns[name], found = _converted(table, columns[name], kind)
            problems += found
        elif name not in table.header:
            what = f"{table.name} has no column {quoted(name)}, whose type is declared"
            hint = did_you_mean(name, table.header, "columns")
            problems.append(Problem(what, hint, where(name)))
    if problems:
        raise DataError(*problems)
    return dataclasses.replace(table, columns=columns, _kept={})


def _converted(
    table: RawTable, column: RawColumn, kind: ColumnType
) -> tuple[RawColumn, list[Problem]]:
    codes, values = column.factorize()
    made = [_CONVERT[kind](value) for value in values]
    wrong = [number for number, value in enumerate(made) if value is None]
    if wrong:
        rows = np.flatnonzero(np.isin(codes, wrong))
        shown = [shown_value(values[codes[row]]) for row in rows[:SHOWN_ROWS]]
        what = f"{column.name} is not of the declared type {kind}"
        problem = rows_problem(
            table, what, rows[:SHOWN_ROWS].tolist(), _INSTEAD[kind], shown, len(rows)
        )
        return column, [problem]
    array = _array(kind, made)[codes]
    gaps = np.array([*(isinstance(v, float) and math.isnan(v) for v in made), True], np.bool_)
    return RawColumn(column.name, _KINDS[kind], array, gaps[codes]), []


def _array(kind: ColumnType, made: list[Any]) -> Array:
    """The values by code, with one more for the code -1 of missing rows."""
    if kind == "number":
        return np.array([*made, np.nan], np.float64)
    if kind == "boolean":
        return np.array([*made, False], np.bool_)
    if kind == "integer" and all(abs(value) < 2**63 for value in made):
        return np.array([*made, 0], np.int64)
    array = np.empty(len(made) + 1, object)
    array[:-1] = made
    array[-1] = 0 if kind == "integer" else ""
    return array


def _text(value: Any) -> str | None:
    return None if isinstance(value, list) else written(value).text


def _number(value: Any) -> float | None:
    """The number, where a double tells it from its neighbours: two classes stay two."""
    number = number_of(value)
    if isinstance(number, str):
        return None
    if math.isnan(number) or abs(number) < _EXACT or isinstance(value, float):
        return number
    return number if Decimal(str(value)) == Decimal(number) else None


def _integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return int(value) if _INTEGER.fullmatch(value) else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) else None


def _boolean(value: Any) -> bool | None:
    return None if isinstance(value, list) else _TRUTH.get(written(value).text.casefold())


_CONVERT: dict[ColumnType, Callable[[Any], Any]] = {
    "text": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}
_KINDS: dict[ColumnType, Kind] = {
    "text": "text",
    "integer": "integer",
    "number": "float64",
    "boolean": "boolean",
}
_INSTEAD: dict[ColumnType, str] = {
    "text": "give text",
    "integer": "give whole numbers",
    "number": "give finite numbers with a decimal point, within the range of a double",
    "boolean": "give true or false",
}
