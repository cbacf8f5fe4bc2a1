"""Sessions with what keeps the rows: a SQLite or DuckDB file, a Postgres server, a Spark cluster.

A few words of SQL can ask for rows without end, so a query is watched while it runs and while its
rows are fetched. Answers of servers come as Arrow and are read by DuckDB.
"""

from __future__ import annotations

import math
import os
import re
import sqlite3
import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from evalreport.data.delimited import check_names
from evalreport.data.duckdb_columns import Kind, columns_of, kind_of, quoted_text
from evalreport.data.interruptible import interruptible
from evalreport.data.parquet_file import locked_connection, plain_name
from evalreport.data.source import Source, open_source, reading
from evalreport.data.table import RawColumn
from evalreport.data.typed_values import column_of
from evalreport.engine.databases.query_text import (
    DUCKDB,
    NUMBER,
    POSTGRES,
    SPARK,
    SQLITE,
    Column,
    Dialect,
)
from evalreport.engine.databases.wanted import NotPlainError
from evalreport.errors import (
    DataError,
    EvalreportError,
    FilesError,
    LimitError,
    Location,
    LostError,
    Problem,
    UsageError,
)
from evalreport.scratch import scratch_folder
from evalreport.spec import hosts
from evalreport.spec.datasets import ClusterTable, Query

T = TypeVar("T")
#: Seconds before a server is asked again.
PAUSE = 1.0
#: Seconds until a server that does not answer is given up.
PATIENCE = 10
#: Where the operator sets how many seconds a query may take. A spec cannot.
VARIABLE = "EVALREPORT_QUERY_SECONDS"
SECONDS = "600"
#: One state that is only read, and values written in one way, whatever a server or user prefers.
_BEGIN = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL intervalstyle = 'iso_8601'",
)
#: What a server says to a user who may not do that.
_NOT_LET_IN = re.compile("permission denied|authentication failed")
#: How often the client asks a cluster that does not answer.
RETRIES = 3


@dataclass(frozen=True)
class Address(Source):
    """A database of a server, or a table of a cluster: ``address`` holds no password."""

    address: str = ""


def open_table(asked: ClusterTable, url: str) -> Source:
    """The table of a cluster; nothing is asked of it yet."""
    version = "" if asked.version is None else f", version {asked.version}"
    return Address(
        f"{asked.table} (Spark{version})", Path(), ".spark-table", 0, "", (), address=url
    )


def open_database(folder: Path, query: Query) -> Source:
    """The database of a query: a file, hashed, or an address. Raises FilesError."""
    if query.database.startswith(hosts.POSTGRES):
        name = urlsplit(query.database).path.lstrip("/") or "database"
        return Address(f"{name} (Postgres)", Path(), ".postgres", 0, "", (), address=query.database)
    return open_source(folder / query.database, query.database)


def again(retries: int, work: Callable[[], T]) -> T:
    """What some work gives, tried up to ``retries`` times more where a connection is lost."""
    for _ in range(retries):
        try:
            return work()
        except LostError:
            time.sleep(PAUSE)
    return work()


def libpq_address(address: str, environment: Mapping[str, str]) -> str:
    """The address of a Postgres server with how TLS is asked of it; what stands last counts.

    To any host but this computer the connection is encrypted and the server has to prove who it
    is, unless the operator's PGSSLMODE says otherwise; a spec can only ask for more.

    >>> libpq_address("postgresql://me@db.example.org/study", {})
    'postgresql://me@db.example.org/study?connect_timeout=10&sslmode=verify-full'
    """
    parts = hosts.postgres_address(address)
    told = address.rstrip("?&")
    told += f"{'&' if '?' in told else '?'}connect_timeout={PATIENCE}"
    given = environment.get("PGHOST", "").split(",") if not parts.places else []
    if parts.local and all(hosts.is_local(host) for host in given if host):
        return told
    asked = (environment.get("PGSSLMODE", "verify-full"), parts.sslmode)
    known = [mode for mode in asked if mode in hosts.SSL_MODES]
    mode = max(known, key=hosts.SSL_MODES.index, default="verify-full")
    # Where it is not proven who answers, a password is never given as it is.
    proof = f"&require_auth={quote(environment.get('PGREQUIREAUTH', '!password'))}"
    return f"{told}&sslmode={mode}{'' if mode.startswith('verify') else proof}"


