"""What every session with rows has, and what is asked of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from evalreport.data.duckdb_columns import columns_of, quoted_text
from evalreport.data.interruptible import interruptible
from evalreport.data.parquet_file import locked_connection
from evalreport.data.table import RawColumn
from evalreport.engine.databases.query_limits import QueryWatch
from evalreport.engine.databases.query_text import DUCKDB, Column, Dialect
from evalreport.engine.databases.wanted import NotPlainError
from evalreport.errors import DataError, Location, Problem
from evalreport.scratch import scratch_folder
from evalreport.spec.datasets import Query

T = TypeVar("T")


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
        try:
            return self.run(lambda: columns_of(self.connection, text, names, self.name))
        except UnicodeDecodeError:
            raise
        except ValueError as error:  # a number has more digits than Python reads
            raise NotPlainError(str(error)) from None

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
