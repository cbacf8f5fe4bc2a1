"""Models of a spec from data to records: numbers equal scikit-learn's, failures stay apart."""

from __future__ import annotations

import math
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from plain_results import render_html
from report.html_page import parse
from scipy.stats import t
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from threadpoolctl import threadpool_limits

from evalreport.api import run
from evalreport.errors import DataError, SpecError
from evalreport.verify.recompute import recompute

SOURCE = load_breast_cancer()
FRAME = {
    "y": np.where(SOURCE.target == 0, "malignant", "benign").tolist(),
    "radius": SOURCE.data[:, 0],
    "texture": SOURCE.data[:, 1],
    "site": ["a" if i % 3 else "b" for i in range(569)],
}
LOGISTIC = {
    "estimator": "sklearn.linear_model.LogisticRegression",
    "steps": ["scale"],
    "features": ["radius", "texture"],
}


def results(models: Any, frame: Any = FRAME, **more: Any) -> Any:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": models,
        "metrics": ["accuracy", "roc_auc"],
        "cross_validation": {"scheme": "stratified_k_fold", "folds": 5, "seed": 3},
    } | more
    return run(spec, frames={"d": frame}).json


def value(made: Any, metric: str, fold: str | None = None, model: str = "m") -> Any:
    (found,) = [
        m
        for m in made["measures"]
        if (m["metric"], m["fold"], m["model"], m["subgroup"]) == (metric, fold, model, {})
    ]
    return found


def test_pooled_and_mean_over_folds_equal_scikit_learn():
    made = results({"m": LOGISTIC})
    actual = (SOURCE.target == 0).astype(int)
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    with threadpool_limits(1):
        scores = cross_val_predict(
            make_pipeline(StandardScaler(), LogisticRegression()),
            SOURCE.data[:, :2],
            actual,
            cv=folds,
            method="predict_proba",
        )[:, 1]
    own = [roc_auc_score(actual[t], scores[t]) for _, t in folds.split(scores, actual)]
    assert value(made, "accuracy")["numerator"] == int(((scores >= 0.5) == actual).sum())
    area = roc_auc_score(actual, scores)
    assert value(made, "roc_auc")["value"] == pytest.approx(area, abs=1e-12)
    mean = value(made, "roc_auc", "mean")
    assert mean["value"] == pytest.approx(np.mean(own), abs=1e-12)
    assert mean["spread"] == pytest.approx(np.std(own, ddof=1), abs=1e-12)
    assert mean["interval"]["method"] == "nadeau_bengio"
    assert (mean["table"], len(mean["tables"])) == (None, 5)
    assert made["failures"] == []
    assert made["rows"][0]["used"] == 569


def test_further_repeats_stand_beside_the_first_and_add_no_rows():
    scheme = {"scheme": "stratified_k_fold", "folds": 5, "repeats": 3, "seed": 3}
    made = results({"m": LOGISTIC}, cross_validation=scheme)
    single = results({"m": LOGISTIC})
    pooled = value(made, "accuracy")
    assert pooled["value"] == value(single, "accuracy")["value"]
    assert pooled["n"] == 569
    others = [value(made, "accuracy", f"repeat {k}") for k in (2, 3)]
    assert pooled["repeats"]["values"] == [m["value"] for m in (pooled, *others)]
    assert all(m["n"] == 569 and m["interval"] is None and m["table"] for m in others)


