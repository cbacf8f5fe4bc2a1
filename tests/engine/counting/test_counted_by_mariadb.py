"""Rows that a MariaDB server counts, or hands over: the same results, and only reading."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of
from engine.counting.mariadb_server import SECRET, owner

from evalreport.engine.counting import mysql_rows, postgres_rows, query_limits
from evalreport.engine.counting.query_limits import QueryLimits
from evalreport.errors import DataError, FilesError, LimitError, LostError

METRICS = ["accuracy", "recall", "f1", "roc_auc", "average_precision", "ks", "brier", "log_loss"]
COLUMNS = """truth varchar(9) COLLATE latin1_general_ci, score double,
    numeric_score decimal(20, 17), single float, text_score varchar(40), said text, site smallint,
    flag bool, place char(6), day date, moment datetime(6), fold int, id bigint,
    times int unsigned, raw blob, huge bigint unsigned"""


def _row(i: int) -> tuple[Any, ...]:
    h = (i * 7919 + i * i * 31) % 1009
    score = None if i % 40 == 0 else round((h % 97) / 128 + (h % 3 == 0) * 0.2, 2)
    return (
        "sick" if h % 3 == 0 else "well", score, h % 89 / 89, h % 83 / 83,
        ("", "nan", f" {h}")[i % 3] if i % 301 == 0 and i % 3 < 2 else repr(h % 83 / 83),
        ("sick", "well", "WELL", "well ")[h % 13 % 4], h % 4, h % 2 == 0,
        ("x", "y\tz", "it's \\", "", None, "ü")[h % 6], dt.date(2026, 1, 1 + i % 28),
        f"2026-0{1 + i % 9}-03 08:00:{h % 50:02}{'.25' * (i % 2)}", i % 5, i, 1 + h % 3,
        b"\0", 2**64 - 1 - i,
    )  # fmt: skip


@pytest.fixture(scope="module")
def table(mariadb: int) -> int:
    """The port of the server, with rows in a table ``seen``."""
    with owner(mariadb) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE seen ({COLUMNS})")
        places = ", ".join(["%s"] * len(_row(0)))
        cursor.executemany(f"INSERT INTO seen VALUES ({places})", list(map(_row, range(1500))))
    return mariadb


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYSQL_PWD", SECRET)


def of_server(
    port: int, model: dict[str, str], sql: str = "SELECT * FROM seen", **parts: Any
) -> dict[str, Any]:
    dataset = {
        "path": {"sql": sql, "database": f"mariadb://reader@127.0.0.1:{port}/study"},
        "target": "truth", "missing": "exclude", **parts.pop("dataset", {}),
    }  # fmt: skip
    return spec_of(Path("unused"), model, dataset=dataset, **parts)


def same(asked: dict[str, Any]) -> dict[str, Any]:
    memory, counted = run(asked, "memory"), run(asked, "database")
    assert engine_of(counted)[0] == "database"
    assert comparable(counted) == comparable(memory)
    assert SECRET not in json.dumps([memory, counted])
    return counted


PLAIN = "SELECT truth, score, numeric_score, single, text_score, site, flag, place, id FROM seen"


@pytest.mark.parametrize("score", ["score", "numeric_score", "single", "text_score"])
def test_scores_of_every_type(table: int, score: str) -> None:
    same(of_server(table, {"score": score}, PLAIN, metrics=METRICS, subgroups=["site", "place"],
                   positive={"label": "sick"}, dataset={"id": "id"},
                   thresholds=[0.5, 0.37, 34 / 83, {"maximize": "youden_j"}]))  # fmt: skip


@pytest.mark.parametrize("column", ["day", "moment"])
def test_labels_subgroups_folds_and_periods(table: int, column: str) -> None:
    sql = f"SELECT truth, said, site, flag, place, {column}, fold FROM seen;"
    dataset = {"period": {"column": column, "every": "quarter"}, "fold": "fold",
               "labels": ["sick", "well", "WELL", "well "]}  # fmt: skip
    found = same(of_server(table, {"prediction": "said"}, sql, dataset=dataset,
                           subgroups=["place", ["flag", "site"]]))  # fmt: skip
    # Neither case nor blanks at the end make one class of two.
    assert {"WELL", "well "} <= set(found["tables"][0]["labels"])


def test_rows_that_stand_for_several(table: int) -> None:
    asked = of_server(table, {"score": "score"}, "SELECT truth, score, times FROM seen",
                      dataset={"count": "times"}, positive={"label": "sick"})  # fmt: skip
    memory, counted = run(asked, "memory"), run(asked, "database")
    assert comparable(counted)["measures"] == comparable(memory)["measures"]


def test_only_counts_leave_the_server(table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []
    plain = mysql_rows.MysqlServer.answer

    def watched(self: Any, text: str) -> Any:
        names, rows = plain(self, text)
        fetched.append(len(rows))
        return names, rows

    monkeypatch.setattr(mysql_rows.MysqlServer, "answer", watched)
    run(of_server(table, {"score": "score"}, PLAIN, subgroups=["site"]), "database")
    assert 0 < max(fetched) < 800


def test_the_hash_is_made_by_the_server(table: int) -> None:
    def hash_of(sql: str) -> str:
        asked = of_server(table, {"score": "score"}, sql)
        (one,) = run(asked, "database")["provenance"]["inputs"]
        assert one["sha256_of"] == "rows, by the database"
        return str(one["sha256"])

    first = hash_of(PLAIN)
    assert first == hash_of(f"{PLAIN} ORDER BY score, id DESC")
    others = [
        f"{PLAIN} WHERE id <> 7",
        f"{PLAIN} UNION ALL (SELECT * FROM ({PLAIN}) AS r LIMIT 1)",
        PLAIN.replace(", id", ", id + (id = 3) AS id"),
        PLAIN.replace(", id", ", CAST(id AS CHAR) AS id"),
        PLAIN.replace(", place", ", IFNULL(place, '') AS place"),
    ]
    assert len({first, *map(hash_of, others)}) == 1 + len(others)


@pytest.mark.parametrize("engine", ["memory", "database"])
@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT * FROM seem", "did you mean 'seen'"),
        ("SELECT truth, scor FROM seen", "did you mean 'score'"),
        ("SELECT * FROM seen WHERE false", "gives no rows"),
        ("DELETE FROM seen", "the query fails"),
        ("SELECT * FROM seen; DELETE FROM seen", "the query fails"),
        ("SELECT * FROM seen) AS a INTO OUTFILE '/tmp/evalreport-pwned' -- ", "the query fails"),
        ("SELECT truth, score FROM seen INTO OUTFILE '/tmp/evalreport-pwned'", "the query fails"),
        ("SELEC 1", "the query fails"),
    ],
)
def test_nothing_but_reading_is_possible(table: int, engine: str, sql: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        run(of_server(table, {"score": "score"}, sql), engine)
    assert not Path("/tmp/evalreport-pwned").exists()
    assert run(of_server(table, {"score": "score"}, PLAIN), "database")["rows"][0]["read"] == 1500


def test_what_is_not_counted(table: int) -> None:
    with pytest.raises(DataError, match="score is of a type that is not counted"):
        run(
            of_server(table, {"score": "score"}, "SELECT truth, raw AS score FROM seen"), "database"
        )
    with pytest.raises(DataError, match="whole numbers are too large"):
        run(of_server(table, {"score": "score"}, "SELECT truth, score, huge FROM seen LIMIT 50",
                      subgroups=["huge"]), "database")  # fmt: skip


def test_a_query_without_end_is_stopped(table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_limits, "LIMITS", QueryLimits(seconds=1))
    sql = "SELECT 'a' AS truth, count(*) / 9.0 AS score FROM seen a, seen b, seen c, seen d"
    for engine in ("memory", "database"):
        with pytest.raises(LimitError, match="more than 1 s"):
            run(of_server(table, {"score": "score"}, sql), engine)


def test_no_server_and_a_wrong_password(table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_rows, "PAUSE", 0.0)
    with pytest.raises(FilesError, match="does not answer"):
        run({**of_server(1, {"score": "score"}), "engine": {"retries": 1}}, "memory")
    monkeypatch.setenv("MYSQL_PWD", "wrong-one")
    with pytest.raises(FilesError, match="does not let this user in") as caught:
        run({**of_server(table, {"score": "score"}), "engine": {"retries": 5}}, "database")
    assert not isinstance(caught.value, LostError)
    assert "wrong-one" not in str(caught.value)


@pytest.mark.parametrize("engine", ["memory", "duckdb", "database"])
def test_rows_that_a_user_may_not_read(table: int, engine: str) -> None:
    sql = "SELECT user AS truth, 0.5 AS score FROM mysql.db"
    with pytest.raises(FilesError, match=r"refuses to show the rows: .*; a user") as caught:
        run(of_server(table, {"score": "score"}, sql), engine)
    assert not isinstance(caught.value, LostError)


def test_a_quotient_is_the_number_that_is_sent(table: int) -> None:
    # The server keeps it with more digits than it has.
    same(of_server(table, {"score": "score"}, "SELECT truth, site / 7 AS score FROM seen",
                   metrics=METRICS))  # fmt: skip


def test_a_lost_connection_is_tried_again(table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_rows, "PAUSE", 0.0)
    plain, left = mysql_rows.MysqlServer.answer, [0]

    def breaks(self: Any, text: str) -> Any:
        if left[0] and "SHA2" in text:
            left[0] -= 1
            with owner(table, "reader") as other, other.cursor() as cursor:
                cursor.execute(f"KILL {self.connection.thread_id()}")
        return plain(self, text)

    monkeypatch.setattr(mysql_rows.MysqlServer, "answer", breaks)
    asked = of_server(table, {"score": "score"}, PLAIN)
    left[0] = 1
    with pytest.raises(FilesError, match="the connection to the database was lost"):
        run(asked, "database")
    left[0] = 2
    again = run({**asked, "engine": {"retries": 2}}, "database")
    assert left == [0]
    assert comparable(again)["measures"] == comparable(run(asked, "memory"))["measures"]
