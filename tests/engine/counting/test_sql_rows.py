"""Rows of a query: read from the database named, and nothing else is touched."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of

from evalreport.errors import DataError, SpecError

ROWS = [("a", 0.9, None), ("b", 0.2, "x"), ("a", 0.4, "x"), ("b", 0.6, "y"), ("a", None, "y")]
SELECT = "SELECT truth AS y, score AS s, place FROM seen"
Make = Callable[[Path], None]


def sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE seen (truth TEXT, score REAL, place TEXT)")
    connection.executemany("INSERT INTO seen VALUES (?, ?, ?)", ROWS)
    connection.commit()
    connection.close()


def duck(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE seen (truth TEXT, score DOUBLE, place TEXT)")
        connection.executemany("INSERT INTO seen VALUES (?, ?, ?)", ROWS)


def spec(path: Path, sql: str = SELECT) -> dict[str, Any]:
    dataset = {"path": {"sql": sql, "database": str(path)}, "missing": "exclude"}
    return spec_of(path, {"score": "s"}, dataset=dataset, subgroups=["place"])


@pytest.mark.parametrize("make", [sqlite, duck])
def test_rows_of_a_query_are_those_of_a_file(tmp_path: Path, make: Make) -> None:
    path, plain = tmp_path / "rows[1].db", tmp_path / "rows.csv"
    make(path)
    lines = [f"{y},{'' if s is None else s},{place or ''}" for y, s, place in ROWS]
    plain.write_text("\n".join(["y,s,place", *lines]) + "\n")
    found = run(spec(path), "auto")
    assert engine_of(found) == ("memory", "5 rows fit in memory")
    assert found["provenance"]["inputs"][0]["name"] == "rows[1].db"
    assert found["rows"][0]["excluded"] == [{"reason": "s is missing", "count": 1}]
    of_file = spec_of(plain, {"score": "s"}, dataset={"missing": "exclude"}, subgroups=["place"])
    assert comparable(found) == comparable(run(of_file, "memory"))
    counted = run(spec(path), "duckdb")
    assert engine_of(counted) == ("database", "requested")
    assert comparable(counted) == comparable(found)
    assert counted["provenance"]["inputs"] == found["provenance"]["inputs"]


@pytest.mark.parametrize("make", [sqlite, duck])
def test_large_databases_are_counted(
    tmp_path: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalreport.engine.counting import choosing as counting

    path = tmp_path / "rows.db"
    make(path)
    monkeypatch.setattr(counting, "MUCH_TEXT", 1)
    reason = f"{path.stat().st_size:,} bytes are counted, not loaded"
    assert engine_of(run(spec(path), "auto")) == ("database", reason)


def test_values_of_any_type_keep_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE seen (y, p, s)")
        values = [1, 1.0, "1", 2, None, "a\tb", 10**15, 0.1]
        rows = [(v, values[-1 - i % 8], str(i / 10)) for i, v in enumerate(values * 3)]
        connection.executemany("INSERT INTO seen VALUES (?, ?, ?)", rows)
    connection.close()
    wanted = spec_of(
        path, {"prediction": "p"}, subgroups=["s"],
        dataset={"path": {"sql": "SELECT * FROM seen", "database": str(path)},
                 "missing": "exclude", "labels": ["1", "2", "a\tb", "0.1", str(10**15)]},
    )  # fmt: skip
    memory, counted = run(wanted, "memory"), run(wanted, "database")
    assert engine_of(counted) == ("database", "requested")
    assert comparable(counted) == comparable(memory)


@pytest.mark.parametrize("make", [sqlite, duck])
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM seen",
        "DROP TABLE seen",
        "ATTACH '{folder}/other.db' AS other",
        "SELECT 1 AS y; DROP TABLE seen",
        "COPY seen TO '{folder}/other.db'",
        "VACUUM INTO '{folder}/other.db'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT load_extension('x') AS y",
        "PRAGMA writable_schema = 1",
        "SELECT y FROM absent",
        "SELEC 1",
    ],
)
def test_nothing_but_reading_is_possible(tmp_path: Path, make: Make, sql: str) -> None:
    path = tmp_path / "rows.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(DataError, match="the query fails"):
        run(spec(path, sql.format(folder=tmp_path)), "auto")
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["rows.db"]


def test_no_rows_no_database_and_an_address(tmp_path: Path) -> None:
    path = tmp_path / "rows.db"
    sqlite(path)
    with pytest.raises(DataError, match="gives no rows"):
        run(spec(path, f"{SELECT} WHERE false"), "auto")
    path.write_bytes(b"no database")
    with pytest.raises(DataError, match=r"rows\.db.* not a valid DuckDB database file"):
        run(spec(path), "auto")
    wrong = spec(path)
    for kind in ("oracle", "mysql"):
        wrong["datasets"]["d"]["path"]["database"] = f"{kind}://host/db"
        with pytest.raises(SpecError, match=r"behind such an address.*a file with `count: n`"):
            run(wrong, "auto")
