"""Kinds of whole rows of files, as a table that says how many rows each stands for.

Columns are counted together, whatever part they play: what checks and describes rows in memory
takes the table as it takes rows, and counts what each kind stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.table import RawColumn, RawTable
from evalreport.engine.counting.duckdb_rows import DuckDBRows, KindsOf
from evalreport.engine.counting.file_columns import NUMBER
from evalreport.engine.databases.kinds import Asking, ranked, taken
from evalreport.engine.databases.query_text import MOST, kinds_query
from evalreport.engine.databases.wanted import BYTES, NotPlainError, Wanted

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
    held.sort(key=lambda one: one.values.dtype.kind == "f")
    order = np.lexsort([times, *(key for one in held for key in _keys(one))])
    order = order[times[order] > 0]
    columns = {}
    while held:  # a column as it was read goes as soon as there is that in order
        one = taken(held.pop(), order)
        columns[one.name] = one
    return RawTable(rows.name, len(order), rows.header, columns, times=times[order])


def kinds_of(rows: DuckDBRows, wanted: Wanted) -> KindsOf:
    """What the rows are to be counted by, once what they hold has been looked at.

    Raises TooManyKindsError where kinds take more room than there is, DataError for an id that is
    not unique, and for what is no date, number or score where one is wanted.
    """
    asking = Asking(rows, rows.name, wanted)
    parts = asking.parts()
    types = {column: _type(rows, wanted, column) for column in parts}
    for place in [rows.header.index(c) for c in parts if rows.type_of(c) == NUMBER]:
        asking.check(rows.columns[place], f"t{place}")
    values = [*parts.values()]
    text = kinds_query(rows.dialect, rows.rows, values, rows.times or asking.times())
    most = wanted.most_kinds(sum(map(_bytes, types.values())))
    if rows.size > most:
        asking.check_room(text, parts, most)
    return KindsOf(tuple(types), tuple(types.values()), text)


def check_counts(wrong: Any, total: Any) -> None:
    """Raise NotPlainError where rows do not say how many they stand for: reading names each."""
    if wrong or not 0 < total <= MOST:
        raise NotPlainError("rows do not give the number of rows they represent")


def _type(rows: DuckDBRows, wanted: Wanted, column: str) -> str:
    """The DuckDB name of the type of a column in an answer."""
    if column in wanted.periods or column == wanted.id:
        return "VARCHAR"
    numeric = column in wanted.intervals or column in wanted.grains
    return "DOUBLE" if numeric or rows.type_of(column) == NUMBER else rows.type_of(column)


def _bytes(kind: str) -> int:
    return OWN_BYTES if kind == "JSON" or kind.endswith("]") else BYTES


def _keys(column: RawColumn) -> Iterator[npt.NDArray[Any]]:
    """What kinds are sorted by: values of a column, in an order that no engine decides."""
    if column.values.dtype != object:
        yield np.where(column.missing, np.zeros(1, column.values.dtype), column.values)
        yield column.missing
    else:
        yield ranked(column)[0]
