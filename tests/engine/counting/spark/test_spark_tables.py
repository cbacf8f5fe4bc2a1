"""Tables and views of a Spark cluster are counted there; files of the same rows give the same."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of
from engine.counting.spark.spark_server import MARKS, server, started

from evalreport.errors import DataError, FilesError, LostError, SpecError

pytestmark = MARKS

ROWS = """SELECT CASE WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS y, (h % 97) / 97 AS s,
    CASE WHEN h % 11 > 0 THEN 'g' || h % 3 END AS g, i % 4 AS part, i AS number
    FROM (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h FROM range(1200) t(i))"""
METRICS = ["accuracy", "recall", "roc_auc", "brier"]


class Cluster:
    """An address, and a file with the rows that its tables hold."""

    def __init__(self, url: str, file: Path) -> None:
        self.url, self.file = url, file

    def sql(self, text: str) -> None:
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(self.url).getOrCreate()
        session.sql(text).collect()
        session.stop()

    def results(self, path: Any, **parts: Any) -> dict[str, Any]:
        spec = spec_of("", {"score": "s"}, metrics=METRICS, subgroups=["g"], **parts)
        spec["datasets"]["d"]["path"] = path
        spec["engine"] = {"name": "spark", "spark": {"url": self.url}}
        return run(spec, "auto")

    def of_file(self, where: str) -> dict[str, Any]:
        own = self.file.with_name("own.parquet")
        duckdb.connect().execute(f"COPY (FROM '{self.file}' WHERE {where}) TO '{own}'")
        return run(spec_of(own, {"score": "s"}, metrics=METRICS, subgroups=["g"]), "memory")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("spark")
    file = folder / "rows.parquet"
    duckdb.connect().execute(f"COPY ({ROWS}) TO '{file}' (FORMAT parquet)")
    with server(folder) as url:
        found = Cluster(url, file)
        found.sql("CREATE SCHEMA audit")
        found.sql(f"CREATE TABLE audit.seen USING parquet AS SELECT * FROM parquet.`{file}`")
        found.sql(
            "CREATE VIEW audit.half AS SELECT y, CAST(s AS DECIMAL(20, 18)) AS wide, s, g, part "
            "FROM audit.seen WHERE part < 2 ORDER BY s"
        )
        yield found


def test_a_table_a_condition_and_a_view(cluster: Cluster) -> None:
    whole = cluster.results({"table": "spark_catalog.audit.seen"})
    assert engine_of(whole) == ("spark", "requested")
    assert comparable(whole) == comparable(cluster.of_file("true"))
    half = cluster.results({"table": "audit.seen", "where": "part < 2"})
    assert comparable(half) == comparable(cluster.of_file("part < 2"))
    seen = cluster.results({"table": "audit.half"})
    assert comparable(seen) == comparable(half)
    entries = [found["provenance"]["inputs"][0] for found in (whole, half, seen)]
    assert {entry["sha256_of"] for entry in entries} == {"kinds of rows"}
    assert entries[0]["name"] == "spark_catalog.audit.seen (Spark)"
    assert (entries[0]["rows"], entries[1]["rows"]) == (1200, 600)
    # of what is read of the rows, in whatever order: the view holds what the condition leaves
    assert entries[1]["sha256"] == entries[2]["sha256"] != entries[0]["sha256"]


@pytest.mark.nightly
def test_a_row_that_changes_changes_the_hash(cluster: Cluster) -> None:
    cluster.sql("CREATE TABLE audit.grows USING parquet AS SELECT * FROM audit.seen")
    one = cluster.results({"table": "audit.grows"})["provenance"]["inputs"][0]["sha256"]
    told = {"sha256": one}
    assert cluster.results({"table": "audit.grows"}, dataset=told)
    cluster.sql("INSERT INTO audit.grows SELECT 'sick', 0.5, NULL, 9, 9999")
    with pytest.raises(DataError, match="the spec declares"):
        cluster.results({"table": "audit.grows"}, dataset=told)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ({"table": "audit.absent"}, "absent"),
        ({"table": "audit.seen", "version": 3}, "(?i)time.?travel"),
        ({"table": "audit.seen", "where": "nothing > 1"}, "nothing"),
        ({"table": "audit.seen", "where": "part > 99"}, "gives no rows"),
    ],
)
def test_what_a_cluster_refuses(cluster: Cluster, path: dict[str, Any], message: str) -> None:
    with pytest.raises((DataError, FilesError), match=message) as caught:
        cluster.results(path)
    # The table is named where the mistake is, and nowhere between the words of the cluster.
    assert str(caught.value).count("(Spark") <= 1


@pytest.mark.nightly
def test_a_cluster_that_dies_while_it_counts(tmp_path: Path) -> None:
    with started(tmp_path) as (url, process):
        found = Cluster(url, tmp_path)
        found.sql("CREATE SCHEMA audit")
        found.sql("CREATE VIEW audit.long AS SELECT string(id % 2) AS y, id % 97 / 97 AS s, "
                  "'x' AS g FROM range(100000000000) WHERE crc32(string(id)) > 0")  # fmt: skip
        killing = threading.Timer(5, process.kill)
        killing.start()
        with pytest.raises(LostError, match=r"Spark at sc://127\.0\.0\.1:"):
            found.results({"table": "audit.long"})
        assert process.wait(10) == -signal.SIGKILL
    with pytest.raises(LostError, match=r"Spark at sc://127\.0\.0\.1:"):
        found.results({"table": "audit.long"})


@pytest.mark.nightly
def test_collations_times_and_dates_of_any_year(cluster: Cluster, tmp_path: Path) -> None:
    cluster.sql(
        "CREATE TABLE audit.odd USING parquet AS SELECT y, s, part, make_date(CASE part WHEN 0 "
        "THEN 1 WHEN 1 THEN 44 WHEN 2 THEN 9999 ELSE 2026 END, 3, 15) AS day, "
        "TIMESTAMP '2026-03-29 00:30:00.5+01:00' + make_interval(0, 0, 0, 0, part) AS moment, "
        "TIMESTAMP_NTZ '2026-03-29 00:30:00' + make_interval(0, 0, 0, 0, part) AS plain, "
        "CASE part WHEN 0 THEN 'a' WHEN 1 THEN 'A' WHEN 2 THEN 'a ' ELSE 'á' END AS g "
        "FROM audit.seen"
    )
    cluster.sql(
        "CREATE VIEW audit.alike AS SELECT y COLLATE UTF8_LCASE AS y, s, day, moment, plain, "
        "g COLLATE UNICODE_CI_AI AS g FROM audit.odd"
    )
    file = tmp_path / "odd.parquet"
    duckdb.execute(
        f"""COPY (SELECT y, s, CASE part WHEN 0 THEN DATE '0001-03-15' WHEN 1 THEN
        DATE '0044-03-15' WHEN 2 THEN DATE '9999-03-15' ELSE DATE '2026-03-15' END AS day,
        strftime(TIMESTAMP '2026-03-28 23:30:00.5' + to_hours(part), '%Y-%m-%d %H:%M:%S.%f')
        || '+00:00' AS moment,
        TIMESTAMP '2026-03-29 00:30:00' + to_hours(part) AS plain,
        CASE part WHEN 0 THEN 'a' WHEN 1 THEN 'A' WHEN 2 THEN 'a ' ELSE 'á' END AS g
        FROM '{cluster.file}') TO '{file}'"""
    )
    for column in ("g", "day", "moment", "plain"):
        spec = spec_of(file, {"score": "s"}, metrics=METRICS, subgroups=[column])
        expected = run(spec, "memory")
        spec["datasets"]["d"]["path"] = {"table": "audit.alike"}
        spec["engine"] = {"name": "spark", "spark": {"url": cluster.url}}
        assert comparable(run(spec, "auto")) == comparable(expected)


@pytest.mark.nightly
def test_columns_that_are_not_there(cluster: Cluster) -> None:
    with pytest.raises((DataError, SpecError), match="weight"):
        cluster.results({"table": "audit.seen"}, dataset={"weight": "weight"})
