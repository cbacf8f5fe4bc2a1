"""Tables of a cluster in a spec, without a cluster: names, engines, what is not reached."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import spec_of

from evalreport.engine.databases import sessions
from evalreport.engine.databases.sessions import Address, open_table, table_of
from evalreport.engine.read_and_plan import prepare
from evalreport.errors import FilesError, LostError, SpecError
from evalreport.spec.datasets import ClusterTable
from evalreport.spec.load import parse_spec


def spec(path: Any, **engine: Any) -> str:
    body = spec_of("", {"score": "s"}, metrics=["roc_auc"], engine=engine or {"name": "auto"})
    body["datasets"]["d"]["path"] = path
    return json.dumps(body)


def test_a_table_is_read_from_a_spec() -> None:
    path = {"table": "main.audit.seen", "where": "day = '2026-11-21'", "version": 7}
    found = parse_spec(spec(path)).spec.datasets["d"].path
    assert isinstance(found, ClusterTable)
    assert (found.table, found.where, found.version) == ("main.audit.seen", path["where"], "7")
    assert open_table(found, "").name == "main.audit.seen (Spark, version 7)"
    assert table_of(found).endswith("`main`.`audit`.`seen` VERSION AS OF 7")
    named = parse_spec(spec({"table": "seen", "version": "it's"})).spec.datasets["d"].path
    assert isinstance(named, ClusterTable)
    assert table_of(named) == r"SELECT * FROM `seen` VERSION AS OF 'it\'s'"


@pytest.mark.parametrize("name", ["a; DROP TABLE b", "a`b", "a..b", "a.b.c.d.e", "parquet.`/etc`"])
def test_what_is_no_name_of_a_table_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match="not a name of a table"):
        parse_spec(spec({"table": name}))


@pytest.mark.parametrize("path", ["s3a://b/d/*.parquet", "abfss://b/d.parquet", "AZ://b/d/"])
def test_an_object_store_written_otherwise_is_told_ways_to_its_rows(path: str) -> None:
    with pytest.raises(SpecError, match=r"is a URL; of object stores .* s3://.* \{table:"):
        parse_spec(spec(path))


def test_a_mapping_of_both_kinds_is_refused() -> None:
    with pytest.raises(SpecError, match="sql"):
        parse_spec(spec({"table": "seen", "sql": "SELECT 1"}))


@pytest.mark.parametrize("engine", ["auto", "memory", "duckdb", "database"])
def test_only_a_cluster_counts_its_tables(engine: str) -> None:
    with pytest.raises(SpecError, match="only the cluster counts"):
        prepare(parse_spec(spec({"table": "seen"}, name=engine)))


def test_a_cluster_that_is_not_there_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []

    def fails(source: Address, *_: Any) -> None:
        tries.append((source.address, source.name))
        raise LostError("nobody answers", source.name)

    monkeypatch.setattr(sessions, "_spark_table", fails)
    monkeypatch.setattr(sessions, "PAUSE", 0)
    asked = {"name": "spark", "retries": 2, "spark": {"url": "sc://localhost:1"}}
    with pytest.raises(FilesError, match="nobody answers") as caught:
        prepare(parse_spec(spec({"table": "audit.seen"}, **asked)))
    assert tries == [("sc://localhost:1", "audit.seen (Spark)")] * 3
    assert caught.value.status == 4


def test_files_are_not_counted_by_a_cluster(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("y,s\na,0.5\nb,0.25\n")
    asked = spec(str(tmp_path / "rows.csv"), name="spark", spark={"url": "sc://localhost:1"})
    told = r"counts tables of a cluster, and d is none; path: \{table: .*counted by duckdb"
    with pytest.raises(SpecError, match=told):
        prepare(parse_spec(asked))


def test_a_table_of_a_database_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "rows.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA lab")
        connection.execute(
            "CREATE TABLE lab.results AS SELECT ['a', 'b'][i % 2 + 1] AS y, i % 5 / 5 AS s "
            "FROM range(20) t(i)"
        )
    asked = spec({"table": "lab.results", "database": str(path)})
    for engine in ("memory", "database"):
        assert prepare(parse_spec(asked), engine=engine).views[0].rows == 20
    for wrong in ({"sql": "SELECT 1", "table": "a", "database": "b"}, {"database": "b"}):
        with pytest.raises(SpecError, match="a SELECT \\(sql\\) or the name of a table"):
            parse_spec(spec(wrong))
