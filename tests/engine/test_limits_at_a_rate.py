"""Limits of a share at the threshold that keeps another rate: by hand, and as often as they say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import evalreport
from evalreport.engine.intervals.at_rate import beyond
from evalreport.statistics.proportions import wilson
from evalreport.verify.recompute import recompute

METRICS = ["recall_at_specificity", "specificity_at_recall", "precision_at_recall"]


def run(columns: dict[str, Any], metrics: list[Any], **more: Any) -> Any:
    dataset = more.pop("dataset", {})
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **dataset}},
        "models": {"m": {"score": "s"}},
        "metrics": metrics,
        **more,
    }
    return evalreport.run(spec, frames={"d": columns})


def columns_of(positives: int, negatives: int, seed: int = 3, apart: float = 1.5) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    actual = np.repeat([1, 0], [positives, negatives])
    score = np.round(1 / (1 + np.exp(-rng.normal(actual * apart))), 4)
    return {"y": actual.tolist(), "s": score.tolist()}


@pytest.mark.parametrize(("rows", "share"), [(10, 0.05), (71, 0.05), (72, 0.05), (400, 0.3)])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_bounds_of_the_threshold_are_quantiles_of_the_binomial(
    rows: int, share: float, level: float
) -> None:
    tail = (1 - level) / 2
    expected = tuple(int(binom.ppf(p, rows, share)) for p in (tail, 1 - tail))
    assert beyond(rows, share, level) == expected


def test_recall_at_a_specificity_by_hand() -> None:
    columns = columns_of(60, 200)
    (made,) = run(columns, [{"recall_at_specificity": {"specificity": 0.9}}]).json["measures"]
    score, actual = np.array(columns["s"]), np.array(columns["y"])
    negatives = np.sort(score[actual == 0])[::-1]

    def recall(alarms: int) -> float:
        return float(np.mean(score[actual == 1] > negatives[alarms]))

    least, most = beyond(200, 0.1, 0.95)
    own = wilson(made["numerator"], made["denominator"], 0.95)
    assert own is not None
    assert (made["value"], made["denominator"]) == (recall(20), 60)
    value, lowest, highest = made["value"], recall(least - 1), recall(most)
    assert made["interval"]["method"] == "wilson_at_rate"
    there = [wilson(share * 60, 60, 0.95) for share in (lowest, highest)]
    assert there[0] is not None
    assert there[1] is not None
    low = min(value - math.hypot(value - own.low, value - lowest), there[0].low)
    high = max(value + math.hypot(own.high - value, highest - value), there[1].high)
    assert made["interval"]["low"] == pytest.approx(low, abs=1e-12)
    assert made["interval"]["high"] == pytest.approx(high, abs=1e-12)


def test_of_few_grades_they_hold_where_a_bound_lies_a_whole_grade_away() -> None:
    rates, held, times = (np.array([0.05, 0.15, 0.5, 0.3]), np.array([0.3, 0.4, 0.25, 0.05])), 0, 80
    rng = np.random.default_rng(5)
    datasets = {f"d{k}": {"target": "y"} for k in range(times)}
    frames = {}
    for name in datasets:
        score = np.concatenate([rng.choice(4, 50, p=own) for own in rates])
        frames[name] = {"y": [1] * 50 + [0] * 50, "s": score.tolist()}
    spec = {
        "evalreport": 1,
        "datasets": datasets,
        "models": {"m": {"margin": "s"}},
        "metrics": [{"specificity_at_recall": {"recall": 0.94}}],
    }
    # 95 % of positives lie at grade 1 or above, with 30 % of negatives below it
    for m in evalreport.run(spec, frames=frames).json["measures"]:
        held += m["interval"]["low"] <= 0.3 <= m["interval"]["high"]
    assert held >= 0.93 * times


def test_few_negatives_bound_no_threshold_and_all_flagged_is_the_least_precision() -> None:
    by = {m["metric"]: m for m in run(columns_of(40, 10), METRICS).json["measures"]}
    assert by["recall_at_specificity"]["interval"]["low"] < 0.1
    assert by["precision_at_recall"]["interval"]["low"] > 0.6


@pytest.mark.parametrize("positives", [10, 40])
def test_they_hold_the_true_value(positives: int) -> None:
    held, times, away = dict.fromkeys(METRICS, 0), 60, 2.0
    rng = np.random.default_rng(11)
    # 95 % of negatives lie below 1.645, 95 % of positives above 2 - 1.645
    recall = _above(1.6448536 - away)
    specificity = 1 - _above(away - 1.6448536)
    precision = 0.95 / (0.95 + 1 - specificity)
    true = dict(zip(METRICS, (recall, specificity, precision), strict=True))
    datasets = {f"d{k}": {"target": "y"} for k in range(times)}
    frames = {
        name: columns_of(positives, positives, int(rng.integers(2**31)), away) for name in datasets
    }
    spec = {
        "evalreport": 1,
        "datasets": datasets,
        "models": {"m": {"score": "s"}},
        "metrics": METRICS,
    }
    for m in evalreport.run(spec, frames=frames).json["measures"]:
        held[m["metric"]] += m["interval"]["low"] <= true[m["metric"]] <= m["interval"]["high"]
    assert min(held.values()) >= 0.93 * times


def _above(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2))


def test_without_a_formula_there_are_no_limits_but_by_request() -> None:
    columns = columns_of(40, 120)
    columns["c"] = [k % 20 for k in range(160)]
    made = run(columns, METRICS, dataset={"cluster": "c"}).json["measures"]
    assert all(m["interval"] is None for m in made)
    assert all("bootstrap_percentile can be requested" in m["interval_reason"] for m in made)
    asked = {"resamples": 50, "methods": {"recall_at_specificity": "cluster_bootstrap"}}
    found = run(columns, METRICS[:1], dataset={"cluster": "c"}, confidence=asked)
    assert found.json["measures"][0]["interval"]["method"] == "cluster_bootstrap"


def test_weighted_rows_count_as_their_weights_are_worth_and_records_are_made_again() -> None:
    columns = columns_of(60, 140)
    plain = run(columns, METRICS)
    alike = run({**columns, "w": [2.0] * 200}, METRICS, dataset={"weight": "w"})
    for one, two in zip(plain.json["measures"], alike.json["measures"], strict=True):
        for side in ("low", "high"):
            assert two["interval"][side] == pytest.approx(one["interval"][side], rel=1e-9)
    uneven = {**columns, "w": [1.0 + 3 * (k % 4 == 0) for k in range(200)]}
    wide = run(uneven, METRICS, dataset={"weight": "w"})
    for one, two in zip(plain.json["measures"], wide.json["measures"], strict=True):
        width = [m["interval"]["high"] - m["interval"]["low"] for m in (one, two)]
        assert width[1] > width[0]
    assert recompute(wide.json).problems == ()
