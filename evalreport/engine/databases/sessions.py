"""What every session with rows has, and how its answers become columns.

Answers that come as Arrow are read by DuckDB: whatever database gives them, one rule says what
becomes of their types.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from evalreport.data.interruptible import interruptible
from evalreport.data.json_lines import json_value
from evalreport.data.parquet_file import locked_connection
from evalreport.data.parquet_types import expression, parquet_column, text_column
from evalreport.data.table import RawColumn
from evalreport.data.typed_values import column_of
from evalreport.engine.databases.query_limits import QueryWatch
from evalreport.engine.databases.query_text import DUCKDB, Column, Dialect
from evalreport.engine.databases.wanted import NotPlainError, quoted_text
from evalreport.errors import DataError, Location, Problem
from evalreport.scratch import scratch_folder
from evalreport.spec.datasets import Query

T = TypeVar("T")
#: Answers of so many rows share the texts that they have in common.
SHARED_FROM = 1_000
#: Rows of an answer that are fetched at a time.
AT_ONCE = 1_000_000


class Session(ABC):
    """Rows as queries ask for them: ``rows`` is what stands behind FROM.

    ``size``: how many rows there are, where that is known before; ``times``: how many each stands
    for, as a query says it, where no column of the rows does.
    """

    dialect: Dialect
    rows: str
    columns: Sequence[Column]
    size: int | None = None
    times: str | None = None

    @property
    def header(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(column.name for column in self.columns)

    @abstractmethod
    def fetch(self, text: str, names: Sequence[str] | None) -> list[RawColumn]:
        """The columns of an answer, called ``names``; as the answer calls them where None."""


class DuckDBSession(Session):
    """Rows that a connection of DuckDB has; ``look`` and ``seen`` as for ``interruptible``."""

    dialect = DUCKDB

    def __init__(
        self,
        connection: Any,
        name: str,
        look: Callable[[], None] = lambda: None,
        seen: Callable[[float], None] | None = None,
    ) -> None:
        self.name, self.connection = name, connection
        self._look, self._seen = look, seen

    def fetch(self, text: str, names: Sequence[str] | None) -> list[RawColumn]:
        return self.run(lambda: columns_of(self.connection, text, names, self.name))

    def run(self, work: Callable[[], T]) -> T:
        """What some work with the connection gives."""
        return interruptible(self.connection, work, self._seen, self._look)


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


def columns_of(
    connection: Any, text: str, names: Sequence[str] | None, file: str
) -> list[RawColumn]:
    """The columns of an answer of DuckDB, see ``Session``; rows share the texts that are equal.

    Raises DataError for dates beyond the calendar, NotPlainError for a number written as JSON
    that has more digits than Python reads.
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE answer AS {text}")
    described = connection.execute("DESCRIBE answer").fetchall()
    kinds = [re.sub(r"^TIMESTAMP_(S|MS|NS)$", "TIMESTAMP", str(kind)) for _, kind, *_ in described]
    names = [str(name) for name, *_ in described] if names is None else names
    own = ['"' + str(name).replace('"', '""') + '"' for name, *_ in described]
    texts: dict[int, list[str]] = {}
    shown = []
    for place, (name, kind) in enumerate(zip(own, kinds, strict=True)):
        listed = _texts(connection, name, place) if kind == "VARCHAR" else []
        if listed:
            texts[place] = listed
            shown.append(f"enum_code(CAST({name} AS texts_{place})) AS c{place}")
        else:
            known = _DATED[kind].format(name) if kind in _DATED else expression(kind, name)
            shown.append(f"{known} AS c{place}")
    values = _fetched(connection, f"SELECT {', '.join(shown)} FROM answer")  # noqa: S608
    connection.execute("DROP TABLE answer")
    found = [
        text_column(names[i], values[f"c{i}"], texts[i])
        if i in texts
        else _column(names[i], kinds[i], values[f"c{i}"], file)
        for i in range(len(names))
    ]
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


def _fetched(connection: Any, text: str) -> dict[str, Any]:
    """The columns of the answer, masked where NULL; DuckDB holds what it gives a second time."""
    ((rows,),) = connection.execute("SELECT count(*) FROM answer").fetchall()
    found: dict[str, Any] = {}
    for start in range(0, max(rows, 1), AT_ONCE):
        part = f"{text} WHERE rowid >= {start} AND rowid < {start + AT_ONCE}"
        values = connection.execute(part).fetchnumpy()
        if rows <= AT_ONCE:
            return dict(values)
        for name, own in values.items():
            if name not in found:
                found[name] = np.ma.array(np.empty(rows, own.dtype), mask=np.zeros(rows, np.bool_))
            found[name][start : start + AT_ONCE] = own
    return found


def _texts(connection: Any, column: str, place: int) -> list[str]:
    """The texts of a column of the answer, as a type of their own; none where few are shared."""
    distinct = f"SELECT DISTINCT {column} FROM answer WHERE {column} IS NOT NULL"  # noqa: S608
    counts = f"SELECT count(*), (SELECT count(*) FROM answer) FROM ({distinct})"  # noqa: S608
    some, every = connection.execute(counts).fetchone()
    if every < SHARED_FROM or not some or some > every // 2:
        return []
    name = f"texts_{place}"
    connection.execute(
        f"DROP TYPE IF EXISTS {name}; CREATE TEMP TYPE {name} AS ENUM ({distinct} ORDER BY 1)"
    )
    ((listed,),) = connection.execute(f"SELECT enum_range(NULL::{name})").fetchall()
    return list(listed)


def _column(name: str, kind: str, values: Any, file: str) -> RawColumn:
    """A column of what DuckDB gave, masked where NULL; of JSON the values that are written."""
    if kind != "JSON":
        return parquet_column(name, kind, values)
    gaps = np.ma.getmaskarray(values).tolist()
    texts = np.ma.getdata(values).tolist()
    try:
        found = [None if gap else json_value(text) for text, gap in zip(texts, gaps, strict=True)]
    except ValueError as error:
        raise NotPlainError(str(error)) from None
    return column_of(name, found, file)


@contextmanager
def reader(watch: QueryWatch, path: str = ":memory:") -> Iterator[Any]:
    """A connection of DuckDB that reads no other file; what Arrow gives becomes columns in it."""
    limits = watch.limits
    with scratch_folder() as spill:
        settings = (
            "threads=2",
            f"memory_limit='{limits.memory}B'",
            f"temp_directory={quoted_text(spill)}",
            f"max_temp_directory_size='{limits.spilled}B'",
        )
        with locked_connection([], settings, path=path) as (connection, _):
            yield connection