@pytest.mark.long
def test_mean_over_folds_is_over_the_folds_of_every_repeat():
    """Against scikit-learn, and Bouckaert and Frank 2004 (equation 3) by hand."""
    scheme = {"scheme": "stratified_k_fold", "folds": 5, "repeats": 3, "seed": 3}
    made = results({"m": LOGISTIC}, cross_validation=scheme)
    actual = (SOURCE.target == 0).astype(int)
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=3)
    with threadpool_limits(1):
        own = cross_validate(
            make_pipeline(StandardScaler(), LogisticRegression()),
            SOURCE.data[:, :2],
            actual,
            cv=folds,
            scoring=["accuracy", "roc_auc"],
        )
    for metric in ("accuracy", "roc_auc"):
        scores = own[f"test_{metric}"]
        mean = value(made, metric, "mean")
        assert mean["value"] == pytest.approx(scores.mean(), abs=1e-12)
        assert mean["spread"] == pytest.approx(scores.std(ddof=1), abs=1e-12)
        assert len(mean["tables"]) == 15
        named = [f"repeat {r} fold {f}" for r in (1, 2, 3) for f in (1, 2, 3, 4, 5)]
        assert [value(made, metric, name)["value"] for name in named] == pytest.approx(scores)
        train, test = 569 * 4 / 5, 569 / 5
        half = t.ppf(0.975, 14) * scores.std(ddof=1) * math.sqrt(1 / 15 + test / train)
        assert mean["interval"]["method"] == "nadeau_bengio"
        assert mean["interval"]["high"] == pytest.approx(min(1, scores.mean() + half), abs=1e-9)
        assert mean["interval"]["low"] == pytest.approx(scores.mean() - half, abs=1e-9)
    assert recompute(made).problems == ()
    wrong = made | {
        "measures": [m | {"spread": 0.5} if m["fold"] == "mean" else m for m in made["measures"]]
    }
    assert len(recompute(wrong).problems) == 2
    page = render_html(made)
    assert "mean of 15 folds" in page
    assert "SD of folds" in page
    for name in ("repeat 1 fold 5", "repeat 3 fold 5", "repeat 2, pooled"):
        assert name in page
    assert "pooled records are from the first" in page
    shown = {e.attrs["data-table"]: e for e in parse(page).walk() if "data-table" in e.attrs}
    further = {m["table"] for m in made["measures"] if m["fold"] == "repeat 3 fold 5"} - {None}
    assert further
    for name in further:
        cells = {e.attrs["data-cell"]: e.text for e in shown[name].walk() if "data-cell" in e.attrs}
        (counts,) = [t["counts"] for t in made["tables"] if t["id"] == name]
        assert cells == dict(
            zip(("tn", "fp", "fn", "tp"), (str(n) for row in counts for n in row), strict=True)
        )


def test_leave_one_out_is_pooled_only():
    small = {name: list(column[:60]) for name, column in FRAME.items()}
    made = results({"m": LOGISTIC}, small, cross_validation={"scheme": "leave_one_out"})
    assert {m["fold"] for m in made["measures"]} == {None}
    assert any("leave-one-out" in words for words in made["rows"][0]["procedure"])


def test_model_that_fails_is_named_and_the_others_are_reported():
    frame = FRAME | {"gap": [np.nan, *SOURCE.data[1:, 2]]}
    models = {"m": LOGISTIC, "bad": LOGISTIC | {"features": ["radius", "gap"]}}
    made = results(models, frame)
    (failure,) = made["failures"]
    assert (failure["model"], failure["dataset"]) == ("bad", "d")
    assert "feature 'gap' is missing in 1 of 569 rows" in failure["reason"]
    assert {m["model"] for m in made["measures"]} == {"m"}
    assert recompute(made).problems == ()


def test_folds_that_cannot_be_made_fail_the_estimator_only():
    small = {name: list(column[:30]) for name, column in FRAME.items()}
    small["p"] = ["malignant"] * 30
    scheme = {"scheme": "stratified_k_fold", "folds": 29}
    made = results({"m": LOGISTIC, "other": {"prediction": "p"}}, small, cross_validation=scheme)
    (failure,) = made["failures"]
    assert "stratified_k_fold needs 29" in failure["reason"]
    assert {m["model"] for m in made["measures"]} == {"other"}
    assert recompute(made).problems == ()


def test_predictions_and_target_are_no_features_by_default():
    frame = FRAME | {"p": np.where(SOURCE.target == 0, 0.9, 0.1)}
    models = {"m": {"estimator": "sklearn.linear_model.LogisticRegression"}, "s": {"score": "p"}}
    made = results(models, frame)
    assert value(made, "accuracy")["value"] < 1
    assert any(
        "one_hot: site" in words for row in made["rows"] for words in row.get("procedure", ())
    )


