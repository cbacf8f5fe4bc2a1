"""Kinds of rows with how many rows are of each, as the rows themselves.

A count says how often a row was seen; it is no weight. 89 right of 100 is the same whether
the rows are written one by one or as two kinds, and so are its intervals: every row is
independent of every other. Rows are therefore written out in memory, where all that follows
is one code; how many there are is known before, and held against what may be taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import rows_problem
from evalreport.data.scores import numbers
from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import DataError, Location, Problem

#: The largest whole number up to which a double counts every one.
MOST = 2**53


def multiplicities(table: RawTable, column: str) -> npt.NDArray[np.int64]:
    """How many rows are of each kind, shape (kinds,): whole numbers from 0 on.

    Raises DataError for a count that is missing, no number, not whole, negative or too large,
    and where no kind has a row.
    """
    found = numbers(table, column)
    values, missing = found.values, found.missing
    read = ~missing & np.isfinite(values)
    at_zero = np.where(read, values, 0.0)
    wrong = (
        ("is missing", missing),
        ("is negative", at_zero < 0),
        ("is not whole", at_zero != np.floor(at_zero)),
        (f"is larger than {MOST:,}", at_zero > MOST),
    )
    problems = list(found.problems)
    for what, where in wrong:
        rows = np.flatnonzero(where).tolist()
        if rows:
            told = f"the count in {column} {what}"
            problems.append(rows_problem(table, told, rows, "a whole number of rows, 0 or more"))
    if problems:
        raise DataError(*problems)
    if sum(values.tolist()) > MOST:
        what = f"the counts in {column} add up to more than {MOST:,} rows"
        raise DataError(Problem(what, "fewer rows", Location(table.name)))
    if not values.any():
        what = f"every count in {column} is 0"
        raise DataError(Problem(what, "at least one row", Location(table.name)))
    return values.astype(np.int64)


def written_out(
    table: RawTable, column: str, room: Callable[[int], None] = lambda _rows: None
) -> RawTable:
    """The rows that the kinds of a table stand for, each as often as ``column`` says.

    ``room`` is told how many there will be before they are made, and raises LimitError where
    they are too many. Raises DataError as :func:`multiplicities` does.

    >>> from evalreport.data.frames import read_frame
    >>> kinds = read_frame({"y": ["a", "b"], "n": [2, 1]}, "kinds")
    >>> written_out(kinds, "n").columns["y"].values.tolist()
    ['a', 'a', 'b']
    """
    times = multiplicities(table, column)
    rows = int(times.sum())
    room(rows)
    columns = {
        name: RawColumn(name, one.kind, np.repeat(one.values, times), np.repeat(one.missing, times))
        for name, one in table.columns.items()
        if name != column
    }
    kind = np.repeat(np.arange(table.rows, dtype=np.int64), times)
    return replace(table, rows=rows, columns=columns, kind=kind, _kept={})
