"""What else a report has, on samples of every design: comparisons, subgroups, curves, criteria."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport

METRICS = ("accuracy", "recall", "precision", "f1", "roc_auc", "average_precision", "brier")
RANKS = ("roc_auc", "average_precision")
SITES = list("ABCD")


def frame() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    n = 900
    y = (rng.random(n) < 0.3).astype(int)
    first, second = (
        1 / (1 + np.exp(-(rng.normal(size=n) + gain * y - gain / 2))) for gain in (1.4, 1.0)
    )
    site = np.array(SITES)[rng.integers(0, 4, n)]
    return {
        "y": y,
        "first": first,
        "second": second,
        "site": site,
        "sex": np.array(list("FM"))[rng.integers(0, 2, n)],
        "w": np.where(site == "A", 3.0, 1.0),
        "pairs": np.arange(n) // 2,
        "by_site": rng.random(n) < np.where(site == "A", 0.9, 0.5),
        "by_score": rng.random(n) < np.where(first >= 0.5, 0.95, 0.5),
        "judge": np.where(rng.random(n) < 0.85, y, 1 - y),
        "day": [f"2025-{1 + k % 3:02}-10" for k in range(n)],
    }


DESIGNS: dict[str, tuple[dict[str, Any], str | None]] = {
    "strata": ({"strata": "site", "totals": dict.fromkeys(SITES, 4000)}, None),
    "weight": ({"weight": "w", "strata": "site", "cluster": "pairs"}, None),
    "verified": ({"verified": "by_site", "strata": ["site"]}, "by_site"),
    "by prediction": ({"verified": "by_score", "strata": ["predicted"]}, "by_score"),
    "proxy": ({"proxy": "judge"}, "by_site"),
}


def run(design: str) -> Any:
    sampling, labelled = DESIGNS[design]
    data = frame()
    if labelled is not None:
        known = data[labelled]
        data["y"] = [int(y) if k else None for y, k in zip(data["y"], known, strict=True)]
        data[labelled] = known.astype(int)
    data = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in data.items()}
    data["judge"] = [str(one) for one in data["judge"]]
    data["y"] = [None if one is None else str(one) for one in data["y"]]
    spec = {
        "evalreport": 1,
        "datasets": {
            "d": {
                "target": "y",
                "sampling": sampling,
                "period": {"column": "day", "every": "month"},
            }
        },
        "models": {"a": {"score": "first"}, "b": {"score": "second"}},
        "metrics": list(METRICS),
        "subgroups": ["sex"],
        "confidence": {"resamples": 100},
        "comparisons": {"reference": "a"},
        "acceptance": [
            {"metric": "recall", "at_least": 0.2, "bound": "lower", "subgroup": {"sex": "F"}},
            {"metric": "roc_auc", "at_least": 0.6},
        ],
    }
    return evalreport.run(spec, frames={"d": data}).json


@pytest.mark.parametrize("design", DESIGNS)
def test_every_part_works_on_samples_or_says_why_not(design: str) -> None:
    found = run(design)
    assert found["failures"] == []
    ranked = design != "proxy"
    for one in found["measures"]:
        if one["metric"] in RANKS and not ranked:
            assert one["state"] == "not_applicable"
            assert "not the ranks of scores" in one["reason"]
            continue
        assert one["state"] == "value", one
        assert one["interval"]["method"] in ("wilson_n_eff", "sandwich"), one
    assert {one["subgroup"].get("sex") for one in found["measures"]} == {None, "F", "M"}
    assert found["periods"]
    assert found["subgroup_gaps"]
    kinds = {curve["kind"] for curve in found["curves"]}
    skipped = {one["task"].partition(":")[0]: one["reason"] for one in found["plan"]["skipped"]}
    if ranked:
        assert {"roc", "precision_recall", "calibration"} <= kinds
    else:
        assert kinds == set()
        assert "not the ranks of scores" in skipped["curves"]
    for one in found["comparisons"]:
        assert one["test"] == "design_based"
        if design == "by prediction":
            assert one["difference"] is None
            assert one["reason"].endswith("name the strata by a column")
        else:
            assert one["interval"]["low"] <= one["difference"] <= one["interval"]["high"]
    assert {one["metric"] for one in found["comparisons"]} == set(METRICS) - (
        set() if ranked else set(RANKS)
    )
    outcomes = [(one["metric"], one["outcome"]) for one in found["acceptance"]]
    assert outcomes.count(("recall", "pass")) == 2
    assert outcomes.count(("roc_auc", "pass" if ranked else "not_evaluated")) == 2


@pytest.mark.parametrize(
    "roles",
    [
        {"weight": "w"},
        {"weight": "w", "cluster": "pairs"},
        {"sampling": {"strata": "site", "totals": dict.fromkeys(SITES, 4000)}},
    ],
    ids=["weights", "clusters of weights", "strata"],
)
def test_differences_of_u_are_those_of_the_area_times_all_pairs(roles: dict[str, Any]) -> None:
    """U counts the pairs that are won, so U = A W1 W0 of both models (Mann, Whitney 1947)."""
    data = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in frame().items()}
    data["y"], data["judge"] = [str(one) for one in data["y"]], [str(one) for one in data["judge"]]
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **roles}},
        "models": {"a": {"score": "first"}, "b": {"score": "second"}},
        "metrics": ["roc_auc", "mann_whitney_u"],
        "comparisons": {"reference": "a"},
    }
    found = evalreport.run(spec, frames={"d": data}).json
    area, u = found["comparisons"]
    values = {m["metric"]: m["value"] for m in found["measures"] if m["model"] == "a"}
    pairs = values["mann_whitney_u"] / values["roc_auc"]
    assert u["difference"] == pytest.approx(pairs * area["difference"])
    assert u["p_value"] == pytest.approx(area["p_value"])
    for end in ("low", "high"):
        assert u["interval"][end] == pytest.approx(pairs * area["interval"][end])
