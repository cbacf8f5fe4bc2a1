"""What a file writes in its own way, as every other file has it: numbers, gaps, long tables."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.dialect import DECIMAL_COMMA, Dialect
from evalreport.data.findings import SHOWN_ROWS, quoted, rows_problem
from evalreport.data.pivot import pivoted
from evalreport.data.scores import number_of
from evalreport.data.table import RawColumn, RawTable
from evalreport.data.typed_values import column_of
from evalreport.errors import DataError

_DECIMAL_COMMA = re.compile(DECIMAL_COMMA)


def in_dialect(table: RawTable, dialect: Dialect) -> RawTable:
    """The table with numbers as every other file has them: a decimal point, shares of 1.

    Raises DataError for a column of percentages that holds something else.
    """
    if dialect.decimal == "." and not (dialect.percent or dialect.missing or dialect.pivot):
        return table
    columns = dict(table.columns)
    if dialect.missing:
        columns = {name: _gapped(column, dialect.missing) for name, column in columns.items()}
    if dialect.decimal == ",":
        columns = {name: _pointed(column) for name, column in columns.items()}
    table = dataclasses.replace(table, columns=columns, _kept={})
    for name in dialect.percent:
        if name in columns:
            columns[name] = _shares(table, columns[name])
    table = dataclasses.replace(table, columns=columns, _kept={})
    return table if dialect.pivot is None else pivoted(table, *dialect.pivot)


def _gapped(column: RawColumn, gaps: Sequence[str]) -> RawColumn:
    """The column without a value where it has one of the texts."""
    if column.kind not in ("text", "mixed"):
        return column
    none = frozenset(gaps)
    values = column.values.tolist()
    gone = np.fromiter((isinstance(v, str) and v in none for v in values), np.bool_, len(values))
    if not gone.any():
        return column
    missing = column.missing | gone
    if column.kind == "mixed":
        plain = [None if m else v for v, m in zip(values, missing, strict=True)]
        return column_of(column.name, plain, "")
    texts = _objects(["" if m else v for v, m in zip(values, missing, strict=True)])
    return dataclasses.replace(column, values=texts, missing=missing)


def _pointed(column: RawColumn) -> RawColumn:
    if column.kind != "text":
        return column
    values = column.values.tolist()
    made = [v.replace(",", ".") if _DECIMAL_COMMA.fullmatch(v) else v for v in values]
    return dataclasses.replace(column, values=_objects(made))


def _shares(table: RawTable, column: RawColumn) -> RawColumn:
    """The numbers of a column divided by 100, whether they carry a percent sign or not.

    They stay texts, in decimals: how far they are rounded is seen in them.
    """
    found = [""] * len(column.values)
    wrong = []
    for row in np.flatnonzero(~column.missing).tolist():
        value = column.values[row]
        if isinstance(value, str):
            value = value.strip().removesuffix("%").strip()
        number = number_of(value.item() if isinstance(value, np.generic) else value)
        if isinstance(number, str):
            wrong.append(row)
        else:
            plain = value if isinstance(value, str) else repr(number)
            found[row] = "" if math.isnan(number) else f"{Decimal(plain) / 100:f}"
    if wrong:
        shown = [quoted(str(column.values[row])) for row in wrong[:SHOWN_ROWS]]
        what = f"{column.name} is no percentage"
        raise DataError(
            rows_problem(
                table, what, wrong[:SHOWN_ROWS], "a number, with or without %", shown, len(wrong)
            )
        )
    values = _objects(found)
    return RawColumn(column.name, "text", values, np.asarray(values == "", np.bool_))


def _objects(values: Sequence[str]) -> npt.NDArray[Any]:
    made = np.empty(len(values), object)
    made[:] = values
    return made
