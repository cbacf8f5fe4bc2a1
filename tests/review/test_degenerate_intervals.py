"""Where nothing varies, no number is given as if it were known without error."""

from __future__ import annotations

import math
from typing import Any

import pytest

import evalreport

PERFECT = {"y": [0] * 20 + [1] * 20, "s": [0.1] * 20 + [0.9] * 20}
ALWAYS = {"y": [0] * 20 + [1] * 20, "s": [0.9] * 40}
NEVER = {"y": [0] * 20 + [1] * 20, "s": [0.2] * 40}


def _measure(frame: Any, metric: Any, **dataset: Any) -> Any:
    confidence = dataset.pop("confidence", {})
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "labels": [0, 1], **dataset}},
        "models": {"m": {"score": "s"}},
        "metrics": [metric],
        "costs": {"false_negative": 5, "false_positive": 1},
        "confidence": confidence,
    }
    return evalreport.run(spec, frames={"d": frame}).json["measures"][0]


def test_no_mistake_is_not_a_cost_of_zero_for_certain() -> None:
    m = _measure(PERFECT, "expected_cost")
    assert m["value"] == 0.0
    assert m["interval"]["method"] == "mover_jeffreys"
    assert m["interval"]["low"] == 0.0
    assert m["interval"]["high"] > 0.1


def test_a_method_that_was_asked_for_is_not_exchanged_and_gives_no_limits_of_no_width() -> None:
    m = _measure(PERFECT, "expected_cost", confidence={"methods": {"expected_cost": "normal"}})
    assert m["interval"] is None
    assert m["interval_reason"].startswith("normal gives no limits")


def test_a_cost_is_never_below_the_cheapest_row() -> None:
    """One miss of 21 rows: 5 / 21 with a standard error nearly as large."""
    frame = {"y": [0] * 20 + [1], "s": [0.1] * 21}
    asked = {"methods": {"expected_cost": "normal"}}
    assert _measure(frame, "expected_cost", confidence=asked)["interval"]["low"] == 0.0
    # the squares of the shares' limits cannot go below it
    assert 0.0 < _measure(frame, "expected_cost")["interval"]["low"] < 5 / 21


@pytest.mark.parametrize(
    ("frame", "metric", "value"),
    [
        (ALWAYS, "lr_plus", 1.0),
        (ALWAYS, {"ppv_at_prevalence": {"prevalence": 0.1}}, 0.1),
        (NEVER, "lr_minus", 1.0),
        (NEVER, {"npv_at_prevalence": {"prevalence": 0.1}}, 0.9),
        (NEVER, "net_benefit", 0.0),
    ],
)
def test_a_constant_answer_has_limits(frame: Any, metric: Any, value: float) -> None:
    m = _measure(frame, metric)
    assert m["value"] == pytest.approx(value, abs=1e-12)
    named = "miettinen_nurminen" if metric != "net_benefit" else "mover_jeffreys"
    assert m["interval"]["method"] == named
    assert m["interval"]["low"] < value < m["interval"]["high"]


@pytest.mark.parametrize("metric", ["brier", "log_loss", "absolute_error"])
def test_equal_losses_say_nothing_about_the_error(metric: str) -> None:
    assert _measure(PERFECT, metric)["interval"] is None


def test_one_weighted_row_has_no_interval() -> None:
    frame = {"y": [1], "s": [0.8], "w": [0.5]}
    assert _measure(frame, "brier", weight="w")["interval"] is None


def test_equal_weights_give_the_interval_of_no_weights() -> None:
    """The factor k / (k - 1) of the ratio estimator is that of the plain variance."""
    frame = {"y": [0, 1, 1, 0] * 2, "s": [0.2, 0.7, 0.4, 0.1, 0.3, 0.6, 0.5, 0.15], "w": [0.5] * 8}
    weighted = _measure(frame, "brier", weight="w")["interval"]
    plain = _measure(frame, "brier")["interval"]
    assert weighted["low"] == pytest.approx(plain["low"], abs=1e-12)
    assert weighted["high"] == pytest.approx(plain["high"], abs=1e-12)


def test_the_brier_score_of_two_classes_ends_at_one() -> None:
    frame = {"y": [0, 0, 0, 0, 0], "s": [1.0, 1.0, 1.0, 1.0, 0.5]}
    assert _measure(frame, "brier")["interval"]["high"] == 1.0


@pytest.mark.parametrize("frame", [ALWAYS, PERFECT])
def test_calibration_in_the_large_does_not_need_the_line(frame: Any) -> None:
    """Its standard error is 1 / sqrt(sum q (1 - q)) at the fitted intercept."""
    m = _measure(frame, "calibration_in_the_large")
    fitted = [1 / (1 + math.exp(-m["value"] - math.log(p / (1 - p)))) for p in frame["s"]]
    half = 1.959963984540054 / math.sqrt(math.fsum(q * (1 - q) for q in fitted))
    assert m["interval"]["method"] == "wald"
    assert m["interval"]["low"] == pytest.approx(m["value"] - half, abs=1e-9)
    assert m["interval"]["high"] == pytest.approx(m["value"] + half, abs=1e-9)


def test_a_table_of_one_cell_has_no_interval_of_no_width() -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "a"},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["f1"],
    }
    results = evalreport.run(spec, frames={"d": {"y": ["a"] * 5, "p": ["a"] * 5}}).json
    assert results["measures"][0]["value"] == 1.0
    assert results["measures"][0]["interval"] is None


@pytest.mark.parametrize("positives", [2, 3])
def test_ranked_scores_of_two_positives_have_no_limits_that_reach_from_0_to_1(
    positives: int,
) -> None:
    """Student's t with one degree of freedom has no variance: its 97.5 % point is 12.7."""
    scores = [0.9, 0.4, 0.7][:positives] + [k / 50 for k in range(40)]
    frame = {"y": [1] * positives + [0] * 40, "s": scores}
    m = _measure(frame, "average_precision")
    if positives == 2:
        assert m["interval"] is None
        assert m["interval_reason"] == "too few rows: 2 of the class that has fewer"
    else:
        assert m["interval"]["df"] == 2.0
