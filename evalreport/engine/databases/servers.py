"""Rows of a server or a cluster, whose answers come as Arrow and are read by DuckDB."""

from __future__ import annotations

import os
import re
import socket
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any

from evalreport.data.duckdb_columns import Kind, columns_of, kind_of
from evalreport.data.interruptible import interruptible
from evalreport.data.table import RawColumn
from evalreport.engine.databases.addresses import Address, connection_settings
from evalreport.engine.databases.query_limits import QueryWatch
from evalreport.engine.databases.query_text import POSTGRES, SPARK, Column
from evalreport.engine.databases.sessions import (
    Session,
    by_place,
    query_fails,
    reader,
    selected,
)
from evalreport.errors import FilesError, Location, LostError, Problem
from evalreport.spec.datasets import ClusterTable, Query

#: Seconds until a server that does not answer is given up.
PATIENCE = 10

#: How values are written as text, whatever the server or its user prefer.
_WRITTEN = (
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL intervalstyle = 'iso_8601'",
)
#: What a server says to whom it does not let in.
_NOT_LET_IN = re.compile(
    r"authentication failed|no password supplied|no pg_hba\.conf entry|does not exist|"
    r"certificate verify failed|root certificate file"
)
_NOT_ALLOWED = "42501"


class _Remote(Session):
    """Rows elsewhere: ``local`` is the connection of DuckDB that reads what comes as Arrow."""

    columns: Sequence[Column] = ()

    def __init__(self, connection: Any, local: Any, name: str, watch: QueryWatch) -> None:
        self._connection, self._local, self._name, self._watch = connection, local, name, watch

    def _watched(self, ask: Callable[[], Any], names: Sequence[str] | None) -> list[RawColumn]:
        """The columns of an answer, whose batches are read as they come."""

        def work() -> list[RawColumn]:
            self._local.register("incoming", ask())
            return columns_of(self._local, "SELECT * FROM incoming", names, self._name)

        return interruptible(self, work, look=self._watch.look)

    @abstractmethod
    def interrupt(self) -> None:
        """Have what runs there stopped."""


class _Postgres(_Remote):
    """The rows of a server, in one transaction that only reads and sees one state."""

    dialect = POSTGRES
    _running: Any = None

    def begin(self, select: str) -> None:
        """Begin the transaction, and find out which columns a SELECT gives."""
        self.command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for setting in _WRITTEN:
            self.command(setting)
        self.command(select, prepared=True)
        none = f"SELECT * FROM (\n{select}\n) AS q WHERE 1 = 0"  # noqa: S608 - the spec's own query
        names = [column.name for column in self.fetch(none, None)]
        self.columns = self._typed(none, names)
        self.rows = by_place(select, names)

    def _typed(self, none: str, names: Sequence[str]) -> list[Column]:
        """The columns with their types; a name of two columns is one that the server refuses."""
        told = (
            f"(SELECT typtype::text || format_type(COALESCE(NULLIF(typbasetype, 0), oid), NULL) "  # noqa: S608
            f"FROM pg_catalog.pg_type WHERE oid = pg_typeof(q.{POSTGRES.quoted(name)})) AS c{place}"
            for place, name in enumerate(names)
        )
        text = (
            f"SELECT {', '.join(told)} FROM (SELECT 1) AS one LEFT JOIN (\n{none}\n) AS q ON true"  # noqa: S608
        )
        found = [str(column.values[0]) for column in self.fetch(text, names)]
        return [
            Column(
                name,
                f"r{place}",
                Kind.TEXT if kind.startswith("e") else kind_of(kind[1:].rpartition(".")[2]),
                kind[1:],
            )
            for place, (name, kind) in enumerate(zip(names, found, strict=True))
        ]

    def command(self, text: str, prepared: bool = False) -> None:
        """Have a statement done that gives no rows, or only have it looked at."""
        with self._statement(text) as statement:
            _ = statement.prepare() if prepared else statement.execute_update()

    def fetch(self, text: str, names: Sequence[str] | None) -> list[RawColumn]:
        self._watch.look()
        self.command(f"SET LOCAL statement_timeout = {int(self._watch.seconds_left * 1000) + 1}")
        with self._statement(text) as statement:
            self._running = statement
            return self._watched(lambda: statement.execute_query()[0], names)

    def _statement(self, text: str) -> Any:
        from adbc_driver_manager import AdbcStatement

        statement = AdbcStatement(self._connection)
        statement.set_sql_query(text)
        return closing(statement)

    def interrupt(self) -> None:
        with suppress(Exception):
            self._running.cancel()

    def failure(self, error: Exception) -> Exception:
        """The error for what the server, or the way to it, answers."""
        self._watch.look()
        reason = _reason(error)
        if getattr(error, "sqlstate", None) == _NOT_ALLOWED:
            what = f"the database refuses to show the rows: {reason}"
            return FilesError(Problem(what, "a user who may read them", Location(self._name)))
        try:
            self.command("ROLLBACK")
        except Exception:  # noqa: BLE001 - whatever says that nobody is there any more
            return LostError(f"the connection to the database was lost: {reason}", self._name)
        return query_fails(self._name, reason)


def _reason(error: Exception) -> str:
    """The reason of a server, or of the client, without the words of the driver around it."""
    said = str(error).partition("\n\nQuery was:")[0]
    # Of several servers the last one counts.
    found = re.findall(r"(?:ERROR|FATAL): +[^\n]+|connection to [^\n]+", said)
    told = re.sub(r"^(ERROR|FATAL): +", "", found[-1]) if found else said
    return (told.splitlines() or [type(error).__name__])[0]


