"""Queries without end: of time, of rows, of memory; each is stopped, and said to be."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from hostile.command import Workshop, environment

from evalreport.engine.databases import query_limits
from evalreport.engine.databases.query_limits import VARIABLE, QueryLimits, resident

pytestmark = pytest.mark.long_but_first


COUNT = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
CASES = {
    # name: database, query, limits, what is said
    "recursion that gives nothing": (
        "sqlite", COUNT + "SELECT n AS y, n AS p FROM c WHERE n < 0", {"seconds": 1}, "1 s"),
    "recursion that gives rows": (
        "sqlite", COUNT + "SELECT n AS y, n AS p FROM c", {"memory": 200 << 20, "seconds": 60},
        "200 MiB of memory"),
    "recursion in a view": ("sqlite", "SELECT n AS y, n AS p FROM endless", {"seconds": 1}, "1 s"),
    "one number of endless rows": (
        "sqlite", COUNT + "SELECT count(*) AS y, 1 AS p FROM c", {"seconds": 1}, "1 s"),
    "long values": (
        "sqlite", COUNT + "SELECT printf('%900000d', n) AS y, 1 AS p FROM c",
        {"memory": 200 << 20, "seconds": 60}, "200 MiB of memory"),
    "sorted without end": (
        "sqlite", COUNT + "SELECT n AS y, hex(randomblob(400)) AS p FROM c ORDER BY 2",
        {"memory": 200 << 20, "seconds": 60}, "200 MiB of memory"),
    "range": ("duckdb", "SELECT range AS y, range AS p FROM range(100000000000)",
              {"memory": 200 << 20, "seconds": 60}, "200 MiB of memory"),
    "count of a product": (
        "duckdb", "SELECT count(*) AS y, 1 AS p FROM range(10000000000) a, range(100000000) b",
        {"seconds": 1}, "1 s"),
    "recursion": ("duckdb", COUNT + "SELECT n AS y, n AS p FROM c WHERE n < 0", {"seconds": 1},
                  "1 s"),
    "hashed without end": (
        "duckdb", "SELECT DISTINCT range::VARCHAR || repeat('x', 100) AS y, 1 AS p "
        "FROM range(100000000000)", {"memory": 400 << 20, "seconds": 60},
        "of memory"),
}  # fmt: skip


def database(workshop: Workshop, kind: str) -> None:
    path = workshop.folder / "rows.db"
    if kind == "duckdb":
        with duckdb.connect(str(path)) as made:
            made.execute("CREATE TABLE seen AS SELECT 1 AS y")
        return
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE seen (y)")
    connection.execute(f"CREATE VIEW endless AS {COUNT} SELECT n FROM c WHERE n < 0")
    connection.commit()
    connection.close()


def spec(workshop: Workshop, sql: str) -> Path:
    return workshop.spec(
        "evalreport: 1\ntitle: t\nmodels: {m: {prediction: p}}\nmetrics: [accuracy]\n"
        f'datasets: {{d: {{path: {{sql: "{sql}", database: rows.db}}, target: y}}}}\n'
    )


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["memory", "database"])
@pytest.mark.parametrize("case", sorted(CASES))
def test_a_query_is_stopped(
    workshop: Workshop, case: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, sql, limits, word = CASES[case]
    monkeypatch.setattr(query_limits, "LIMITS", QueryLimits(**limits))
    database(workshop, kind)
    spec(workshop, sql)
    held = resident()
    workshop.refused(4, "rows.db: the query ", word, engine=engine)
    assert resident() - held < 1 << 30


@pytest.mark.long
def test_the_operator_sets_the_limits_and_a_spec_does_not(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    database(workshop, "sqlite")
    spec(workshop, COUNT + "SELECT n AS y, n AS p FROM c")
    monkeypatch.setenv(VARIABLE, "memory=100MiB")
    workshop.refused(4, "takes more than 100 MiB of memory", f"more memory by {VARIABLE}")
    monkeypatch.setenv(VARIABLE, "seconds=1")
    spec(workshop, COUNT + "SELECT n AS y, n AS p FROM c WHERE n < 0")
    workshop.refused(4, "takes more than 1 s", f"more seconds by {VARIABLE}")
    monkeypatch.setattr(query_limits, "LIMITS", QueryLimits(seconds=0.001))
    spec(workshop, COUNT + "SELECT n % 2 AS y, n % 3 % 2 AS p FROM c LIMIT 300000")
    monkeypatch.delenv(VARIABLE)
    workshop.refused(4, "takes more than 0.001 s")
    monkeypatch.setenv(VARIABLE, "seconds=300, memory=8GiB")
    assert workshop.run().status == 0


def test_limits_that_are_none_are_told_all_at_once(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    database(workshop, "sqlite")
    spec(workshop, "SELECT y, y AS p FROM seen")
    wrong = ["hours=2", "seconds=0", "seconds=5GiB", "memory=lots", "seconds"]
    monkeypatch.setenv(VARIABLE, ", ".join([*wrong, "seconds=7"]))
    workshop.refused(2, *(f"{VARIABLE} holds {part!r}" for part in wrong))


def test_one_value_of_sqlite_is_bounded(workshop: Workshop) -> None:
    database(workshop, "sqlite")
    for made in ("zeroblob(900000000)", "replace(hex(zeroblob(9000000)), '0', 'xx')"):
        spec(workshop, f"SELECT {made} AS y, 1 AS p")
        workshop.refused(3, "the query fails")
    # A format that is too long is NULL.
    spec(workshop, "SELECT printf('%900000000d', 1) AS y, 1 AS p")
    workshop.refused(3, "y is empty")


def test_nothing_is_left_beside_the_database(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB puts temporary files beside a database unless it is told where."""
    monkeypatch.setattr(query_limits, "LIMITS", QueryLimits(memory=150 << 20, seconds=20))
    database(workshop, "duckdb")
    spec(
        workshop,
        "SELECT range AS y, repeat('x', 50) AS p FROM range(20000000) ORDER BY hash(range)",
    )
    before = {path.name for path in workshop.folder.iterdir()}
    assert workshop.run(engine="duckdb").status in (3, 4)
    assert {path.name for path in workshop.folder.iterdir()} == before


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_signal_ends_an_endless_query(workshop: Workshop, kind: str) -> None:
    database(workshop, kind)
    spec(workshop, COUNT + "SELECT n AS y, n AS p FROM c WHERE n < 0")
    with subprocess.Popen(
        [sys.executable, "-m", "evalreport", "run", "spec.yaml", "-o", "runs", "--formats", "json"],
        cwd=workshop.folder, env=environment(), stderr=subprocess.PIPE, text=True,
        stdout=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        time.sleep(4)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 143, err
