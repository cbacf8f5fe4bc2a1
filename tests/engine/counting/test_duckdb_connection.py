"""The connection that counts opens one file and nothing else; which engine counts, and why."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from engine.counting.counted_runs import engine_of, run, spec_of

from evalreport.data.source import open_source
from evalreport.engine.counting import choosing as counting
from evalreport.engine.counting.choosing import limit_bytes
from evalreport.engine.counting.duckdb_rows import duckdb_rows
from evalreport.engine.databases.query_text import twice_query
from evalreport.engine.databases.wanted import Wanted
from evalreport.errors import DataError, FilesError, LimitError, SpecError
from evalreport.publish.installed import Extra

ROWS = """
SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS y, i / 100 AS s, i AS t FROM range(100) t(i)
"""
MEMORY = 200_000_000


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "COPY (SELECT 1) TO '/tmp/EVALREPORT_PWNED_copy'",
        "ATTACH '/tmp/EVALREPORT_PWNED.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit='1TB'",
        "SET enable_external_access=true",
        "SELECT * FROM pytest",
    ],
)
def test_nothing_else_can_be_reached(write: Callable[..., Path], query: str) -> None:
    source = open_source(write(ROWS))
    with pytest.raises(DataError), duckdb_rows(source, Wanted(("y",), memory=MEMORY)) as rows:
        rows.connection.execute(query)
    assert not list(Path("/tmp").glob("EVALREPORT_PWNED*"))


def test_a_file_that_changes_meanwhile_is_refused(write: Callable[..., Path]) -> None:
    path = write(ROWS)
    source = open_source(path)
    wanted = Wanted(("y",), memory=MEMORY)
    with pytest.raises(FilesError, match="changed"), duckdb_rows(source, wanted):
        path.write_bytes(path.read_bytes().replace(b"PAR1", b"PAR2", 1))


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    with pytest.raises(DataError, match="not a sound Parquet"):
        run(spec_of(path, {"score": "s"}), "duckdb")


def test_too_little_memory_names_the_limit(write: Callable[..., Path]) -> None:
    source = open_source(write("SELECT md5(i::VARCHAR) AS y FROM range(2000000) t(i)"))
    with (
        pytest.raises(LimitError, match=r"counting needs more than 6 MiB of memory"),
        duckdb_rows(source, Wanted(("y",), memory=7_000_000)) as rows,
    ):
        rows.fetch(twice_query(rows.dialect, rows.rows, rows.columns[0]), ["y", "n"])


def test_auto_counts_from_many_rows_on(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of(write(ROWS), {"score": "s"})
    assert engine_of(run(spec, "auto")) == ("memory", "100 rows fit in memory")
    monkeypatch.setattr(counting, "MANY_ROWS", 100)
    reason = "100 rows are counted in the file, not loaded"
    assert engine_of(run(spec, "auto")) == ("duckdb", reason)
    spec["datasets"]["d"]["weight"] = "s"
    assert engine_of(run(spec, "auto")) == ("duckdb", reason)
    spec["datasets"]["d"]["types"] = {"s": "number"}
    assert engine_of(run(spec, "auto")) == ("duckdb", reason)
    spec["datasets"]["d"] |= {"keep_rows": True, "id": "t"}
    reason = "100 rows are loaded: digests of its rows are kept (about 0 MB of memory)"
    assert engine_of(run(spec, "auto")) == ("memory", reason)


@pytest.mark.parametrize(
    ("dataset", "parts", "why"),
    [
        ({"keep_rows": True, "id": "t"}, {}, "digests of its rows are kept"),
        ({"readers": "y", "id": "t"}, {}, "the readings of a case are kept together"),
    ],
)  # fmt: skip
def test_what_needs_single_rows_is_refused_where_the_engine_is_named(
    write: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    dataset: dict[str, object],
    parts: dict[str, object],
    why: str,
) -> None:
    path = write(f"SELECT *, 1 - s AS t FROM ({ROWS}) WHERE s > 0")
    spec = {**spec_of(path, {"score": "s"}, dataset=dataset), **parts}
    # a few rows are read by the engine of this process
    assert engine_of(run(spec, "duckdb")) == ("memory", f"duckdb was requested, but {why}")
    monkeypatch.setattr(counting, "MANY_ROWS", 1)
    with pytest.raises(SpecError, match=f"the engine duckdb cannot count d: {why}"):
        run(spec, "duckdb")
    with pytest.raises(SpecError, match=f"the engine duckdb cannot count d: {why}"):
        run({**spec, "engine": {"name": "duckdb"}}, "auto")
    assert engine_of(run(spec, "auto"))[0] == "memory"


def test_spark_without_an_address_or_a_server(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of(write(ROWS), {"score": "s"})
    monkeypatch.setattr("evalreport.publish.installed._SPARK", Extra("spark", (), ""))
    with pytest.raises(SpecError, match="no cluster"):
        run(spec, "spark")


@pytest.mark.parametrize(("text", "count"), [("1MB", 10**6), ("2 GiB", 2**31), ("1.5GB", 1.5e9)])
def test_memory_limits(text: str, count: float) -> None:
    assert limit_bytes(text) == count


def test_a_signal_stops_a_query_at_once(write: Callable[..., Path]) -> None:
    endless = (
        "SELECT count(*) AS n FROM range(1000000) a, range(1000000) b "
        "WHERE hash(a.range + b.range) = 1"
    )

    def stop(_number: int, _frame: object) -> None:
        raise SystemExit(130)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with (
            pytest.raises(SystemExit),
            duckdb_rows(open_source(write(ROWS)), Wanted(("y",), memory=MEMORY)) as rows,
        ):
            rows.fetch(endless, ["n"])
    finally:
        signal.signal(signal.SIGALRM, before)