@contextmanager
def postgres(source: Address, asked: Query, watch: QueryWatch) -> Iterator[Session]:
    """A session with a Postgres server, whose address holds no password."""
    try:
        import adbc_driver_manager as adbc
        import adbc_driver_postgresql
    except ImportError:
        raise FilesError(
            Problem("Postgres needs its driver", "pip install 'evalreport[postgres]'")
        ) from None
    import duckdb

    settings = connection_settings(source.address, os.environ)
    told = " ".join(f"{k}='{_escaped(v)}'" for k, v in settings.items())
    try:
        database = adbc_driver_postgresql.connect(f"{told} connect_timeout={PATIENCE}")
        connection = adbc.AdbcConnection(database)
    except adbc.Error as error:
        raise _not_connected(_reason(error), str(error), source.name) from None
    with (
        closing(database),
        closing(connection),
        reader(watch) as local,
    ):
        found = _Postgres(connection, local, source.name, watch)
        try:
            found.begin(selected(asked, POSTGRES))
            yield found
        except duckdb.OutOfMemoryException:
            raise watch.too_much_memory() from None
        except (adbc.Error, duckdb.Error) as error:
            raise found.failure(error) from None


def _escaped(value: str) -> str:
    """A text between single quotes, as libpq and Spark read it."""
    return value.replace("\\", "\\\\").replace("'", "\\'")


def _not_connected(reason: str, told: str, name: str) -> FilesError:
    hint = "check address, user and password"
    if any(word in told for word in ("certificate", "SSL", "sslmode")):
        hint = (
            "PGSSLROOTCERT: the file of the authority that vouches for the server, or system; "
            "PGSSLMODE=require encrypts without finding out who answers"
        )
    if _NOT_LET_IN.search(reason):
        what = f"the database does not let this user in: {reason}"
        return FilesError(Problem(what, hint, Location(name)))
    return LostError(f"the database does not answer: {reason}", name, hint)


# ------------------------------------------------------------------ Spark

#: The port of Spark Connect where the address names none.
PORT = 15002
#: How often the client asks a cluster that does not answer: some seconds with its pauses.
RETRIES = 5
#: What is said where a cluster is not there, or is another one.
_LOST = ("UNAVAILABLE", "Connection refused", "SESSION_CLOSED", "RETRIES_EXCEEDED",
         "RetriesExceeded", "INVALID_HANDLE")  # fmt: skip


class _Spark(_Remote):
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
        self.columns = [
            Column(name, f"r{place}", kind_of(kind), kind)
            for place, (name, kind) in enumerate(frame.dtypes)
        ]
        frame.toDF(*(column.text for column in self.columns)).createOrReplaceTempView(self.rows)

    def fetch(self, text: str, names: Sequence[str] | None) -> list[RawColumn]:
        return self._watched(lambda: self._connection.sql(text).toArrow(), names)

    def interrupt(self) -> None:
        with suppress(Exception):
            self._connection.interruptAll()


@contextmanager
def spark(source: Address, asked: ClusterTable, watch: QueryWatch) -> Iterator[Session]:
    """A session with a cluster for one of its tables."""
    failure, builder = _client()
    _reach(source.address, source.name)
    session = None
    with reader(watch) as local:
        try:
            session = builder.remote(source.address).getOrCreate()
            _give_up_after(session, RETRIES)
            found = _Spark(session, local, source.name, watch)
            found.begin(asked)
            yield found
        except failure as error:
            what = f"Spark at {_place(source.address)}: {_told(error)}"
            if not any(sign in f"{type(error).__name__} {error}" for sign in _LOST):
                raise FilesError(Problem(what, "", Location(source.name))) from None
            if session is not None:
                # Nobody is there to be told that the session ends.
                _give_up_after(session, 0)
                session.release_session_on_close = False
            raise LostError(what, source.name) from None
        finally:
            if session is not None:
                session.stop()


def table_of(asked: ClusterTable) -> str:
    """The SELECT of a table, at its version; the name is plain, and quoted all the same.

    >>> table_of(ClusterTable(table="main.audit.seen", version="7"))
    'SELECT * FROM `main`.`audit`.`seen` VERSION AS OF 7'
    """
    if asked.version is None:
        return SPARK.table(asked.table)
    plain = re.fullmatch(r"[0-9]{1,18}", asked.version)
    version = asked.version if plain else f"'{_escaped(asked.version)}'"
    return f"{SPARK.table(asked.table)} VERSION AS OF {version}"


def _told(error: Exception) -> str:
    """The first line of what a cluster says, without its tree of the query."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _give_up_after(session: Any, retries: int) -> None:
    """Have the client try so often to reach its server; by itself it does for ten minutes."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    # It is told as an error, with the place.
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]", UserWarning)
    session.client.set_retry_policies([DefaultPolicy(max_retries=retries)])


def _client() -> tuple[type[Exception], Any]:
    """The client's error and its builder of sessions."""
    try:
        with warnings.catch_warnings():
            # Its frames are not used, so it may say what it likes about pandas.
            warnings.simplefilter("ignore", FutureWarning)
            from pyspark.errors import PySparkException
            from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise FilesError(
            Problem("the engine spark needs its client", "pip install 'evalreport[spark]'")
        ) from None
    return PySparkException, SparkSession.builder


def _place(url: str) -> str:
    """Host and port of an address; what follows them may be secret.

    >>> _place("sc://cluster/;token=abc"), _place("sc://[::1]:99")
    ('cluster:15002', '[::1]:99')
    """
    place = url.removeprefix("sc://").split("/")[0].split(";")[0]
    return place if re.search(r":\d+$", place) else f"{place}:{PORT}"


def _reach(url: str, name: str) -> None:
    """Raise LostError where nothing answers at the address."""
    host, _, port = _place(url).rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise LostError(
            f"no Spark Connect server answers at {_place(url)} ({error})",
            name,
            "start one, or correct engine.spark.url",
        ) from None
