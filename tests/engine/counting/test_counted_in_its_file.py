"""Rows of a DuckDB file that are counted in it: nothing but reading, and mistakes told alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of

from evalreport.engine.databases.sessions import VARIABLE
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
    assert engine_of(counted) == ("database", "requested")
    assert comparable(counted) == comparable(memory)
    assert counted["provenance"]["inputs"] == memory["provenance"]["inputs"]


@pytest.mark.parametrize(
    ("value", "one"),
    [
        (
            "moment + INTERVAL (site) MINUTE + INTERVAL 250 MILLISECOND",
            "2026-01-01 00:01:00.250000",
        ),
        ("TIMESTAMPTZ '2026-03-29 00:30+01' + INTERVAL (site) HOUR", "2026-03-29 00:30:00+00:00"),
        ("CASE WHEN site < 2 THEN DATE '0044-03-15' ELSE DATE '9999-12-31' END", "0044-03-15"),
        ("CASE WHEN site < 2 THEN 'x' ELSE 'Y' END::ENUM ('x', 'Y')", "Y"),
        ("CASE site % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'A' ELSE 'á' END COLLATE NOCASE.NOACCENT", "á"),
    ],
)
def test_times_and_texts_as_they_are_written(file: Path, value: str, one: str) -> None:
    sql = f"SELECT y, s, {value} AS made FROM seen;"
    asked = of_file(file, sql, {"score": "s"}, subgroups=["made"], metrics=["accuracy", "roc_auc"])
    memory, counted = run(asked, "memory"), run(asked, "database")
    assert comparable(counted) == comparable(memory)
    assert one in {m["subgroup"].get("made") for m in counted["measures"] if m["subgroup"]}


@pytest.mark.parametrize("engine", ["memory", "database"])
@pytest.mark.parametrize(
    "value",
    ["DATE 'infinity'", "TIMESTAMP '-infinity'", "DATE '0044-03-15 (BC)'", "DATE '10000-01-01'",
     "TIMESTAMPTZ 'infinity'"],
)  # fmt: skip
def test_dates_beyond_the_calendar_are_no_others(file: Path, value: str, engine: str) -> None:
    asked = of_file(file, f"SELECT y, s, {value} AS made FROM seen", {"score": "s"},
                    subgroups=["made"])  # fmt: skip
    with pytest.raises(DataError, match="made has dates before year 1, after 9999 or infinite"):
        run(asked, engine)


@pytest.mark.parametrize("engine", ["memory", "database"])
@pytest.mark.parametrize("more", ["", ", day"])
def test_a_name_of_two_columns_is_told(file: Path, more: str, engine: str) -> None:
    asked = of_file(file, f"SELECT y, s, site AS s{more} FROM seen", {"score": "s"})
    with pytest.raises(DataError, match="column 's' is there 2 times"):
        run(asked, engine)


@pytest.mark.long
@pytest.mark.parametrize("end", [";", "; ;", " -- ; of é", "/* ; */;"])
def test_what_ends_a_statement_is_no_matter(file: Path, end: str) -> None:
    told = "SELECT y, s, day, ';é' AS odd FROM seen"
    plain = run(of_file(file, told, {"score": "s"}, subgroups=["day", "odd"]), "memory")
    ended = of_file(file, told + end, {"score": "s"}, subgroups=["day", "odd"])
    for engine in ("memory", "database"):
        found = run(ended, engine)
        assert (found["measures"], found["tables"]) == (plain["measures"], plain["tables"])


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("DELETE FROM seen", "not one SELECT"),
        ("SELECT * FROM seen; DROP TABLE seen", "not one SELECT"),
        ("SELECT * FROM read_csv('/etc/passwd')", "the query fails"),
        ("SELECT * FROM absent", "the query fails"),
        ("SELECT * FROM seen WHERE false", "gives no rows"),
        ("SELECT y, '\\x00'::BLOB AS s FROM seen", "s is of a type that is not taken .*: BLOB"),
        ("SELECT y FROM seen", "has no column 's'"),
    ],
)
def test_what_is_refused(file: Path, sql: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        run(of_file(file, sql, {"score": "s"}), "database")


@pytest.mark.long
def test_a_query_without_end_is_stopped(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
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
