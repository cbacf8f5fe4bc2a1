"""The queries of a plan: one for each dataset, in the dialect of whoever runs it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from engine.counting.counted_runs import comparable, run, spec_of

from evalreport.cli import status_of
from evalreport.cli.options import DIALECTS
from evalreport.engine.counting.printed_queries import MARKS

ROWS = """SELECT ['a', 'b'][i % 3 % 2 + 1] AS truth, i % 7 / 7 AS "the score", i % 2 AS site,
    i AS id FROM range(300) t(i)"""


def asked(path: Any, **dataset: Any) -> dict[str, Any]:
    body = spec_of("x", {"score": "the score"}, metrics=["accuracy", "roc_auc"],
                   subgroups=["site"], dataset={"target": "truth", **dataset})  # fmt: skip
    body["datasets"]["d"]["path"] = path
    return body


@pytest.fixture
def printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What the command prints of a spec in a dialect."""

    def told(body: dict[str, Any], dialect: str) -> str:
        (tmp_path / "spec.yaml").write_text(json.dumps(body))
        status = status_of(["plan", str(tmp_path / "spec.yaml"), "--sql", dialect])
        found = capsys.readouterr()
        assert status == 0, found.err
        return found.out

    return told


def test_every_dialect_has_its_quotes() -> None:
    assert set(DIALECTS) == set(MARKS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_query_is_read_back_in_its_dialect(printed: Callable[..., str], dialect: str) -> None:
    text = printed(asked("rows.parquet", id="id"), dialect)
    assert "/* d: its answer as a file, with `count: n`, without `id: id` */" in text
    if dialect == "sas":
        assert '"the score"n AS "the score"n' in text
        text = text.replace('"n', '"')
    read = sqlglot.parse_one(text, read="postgres" if dialect == "sas" else dialect)
    assert [one.alias for one in read.expressions] == ["truth", "the score", "site", "n"]
    assert len(read.args["group"].expressions) == 3
    assert "COUNT(*)" in text


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_its_answer_gives_the_same_results(
    printed: Callable[..., str], tmp_path: Path, dialect: str
) -> None:
    answer, rows = tmp_path / "counted.parquet", tmp_path / "rows.parquet"
    duckdb.execute(f"COPY ({ROWS}) TO '{rows}'")
    text = printed(asked(str(answer), count="n"), dialect)
    if dialect == "duckdb":
        text = text.replace('FROM "d"', f"FROM ({ROWS}) AS d").rstrip("; \n")
        duckdb.execute(f"COPY ({text}) TO '{answer}'")
    else:
        with closing(sqlite3.connect(":memory:")) as file:
            file.execute('CREATE TABLE d (truth, "the score", site, id)')
            file.executemany("INSERT INTO d VALUES (?, ?, ?, ?)", duckdb.sql(ROWS).fetchall())
            found = file.execute(text).fetchall()
        made = duckdb.connect()
        made.execute('CREATE TABLE t (truth text, "the score" double, site int, n int)')
        made.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", found)
        made.execute(f"COPY t TO '{answer}'")
    counted = run(asked(str(answer), count="n"), "memory")
    assert (
        comparable(counted)["measures"] == comparable(run(asked(str(rows)), "memory"))["measures"]
    )


def test_queries_tables_and_what_needs_rows(printed: Callable[..., str]) -> None:
    query = {"sql": "SELECT * FROM seen -- all\n;", "database": "x.db"}
    text = printed(asked(query, count="times"), "postgres")
    assert "FROM (\nSELECT * FROM seen -- all\n) AS q" in text
    assert 'SUM("times") AS "times"' in text
    table = {"table": "lab.results", "database": "x.db"}
    assert "FROM `lab`.`results`" in printed(asked(table), "mysql")
    of_cluster = asked({"table": "main.seen", "where": "day > '2026'"})
    assert "FROM `main`.`seen`\nWHERE (\nday > '2026'\n)" in printed(of_cluster, "spark")
    assert 'truth AS "truth"' in printed(asked("x.csv"), "snowflake")
    joined = printed(asked("x.csv", join={"path": "y.csv", "on": "id"}), "postgres")
    assert "joined with those of y.csv on id first; the answer is without `join`" in joined
    whole = printed(asked("x.csv", keep_rows=True, id="id"), "postgres")
    assert "kinds of rows are not enough: digests of its rows are kept" in whole


def test_dialects_that_take_texts_for_one_another_say_so(printed: Callable[..., str]) -> None:
    body = asked("rows.parquet")
    assert "COLLATE utf8mb4_0900_bin */" in printed(body, "mysql")
    assert "COLLATE Latin1_General_100_BIN2 */" in printed(body, "tsql")
    assert "COLLATE" not in printed(body, "snowflake")
