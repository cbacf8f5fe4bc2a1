"""Rows that a SELECT gives, from a Postgres server, in one transaction that only reads.

The address comes from a spec, the password from the environment of the operator. Which hosts
may be asked is decided before (:mod:`evalreport.spec.hosts`). To any but this computer the
connection is encrypted and the server has to prove who it is, unless the operator's PGSSLMODE
says otherwise; a spec can only ask for more.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from evalreport.engine.counting.query_limits import QueryWatch
from evalreport.errors import (
    DataError,
    EvalreportError,
    FilesError,
    Location,
    LostError,
    Problem,
)
from evalreport.spec.hosts import SSL_MODES, is_local, postgres_address

#: Rows fetched at a time.
_BATCH = 2_000
#: Seconds before a server is asked again.
PAUSE = 1.0
T = TypeVar("T")
#: Seconds until a server that does not answer is given up.
PATIENCE = 10
#: How values are written as text, whatever the server or its user prefer.
_WRITTEN = (
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL intervalstyle = 'iso_8601'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL bytea_output = 'hex'",
)
#: What a server says to whom it does not let in: the driver keeps no code of it.
_NOT_LET_IN = re.compile(
    r"authentication failed|no password supplied|no pg_hba\.conf entry|does not exist|"
    r"certificate verify failed|root certificate file"
)


def from_postgres(address: str, name: str, sql: str, watch: QueryWatch) -> Generator[Any]:
    """The header and then the rows of one SELECT, fetched in batches.

    ``address`` holds no password; the driver takes one from PGPASSWORD or ~/.pgpass.
    Raises FilesError where no server answers, DataError for a query that fails, LimitError
    for one that takes more than it may.
    """
    import_driver()
    import psycopg

    connection = _connected(address, name)
    with connection:
        try:
            _begin(connection)
            # A cursor is declared for one SELECT, and in binary, the protocol in which the
            # server takes a single statement: nothing can be put behind the query.
            connection.execute(
                f"DECLARE evalreport NO SCROLL CURSOR FOR {sql}".encode(), binary=True
            )
            fetch = f"FETCH FORWARD {_BATCH} FROM evalreport".encode()
            found = _within(connection, fetch, watch, single=False)
            yield [str(column.name) for column in found.description or ()]
            while rows := found.fetchall():
                yield from watch.counted(rows)
                found = _within(connection, fetch, watch, single=False)
        except psycopg.Error as error:
            raise _failure(error, name, watch) from None


def _begin(connection: Any) -> None:
    """Begin a transaction that only reads, sees one state, and writes values in one way."""
    import psycopg

    connection.read_only = True
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    for setting in _WRITTEN:
        connection.execute(setting.encode())


def _failure(error: Exception, name: str, watch: QueryWatch) -> EvalreportError:
    """The error for what a server answers. Raises LimitError where the query's time is over."""
    from psycopg import OperationalError, errors

    if isinstance(error, errors.QueryCanceled):
        watch.look()
    elif isinstance(error, errors.InsufficientPrivilege):
        return not_allowed(name, _first(error))
    elif isinstance(error, OperationalError):
        return LostError(f"the connection to the database was lost: {_first(error)}", name)
    return query_fails(name, _first(error))


def again(retries: int, work: Callable[[], T]) -> T:
    """What some work gives, tried up to ``retries`` times more where a connection is lost."""
    for _ in range(retries):
        try:
            return work()
        except LostError:
            time.sleep(PAUSE)
    return work()


