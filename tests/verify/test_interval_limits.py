"""Limits made again from the tables: a changed one is found."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.verify.recompute import recompute

METRICS = ["recall", "youden_j", "balanced_error_rate", "roc_auc", "gini", "f1", "kappa"]
METRICS += ["mcc", "markedness", "lr_minus", {"fbeta": {"beta": 2}}]


def results(**methods: str) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    actual = rng.integers(0, 2, 90)
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "limits",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": METRICS,
            "confidence": {"methods": methods, "level": 0.9},
        },
        frames={"d": {"y": actual.tolist(), "s": (actual + rng.normal(0, 1, 90)).tolist()}},
    ).json
    return found


def limits_of(found: dict[str, Any]) -> list[str]:
    """Problems with limits; the widths in ``sample_size`` follow from them."""
    return [
        str(p)
        for p in recompute(found).problems
        if str(p).startswith("measures[") and "): interval." in str(p)
    ]


@pytest.mark.long_but_first
@pytest.mark.parametrize("method", ["delong", "delong_logit", "delong_score"])
@pytest.mark.parametrize("side", ["low", "high"])
@pytest.mark.parametrize("metric", [m if isinstance(m, str) else "fbeta" for m in METRICS])
def test_a_changed_limit_is_found(metric: str, side: str, method: str) -> None:
    found = results(roc_auc=method, gini=method)
    assert recompute(found).problems == ()
    changed = copy.deepcopy(found)
    measure = next(m for m in changed["measures"] if m["metric"] == metric)
    measure["interval"][side] += 1e-6
    (problem,) = limits_of(changed)
    assert f"({measure['id']}, " in str(problem)
    assert f"interval.{side} is " in str(problem)


def test_limits_of_other_methods_are_worked_out_by_the_engine() -> None:
    found = results(recall="clopper_pearson", roc_auc="hanley_mcneil")
    assert limits_of(found) == []
    for measure in found["measures"]:
        if measure["metric"] in ("recall", "roc_auc"):
            measure["interval"]["low"] -= 0.01
    assert len(limits_of(found)) == 2
