"""Limits of averages over classes and of scores of all classes, by hand from the rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score
from statsmodels.stats.proportion import proportion_confint

import evalreport
from evalreport.verify.recompute import recompute

SIZES = (9, 14, 60)
DESIGNS: tuple[tuple[str, ...], ...] = ((), ("weight",), ("cluster",), ("weight", "cluster"))


def columns() -> dict[str, Any]:
    """83 rows of three classes with scores, in 30 clusters."""
    rng = np.random.default_rng(12)
    actual = np.repeat(range(3), SIZES)
    raw = np.exp(rng.normal(size=(83, 3)) + 1.5 * np.eye(3)[actual])
    share = np.round(raw / raw.sum(axis=1, keepdims=True), 6)
    share[:, 0] = 1 - share[:, 1:].sum(axis=1)
    return {
        "y": np.array(list("abc"))[actual],
        "p": np.array(list("abc"))[share.argmax(axis=1)],
        **{name: share[:, k] for k, name in enumerate("uvw")},
        "weight": rng.lognormal(0, 0.6, 83).round(6),
        "cluster": rng.integers(0, 30, 83),
    }


ROWS = columns()
ACTUAL = np.repeat(range(3), SIZES)
SCORES = np.stack([ROWS[name] for name in "uvw"], axis=1)


def measured(metrics: list[Any], roles: tuple[str, ...], model: Any, **more: Any) -> Any:
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "all classes",
            "datasets": {"d": {"target": "y", **{role: role for role in roles}}},
            "models": {"m": model},
            "metrics": metrics,
            **more,
        },
        frames={"d": {name: column.tolist() for name, column in ROWS.items()}},
    ).json
    assert recompute(found).problems == ()
    return {(m["metric"], m["average"], m["label"]): m for m in found["measures"]}


SCORED = {"scores": {"a": "u", "b": "v", "c": "w"}}


def derivative(value: Any, weight: Any) -> Any:
    """Of a value by the weight of each row, times the weight."""
    step, found = 1e-5, []
    for i in range(len(weight)):
        up, down = weight.copy(), weight.copy()
        up[i] += step
        down[i] -= step
        found.append((value(up) - value(down)) / (2 * step))
    return np.array(found) * weight


def on_the_logit(value: float, variance: float, floor: float, df: float) -> Any:
    half = student.ppf(0.975, df) * math.sqrt(variance + floor) / value / (1 - value)
    middle = math.log(value / (1 - value))
    return [1 / (1 + math.exp(-(middle + side * half))) for side in (-1, 1)]


def spread(influence: Any, roles: tuple[str, ...]) -> float:
    """The variance by how rows were drawn."""
    if "cluster" in roles:
        influence = np.bincount(ROWS["cluster"], influence)[np.unique(ROWS["cluster"])]
    elif "weight" not in roles:
        return float(np.sum(influence**2))
    units = len(influence)
    return units / (units - 1) * float(np.sum(influence**2))


def least_units(roles: tuple[str, ...]) -> float:
    """Clusters, Kish's rows or rows of the class that has fewest."""
    if "cluster" in roles:
        return min(float(len(set(ROWS["cluster"][k == ACTUAL]))) for k in range(3))
    weight = ROWS["weight"] if "weight" in roles else np.ones(83)
    sums = [(weight[k == ACTUAL].sum(), (weight[k == ACTUAL] ** 2).sum()) for k in range(3)]
    return float(min(total**2 / squares for total, squares in sums))


def hand_till(weight: Any) -> float:
    found = []
    for i in range(3):
        for j in range(3):
            if i != j:
                both = (i == ACTUAL) | (j == ACTUAL)
                area = roc_auc_score(ACTUAL[both] == i, SCORES[both, i], sample_weight=weight[both])
                found.append(area)
    return float(np.mean(found))


def macro_area(weight: Any) -> float:
    of = [roc_auc_score(k == ACTUAL, SCORES[:, k], sample_weight=weight) for k in range(3)]
    return float(np.mean(of))


