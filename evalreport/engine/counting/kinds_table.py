"""Kinds of whole rows, counted where they lie, as a table that says how many rows each stands for.

Columns are counted together, whatever part they play: what checks and describes rows in memory
takes the table as it takes rows, and counts what each kind stands for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import quoted
from evalreport.data.table import PARTNER, RawColumn, RawTable
from evalreport.engine.counting import queries
from evalreport.engine.counting.duckdb_rows import DuckDBRows, KindsOf
from evalreport.engine.counting.in_intervals import interval_fields, rounded_fields
from evalreport.engine.counting.in_periods import period_fields
from evalreport.engine.counting.wanted import (
    BYTES,
    LEAST_KINDS,
    NotPlainError,
    TooManyKindsError,
    Wanted,
)
from evalreport.errors import DataError, Location, Problem

#: Bytes that a value takes at most which is a text, or a list, of its own.
OWN_BYTES = 160


def kinds_table(rows: DuckDBRows, wanted: Wanted) -> RawTable:
    """The kinds of all rows by the columns that are wanted, in an order of their own.

    Columns that are not there are left out: who needs them says so. Raises as
    :func:`kinds_of`.
    """
    asked = kinds_of(rows, wanted)
    held, counts = rows.kinds(asked)
    times = np.ma.getdata(counts).astype(np.int64)
    order = np.lexsort([times, *(key for one in held for key in _keys(one))])
    return RawTable(
        rows.name,
        len(times),
        rows.header,
        {one.name: _taken(one, order) for one in held},
        times=times[order],
    )


def kinds_of(rows: DuckDBRows, wanted: Wanted) -> KindsOf:
    """What the rows are to be counted by, once what they hold has been looked at.

    Raises TooManyKindsError where kinds take more room than there is, DataError for an id that is
    not unique, and for what is no date, number or score where one is wanted.
    """
    fields = {column: rows.field(column) for column in _kept(rows, wanted)}
    fields |= period_fields(rows, {c: wanted.periods[c] for c in wanted.periods if c in fields})
    edges = {c: wanted.intervals[c] for c in wanted.intervals if c in fields}
    fields |= interval_fields(rows, edges)
    fields |= rounded_fields(rows, {c: wanted.grains[c] for c in wanted.grains if c in fields})
    for column, field in fields.items():
        _check_numbers(rows, column, field)
    trees = [field.value for field in fields.values()]
    kinds = [field.shown for field in fields.values()]
    columns = [*fields]
    if wanted.id is not None and wanted.id in rows.header:
        own = rows.field(wanted.id)
        if not wanted.repeats:
            _check_unique(rows, wanted.id)
        columns, kinds = [*columns, wanted.id], [*kinds, "VARCHAR"]
        trees.append(queries.there(own))
    _check_room(rows, columns, trees, sum(_bytes(field) for field in fields.values()), wanted.room)
    return KindsOf(tuple(columns), tuple(kinds), queries.kinds(trees, None, rows.times))


def check_counts(rows: DuckDBRows) -> None:
    """Raise NotPlainError where rows do not say how many they stand for: reading names each."""
    if rows.times is None:
        return
    found = rows.ask(queries.uncountable(rows.times))
    wrong, total = (found[name].tolist()[0] for name in ("n", "total"))
    if wrong or not 0 < (total or 0.0) <= queries.MOST:
        raise NotPlainError("rows do not say how many they stand for")


def _kept(rows: DuckDBRows, wanted: Wanted) -> list[str]:
    apart = (wanted.id, wanted.count)
    kept = [c for c in dict.fromkeys(wanted.columns) if c in rows.header and c not in apart]
    return [*kept, *([PARTNER] if PARTNER in rows.header and PARTNER not in kept else [])]


def _bytes(field: queries.Field) -> int:
    return OWN_BYTES if field.shown == "JSON" or field.shown.endswith("]") else BYTES


def _check_room(
    rows: DuckDBRows, columns: Sequence[str], trees: Sequence[queries.Tree], width: int, room: int
) -> None:
    most = max(LEAST_KINDS, room // (width + BYTES))
    if rows.rows > most:
        count = int(rows.ask(queries.how_many(trees, None))["n"][0])
        if count > most:
            raise TooManyKindsError(count, columns, most)


def _check_unique(rows: DuckDBRows, column: str) -> None:
    twice = rows.ask(queries.repeated(rows.field(column)))
    for value, count in zip(twice["k0"].tolist(), twice["n"].tolist(), strict=True):
        what = f"{column} is not unique: {value!r} stands in {count} rows"
        raise DataError(Problem(what, "give each row its own id", Location(rows.name)))


def _check_numbers(rows: DuckDBRows, column: str, field: queries.Field) -> None:
    """Raise DataError where a column that was kept as numbers has something else."""
    if field.kind != "NUMBER":
        return
    wrong = queries.state(field).eq(queries.whole(queries.WRONG))
    count = int(rows.ask(queries.how_many_rows(wrong))["n"][0])
    if count:
        what = f"{quoted(column)} is no finite number in {count:,} rows"
        raise DataError(Problem(what, "a number, or nothing", Location(rows.name)))


def _taken(column: RawColumn, order: npt.NDArray[np.intp]) -> RawColumn:
    return replace(column, values=column.values[order], missing=column.missing[order])


def _keys(column: RawColumn) -> Iterator[npt.NDArray[Any]]:
    """What kinds are sorted by: values of a column, in an order that no engine decides."""
    if column.values.dtype != object:
        yield np.where(column.missing, np.zeros(1, column.values.dtype), column.values)
        yield column.missing
        return
    codes, values = column.factorize()
    written = [_written(value) for value in values]
    place = np.empty(len(values) + 1, np.int64)
    place[sorted(range(len(values)), key=written.__getitem__)] = np.arange(len(values))
    place[-1] = -1
    yield place[codes]


def _written(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(value)
