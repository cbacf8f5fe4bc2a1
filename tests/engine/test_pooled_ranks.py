"""Out-of-fold scores of different fits: ranked together only where that says nothing wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict

import evalreport

DUMMY = {
    "estimator": "sklearn.dummy.DummyClassifier",
    "params": {"strategy": "prior"},
    "features": ["a", "b"],
}
LINEAR = {"estimator": "sklearn.linear_model.LogisticRegression", "features": ["a", "b"]}


def results(scheme: dict[str, Any], rows: int = 30, **more: Any) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    y = np.arange(rows) % 3 == 0
    frame = {
        "y": y.astype(int).tolist(),
        "a": (1.5 * y + rng.normal(0, 1, rows)).tolist(),
        "b": rng.normal(0, 1, rows).tolist(),
    }
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": {"d": {"target": "y"}},
            "models": {"nothing": DUMMY, "linear": LINEAR},
            "metrics": ["roc_auc", "average_precision", "log_loss", "accuracy"],
            "cross_validation": scheme,
            **more,
        },
        frames={"d": frame},
    ).json
    return found


def pooled(found: dict[str, Any], model: str, metric: str) -> dict[str, Any]:
    return next(
        m
        for m in found["measures"]
        if (m["model"], m["metric"], m["fold"]) == (model, metric, None)
    )


def test_leave_one_out_of_a_model_that_knows_nothing_has_no_ranks() -> None:
    found = results(
        {"scheme": "leave_one_out"},
        comparisons={"reference": "nothing"},
        acceptance=[{"metric": "roc_auc", "at_least": 0.5, "bound": "lower"}],
    )
    # left out a positive, the prior is 9 / 29, else 10 / 29: every pair is lost, and AUC 0 would
    # be of the folding, where the truth is 0.5
    for metric in ("roc_auc", "average_precision"):
        m = pooled(found, "nothing", metric)
        assert (m["state"], m["value"], m["interval"]) == ("undefined", None, None)
        assert m["reason"].startswith("the model is constant")
    assert pooled(found, "nothing", "log_loss")["value"] == pytest.approx(
        -(10 * np.log(9 / 29) + 20 * np.log(1 - 10 / 29)) / 30
    )
    said = {c["code"]: c for c in found["cautions"]}
    assert not {"auc_below_half", "auc_without_error"} & set(said)
    assert (said["pooled_ranks"]["model"], pooled(found, "linear", "roc_auc")["interval"]) == (
        "linear",
        None,
    )
    assert "not on one scale" in pooled(found, "linear", "roc_auc")["interval_reason"]
    # rows by themselves are no worse for it
    assert pooled(found, "nothing", "log_loss")["interval"] is not None
    assert pooled(found, "nothing", "accuracy")["interval"] is not None
    (compared,) = (c for c in found["comparisons"] if c["metric"] == "roc_auc")
    assert compared["p_value"] is None
    assert compared["interval"] is None
    assert "the model is constant" in compared["reason"]
    assert {a["outcome"] for a in found["acceptance"]} == {"not_evaluated"}
    assert "the model is constant" in found["acceptance"][0]["reason"]


def test_pooled_folds_keep_limits_only_where_they_hold_the_mean_over_folds() -> None:
    found = results({"scheme": "k_fold", "folds": 12, "seed": 1}, rows=72)
    m = pooled(found, "nothing", "roc_auc")
    assert m["value"] < 0.4
    assert m["interval"] is None
    assert "within folds 0.5 on average" in m["interval_reason"]
    linear = pooled(found, "linear", "roc_auc")
    folds = [
        one["value"]
        for one in found["measures"]
        if (one["model"], one["metric"]) == ("linear", "roc_auc")
        and one["fold"] not in (None, "mean")
        and one["state"] == "value"
    ]
    mean = sum(folds) / len(folds)
    assert linear["interval"]["low"] <= mean <= linear["interval"]["high"]
    assert "scores of 12 fits are ranked together" in linear["interval"]["note"]
    assert [c["model"] for c in found["cautions"] if c["code"] == "pooled_ranks"] == ["nothing"]


def test_scores_of_one_fit_are_left_alone() -> None:
    frame = {"y": [0, 1] * 20, "s": [k / 40 for k in range(40)]}
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["roc_auc"],
        },
        frames={"d": frame},
    ).json
    assert found["measures"][0]["interval"].get("note") is None
    assert found["measures"][0]["interval"]["low"] == pytest.approx(0.33, abs=0.05)


SOME = np.arange(40) % 4 == 0


@pytest.mark.parametrize("classes", [2, 3])
def test_leave_one_out_of_a_constant_classifier_has_no_ranks_from_python_either(
    classes: int,
) -> None:
    y = np.where(SOME, 0, np.arange(40) % classes)
    rows = np.zeros((40, 1))
    made = evalreport.evaluate_estimator(
        DummyClassifier(strategy="prior"),
        rows,
        y,
        cv=LeaveOneOut(),
        metrics=["roc_auc", "average_precision", "log_loss"],
    )
    told = {m["metric"]: m for m in made.json["measures"] if m["fold"] is None}
    said = cross_val_predict(DummyClassifier(), rows, y, cv=LeaveOneOut(), method="predict_proba")
    assert told["log_loss"]["value"] == pytest.approx(log_loss(y, said))
    for m in made.json["measures"]:
        if m["metric"] != "log_loss":
            assert (m["state"], m["value"]) == ("undefined", None), m
        if m["metric"] == "roc_auc" and m["fold"] is None and m["label"]:
            assert m["reason"].startswith("the model is constant")
    assert not {"auc_below_half", "pooled_ranks"} & set(made.cautions["code"])


def leave_one_out_file(scores: Any) -> dict[str, Any]:
    frame = {"y": SOME.astype(int), "s": scores, "f": np.arange(len(SOME))}
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": {"d": {"target": "y", "fold": "f"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["roc_auc"],
        },
        frames={"d": frame},
    ).json
    return pooled(found, "m", "roc_auc")


def test_a_file_with_a_fold_for_each_row_is_seen_to_be_of_a_constant_model() -> None:
    """Ten of 40 rows are positive: without a row of its own class 9 or 10 of 39 are left."""
    m = leave_one_out_file(np.where(SOME, 9 / 39, 10 / 39).round(3))
    assert (m["state"], m["value"]) == ("undefined", None)
    assert m["reason"].startswith("the model is constant")
    # one other score is of a model that tells rows apart, however wrongly
    other = np.where(SOME, 0.2, 0.3)
    other[0] = 0.25
    m = leave_one_out_file(other)
    assert m["value"] == roc_auc_score(SOME, other) == 0
    # two scores in the right order are of a model that knows the classes
    assert leave_one_out_file(np.where(SOME, 0.3, 0.2))["value"] == 1
