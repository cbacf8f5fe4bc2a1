"""Rows that a SELECT gives, from a Postgres server, in one transaction that only reads."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from evalreport.errors import DataError, FilesError, Location, Problem

#: Seconds until a server that does not answer is given up.
PATIENCE = 10


def from_postgres(address: str, name: str, sql: str, batch: int) -> Generator[Any]:
    """The header and then the rows of one SELECT, fetched ``batch`` at a time.

    ``address`` holds no password; the driver takes one from PGPASSWORD or ~/.pgpass.
    Raises FilesError where no server answers, DataError for a query that fails.
    """
    try:
        import psycopg
    except ImportError:
        raise FilesError(
            Problem("Postgres needs its driver", "pip install 'evalreport[postgres]'")
        ) from None
    try:
        connection = psycopg.connect(address, connect_timeout=PATIENCE)
    except psycopg.Error as error:
        raise FilesError(
            Problem(f"the database does not answer: {_first(error)}",
                    "check address, user and password", Location(name))
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
            fetch = f"FETCH FORWARD {int(batch)} FROM evalreport".encode()
            found = connection.execute(fetch)
            yield [str(column.name) for column in found.description or ()]
            while rows := found.fetchall():
                yield from rows
                found = connection.execute(fetch)
        except psycopg.Error as error:
            raise query_fails(name, _first(error)) from None


def query_fails(name: str, reason: str) -> DataError:
    """The error for a query that the database refuses, with its reason."""
    told = reason.splitlines()[0] if reason else "no reason is given"
    return DataError(
        Problem(f"the query fails: {told}", "one SELECT on this database", Location(name))
    )


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
