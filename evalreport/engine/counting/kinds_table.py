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

from evalreport.data.table import PARTNER, RawColumn, RawTable
from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import Columns, CountedRows
from evalreport.engine.counting.loading import VALUE_BYTES
from evalreport.engine.counting.wanted import TooManyKindsError
from evalreport.errors import DataError, Location, Problem

#: So few kinds are held, however low the limit of memory.
LEAST_KINDS = 1_000


def kinds_table(
    rows: CountedRows,
    columns: Sequence[str],
    memory: int,
    id_column: str | None = None,
    repeats: bool = False,
) -> RawTable:
    """The kinds of all rows by ``columns``, in an order of their own.

    Columns that are not there are left out: who needs them says so. Of ``id_column`` it is
    known whether a row has one; ``repeats``: it may stand in several rows.

    Raises TooManyKindsError where kinds take more than ``memory`` bytes, DataError for an id
    that is not unique.
    """
    kept = [c for c in dict.fromkeys(columns) if c in rows.header and c != id_column]
    kept += [PARTNER] if PARTNER in rows.header and PARTNER not in kept else []
    by: list[queries.Tree] = []
    if id_column is not None and id_column in rows.header:
        if not repeats:
            _check_unique(rows, id_column)
        by.append(queries.flag(rows.field(id_column).empty))
    answer = _asked(rows, kept, by, memory)
    held = [rows.column(c, rows.field(c).kind, answer[f"k{i}"]) for i, c in enumerate(kept)]
    times = np.ma.getdata(answer["n"]).astype(np.int64)
    if by and id_column is not None:
        gaps = np.ma.getdata(answer[f"k{len(kept)}"]).astype(np.int64) == 1
        named = np.full(len(times), "id", object)
        held.append(RawColumn(id_column, "text", named, gaps))
    order = np.lexsort([times, *(key for one in held for key in _keys(one))])
    return RawTable(
        rows.name,
        len(times),
        rows.header,
        {one.name: _taken(one, order) for one in held},
        times=times[order],
    )


def kinds_by(
    rows: CountedRows, column: str, by: Sequence[queries.Tree], memory: int
) -> tuple[RawTable, list[Any]]:
    """The kinds of all rows by a column and by what else they are told apart by, with that.

    Raises TooManyKindsError where kinds take more than ``memory`` bytes.
    """
    answer = _asked(rows, [column], by, memory)
    held = rows.column(column, rows.field(column).kind, answer["k0"])
    times = np.ma.getdata(answer["n"]).astype(np.int64)
    table = RawTable(rows.name, len(times), rows.header, {column: held}, times=times)
    return table, [answer[f"k{i + 1}"] for i in range(len(by))]


def _asked(
    rows: CountedRows, columns: Sequence[str], by: Sequence[queries.Tree], memory: int
) -> Columns:
    trees = [*(rows.field(c).value for c in columns), *by]
    most = max(LEAST_KINDS, memory // (VALUE_BYTES * max(len(trees), 1)))
    if rows.rows > most:  # type: ignore[attr-defined]
        count = int(rows.ask(queries.how_many(trees, None))["n"][0])
        if count > most:
            raise TooManyKindsError(f"by {', '.join(columns)} there are {count:,} kinds of rows")
    return rows.ask(queries.kinds(trees, None, rows.times))


def _check_unique(rows: CountedRows, column: str) -> None:
    twice = rows.ask(queries.repeated(rows.field(column)))
    for value, count in zip(twice["k0"].tolist(), twice["n"].tolist(), strict=True):
        what = f"{column} is not unique: {value!r} stands in {count} rows"
        raise DataError(Problem(what, "give each row its own id", Location(rows.name)))


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
