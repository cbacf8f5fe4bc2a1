"""Kinds of rows are the same, with one hash, whichever database counts them."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.hard_cases import CASES, MORE, ROWS, TYPES, database_kinds, plain
from engine.counting.postgres_server import SECRET, owner

from evalreport.data.table import RawTable
from evalreport.engine.databases.kinds import read_query
from evalreport.engine.databases.sessions import open_database
from evalreport.engine.databases.wanted import NotPlainError, TooManyKindsError, Wanted
from evalreport.errors import DataError
from evalreport.spec.datasets import Query

pytestmark = pytest.mark.long_but_first

_OF_DUCKDB = {"decimal": "DECIMAL(20, 4)", "decimal0": "DECIMAL(9, 1)", "zoned": "TIMESTAMPTZ",
              "mood": "hard_mood"}  # fmt: skip
_OF_POSTGRES = {"double": "double precision", "decimal": "numeric", "decimal0": "numeric(9, 1)",
                "zoned": "timestamptz", "mood": "hard_mood"}  # fmt: skip
_OF_SQLITE = {"double": "REAL", "bigint": "INTEGER"}


def _columns(types: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {types.get(kind, kind)}" for name, kind in TYPES.items())


@pytest.fixture(scope="session")
def duckdb_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("hard") / "hard.duckdb"
    fill_duckdb(made)
    return str(made)


def fill_duckdb(made: Path) -> None:
    places = ", ".join("?" * len(TYPES))
    with duckdb.connect(str(made)) as connection:
        connection.execute("CREATE TYPE hard_mood AS ENUM ('x', 'Y')")
        connection.execute(f"CREATE TABLE hard ({_columns(_OF_DUCKDB)})")
        connection.execute("CREATE TABLE more (id text, label text)")
        connection.executemany(
            f"INSERT INTO hard VALUES ({places})", [list(row.values()) for row in ROWS]
        )
        connection.executemany("INSERT INTO more VALUES (?, ?)", MORE)


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("hard") / "hard.sqlite"

    def kept(value: Any) -> Any:
        return plain(value) if isinstance(value, dt.date | Decimal) else value

    with closing(sqlite3.connect(made)) as connection, connection:
        types = {**dict.fromkeys(TYPES.values(), "TEXT"), **_OF_SQLITE}
        connection.execute(
            f"CREATE TABLE hard ({_columns({**types, 'decimal': 'REAL', 'decimal0': 'REAL'})})"
        )
        connection.execute("CREATE TABLE more (id TEXT COLLATE NOCASE, label TEXT)")
        places = ", ".join("?" * len(TYPES))
        rows = ([kept(value) for value in row.values()] for row in ROWS)
        connection.executemany(f"INSERT INTO hard VALUES ({places})", rows)
        connection.executemany("INSERT INTO more VALUES (?, ?)", MORE)
    return str(made)


@pytest.fixture(scope="session")
def postgres(server: int) -> str:
    with owner(server) as connection:
        connection.execute("CREATE TYPE hard_mood AS ENUM ('x', 'Y')")
        connection.execute(f"CREATE TABLE hard ({_columns(_OF_POSTGRES)})")
        connection.execute("CREATE TABLE more (id text, label text)")
        connection.insert("hard", (row.values() for row in ROWS))
        connection.insert("more", MORE)
        connection.execute("GRANT SELECT ON hard, more TO reader")
    return f"postgresql://reader@127.0.0.1:{server}/postgres"


@pytest.fixture(params=["sqlite_file", "duckdb_file", "postgres"])
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PGPASSWORD", SECRET)
    return str(request.getfixturevalue(request.param))


def rows_of(table: RawTable) -> Counter[tuple[Any, ...]]:
    """The kinds of a table, each with how many rows are of it, columns by their names."""
    columns = [table.columns[name] for name in sorted(table.columns)]
    values = [
        [None if gap else value for value, gap in zip(c.values.tolist(), c.missing, strict=True)]
        for c in columns
    ]
    assert table.times is not None
    kinds = zip(*values, strict=True) if columns else [()] * table.rows
    found: Counter[tuple[Any, ...]] = Counter()
    for kind, times in zip(kinds, table.times.tolist(), strict=True):
        assert kind not in found
        found[kind] = times
    return found


def query_on(database: str, sql: str) -> Query:
    return Query(sql=sql, database=database)


HASHES: dict[str, str] = {}


@pytest.mark.parametrize("name", CASES)
def test_kinds_are_those_of_memory(database: str, name: str) -> None:
    case = CASES[name]
    query = query_on(database, case.sql)
    source = open_database(Path(), query)
    kinds, rows = database_kinds(source, case.asked(query=query))
    assert rows_of(kinds) == case.expected()
    assert kinds.sha256 == HASHES.setdefault(name, str(kinds.sha256))
    if not {"periods", "intervals", "grains", "id", "count"} & {*case.wanted} and case.columns:
        read = read_query(source, query, case.columns, 1 << 30)
        assert read.rows == rows
        if source.sha256 == "":
            # Rows that were read are known by the same hash.
            assert read.sha256 == kinds.sha256


@pytest.mark.parametrize(
    ("columns", "sql", "wanted", "error", "told"),
    [
        ("y", "SELECT * FROM hard", {"periods": {"y": "month"}}, DataError, "y is not a date"),
        ("s", "SELECT * FROM hard", {"intervals": {"s": (0.5,)}}, DataError,
         "s is not a finite number in some rows"),
        ("y", "SELECT * FROM hard", {"intervals": {"y": (0.5,)}}, DataError, "y is not a finite"),
        ("y", "SELECT y, 'p1' AS id FROM hard", {"id": "id"}, DataError,
         "id is not unique: 'p1' is in 600 rows"),
        ("y", "SELECT y, n FROM hard", {"count": "n"}, NotPlainError, "rows they represent"),
        ("y", "SELECT y, 0.5 AS n FROM hard", {"count": "n"}, NotPlainError, "they represent"),
        ("n id", "SELECT * FROM hard", {"room": 0, "id": "y", "repeats": True}, TooManyKindsError,
         "more than 50 kinds of rows by n, id"),
        ("y", "SELECT * FROM hard WHERE flag = 'c'", {}, DataError, "gives no rows"),
    ],
)  # fmt: skip
def test_what_is_refused(
    database: str, columns: str, sql: str, wanted: dict[str, Any], error: type[Exception],
    told: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("evalreport.engine.databases.wanted.LEAST_KINDS", 50)
    query = query_on(database, sql)
    with pytest.raises(error, match=told):
        database_kinds(
            open_database(Path(), query), Wanted(tuple(columns.split()), query=query, **wanted)
        )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM hard; DROP TABLE hard",
        "SELECT * FROM hard) AS a; DROP TABLE hard --",
        "SELECT 1 AS y) AS q; DELETE FROM hard; SELECT * FROM (SELECT 1 AS y",
        "WITH gone AS (DELETE FROM hard RETURNING *) SELECT * FROM gone",
        "DELETE FROM hard RETURNING *",
        "COMMIT",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    ],
)
def test_nothing_but_reading_is_possible(database: str, sql: str) -> None:
    query = query_on(database, sql)
    with pytest.raises(DataError, match="the query fails"):
        database_kinds(open_database(Path(), query), Wanted(("y",), query=query))
    whole = query_on(database, "SELECT * FROM hard")
    assert database_kinds(open_database(Path(), whole), Wanted(("y",), query=whole)).rows == 600


def test_a_session_of_postgres_cannot_be_switched(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", SECRET)
    for setting, value in (("transaction_read_only", "off"), ("statement_timeout", "0"),
                           ("TimeZone", "Asia/Tokyo"), ("datestyle", "German")):  # fmt: skip
        sql = f"SELECT *, set_config('{setting}', '{value}', false) FROM hard"
        query = query_on(postgres, sql)
        source = open_database(Path(), query)
        weeks = CASES["weeks"].asked(query=query)
        if setting in ("transaction_read_only", "datestyle"):
            # A date that is written in another way is none, and no other.
            with pytest.raises(DataError, match=r"the query fails|day is not a date"):
                database_kinds(source, weeks)
            continue
        assert rows_of(database_kinds(source, weeks).table) == CASES["weeks"].expected()
