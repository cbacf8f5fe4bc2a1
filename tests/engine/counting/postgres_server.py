"""A Postgres server that is started for the tests, where one is installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from programs import program

SECRET = "s3cret-of-the-test"


def as_server(*words: str) -> list[str]:
    """A command as a user that the server accepts: it refuses root."""
    return (
        [program("setpriv"), "--reuid=postgres", "--regid=postgres", "--clear-groups", *words]
        if (os.getuid() == 0)
        else list(words)
    )


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a new server with a table ``seen``, user ``reader`` with a password."""
    initdb = program("initdb")
    folder = _folder()
    folder.mkdir(mode=0o755)
    try:
        if os.getuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        secret = folder / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o644)
        subprocess.run(
            as_server(initdb, "-D", f"{folder}/db", "-U", "owner", "-A", "scram-sha-256",
                      "--pwfile", str(secret), "-N", "-E", "UTF8", "--no-locale"),
            check=True, capture_output=True,
        )  # fmt: skip
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = int(found.getsockname()[1])
        control(port, "-w", "start")
        try:
            _fill(port)
            yield port
        finally:
            control(port, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def rows() -> list[tuple[Any, ...]]:
    return [
        (("a", "b", None)[i % 7 % 3] if i % 50 else None, None if i % 31 == 0 else i % 97 / 97,
         i % 4, ("x", "y\tz", 'q"\n', "")[i % 4], i % 2 == 0)
        for i in range(25_000)
    ]  # fmt: skip


class Owner:
    """A connection that may do anything; each statement is kept at once."""

    def __init__(self, port: int) -> None:
        import adbc_driver_manager
        import adbc_driver_postgresql

        address = f"postgresql://owner:{SECRET}@127.0.0.1:{port}/postgres"
        self._database = adbc_driver_postgresql.connect(address)
        self._connection = adbc_driver_manager.AdbcConnection(self._database)

    def __enter__(self) -> Owner:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._database.close()

    def execute(self, text: str) -> None:
        """Have a statement done."""
        with self._statement(text) as statement:
            statement.execute_update()

    def insert(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """More rows of a table."""
        values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
        self.execute(f"INSERT INTO {table} VALUES {values}")

    def asked(self, text: str) -> list[tuple[Any, ...]]:
        """The rows of an answer."""
        with self._statement(text) as statement:
            found = duckdb.connect().from_arrow(statement.execute_query()[0])
            return list(found.fetchall())

    def _statement(self, text: str) -> Any:
        from adbc_driver_manager import AdbcStatement

        statement = AdbcStatement(self._connection)
        statement.set_sql_query(text)
        return closing(statement)


def _literal(value: Any) -> str:
    return "NULL" if value is None else "'" + str(value).replace("'", "''") + "'"


def owner(port: int) -> Owner:
    """A connection that may do anything."""
    return Owner(port)


def control(port: int, *words: str) -> None:
    """Stop or start the server of a port again."""
    pg_ctl = Path(program("initdb")).resolve().with_name("pg_ctl")
    folder = _folder()
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} -c fsync=off"
    subprocess.run(
        as_server(str(pg_ctl), "-D", f"{folder}/db", "-o", options, "-l", f"{folder}/log", *words),
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def _folder() -> Path:
    """Outside of pytest's folders, which other users cannot enter."""
    return Path(f"/tmp/evalreport-postgres-{os.getpid()}")


def _fill(port: int) -> None:
    with owner(port) as connection:
        connection.execute(
            "CREATE TABLE seen (truth text, score double precision, site int, place text, ok bool)"
        )
        connection.insert("seen", rows())
        connection.execute(f"CREATE USER reader PASSWORD '{SECRET}'")
        connection.execute("GRANT ALL ON seen TO reader")
        connection.execute("GRANT ALL ON SCHEMA public TO reader")
