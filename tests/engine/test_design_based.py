"""Intervals of weighted rows: held to R's survey, to hand arithmetic and to coverage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import survey_rows

import evalreport
from evalreport.statistics.delta import weight_of_unseen
from evalreport.statistics.proportions import wilson

Z = 1.959963984540054
SHARES = ["accuracy", "recall", "specificity", "precision", "npv", "prevalence"]
OTHERS = ["f1", "brier", "balanced_accuracy"]
OF_SHARES, OF_OTHERS = {"wilson_n_eff", "wilson_kish"}, {"sandwich", "mover_weighted", "log_t"}


def measures(
    columns: dict[str, list[Any]], metrics: list[Any], methods: Any = None, **dataset: Any
) -> list[dict[str, Any]]:
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"target": "y", **dataset}},
        "models": {"m": {"score": "s"}},
        "metrics": metrics,
        "confidence": {"methods": methods or {}},
    }
    found: list[dict[str, Any]] = evalreport.run(spec, frames={"d": columns}).json["measures"]
    return found


@pytest.fixture(scope="module")
def weighted() -> list[dict[str, Any]]:
    """The 40 designs with weights alone, in one run, shares asked by the sandwich too."""
    numbers = range(survey_rows.WEIGHTS, 200, 5)
    names = {f"d{number}": survey_rows.rows(number) for number in numbers}
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {name: {"target": "y", "weight": "w"} for name in names},
        "models": {"m": {"score": "s"}},
        "metrics": [*SHARES, *OTHERS],
        "subgroups": ["g"],
    }
    found: list[dict[str, Any]] = evalreport.run(spec, frames=names).json["measures"]
    return found


def test_standard_errors_of_weighted_rows_are_those_of_r_survey(
    weighted: list[dict[str, Any]],
) -> None:
    known = survey_rows.answers(survey_rows.WEIGHTS)
    compared = 0
    for m in weighted:
        domain = m["subgroup"].get("g", "")
        if domain == "b":
            continue
        value, error = known[int(m["dataset"][1:]), m["metric"], domain]
        assert m["value"] == pytest.approx(value, abs=1e-12)
        if error < 1e-9:
            assert "as heavy as an unseen one" in m["interval"]["note"]
            continue
        interval = m["interval"]
        # of few rows others take over, with the same variance
        own = OF_SHARES if m["metric"] in SHARES else OF_OTHERS
        assert interval["method"] in own
        assert interval["standard_error"] == pytest.approx(error, rel=1e-9)
        compared += 1
    assert compared > 650


def test_a_weighted_share_is_wilson_on_the_rows_that_its_variance_is_worth(
    weighted: list[dict[str, Any]],
) -> None:
    known = survey_rows.answers(survey_rows.WEIGHTS)
    for m in weighted:
        if m["subgroup"] or m["metric"] not in SHARES:
            continue
        p, error = known[int(m["dataset"][1:]), m["metric"], ""]
        interval, n = m["interval"], p * (1 - p) / error**2
        if interval["method"] == "wilson_kish":
            assert interval["n_effective"] <= n * (1 + 1e-9)
            n = interval["n_effective"]
        limits = wilson(p * n, n, 0.95)
        assert limits is not None
        assert (interval["low"], interval["high"]) == pytest.approx(tuple(limits), abs=1e-9)
        assert interval["n_effective"] == pytest.approx(n)


def test_a_sandwich_can_be_asked_for_everywhere() -> None:
    columns = survey_rows.rows(0)
    metrics = ["recall", "accuracy", "mcc", "roc_auc", "gini", "average_precision", "log_loss"]
    found = {}
    for weight in ({}, {"weight": "w"}, {"weight": "w", "cluster": "k"}, {"cluster": "k"}):
        for m in measures(columns, metrics, dict.fromkeys(metrics, "sandwich"), **weight):
            interval = m["interval"]
            assert interval["method"] == "sandwich", m["metric"]
            assert interval["low"] < m["value"] < interval["high"]
            assert "ignored" not in (interval.get("note") or "")
            found[m["metric"], tuple(weight)] = interval["high"] - interval["low"]
    # clusters of three rows on average say something else than rows do
    assert found["recall", ("weight",)] != found["recall", ("weight", "cluster")]
    error = survey_rows.answers(survey_rows.WEIGHTS)[0, "recall", ""][1]
    p = survey_rows.answers(survey_rows.WEIGHTS)[0, "recall", ""][0]
    assert found["recall", ("weight",)] == pytest.approx(Z * error + min(Z * error, 1 - p))


def test_a_share_of_one_counts_its_rows_by_what_an_unseen_one_may_weigh() -> None:
    # verified: all 50 predicted positives, one in twenty of the others; no miss among them
    y = [1] * 45 + [0] * 5 + [0] * 100
    s = [0.9] * 50 + [0.1] * 100
    w = [1] * 50 + [20] * 100
    found = {
        m["metric"]: m
        for m in measures({"y": y, "s": s, "w": w}, ["recall", "npv"], None, weight="w")
    }
    # a miss would be a predicted negative, of weight 20: 45 rows count as 45 / 20
    limits = wilson(45 / 20, 45 / 20, 0.95)
    assert limits is not None
    assert found["recall"]["interval"]["low"] == pytest.approx(limits.low)
    assert "2.25" in found["recall"]["interval"]["note"]
    limits = wilson(100, 100, 0.95)
    assert limits is not None
    assert found["npv"]["interval"]["low"] == pytest.approx(limits.low)


def test_an_unseen_row_weighs_as_its_class_where_weights_were_given_by_class() -> None:
    unseen = np.array([[False, False], [True, False]])
    by_class = np.array([[20.0 * 90, 20.0 * 10], [0.0, 30.0]])
    assert weight_of_unseen(by_class, by_class * [[20], [1]], unseen) == 1.0
    by_prediction = np.array([[20.0 * 90, 10.0], [0.0, 30.0]])
    assert weight_of_unseen(by_prediction, by_prediction * [[20, 1]], unseen) == 20.0


def test_bands_of_weighted_calibration_bins_take_the_variance_of_the_weighted_share() -> None:
    y = [1, 1, 1, 0, 0, 0, 0, 0, 1, 0]
    s = [0.55] * 8 + [0.95, 0.95]
    w = [1, 1, 1, 9, 9, 9, 1, 1, 2, 5]
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"target": "y", "weight": "w"}},
        "models": {"m": {"score": "s"}},
        "metrics": ["brier"],
    }
    curves = evalreport.run(spec, frames={"d": {"y": y, "s": s, "w": w}}).json["curves"]
    points = next(c["points"] for c in curves if c["kind"] == "calibration")
    p, total = 3 / 32, 32
    variance = 10 / 9 * (3 * (1 - p) ** 2 + (3 * 81 + 2) * p**2) / total**2
    n = p * (1 - p) / variance
    limits = wilson(p * n, n, 0.95)
    assert limits is not None
    found = points["observed_low"][0], points["observed_high"][0]
    assert found == pytest.approx(tuple(limits), abs=1e-12)


def test_weighted_recall_of_a_partly_verified_sample_is_covered() -> None:
    """The design of which Kish's number covered 69 %: 5 % ill, 5 % of the negatives verified."""
    rng = np.random.default_rng(11)
    runs, population, recall, fall_out, rate = 4000, 20_000, 0.8, 0.1, 0.05
    ill = rng.binomial(population, 0.05, runs)
    tp = rng.binomial(ill, recall)
    fn = rng.binomial(ill - tp, rate)
    fp = rng.binomial(population - ill, fall_out)
    tn = rng.binomial(population - ill - fp, rate)
    n = tp + fn + fp + tn
    bottom = tp + 20.0 * fn
    p = tp / bottom
    variance = n / (n - 1) * (tp * (1 - p) ** 2 + 400.0 * fn * p**2) / bottom**2
    inside = kish = 0
    for k in range(runs):
        worth = p[k] * (1 - p[k]) / variance[k]
        limits = wilson(p[k] * worth, worth, 0.95)
        assert limits is not None
        inside += limits.low <= recall <= limits.high
        worth = bottom[k] ** 2 / (tp[k] + 400.0 * fn[k])
        limits = wilson(p[k] * worth, worth, 0.95)
        assert limits is not None
        kish += limits.low <= recall <= limits.high
    assert 0.935 < inside / runs < 0.965
    assert kish / runs < 0.9
    assert math.isfinite(float(p.mean()))


