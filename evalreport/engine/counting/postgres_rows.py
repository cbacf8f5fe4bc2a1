"""Rows that a SELECT gives, from a Postgres server, in one transaction that only reads.

The address comes from a spec, the password from the environment of the operator. Which hosts
may be asked is decided before (:mod:`evalreport.spec.hosts`). To any but this computer the
connection is encrypted and the server has to prove who it is, unless the operator's PGSSLMODE
says otherwise; a spec can only ask for more.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from typing import Any

from evalreport.engine.counting.query_limits import QueryWatch
from evalreport.errors import DataError, FilesError, Location, Problem
from evalreport.spec.hosts import SSL_MODES, is_local, postgres_address

#: Rows fetched at a time.
_BATCH = 2_000
#: Seconds until a server that does not answer is given up.
PATIENCE = 10


def from_postgres(address: str, name: str, sql: str, watch: QueryWatch) -> Generator[Any]:
    """The header and then the rows of one SELECT, fetched in batches.

    ``address`` holds no password; the driver takes one from PGPASSWORD or ~/.pgpass.
    Raises FilesError where no server answers, DataError for a query that fails, LimitError
    for one that takes more than it may.
    """
    try:
        import psycopg
    except ImportError:
        raise FilesError(
            Problem("Postgres needs its driver", "pip install 'evalreport[postgres]'")
        ) from None
    try:
        asked = connection_settings(address, os.environ, psycopg.pq.version())
        connection = psycopg.connect(**asked, connect_timeout=PATIENCE)
    except psycopg.Error as error:
        raise FilesError(
            Problem(f"the database does not answer: {_first(error)}", _hint(error), Location(name))
        ) from None
    with connection:
        try:
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            # A cursor is declared for one SELECT, and in binary, the protocol in which the
            # server takes a single statement: nothing can be put behind the query.
            connection.execute(
                f"DECLARE evalreport NO SCROLL CURSOR FOR {sql}".encode(), binary=True
            )
            fetch = f"FETCH FORWARD {_BATCH} FROM evalreport".encode()
            found = _within(connection, fetch, watch)
            yield [str(column.name) for column in found.description or ()]
            while rows := found.fetchall():
                yield from watch.counted(rows)
                found = _within(connection, fetch, watch)
        except psycopg.errors.QueryCanceled as error:
            watch.look()
            raise query_fails(name, _first(error)) from None
        except psycopg.Error as error:
            raise query_fails(name, _first(error)) from None


def _within(connection: Any, fetch: bytes, watch: QueryWatch) -> Any:
    """The answer to a statement that the server stops where the query's time is over."""
    watch.look()
    milliseconds = int(watch.seconds_left * 1000) + 1
    connection.execute(f"SET LOCAL statement_timeout = {milliseconds}".encode())
    return connection.execute(fetch)


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


def query_fails(name: str, reason: str) -> DataError:
    """The error for a query that the database refuses, with its reason."""
    told = reason.splitlines()[0] if reason else "no reason is given"
    return DataError(
        Problem(f"the query fails: {told}", "one SELECT on this database", Location(name))
    )


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
