"""Rows that a SELECT gives, from a server of MySQL or MariaDB, in one transaction that only reads.

The address comes from a spec, the password from the environment of the operator: MYSQL_PWD, or
the section ``client`` of ~/.my.cnf. Which hosts may be asked is decided before
(:mod:`evalreport.spec.hosts`). To any but this computer the connection is encrypted and the
server has to prove who it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalreport.engine.counting.postgres_rows import PATIENCE, not_allowed, query_fails, without_end
from evalreport.engine.counting.query_limits import QueryWatch
from evalreport.errors import FilesError, Location, LostError, Problem, did_you_mean
from evalreport.spec.hosts import is_local, mysql_address

#: Rows fetched at a time.
_BATCH = 2_000
#: Numbers of errors of the client and the server that say that a connection is gone.
_LOST = frozenset({0, 1053, 1927, 2003, 2006, 2013, 2055, 4031})
#: A statement that took longer than it may: of MariaDB, and of MySQL.
_TOO_LONG = frozenset({1969, 3024})
#: A table, and a column, that is not there.
_NO_TABLE, _NO_COLUMN = 1146, 1054
#: Who asks is not let in, or there is no such database; and what a user has no right to.
_NOT_LET_IN = frozenset({1044, 1045, 1049, 1130, 1698, 2059})
_NOT_ALLOWED = frozenset({1142, 1143, 1227, 1370})
#: How a session writes and reads, whatever the server or its user prefer.
_SESSION = (
    "SET SESSION time_zone = '+00:00'",
    "SET SESSION sql_mode = REPLACE(@@sql_mode, 'NO_BACKSLASH_ESCAPES', '')",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
)


class MysqlServer:
    """A server in one transaction that only reads, held against the limits of one query."""

    def __init__(self, connection: Any, name: str, watch: QueryWatch) -> None:
        self.connection, self._name, self._watch = connection, name, watch
        (((version,),), _) = self._asked("SELECT VERSION()")
        self.is_mariadb = "MariaDB" in str(version)
        for setting in _SESSION:
            self._asked(setting)

    def answer(self, text: str) -> tuple[list[str], list[Any]]:
        """The columns and the rows of the answer to one statement; none where it gives none."""
        self.within_time()
        rows, described = self._asked(text)
        return [str(column[0]) for column in described or ()], list(self._watch.counted(rows))

    def described(self, select: str) -> tuple[list[str], list[tuple[int, str]]]:
        """The names of the columns that a SELECT gives; the number of each type, and its letters.

        The letters of what is no text are called binary.
        """
        self.standing_alone(select)
        self.within_time()
        _, described = self._asked(f"SELECT * FROM (\n{select}\n) AS q LIMIT 0")  # noqa: S608
        header = [str(column[0]) for column in described]
        places = ", ".join(f"`r{place}`" for place in range(len(header)))
        shown = ", ".join(f"CHARSET(MAX(`r{place}`))" for place in range(len(header)))
        text = f"WITH `raw`({places}) AS (\n{select}\n) SELECT {shown} FROM `raw` WHERE FALSE"  # noqa: S608
        _, (letters,) = self.answer(text)
        return header, list(zip((int(c[1]) for c in described), map(str, letters), strict=True))

    def standing_alone(self, select: str) -> None:
        """Raise the driver's error for what is not one statement by itself."""
        self._asked(f"PREPARE evalreport FROM {self.connection.escape(select)}")

    def within_time(self) -> None:
        """Have the server stop the next statement where the query's time is over."""
        self._watch.look()
        left = self._watch.seconds_left
        self._asked(
            f"SET SESSION max_statement_time = {left:.3f}"
            if self.is_mariadb
            else f"SET SESSION max_execution_time = {int(left * 1000) + 1}"
        )

    def _asked(self, text: str) -> tuple[Any, Any]:
        with self.connection.cursor() as cursor:
            cursor.execute(text)
            return cursor.fetchall(), cursor.description


def from_mysql(address: str, name: str, sql: str, watch: QueryWatch) -> Generator[Any]:
    """The header and then the rows of one SELECT, fetched in batches.

    ``address`` holds no password. Raises FilesError where no server answers, DataError for a
    query that fails, LimitError for one that takes more than it may.
    """
    select = without_end(sql)
    with mysql_server(address, name, watch) as server:
        from pymysql.cursors import SSCursor

        server.standing_alone(select)
        server.within_time()
        with server.connection.cursor(SSCursor) as cursor:
            # Inside of another SELECT nothing can be written to a file of the server.
            cursor.execute(f"SELECT * FROM (\n{select}\n) AS q")  # noqa: S608
            yield [str(column[0]) for column in cursor.description]
            while rows := cursor.fetchmany(_BATCH):
                yield from watch.counted(rows)


