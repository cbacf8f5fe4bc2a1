"""Rows that a SELECT gives: from a SQLite or DuckDB file, or a server, for reading only."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from evalreport.data.delimited import check_names
from evalreport.data.interruptible import interruptible
from evalreport.data.parquet_file import LOCKS, plain_name
from evalreport.data.source import Source, open_source, reading
from evalreport.data.table import RawTable
from evalreport.data.typed_values import column_of
from evalreport.engine.counting import query_limits
from evalreport.engine.counting.mysql_rows import from_mysql
from evalreport.engine.counting.postgres_rows import from_postgres, query_fails
from evalreport.engine.counting.query_limits import QueryLimits, QueryWatch
from evalreport.engine.counting.rows_digest import RowsDigest
from evalreport.engine.counting.wanted import quoted_text
from evalreport.errors import DataError, FilesError, Location, Problem, did_you_mean
from evalreport.scratch import scratch_folder
from evalreport.spec.datasets import ClusterTable, Query
from evalreport.spec.hosts import MYSQL, POSTGRES

#: How a file of SQLite begins.
SQLITE = b"SQLite format 3\0"
#: Rows fetched at a time.
_BATCH = 5_000
_BATCH_BYTES = 16 << 20
#: What SQLite may do for a SELECT: read tables, call functions, recurse in a WITH.
_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)


@dataclass(frozen=True)
class Address(Source):
    """A database of a server: ``address`` without a password; it has no hash and no size.

    ``digest`` takes in the rows as they are read.
    """

    address: str = ""
    digest: RowsDigest = field(default_factory=RowsDigest, compare=False)


@dataclass(frozen=True)
class TableOfCluster(Address):
    """A table or view of a cluster; its rows are hashed there."""


def open_table(asked: ClusterTable) -> Source:
    """The table of a cluster; nothing is asked of it yet."""
    version = "" if asked.version is None else f", version {asked.version}"
    name = f"{asked.table} (Spark{version})"
    return TableOfCluster(name, Path(), ".spark-table", 0, "", ())


def open_database(folder: Path, query: Query) -> Source:
    """The database of a query: a file, hashed, or an address. Raises FilesError."""
    for begins, kind in ((POSTGRES, "Postgres"), (MYSQL, "MySQL")):
        if query.database.startswith(begins):
            told = urlsplit(query.database).path.lstrip("/") or "database"
            suffix = f".{kind.lower()}"
            return Address(f"{told} ({kind})", Path(), suffix, 0, "", (), query.database)
    if "://" in query.database:
        raise FilesError(
            Problem(
                "databases behind such an address are not read",
                "postgresql://user@host:port/name, mysql://user@host:port/name, a SQLite or a "
                "DuckDB file",
            )
        )
    return open_source(folder / query.database, query.database)


def read_query(source: Source, query: Query, columns: Collection[str] | None) -> RawTable:
    """The asked columns (default all) of the rows that a SELECT gives; NULL and NaN are missing.

    Rows come in the order the database gives them; results do not depend on it. Raises
    DataError for a query that fails, or does anything but read its own database, LimitError
    for one that takes more than it may.
    """
    with query_rows(source, query) as found:
        header = next(found)
        check_names(header, source.name)
        kept = [i for i, name in enumerate(header) if columns is None or name in columns]
        cells: list[list[Any]] = [[] for _ in kept]
        count = 0
        for row in found:
            count += 1
            for values, i in zip(cells, kept, strict=True):
                values.append(row[i])
    if not count:
        raise no_rows(source)
    read = {
        header[i]: column_of(header[i], values, source.name)
        for i, values in zip(kept, cells, strict=True)
    }
    return RawTable(source.name, count, tuple(header), read, sha256=hash_of(source))


def hash_of(source: Source) -> str | None:
    """The hash of a source: of its file, or of the rows that were read."""
    return source.digest.sha256 if isinstance(source, Address) else source.sha256 or None


@contextmanager
def query_rows(source: Source, query: Query) -> Iterator[Iterator[Any]]:
    """The header and then the rows of a query, fetched in batches. Raises as ``read_query``."""
    watch = QueryWatch(source.name, query_limits.limits_of(os.environ))
    if isinstance(source, Address):
        fetched = from_mysql if source.suffix == ".mysql" else from_postgres
        with closing(fetched(source.address, source.name, query.sql, watch)) as rows:
            yield _digested(rows, source.digest)
        return
    with reading(source) as stream:
        magic = stream.read(16)
        if magic == SQLITE:
            found = _from_sqlite(source, query.sql, watch)
        elif magic[8:12] == b"DUCK":
            found = _from_duckdb(source, query.sql, watch)
        else:
            raise not_a_database(source)
        with closing(found) as rows:
            yield rows


def _digested(rows: Iterator[Any], digest: RowsDigest) -> Iterator[Any]:
    header = next(rows)
    digest.begin(header)
    yield header
    for row in rows:
        digest.add(row)
        yield row


def not_a_database(source: Source) -> DataError:
    """The error for a file that is neither of SQLite nor of DuckDB."""
    what = "the file is no database that is read"
    return DataError(Problem(what, "a SQLite or DuckDB file", Location(source.name)))


def no_rows(source: Source) -> DataError:
    """The error for a query without rows."""
    return DataError(
        Problem("the query gives no rows", "one that gives some", Location(source.name))
    )


def _from_sqlite(source: Source, sql: str, watch: QueryWatch) -> Generator[Any]:
    """The header, then the rows; nothing can be written and no other file attached."""
    try:
        with sqlite_file(source, watch) as connection:
            yield from _fetched(connection, sql, watch, _batch)
    except MemoryError:
        raise watch.too_much_memory() from None
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise failed_in_sqlite(source, str(error)) from None


@contextmanager
def sqlite_file(source: Source, watch: QueryWatch) -> Iterator[sqlite3.Connection]:
    """A SQLite file opened for reading only; it can do nothing but a SELECT.

    Raises FilesError where rows of it are still in the log beside it.
    """
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
    with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as connection:
        # What is sorted stays in memory, which is watched; files would not be.
        connection.execute("PRAGMA temp_store = MEMORY")
        # SQLite takes no more than 2 GiB, however much it is allowed.
        length = min(watch.limits.value, 2**31 - 1)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, length)
        connection.set_authorizer(_authorize)
        yield connection


_ABSENT = re.compile(r"no such (table|column): (.*)")


def failed_in_sqlite(source: Source, reason: str) -> DataError:
    """The error for a query that SQLite refuses, with the nearest name of what it lacks."""
    found = _ABSENT.fullmatch(reason)
    if found is None:
        return query_fails(source.name, reason)
    known = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    if found[1] == "column":
        known = f"SELECT c.name FROM ({known}) AS t, pragma_table_info(t.name) AS c"  # noqa: S608
    try:
        with closing(sqlite3.connect(f"file:{quote(str(source.path))}?mode=ro", uri=True)) as file:
            names = [str(row[0]) for row in file.execute(known)]
    except sqlite3.Error:
        return query_fails(source.name, reason)
    instead = did_you_mean(found[2].rpartition(".")[2], names, f"{found[1]}s")
    return query_fails(source.name, reason, instead)


def _authorize(action: int, *about: Any) -> int:
    loads = action == sqlite3.SQLITE_FUNCTION and "load_extension" in about
    return sqlite3.SQLITE_OK if action in _ALLOWED and not loads else sqlite3.SQLITE_DENY


#: Times of DuckDB as Python writes them, and dates, as text: Python has none that is infinite.
_MOMENT = (
    "CASE WHEN isfinite({0}) THEN strftime({0}, '%Y-%m-%d %H:%M:%S') || CASE WHEN "
    "epoch_us({0}) % 1000000 = 0 THEN '' ELSE strftime({0}, '.%f') END "
    "ELSE CAST({0} AS VARCHAR) END"
)
DATED = {
    "DATE": "CAST({0} AS VARCHAR)",
    "TIMESTAMP": _MOMENT,
    "TIMESTAMP WITH TIME ZONE": _MOMENT.replace("{0}", "({0} AT TIME ZONE 'UTC')") + " || '+00:00'",
}


def _with_dates_as_text(connection: Any, statement: Any) -> Any:
    """A SELECT whose dates and times are text; the statement itself where it gives none."""
    # What it would give is only looked up: nothing of it is executed.
    found = connection.sql(statement)
    kinds = [str(kind) for kind in found.types]
    if not DATED.keys() & set(kinds):
        return statement
    shown = ", ".join(
        f"{DATED.get(kind, '{0}').format(f'r{place}')} AS {_named(name)}"
        for place, (name, kind) in enumerate(zip(found.columns, kinds, strict=True))
    )
    places = ", ".join(f"r{place}" for place in range(len(kinds)))
    select = one_select(statement)
    return f"SELECT {shown} FROM (\n{select}\n) AS q({places})"  # noqa: S608 - quoted


def one_select(statement: Any) -> str:
    """The text of a statement of DuckDB up to the sign of its end."""
    import duckdb

    text = str(statement.query).encode()
    end = len(text)
    for start, kind in reversed(duckdb.tokenize(text.decode())):
        if text[start : start + 1] == b";":
            end = start
        elif kind != duckdb.token_type.comment:
            break
    return text[:end].decode()


def _named(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _from_duckdb(source: Source, sql: str, watch: QueryWatch) -> Generator[Any]:
    import duckdb

    with plain_name(source.path) as path, scratch_folder() as spill:
        try:
            with duckdb.connect(path, read_only=True) as connection:
                for setting in (*bounded(watch.limits, spill), *LOCKS):
                    connection.execute(f"SET {setting}")
                statements = connection.extract_statements(sql)
                if [s.type for s in statements] != [duckdb.StatementType.SELECT]:
                    raise _failed(source, "it is not one SELECT statement")
                select = _with_dates_as_text(connection, statements[0])
                yield from _fetched(
                    connection, select, watch, lambda cursor: cursor.fetchmany(_BATCH)
                )
        except duckdb.OutOfMemoryException:
            raise watch.too_much_memory() from None
        except duckdb.Error as error:
            raise _failed(source, str(error).replace(path, source.name)) from None


def bounded(limits: QueryLimits, spill: str) -> tuple[str, ...]:
    """Settings that hold a query of DuckDB to its limits."""
    return (
        "threads=2",
        f"memory_limit='{limits.memory}B'",
        f"temp_directory={quoted_text(spill)}",
        f"max_temp_directory_size='{limits.spilled}B'",
    )


def _batch(cursor: Any) -> list[Any]:
    """The next rows, fewer where they are long."""
    rows: list[Any] = []
    size = 0
    for row in islice(cursor, _BATCH):
        rows.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if size > _BATCH_BYTES:
            break
    return rows


def _fetched(
    connection: Any, statement: Any, watch: QueryWatch, batch_of: Callable[[Any], list[Any]]
) -> Iterator[Any]:
    """Header and rows, each batch beside the main thread, so that it can be stopped."""

    def beside(work: Callable[[], Any]) -> Any:
        return interruptible(connection, work, look=watch.look)

    cursor = beside(lambda: connection.execute(statement))
    if cursor.description is None:
        raise sqlite3.Error("it gives no rows")
    yield [str(column[0]) for column in cursor.description]
    while batch := beside(lambda: batch_of(cursor)):
        yield from watch.counted(batch)


def _failed(source: Source, reason: str) -> DataError:
    return query_fails(source.name, reason)
