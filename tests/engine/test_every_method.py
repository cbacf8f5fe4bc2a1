"""Every interval method that a metric declares can be asked for, and is the one that is printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plain_results import build

import evalreport
from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Interval, Metric, Table
from evalreport.metrics.kinds import Design
from evalreport.metrics.methods import OWN, VALUES, interval_methods
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
        "w": rng.choice([0.5, 1.0, 2.5], N).tolist(),
        "h": ["east" if k % 3 else "west" for k in range(N)],
    }


def metrics() -> list[Metric]:
    """Everything of two classes that has an interval."""
    own = {Table.COUNTS, Table.MATRIX, Table.SCORES}
    return [
        m
        for m in catalogue()
        if m.table in own and m.interval is not Interval.NONE and m.name != "impact_ratio"
    ]


#: What a dataset says of each design.
ROLES: dict[Design, dict[str, Any]] = {
    Design.ROWS: {},
    Design.WEIGHTS: {"weight": "w"},
    Design.CLUSTERS: {"cluster": "c"},
    Design.BOTH: {"weight": "w", "cluster": "c"},
    Design.SAMPLE: {"sampling": {"strata": "h", "totals": {"east": 900, "west": 400}}},
}
MOST = {d: max(len(interval_methods(m, [d])) for m in metrics()) for d in Design}


def run(
    which: list[Metric],
    methods: dict[str, str] | str,
    design: Design = Design.ROWS,
    **model: str,
) -> dict[str, Any]:
    results: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "methods",
            "datasets": {"d": {"target": "y", **ROLES[design]}},
            "models": {"m": model or {"score": "s"}},
            "metrics": [{m.name: ASKED[m.name]} if m.name in ASKED else m.name for m in which],
            "costs": {"false_negative": 5, "false_positive": 1},
            "confidence": {"resamples": 200, "methods": methods},
        },
        frames={"d": rows()},
    ).json
    return results


@pytest.mark.long
@pytest.mark.parametrize(
    ("design", "place"), [(d, k) for d, most in MOST.items() for k in range(most)]
)
def test_a_method_that_is_asked_for_is_given_and_never_exchanged(
    design: Design, place: int
) -> None:
    chosen = [m for m in metrics() if place < len(interval_methods(m, [design]))]
    methods = {m.name: interval_methods(m, [design])[place] for m in chosen}
    results = run(chosen, methods, design)
    found = {m["metric"]: m for m in results["measures"] if m["state"] == "value"}
    if of_margins := [m for m in chosen if m.name not in found]:
        methods_of_margins = {m.name: methods[m.name] for m in of_margins}
        margins = run(of_margins, methods_of_margins, design, margin="margin")
        found |= {m["metric"]: m for m in margins["measures"] if m["state"] == "value"}
    assert not results["failures"]
    for metric in chosen:
        m = found[metric.name]
        assert m["interval"] is not None, (metric.name, m["interval_reason"])
        assert m["interval"]["method"] == methods[metric.name]
        assert m["interval"]["why"] == "requested in the spec"
        assert m["interval"]["low"] <= m["interval"]["high"]


def test_every_method_of_the_table_can_be_asked_for_under_its_design() -> None:
    for design in Design:
        known = {name for metric in catalogue() for name in interval_methods(metric, [design])}
        assert {name for by in VALUES.values() for name in by[design]} - {OWN} <= known


@pytest.mark.parametrize("design", Design)
def test_a_method_of_another_design_is_refused_with_those_that_fit(design: Design) -> None:
    for metric in metrics():
        fit = interval_methods(metric, [design])
        known = {*fit, *interval_methods(metric)}
        others = [name for name in interval_methods(metric, Design) if name not in known]
        for name in others[:1]:
            with pytest.raises(evalreport.SpecError, match=f"{name} gives no limits") as refused:
                run([metric], {metric.name: name}, design)
            assert f"of {design.value}; one of {', '.join(fit)}" in str(refused.value)


@pytest.mark.parametrize("method", ["wilson", "bootstrap_percentile", "sandwich"])
@pytest.mark.parametrize("design", [Design.WEIGHTS, Design.CLUSTERS, Design.BOTH])
def test_a_method_for_independent_rows_says_what_it_passes_over(
    design: Design, method: str
) -> None:
    chosen = [m for m in metrics() if m.name in ("recall", "f1")]
    found = {m["metric"]: m for m in run(chosen, {"recall": method}, design)["measures"]}
    note = found["recall"]["interval"].get("note", "")
    assert found["recall"]["interval"]["method"] == method
    told = {
        "weights are taken as numbers of rows": design in (Design.WEIGHTS, Design.BOTH),
        "clusters are ignored": design in (Design.CLUSTERS, Design.BOTH),
    }
    for words, passed in told.items():
        assert (words in note) == (passed and method == "wilson")
    assert "as requested" not in found["f1"]["interval"].get("note", "")


@pytest.mark.parametrize("design", [Design.ROWS, Design.WEIGHTS, Design.CLUSTERS, Design.BOTH])
@pytest.mark.parametrize("metric", ["f1", "exact_match", "hamming_loss"])
def test_every_method_of_sets_of_labels_is_given(design: Design, metric: str) -> None:
    rng = np.random.default_rng(7)
    columns = {f"{kind}{k}": rng.integers(0, 2, N).tolist() for kind in "yp" for k in range(2)}
    found = find(metric)
    assert found is not None
    for method in interval_methods(found, [design]):
        results = evalreport.run(
            {
                "evalreport": 1, "title": "sets",
                "datasets": {"d": {"target": {"labels": {"a": "y0", "b": "y1"}}, **ROLES[design]}},
                "models": {"m": {"prediction": {"labels": {"a": "p0", "b": "p1"}}}},
                "metrics": [metric],
                "confidence": {"resamples": 200, "methods": {metric: method}},
            },
            frames={"d": {**rows(), **columns}},
        ).json  # fmt: skip
        single = [m for m in results["measures"] if m["average"] is None]
        assert single
        assert {m["interval"]["method"] for m in single} == {method}


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