def import_driver() -> None:
    """Raise FilesError where the driver is not installed."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise FilesError(
            Problem("Postgres needs its driver", "pip install 'evalreport[postgres]'")
        ) from None


def _connected(address: str, name: str) -> Any:
    import psycopg

    try:
        asked = connection_settings(address, os.environ, psycopg.pq.version())
        return psycopg.connect(**asked, connect_timeout=PATIENCE)
    except psycopg.Error as error:
        reason = _first(error)
        if _NOT_LET_IN.search(reason):
            what = f"the database does not let this user in: {reason}"
            raise FilesError(Problem(what, _hint(error), Location(name))) from None
        what = f"the database does not answer: {reason}"
        raise LostError(what, name, _hint(error)) from None


@dataclass(frozen=True)
class ServerColumn:
    """A column that a SELECT gives, and its type: what it is called, and the letter of its kind.

    The letter is that of ``pg_type.typtype``: b of a type of the server, e of an enumeration.
    """

    name: str
    type: str
    letter: str


class Server:
    """A server in one transaction that only reads, held against the limits of one query."""

    def __init__(self, connection: Any, name: str, watch: QueryWatch) -> None:
        self._connection, self._name, self._watch = connection, name, watch

    def answer(self, text: str) -> tuple[list[str], list[Any]]:
        """The columns and the rows of the answer to one statement; none where it gives none."""
        found = _within(self._connection, text.encode(), self._watch)
        if found.description is None:
            return [], []
        rows = list(self._watch.counted(found.fetchall()))
        return [str(column.name) for column in found.description], rows

    def described(self, select: str) -> list[ServerColumn]:
        """The columns that a SELECT gives."""
        # A cursor is declared for one SELECT and nothing behind it.
        self.answer(f"DECLARE evalreport NO SCROLL CURSOR FOR {select}")
        self.answer("CLOSE evalreport")
        empty = f"SELECT * FROM (\n{select}\n) AS q LIMIT 0"  # noqa: S608 - the spec's own query
        found = _within(self._connection, empty.encode(), self._watch).description or ()
        listed = ", ".join({str(int(column.type_code)) for column in found}) or "NULL"
        asked = f"SELECT oid, format_type(oid, NULL), typtype FROM pg_type WHERE oid IN ({listed})"  # noqa: S608 - numbers
        _, rows = self.answer(asked)
        types = {int(oid): (str(told), str(letter)) for oid, told, letter in rows}
        return [ServerColumn(str(column.name), *types[column.type_code]) for column in found]


@contextmanager
def server(address: str, name: str, watch: QueryWatch) -> Iterator[Server]:
    """A server at an address, without a password. Raises as ``from_postgres``."""
    import_driver()
    import psycopg

    with _connected(address, name) as connection:
        try:
            _begin(connection)
            yield Server(connection, name, watch)
        except psycopg.Error as error:
            raise _failure(error, name, watch) from None


def _within(connection: Any, fetch: bytes, watch: QueryWatch, single: bool = True) -> Any:
    """The answer to a statement that the server stops where the query's time is over."""
    watch.look()
    milliseconds = int(watch.seconds_left * 1000) + 1
    connection.execute(f"SET LOCAL statement_timeout = {milliseconds}".encode())
    # In binary, the protocol in which the server takes a single statement.
    return connection.execute(fetch, binary=True) if single else connection.execute(fetch)


def connection_settings(
    address: str, environment: Mapping[str, str], library: int
) -> dict[str, Any]:
    """How to connect to an address, as libpq calls it; ``library`` is libpq's version.

    >>> connection_settings("postgresql://me@db.example.org/study", {}, 170000)
    {'host': 'db.example.org', 'user': 'me', 'dbname': 'study', 'sslmode': 'verify-full'}
    """
    parts = postgres_address(address)
    found: dict[str, Any] = {}
    if parts.places:
        found["host"] = ",".join(host for host, _ in parts.places)
        if any(port for _, port in parts.places):
            found["port"] = ",".join(port or "" for _, port in parts.places)
    found |= {k: v for k, v in (("user", parts.user), ("dbname", parts.database)) if v}
    elsewhere = [host for host in environment.get("PGHOST", "").split(",") if not parts.places]
    if parts.local and all(is_local(host) for host in elsewhere if host):
        return found | ({"sslmode": parts.sslmode} if parts.sslmode else {})
    own = environment.get("PGSSLMODE", "verify-full")
    order = [mode for mode in (own, parts.sslmode) if mode in SSL_MODES]
    found["sslmode"] = max(order, key=SSL_MODES.index, default=own)
    if not found["sslmode"].startswith("verify") and library >= _CHOOSES_AUTHENTICATION:
        # Who answers is not proven: a password is never given as it is, only as a proof of it.
        found["require_auth"] = environment.get("PGREQUIREAUTH", "!password")
    return found


#: The version of libpq from which the ways of authentication can be chosen.
_CHOOSES_AUTHENTICATION = 160_000


def _hint(error: Exception) -> str:
    if any(word in str(error) for word in ("certificate", "SSL", "sslmode")):
        return (
            "PGSSLROOTCERT: the file of the authority that vouches for the server, or system; "
            "PGSSLMODE=require encrypts without finding out who answers"
        )
    return "check address, user and password"


def without_end(sql: str) -> str:
    """A statement without the sign of its end.

    >>> without_end("SELECT 1; ")
    'SELECT 1'
    """
    return sql.rstrip().removesuffix(";")


def query_fails(name: str, reason: str, instead: str = "one SELECT on this database") -> DataError:
    """The error for a query that the database refuses, with its reason."""
    told = reason.splitlines()[0] if reason else "no reason is given"
    return DataError(Problem(f"the query fails: {told}", instead, Location(name)))


def not_allowed(name: str, reason: str) -> FilesError:
    """The error for rows that a user may not see."""
    what = f"the database refuses to show the rows: {reason}"
    return FilesError(Problem(what, "a user who may read them", Location(name)))


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