@pytest.mark.parametrize("roles", DESIGNS)
def test_areas_of_all_classes_have_the_influence_of_their_rows(roles: tuple[str, ...]) -> None:
    got = measured(["hand_till_auc", "roc_auc"], roles, SCORED, averaging=["macro"])
    weight = ROWS["weight"] if "weight" in roles else np.ones(83)
    k = least_units(roles)
    for key, value in (
        (("hand_till_auc", None, None), hand_till),
        (("roc_auc", "macro", None), macro_area),
    ):
        own, number = got[key]["interval"], value(weight)
        variance = spread(derivative(value, weight), roles)
        assert got[key]["value"] == pytest.approx(number)
        assert own["method"] == "influence_t"
        assert own["df"] == pytest.approx(k - 1)
        floor = number * (1 - number) / 3 / k / (k + 1)
        expected = on_the_logit(number, variance, floor, k - 1)
        assert [own["low"], own["high"]] == pytest.approx(expected, rel=1e-5)


def test_an_average_by_rows_has_the_floor_of_each_class() -> None:
    got = measured(["f1"], (), {"prediction": "p"}, averaging=["weighted"])["f1", "weighted", None]
    called = np.searchsorted(list("abc"), ROWS["p"])
    value = lambda w: precision_recall_fscore_support(  # noqa: E731
        ACTUAL, called, average="weighted", sample_weight=w
    )[2]
    each = precision_recall_fscore_support(ACTUAL, called)[2]
    share, rarer = np.array(SIZES) / 83, np.minimum(SIZES, 83 - np.array(SIZES))
    number, spread_of = float(share @ each), share**2 * each * (1 - each)
    variance = float(np.sum(derivative(value, np.ones(83)) ** 2))
    floor = float(np.sum(spread_of / rarer / (rarer + 1)))
    parts = spread_of / rarer
    df = float(parts @ (rarer - 1) / parts.sum())
    own = got["interval"]
    assert got["value"] == pytest.approx(number)
    assert (own["method"], own["df"]) == ("delta_t", pytest.approx(df))
    expected = on_the_logit(number, variance, floor, df)
    assert [own["low"], own["high"]] == pytest.approx(expected, rel=1e-5)


def test_largest_distances_of_classes_are_squared_and_added() -> None:
    got = measured(["ks"], (), SCORED, averaging=["none", "macro"])
    each = [got["ks", None, name] for name in "abc"]
    own = got["ks", "macro", None]
    assert own["interval"]["method"] == "newcombe_at_cut"
    number = float(np.mean([one["value"] for one in each]))
    assert own["value"] == pytest.approx(number)
    up = [one["interval"]["high"] - one["value"] for one in each]
    # as far as classes that go together in full, and no less than opposite ones
    assert own["interval"]["high"] - number <= np.mean(up) + 1e-12
    lowered = [float(one["interval"]["note"].split("lowered by ")[1].split(":")[0]) for one in each]
    of_all = float(own["interval"]["note"].split("lowered by ")[1].split(":")[0])
    assert of_all == pytest.approx(np.mean(lowered), rel=0.01)
    assert own["interval"]["low"] <= number - of_all


@pytest.mark.parametrize("roles", DESIGNS)
def test_the_share_of_rows_ranked_among_the_first_is_a_share(roles: tuple[str, ...]) -> None:
    got = measured([{"top_k_accuracy": {"k": 2}}], roles, SCORED)["top_k_accuracy", None, None]
    own_score = SCORES[np.arange(83), ACTUAL]
    hit = (own_score[:, None] < SCORES).sum(axis=1) < 2
    own = got["interval"]
    if not roles:
        low, high = proportion_confint(int(hit.sum()), 83, method="wilson")
        assert own["method"] == "wilson"
        assert [own["low"], own["high"]] == pytest.approx([low, high])
        return
    weight = ROWS["weight"] if "weight" in roles else np.ones(83)
    p = float(weight @ hit / weight.sum())
    error = math.sqrt(spread(weight * (hit - p) / weight.sum(), roles))
    assert got["value"] == pytest.approx(p)
    assert own["standard_error"] == pytest.approx(error)
    if "cluster" in roles:
        assert own["method"] == "cluster_robust_t"
    else:
        kish = weight.sum() ** 2 / (weight**2).sum()
        assert own["method"] == "wilson_kish"
        assert own["n_effective"] == pytest.approx(min(kish, p * (1 - p) / error**2))
