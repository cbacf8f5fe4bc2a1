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

from evalreport.engine.counting import choosing
from evalreport.engine.databases.sessions import VARIABLE, most_held

pytestmark = pytest.mark.long_but_first


COUNT = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
CASES = {
    # name: database, query, limit of memory (else one of a second), what is said
    "recursion that gives nothing": (
        "sqlite", COUNT + "SELECT n AS y, n AS p FROM c WHERE n < 0", None, "1 s"),
    "recursion that gives rows": (
        "sqlite", COUNT + "SELECT n AS y, n AS p FROM c", "200 MiB",
        "200 MiB of memory"),
    "recursion in a view": ("sqlite", "SELECT n AS y, n AS p FROM endless", None, "1 s"),
    "one number of endless rows": (
        "sqlite", COUNT + "SELECT count(*) AS y, 1 AS p FROM c", None, "1 s"),
    "long values": (
        "sqlite", COUNT + "SELECT printf('%900000d', n) AS y, 1 AS p FROM c",
        "200 MiB", "200 MiB of memory"),
    "sorted without end": (
        "sqlite", COUNT + "SELECT n AS y, hex(randomblob(400)) AS p FROM c ORDER BY 2",
        "200 MiB", "200 MiB of memory"),
    "range": ("duckdb", "SELECT range AS y, range AS p FROM range(100000000000)",
              "200 MiB", "200 MiB of memory"),
    "count of a product": (
        "duckdb", "SELECT count(*) AS y, 1 AS p FROM range(10000000000) a, range(100000000) b",
        None, "1 s"),
    "recursion": ("duckdb", COUNT + "SELECT n AS y, n AS p FROM c WHERE n < 0", None,
                  "1 s"),
    "hashed without end": (
        "duckdb", "SELECT DISTINCT range::VARCHAR || repeat('x', 100) AS y, 1 AS p "
        "FROM range(100000000000)", "400 MiB",
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


def spec(workshop: Workshop, sql: str, memory: str | None = None) -> Path:
    limit = "" if memory is None else f"engine: {{memory_limit: {memory}}}\n"
    return workshop.spec(
        f"{limit}"
        "evalreport: 1\ntitle: t\nmodels: {m: {prediction: p}}\nmetrics: [accuracy]\n"
        f'datasets: {{d: {{path: {{sql: "{sql}", database: rows.db}}, target: y}}}}\n'
    )


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["memory", "database"])
@pytest.mark.parametrize("case", sorted(CASES))
def test_a_query_is_stopped(
    workshop: Workshop, case: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, sql, memory, word = CASES[case]
    monkeypatch.setenv(VARIABLE, "60" if memory else "1")
    database(workshop, kind)
    spec(workshop, sql, memory)
    held = most_held()
    workshop.refused(4, "rows.db: the query ", word, engine=engine)
    assert most_held() - held < 1 << 30


@pytest.mark.long
def test_the_operator_sets_the_limits_and_a_spec_only_lowers_one(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    database(workshop, "sqlite")
    spec(workshop, COUNT + "SELECT n AS y, n AS p FROM c", "100 MiB")
    workshop.refused(4, "takes more than 100 MiB of memory", "a higher engine.memory_limit")
    monkeypatch.setattr(choosing, "machine_bytes", lambda: 0)
    spec(workshop, COUNT + "SELECT n AS y, n AS p FROM c", "64 GiB")
    workshop.refused(4, "takes more than 953 MiB of memory")
    monkeypatch.setenv(VARIABLE, "1")
    spec(workshop, COUNT + "SELECT n AS y, n AS p FROM c WHERE n < 0")
    workshop.refused(4, "takes more than 1 s", f"more seconds by {VARIABLE}")
    for wrong in ("0", "2 h", "1.5", ""):
        monkeypatch.setenv(VARIABLE, wrong)
        workshop.refused(2, f"{VARIABLE} is {wrong!r}; a number of seconds")


def test_nothing_is_left_beside_the_database(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB puts temporary files beside a database unless it is told where."""
    monkeypatch.setenv(VARIABLE, "20")
    database(workshop, "duckdb")
    spec(
        workshop,
        "SELECT range AS y, repeat('x', 50) AS p FROM range(20000000) ORDER BY hash(range)",
        "150 MiB",
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