class QueryWatch:
    """Holds one query against its limits; every look raises LimitError past one of them.

    ``memory``: bytes by which the process may grow. Raises UsageError for seconds that are none.
    """

    def __init__(self, name: str, memory: int) -> None:
        told = os.environ.get(VARIABLE, SECONDS)
        if not re.fullmatch("[1-9][0-9]{0,8}", told, re.ASCII):
            raise UsageError(
                Problem(f"{VARIABLE} is {told!r}", "a number of seconds, such as 3600")
            )
        self.seconds, self.memory = int(told), memory
        self._name = name
        self._until = time.monotonic() + self.seconds
        self._most = most_held() + memory

    def look(self) -> None:
        """Look at the clock and at the memory."""
        if time.monotonic() > self._until:
            raise self._over(f"{self.seconds} s", f"a simpler query, or more seconds by {VARIABLE}")
        if most_held() > self._most:
            raise self._too_much_memory()

    def failure(self, error: BaseException, path: str | None = None) -> EvalreportError:
        """The error for what a database answers; ``path``: what the database is called there."""
        import duckdb

        self.look()
        if isinstance(error, MemoryError | duckdb.OutOfMemoryException):
            return self._too_much_memory()
        told = reason_of(error).replace(path or self._name, self._name)
        instead = "one SELECT on this database, of what this user may read"
        kind = FilesError if _NOT_LET_IN.search(told) else DataError
        return kind(Problem(f"the query fails: {told}", instead, Location(self._name)))

    def _too_much_memory(self) -> LimitError:
        instead = (
            "fewer rows or columns, or a higher engine.memory_limit, up to half of the machine"
        )
        return self._over(f"{self.memory >> 20:,} MiB of memory", instead)

    def _over(self, limit: str, instead: str) -> LimitError:
        what = f"the query takes more than {limit}"
        return LimitError(Problem(what, instead, Location(self._name)))


def most_held() -> int:
    """Bytes of memory that this process has held at most."""
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


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


class RemoteSession(Session):
    """Rows elsewhere, whose answers come as Arrow: ``local``, of DuckDB, reads these."""

    def __init__(self, connection: Any, local: Any, name: str, watch: QueryWatch) -> None:
        self._connection, self._local, self._name, self._watch = connection, local, name, watch

    def read(self, ask: Callable[[], Any], names: Sequence[str] | None) -> list[RawColumn]:
        """The columns of an answer, whose batches are read as they come."""

        def work() -> list[RawColumn]:
            self._local.register("incoming", ask())
            return columns_of(self._local, "SELECT * FROM incoming", names, self._name)

        return interruptible(self, work, look=self._watch.look)

    @abstractmethod
    def interrupt(self) -> None:
        """Have what runs there stopped."""


def reason_of(error: BaseException) -> str:
    """The reason of a database, or of its client, without the words of a driver around it."""
    found = re.search(r"(?:ERROR|FATAL): +(.+)", str(error))
    return found[1] if found else (str(error).splitlines() or [type(error).__name__])[0]


def selected(asked: Query, dialect: Dialect) -> str:
    """The SELECT of a spec without the sign of its end, or that of the whole table it names."""
    return (
        dialect.table(asked.table) if asked.table is not None else str(asked.sql).rstrip("; \n\t")
    )


def typed(names: Sequence[Any], types: Sequence[Any]) -> list[Column]:
    """The columns of some rows, which are called by their place."""
    return [
        Column(str(name), f"r{place}", kind_of(str(kind)), str(kind))
        for place, (name, kind) in enumerate(zip(names, types, strict=True))
    ]


def by_place(select: str, columns: Sequence[Column]) -> str:
    """The rows of a SELECT, whose columns are called by their place."""
    return f"(\n{select}\n) AS q({', '.join(column.text for column in columns)})"


