"""Kinds of whole rows: how many are held, what is told of ids, and what is loaded instead."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import engine_of, run, spec_of
from engine.counting.twenty_jobs import ROWS, differing, with_paths

from evalreport.engine.counting import choosing, counting_views, kinds_table
from evalreport.engine.predicting import Fitting
from evalreport.engine.read_and_plan import prepare
from evalreport.errors import DataError, LimitError
from evalreport.spec.load import load_spec

pytestmark = pytest.mark.long_but_first


THREE = """
SELECT ['a', 'b', 'c'][i % 3 + 1] AS y, i AS id, (i % 8) / 16 AS a, (i % 4) / 8 AS b,
       1 - (i % 8) / 16 - (i % 4) / 8 AS c FROM range(1200) t(i)
"""
ENGINES = ("memory", "duckdb")
OF_EACH = {"scores": {"a": "a", "b": "b", "c": "c"}}


def spec_on(path: Path, **parts: Any) -> dict[str, Any]:
    return spec_of(path, OF_EACH, metrics=["accuracy", "log_loss"], **parts)


def test_kinds_beyond_the_limit_are_loaded_and_said_or_refused(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds_table, "LEAST_KINDS", 5)
    monkeypatch.setattr(kinds_table, "VALUE_BYTES", 10**9)
    spec = spec_on(write(THREE))
    why = "by y, a, b, c there are 24 kinds of rows"
    assert why in engine_of(run(spec, "duckdb"))[1]
    monkeypatch.setattr(choosing, "MANY_ROWS", 1)
    with pytest.raises(LimitError, match=f"the engine duckdb cannot count these rows: {why}"):
        run(spec, "duckdb")
    name, reason = engine_of(run(spec, "auto"))
    assert (name, f"read row by row, not counted: {why}" in reason) == ("memory", True)


def test_ids_tell_no_kinds_apart_and_are_unique(write: Callable[..., Path]) -> None:
    found = run(spec_on(write(THREE), dataset={"id": "id"}), "duckdb")
    assert "d, m: counted by what each row holds, 24 kinds of rows" in found["plan"]["counted"]
    twice = write(f"SELECT * REPLACE (id // 2 AS id) FROM ({THREE})")
    with pytest.raises(DataError, match="id is not unique: '0' in row 1 and row 2"):
        run(spec_on(twice, dataset={"id": "id"}), "duckdb")


def test_rows_without_an_id_are_left_out_and_counted(write: Callable[..., Path]) -> None:
    path = write(f"SELECT * REPLACE (nullif(id, 7) AS id) FROM ({THREE})")
    spec = spec_on(path, dataset={"id": "id", "missing": "exclude"})
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert counted["rows"] == memory["rows"]
    assert counted["rows"][0]["excluded"] == [{"reason": "id is empty", "count": 1}]
    assert engine_of(counted)[0] == "duckdb"


def test_lists_of_numbers_are_counted_in_the_file(write: Callable[..., Path]) -> None:
    path = write(f"SELECT y, [a, b, c] AS p FROM ({THREE})")
    spec = spec_of(path, {"scores": "p"}, metrics=["accuracy", "log_loss", "roc_auc"])
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted)[0] == "duckdb"
    assert counted["measures"] == memory["measures"]


def test_rows_that_stand_for_several_are_counted_by_kind(write: Callable[..., Path]) -> None:
    path = write(f"SELECT y, a, b, c, 1 + i % 3 AS n FROM (SELECT *, id AS i FROM ({THREE}))")
    spec = spec_on(path, dataset={"count": "n"})
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted)[0] == "duckdb"
    assert counted["measures"] == memory["measures"]
    assert counted["rows"] == memory["rows"]
    assert counted["provenance"]["inputs"] == memory["provenance"]["inputs"]


def test_scores_that_do_not_add_up_are_named_with_their_rows(write: Callable[..., Path]) -> None:
    path = write(f"SELECT * REPLACE (a + (id = 8)::INT / 2 AS a) FROM ({THREE})")
    with pytest.raises(DataError, match="do not add up to 1 in row 9"):
        run(spec_on(path), "duckdb")


def test_lists_of_labels_are_counted_in_the_file(write: Callable[..., Path]) -> None:
    path = write(
        "SELECT [['a'], ['a', 'b'], []::VARCHAR[], ['c']][i % 4 + 1] AS y, "
        "[['b', 'a'], ['a']][i % 2 + 1] AS p FROM range(100) t(i)"
    )
    spec = spec_of(path, {"prediction": {"list": "p"}}, metrics=["f1", "hamming_loss"])
    spec["datasets"]["d"]["target"] = {"list": "y"}
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted)[0] == "duckdb"
    assert "d, m: counted by what each row holds, 4 kinds of rows" in counted["plan"]["counted"]
    assert counted["measures"] == memory["measures"]
    assert counted["labels"] == memory["labels"]


COLUMNS = """
SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS y, (i % 97) / 97 AS s, i % 5 AS g,
       CASE WHEN i % 7 = 0 THEN NULL ELSE 20 + i % 60 END AS age, i AS id FROM range(1000) t(i)
