"""Every interval method that a metric declares can be asked for, and is the one that is printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plain_results import build

import evalreport
from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Interval, Metric, Table
from evalreport.report.model import Ledgers

N = 160
ASKED = {
    "fbeta": {"beta": 2}, "weighted_kappa": {"weights": "linear"},
    "ppv_at_prevalence": {"prevalence": 0.1}, "npv_at_prevalence": {"prevalence": 0.1},
    "partial_auc": {"max_fpr": 0.5}, "gain": {"top": 0.2}, "lift": {"top": 0.2},
    "top_k_accuracy": {"k": 1},
}  # fmt: skip


def rows() -> dict[str, list[Any]]:
    rng = np.random.default_rng(20261121)
    truth = rng.integers(0, 2, N)
    score = np.clip(np.round(rng.normal(0.35 + 0.3 * truth, 0.2), 2), 0.01, 0.99)
    return {
        "y": ["yes" if t else "no" for t in truth],
        "s": score.tolist(),
        "margin": (score - 0.5).tolist(),
        "c": [f"c{k // 2}" for k in range(N)],
    }


def metrics() -> list[Metric]:
    """Everything of two classes that has an interval."""
    own = {Table.COUNTS, Table.MATRIX, Table.SCORES}
    return [
        m
        for m in catalogue()
        if m.table in own and m.interval is not Interval.NONE and m.name != "impact_ratio"
    ]


def run(which: list[Metric], methods: dict[str, str], **model: str) -> dict[str, Any]:
    results: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "methods",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": model or {"score": "s"}},
            "metrics": [{m.name: ASKED[m.name]} if m.name in ASKED else m.name for m in which],
            "costs": {"false_negative": 5, "false_positive": 1},
            "confidence": {"resamples": 200, "methods": methods},
        },
        frames={"d": rows()},
    ).json
    return results


MOST = max(len(m.interval_methods) for m in metrics())


@pytest.mark.long
@pytest.mark.parametrize("place", range(MOST))
def test_a_method_that_is_asked_for_is_given_and_never_exchanged(place: int) -> None:
    chosen = [m for m in metrics() if place < len(m.interval_methods)]
    methods = {m.name: m.interval_methods[place] for m in chosen}
    results = run(chosen, methods)
    found = {m["metric"]: m for m in results["measures"] if m["state"] == "value"}
    if of_margins := [m for m in chosen if m.name not in found]:
        methods_of_margins = {m.name: methods[m.name] for m in of_margins}
        margins = run(of_margins, methods_of_margins, margin="margin")
        found |= {m["metric"]: m for m in margins["measures"] if m["state"] == "value"}
    assert not results["failures"]
    for metric in chosen:
        m = found[metric.name]
        assert m["interval"] is not None, (metric.name, m["interval_reason"])
        assert m["interval"]["method"] == methods[metric.name]
        assert m["interval"]["why"] == "asked for in the spec"
        assert m["interval"]["low"] <= m["interval"]["high"]


def test_rows_and_clusters_are_both_counted_on_the_page() -> None:
    results = evalreport.run(
        {
            "evalreport": 1, "title": "clusters",
            "datasets": {"d": {"target": "y", "cluster": "c"}},
            "models": {"m": {"score": "s"}}, "metrics": ["recall"],
        },
        frames={"d": rows()},
    ).json  # fmt: skip
    ledgers = next(b for s in build(results).sections for b in s.blocks if isinstance(b, Ledgers))
    ((_, account),) = ledgers.rows
    lines = {row.text: row.count for row in account}
    assert lines["= used"] == "160"
    assert lines["clusters of used rows, by c"] == "80"


def test_limits_of_won_pairs_are_those_of_the_area_times_all_pairs() -> None:
    both = [m for m in metrics() if m.name in ("roc_auc", "mann_whitney_u")]
    measures = run(both, {m.name: "sandwich" for m in both})["measures"]
    found = {m["metric"]: m for m in measures}
    area, pairs = found["roc_auc"], found["mann_whitney_u"]
    all_pairs = pairs["value"] / area["value"]
    for end in ("low", "high"):
        expected = area["interval"][end] * all_pairs
        assert pairs["interval"][end] == pytest.approx(expected, rel=1e-12)
