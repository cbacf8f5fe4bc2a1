"""Kinds of whole rows of files, as a table that says how many rows each stands for.

Columns are counted together, whatever part they play: what checks and describes rows in memory
takes the table as it takes rows, and counts what each kind stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.table import PARTNER, RawColumn, RawTable
from evalreport.engine.counting.duckdb_rows import DuckDBRows, KindsOf
from evalreport.engine.counting.file_columns import NUMBER
from evalreport.engine.databases.kinds import Asking
from evalreport.engine.databases.query_text import MOST, count_query, kinds_query
from evalreport.engine.databases.wanted import BYTES, NotPlainError, TooManyKindsError, Wanted

#: Bytes that a value takes at most which is a text, or a list, of its own.
OWN_BYTES = 160


def kinds_table(rows: DuckDBRows, wanted: Wanted) -> RawTable:
    """The kinds of all rows by the columns that are wanted, in an order of their own.

    Columns that are not there are left out: who needs them says so. Raises as
    :func:`kinds_of`, and NotPlainError where rows do not say how many they stand for.
    """
    held, counts, wrong = rows.kinds(kinds_of(rows, wanted))
    check_counts(wrong.any(), counts.sum())
    times = counts.astype(np.int64)
    # By scores first: what is then sorted by score, or counted at each, is read in one direction.
    by_score = sorted(held, key=lambda one: one.values.dtype.kind == "f")
    order = np.lexsort([times, *(key for one in by_score for key in _keys(one))])
    order = order[times[order] > 0]
    columns = {}
    while held:  # a column as it was read goes as soon as there is that in order
        one = _taken(held.pop(), order)
        columns[one.name] = one
    return RawTable(rows.name, len(order), rows.header, columns, times=times[order])


def kinds_of(rows: DuckDBRows, wanted: Wanted) -> KindsOf:
    """What the rows are to be counted by, once what they hold has been looked at.

    Raises TooManyKindsError where kinds take more room than there is, DataError for an id that is
    not unique, and for what is no date, number or score where one is wanted.
    """
    asking = Asking(rows, rows.name, wanted)
    columns = [c for c in dict.fromkeys(wanted.columns) if c in rows.header]
    columns = [c for c in columns if c not in (wanted.id, wanted.count)]
    columns += [PARTNER] if PARTNER in rows.header and PARTNER not in columns else []
    types = {column: _type(rows, wanted, column) for column in columns}
    values = [asking.value(column) for column in columns]
    for place in [rows.header.index(c) for c in columns if rows.type_of(c) == NUMBER]:
        asking.check(rows.columns[place], f"t{place}")
    if wanted.id is not None and wanted.id in rows.header:
        values.append(f"CASE WHEN {asking.has_none(wanted.id)} = 0 THEN 'id' END")
        types[wanted.id] = "VARCHAR"
    text = kinds_query(rows.dialect, rows.rows, values, rows.times or asking.times())
    most = wanted.most_kinds(sum(map(_bytes, types.values())))
    if rows.size > most:
        (found,) = rows.fetch(count_query(f"({text}) AS kinds"), ["n"])
        if found.values[0] > most:
            raise TooManyKindsError(int(found.values[0]), [*types], most)
    return KindsOf(tuple(types), tuple(types.values()), text)


def check_counts(wrong: Any, total: Any) -> None:
    """Raise NotPlainError where rows do not say how many they stand for: reading names each."""
    if wrong or not 0 < total <= MOST:
        raise NotPlainError("rows do not say how many they stand for")


def _type(rows: DuckDBRows, wanted: Wanted, column: str) -> str:
    """The DuckDB name of the type of a column in an answer."""
    if column in wanted.periods:
        return "VARCHAR"
    numeric = column in wanted.intervals or column in wanted.grains
    return "DOUBLE" if numeric or rows.type_of(column) == NUMBER else rows.type_of(column)


def _bytes(kind: str) -> int:
    return OWN_BYTES if kind == "JSON" or kind.endswith("]") else BYTES


def _taken(column: RawColumn, places: npt.NDArray[Any]) -> RawColumn:
    return replace(column, values=column.values[places], missing=column.missing[places])


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