@contextmanager
def mysql_server(address: str, name: str, watch: QueryWatch) -> Iterator[MysqlServer]:
    """A server at an address, without a password. Raises as ``from_mysql``."""
    try:
        import pymysql
    except ImportError:
        raise FilesError(
            Problem("MySQL and MariaDB need their driver", "pip install 'evalreport[mysql]'")
        ) from None
    try:
        connection = pymysql.connect(
            **connection_settings(address, os.environ, Path.home() / ".my.cnf"),
            charset="utf8mb4",
            connect_timeout=PATIENCE,
            read_timeout=watch.limits.seconds + PATIENCE,
            local_infile=False,
        )
    except (pymysql.Error, OSError, RuntimeError) as error:
        told, instead = _told(error), "check address, user and password"
        if _number(error) in _NOT_LET_IN:
            what = f"the database does not let this user in: {told}"
            raise FilesError(Problem(what, instead, Location(name))) from None
        raise LostError(f"the database does not answer: {told}", name, instead) from None
    server = None
    try:
        server = MysqlServer(connection, name, watch)
        yield server
    except (pymysql.Error, OSError) as error:
        number = _number(error)
        if number in _LOST or isinstance(error, OSError):
            what = f"the connection to the database was lost: {_told(error)}"
            raise LostError(what, name) from None
        if number in _NOT_ALLOWED:
            raise not_allowed(name, _told(error)) from None
        if number in _TOO_LONG:
            watch.look()
        hint = None if server is None else _nearest(server, number, _told(error))
        raise query_fails(name, _told(error), *([hint] if hint else [])) from None
    finally:
        # Without a farewell: rows that were not fetched would be waited for.
        connection._force_close()


_NAMED = re.compile(r"'([^']+)'")


def _nearest(server: MysqlServer, number: int, told: str) -> str | None:
    """The nearest name of a table or column of the database, for one that is not there."""
    found = _NAMED.search(told)
    if number not in (_NO_TABLE, _NO_COLUMN) or found is None:
        return None
    what = "table" if number == _NO_TABLE else "column"
    known = f"SELECT {what}_name FROM information_schema.columns WHERE table_schema = DATABASE()"  # noqa: S608
    try:
        _, rows = server.answer(known)
    except Exception:  # noqa: BLE001 - a hint, beside the error that is told anyway
        return None
    return did_you_mean(found[1].rpartition(".")[2], {str(row[0]) for row in rows}, f"{what}s")


def connection_settings(
    address: str, environment: Mapping[str, str], options: Path
) -> dict[str, Any]:
    """How to connect to an address, as the driver calls it; ``options`` is the operator's file.

    >>> connection_settings("mysql://me@127.0.0.1:3307/study", {"MYSQL_PWD": "x"}, Path("none"))
    {'host': '127.0.0.1', 'port': 3307, 'user': 'me', 'database': 'study', 'password': 'x'}
    """
    parts = mysql_address(address)
    own = _client_options(options)
    password = environment.get("MYSQL_PWD", own.get("password"))
    found: dict[str, Any] = {"host": parts.host, "port": parts.port}
    named = (("user", parts.user), ("database", parts.database), ("password", password))
    found |= {key: value for key, value in named if value is not None}
    if not is_local(parts.host):
        import ssl

        # Given whole, as the driver's own settings do not look at the name without a file.
        found["ssl"] = ssl.create_default_context(cafile=own.get("ssl-ca"))
    return found


def _client_options(path: Path) -> dict[str, str]:
    """The section ``client`` of an option file; nothing where there is none."""
    from configparser import ConfigParser, Error

    parser = ConfigParser(strict=False, allow_no_value=True, interpolation=None)
    try:
        parser.read(path, encoding="utf-8")
        found = dict(parser["client"]) if parser.has_section("client") else {}
    except (Error, UnicodeDecodeError):
        return {}
    return {k.replace("_", "-"): v.strip("'\"") for k, v in found.items() if v}


def _number(error: Exception) -> int:
    first = error.args[0] if error.args else None
    return first if isinstance(first, int) else -1


def _told(error: Exception) -> str:
    """The reason of a driver's error, without its number."""
    said = str(error.args[1]) if len(error.args) > 1 else str(error)
    return (said.splitlines() or [type(error).__name__])[0]
