"""Limits of weighted and clustered rows by hand, few as they may be."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from engine.test_default_intervals import score_form
from scipy.stats import beta, norm
from scipy.stats import t as student

import evalreport
from evalreport.verify.recompute import recompute

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


def of_f1(tp: float, either: float) -> Any:
    """Jeffreys limits of tp of the rows that are positive in either way, carried to F1."""
    shares = beta.ppf([0.025, 0.975], tp + 0.5, either - tp + 0.5)
    return pytest.approx(tuple(2 * shares / (1 + shares)), rel=1e-6)


def f1_of_rows(weight: Any) -> tuple[Any, float, float]:
    """What each row contributes to F1, with the weights of TP and of all positive in a way."""
    actual, score, _ = drawn()
    called = score >= 0.5
    tp, either = weight[called & (actual == 1)].sum(), weight[called | (actual == 1)].sum()
    both = tp + either  # F1 is 2 TP over it, and a row adds 2, 1 or 0
    slopes = (2 * (called & (actual == 1)) - 2 * tp / both * (called * 1.0 + actual)) / both
    return weight * slopes, float(tp), float(either)


def test_f1_of_weighted_rows_rests_on_the_rows_that_they_are_worth() -> None:
    weight = drawn()[2]
    own, tp, either = f1_of_rows(weight)
    together, total = ROWS / (ROWS - 1) * (own**2).sum(), weight.sum()
    alone = (own**2 / weight).sum() * total / ROWS
    kish = ROWS * (weight**2).sum() / total**2
    found, rows = weighted()["f1"], ROWS / max(together / alone, kish, 1)
    assert found["n_effective"] == pytest.approx(rows)
    assert found["standard_error"] == pytest.approx(math.sqrt(together))
    assert (found["low"], found["high"]) == of_f1(tp * rows / total, either * rows / total)


def test_f1_of_clusters_rests_on_rows_over_the_design_effect_with_students_t() -> None:
    own, tp, either = f1_of_rows(np.ones(ROWS))
    clusters = ROWS // 6
    together = clusters / (clusters - 1) * (own.reshape(-1, 6).sum(axis=1) ** 2).sum()
    effect = max(together / (own**2).sum(), 1)
    found = clustered()["f1"]
    assert found["method"] == "mover_clusters"
    assert found["n_effective"] == pytest.approx(ROWS / effect)
    worth = 1 / effect / (student.ppf(0.975, clusters - 1) / norm.ppf(0.975)) ** 2
    assert (found["low"], found["high"]) == of_f1(tp * worth, either * worth)


def placements() -> tuple[Any, float]:
    """What each row contributes to the area, times the rows of its class, and the area."""
    actual, score, _ = drawn()
    wins = np.sign(score[actual == 1][:, None] - score[actual == 0][None]) / 2 + 0.5
    own = np.zeros(ROWS)
    own[actual == 1], own[actual == 0] = wins.mean(axis=1), wins.mean(axis=0)
    return own - wins.mean(), float(wins.mean())


def test_an_area_of_clusters_is_in_score_form_with_obuchowskis_variance() -> None:
    actual = drawn()[0]
    own, area = placements()
    unit, rows = np.arange(ROWS) // 6, (POSITIVES, ROWS - POSITIVES)
    sums = [np.bincount(unit, own * (actual == k)) for k in (1, 0)]
    held = [len(np.unique(unit[actual == k])) for k in (1, 0)]
    clusters = ROWS // 6
    variance = sum(
        c / (c - 1) * (x**2).sum() / n**2 for c, x, n in zip(held, sums, rows, strict=True)
    )
    variance += 2 * clusters / (clusters - 1) * (sums[0] * sums[1]).sum() / rows[0] / rows[1]
    found = clustered()["roc_auc"]
    assert (found["method"], found["df"]) == ("obuchowski_score", clusters - 1)
    assert found["standard_error"] == pytest.approx(math.sqrt(variance))
    limits = score_form(area, rows, variance, min(held), clusters - 1)
    assert (found["low"], found["high"]) == pytest.approx(limits, rel=1e-9)


def test_an_area_of_weighted_rows_is_in_score_form_on_kishs_rows() -> None:
    actual, score, weight = drawn()
    one, two = weight[actual == 1], weight[actual == 0]
    wins = np.sign(score[actual == 1][:, None] - score[actual == 0][None]) / 2 + 0.5
    area = one @ wins @ two / one.sum() / two.sum()
    own = one * (wins @ two / two.sum() - area), two * (one @ wins / one.sum() - area)
    rows = [w.sum() ** 2 / (w**2).sum() for w in (one, two)]
    # a sum of weighted rows of each class, n / (n - 1) as a sample of it
    variance = sum(
        len(x) / (len(x) - 1) * (x**2).sum() / w.sum() ** 2
        for x, w in zip(own, (one, two), strict=True)
    )
    found = weighted()["roc_auc"]
    assert found["standard_error"] == pytest.approx(math.sqrt(variance))
    assert found["n_effective"] == pytest.approx(sum(rows))
    assert found["df"] == pytest.approx(min(rows) + 5)
    limits = score_form(area, rows, variance)
    assert (found["low"], found["high"]) == pytest.approx(limits, rel=1e-9)


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


def three_classes(role: str, values: Any) -> tuple[dict[str, Any], Any]:
    """The interval of the log loss of 60 rows, and the losses; ``role``: what the values are."""
    rng = np.random.default_rng(4)
    actual = np.repeat([0, 1, 2], 20)
    raw = np.exp(rng.normal(size=(60, 3)) + 1.5 * np.eye(3)[actual])
    share = raw / raw.sum(axis=1, keepdims=True)
    names = ["p_a", "p_b", "p_c"]
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "three classes",
            "datasets": {"d": {"target": "y", role: "c"}},
            "models": {"m": {"scores": dict(zip("abc", names, strict=True))}},
            "metrics": ["log_loss"],
            "confidence": {"resamples": 100},
        },
        frames={
            "d": {
                "y": ["abc"[k] for k in actual],
                "c": list(values),
                **{name: share[:, k].tolist() for k, name in enumerate(names)},
            }
        },
    ).json
    interval: dict[str, Any] = found["measures"][0]["interval"]
    return interval, -np.log(share[np.arange(60), actual])


def test_the_loss_of_three_classes_in_few_clusters_is_taken_alike() -> None:
    interval, losses = three_classes("cluster", [k % 12 for k in range(60)])
    assert interval["method"] == "log_t_clusters"
    assert interval["low"] < losses.mean() < interval["high"]


def test_the_loss_of_three_classes_of_weighted_rows_is_taken_alike() -> None:
    weight = np.random.default_rng(5).uniform(0.2, 3, 60).round(2)
    interval, losses = three_classes("weight", weight.tolist())
    own = weight * losses
    mean = own.sum() / weight.sum()
    error = math.sqrt(60 / 59 * (weight**2 * (losses - mean) ** 2).sum()) / weight.sum()
    df = (own.sum() ** 2 / (own**2).sum() - 1) / 1.5
    factor = math.exp(student.ppf(0.975, df) * error / mean)
    assert (interval["method"], interval["df"]) == ("log_t", pytest.approx(df))
    assert interval["standard_error"] == pytest.approx(error)
    assert (interval["low"], interval["high"]) == pytest.approx((mean / factor, mean * factor))
