"""Koopman's score limits of likelihood ratios, asked for by name."""

from __future__ import annotations

from typing import Any

import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

import evalreport
from evalreport.metrics.catalogue import find
from evalreport.metrics.interval_methods import interval_methods


def limits(counts: list[list[int]], metric: str) -> dict[str, Any]:
    record = measure(counts, metric, {"methods": {metric: "koopman"}})
    assert record["interval"]["method"] == "koopman"
    assert record["interval"]["low"] <= record["value"] <= record["interval"]["high"]
    return dict(record["interval"])


def measure(counts: list[list[int]], metric: str, confidence: dict[str, Any]) -> dict[str, Any]:
    """``counts``: of the negatives, then the positives, by negative and positive predictions."""
    kinds = [
        (actual, said, counts[i][j])
        for i, actual in enumerate(("no", "yes"))
        for j, said in enumerate(("no", "yes"))
    ]
    truth, given, n = ([kind[k] for kind in kinds] for k in range(3))
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "count": "n"}},
        "positive": {"label": "yes"},
        "models": {"m": {"prediction": "p"}},
        "metrics": [metric],
        "confidence": confidence,
    }
    frame = {"y": truth, "p": given, "n": n}
    (record,) = (
        m for m in evalreport.run(spec, frames={"d": frame}).json["measures"] if m["label"] == "yes"
    )
    return dict(record)


def test_koopmans_example() -> None:
    """36 of 40 against 16 of 80 (Koopman 1984, table 1): 2.94 to 7.15."""
    found = limits([[64, 16], [4, 36]], "lr_plus")
    assert (found["low"], found["high"]) == pytest.approx((2.94, 7.15), abs=0.006)


@pytest.mark.parametrize("counts", [[[64, 16], [4, 36]], [[400, 35], [7, 58]]])
@pytest.mark.parametrize("metric", ["lr_plus", "lr_minus"])
def test_limits_are_those_of_statsmodels(counts: list[list[int]], metric: str) -> None:
    (tn, fp), (fn, tp) = counts
    above, below = (tp, fp) if metric == "lr_plus" else (fn, tn)
    expected = confint_proportions_2indep(
        above, tp + fn, below, tn + fp, compare="ratio", method="score", correction=False
    )
    found = limits(counts, metric)
    assert (found["low"], found["high"]) == pytest.approx(expected, rel=1e-3)


def test_a_spec_may_ask_for_it_where_there_is_such_a_ratio() -> None:
    for name, known in (("lr_plus", True), ("lr_minus", True), ("diagnostic_odds_ratio", False)):
        metric = find(name)
        assert metric is not None
        assert ("koopman" in interval_methods(metric)) is known


@pytest.mark.parametrize("metric", ["lr_plus", "diagnostic_odds_ratio"])
def test_an_infinite_ratio_says_why_it_has_no_interval(metric: str) -> None:
    found = measure([[20, 0], [2, 8]], metric, {})
    assert (found["state"], found["interval"]) == ("infinite", None)
    assert found["interval_reason"] == "the upper limit of an infinite value is infinite too"
