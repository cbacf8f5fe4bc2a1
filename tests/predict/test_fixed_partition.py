"""One fixed partition: trained once on a dataset or on marked rows, held to scikit-learn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from evalreport.api import run
from evalreport.errors import DataError, SpecError
from evalreport.verify.recompute import recompute
from tests.trap_runs import one

RANDOM = np.random.default_rng(8)
N = 150
X = RANDOM.normal(size=(N, 2))
SEX = np.array(["f", "m"])[RANDOM.integers(0, 2, N)]
Y = np.where(X[:, 0] + (SEX == "m") + RANDOM.normal(size=N) > 0.5, "yes", "no")
PART = np.array(["train"] * 90 + ["test"] * 50 + ["spare"] * 10)
COLUMNS = {"y": Y.tolist(), "a": X[:, 0].tolist(), "b": X[:, 1].tolist(), "sex": SEX.tolist()}
MODEL = {
    "estimator": "sklearn.linear_model.LogisticRegression",
    "features": ["a", "b"],
    "steps": ["scale"],
}


def _taken(rows: Any) -> dict[str, Any]:
    return {name: [values[i] for i in rows] for name, values in COLUMNS.items()}


def _run(frames: Any, model: Any, datasets: Any = None, **more: Any) -> Any:
    spec = {
        "evalreport": 1,
        "datasets": datasets or {name: {"target": "y"} for name in frames},
        "models": {"m": model},
        "metrics": ["accuracy", "log_loss"],
        **more,
    }
    return run(spec, frames=frames).json


def _expected(train: Any, test: Any) -> tuple[float, float]:
    scaler = StandardScaler().fit(X[train])
    with threadpool_limits(1):
        fitted = LogisticRegression().fit(scaler.transform(X[train]), Y[train])
        p = fitted.predict_proba(scaler.transform(X[test]))
    right = accuracy_score(Y[test], np.where(p[:, 1] >= 0.5, "yes", "no"))
    return right, log_loss(Y[test], p, labels=["no", "yes"])


def _holds(made: Any, train: Any, test: Any) -> None:
    accuracy, loss = _expected(train, test)
    assert one(made, "accuracy")["value"] == pytest.approx(accuracy, abs=1e-12)
    assert one(made, "log_loss")["value"] == pytest.approx(loss, abs=1e-6)
    assert {m["fold"] for m in made["measures"]} == {None}
    assert not recompute(made).problems


def test_fitted_on_one_dataset_and_tested_on_the_others():
    train, test = np.arange(90), np.arange(90, 150)
    made = _run({"train": _taken(train), "holdout": _taken(test)}, {**MODEL, "fit_on": "train"})
    _holds(made, train, test)
    assert [r["dataset"] for r in made["rows"]] == ["holdout"]
    told = [c["message"] for c in made["cautions"]]
    assert any("trained once, on the 90 rows of train" in message for message in told)


def test_rows_that_both_datasets_hold_are_told():
    made = _run(
        {"train": _taken(range(90)), "holdout": _taken(range(85, 150))},
        {**MODEL, "fit_on": "train"},
    )
    (overlap,) = [o for o in made["training_overlap"] if o["by"] == "content"]
    assert (overlap["rows"], overlap["of"]) == (5, 65)
    assert any(c["code"] == "leakage" for c in made["cautions"])


def test_a_column_says_which_rows_are_which():
    model = {**MODEL, "fit_on": {"column": "part", "train": ["train"], "test": ["test"]}}
    made = _run({"d": {**COLUMNS, "part": PART.tolist()}}, model)
    _holds(made, PART == "train", PART == "test")
    (rows,) = made["rows"]
    assert (rows["read"], rows["used"]) == (150, 50)
    assert rows["excluded"] == [
        {"reason": "trained on, by part", "count": 90},
        {"reason": "part gives neither", "count": 10},
    ]
    assert "fold" not in {c["code"] for c in made["cautions"]}


def test_without_test_values_every_other_row_is_tested():
    model = {**MODEL, "fit_on": {"column": "part", "train": ["train"]}}
    made = _run({"d": {**COLUMNS, "part": PART.tolist()}}, model)
    _holds(made, PART == "train", PART != "train")
    (rows,) = made["rows"]
    assert (rows["read"], rows["used"]) == (150, 60)
    assert rows["excluded"] == [{"reason": "trained on, by part", "count": 90}]


def test_categories_are_those_of_both_datasets_and_learned_from_one():
    train, test = np.arange(90), np.arange(90, 150)
    second = _taken(test)
    second["sex"][0] = "another"  # sorts before the others, and was never trained
    model = {
        "estimator": "sklearn.linear_model.LogisticRegression",
        "features": ["sex", "a"],
        "fit_on": "train",
    }
    made = _run({"train": _taken(train), "holdout": second}, model)
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(SEX[train, None])

    def matrix(rows: Any, sex: Any) -> Any:
        return np.column_stack([encoder.transform(np.array(sex)[:, None]), X[rows, 0]])

    with threadpool_limits(1):
        fitted = LogisticRegression(max_iter=1000).fit(matrix(train, SEX[train]), Y[train])
        p = fitted.predict_proba(matrix(test, second["sex"]))
    expected = log_loss(Y[test], p, labels=["no", "yes"])
    # Default steps scale nothing and drop no category, so the fit is the same but for rounding.
    assert one(made, "log_loss")["value"] == pytest.approx(expected, abs=0.01)


def test_a_class_that_only_the_training_rows_have_is_a_class():
    first = _taken(range(90))
    first["y"][:6] = ["maybe"] * 6
    made = _run({"train": first, "holdout": _taken(range(90, 150))}, {**MODEL, "fit_on": "train"})
    assert made["tables"][0]["labels"] == ["maybe", "no", "yes"]


def test_tuning_and_learning_curves_stay_within_the_training_rows():
    train, test = np.arange(90), np.arange(90, 150)
    model = {
        **MODEL,
        "fit_on": "train",
        "tune": {"grid": {"C": [0.01, 1.0]}, "metric": "log_loss", "folds": 3},
    }
    made = _run(
        {"train": _taken(train), "holdout": _taken(test)},
        model,
        learning_curve={"sizes": [0.5, 1.0], "repeats": 3},
    )
    assert one(made, "accuracy")["denominator"] == 60
    (tuned,) = made["tuning"]
    assert set(tuned["folds"][0]["params"]) == {"C"}
    (curve,) = made["learning_curves"]
    assert [point["train_rows"] for point in curve["points"]] == [45, 90]
    assert "the same rows as the model" in curve["notes"][0]
    # With all rows trained on, every repeat is the model itself.
    whole = curve["points"][1]["test"]["log_loss"]
    assert whole["mean"] == pytest.approx(one(made, "log_loss")["value"], abs=1e-12)
    assert whole["spread"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"fit_on": "trian"}, SpecError, "there is no dataset 'trian'.*did you mean 'train'"),
        ({"fit_on": "train", "datasets": ["train"]}, SpecError, "which it is fitted on"),
        ({"fit_on": {"column": "part", "train": ["x"]}}, DataError, "marks 0 rows to train on"),
        (
            {"fit_on": {"column": "part", "train": ["x"], "test": ["x"]}},
            SpecError,
            "marks rows to train on and to test",
        ),
    ],
)
def test_what_is_wrong_is_told(change: Any, error: type[Exception], message: str):
    part = {**_taken(range(90)), "part": ["u"] * 90}
    frames = {"train": part, "holdout": {**_taken(range(90, 150)), "part": ["u"] * 60}}
    with pytest.raises(error, match=message):
        _run(frames, {**MODEL, **change})


@pytest.mark.long
def test_the_command_reads_both_files_and_plans_without_fitting(tmp_path: Path):
    for name, rows in (("train", range(90)), ("holdout", range(90, 150))):
        part = _taken(rows)
        lines = [",".join(map(str, row)) for row in zip(*part.values(), strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join([",".join(part), *lines]) + "\n")
    (tmp_path / "spec.yaml").write_text(
        "evalreport: 1\n"
        "datasets:\n"
        "  train: {path: train.csv, target: y}\n"
        "  holdout: {path: holdout.csv, target: y}\n"
        "models:\n"
        "  fixed: {estimator: sklearn.linear_model.LogisticRegression, features: [a, b],\n"
        "          fit_on: train}\n"
        "metrics: [accuracy]\n"
    )
    command = [sys.executable, "-m", "evalreport", "plan", "spec.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "fixed on holdout: 1 fit, 1 fold" in done.stdout
