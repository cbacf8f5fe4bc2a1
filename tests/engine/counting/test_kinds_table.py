"""Kinds of whole rows: how many are held, what is told of ids, and what is loaded instead."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of
from engine.counting.twenty_jobs import ROWS, differing, with_paths

from evalreport.engine.counting import choosing, counting_views
from evalreport.engine.databases import wanted
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


@pytest.mark.parametrize("engine", ["duckdb", "auto"])
def test_kinds_beyond_the_limit_are_refused_with_what_to_do(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setattr(wanted, "LEAST_KINDS", 5)
    monkeypatch.setattr(wanted, "BYTES", 10**9)
    monkeypatch.setattr(choosing, "MANY_ROWS", 1)
    spec = {**spec_on(write(THREE)), "engine": {"memory_limit": "1GB"}}
    told = "more than 5 kinds of rows by y, a, b, c, and there is room for no more"
    with pytest.raises(LimitError, match=f"{told}; raise engine.memory_limit, or round scores"):
        run(spec, engine)


def test_rounded_scores_are_the_same_on_every_engine(write: Callable[..., Path]) -> None:
    path = write("SELECT i % 3 = 0 AS y, sin(i) / 2 + 0.5 AS s, i AS id FROM range(2000) t(i)")
    spec = spec_of(path, {"score": "s"}, metrics=["roc_auc", "brier", "recall"])
    spec["engine"] = {"grain": 0.01}
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert comparable(memory) == comparable(counted)
    scores = np.floor((np.sin(np.arange(2000)) / 2 + 0.5) * 100 + 0.5) / 100
    brier = np.mean((scores - (np.arange(2000) % 3 == 0)) ** 2)
    found = {m["metric"]: m["value"] for m in counted["measures"] if not m["subgroup"]}
    assert found["brier"] == pytest.approx(brier, rel=1e-12)
    (note,) = counted["plan"]["notes"]
    assert note == "scores are rounded to multiples of 0.01 before they are counted"


def test_scores_of_each_class_are_rounded_and_need_not_add_up_to_one(
    write: Callable[..., Path],
) -> None:
    path = write(THREE.replace("/ 16", "/ 17"))
    spec = {**spec_on(path), "engine": {"grain": 0.1}}
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert comparable(memory) == comparable(counted)


def test_ids_tell_no_kinds_apart_and_are_unique(write: Callable[..., Path]) -> None:
    found = run(spec_on(write(THREE), dataset={"id": "id"}), "duckdb")
    assert engine_of(found)[0] == "duckdb"
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
    assert engine_of(counted) == ("duckdb", "requested")
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


def test_columns_of_drift_are_counted(write: Callable[..., Path]) -> None:
    path = write(COLUMNS)
    spec = spec_of(path, {"score": "s"})
    spec["datasets"]["e"] = dict(spec["datasets"]["d"])
    spec["drift"] = {"reference": {"dataset": "e"}, "columns": ["id", "nowhere"]}
    exact = run(spec, "memory")["drift"]
    found = run(spec, "duckdb")
    assert engine_of(found)[0] == "duckdb"
    assert found["drift"] == exact


def test_kinds_that_were_read_are_described_without_being_written_out(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(f"SELECT y, s, g, age, 1 + id % 3 AS n FROM ({COLUMNS})")
    spec = spec_of(path, {"score": "s"}, dataset={"count": "n"})
    spec["report"] = {"characteristics": ["age", "g"]}
    added = run(spec, "memory")
    assert "kinds of rows, each with how many rows are of it, are added up" in engine_of(added)[1]
    monkeypatch.setattr(counting_views, "counts_lack", lambda *_, **__: "rows are asked for")
    assert run(spec, "memory")["characteristics"] == added["characteristics"]


@pytest.mark.parametrize(
    ("label", "thresholds", "told"),
    [
        ("CASE WHEN s >= 0.5 THEN 'b' ELSE 'a' END", None, "agree with those of score ≥ 0.50"),
        ("CASE WHEN s >= 0.4 THEN 'b' ELSE 'a' END", None, "a threshold above 0.3"),
        ("CASE WHEN i % 9 = 0 THEN 'c' WHEN i % 9 = 1 THEN NULL ELSE 'b' END", None,
         "no label in said"),
        ("CASE WHEN s >= 0.5 THEN 'b' ELSE 'a' END", [{"maximize": "f1"}], "score ≥ 0.50 in all"),
    ],
)  # fmt: skip
def test_labels_beside_scores_are_held_against_thresholds(
    write: Callable[..., Path],
    label: str,
    thresholds: list[Any] | None,
    told: str,
) -> None:
    path = write(f"SELECT *, {label} AS said FROM (SELECT *, id AS i FROM ({COLUMNS}))")
    spec = spec_of(path, {"score": "s", "prediction": "said"}, metrics=["accuracy"])
    if thresholds is not None:
        spec["thresholds"] = thresholds
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
    named = {"methods": {"hand_till_auc": "grouped_jackknife"}}
    spec = {**spec_on(path), "metrics": ["hand_till_auc"], "confidence": named}
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
    added_up = run(asked, "memory")
    monkeypatch.setattr(counting_views, "counts_lack", lambda *_, **__: "rows are asked for")
    written_out = run(asked, "memory")
    assert "1,200 kinds of rows" in engine_of(added_up)[1] or job == "rows described by class"
    assert differing(written_out, added_up) == []


BESIDE = """
SELECT ['a', 'b', 'c'][i * i % 11 % {0} + 1] AS y, (i * 7919 % 97) / 97 AS s,
       ['a', 'b', 'c'][i % {0} + 1] AS said, (i % 8) / 16 AS a, (i % 4) / 8 AS b,
       1 - (i % 8) / 16 - (i % 4) / 8 AS c FROM range(900) t(i)
"""


@pytest.mark.parametrize(
    ("classes", "model"),
    [
        (2, {"score": "s", "prediction": "said", "decides": "prediction"}),
        (3, {**OF_EACH, "prediction": "said"}),
        (3, {**OF_EACH, "prediction": "said", "decides": "prediction"}),
    ],
)
def test_labels_that_a_model_gives_beside_its_scores_are_counted(
    write: Callable[..., Path], classes: int, model: dict[str, Any]
) -> None:
    spec = spec_of(write(BESIDE.format(classes)), model, metrics=["accuracy", "roc_auc"])
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted) == ("duckdb", "requested")
    assert comparable(memory) == comparable(counted)
