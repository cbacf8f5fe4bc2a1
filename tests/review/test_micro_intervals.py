"""The micro average of accuracy is the share of right rows, in its intervals too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport

N = 60
RNG = np.random.default_rng(5)
ACTUAL = RNG.integers(0, 3, N)
WRONG = RNG.random(N) < 0.3
PREDICTED = np.where(WRONG, (ACTUAL + 1) % 3, ACTUAL)
FRAME = {
    "y": ACTUAL.tolist(),
    "p": PREDICTED.tolist(),
    "w": RNG.choice([0.5, 1.0, 2.0], N).tolist(),
    "c": (np.arange(N) // 3).tolist(),
}


def _micro(metric: str, method: str | None = None, **dataset: str) -> Any:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **dataset}},
        "models": {"m": {"prediction": "p"}},
        "metrics": [metric],
        "averaging": ["micro"],
        "confidence": {"methods": {metric: method} if method else {}},
    }
    return evalreport.run(spec, frames={"d": FRAME}).json["measures"][0]


def test_the_bootstrap_lies_around_the_value() -> None:
    """Percentiles of the share of right rows, so close to value -+ 2 standard errors."""
    right = 1 - WRONG.mean()
    error = np.sqrt(right * (1 - right) / N)
    m = _micro("accuracy", "bootstrap_percentile")
    assert m["value"] == pytest.approx(right)
    assert m["interval"]["low"] == pytest.approx(right - 1.96 * error, abs=0.02)
    assert m["interval"]["high"] == pytest.approx(right + 1.96 * error, abs=0.02)


@pytest.mark.parametrize("dataset", [{"weight": "w"}, {"cluster": "c"}])
def test_micro_accuracy_and_micro_recall_are_one_number_with_one_interval(dataset: Any) -> None:
    accuracy, recall = _micro("accuracy", **dataset), _micro("recall", **dataset)
    assert accuracy["value"] == pytest.approx(recall["value"])
    for limit in ("low", "high"):
        assert accuracy["interval"][limit] == pytest.approx(recall["interval"][limit])


def test_the_error_rate_mirrors_it() -> None:
    right, wrong = _micro("accuracy", cluster="c"), _micro("error_rate", cluster="c")
    assert wrong["interval"]["low"] == pytest.approx(1 - right["interval"]["high"])
    assert wrong["interval"]["high"] == pytest.approx(1 - right["interval"]["low"])
