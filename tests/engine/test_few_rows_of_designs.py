"""Limits of weighted and clustered rows by hand, few as they may be."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

import evalreport
from evalreport.record.recompute import recompute

ROWS, POSITIVES = 90, 14
METRICS = ("recall", "specificity", "f1", "mcc", "roc_auc", "gini", "log_loss", "brier")


def drawn(seed: int = 11) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    actual = (np.arange(ROWS) < POSITIVES).astype(int)
    score = 1 / (1 + np.exp(-(rng.normal(size=ROWS) + 2.2 * actual - 1.4)))
    return actual, score, rng.uniform(0.5, 4.0, ROWS)


def intervals(
    metrics: tuple[str, ...] = METRICS, methods: dict[str, str] | None = None, **columns: Any
) -> dict[str, Any]:
    role = {name: name for name in columns}
    actual, score, _ = drawn()
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "few rows",
            "datasets": {"d": {"target": "y", **role}},
            "models": {"m": {"score": "s"}},
            "metrics": list(metrics),
            "confidence": {"resamples": 100, "methods": methods or {}},
        },
        frames={
            "d": {
                "y": actual.tolist(),
                "s": score.tolist(),
                **{name: list(values) for name, values in columns.items()},
            }
        },
    ).json
    assert recompute(found).problems == ()
    return {m["metric"]: {**m["interval"], "value": m["value"]} for m in found["measures"]}


@cache
def weighted() -> dict[str, Any]:
    return intervals(weight=tuple(drawn()[2]))


@cache
def alike() -> dict[str, Any]:
    return intervals(weight=(2.0,) * ROWS)


@cache
def clustered() -> dict[str, Any]:
    return intervals(cluster=tuple(k // 6 for k in range(ROWS)))


def test_weighted_rows_have_the_methods_of_their_design() -> None:
    assert {metric: found["method"] for metric, found in weighted().items()} == {
        "recall": "wilson_kish",
        "specificity": "wilson_kish",
        "f1": "mover_weighted",
        "mcc": "mover_weighted",
        "roc_auc": "sandwich_score",
        "gini": "sandwich_score",
        "log_loss": "log_t",
        "brier": "log_t",
    }
    assert all(one["low"] < one["value"] < one["high"] for one in weighted().values())


def test_a_weighted_method_that_was_asked_for_stays() -> None:
    asked = {"recall": "sandwich", "f1": "sandwich", "roc_auc": "sandwich", "log_loss": "sandwich"}
    found = intervals(tuple(asked), asked, weight=drawn()[2])
    assert {metric: one["method"] for metric, one in found.items()} == asked


def test_a_weighted_share_rests_on_no_more_rows_than_kish_counts() -> None:
    actual, score, weight = drawn()
    own, hit = weight[actual == 1], score[actual == 1] >= 0.5
    share = own[hit].sum() / own.sum()
    variance = ROWS / (ROWS - 1) * (own**2 * (hit - share) ** 2).sum() / own.sum() ** 2
    rows = min(share * (1 - share) / variance, own.sum() ** 2 / (own**2).sum())
    found = weighted()["recall"]
    assert found["value"] == pytest.approx(share)
    assert found["n_effective"] == pytest.approx(rows)
    for limit in (found["low"], found["high"]):
        error = norm.ppf(0.975) * math.sqrt(limit * (1 - limit) / rows)
        assert abs(limit - share) == pytest.approx(error, rel=1e-9)


def test_equal_weights_give_what_rows_without_weights_have() -> None:
    bare = intervals()
    assert bare["roc_auc"]["method"] == "delong_score"
    for metric in ("roc_auc", "gini", "log_loss", "brier", "f1", "mcc"):
        for end in ("low", "high"):
            # a table of weights has n / (n - 1) in its variance, one of rows has not
            assert alike()[metric][end] == pytest.approx(bare[metric][end], rel=0.01)


def test_weighted_losses_are_students_t_on_the_logarithm() -> None:
    actual, score, weight = drawn()
    loss = (score - actual) ** 2
    mean = (weight * loss).sum() / weight.sum()
    spread = (weight**2 * (loss - mean) ** 2).sum()
    error = math.sqrt(ROWS / (ROWS - 1) * spread) / weight.sum()
    df = ((weight * loss).sum() ** 2 / ((weight * loss) ** 2).sum() - 1) / 1.5
    found = weighted()["brier"]
    assert found["standard_error"] == pytest.approx(error)
    assert found["df"] == pytest.approx(df)
    factor = math.exp(student.ppf(0.975, df) * error / mean)
    assert (found["low"], found["high"]) == pytest.approx((mean / factor, mean * factor))


def test_losses_of_few_clusters_are_students_t_on_the_logarithm() -> None:
    actual, score, _ = drawn()
    for metric, loss in (
        ("log_loss", -np.log(np.where(actual == 1, score, 1 - score))),
        ("brier", (score - actual) ** 2),
    ):
        totals = loss.reshape(-1, 6).sum(axis=1)
        mean, many = loss.mean(), len(totals)
        error = math.sqrt(many / (many - 1) * ((totals - 6 * mean) ** 2).sum()) / ROWS
        rows, clusters = (part.sum() ** 2 / (part**2).sum() for part in (loss, totals))
        df = min((rows - 1) / 1.5, clusters - 1)
        found = clustered()[metric]
        assert found["method"] == "log_t_clusters"
        assert found["df"] == pytest.approx(df)
        factor = math.exp(student.ppf(0.975, df) * error / mean)
        assert (found["low"], found["high"]) == pytest.approx((mean / factor, mean * factor))


def test_neither_rows_nor_the_names_of_clusters_have_an_order() -> None:
    from evalreport.statistics.means import clustered_losses

    rng = np.random.default_rng(3)
    losses, codes = rng.exponential(size=200) ** 3, rng.integers(0, 12, 200)
    found = clustered_losses(losses, codes)
    order, named = rng.permutation(200), rng.permutation(12)
    assert clustered_losses(losses[order], named[codes[order]]) == found
    assert clustered_losses([0.0, 0.0], [0, 1]) is None
    assert clustered_losses([0.5, 0.2], [4, 4]) is None


def test_the_loss_of_three_classes_in_few_clusters_is_taken_alike() -> None:
    rng = np.random.default_rng(4)
    actual = np.repeat([0, 1, 2], 20)
    raw = np.exp(rng.normal(size=(60, 3)) + 1.5 * np.eye(3)[actual])
    share = raw / raw.sum(axis=1, keepdims=True)
    names = ["p_a", "p_b", "p_c"]
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "three classes",
            "datasets": {"d": {"target": "y", "cluster": "c"}},
            "models": {"m": {"scores": dict(zip("abc", names, strict=True))}},
            "metrics": ["log_loss"],
            "confidence": {"resamples": 100},
        },
        frames={
            "d": {
                "y": ["abc"[k] for k in actual],
                "c": [k % 12 for k in range(60)],
                **{name: share[:, k].tolist() for k, name in enumerate(names)},
            }
        },
    ).json
    interval = found["measures"][0]["interval"]
    assert interval["method"] == "log_t_clusters"
    assert interval["low"] < -np.log(share[np.arange(60), actual]).mean() < interval["high"]
