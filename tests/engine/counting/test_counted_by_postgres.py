"""Rows that a Postgres server counts itself: the same results, and no row leaves it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of
from engine.counting.postgres_server import SECRET, control, owner
from engine.counting.test_postgres_rows import spec

from evalreport.engine.databases import sessions
from evalreport.errors import DataError, FilesError, LostError, SpecError

pytestmark = pytest.mark.long

METRICS = ["accuracy", "recall", "f1", "roc_auc", "average_precision", "ks", "brier", "log_loss"]
#: 1 500 rows of every type that is counted, ties, gaps and not-a-number among the scores.
ROWS = """
SELECT CASE WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS truth,
       CASE WHEN i % 40 = 0 THEN NULL WHEN i % 41 = 0 THEN 'NaN'
            ELSE round((h % 97) / 128.0 + (h % 3 = 0)::int * 0.2, 2)::double precision END AS score,
       (h % 89) / 89.0 AS numeric_score, ((h % 83) / 83.0)::real AS single,
       ((h % 83) / 83.0)::text AS text_score,
       CASE WHEN h % 5 = 0 THEN 'sick' ELSE 'well' END AS said,
       (h % 4)::smallint AS site, h % 2 = 0 AS flag, (h % 6)::varchar(3) AS place,
       DATE '2026-01-01' + (i % 300) AS day,
       TIMESTAMP '2026-01-01 08:00' + i * INTERVAL '7 hours 0.25 seconds' AS moment,
       i % 5 AS fold, i AS id
