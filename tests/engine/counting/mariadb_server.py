"""A server of MariaDB, or of MySQL, that is started for the tests, where one is installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from programs import LACKING, found_program, program

SECRET = "s3cret-of-the-test"
#: Names the program of a server of MySQL, to be started in the place of MariaDB.
MYSQL = "EVALREPORT_MYSQLD"


@pytest.fixture(scope="session")
def mariadb() -> Iterator[int]:
    """The port of a new server; ``owner`` may do all in ``study``, ``reader`` the same."""
    mysql = os.environ.get(MYSQL)
    server = mysql or program("mariadbd")
    install = None if mysql else found_program("mariadb-install-db")
    pymysql = pytest.importorskip("pymysql", reason=f"{LACKING}pymysql (make test-mariadb)")
    folder = Path(f"/tmp/evalreport-mariadb-{os.getpid()}")
    folder.mkdir(mode=0o755)
    user = "mysql" if mysql is None else "root"
    as_root = [f"--user={user}"] if os.getuid() == 0 else []
    if as_root:
        shutil.chown(folder, user, user)
    data = [f"--datadir={folder}/db", *as_root]
    running = None
    making = [str(install), "--no-defaults", *data, "--skip-test-db",
              "--auth-root-authentication-method=normal"]  # fmt: skip
    if mysql is not None:
        making = [mysql, "--no-defaults", *data, "--initialize-insecure"]
    more = [] if mysql is None else ["--mysqlx=OFF", "--secure-file-priv="]
    try:
        subprocess.run(making, check=True, capture_output=True)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = int(found.getsockname()[1])
        running = subprocess.Popen(
            [server, "--no-defaults", *data, f"--port={port}", "--bind-address=127.0.0.1",
             f"--socket={folder}/s", f"--pid-file={folder}/pid",
             "--innodb-flush-log-at-trx-commit=0", "--character-set-server=latin1", *more],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _made_ready(pymysql, f"{folder}/s")
        yield port
    finally:
        if running is not None:
            running.kill()
            running.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _made_ready(pymysql: Any, address: str) -> None:
    """Wait for the server, and make its users."""
    until = time.monotonic() + 60
    while True:
        with socket.socket(socket.AF_UNIX) as found:
            if found.connect_ex(address) == 0:
                break
        assert time.monotonic() < until
        time.sleep(0.1)
    connection = pymysql.connect(unix_socket=address, user="root")
    with connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE study")
        for user in ("owner", "reader"):
            cursor.execute(f"CREATE USER {user}@'127.0.0.1' IDENTIFIED BY '{SECRET}'")
            cursor.execute(f"GRANT ALL ON study.* TO {user}@'127.0.0.1'")
        cursor.execute("GRANT FILE ON *.* TO reader@'127.0.0.1'")


def owner(port: int, user: str = "owner") -> Any:
    """A connection that may write."""
    import pymysql

    return pymysql.connect(
        host="127.0.0.1", port=port, user=user, password=SECRET, database="study",
        autocommit=True, charset="utf8mb4",
    )  # fmt: skip
