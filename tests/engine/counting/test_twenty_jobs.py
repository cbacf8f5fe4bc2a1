"""Twenty jobs and more in memory and by each database: the same leaves of results.json."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from engine.counting.postgres_server import SECRET, owner
from engine.counting.twenty_jobs import EACH_KIND, JOBS, ROWS, SOME, check, leaves, with_paths

pytestmark = pytest.mark.long_but_first


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("jobs")
    connection = duckdb.connect()
    connection.execute(f"COPY ({ROWS}) TO '{made}/d.parquet' (FORMAT parquet)")
    connection.execute(f"COPY (SELECT * FROM ({ROWS}) WHERE {SOME}) TO '{made}/e.parquet'")
    connection.execute(f"COPY ({ROWS}) TO '{made}/d.csv' (HEADER)")
    return made


@pytest.fixture(scope="module")
def table(server: int, folder: Path) -> str:
    """The address of a database with the rows in a table ``jobs``."""
    kinds = {"VARCHAR": "text", "DOUBLE": "double precision", "INTEGER": "integer"}
    found = duckdb.sql(f"SELECT * FROM '{folder}/d.parquet'")
    types = zip(found.columns, map(str, found.types), strict=True)
    columns = ", ".join(f"{name} {kinds[kind]}" for name, kind in types)
    with owner(server) as connection:
        connection.execute(f"CREATE TABLE jobs ({columns})")
        connection.insert("jobs", found.fetchall())
        connection.execute("GRANT SELECT ON jobs TO reader")
    return f"postgresql://reader@127.0.0.1:{server}/postgres"


def test_there_are_twenty_and_more() -> None:
    assert len(JOBS) >= 20


def test_leaves_are_told_apart() -> None:
    assert dict(leaves({"a": [1, {"b": None}], "c": {}})) == {"/a/0": 1, "/a/1/b": None, "/c": {}}


@pytest.mark.nightly_but_each(2)
@pytest.mark.parametrize("job", JOBS)
def test_duckdb(folder: Path, job: str) -> None:
    check(with_paths(job, lambda name: str(folder / f"{name}.parquet")), "duckdb")


@pytest.mark.parametrize("job", EACH_KIND)
def test_a_duckdb_file(folder: Path, job: str) -> None:
    file = folder / "jobs.duckdb"
    if not file.exists():
        with duckdb.connect(str(file)) as connection:
            connection.execute(f"CREATE TABLE jobs AS {ROWS}")
    sql = {"d": "SELECT * FROM jobs", "e": f"SELECT * FROM jobs WHERE {SOME}"}
    asked = with_paths(job, lambda name: {"sql": sql[name], "database": str(file)})
    check(asked, "database")


@pytest.fixture(scope="module")
def sqlite_file(folder: Path) -> Path:
    """A SQLite file with the rows in a table ``jobs``."""
    file = folder / "jobs.sqlite"
    kinds = {"VARCHAR": "TEXT", "DOUBLE": "REAL", "INTEGER": "INTEGER"}
    described = duckdb.sql(f"DESCRIBE SELECT * FROM '{folder}/d.parquet'").fetchall()
    columns = ", ".join(f"{name} {kinds[kind]}" for name, kind, *_ in described)
    rows = duckdb.sql(f"SELECT * FROM '{folder}/d.parquet'").fetchall()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"CREATE TABLE jobs ({columns})")
        places = ", ".join("?" * len(described))
        connection.executemany(f"INSERT INTO jobs VALUES ({places})", rows)
    return file


@pytest.mark.parametrize("job", EACH_KIND)
def test_a_sqlite_file(sqlite_file: Path, job: str) -> None:
    sql = {"d": "SELECT * FROM jobs", "e": f"SELECT * FROM jobs WHERE {SOME}"}
    asked = with_paths(job, lambda name: {"sql": sql[name], "database": str(sqlite_file)})
    check(asked, "database")


@pytest.mark.long
@pytest.mark.parametrize("job", EACH_KIND)
def test_postgres(table: str, job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", SECRET)
    sql = {"d": "SELECT * FROM jobs", "e": f"SELECT * FROM jobs WHERE {SOME}"}
    check(with_paths(job, lambda name: {"sql": sql[name], "database": table}), "database")