FROM (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h FROM generate_series(0, 1499) AS t(i)) AS s
"""


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", SECRET)


def of_server(port: int, model: dict[str, str], sql: str = ROWS, **parts: Any) -> dict[str, Any]:
    address = f"postgresql://reader@127.0.0.1:{port}/postgres"
    dataset = {
        "path": {"sql": sql, "database": address}, "target": "truth", "missing": "exclude",
        **parts.pop("dataset", {}),
    }  # fmt: skip
    return spec_of(Path("unused"), model, dataset=dataset, **parts)


def same(asked: dict[str, Any]) -> dict[str, Any]:
    memory, counted = run(asked, "memory"), run(asked, "database")
    assert engine_of(counted) == ("database", "requested")
    assert comparable(counted) == comparable(memory)
    return counted


@pytest.mark.parametrize("score", ["score", "numeric_score", "single", "text_score"])
def test_scores_of_every_type(server: int, score: str) -> None:
    same(of_server(server, {"score": score}, metrics=METRICS, subgroups=["site", "flag"],
                   positive={"label": "sick"}, dataset={"id": "id"},
                   thresholds=[0.5, 0.37, {"maximize": "youden_j"}]))  # fmt: skip


@pytest.mark.parametrize("column", ["day", "moment"])
def test_labels_subgroups_folds_and_periods(server: int, column: str) -> None:
    dataset = {"period": {"column": column, "every": "quarter"}, "fold": "fold"}
    same(of_server(server, {"prediction": "said"}, dataset=dataset,
                   subgroups=["place", "site", ["flag", "site"], "day"]))  # fmt: skip


def test_comparisons_and_weights(server: int) -> None:
    two = of_server(server, {"score": "score"}, metrics=METRICS)
    two["models"]["other"] = {"score": "numeric_score"}
    two["comparisons"] = {"reference": "m"}
    memory, counted = run(two, "memory"), run(two, "database")
    assert comparable(counted) == comparable(memory)
    weighted = of_server(server, {"prediction": "said"}, dataset={"weight": "site"})
    memory, counted = run(weighted, "memory"), run(weighted, "database")
    assert comparable(counted) == comparable(memory)


def test_only_counts_leave_the_server(
    server: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetched: list[int] = []
    plain = sessions._Postgres.fetch

    def watched(self: Any, text: str, names: Sequence[str]) -> Any:
        found = plain(self, text, names)
        fetched.append(len(found[0].values))
        return found

    monkeypatch.setattr(sessions._Postgres, "fetch", watched)
    run(of_server(server, {"score": "score"}, subgroups=["site"]), "database")
    # scores of two decimals by class and site, of 1 500 rows
    assert 0 < max(fetched) < 800


def test_the_hash_is_made_by_the_server(server: int) -> None:
    def hash_of(sql: str) -> str:
        (one,) = run(of_server(server, {"score": "score"}, sql), "database")["provenance"]["inputs"]
        assert one["sha256_of"] == "kinds of rows"
        assert one["bytes"] is None
        return str(one["sha256"])

    first = hash_of(ROWS)
    assert first == hash_of(f"{ROWS} ORDER BY score, id DESC")
    others = [
        f"{ROWS} WHERE i <> 7",
        f"{ROWS} UNION ALL (SELECT * FROM ({ROWS}) AS r LIMIT 1)",
        ROWS.replace("THEN 'NaN'", "THEN -0.5"),
    ]
    assert len({first, *map(hash_of, others)}) == 1 + len(others)
    # The type of what is read is that of its values; what is not read is no matter.
    assert first == hash_of(ROWS.replace("i AS id", "i::bigint AS other"))


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM seen",
        "WITH gone AS (DELETE FROM seen RETURNING *) SELECT * FROM gone",
        "SELECT * FROM seen; DELETE FROM seen",
        "SELECT * FROM seen) SELECT 1; DELETE FROM seen --",
        "SELECT truth, score INTO other FROM seen",
        "SELECT * FROM absent",
        "SELEC 1",
        "SELECT 1 / (site - site) AS truth, score, site, place, ok FROM seen",
    ],
)
def test_nothing_but_reading_is_possible(server: int, sql: str) -> None:
    with pytest.raises(DataError, match="the query fails"):
        run(spec(server, sql), "database")
    assert run(spec(server), "database")["rows"][0]["read"] == 25_000


def test_what_a_database_cannot_count_is_refused(server: int, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"place is of a type that is not taken .*: money"):
        run(of_server(server, {"prediction": "said"}, subgroups=["place"],
                      sql=ROWS.replace("::varchar(3)", "::money")), "database")  # fmt: skip
    path = tmp_path / "rows.csv"
    path.write_text("truth,score\na,0.1\nb,0.2\n")
    with pytest.raises(SpecError, match="its rows are not in a database"):
        run(spec_of(path, {"score": "score"}, dataset={"target": "truth"}), "database")


#: Names of columns and labels that only those who quote and compare them well take apart.
ODD = "we\"ird 'na`me` ;ü 😀 %s {0} [x]"
LABELS = ("it's", 'say "x"', "😀", "end ", "end", "back\\slash", "tab\tx", "new\nline", "A", "a",
          "ß", "ss", "é", "e\u0301", "%s {} $1 ?", "-- ; DROP", " lead", "null", "\u200bzw",
          "ﬀ", "İ", "")  # fmt: skip


def test_texts_are_told_apart_letter_by_letter(server: int) -> None:
    name = '"' + ODD.replace('"', '""') + '"'
    rows = [(LABELS[i * 7 % 22], LABELS[i * (i % 3) % 22], LABELS[i * 5 % 22]) for i in range(400)]
    with owner(server) as connection:
        connection.execute(
            "CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level1', "
            "deterministic = false)"
        )
        connection.execute(f"CREATE TABLE odd ({name} text COLLATE alike, said varchar COLLATE "
                           "alike, place char(12) COLLATE alike)")  # fmt: skip
        connection.insert("odd", rows)
        connection.execute("CREATE VIEW shown AS SELECT * FROM odd")
        connection.execute("GRANT SELECT ON odd, shown TO reader")
    for sql in ("SELECT * FROM odd", "SELECT * FROM shown;"):
        found = same(of_server(server, {"prediction": "said"}, sql, subgroups=["place"],
                               dataset={"target": ODD}))  # fmt: skip
        assert set(LABELS) == set(found["tables"][0]["labels"])


@pytest.mark.parametrize(
    "value",
    [
        "TIMESTAMPTZ '2026-03-29 00:30:00.5+01' + i % 5 * INTERVAL '1 hour'",
        "CASE WHEN i % 2 = 0 THEN 'x' ELSE 'Y' END::mood",
        "(i % 3)::text::char(4)",
    ],
)
def test_times_with_zones_enumerations_and_padded_text(server: int, value: str) -> None:
    with owner(server) as connection:
        connection.execute("DROP TYPE IF EXISTS mood")
        connection.execute("CREATE TYPE mood AS ENUM ('x', 'Y')")
    sql = ROWS.replace("i AS id", f"{value} AS made")
    same(of_server(server, {"score": "score"}, sql, subgroups=["made"], metrics=METRICS))


@pytest.mark.parametrize(
    "value",
    ["DATE 'infinity'", "DATE '0044-03-15 BC'", "DATE '12026-01-01'", "TIMESTAMP '-infinity'"],
)
def test_dates_that_are_not_read_are_not_counted(server: int, value: str) -> None:
    sql = ROWS.replace("DATE '2026-01-01' + (i % 300) AS day", f"{value} AS day")
    for engine in ("memory", "database"):
        with pytest.raises(DataError, match="before year 1"):
            run(of_server(server, {"score": "score"}, sql, subgroups=["day"]), engine)


def test_a_server_that_dies_while_it_counts(server: int) -> None:
    slow = "SELECT truth, score + 0 * length(pg_sleep(0.001)::text) AS score FROM seen"
    caught: list[BaseException] = []

    def counting() -> None:
        try:
            run(of_server(server, {"score": "score"}, slow), "database")
        except FilesError as error:
            caught.append(error)

    worker = threading.Thread(target=counting)
    worker.start()
    until = time.monotonic() + 30
    with owner(server) as watching:
        asked = (
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' "
            "AND query LIKE '%COUNT%pg_sleep%' AND pid <> pg_backend_pid()"
        )
        while not watching.asked(asked)[0][0]:
            assert time.monotonic() < until
            time.sleep(0.05)
    try:
        control(server, "-m", "immediate", "stop")
        worker.join(30)
    finally:
        control(server, "-w", "start")
    (error,) = caught
    assert isinstance(error, LostError)
    assert "the connection to the database was lost" in str(error)


def test_mistakes_are_told_as_for_loaded_rows(server: int) -> None:
    told = []
    for engine in ("memory", "database"):
        with pytest.raises(DataError) as caught:
            run(
                of_server(server, {"score": "place"}, ROWS.replace("h % 6", "'a' || h % 6")), engine
            )
        told.append([str(problem) for problem in caught.value.problems])
    assert told[0] == told[1]


def test_a_lost_connection_is_tried_again_as_often_as_the_spec_says(
    server: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "PAUSE", 0.0)
    plain, left = sessions._Postgres.fetch, [0]

    def breaks(self: Any, text: str, names: Sequence[str]) -> Any:
        if left[0] and "COUNT" in text:
            left[0] -= 1
            text, names = "SELECT pg_terminate_backend(pg_backend_pid()) AS k0", ["k0"]
        return plain(self, text, names)

    monkeypatch.setattr(sessions._Postgres, "fetch", breaks)
    asked = of_server(server, {"score": "score"})
    left[0] = 1
    with pytest.raises(FilesError, match="the connection to the database was lost"):
        run(asked, "database")
    left[0] = 2
    again = run({**asked, "engine": {"retries": 2}}, "database")
    assert left == [0]
    assert comparable(again)["measures"] == comparable(run(asked, "memory"))["measures"]
    assert SECRET not in json.dumps(again)
