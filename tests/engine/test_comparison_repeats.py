"""Means over the folds of repeated cross-validation: one set of repeats for everything."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import evalreport
from evalreport.verify.recompute import recompute

FOLDS, REPEATS = 5, 3
#: A repeat pooled by itself, not one of its folds.
WHOLE = re.compile(r"repeat \d+")


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 90)
    frame = {
        "y": y.tolist(),
        "a": (y + rng.normal(0, 1.0, 90)).tolist(),
        "b": (y + rng.normal(0, 1.6, 90)).tolist(),
    }
    tree = "sklearn.tree.DecisionTreeClassifier"
    linear = "sklearn.linear_model.LogisticRegression"
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": {"d": {"target": "y"}},
            "models": {
                "tree": {"estimator": tree, "params": {"random_state": 0}, "features": ["a", "b"]},
                "linear": {"estimator": linear, "features": ["a", "b"]},
            },
            "metrics": ["accuracy", "roc_auc"],
            "comparisons": {
                "reference": "linear",
                "ratios": ["accuracy"],
                "hypotheses": {"accuracy": "non_inferiority"},
                "margins": {"accuracy": 0.1},
            },
            "cross_validation": {
                "scheme": "stratified_k_fold",
                "folds": FOLDS,
                "repeats": REPEATS,
                "seed": 7,
            },
        },
        frames={"d": frame},
    ).json
    return found


def test_a_mean_over_folds_has_no_ratio_and_is_verified(results: dict[str, Any]) -> None:
    pooled, mean = (one for one in results["comparisons"] if one["metric"] == "accuracy")
    assert pooled["ratio"]["value"] == pooled["model_value"] / pooled["reference_value"]
    assert (mean["fold"], mean.get("ratio"), mean["hypothesis"]["df"]) == ("mean", None, 14)
    assert recompute(results).problems == ()


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
def test_values_difference_interval_and_p_come_from_all_repeats(
    results: dict[str, Any], metric: str
) -> None:
    folds: dict[str, list[float]] = {"tree": [], "linear": []}
    means = {}
    for m in results["measures"]:
        if m["metric"] != metric or m["average"] is not None:
            continue
        name = m["fold"]
        if name == "mean":
            means[m["model"]] = m["value"]
        elif name is not None and not WHOLE.fullmatch(name):
            folds[m["model"]].append(m["value"])
    assert len(folds["tree"]) == FOLDS * REPEATS
    (record,) = (c for c in results["comparisons"] if c["metric"] == metric and c["fold"] == "mean")
    assert record["model_value"] == pytest.approx(means["tree"])
    assert record["reference_value"] == pytest.approx(means["linear"])
    assert record["difference"] == pytest.approx(means["tree"] - means["linear"])
    d = np.array(folds["tree"]) - np.array(folds["linear"])
    assert sorted(record["fold_differences"]) == pytest.approx(sorted(d.tolist()))
    # Nadeau and Bengio 2003: (1/J + n_test/n_train) s^2, 72 rows trained on and 18 tested
    error = math.sqrt((1 / len(d) + 18 / 72) * d.var(ddof=1))
    assert record["df"] == len(d) - 1 == 14
    assert record["statistic"] == pytest.approx(d.mean() / error)
    assert record["p_value"] == pytest.approx(2 * student.sf(abs(d.mean()) / error, 14))
    half = student.ppf(0.975, 14) * error
    assert record["interval"]["low"] == pytest.approx(d.mean() - half)
    assert record["interval"]["high"] == pytest.approx(d.mean() + half)


def test_a_difference_over_folds_keeps_to_what_two_values_can_differ_by() -> None:
    y = [0, 1] * 12
    frame = {
        "y": y,
        "f": [k // 6 for k in range(24)],
        "good": [0.9 if v else 0.1 for v in y],
        # wrong in every row of one fold, right in the others
        "bad": [(0.1 if v else 0.9) if k < 6 else (0.9 if v else 0.1) for k, v in enumerate(y)],
    }
    estimator = "sklearn.linear_model.LogisticRegression"
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": {"d": {"target": "y", "fold": "f"}},
            "models": {
                "good": {"estimator": estimator, "features": ["good"]},
                "bad": {"estimator": estimator, "features": ["bad"]},
            },
            "metrics": ["specificity"],
            "comparisons": {"reference": "good"},
            "cross_validation": {"scheme": "column"},
        },
        frames={"d": frame},
    ).json["comparisons"]
    (mean,) = (c for c in found if c["fold"] == "mean")
    spread = np.std(mean["fold_differences"], ddof=1) * math.sqrt(1 / 4 + 6 / 18)
    assert mean["difference"] - student.ppf(0.975, 3) * spread < -1
    assert mean["interval"]["low"] == -1.0
