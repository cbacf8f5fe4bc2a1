"""Rows of a Postgres query: a real server is started for the test, where there is one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of
from engine.counting.postgres_server import SECRET, owner, rows

from evalreport.engine.databases.sessions import VARIABLE
from evalreport.errors import DataError, FilesError, LimitError, LostError, SpecError

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", SECRET)


def spec(port: int, sql: str = "SELECT * FROM seen") -> dict[str, Any]:
    address = f"postgresql://reader@127.0.0.1:{port}/postgres"
    dataset = {"path": {"sql": sql, "database": address}, "target": "truth", "missing": "exclude"}
    return spec_of(
        Path("unused"), {"score": "score"}, dataset=dataset, subgroups=["place", "site", "ok"],
        metrics=["accuracy", "f1", "roc_auc", "average_precision", "brier"],
    )  # fmt: skip


def test_rows_of_a_server_are_those_of_a_file(server: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    names = ("truth", "score", "site", "place", "ok")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows()]
    path.write_text("\n".join(lines))
    plain = spec(server)
    plain["datasets"]["d"]["path"] = str(path)
    expected = run(plain, "memory")
    memory, counted = run(spec(server), "memory"), run(spec(server), "database")
    assert engine_of(memory) == ("memory", "requested")
    assert engine_of(counted) == ("database", "requested")
    assert comparable(memory) == comparable(expected)
    assert comparable(counted) == comparable(expected)
    (one,) = memory["provenance"]["inputs"]
    assert one == {
        "dataset": "d", "name": "postgres (Postgres)", "sha256": one["sha256"], "bytes": None,
        "rows": 25_000, "sha256_of": "kinds of rows",
    }  # fmt: skip
    assert one == counted["provenance"]["inputs"][0]


def hash_of(port: int, sql: str, engine: str = "memory") -> str:
    return str(run(spec(port, sql), engine)["provenance"]["inputs"][0]["sha256"])


def test_the_hash_is_of_what_the_rows_hold(server: int) -> None:
    ordered = "SELECT * FROM seen ORDER BY place, score"
    assert hash_of(server, "SELECT * FROM seen") == hash_of(server, ordered, "database")
    others = [
        "SELECT * FROM seen WHERE score > 0.01 OR score IS NULL OR truth IS NULL",
        "SELECT * FROM seen UNION ALL (SELECT * FROM seen LIMIT 1)",
        "SELECT truth, score + 1e-17 * site AS score, site, place, ok FROM seen",
        "SELECT truth, score, site::text AS site, place, ok FROM seen",
    ]
    # What is not read of the rows is no matter.
    more = "SELECT truth, score, site, place, ok, 1 AS more FROM seen"
    assert hash_of(server, more) == hash_of(server, ordered)
    found = [hash_of(server, sql) for sql in ("SELECT * FROM seen", *others)]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("engine", ["memory", "database"])
def test_a_declared_hash_is_held_against_the_rows(server: int, engine: str) -> None:
    declared = spec(server)
    declared["datasets"]["d"]["sha256"] = hash_of(server, "SELECT * FROM seen")
    run(declared, engine)
    declared["datasets"]["d"]["path"]["sql"] += " LIMIT 24000"
    with pytest.raises(DataError, match="the rows that were declared"):
        run(declared, engine)


@pytest.mark.parametrize("engine", ["memory", "database"])
def test_the_password_stands_in_no_output(server: int, engine: str) -> None:
    assert SECRET not in json.dumps(run(spec(server), engine))


@pytest.mark.parametrize("engine", ["memory", "database"])
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM seen",
        "WITH gone AS (DELETE FROM seen RETURNING *) SELECT * FROM gone",
        "SELECT * FROM seen; COMMIT; DROP TABLE seen",
        "SELECT * FROM seen; DELETE FROM seen",
        "SELECT truth, score INTO other FROM seen",
        "CREATE TABLE other (a int)",
        "COPY seen TO '/tmp/evalreport-pwned'",
        "SELECT * FROM absent",
        "SELEC 1",
    ],
)
def test_nothing_but_reading_is_possible(server: int, engine: str, sql: str) -> None:
    with pytest.raises(DataError, match="the query fails"):
        run(spec(server, sql), engine)
    with owner(server) as connection:
        counts = connection.asked("SELECT count(*) FROM seen")
        made = connection.asked("SELECT to_regclass('other')::text")
    assert (counts, made) == ([(25_000,)], [(None,)])


def test_mistakes_of_the_rows_are_told_alike(server: int) -> None:
    told = []
    for engine in ("memory", "database"):
        with pytest.raises(DataError) as caught:
            run(spec(server, "SELECT truth, place AS score, site, place, ok FROM seen"), engine)
        told.append([str(problem) for problem in caught.value.problems])
    assert told[0] == told[1]
    assert "score is not a number in row" in told[0][0]


def test_no_rows_no_server_and_a_wrong_password(
    server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match="gives no rows"):
        run(spec(server, "SELECT * FROM seen WHERE false"), "database")
    monkeypatch.setenv("PGPASSWORD", "wrong-one")
    with pytest.raises(FilesError, match=r"password authentication failed.*PGPASSWORD") as caught:
        run({**spec(server), "engine": {"retries": 5}}, "memory")
    assert not isinstance(caught.value, LostError)
    assert "wrong-one" not in str(caught.value)
    monkeypatch.setenv("PGPASSWORD", SECRET)
    with pytest.raises(LostError, match="no connection to the database"):
        run(spec(1), "memory")


def test_what_one_of_several_servers_says_is_told(
    server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "wrong-one")
    asked = spec(server)
    address = f"postgresql://reader@127.0.0.1:1,127.0.0.1:{server}/postgres"
    asked["datasets"]["d"]["path"]["database"] = address
    with pytest.raises(FilesError, match="password authentication failed"):
        run(asked, "memory")
    asked["datasets"]["d"]["path"]["database"] = "postgresql://reader@127.0.0.1:1,[::1]:1/db"
    with pytest.raises(LostError, match=r"no connection to the database: .*refused"):
        run(asked, "memory")


@pytest.mark.parametrize("engine", ["memory", "database"])
def test_rows_that_a_user_may_not_read(server: int, engine: str) -> None:
    secret = "SELECT rolname AS truth, 0.5 AS score, rolpassword AS place, 1 AS site, true AS ok"
    with pytest.raises(FilesError, match=r"permission denied for .*; one SELECT .* user may read"):
        run(spec(server, f"{secret} FROM pg_authid"), engine)


def test_how_a_server_writes_values_is_no_matter(server: int) -> None:
    told = "SELECT truth, score / 3 AS score, site, ok, TIMESTAMPTZ '2026-03-29 01:30+02' AS place"
    plain = run(spec(server, f"{told} FROM seen"), "memory")
    with owner(server) as connection:
        for setting in ("timezone = 'Asia/Tokyo'", "datestyle = 'German'",
                        "extra_float_digits = -3"):  # fmt: skip
            connection.execute(f"ALTER ROLE reader SET {setting}")
    try:
        other = run(spec(server, f"{told} FROM seen"), "memory")
    finally:
        with owner(server) as connection:
            connection.execute("ALTER ROLE reader RESET ALL")
    assert comparable(other) == comparable(plain)
    assert other["provenance"]["inputs"] == plain["provenance"]["inputs"]
    values = {one["subgroup"].get("place") for one in plain["measures"] if one["subgroup"]}
    assert "2026-03-28 23:30:00+00:00" in values


@pytest.mark.parametrize(
    "address",
    [f"postgresql://reader:{SECRET}@host/db", f"postgres://host/db?password={SECRET}",
     f"postgresql://host/db?user=a&PASSWORD={SECRET}"],
)  # fmt: skip
def test_a_password_in_the_spec_is_refused_and_not_repeated(address: str) -> None:
    wrong = spec(1)
    wrong["datasets"]["d"]["path"]["database"] = address
    with pytest.raises(SpecError, match="contains a password") as caught:
        run(wrong, "memory")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT 'a' AS truth, 1 AS score FROM pg_sleep(60)", "more than 1 s"),
        (("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) "
          "SELECT 'a' AS truth, 1 AS score FROM c WHERE n < 0"), "more than 1 s"),
        # In the list of columns a series is given row by row; in FROM the server stores it first.
        ("SELECT generate_series(1, 10000000000)::text AS truth, 1 AS score",
         "more than 143 MiB of memory"),
    ],
)  # fmt: skip
def test_a_query_without_end_is_stopped(
    server: int, sql: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = spec(server, sql)
    asked["subgroups"] = []
    if told == "more than 1 s":
        monkeypatch.setenv(VARIABLE, "1")
    else:
        asked["engine"] = {"memory_limit": "150MB"}
    # Where they are counted, such rows are few kinds.
    for engine in ("memory", "database") if told == "more than 1 s" else ("memory",):
        with pytest.raises(LimitError, match=told):
            run(asked, engine)
