"""Tables of a cluster in a spec, without a cluster: names, engines, what is not reached."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import spec_of

from evalreport.engine.counting import spark_rows, spark_tables
from evalreport.engine.counting.spark_tables import digest, selected, table_frame
from evalreport.engine.counting.sql_rows import TableOfCluster, open_table
from evalreport.engine.counting.wanted import NotPlainError, Wanted
from evalreport.engine.read_and_plan import prepare
from evalreport.errors import DataError, FilesError, LostError, SpecError
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
    assert open_table(found).name == "main.audit.seen (Spark, version 7)"
    assert selected(found).endswith("`main`.`audit`.`seen` VERSION AS OF 7")
    named = parse_spec(spec({"table": "seen", "version": "it's"})).spec.datasets["d"].path
    assert isinstance(named, ClusterTable)
    assert selected(named) == r"SELECT * FROM `seen` VERSION AS OF 'it\'s'"


@pytest.mark.parametrize("name", ["a; DROP TABLE b", "a`b", "a..b", "a.b.c.d.e", "parquet.`/etc`"])
def test_what_is_no_name_of_a_table_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match="no name of a table"):
        parse_spec(spec({"table": name}))


@pytest.mark.parametrize("path", ["s3a://b/d/*.parquet", "abfss://b/d.parquet", "AZ://b/d/"])
def test_an_object_store_written_otherwise_is_told_ways_to_its_rows(path: str) -> None:
    with pytest.raises(SpecError, match=r"is an address; of object stores .* s3://.* \{table:"):
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

    def fails(url: str, name: str) -> None:
        tries.append((url, name))
        raise LostError("no server answers", name)

    monkeypatch.setattr(spark_rows, "_client", lambda: (KeyError, None))
    monkeypatch.setattr(spark_rows, "_reach", fails)
    monkeypatch.setattr("evalreport.engine.counting.postgres_rows.PAUSE", 0)
    asked = {"name": "spark", "retries": 2, "spark": {"url": "sc://localhost:1"}}
    with pytest.raises(FilesError, match="no server answers") as caught:
        prepare(parse_spec(spec({"table": "audit.seen"}, **asked)))
    assert tries == [("sc://localhost:1", "audit.seen (Spark)")] * 3
    assert caught.value.status == 4


@pytest.mark.parametrize(
    ("told", "lost"), [("StatusCode.UNAVAILABLE: gone", True), ("[PARSE_SYNTAX_ERROR]", False)]
)
def test_which_failures_are_lost_connections(told: str, lost: bool) -> None:
    assert spark_rows._is_lost(RuntimeError(told)) is lost


class Frame:
    """As much of a frame of Spark as is asked for here, over a relation of DuckDB."""

    def __init__(self, connection: Any, text: str) -> None:
        self._connection, self._text = connection, text
        self.columns = [one[0] for one in connection.execute(f"DESCRIBE {text}").fetchall()]
        kinds = connection.execute(f"DESCRIBE {text}").fetchall()
        self.dtypes = [(one[0], str(one[1]).lower()) for one in kinds]

    def __getitem__(self, name: str) -> Any:
        return Column(name.strip("`"))

    def where(self, condition: str) -> Frame:
        return Frame(self._connection, f"SELECT * FROM ({self._text}) WHERE {condition}")

    def select(self, *columns: Any) -> Frame:
        return self.selectExpr(*(column.text for column in columns))

    def selectExpr(self, *columns: str) -> Frame:  # noqa: N802 - as Spark calls it
        return Frame(self._connection, f"SELECT {', '.join(columns)} FROM ({self._text})")

    def collect(self) -> list[Any]:
        return list(self._connection.execute(self._text).fetchall())


class Column:
    """A column, and what it is called."""

    def __init__(self, text: str) -> None:
        self.text = text

    def alias(self, name: str) -> Column:
        return Column(f"{self.text} AS {name}")

    def cast(self, kind: str) -> Column:
        return Column(f"CAST({self.text} AS {kind})")


@pytest.fixture
def session() -> Any:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE seen AS SELECT i % 2 AS y, i / 9 AS s, i AS i FROM range(9) t(i)"
    )
    for macro in (
        "sha2(text, bits) AS sha256(text::VARCHAR)",
        "conv(text, one, two) AS ('0x' || text)::BIGINT",
    ):
        connection.execute(f"CREATE MACRO {macro}")

    class Session:
        def sql(self, text: str) -> Frame:
            return Frame(connection, text.replace("`", '"'))

        def run(self, text: str) -> None:
            connection.execute(text)

    return Session()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash that DuckDB makes in the place of Spark's."""
    before = Frame.selectExpr

    def as_duckdb(frame: Frame, *columns: str) -> Frame:
        row = ", ".join(frame.columns)
        plain = [c.replace(f"to_json(struct({row}), map('ignoreNullFields', 'false'))",
                           f"row({row})::VARCHAR") for c in columns]  # fmt: skip
        return before(frame, *plain)

    monkeypatch.setattr(Frame, "selectExpr", as_duckdb)


SEEN = Wanted(columns=("y", "s"), numbers=frozenset({"s"}))


def framed(session: Any, wanted: Wanted = SEEN, **asked: Any) -> Any:
    table = ClusterTable.model_validate({"table": "seen", **asked})
    source = open_table(table)
    assert isinstance(source, TableOfCluster)
    return source, table_frame(session, source, table, wanted)


@pytest.mark.usefixtures("told")
def test_the_rows_are_hashed_before_and_after(session: Any) -> None:
    source, rows = framed(session)
    with rows as (frame, header):
        assert header == ("y", "s")
        assert frame.columns == ["c0", "c1"]
        first = source.digest.sha256
    _, other = framed(session, where="i < 99")
    with other as (again, _):
        assert digest(again, header)[1] == first
    _, changing = framed(session)
    with pytest.raises(FilesError, match="changed while it was counted"), changing:
        session.run("UPDATE seen SET s = 2 WHERE i = 3")
    _, less = framed(session, where="i < 5")
    with less as (few, _):
        assert digest(few, header)[0] == 5
        assert digest(few, header)[1] != first


@pytest.mark.usefixtures("told")
def test_what_is_not_there(session: Any) -> None:
    _, none = framed(session, where="i > 99")
    with pytest.raises(DataError, match="no such rows"), none:
        pass
    _, absent = framed(session, Wanted(columns=("y", "w")))
    with pytest.raises(NotPlainError, match="no column w"), absent:
        pass
    assert spark_tables._quoted("a`b") == "`a``b`"
    assert spark_tables._shown("d", "decimal(9,2)", True) == "CAST(d AS DOUBLE)"
