"""Micro averages of score metrics: the scores of all classes in one list."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
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
    assert interval["low"] < expected < interval["high"]


@pytest.mark.parametrize("metric", METRICS)
def test_limits_are_by_the_influence_of_rows_and_not_of_their_entries(
    plain: Any, metric: str
) -> None:
    _, actual, scores = rows()

    def value(weight: Any) -> float:
        every = np.repeat(weight, 3)
        return float(REFERENCE[metric](actual.ravel(), scores.ravel(), sample_weight=every))

    steps = 1e-5 * np.eye(len(actual))
    slopes = np.array([(value(1 + e) - value(1 - e)) / 2e-5 for e in steps])
    variance, own, k = float((slopes**2).sum()), value(np.ones(len(actual))), actual.sum(0).min()
    interval = micro(plain, metric)["interval"]
    assert interval["method"] == "influence_t"
    assert interval["standard_error"] == pytest.approx(variance**0.5, rel=1e-5)
    # Student's t of the rarest class, on the logit, with a binomial variance shared out
    assert interval["df"] == k - 1
    error = np.sqrt(variance + own * (1 - own) / (3 * k * (k + 1)))
    half = student.ppf(0.975, k - 1) * error / own / (1 - own)
    ends = 1 / (1 + np.exp(-(np.log(own / (1 - own)) + half * np.array([-1, 1]))))
    assert (interval["low"], interval["high"]) == pytest.approx(tuple(ends), rel=1e-6)


def test_rows_and_not_their_entries_are_counted_or_drawn(plain: Any) -> None:
    # every row twice as a cluster is the same evidence as the row alone
    columns = {name: [value for value in own for _ in "ab"] for name, own in rows()[0].items()}
    columns["id"] = [str(i // 2) for i in range(len(columns["y"]))]
    twice = measured(columns, {"cluster": "id"})
    asked = {"methods": dict.fromkeys(METRICS, "bootstrap_percentile")}
    drawn = [measured(rows()[0], confidence=asked), measured(columns, {"cluster": "id"},
                                                             confidence=asked)]  # fmt: skip
    for metric in METRICS:
        assert micro(plain, metric)["value"] == pytest.approx(micro(twice, metric)["value"])
        assert micro(twice, metric)["interval"]["method"] == "influence_t"
        one, two = (micro(found, metric)["interval"] for found in drawn)
        assert two["high"] - two["low"] == pytest.approx(one["high"] - one["low"], rel=0.15)


def test_influence_of_rows_agrees_with_drawing_them() -> None:
    columns = rows(800, 5)[0]
    asked = {"resamples": 500, "methods": dict.fromkeys(METRICS, "bootstrap_percentile")}
    drawn, known = measured(columns, confidence=asked), measured(columns)
    for metric in METRICS:
        one, two = micro(drawn, metric)["interval"], micro(known, metric)["interval"]
        assert two["method"] == "influence_t"
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
