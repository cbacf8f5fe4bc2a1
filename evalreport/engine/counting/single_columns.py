"""Columns counted one by one: for the drift of each, and by class to describe it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import quoted
from evalreport.data.roles import Rules
from evalreport.data.table import RawTable
from evalreport.data.types import ColumnType, with_types
from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import CountedRows
from evalreport.engine.counting.counted_rows import TARGET, Known
from evalreport.engine.counting.keys import Key
from evalreport.engine.counting.kinds_table import kinds_by, kinds_table
from evalreport.errors import DataError, Problem, did_you_mean
from evalreport.values import dataclass


@dataclass(frozen=True, eq=False)
class ByClass:
    """A column of all rows: ``table`` of kinds of rows by its value, by class and by use.

    ``rows``: the kinds of used rows; ``actual``: the class of each of these.
    """

    table: RawTable
    rows: npt.NDArray[np.intp]
    actual: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Described:
    """The columns of a model's used rows; ``of``: what tells its rows and classes from others'."""

    of: Hashable
    columns: Mapping[str, ByClass]


def column_tables(
    rows: CountedRows,
    columns: Collection[str],
    types: Mapping[str, ColumnType],
    rules: Rules,
    memory: int,
) -> dict[str, RawTable]:
    """The values of each column with how many rows have each; of columns that there are.

    Raises TooManyKindsError where there are too many, DataError for what is not of its type.
    """
    return {
        column: _read(kinds_table(rows, [column], memory), types, rules)
        for column in columns
        if column in rows.header
    }


def described(
    rows: CountedRows,
    found: Known,
    columns: Sequence[str],
    types: Mapping[str, ColumnType],
    rules: Rules,
    memory: int,
) -> Described:
    """The columns of the rows that a model uses, by class.

    Raises as ``column_tables``, and DataError for a column that is not there.
    """
    target = Key(found.roles.target, found.codes[TARGET], partly=True)
    used = None if found.where is None else queries.flag(found.where)
    by = [target.tree(rows), *([] if used is None else [used])]
    held = {}
    for column in dict.fromkeys(columns):
        if column not in rows.header:
            what = f"{rows.name} has no column {quoted(column)} (characteristics)"
            raise DataError(Problem(what, did_you_mean(column, rows.header, "columns")))
        table, told = kinds_by(rows, column, by, memory)
        if not table.columns[column].single:
            what = f"column {quoted(column)} of {rows.name} does not hold single values"
            raise DataError(Problem(what, "give text, numbers or booleans"))
        codes = target.read(rows, told[0])
        counted = codes >= 0
        if used is not None:
            counted &= np.ma.getdata(told[1]).astype(np.int64) == 1
        places = np.flatnonzero(counted)
        held[column] = ByClass(_read(table, types, rules), places, codes[places])
    return Described(frozenset(found.codes[TARGET].items()), held)


def _read(table: RawTable, types: Mapping[str, ColumnType], rules: Rules) -> RawTable:
    own = {name: kind for name, kind in types.items() if name in table.columns}
    return rules.reading(with_types(table, own))
