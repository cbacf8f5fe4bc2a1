"""Rows of a SQLite file that SQLite counts: the same results, and mistakes with their place."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of

from evalreport.engine.databases import sessions
from evalreport.engine.databases.sessions import VARIABLE
from evalreport.errors import DataError, EvalreportError, FilesError, LimitError

METRICS = ["accuracy", "recall", "f1", "roc_auc", "average_precision", "ks", "brier", "log_loss"]
COLUMNS = """truth TEXT, score REAL, whole_and_real, text_score TEXT, said TEXT COLLATE NOCASE,
    site INTEGER, place TEXT, day TEXT, moment TEXT, fold INTEGER, id INTEGER, times INTEGER, mixed,
    huge"""


def _row(i: int) -> tuple[Any, ...]:
    h = (i * 7919 + i * i * 31) % 1009
    score = None if i % 40 == 0 else round((h % 97) / 128 + (h % 3 == 0) * 0.2, 2)
    return (
        "sick" if h % 3 == 0 else "well", score, h % 2 if h % 5 == 0 else (h % 89) / 89,
        ("", "nan", f" {h}")[i % 3] if i % 301 == 0 and i % 3 < 2 else repr(h % 83 / 83),
        ("sick", "well", "WELL")[h % 7 % 3], h % 4, ("x", "y\tz", "it's", "", None)[h % 5],
        f"2026-0{1 + i % 9}-1{h % 9}", f"2026-01-{1 + i % 28:02} 08:0{h % 9}:00", i % 5, i,
        1 + h % 3, (1, 0.5, "a")[i % 3], (2**60, 0.5)[i % 2],
    )  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sqlite") / "rows [1].sqlite"
    with closing(sqlite3.connect(made)) as connection, connection:
        connection.execute(f"CREATE TABLE seen ({COLUMNS})")
        places = ", ".join("?" * len(_row(0)))
        connection.executemany(f"INSERT INTO seen VALUES ({places})", map(_row, range(1500)))
    return made


def of_file(
    file: Path, model: dict[str, str], sql: str = "SELECT * FROM seen", **parts: Any
) -> dict[str, Any]:
    dataset = {
        "path": {"sql": sql, "database": str(file)}, "target": "truth", "missing": "exclude",
        **parts.pop("dataset", {}),
    }  # fmt: skip
    return spec_of(file, model, dataset=dataset, **parts)


def same(asked: dict[str, Any]) -> dict[str, Any]:
    memory, counted = run(asked, "memory"), run(asked, "database")
    assert engine_of(counted)[0] == "database"
    assert comparable(counted) == comparable(memory)
    assert counted["provenance"]["inputs"] == memory["provenance"]["inputs"]
    return counted


@pytest.mark.parametrize("score", ["score", "whole_and_real", "text_score"])
def test_scores_of_every_type(file: Path, score: str) -> None:
    same(of_file(file, {"score": score}, metrics=METRICS, subgroups=["site", "place"],
                 positive={"label": "sick"}, dataset={"id": "id"},
                 thresholds=[0.5, 0.37, 34 / 83, {"maximize": "youden_j"}]))  # fmt: skip


@pytest.mark.long_but_first
@pytest.mark.parametrize("column", ["day", "moment"])
def test_labels_subgroups_folds_and_periods(file: Path, column: str) -> None:
    dataset = {"period": {"column": column, "every": "quarter"}, "fold": "fold",
               "labels": ["sick", "well", "WELL"]}  # fmt: skip
    found = same(of_file(file, {"prediction": "said"}, dataset=dataset,
                         subgroups=["place", ["place", "site"]]))  # fmt: skip
    # What was declared for the order of the column makes no one class of two.
    assert "WELL" in str(found["tables"][0])


def test_rows_that_stand_for_several(file: Path) -> None:
    weighed = {"dataset": {"count": "times"}, "positive": {"label": "sick"}}
    asked = of_file(file, {"score": "score"}, **weighed)
    memory, counted = run(asked, "memory"), run(asked, "database")
    assert comparable(counted)["measures"] == comparable(memory)["measures"]


def test_only_counts_leave_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []
    plain = sessions._SQLite.fetch

    def watched(self: Any, text: str, names: Sequence[str]) -> Any:
        found = plain(self, text, names)
        fetched.append(len(found[0].values))
        return found

    monkeypatch.setattr(sessions._SQLite, "fetch", watched)
    run(of_file(file, {"score": "score"}, subgroups=["site"]), "database")
    assert 0 < max(fetched) < 800


@pytest.mark.parametrize(
    ("sql", "told", "instead"),
    [
        ("SELECT * FROM seem", "no such table: seem", "one SELECT"),
        ("SELECT truht FROM seen", "no such column: truht", "one SELECT"),
        ("SELECT truth, score AS scores FROM seen", "has no column 'score'", "mean 'scores'"),
        ("SELECT * FROM seen WHERE false", "gives no rows", "one that gives some"),
        ("SELECT truth, huge AS score FROM seen WHERE id < 0", "gives no rows", "gives some"),
        ("SELECT truth, mixed AS score FROM seen", "score is not a number", "give a number"),
        ("SELECT truth, x'00' AS score FROM seen", "has a value of type bytes", "give text"),
        ("DELETE FROM seen", "the query fails", "one SELECT"),
        ("SELECT 1 AS truth; DROP TABLE seen", "the query fails", "one SELECT"),
        ("SELECT * FROM seen) SELECT 1; DELETE FROM seen --", "the query fails", "one SELECT"),
        ("SELECT * FROM seen) UNION SELECT * FROM (SELECT 1", "the query fails", "one SELECT"),
        ("ATTACH '{folder}/other.db' AS other", "the query fails", "one SELECT"),
        ("SELECT load_extension('x') AS truth", "the query fails", "one SELECT"),
        ("SELEC 1", "the query fails", "one SELECT"),
    ],
)
def test_what_is_refused(file: Path, sql: str, told: str, instead: str) -> None:
    before = file.read_bytes()
    with pytest.raises(DataError) as caught:
        run(of_file(file, {"score": "score"}, sql.format(folder=file.parent)), "database")
    said = str(caught.value)
    assert told in said
    assert instead in said
    assert "rows [1].sqlite" in said
    assert file.read_bytes() == before
    assert [one.name for one in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("engine", ["memory", "database"])
def test_a_name_of_two_columns_is_told(file: Path, engine: str) -> None:
    sql = "SELECT truth, score, site AS score FROM seen"
    with pytest.raises(DataError, match="column 'score' is there 2 times"):
        run(of_file(file, {"score": "score"}, sql), engine)
    # a name like those that SQLite makes up for them
    sql = 'SELECT truth, score, site AS "score:1" FROM seen'
    assert engine_of(run(of_file(file, {"score": "score"}, sql), engine))[0] == engine


def test_a_semicolon_at_the_end_is_no_second_statement(file: Path) -> None:
    same(of_file(file, {"score": "score"}, "SELECT * FROM seen;\n"))


@pytest.mark.parametrize("engine", ["memory", "database"])
def test_rows_in_the_log_beside_a_file_are_not_passed_over(tmp_path: Path, engine: str) -> None:
    made = tmp_path / "rows.sqlite"
    with closing(sqlite3.connect(made)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE seen AS SELECT 'a' AS truth, 0.5 AS score")
        writer.commit()
        with pytest.raises(FilesError, match="still in the log beside it"):
            run(of_file(made, {"score": "score"}), engine)
    with closing(sqlite3.connect(made)) as writer:
        writer.execute("INSERT INTO seen VALUES ('b', 0.2)")
        writer.commit()
    assert run(of_file(made, {"score": "score"}), engine)["rows"][0]["read"] == 2


@pytest.mark.long
def test_a_query_without_end_is_stopped(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    sql = """WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c)
        SELECT 'a' AS truth, 1 AS score FROM c WHERE n < 0"""
    with pytest.raises(LimitError, match="more than 1 s"):
        run(of_file(file, {"score": "score"}, sql), "database")


@pytest.mark.parametrize("engine", ["memory", "database"])
def test_a_file_that_is_not_there(tmp_path: Path, engine: str) -> None:
    with pytest.raises(EvalreportError, match=r"absent\.sqlite: file not found"):
        run(of_file(tmp_path / "absent.sqlite", {"score": "score"}), engine)


def test_mistakes_are_told_as_for_loaded_rows(file: Path) -> None:
    told = []
    for engine in ("memory", "database"):
        with pytest.raises(DataError) as caught:
            run(of_file(file, {"score": "day"}), engine)
        told.append([str(problem) for problem in caught.value.problems])
    assert told[0] == told[1]