"""


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_columns_are_described_one_by_one(write: Callable[..., Path], kind: str) -> None:
    path = write(COLUMNS)
    if kind == "csv":
        path = path.with_suffix(".csv")
        duckdb.connect().execute(f"COPY ({COLUMNS}) TO '{path}' (HEADER)")
    spec = spec_of(path, {"score": "s"}, report={"characteristics": ["age", "g", "s"]})
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted) == ("duckdb", "asked for")
    assert counted["characteristics"] == memory["characteristics"]
    first = counted["characteristics"][0]["columns"][0]["groups"][0]
    assert (first["n"], first["missing"]) == (857, 143)


def test_rows_described_for_two_models_that_lack_different_ones(
    write: Callable[..., Path],
) -> None:
    path = write(f"SELECT *, nullif(s, 0) AS t FROM ({COLUMNS})")
    spec = spec_of(path, {"score": "s"}, dataset={"missing": "exclude"})
    spec |= {"models": {"m": {"score": "s"}, "n": {"score": "t"}}}
    spec |= {"report": {"characteristics": ["age"]}}
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted)[0] == "duckdb"
    assert [c["models"] for c in counted["characteristics"]] == [["m"], ["n"]]
    assert counted["characteristics"] == memory["characteristics"]


def test_a_column_to_describe_that_is_not_there(write: Callable[..., Path]) -> None:
    spec = spec_of(write(COLUMNS), {"score": "s"}, report={"characteristics": ["agee"]})
    with pytest.raises(DataError, match=r"no column 'agee'.*did you mean 'age'"):
        run(spec, "duckdb")


def test_a_column_of_drift_with_too_many_values_is_loaded(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(COLUMNS)
    spec = spec_of(path, {"score": "s"})
    spec["datasets"]["e"] = dict(spec["datasets"]["d"])
    spec["drift"] = {"reference": {"dataset": "e"}, "columns": ["id", "nowhere"]}
    exact = run(spec, "memory")["drift"]
    found = run(spec, "duckdb")
    assert engine_of(found)[0] == "duckdb"
    assert found["drift"] == exact
    monkeypatch.setattr(kinds_table, "LEAST_KINDS", 5)
    monkeypatch.setattr(kinds_table, "VALUE_BYTES", 10**8)
    loaded = run(spec, "duckdb")
    assert "by id there are 1,000 kinds of rows" in engine_of(loaded)[1]
    assert loaded["drift"] == exact


def test_kinds_that_were_read_are_described_without_being_written_out(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting_views, "MANY_COUNTED", 10)
    path = write(f"SELECT y, s, g, age, 1 + id % 3 AS n FROM ({COLUMNS})")
    spec = spec_of(path, {"score": "s"}, dataset={"count": "n"})
    spec["report"] = {"characteristics": ["age", "g"]}
    added = run(spec, "memory")
    assert "kinds of rows, each with how many rows are of it, are added up" in engine_of(added)[1]
    monkeypatch.setattr(counting_views, "MANY_COUNTED", 10**9)
    assert run(spec, "memory")["characteristics"] == added["characteristics"]


@pytest.mark.parametrize(
    ("label", "thresholds", "told"),
    [
        ("CASE WHEN s >= 0.5 THEN 'b' ELSE 'a' END", None, "are those of score >= 0.5 in all"),
        ("CASE WHEN s >= 0.4 THEN 'b' ELSE 'a' END", None, "those of a threshold above 0.3"),
        ("CASE WHEN i % 9 = 0 THEN 'c' WHEN i % 9 = 1 THEN NULL ELSE 'b' END", None,
         "no label in said"),
        ("CASE WHEN s >= 0.5 THEN 'b' ELSE 'a' END", [{"maximize": "f1"}], "score >= 0.5 in all"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("memory_limit", ["1GB", "6MB"])
def test_labels_beside_scores_are_held_against_thresholds(
    write: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    label: str,
    thresholds: list[Any] | None,
    told: str,
    memory_limit: str,
) -> None:
    monkeypatch.setattr(counting_views, "ENTRY_BYTES", 100_000)  # 6 MB: scores are binned
    path = write(f"SELECT *, {label} AS said FROM (SELECT *, id AS i FROM ({COLUMNS}))")
    spec = spec_of(path, {"score": "s", "prediction": "said"}, metrics=["accuracy"])
    if thresholds is not None:
        spec["thresholds"] = thresholds
    spec["engine"] = {"memory_limit": memory_limit, "bins": 100}
    file = path.with_name("spec.yaml")
    file.write_text(json.dumps(spec))
    loaded, counted = (
        prepare(load_spec(file), engine=engine).views[0].ledger.findings
        for engine in ("memory", "duckdb")
    )
    assert loaded == counted
    assert told in counted[-1].message


def test_groups_of_rows_are_left_out_by_kind(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalreport.engine.intervals import grouped_jackknife

    path = write(THREE.replace("range(1200)", "range(21000)").replace("i % 3", "i * i % 11 % 3"))
    spec = {**spec_on(path), "metrics": ["hand_till_auc"]}
    loaded, counted = (run(spec, engine)["measures"][0]["interval"] for engine in ENGINES)
    assert counted == loaded
    assert (counted["method"], counted["groups"]) == ("grouped_jackknife", 50)
    monkeypatch.setattr(grouped_jackknife, "parts_of_kinds", lambda *_: None)
    of_rows = run(spec, "duckdb")["measures"][0]["interval"]
    width = (counted["high"] - counted["low"]) / (of_rows["high"] - of_rows["low"])
    # each has an error of about 10 % in the width
    assert 0.6 < width < 1.6


def test_lists_in_several_files_are_counted_together(tmp_path: Path) -> None:
    (tmp_path / "days").mkdir()
    for day in range(3):
        rows = THREE.replace("range(1200)", f"range({day * 100}, {day * 100 + 100})")
        select = f"SELECT y, [a, b, c] AS p FROM ({rows})"
        duckdb.connect().execute(f"COPY ({select}) TO '{tmp_path}/days/{day}.parquet'")
    spec = tmp_path / "spec.yaml"
    spec.write_text(json.dumps(spec_of(f"{tmp_path}/days/", {"scores": "p"})))
    fitting = Fitting(cache=tmp_path / "cache")
    loaded = prepare(load_spec(spec), engine="memory").views[0]
    counted = prepare(load_spec(spec), engine="duckdb", fitting=fitting).views[0]
    assert counted.times is not None
    assert (counted.rows, len(counted.times)) == (300, 24)
    assert counted.class_rows == loaded.class_rows


@pytest.mark.parametrize(
    "job",
    ["subgroups of numbers", "rows described by class", "scores in a list", "sets of labels"],
)
def test_kinds_that_were_read_tell_what_their_rows_do(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, job: str
) -> None:
    path = write(f"SELECT * EXCLUDE id, id % 4 AS n FROM ({ROWS})")
    asked = with_paths(job, lambda _: str(path))
    asked["datasets"]["d"] = {**asked["datasets"]["d"], "count": "n"}
    asked["datasets"]["d"].pop("id", None)
    written_out = run(asked, "memory")
    monkeypatch.setattr(counting_views, "MANY_COUNTED", 1)
    added_up = run(asked, "memory")
    assert "1,200 kinds of rows" in engine_of(added_up)[1] or job == "rows described by class"
    assert differing(written_out, added_up) == []
