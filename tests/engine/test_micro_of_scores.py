"""Micro averages of score metrics: the scores of all classes in one list."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.preprocessing import label_binarize

import evalreport

CLASSES = ["ant", "bee", "cat"]
METRICS = ["roc_auc", "average_precision"]
REFERENCE = {"roc_auc": roc_auc_score, "average_precision": average_precision_score}


def rows(n: int = 90, seed: int = 3) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    actual = rng.integers(3, size=n)
    scores = rng.dirichlet([1, 1, 1], size=n) + 0.6 * np.eye(3)[actual]
    scores = np.round(scores / scores.sum(axis=1, keepdims=True), 2)
    scores[:, 2] = np.round(1 - scores[:, 0] - scores[:, 1], 2)
    columns = {"y": [CLASSES[k] for k in actual]}
    columns |= {f"p_{name}": scores[:, k].tolist() for k, name in enumerate(CLASSES)}
    return columns, label_binarize(actual, classes=[0, 1, 2]), scores


def measured(columns: dict[str, Any], dataset: dict[str, Any] | None = None, **spec: Any) -> Any:
    return evalreport.run(
        {
            "evalreport": 1, "title": "t", "datasets": {"d": {"target": "y", **(dataset or {})}},
            "models": {"m": {"scores": {name: f"p_{name}" for name in CLASSES}}},
            "metrics": METRICS, "averaging": ["macro", "micro"], **spec,
        },
        frames={"d": columns},
    ).json  # fmt: skip


def micro(results: Any, metric: str) -> Any:
    return next(m for m in results["measures"] if m["metric"] == metric and m["average"] == "micro")


@pytest.fixture(scope="module")
def plain() -> Any:
    return measured(rows()[0])


@pytest.mark.parametrize("metric", METRICS)
def test_the_value_is_that_of_scikit_learn(plain: Any, metric: str) -> None:
    _, actual, scores = rows()
    expected = REFERENCE[metric](actual, scores, average="micro")
    own = micro(plain, metric)
    assert own["value"] == pytest.approx(expected, abs=1e-12)
    interval = own["interval"]
    assert interval["method"] == "bootstrap_percentile"
    assert interval["low"] < expected < interval["high"]


def test_an_interval_draws_rows_and_not_their_entries(plain: Any) -> None:
    # every row twice as a cluster is the same evidence as the row alone
    columns = {name: [value for value in own for _ in "ab"] for name, own in rows()[0].items()}
    columns["id"] = [str(i // 2) for i in range(len(columns["y"]))]
    twice = measured(columns, {"cluster": "id"})
    for metric in METRICS:
        one, two = micro(plain, metric), micro(twice, metric)
        assert one["value"] == pytest.approx(two["value"], abs=1e-12)
        widths = [m["interval"]["high"] - m["interval"]["low"] for m in (one, two)]
        assert widths[1] == pytest.approx(widths[0], rel=0.15)


def test_influence_of_rows_agrees_with_drawing_them(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = rows(800, 5)[0]
    drawn = measured(columns, confidence={"resamples": 500})
    monkeypatch.setattr("evalreport.plan.methods.BOOTSTRAP_ROWS", 100)
    known = measured(columns)
    for metric in METRICS:
        one, two = micro(drawn, metric)["interval"], micro(known, metric)["interval"]
        assert two["method"] == "influence"
        assert two["high"] - two["low"] == pytest.approx(one["high"] - one["low"], rel=0.15)


def test_weights_count_as_so_many_rows() -> None:
    columns, actual, scores = rows()
    weight = np.arange(len(actual)) % 3 + 1.0
    weighted = measured({**columns, "w": weight.tolist()}, {"weight": "w"})
    every = np.repeat(weight, 3)
    for metric in METRICS:
        expected = REFERENCE[metric](actual.ravel(), scores.ravel(), sample_weight=every)
        assert micro(weighted, metric)["value"] == pytest.approx(expected, abs=1e-12)


def test_where_no_average_is_named_a_criterion_means_the_plain_mean(plain: Any) -> None:
    results = measured(rows()[0], acceptance=[{"metric": "roc_auc", "at_least": 0.1}])
    macro = next(
        m for m in results["measures"] if m["metric"] == "roc_auc" and m["average"] == "macro"
    )
    assert results["acceptance"][0]["observed"] == macro["value"]


def test_one_score_of_two_classes_is_not_pooled_with_itself() -> None:
    results = evalreport.run(
        {
            "evalreport": 1, "title": "t", "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}}, "metrics": METRICS, "averaging": ["micro"],
        },
        frames={"d": {"y": [0, 1, 0, 1], "s": [0.1, 0.4, 0.5, 0.9]}},
    ).json  # fmt: skip
    own = micro(results, "roc_auc")
    assert own["state"] == "not_applicable"
    assert own["reason"].endswith("two classes have one score, which would be pooled with itself")


def test_labels_of_sets_are_pooled_too() -> None:
    rng = np.random.default_rng(1)
    actual = rng.random((60, 3)) < 0.4
    scores = np.round(np.clip(rng.random((60, 3)) * 0.7 + 0.3 * actual, 0, 1), 2)
    columns = {f"y_{c}": actual[:, k].astype(int).tolist() for k, c in enumerate(CLASSES)}
    columns |= {f"p_{c}": scores[:, k].tolist() for k, c in enumerate(CLASSES)}
    target = {"labels": {name: f"y_{name}" for name in CLASSES}}
    results = measured(columns, {"target": target}, averaging=["micro"])
    for metric in METRICS:
        own = micro(results, metric)
        expected = REFERENCE[metric](actual, scores, average="micro")
        assert own["value"] == pytest.approx(expected, abs=1e-12)
        assert own["interval"]["low"] < expected < own["interval"]["high"]
