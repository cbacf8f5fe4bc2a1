"""Twenty jobs on a Spark Connect server: the leaves of results.json that memory gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from engine.counting.counted_runs import run
from engine.counting.spark.spark_server import MARKS, server
from engine.counting.twenty_jobs import EACH_KIND, ROWS, SOME, differing, with_paths

pytestmark = MARKS


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with server(tmp_path_factory.mktemp("spark")) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("jobs")
    duckdb.execute(f"COPY ({ROWS}) TO '{made}/d.parquet'")
    duckdb.execute(f"COPY (SELECT * FROM ({ROWS}) WHERE {SOME}) TO '{made}/e.parquet'")
    return made


@pytest.mark.parametrize("job", EACH_KIND)
def test_spark(folder: Path, address: str, job: str) -> None:
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(address).getOrCreate()
    for name in ("d", "e"):
        session.sql(
            f"CREATE TABLE IF NOT EXISTS jobs_{name} USING parquet AS "
            f"SELECT * FROM parquet.`{folder}/{name}.parquet`"
        ).collect()
    session.stop()
    asked = with_paths(job, lambda name: {"table": f"jobs_{name}"})
    of_files = with_paths(job, lambda name: str(folder / f"{name}.parquet"))
    engine = {"engine": {"spark": {"url": address}}}
    assert differing(run({**of_files, **engine}, "memory"), run({**asked, **engine}, "spark")) == []
