"""What every session with a database has, and how its answers become columns.

Answers that come as Arrow are read by DuckDB: whatever database gives them, one rule says what
becomes of their types.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

from evalreport.data.parquet_file import LOCKS
from evalreport.data.parquet_types import expression, parquet_column
from evalreport.data.table import RawColumn
from evalreport.engine.databases.query_limits import QueryWatch
from evalreport.engine.databases.query_text import Column, Dialect
from evalreport.engine.databases.wanted import quoted_text
from evalreport.errors import DataError, Location, Problem
from evalreport.spec.datasets import Query


class Session(Protocol):
    """Rows of a database: ``rows`` is what stands behind FROM, ``columns`` what they have."""

    dialect: Dialect
    rows: str
    columns: list[Column]

    def fetch(self, text: str, names: Sequence[str]) -> list[RawColumn]:
        """The columns of an answer, called ``names``."""


def query_fails(name: str, reason: str, instead: str = "one SELECT on this database") -> DataError:
    """The error for a query that the database refuses, with its reason."""
    told = reason.splitlines()[0] if reason else "no reason is given"
    return DataError(Problem(f"the query fails: {told}", instead, Location(name)))


def selected(asked: Query, dialect: Dialect) -> str:
    """The SELECT of a spec without the sign of its end, or that of the whole table it names."""
    return (
        dialect.table(asked.table) if asked.table is not None else str(asked.sql).rstrip("; \n\t")
    )


def by_place(select: str, columns: Sequence[Any]) -> str:
    """The rows of a SELECT, whose columns are called by their place."""
    places = ", ".join(f"r{place}" for place in range(len(columns)))
    return f"(\n{select}\n) AS q({places})"


#: What a date is told by that this package does not read.
_ODD = "!"
_MOMENT = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN NOT isfinite({0}) OR {1} < TIMESTAMP '0001-01-01' OR "
    "{1} > TIMESTAMP '9999-12-31 23:59:59.999999' THEN '!' ELSE substr(CAST({1} AS VARCHAR), 1, 19)"
    " || CASE WHEN epoch_us({1}) % 1000000 = 0 THEN '' ELSE strftime({1}, '.%f') END"
)
#: By the type of what comes: its text. Times with a zone are told in UTC.
_DATED = {
    "DATE": "CASE WHEN {0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' "
    "THEN CAST({0} AS VARCHAR) WHEN {0} IS NOT NULL THEN '!' END",
    "TIMESTAMP": _MOMENT.format("{0}", "CAST({0} AS TIMESTAMP)") + " END",
    "TIMESTAMP WITH TIME ZONE": _MOMENT.format("{0}", "make_timestamp(epoch_us({0}))")
    + " || '+00:00' END",
}


def columns_of(relation: Any, names: Sequence[str], file: str) -> list[RawColumn]:
    """The columns of a relation of DuckDB. Raises DataError for dates beyond the calendar."""
    kinds = [re.sub(r"^TIMESTAMP_(S|MS|NS)$", "TIMESTAMP", str(kind)) for kind in relation.types]
    own = [f'"{name}"' for name in relation.columns]
    shown = [
        f"{_DATED[kind].format(name) if kind in _DATED else expression(kind, name)} AS c{place}"
        for place, (name, kind) in enumerate(zip(own, kinds, strict=True))
    ]
    values = relation.project(", ".join(shown)).fetchnumpy()
    found = [parquet_column(names[i], kinds[i], values[f"c{i}"]) for i in range(len(names))]
    odd = [
        Problem(
            f"{column.name} has dates before year 1, after 9999 or infinite",
            "dates of the years 1 to 9999, or the column as text",
            Location(file),
        )
        for column, kind in zip(found, kinds, strict=True)
        if kind in _DATED and bool(((column.values == _ODD) & ~column.missing).any())
    ]
    if odd:
        raise DataError(*odd)
    return found


def reader(watch: QueryWatch, spill: str, path: str = ":memory:") -> Any:
    """A connection of DuckDB that reads no other file; what Arrow gives becomes columns in it."""
    import duckdb

    connection = duckdb.connect(path, read_only=path != ":memory:")
    limits = watch.limits
    for setting in (
        "threads=2",
        f"memory_limit='{limits.memory}B'",
        f"temp_directory={quoted_text(spill)}",
        f"max_temp_directory_size='{limits.spilled}B'",
        *LOCKS,
    ):
        connection.execute(f"SET {setting}")
    return connection
