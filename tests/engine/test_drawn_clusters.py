"""Clusters of many rows are drawn by a sparse table: the same draws to the last digit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.engine.intervals import bootstrap


def limits() -> dict[str, Any]:
    random = np.random.default_rng(4)
    person = random.integers(15, size=200)
    ill = random.random(200) < 0.3 + 0.03 * (person % 5)
    frame = {
        "y": np.where(ill, "ill", "well").tolist(),
        "s": np.round(random.random(200) * 0.7 + 0.3 * ill, 2).tolist(),
        "person": [f"p{k}" for k in person],
    }
    plain = ["average_precision", "pr_auc", "ks", "brier_scaled"]
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "cluster": "person"}},
        "positive": {"label": "ill"},
        "models": {"m": {"score": "s"}},
        "metrics": [*plain, {"partial_auc": {"max_fpr": 0.2}}],
        "confidence": {
            "resamples": 100,
            "methods": dict.fromkeys([*plain, "partial_auc"], "bootstrap_percentile"),
        },
    }
    results = evalreport.run(spec, frames={"d": frame}, at="2026-11-21T12:00:00Z").json
    return {m["metric"]: m["interval"] for m in results["measures"]}


def test_limits_are_the_same_to_the_last_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    one_by_one = limits()
    assert {interval["method"] for interval in one_by_one.values()} == {"bootstrap_percentile"}
    made: list[Any] = []
    sums = bootstrap._sums_by_unit
    monkeypatch.setattr(bootstrap, "MANY_KINDS", 1)
    monkeypatch.setattr(
        bootstrap, "_sums_by_unit", lambda *given: made.append(given) or sums(*given)
    )
    assert limits() == one_by_one
    assert made
