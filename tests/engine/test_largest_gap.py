"""The largest gap between any two groups of a column, with limits that hold for all pairs."""

from __future__ import annotations

import math
from itertools import combinations, permutations
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.spec.load import parse_spec
from evalreport.statistics.unpaired import newcombe_hybrid
from evalreport.verify.recompute import recompute

FOUND = {"a": (18, 20), "b": (24, 30), "c": (12, 25), "(none)": (5, 9)}


def frame() -> dict[str, list[Any]]:
    truth: list[str] = []
    group: list[str | None] = []
    score: list[float] = []
    for name, (x, n) in FOUND.items():
        truth += ["ill"] * n + ["healthy"] * 8
        group += [None if name == "(none)" else name] * (n + 8)
        score += [0.9 - 0.01 * (k % 7) for k in range(x)]
        score += [0.3 - 0.01 * (k % 5) for k in range(n - x)]
        score += [0.1 * (k % 8) for k in range(8)]
    return {"y": truth, "g": group, "p": score}


def run(**asked: Any) -> evalreport.Results:
    spec = {
        "evalreport": 1,
        "title": "t",
        "positive": {"label": "ill"},
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "p"}},
        "metrics": ["recall", "roc_auc", "brier", "average_precision"],
        "subgroups": ["g"],
        "confidence": {"resamples": 100},
        **asked,
    }
    return evalreport.run(spec, frames={"d": frame()})


@pytest.fixture(scope="module")
def results() -> evalreport.Results:
    return run(largest_gap=True)


def of(results: evalreport.Results, metric: str) -> dict[str, Any]:
    return next(h for h in results.json["heterogeneity"] if h["metric"] == metric)


def test_a_gap_of_shares_by_hand(results: evalreport.Results) -> None:
    """Three known groups, three pairs, each at 1 - 0.05 / 3."""
    found = of(results, "recall")["widest"]
    groups = {m["id"]: m["subgroup"] for m in results.json["measures"]}
    assert groups[found["highest"]] == {"g": "a"}
    assert groups[found["lowest"]] == {"g": "c"}
    assert found["pairs"] == 3
    assert found["gap"] == pytest.approx(18 / 20 - 12 / 25)
    limits = [
        newcombe_hybrid(*FOUND[one], *FOUND[two], 1 - 0.05 / 3)
        for one, two in combinations("abc", 2)
    ]
    assert found["interval"]["low"] == pytest.approx(max(max(i.low, -i.high) for i in limits))
    assert found["interval"]["high"] == pytest.approx(max(i.high for i in limits))
    assert found["interval"]["method"] == "newcombe_hybrid_simultaneous"
    assert 0 < found["interval"]["low"] < found["gap"] < found["interval"]["high"]


def test_other_values_by_their_limits_or_not_at_all(results: evalreport.Results) -> None:
    told = 0
    for metric in ("roc_auc", "brier", "average_precision"):
        entry = of(results, metric)
        found = entry["widest"]
        groups = [
            m
            for m in results.json["measures"]
            if m["metric"] == metric and m["subgroup"].get("g") in ("a", "b", "c")
        ]
        if any(m["interval"] is None for m in groups):
            assert found["interval"] is None
            assert found["reason"] == "a group has no interval"
            continue
        told += 1
        assert found["interval"]["method"] == "square_and_add_simultaneous"
        # by hand: the limits of each as far apart as the level of three pairs asks, squared, added
        wider = NormalDist().inv_cdf(1 - 0.025 / 3) / NormalDist().inv_cdf(0.975)
        ends = []
        for one, two in permutations(groups, 2):
            up = one["interval"]["high"] - one["value"], two["value"] - two["interval"]["low"]
            ends.append(one["value"] - two["value"] + wider * math.hypot(*up))
        high = min(max(ends), 1.0)
        assert found["interval"]["high"] == pytest.approx(high, rel=1e-9)
        assert found["interval"]["low"] <= found["gap"] <= found["interval"]["high"]
    assert told


@pytest.mark.long
def test_it_is_told_where_it_is_asked_for_and_verified(results: evalreport.Results) -> None:
    assert "Largest gap between any two groups" in results.to_html()
    plain = run()
    assert "Largest gap between any two groups" not in plain.to_html()
    assert all("widest" not in h for h in plain.json["heterogeneity"])
    content = results.json
    assert recompute(content).problems == ()
    content["heterogeneity"][0]["widest"]["gap"] = 0.9
    assert any("heterogeneity" in p.what for p in recompute(content).problems)


def test_without_subgroups_it_says_that_it_has_no_effect() -> None:
    text = (
        "evalreport: 1\ndatasets: {d: {path: a.csv, target: y}}\nmodels: {m: {score: p}}\n"
        "metrics: [recall]\nlargest_gap: true\n"
    )
    (note,) = parse_spec(text).notes
    assert note.what == "largest_gap has no effect: there are no subgroups"


@pytest.mark.parametrize("shares", [(0.9, 0.8, 0.7, 0.6), (0.8, 0.8, 0.8, 0.5), (0.95,) * 4])
def test_the_largest_true_gap_is_held(shares: tuple[float, ...]) -> None:
    """400 samples of 40 rows a group; by Bonferroni at least 95 % are to be held."""
    from evalreport.engine.groups.widest import of_pairs

    rng = np.random.default_rng(5)
    true = max(shares) - min(shares)
    held = 0
    for _ in range(400):
        counts = [(float(rng.binomial(40, p)), 40.0) for p in shares]
        low, high = of_pairs(counts, lambda a, b: newcombe_hybrid(*a, *b, 1 - 0.05 / 6))
        held += low <= true <= high
    assert held / 400 >= 0.95
