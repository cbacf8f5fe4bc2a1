"""Rows of tested datasets that models learned from: counted, told, and told when there are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from jsonschema import Draft7Validator

from evalreport.api import run
from evalreport.cli import status_of
from evalreport.errors import SpecError
from evalreport.results.codec import results_schema

ID = np.arange(12)
#: Rows 0 to 3 of the holdout are rows 8 to 11 of the training data, two under another id.
TRAIN = {
    "case": [f"t{i}" for i in range(8)] + ["h0", "h1", "t10", "t11"],
    "y": ["p", "n"] * 6,
    "person": [f"p{i // 2}" for i in range(12)],
    "age": [20 + i for i in range(12)],
    "dose": [0.1 * i for i in range(11)] + [None],
    "site": ["a", "b", "c"] * 4,
}
HOLDOUT = {
    "case": [f"h{i}" for i in range(8)],
    "y": ["p", "n"] * 4,
    "person": ["p4", "p4", "p5", "p5", "q0", "q1", "q2", "q3"],
    "age": [28, 29, 30, 31, 60, 61, 62, 63],
    "dose": [0.1 * 8, 0.1 * 9, 0.1 * 10, None, 1.5, 1.5, 1.5, None],
    "site": ["c", "a", "b", "c", "c", "a", "b", "c"],
    "p": [0.9, 0.1, 0.8, 0.3, 0.7, 0.6, 0.4, 0.2],
}


RELATIVES = "relatives of rows trained on are tested."
EQUAL = "equal, in each of the columns compared (3), a row of"


def spec(model: dict[str, Any] | None = None, **datasets: Any) -> dict[str, Any]:
    return {
        "evalreport": 1,
        "datasets": {"train": {"target": "y"}, "holdout": {"target": "y"}} | datasets,
        "models": {"m": {"score": "p", "trained_on": "train"} if model is None else model},
        "metrics": ["accuracy"],
        "positive": {"label": "p"},
    }


def results(asked: dict[str, Any], frames: dict[str, Any] | None = None) -> Any:
    made = run(asked, frames=frames or {"train": TRAIN, "holdout": HOLDOUT}).json
    assert not list(Draft7Validator(results_schema()).iter_errors(json.loads(json.dumps(made))))
    return made


def test_rows_of_few_values_that_are_equal_by_chance_are_counted_without_a_caution() -> None:
    """Three answers of four each: of 64 kinds of rows nearly all are in both datasets."""
    drawn = np.random.default_rng(2).integers(0, 4, (400, 3))
    answers = {f"q{k}": drawn[:, k].tolist() for k in range(3)}
    labels = ["p", "n"] * 200
    train = {"y": labels[:200]} | {name: own[:200] for name, own in answers.items()}
    tested = {"y": labels[200:], "p": [0.5] * 200} | {n: own[200:] for n, own in answers.items()}
    made = results(spec(), {"train": train, "holdout": tested})
    rows, of = by(made)["content"]
    kinds = {*zip(*(train[name] for name in answers), strict=True)}
    assert rows == sum(one in kinds for one in zip(*(tested[n] for n in answers), strict=True))
    assert (rows > 180, of) == (True, 200)
    assert "leakage" not in {c["code"] for c in made["cautions"]}
    # half of the tested rows are copies of long answers, each given once
    train["q0"] = [f"text {k}" for k in range(200)]
    tested["q0"] = [f"text {k}" for k in range(100)] + [f"other {k}" for k in range(100)]
    for name in ("q1", "q2"):
        tested[name] = train[name][:100] + tested[name][100:]
    made = results(spec(), {"train": train, "holdout": tested})
    assert by(made)["content"] == (100, 200)
    assert "leakage" in {c["code"] for c in made["cautions"]}


def by(made: Any) -> dict[str, tuple[int | None, int | None]]:
    return {one["by"]: (one["rows"], one["of"]) for one in made["training_overlap"]}


def leaks(made: Any) -> list[str]:
    return [c["message"] for c in made["cautions"] if c["code"] == "leakage"]


ROLES = {"target": "y", "id": "case", "cluster": "person"}


def test_rows_shared_by_id_by_group_and_by_content_are_counted_and_told():
    made = results(spec(train=ROLES, holdout=ROLES))
    assert by(made) == {"id": (2, 8), "group": (4, 8), "content": (4, 8)}
    assert [one["columns"] for one in made["training_overlap"]] == [
        ["case"],
        ["person"],
        ["age", "dose", "site"],
    ]
    told = leaks(made)
    where = "'train', on which 'm' was trained"
    assert told == [
        f"2 of 8 rows of 'holdout' have an id that occurs in {where}: rows trained on are tested.",
        f"4 of 8 rows of 'holdout' belong to a group of {where}: {RELATIVES}",
        f"4 of 8 rows of 'holdout' {EQUAL} {where}: rows trained on may be tested.",
    ]


def test_the_training_dataset_is_not_evaluated_unless_asked_for():
    made = results(spec())
    assert {m["dataset"] for m in made["measures"]} == {"holdout"}
    frames = {"train": TRAIN | {"p": [0.5] * 12}, "holdout": HOLDOUT}
    both = {"score": "p", "trained_on": "train", "datasets": ["train", "holdout"]}
    made = results(spec(both, train=ROLES, holdout=ROLES), frames)
    assert {m["dataset"] for m in made["measures"]} == {"train", "holdout"}
    own = [o for o in made["training_overlap"] if o["dataset"] == "train" and o["by"] == "id"]
    assert [(one["rows"], one["of"]) for one in own] == [(12, 12)]


def test_nothing_shared_is_written_and_no_caution():
    apart = {name: values[4:] for name, values in HOLDOUT.items()}
    made = results(spec(train=ROLES, holdout=ROLES), {"train": TRAIN, "holdout": apart})
    assert by(made) == {"id": (0, 4), "group": (0, 4), "content": (0, 4)}
    assert leaks(made) == []


def test_rows_that_chose_the_parameters_are_told_as_such():
    tuned = {"score": "p", "tuned_on": "train"}
    made = results(spec(tuned, train=ROLES, holdout=ROLES))
    assert made["training_overlap"][0]["use"] == "tuning"
    assert leaks(made)[0] == (
        "2 of 8 rows of 'holdout' have an id that occurs in 'train', on which 'm' was tuned: "
        "labels of tested rows took part in choosing the parameters."
    )


def test_models_that_name_their_columns_are_compared_over_those():
    linear = {"linear": {"bias": -40, "weights": {"age": 1}}, "trained_on": "train"}
    made = results(spec(linear))
    assert [one["columns"] for one in made["training_overlap"]] == [["age"]]
    assert by(made) == {"content": (4, 8)}


def test_columns_of_the_report_are_asked_of_tested_rows_only(tmp_path, capsys):
    holdout = HOLDOUT | {"sex": ["F", "M"] * 4}
    asked = spec(train=ROLES, holdout=ROLES)
    asked |= {"subgroups": ["sex"], "report": {"characteristics": ["sex"]}}
    made = results(asked, {"train": TRAIN, "holdout": holdout})
    assert {m["dataset"] for m in made["measures"] if m["subgroup"]} == {"holdout"}
    write(tmp_path, "train", TRAIN, "csv")
    write(tmp_path, "holdout", holdout, "csv")
    for name in ("train", "holdout"):
        asked["datasets"][name] |= {"path": f"{name}.csv"}
    (tmp_path / "s.yaml").write_text(json.dumps(asked))
    assert status_of(["check", str(tmp_path / "s.yaml")]) == 0, capsys.readouterr().err


def test_a_spec_without_training_data_says_nothing():
    asked = spec({"score": "p"})
    del asked["datasets"]["train"]
    assert "training_overlap" not in results(asked, {"holdout": HOLDOUT})


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({"score": "p", "trained_on": "trian"}, "no dataset 'trian'; did you mean 'train'"),
        ({"score": "p", "trained_on": "train", "tuned_on": "holdout"}, "learned from every one"),
        (
            {"estimator": "sklearn.dummy.DummyClassifier", "trained_on": "train"},
            "m is trained here",
        ),
    ],
)
def test_training_data_that_make_no_sense_are_wrong_specs(model, told):
    with pytest.raises(SpecError, match=told):
        results(spec(model) | {"cross_validation": {"scheme": "k_fold"}})


# -- files: counted where they lie, and the same numbers -----------------------------------------


def write(folder: Path, name: str, frame: dict[str, Any], kind: str) -> None:
    rows = list(zip(*frame.values(), strict=True))
    if kind == "csv":
        cells = [",".join("" if v is None else str(v) for v in row) for row in rows]
        (folder / f"{name}.csv").write_text("\n".join([",".join(frame), *cells]) + "\n")
        return
    types = {"age": "INTEGER", "dose": "DOUBLE", "p": "DOUBLE"}
    with duckdb.connect() as connection:
        columns = ", ".join(f'"{n}" {types.get(n, "VARCHAR")}' for n in frame)
        connection.execute(f"CREATE TABLE t ({columns})")
        marks = ", ".join("?" for _ in frame)
        connection.executemany(f"INSERT INTO t VALUES ({marks})", rows)
        connection.execute(f"COPY t TO '{folder / name}.parquet' (FORMAT parquet)")


def published(folder: Path, engine: str, kinds: tuple[str, str], datasets: Any = "") -> Any:
    write(folder, "train", TRAIN, kinds[0])
    write(folder, "holdout", HOLDOUT, kinds[1])
    roles = datasets or "target: y, id: case, group: person"
    (folder / "s.yaml").write_text(
        "evalreport: 1\npositive: {label: p}\ndatasets:\n"
        f"  train: {{path: train.{kinds[0]}, {roles}}}\n"
        f"  holdout: {{path: holdout.{kinds[1]}, {roles}}}\n"
        "models: {m: {score: p, trained_on: train}}\n"
        "metrics: [recall]\nreport: {formats: [html]}\n"
    )
    assert (
        status_of(["run", str(folder / "s.yaml"), "-o", str(folder / "runs"), "--engine", engine])
        == 0
    )
    return json.loads((folder / "runs/latest/results.json").read_text())


@pytest.mark.long_but_first
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_files_counted_where_they_lie_give_the_same(tmp_path, engine, monkeypatch):
    if engine == "duckdb":
        monkeypatch.setattr("evalreport.engine.counting.reads.read_table", _unread)
    made = published(tmp_path, engine, ("parquet", "parquet"))
    assert by(made) == {"id": (2, 8), "group": (4, 8), "content": (4, 8)}
    assert made["provenance"]["engine"]["name"] == engine
    assert [(i["dataset"], i["rows"]) for i in made["provenance"]["inputs"]] == [
        ("train", 12),
        ("holdout", 8),
    ]


def _unread(*_: Any, **__: Any) -> None:
    raise AssertionError("no row is loaded")


@pytest.mark.long
def test_numbers_agree_between_text_and_parquet(tmp_path):
    made = published(tmp_path, "memory", ("csv", "parquet"))
    assert by(made) == {"id": (2, 8), "group": (4, 8), "content": (4, 8)}


def test_datasets_that_cannot_be_compared_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr("evalreport.engine.counting.choosing.MANY_ROWS", 1)
    made = published(tmp_path, "auto", ("csv", "parquet"))
    assert by(made) == {"content": (None, None)}
    (told,) = leaks(made)
    assert told == (
        "Whether rows of 'holdout' occur in 'train', on which 'm' was trained, was not counted: "
        "one of the two is counted in its file and the other is not a single Parquet file; "
        "give each as one Parquet file."
    )


@pytest.mark.long
def test_the_report_shows_the_counts(tmp_path):
    published(tmp_path, "memory", ("parquet", "parquet"))
    page = (tmp_path / "runs/latest/report.html").read_text()
    assert "Tested rows that a model learned from" in page
    assert "2 of 8 (25" in page
    assert "by content: age, dose and site" in page
    assert "rows trained on are tested" in page