def test_feature_that_states_the_target_is_told():
    frame = FRAME | {"code": SOURCE.target}
    made = results({"m": LOGISTIC | {"features": ["radius", "code"]}}, frame)
    assert any(
        "'code' and the target correspond one to one" in c["message"] for c in made["cautions"]
    )


def test_linear_model_by_hand():
    frame = {"y": ["p", "p", "n", "n"], "x": [3.0, 1.0, 1.0, 2.0]}
    made = results({"m": {"linear": {"bias": -3, "weights": {"x": 2}}}}, frame)
    # 2x - 3: 3, -1, -1, 1.
    assert value(made, "accuracy")["substituted"] == "(1 + 1) / (1 + 1 + 1 + 1)"
    edge = results({"m": {"linear": {"bias": -2, "weights": {"x": 2}}}}, frame)
    assert any("2 of 4 rows lie exactly on the boundary" in c["message"] for c in edge["cautions"])


def test_row_without_a_feature_follows_the_rule_of_missing_values():
    frame = {"y": ["p", "n", "p"], "x": [3.0, 1.0, float("nan")]}
    models = {"m": {"linear": {"bias": -2, "weights": {"x": 1}}}}
    with pytest.raises(DataError, match="x is missing in row 3"):
        results(models, frame)
    made = results(models, frame, datasets={"d": {"target": "y", "missing": "exclude"}})
    assert made["rows"][0]["excluded"] == [{"reason": "x is missing", "count": 1}]


def test_unknown_class_and_parameter_are_wrong_specs():
    with pytest.raises(SpecError, match="RandomForestClassifier"):
        results({"m": {"estimator": "sklearn.ensemble.RandomForestClasifier"}})
    with pytest.raises(SpecError, match="did you mean 'max_iter'"):
        results({"m": LOGISTIC | {"params": {"max_itr": 5}}})


def test_learning_curve_and_tuning_by_the_metrics_of_the_catalogue():
    model = {
        "estimator": "sklearn.tree.DecisionTreeClassifier",
        "features": ["radius", "texture"],
        "tune": {"grid": {"max_depth": [1, 3]}, "metric": "roc_auc", "folds": 3},
    }
    curve = {"sizes": [0.2, 1.0], "repeats": 2, "metrics": ["accuracy"]}
    made = results({"m": model}, learning_curve=curve)
    (record,) = made["learning_curves"]
    assert [point["train_rows"] for point in record["points"]] == [91, 455]
    assert 0.7 < record["points"][1]["test"]["accuracy"]["mean"] < 1


def saved_run(tmp_path: Path, content: bytes, model: dict[str, Any]) -> Any:
    (tmp_path / "model.skops").write_bytes(content)
    lines = [
        f"{y},{r},{t}"
        for y, r, t in zip(FRAME["y"], FRAME["radius"], FRAME["texture"], strict=True)
    ]
    (tmp_path / "d.csv").write_text("\n".join(["y,radius,texture", *lines]) + "\n")
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\n"
        f"models: {{m: {model}}}\nmetrics: [accuracy]\n".replace("'", "")
    )
    return run(spec).json


@pytest.mark.long
def test_saved_model_is_applied_and_hostile_ones_are_refused(tmp_path):
    given = {"skops": "model.skops", "features": "[radius, texture]"}
    model = make_pipeline(StandardScaler(), LogisticRegression())
    model.fit(SOURCE.data[:, :2], FRAME["y"])
    made = saved_run(tmp_path, skops.io.dumps(model), given)
    right = int((model.predict(SOURCE.data[:, :2]) == np.array(FRAME["y"])).sum())
    assert value(made, "accuracy")["numerator"] == right
    with pytest.raises(DataError, match="pickle"):
        saved_run(tmp_path, pickle.dumps(model), given)
    with pytest.raises(DataError, match=r"posix\.system"):
        saved_run(tmp_path, skops.io.dumps(FunctionTransformer(func=os.system)), given)
