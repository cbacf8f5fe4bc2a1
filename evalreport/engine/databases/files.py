"""Rows of a DuckDB or SQLite file, opened for reading only."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any
from urllib.parse import quote

from evalreport.data.duckdb_columns import Kind, kind_of
from evalreport.data.interruptible import interruptible
from evalreport.data.parquet_file import plain_name
from evalreport.data.source import Source, reading
from evalreport.data.table import RawColumn
from evalreport.data.typed_values import column_of
from evalreport.engine.databases.query_limits import QueryWatch
from evalreport.engine.databases.query_text import DUCKDB, Column
from evalreport.engine.databases.query_text import SQLITE as SQLITE_TEXT
from evalreport.engine.databases.sessions import (
    DuckDBSession,
    Session,
    by_place,
    query_fails,
    reader,
    selected,
)
from evalreport.errors import FilesError, Location, Problem, did_you_mean
from evalreport.spec.datasets import Query

#: How a file of SQLite begins.
SQLITE = b"SQLite format 3\0"
#: Bytes that one value of SQLite may take.
MOST_OF_A_VALUE = 16_000_000


class _DuckDB(DuckDBSession):
    """The rows of a DuckDB file."""

    def __init__(self, connection: Any, source: Source, select: str, watch: QueryWatch) -> None:
        super().__init__(connection, source.name, watch.look)
        # What it would give is only looked up: nothing of it is executed.
        found = connection.sql(self._one(select))
        self.columns = [
            Column(str(name), f"r{place}", kind_of(str(kind)), str(kind))
            for place, (name, kind) in enumerate(zip(found.columns, found.types, strict=True))
        ]
        self.rows = by_place(select, self.columns)

    def _one(self, text: str) -> Any:
        """The statement of a text that is one SELECT and nothing else."""
        import duckdb

        found = self.connection.extract_statements(text)
        if [one.type for one in found] != [duckdb.StatementType.SELECT]:
            raise query_fails(self.name, "it is not one SELECT statement")
        return found[0]

    def fetch(self, text: str, names: Sequence[str] | None) -> list[RawColumn]:
        self._one(text)
        return super().fetch(text, names)


@contextmanager
def duckdb_file(source: Source, asked: Query, watch: QueryWatch) -> Iterator[Session]:
    """A session with a DuckDB file."""
    import duckdb

    with reading(source), plain_name(source.path) as path:
        try:
            with reader(watch, path) as connection:
                yield _DuckDB(connection, source, selected(asked, DUCKDB), watch)
        except duckdb.OutOfMemoryException:
            raise watch.too_much_memory() from None
        except duckdb.Error as error:
            raise query_fails(source.name, str(error).replace(path, source.name)) from None


#: What SQLite may do for a SELECT: read tables, call functions, recurse in a WITH.
_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_NUMBER = re.compile(r"[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_ABSENT = re.compile(r"no such (table|column): (.*)")
#: How SQLite calls the second of two columns of one name, where a SELECT stands in another.
_RENAMED = re.compile(r".*:[0-9]+", re.DOTALL)


def _authorize(action: int, *about: Any) -> int:
    loads = action == sqlite3.SQLITE_FUNCTION and "load_extension" in about
    return sqlite3.SQLITE_OK if action in _ALLOWED and not loads else sqlite3.SQLITE_DENY


def _floor(value: Any) -> float | None:
    """The whole number below a number; the library may be built without one."""
    return None if value is None else float(math.floor(value))


def _double(value: Any) -> float | None:
    """The number that a value of SQLite is, or that its text stands for, read as Python reads."""
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    return float(value) if isinstance(value, int | float) else None


def _fits(pattern: str, text: Any) -> bool:
    return isinstance(text, str) and re.fullmatch(pattern, text, re.ASCII) is not None


class _SQLite(Session):
    """The rows of a SQLite file, whose values have types of their own."""

    dialect = SQLITE_TEXT

    def __init__(
        self, connection: sqlite3.Connection, source: Source, select: str, watch: QueryWatch
    ) -> None:
        self._connection, self._name, self._watch = connection, source.name, watch
        # A statement by itself, so nothing can be put behind it or around it.
        self._answer(f"EXPLAIN {select}", most=0)
        header, _ = self._answer(f"SELECT * FROM (\n{select}\n) LIMIT 0")  # noqa: S608
        if any(map(_RENAMED.fullmatch, header)):
            header, _ = self._answer(select, most=0)
        self.columns = [Column(name, f"r{place}", Kind.ANY) for place, name in enumerate(header)]
        # Names for its columns, and none of the orders that were declared for them.
        named = ", ".join(f"NULL AS {column.text}" for column in self.columns)
        self.rows = f"(SELECT {named} WHERE 0 UNION ALL SELECT * FROM (\n{select}\n)) AS q"  # noqa: S608

    def _answer(self, text: str, most: int | None = None) -> tuple[list[str], list[Any]]:
        def work() -> tuple[list[str], list[Any]]:
            with closing(self._connection.execute(text)) as cursor:
                names = [str(column[0]) for column in cursor.description or ()]
                return names, [] if most == 0 else cursor.fetchall()

        return interruptible(self._connection, work, look=self._watch.look)

    def fetch(self, text: str, names: Sequence[str] | None) -> list[RawColumn]:
        header, rows = self._answer(text)
        names = header if names is None else names
        values = zip(*rows, strict=True) if rows else ([] for _ in names)
        return [
            column_of(name, list(own), self._name) for name, own in zip(names, values, strict=True)
        ]


@contextmanager
def sqlite_file(source: Source, asked: Query, watch: QueryWatch) -> Iterator[Session]:
    """A session with a SQLite file that can do nothing but a SELECT."""
    log = source.path.with_name(f"{source.path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise FilesError(
            Problem(
                "rows of the database are still in the log beside it (-wal)",
                "close what writes to it, or ask it for PRAGMA wal_checkpoint(TRUNCATE)",
                Location(source.name),
            )
        )
    address = f"file:{quote(str(source.path))}?mode=ro&immutable=1"
    try:
        with (
            reading(source),
            closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as connection,
        ):
            # What is sorted stays in memory, which is watched; files would not be.
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_OF_A_VALUE)
            connection.create_function("evalreport_number", 1, _double, deterministic=True)
            connection.create_function("evalreport_floor", 1, _floor, deterministic=True)
            connection.create_function("regexp", 2, _fits, deterministic=True)
            connection.set_authorizer(_authorize)
            yield _SQLite(connection, source, selected(asked, SQLITE_TEXT), watch)
    except MemoryError:
        raise watch.too_much_memory() from None
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise query_fails(source.name, str(error), *_nearest(source, str(error))) from None


def _nearest(source: Source, reason: str) -> list[str]:
    """The nearest name of what SQLite lacks."""
    found = _ABSENT.fullmatch(reason)
    if found is None:
        return []
    known = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    if found[1] == "column":
        known = f"SELECT c.name FROM ({known}) AS t, pragma_table_info(t.name) AS c"  # noqa: S608
    with suppress(sqlite3.Error):
        with closing(sqlite3.connect(f"file:{quote(str(source.path))}?mode=ro", uri=True)) as file:
            names = [str(row[0]) for row in file.execute(known)]
        return [did_you_mean(found[2].rpartition(".")[2], names, f"{found[1]}s")]
    return []