@contextmanager
def reader(watch: QueryWatch, path: str = ":memory:") -> Iterator[Any]:
    """A connection of DuckDB that reads no other file; what Arrow gives becomes columns in it."""
    with scratch_folder() as spill:
        settings = (
            "threads=2",
            f"memory_limit='{watch.memory}B'",
            f"temp_directory={quoted_text(spill)}",
            f"max_temp_directory_size='{4 * watch.memory}B'",
        )
        with locked_connection([], settings, path=path) as (connection, _):
            yield connection


@contextmanager
def database(source: Source, asked: Query | ClusterTable, memory: int) -> Iterator[Session]:
    """A session for the rows that are asked for in a database.

    ``memory``: bytes by which the process may grow for them. Raises FilesError where the rows may
    not be seen, LostError where that may change, DataError for a query that fails, LimitError for
    one that takes more than it may.
    """
    watch = QueryWatch(source.name, memory)
    if isinstance(asked, ClusterTable):
        opened = _spark_table(source, asked, watch)
    elif isinstance(source, Address):
        opened = _postgres(source, asked, watch)
    else:
        with reading(source) as stream:
            begins = stream.read(16)
        of_file = _sqlite_file if begins == b"SQLite format 3\0" else _duckdb_file
        opened = of_file(source, asked, watch)
    with opened as found:
        check_names(found.header, source.name)
        yield found


@contextmanager
def _duckdb_file(source: Source, asked: Query, watch: QueryWatch) -> Iterator[Session]:
    """A session with a DuckDB file."""
    import duckdb

    select = selected(asked, DUCKDB)
    with reading(source), plain_name(source.path) as path:
        try:
            with reader(watch, path) as connection:
                # One statement by itself, so nothing can be put behind it or around it.
                statements = connection.extract_statements(select)
                if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
                    raise duckdb.Error("it is not one SELECT statement")
                found = DuckDBSession(connection, source.name, watch.look)
                # What it would give is only looked up: nothing of it is executed.
                shown = connection.sql(statements[0])
                found.columns = typed(shown.columns, shown.types)
                found.rows = by_place(select, found.columns)
                yield found
        except duckdb.Error as error:
            raise watch.failure(error, path) from None


#: What SQLite may do for a SELECT: read tables, call functions, recurse in a WITH.
_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)


def _authorize(action: int, *_: Any) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _floor(value: Any) -> float | None:
    """The whole number below a number; the library may be built without one."""
    return None if value is None else float(math.floor(value))


def _double(value: Any) -> float | None:
    """The number that a value of SQLite is, or that its text stands for, read as Python reads."""
    if isinstance(value, str):
        return float(value) if _fits(NUMBER, value) else None
    return float(value) if isinstance(value, int | float) else None


def _fits(pattern: str, text: Any) -> bool:
    return isinstance(text, str) and re.fullmatch(pattern, text, re.ASCII) is not None


class _SQLite(Session):
    """The rows of a SQLite file, whose values have types of their own."""

    dialect = SQLITE

    def __init__(
        self, connection: sqlite3.Connection, name: str, select: str, watch: QueryWatch
    ) -> None:
        self._connection, self._name, self._watch = connection, name, watch
        # One statement by itself, so nothing can be put behind it or around it.
        header, _ = self._answer(select, rows=False)
        self.columns = [Column(one, f"r{place}", Kind.ANY) for place, one in enumerate(header)]
        # Names for its columns, and none of the orders that were declared for them.
        named = ", ".join(f"NULL AS {column.text}" for column in self.columns)
        self.rows = f"(SELECT {named} WHERE 0 UNION ALL SELECT * FROM (\n{select}\n)) AS q"  # noqa: S608

    def _answer(self, text: str, rows: bool = True) -> tuple[list[str], list[Any]]:
        """The names of the columns of an answer, and its rows where these are asked for."""

        def work() -> tuple[list[str], list[Any]]:
            with closing(self._connection.execute(text)) as cursor:
                names = [str(column[0]) for column in cursor.description or ()]
                return names, cursor.fetchall() if rows else []

        return interruptible(self._connection, work, look=self._watch.look)

    def fetch(self, text: str, names: Sequence[str] | None) -> list[RawColumn]:
        header, rows = self._answer(text)
        values = zip(*rows, strict=True) if rows else ([] for _ in header)
        return [
            column_of(name, list(own), self._name)
            for name, own in zip(names or header, values, strict=True)
        ]