def test_label_sets_with_weights_take_the_variance_of_their_rows() -> None:
    sets = {
        "y": ["a|b", "a", "b", "a", "b", "a|b"],
        "p": ["a|b", "a", "a", "a", "b", "a"],
        "w": [1, 2, 8, 1, 1, 4],
    }
    listed = {"separator": "|"}
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"target": {"list": "y", **listed}, "weight": "w"}},
        "models": {"m": {"prediction": {"list": "p", **listed}}},
        "metrics": ["exact_match"],
        "confidence": {"methods": {"exact_match": "wilson_n_eff"}},
    }
    found = evalreport.run(spec, frames={"d": sets}).json["measures"][0]
    p, total = 5 / 17, 17
    variance = 6 / 5 * ((1 + 4 + 1 + 1) * (1 - p) ** 2 + (64 + 16) * p**2) / total**2
    assert found["value"] == pytest.approx(p)
    assert found["interval"]["n_effective"] == pytest.approx(p * (1 - p) / variance)


@pytest.mark.parametrize(
    "dataset", [{"cluster": "k"}, {"weight": "w"}, {"cluster": "k", "weight": "w"}]
)
@pytest.mark.parametrize("method", [None, "sandwich", "bootstrap_percentile"])
def test_intervals_count_indeterminate_predictions_as_their_values_do(
    dataset: dict[str, str], method: str | None
) -> None:
    rng = np.random.default_rng(3)
    n = 300
    actual = rng.integers(0, 2, n)
    says = np.where(rng.random(n) < 0.8, actual, 1 - actual).astype(str).astype(object)
    says[rng.random(n) < 0.25] = "unsure"
    columns = {
        "y": actual.astype(str).tolist(),
        "p": says.tolist(),
        "k": (np.arange(n) // 3).tolist(),
        "w": (1 + 4 * (says == "1")).tolist(),
    }
    metrics = ["accuracy", "recall", "specificity", "precision", "f1", "mcc"]
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"target": "y", "indeterminate": ["unsure"], **dataset}},
        "models": {"m": {"prediction": "p"}},
        "metrics": metrics,
        "confidence": {
            "resamples": 400,
            "methods": dict.fromkeys(metrics, method) if method else {},
        },
    }
    found = evalreport.run(spec, frames={"d": columns}).json["measures"]
    limits: dict[str, list[float]] = {}
    for m in found:
        interval = m["interval"]
        assert interval["low"] < m["value"] < interval["high"], (m["metric"], m["indeterminate"])
        limits.setdefault(m["metric"], []).append(interval["low"])
    for one, other in limits.values():
        assert abs(one - other) > 0.05
