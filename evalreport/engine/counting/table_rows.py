"""Kinds of rows that were read, as rows that answer counting queries: none is written out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from evalreport.data.multiplicity import multiplicities
from evalreport.data.score_bins import binned_scores
from evalreport.data.scores import numbers
from evalreport.data.table import RawColumn, RawTable
from evalreport.engine.counting.duckdb_rows import DuckDBRows, lock
from evalreport.engine.counting.wanted import UNWATCHED, NotPlainError, Wanted
from evalreport.scratch import scratch_folder


class TableRows(DuckDBRows):
    """A table as the relation ``data``: values by their codes, scores and counts as numbers."""

    def __init__(self, connection: Any, table: RawTable, kinds: dict[str, str], count: str) -> None:
        header = tuple(kinds)
        super().__init__(
            connection, table.name, header, tuple(kinds.values()), table.rows, UNWATCHED, count
        )
        self._table = table

    def column(self, name: str, kind: str, values: Any) -> RawColumn:
        """Values by their codes in the column that they were read from."""
        if kind == "DOUBLE":
            return super().column(name, kind, values)
        column = self._table.columns[name]
        codes, _ = column.factorize()
        present, first = np.unique(codes, return_index=True)
        place = np.zeros(int(present.max(initial=0)) + 1, np.int64)
        place[present[present >= 0]] = first[present >= 0]
        gone = np.ma.getmaskarray(values)
        rows = place[np.where(gone, 0, np.ma.getdata(values)).astype(np.int64)]
        return RawColumn(name, column.kind, column.values[rows], gone)


@contextmanager
def table_rows(
    table: RawTable, count: str, wanted: Wanted, scores: Collection[str]
) -> Iterator[TableRows]:
    """The kinds of a table for counting; ``scores`` are columns that are read as numbers.

    Raises DataError where counts are no counts, NotPlainError where scores are no numbers:
    rows that are written out name each of them.
    """
    import duckdb

    arrays, kinds, binned = {}, {}, {}
    for place, name in enumerate(name for name in wanted.columns if name in table.columns):
        column = table.columns[name]
        if name == count:
            arrays[f"c{place}"] = multiplicities(table, name).astype(np.float64)
        elif name in scores and (held := binned_scores(table, name)) is not None:
            arrays[f"c{place}"], binned[name] = held
        elif name in scores:
            found = numbers(table, name)
            if found.problems:
                raise NotPlainError(f"{name} is not all numbers")
            arrays[f"c{place}"] = np.where(found.missing, np.nan, found.values)
        elif not column.single:
            raise NotPlainError(f"{name} does not hold single values")
        else:
            arrays[f"c{place}"] = column.factorize()[0].astype(np.int64)
        kinds[name] = "DOUBLE" if name == count or name in scores else "BIGINT"
    shown = ", ".join(
        name if kind == "DOUBLE" else f"CASE WHEN {name} >= 0 THEN {name} END AS {name}"
        for name, kind in zip(arrays, kinds.values(), strict=True)
    )
    with scratch_folder() as spill, duckdb.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE data AS SELECT {shown} FROM arrays")  # noqa: S608 - names of ours
        lock(connection, [], spill, wanted.memory)
        rows = TableRows(connection, table, kinds, count)
        rows.binned = binned
        yield rows
