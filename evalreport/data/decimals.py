"""What a file writes in its own way, brought into the form that every other file has.

Blanks around values, decimal commas, codes for gaps, and long tables: one row for each case and
class becomes one row for each case.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.dialect import BLANKS, DECIMAL_COMMA, THOUSANDS, Dialect
from evalreport.data.findings import SHOWN_ROWS, nearest_column, quoted, rows_problem, some
from evalreport.data.label_column import texts
from evalreport.data.labels import as_number, written
from evalreport.data.limits import MOST_GROUPS, limit_distinct
from evalreport.data.scores import number_of
from evalreport.data.table import RawColumn, RawTable
from evalreport.data.typed_values import column_of
from evalreport.errors import DataError, LimitError, Location, Problem, did_you_mean

#: Cells of the made table that are always few, and cells for each row of the long one.
FEW_CELLS, MOST_GAPS = 2_000_000, 20


def pivoted(table: RawTable, row: str, column: str, value: str) -> RawTable:
    """The table with a row for each value of ``row``: a column for each value of ``column``.

    Those columns hold ``value``; every other column is as in the first row of the case.
    Raises DataError for a class that a case has twice, and for columns that vary in a case;
    LimitError for very many classes, and for a table that would be nearly all gaps.
    """
    for name in (row, column, value):
        if name not in table.columns:
            hint = did_you_mean(name, table.header, "columns")
            raise DataError(
                Problem(
                    f"{table.name} has no column {quoted(name)} (read: pivot)",
                    hint,
                    Location(table.name),
                )
            )
    cases, _ = texts(table, row)
    kinds, names = texts(table, column)
    if (cases < 0).any() or (kinds < 0).any():
        first = int(np.flatnonzero((cases < 0) | (kinds < 0))[0])
        raise DataError(Problem(f"{row} or {column} is empty", "fill it in", table.where(first)))
    count = int(cases.max()) + 1
    limit_distinct(table.name, f"{column}, whose values become columns,", len(names), MOST_GROUPS)
    if count * len(names) > max(FEW_CELLS, MOST_GAPS * table.rows):
        what = f"{count:,} cases by {len(names):,} classes, of which {table.rows:,} are given"
        raise LimitError(Problem(what, "a value for each case and class", Location(table.name)))
    _check_once(table, cases * np.int64(len(names)) + kinds, row, column)
    start = np.full(count, -1, np.int64)
    start[cases[::-1]] = np.arange(len(cases))[::-1]
    others = [c for c in table.columns if c not in (column, value)]
    _check_constant(table, cases, start, [c for c in others if c != row], row)
    columns = {c: table.columns[c].placed(start) for c in others}
    order = np.argsort(kinds, kind="stable")
    ends = np.searchsorted(kinds[order], np.arange(len(names) + 1))
    for code, name in enumerate(names):
        if name in columns:
            raise DataError(
                Problem(
                    f"{quoted(name)} is a class and a column", "another name", Location(table.name)
                )
            )
        own = order[ends[code] : ends[code + 1]]
        places = np.full(count, -1, np.int64)
        places[cases[own]] = own
        columns[name] = table.columns[value].placed(places, name)
    lines = None
    if table.line(0) is not None:
        lines = np.array([table.line(row) for row in start.tolist()], np.int64)
    return RawTable(
        name=table.name,
        rows=count,
        header=tuple(columns),
        columns=columns,
        sha256=table.sha256,
        lines=lines,
    )


def _check_once(table: RawTable, pairs: Any, row: str, column: str) -> None:
    _, first, counts = np.unique(pairs, return_index=True, return_counts=True)
    twice = first[counts > 1]
    if len(twice):
        raise DataError(
            Problem(
                f"{row} and {column} occur together in several rows",
                "one row for each case and class",
                table.where(int(twice[0])),
            )
        )


def _check_constant(table: RawTable, cases: Any, first: Any, names: list[str], row: str) -> None:
    varying = []
    for name in names:
        codes = table.columns[name].factorize()[0]
        if (codes != codes[first[cases]]).any():
            varying.append(quoted(name))
    if varying:
        raise DataError(
            Problem(
                f"{some(varying[:SHOWN_ROWS])} varies among the rows of one {row}",
                "columns that are the same for all rows of a case",
                Location(table.name),
            )
        )


_DECIMAL_COMMA, _THOUSANDS = re.compile(DECIMAL_COMMA), re.compile(THOUSANDS)
_DIGITS = re.compile(r"[+-]?[0-9][0-9.,]*( ?%)?")


def check_read_columns(dialect: Dialect, header: Sequence[str], name: str) -> None:
    """Raise DataError for columns of which `read` says how they are written, and no file has."""
    coded = dialect.missing if isinstance(dialect.missing, Mapping) else ()
    problems = [
        Problem(
            f"{name} has no column {quoted(column)} (read: {key})",
            nearest_column(column, header),
            Location(name),
        )
        for key, columns in (("missing", coded), ("percent", dialect.percent))
        for column in columns
        if column not in header
    ]
    if problems:
        raise DataError(*problems)


def in_dialect(table: RawTable, dialect: Dialect) -> RawTable:
    """The table with numbers as every other file has them: a decimal point, shares of 1.

    Raises DataError for a column of percentages that holds something else, for columns that
    are not there, and for numbers whose points may be of thousands beside decimal commas.
    """
    as_usual = dialect.decimal == "." and not (dialect.percent or dialect.missing)
    if as_usual and not dialect.strip and dialect.pivot is None:
        return table
    check_read_columns(dialect, table.header, table.name)
    columns = dict(table.columns)
    if dialect.strip:
        columns = {name: _stripped(column) for name, column in columns.items()}
    if dialect.missing:
        columns = {name: _gapped(column, dialect.gaps(name)) for name, column in columns.items()}
    if dialect.decimal == ",":
        columns = {name: _pointed(table, column) for name, column in columns.items()}
    table = dataclasses.replace(table, columns=columns, _kept={})
    for name in dialect.percent:
        if name in columns:
            columns[name] = _shares(table, columns[name])
    table = dataclasses.replace(table, columns=columns, _kept={})
    return table if dialect.pivot is None else pivoted(table, *dialect.pivot)


def _stripped(column: RawColumn) -> RawColumn:
    """The column without blanks around its texts; a text of blanks only is no value."""
    if column.kind == "mixed":
        plain = [v.strip(BLANKS) if isinstance(v, str) else v for v in column.values.tolist()]
        gone = [m or v == "" for v, m in zip(plain, column.missing.tolist(), strict=True)]
        return column_of(column.name, _masked(plain, gone, None), "")
    if column.kind != "text":
        return column
    values = _objects([value.strip(BLANKS) for value in column.values.tolist()])
    missing = column.missing | np.asarray(values == "", np.bool_)
    return dataclasses.replace(column, values=values, missing=missing)


def _gapped(column: RawColumn, gaps: Sequence[str]) -> RawColumn:
    """The column without a value where it has one of the codes; numbers by their value."""
    if not gaps or not column.single:
        return column
    none = frozenset(gaps)
    if column.kind in ("text", "mixed"):
        texts = map(_text, column.values.tolist())
        gone = np.fromiter((text in none for text in texts), np.bool_, len(column.values))
    elif column.kind == "boolean":
        gone = np.isin(column.values, [word == "true" for word in none & {"true", "false"}])
    else:
        codes = [float(number) for code in none if (number := as_number(code)) is not None]
        gone = np.isin(column.values, codes)
    missing = column.missing | gone
    if column.kind == "mixed":
        return column_of(column.name, _masked(column.values.tolist(), missing.tolist(), None), "")
    if column.kind == "text":
        values = _objects(_masked(column.values.tolist(), missing.tolist(), ""))
        return dataclasses.replace(column, values=values, missing=missing)
    return dataclasses.replace(column, missing=missing)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else written(value).text


def _masked(values: Sequence[Any], gone: Sequence[bool], none: Any) -> list[Any]:
    return [none if gap else value for value, gap in zip(values, gone, strict=True)]


def _pointed(table: RawTable, column: RawColumn) -> RawColumn:
    if column.kind != "text":
        return column
    values = column.values.tolist()
    grouped = [row for row, value in enumerate(values) if _THOUSANDS.fullmatch(value)]
    if grouped and all(not v or _DIGITS.fullmatch(v) for v in values):
        shown = [quoted(values[row]) for row in grouped[:SHOWN_ROWS]]
        what = f"{column.name} has points where decimals have a comma (read: decimal)"
        instead = "numbers without points between thousands, such as 1020 for 1.020"
        rows = grouped[:SHOWN_ROWS]
        raise DataError(rows_problem(table, what, rows, instead, shown, len(grouped)))
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
        what = f"{column.name} is not a percentage"
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
