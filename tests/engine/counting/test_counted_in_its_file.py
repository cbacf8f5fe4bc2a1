"""Rows of a DuckDB file that are counted in it: nothing but reading, and mistakes told alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of

from evalreport.engine.counting import query_limits
from evalreport.engine.counting.query_limits import QueryLimits
from evalreport.errors import DataError, LimitError

ROWS = """SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS y, (i % 97)::DECIMAL(6, 2) / 97 AS s,
    ((i % 89) / 89)::FLOAT AS f, DATE '2026-01-01' + (i % 300)::INTEGER AS day,
    (i % 5)::TINYINT AS site, TIMESTAMP '2026-01-01' AS moment FROM range(900) t(i)"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "rows.duckdb"
    with duckdb.connect(str(made)) as connection:
        connection.execute(f"CREATE TABLE seen AS {ROWS}")
    return made


def of_file(file: Path, sql: str, model: dict[str, str], **parts: Any) -> dict[str, Any]:
    dataset = {"path": {"sql": sql, "database": str(file)}, **parts.pop("dataset", {})}
    return spec_of(file, model, dataset=dataset, **parts)


@pytest.mark.parametrize("score", ["s", "f"])
def test_scores_subgroups_and_periods(file: Path, score: str) -> None:
    dataset = {"period": {"column": "day", "every": "quarter"}}
    asked = of_file(file, "SELECT * FROM seen -- all", {"score": score}, dataset=dataset,
                    subgroups=["site"], metrics=["accuracy", "roc_auc", "brier"])  # fmt: skip
    memory, counted = run(asked, "memory"), run(asked, "database")
    assert engine_of(counted) == ("database", "asked for")
    assert comparable(counted) == comparable(memory)
    assert counted["provenance"]["inputs"] == memory["provenance"]["inputs"]


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("DELETE FROM seen", "not one SELECT"),
        ("SELECT * FROM seen; DROP TABLE seen", "not one SELECT"),
        ("SELECT * FROM read_csv('/etc/passwd')", "the query fails"),
        ("SELECT * FROM absent", "the query fails"),
        ("SELECT * FROM seen WHERE false", "gives no rows"),
        ("SELECT y, moment AS s FROM seen", "s is of a type that is not counted"),
        ("SELECT y FROM seen", "the query gives no column s"),
    ],
)
def test_what_is_refused(file: Path, sql: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        run(of_file(file, sql, {"score": "s"}), "database")


def test_a_query_without_end_is_stopped(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_limits, "LIMITS", QueryLimits(seconds=1))
    sql = (
        "SELECT 'a' AS y, count(*) / 2.0 AS s FROM range(1000000) a, range(1000000) b "
        "WHERE hash(a.range + b.range) = 1"
    )
    with pytest.raises(LimitError, match="more than 1 s"):
        run(of_file(file, sql, {"score": "s"}), "database")


def test_rows_that_stand_for_several(tmp_path: Path) -> None:
    made = tmp_path / "kinds.duckdb"
    with duckdb.connect(str(made)) as connection:
        connection.execute(f"CREATE TABLE seen AS SELECT *, 1 + site AS times FROM ({ROWS})")
    dataset = {"count": "times"}
    asked = of_file(made, "SELECT * FROM seen", {"score": "s"}, dataset=dataset)
    memory, counted = run(asked, "memory"), run(asked, "database")
    assert counted["measures"][0]["n"] == 2700
    assert comparable(counted)["measures"] == comparable(memory)["measures"]
