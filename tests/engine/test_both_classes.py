"""``averaging: [none]`` written in a spec of two classes gives both of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

import evalreport

N = 200
RNG = np.random.default_rng(11)
TRUTH = RNG.random(N) < 0.3
SCORE = np.round(1 / (1 + np.exp(-(RNG.normal(size=N) + 1.5 * TRUTH - 0.8))), 3)
FRAME = {
    "y": np.where(TRUTH, "ill", "healthy").tolist(),
    "p": SCORE.tolist(),
    "not_p": (1 - SCORE).tolist(),
    "said": np.where(SCORE >= 0.5, "ill", "healthy").tolist(),
    "margin": np.log(SCORE / (1 - SCORE)).tolist(),
    "w": (1 + np.arange(N) % 3).tolist(),
}
SPEC: dict[str, Any] = {
    "evalreport": 1,
    "positive": {"label": "ill"},
    "metrics": [
        "recall",
        "precision",
        "f1",
        "roc_auc",
        "average_precision",
        "calibration_slope",
        "log_loss",
        "net_benefit",
    ],
    "averaging": ["none"],
    "confidence": {"resamples": 200},
    "acceptance": [{"metric": "recall", "at_least": 0.5}],
}


def run(model: dict[str, str], **more: Any) -> Any:
    spec = {
        **SPEC,
        "datasets": {"d": {"target": "y", **more.pop("dataset", {})}},
        "models": {"m": model},
        **more,
    }
    return evalreport.run(spec, frames={"d": FRAME}).json


@pytest.fixture(scope="module")
def results() -> Any:
    return run({"score": "p"})


def value(results: Any, metric: str, label: str | None) -> Any:
    return next(m for m in results["measures"] if m["metric"] == metric and m["label"] == label)


@pytest.mark.parametrize("label", ["ill", "healthy"])
def test_both_classes_agree_with_scikit_learn(results: Any, label: str) -> None:
    said = FRAME["said"]
    for metric, theirs in (
        ("recall", recall_score),
        ("precision", precision_score),
        ("f1", f1_score),
    ):
        own = value(results, metric, label)
        assert own["value"] == pytest.approx(theirs(FRAME["y"], said, pos_label=label))
        assert own["interval"]["low"] < own["value"] < own["interval"]["high"]
    own_truth = TRUTH if label == "ill" else ~TRUTH
    own_score = SCORE if label == "ill" else 1 - SCORE
    for metric, theirs in (
        ("roc_auc", roc_auc_score),
        ("average_precision", average_precision_score),
    ):
        own = value(results, metric, label)
        assert own["value"] == pytest.approx(theirs(own_truth, own_score))
        assert own["interval"]["low"] < own["value"] < own["interval"]["high"]
    # the logit of 1 - p is minus that of p, and so is the log odds of the outcome
    slopes = [value(results, "calibration_slope", one)["value"] for one in ("ill", "healthy")]
    assert slopes[0] == pytest.approx(slopes[1])


def test_a_column_of_each_class_gives_what_one_score_gives(results: Any) -> None:
    by_class = run({"scores": {"healthy": "not_p", "ill": "p"}})
    for label in ("ill", "healthy"):
        own = value(by_class, "calibration_slope", label)
        assert own["state"] == "value"
        assert own["value"] == pytest.approx(value(results, "calibration_slope", label)["value"])


def test_what_is_of_both_classes_stands_once(results: Any) -> None:
    own = [m for m in results["measures"] if m["metric"] == "log_loss"]
    assert len(own) == 1
    assert own[0]["value"] == pytest.approx(log_loss(TRUTH, SCORE))
    refused = value(results, "net_benefit", "healthy")
    assert refused["state"] == "not_applicable"
    assert refused["reason"] == "it belongs to the positive class, ill"


def test_the_default_is_the_positive_class_alone() -> None:
    spec = {k: v for k, v in SPEC.items() if k != "averaging"}
    found = evalreport.run(
        {**spec, "datasets": {"d": {"target": "y"}}, "models": {"m": {"score": "p"}}},
        frames={"d": FRAME},
    ).json
    assert {m["label"] for m in found["measures"]} == {"ill", None}


def test_margins_and_weights_too() -> None:
    by_margin = run({"margin": "margin"}, thresholds=[0])
    # a margin's threshold is 0 where the score's is 0.5, and ranks are the same
    for metric in ("recall", "precision", "roc_auc", "average_precision"):
        own = value(by_margin, metric, "healthy")["value"]
        score = SCORE if metric in ("recall", "precision") else 1 - SCORE
        theirs = {
            "recall": recall_score,
            "precision": precision_score,
            "roc_auc": roc_auc_score,
            "average_precision": average_precision_score,
        }[metric]
        if metric in ("recall", "precision"):
            assert own == pytest.approx(theirs(~TRUTH, score < 0.5))
        else:
            assert own == pytest.approx(theirs(~TRUTH, score))
    weighted = run({"score": "p"}, dataset={"weight": "w"})
    assert value(weighted, "average_precision", "healthy")["value"] == pytest.approx(
        average_precision_score(~TRUTH, 1 - SCORE, sample_weight=FRAME["w"])
    )


def test_a_criterion_that_names_no_class_means_the_positive_one(results: Any) -> None:
    (found,) = results["acceptance"]
    assert found["observed"] == value(results, "recall", "ill")["value"]


def test_the_page_names_the_other_class() -> None:
    spec = {
        **SPEC,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "p"}},
        "metrics": ["recall"],
    }
    page = evalreport.run(spec, frames={"d": FRAME}).to_html()
    assert "Recall of healthy" in page
    assert "Recall of ill" not in page