@contextmanager
def _sqlite_file(source: Source, asked: Query, watch: QueryWatch) -> Iterator[Session]:
    """A session with a SQLite file that can do nothing but a SELECT."""
    log = source.path.with_name(f"{source.path.name}-wal")
    if log.exists() and log.stat().st_size:
        what = "rows of the database are still in the log beside it (-wal)"
        instead = "close what writes to it, or ask it for PRAGMA wal_checkpoint(TRUNCATE)"
        raise FilesError(Problem(what, instead, Location(source.name)))
    address = f"file:{quote(str(source.path))}?mode=ro&immutable=1"
    try:
        with (
            reading(source),
            closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as connection,
        ):
            # What is sorted stays in memory, which is watched; files would not be.
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.create_function("evalreport_number", 1, _double, deterministic=True)
            connection.create_function("evalreport_floor", 1, _floor, deterministic=True)
            connection.create_function("regexp", 2, _fits, deterministic=True)
            connection.set_authorizer(_authorize)
            yield _SQLite(connection, source.name, selected(asked, SQLITE), watch)
    except (sqlite3.Error, sqlite3.Warning, MemoryError) as error:
        raise watch.failure(error) from None


class _Postgres(RemoteSession):
    """The rows of a server, in one transaction that only reads and sees one state."""

    dialect = POSTGRES

    def begin(self, select: str) -> None:
        """Begin the transaction, and find out which columns a SELECT gives."""
        for statement in (*_BEGIN, f"SET LOCAL statement_timeout = '{self._watch.seconds}s'"):
            self.command(statement)
        # One statement by itself, so nothing can be put behind it or around it.
        self.command(select, prepared=True)
        none = f"SELECT * FROM (\n{select}\n) AS q WHERE 1 = 0"  # noqa: S608 - the spec's own query
        names = [column.name for column in self.fetch(none, None)]
        # A name of two columns is one that the server refuses.
        told = (
            f"(SELECT CASE typtype WHEN 'e' THEN 'text' ELSE "  # noqa: S608 - quoted
            f"format_type(COALESCE(NULLIF(typbasetype, 0), oid), NULL) END "
            f"FROM pg_catalog.pg_type WHERE oid = pg_typeof(q.{POSTGRES.quoted(name)})) AS c{place}"
            for place, name in enumerate(names)
        )
        types = (
            f"SELECT {', '.join(told)} FROM (SELECT 1) AS one LEFT JOIN (\n{none}\n) AS q ON true"  # noqa: S608
        )
        found = [str(column.values[0]) for column in self.fetch(types, names)]
        self.columns = typed(names, found)
        self.rows = by_place(select, self.columns)

    def command(self, text: str, prepared: bool = False) -> None:
        """Have a statement done that gives no rows, or only have it looked at."""
        with self._statement(text) as statement:
            _ = statement.prepare() if prepared else statement.execute_update()

    def fetch(self, text: str, names: Sequence[str] | None) -> list[RawColumn]:
        with self._statement(text) as statement:
            return self.read(lambda: statement.execute_query()[0], names)

    def _statement(self, text: str) -> Any:
        from adbc_driver_manager import AdbcStatement

        statement = AdbcStatement(self._connection)
        statement.set_sql_query(text)
        return closing(statement)

    def interrupt(self) -> None:
        with suppress(Exception):
            self._connection.cancel()

    def failure(self, error: Exception) -> Exception:
        """The error for what the server, or the way to it, answers."""
        refused = self._watch.failure(error)
        try:
            self.command("ROLLBACK")
        except Exception:  # noqa: BLE001 - whatever says that nobody is there any more
            what = f"the connection to the database was lost: {reason_of(error)}"
            return LostError(what, self._name)
        return refused


