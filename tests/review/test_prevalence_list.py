"""A list of prevalences asks for the predictive values at them, by itself."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport

FRAME = {"y": [1] * 10 + [0] * 20, "p": [1] * 9 + [0] + [1] * 4 + [0] * 16}


def _measures(*metrics: Any) -> list[Any]:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": list(metrics),
        "prevalence": [0.01, 0.05],
    }
    return list(evalreport.run(spec, frames={"d": FRAME}).json["measures"])


def test_predictive_values_are_added_at_each_prevalence() -> None:
    """Recall 9/10, specificity 16/20: at 5 %, PPV = .045 / (.045 + .19)."""
    found = {(m["metric"], m["params"].get("prevalence")): m["value"] for m in _measures("recall")}
    assert set(found) == {
        ("recall", None),
        ("ppv_at_prevalence", 0.01),
        ("ppv_at_prevalence", 0.05),
        ("npv_at_prevalence", 0.01),
        ("npv_at_prevalence", 0.05),
    }
    assert found["ppv_at_prevalence", 0.05] == pytest.approx(0.045 / 0.235)
    assert found["npv_at_prevalence", 0.05] == pytest.approx(0.76 / 0.765)


def test_a_named_one_is_not_given_twice() -> None:
    names = [m["metric"] for m in _measures("ppv_at_prevalence")]
    assert names == ["ppv_at_prevalence"] * 2 + ["npv_at_prevalence"] * 2


def test_a_prevalence_beside_the_metric_comes_on_top() -> None:
    found = _measures({"ppv_at_prevalence": {"prevalence": 0.3}})
    shares = [m["params"]["prevalence"] for m in found if m["metric"] == "ppv_at_prevalence"]
    assert shares == [0.3, 0.01, 0.05]