@contextmanager
def _postgres(source: Address, asked: Query, watch: QueryWatch) -> Iterator[Session]:
    """A session with a Postgres server, whose address holds no password."""
    try:
        import adbc_driver_manager as adbc
        import adbc_driver_postgresql
    except ImportError:
        raise FilesError(
            Problem("Postgres needs its driver", "pip install 'evalreport[postgres]'")
        ) from None
    import duckdb

    try:
        database = adbc_driver_postgresql.connect(libpq_address(source.address, os.environ))
        connection = adbc.AdbcConnection(database)
    except adbc.Error as error:
        instead = (
            "check address, user and password (PGPASSWORD, ~/.pgpass), and who vouches for the "
            "server (PGSSLROOTCERT: a file, or system; PGSSLMODE=require asks for nobody)"
        )
        what = f"no connection to the database: {reason_of(error)}"
        if _NOT_LET_IN.search(what):  # and would not be the next time: accounts are locked for that
            raise FilesError(Problem(what, instead, Location(source.name))) from None
        raise LostError(what, source.name, instead) from None
    with closing(database), closing(connection), reader(watch) as local:
        found = _Postgres(connection, local, source.name, watch)
        try:
            found.begin(selected(asked, POSTGRES))
            yield found
        except (adbc.Error, duckdb.Error) as error:
            raise found.failure(error) from None


class _Spark(RemoteSession):
    """The rows of a table of a cluster."""

    dialect = SPARK
    rows = "evalreport_rows"

    def begin(self, asked: ClusterTable) -> None:
        """Find out which columns a table has."""
        # Names as they are written; the clock of no machine.
        self._connection.conf.set("spark.sql.caseSensitive", "true")
        self._connection.conf.set("spark.sql.session.timeZone", "UTC")
        frame = self._connection.sql(table_of(asked))
        frame = frame if asked.where is None else frame.where(asked.where)
        self.columns = typed(*zip(*frame.dtypes, strict=True))
        frame.toDF(*(column.text for column in self.columns)).createOrReplaceTempView(self.rows)

    def fetch(self, text: str, names: Sequence[str] | None) -> list[RawColumn]:
        return self.read(lambda: self._connection.sql(text).toArrow(), names)

    def interrupt(self) -> None:
        with suppress(Exception):
            self._connection.interruptAll()


@contextmanager
def _spark_table(source: Source, asked: ClusterTable, watch: QueryWatch) -> Iterator[Session]:
    """A session with a cluster for one of its tables."""
    assert isinstance(source, Address)
    try:
        with warnings.catch_warnings():
            # Its frames are not used, so it may say what it likes about pandas.
            warnings.simplefilter("ignore", FutureWarning)
            from pyspark.errors import PySparkException
            from pyspark.sql.connect.client.retries import DefaultPolicy
            from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise FilesError(
            Problem("the engine spark needs its client", "pip install 'evalreport[spark]'")
        ) from None
    # It is told as an error, with the place.
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]", UserWarning)
    import duckdb

    with reader(watch) as local, ExitStack() as stack:
        try:
            session = SparkSession(source.address)
            stack.callback(session.stop)
            # Some seconds; by itself the client asks one that does not answer for ten minutes.
            session.client.set_retry_policies([DefaultPolicy(max_retries=RETRIES)])
            found = _Spark(session, local, source.name, watch)
            found.begin(asked)
            yield found
        except PySparkException as error:
            raise LostError(f"Spark at {source.address}: {reason_of(error)}", source.name) from None
        except duckdb.Error as error:
            raise watch.failure(error) from None


def table_of(asked: ClusterTable) -> str:
    """The SELECT of a table, at its version; the name is plain, and quoted all the same.

    >>> table_of(ClusterTable(table="main.audit.seen", version="7"))
    'SELECT * FROM `main`.`audit`.`seen` VERSION AS OF 7'
    """
    if asked.version is None:
        return SPARK.table(asked.table)
    plain = re.fullmatch(r"[0-9]{1,18}", asked.version)
    quoted = asked.version.replace("\\", "\\\\").replace("'", "\\'")
    version = asked.version if plain else f"'{quoted}'"
    return f"{SPARK.table(asked.table)} VERSION AS OF {version}"
