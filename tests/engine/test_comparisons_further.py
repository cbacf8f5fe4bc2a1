"""Comparisons in subgroups and at every threshold: each as if its rows were all, in one family."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.verify.recompute import recompute

RNG = np.random.default_rng(21)
N = 160
TRUTH = RNG.random(N) < 0.5
GROUP = np.where(np.arange(N) % 4 == 0, "few", "many")
FRAME = {
    "y": np.where(TRUTH, "ill", "healthy"),
    "g": GROUP,
    "a": 1 / (1 + np.exp(-(2.0 * TRUTH - 1 + RNG.normal(0, 1.2, N)))),
    "b": 1 / (1 + np.exp(-(1.4 * TRUTH - 0.7 + RNG.normal(0, 1.2, N)))),
}
METRICS = ["recall", "precision", "roc_auc", "brier", "f1"]


def run(rows: Any = slice(None), other: Any = None, **asked: Any) -> evalreport.Results:
    frame = {name: values[rows].tolist() for name, values in FRAME.items()}
    frames = {"d": frame} if other is None else {"d": frame, "e": other}
    spec = {
        "evalreport": 1,
        "title": "t",
        "positive": {"label": "ill"},
        "datasets": {name: {"target": "y"} for name in frames},
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "metrics": METRICS,
        "thresholds": asked.pop("at", [0.5, 0.3]),
        "subgroups": asked.pop("of", ["g"]),
        "confidence": {"resamples": 200},
        "comparisons": {"reference": "b" if other is None else {"dataset": "e"}, **asked},
    }
    return evalreport.run(spec, frames=frames)


def plain(record: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on draws or on what stands beside it in the report."""
    drawn = "bootstrap" in record["test"]
    names = ["metric", "model_value", "reference_value", "difference", "n", "joint_table"]
    names += [] if drawn else ["p_value", "statistic", "interval"]
    return {name: record.get(name) for name in names}


@pytest.fixture(scope="module")
def both() -> evalreport.Results:
    return run(subgroups=True, thresholds=True, correction="holm")


def test_each_subgroup_is_compared_as_if_it_were_all_rows(both: evalreport.Results) -> None:
    for value in ("few", "many"):
        alone = run(value == GROUP, of=[]).json["comparisons"]
        within = [
            c
            for c in both.json["comparisons"]
            if c["subgroup"] == {"g": value} and c["threshold"] in (None, 0.5)
        ]
        assert len(within) == len(METRICS)
        assert [plain(c) for c in within] == [plain(c) for c in alone]


def test_each_threshold_is_compared_as_if_it_were_the_first(both: evalreport.Results) -> None:
    alone = run(at=[0.3], of=[]).json["comparisons"]
    at = [c for c in both.json["comparisons"] if not c["subgroup"] and c["threshold"] == 0.3]
    expected = [c for c in alone if c["threshold"] == 0.3]
    assert [plain(c) for c in at] == [plain(c) for c in expected]
    assert [c["metric"] for c in at] == ["recall", "precision", "f1"]


def test_the_first_ones_stay_what_they_are_without_the_others(both: evalreport.Results) -> None:
    alone = run().json["comparisons"]
    first = both.json["comparisons"][: len(alone)]
    for one, other in zip(first, alone, strict=True):
        for key in ("difference", "interval", "p_value", "threshold", "subgroup"):
            assert one[key] == other[key]
    assert len(alone) == len(METRICS)


def test_all_of_them_are_one_family(both: evalreport.Results) -> None:
    """Five numbers of all rows and two groups, three of them at a second threshold."""
    records = both.json["comparisons"]
    assert len(records) == 3 * (5 + 3)
    tested = [c for c in records if c["p_value"] is not None]
    assert {c["family_tests"] for c in tested} == {len(tested)}
    assert f"as one family of {len(tested)} tests" in both.to_html()
    order = np.argsort([c["p_value"] for c in tested], kind="stable")
    steps = [(len(tested) - k) * tested[i]["p_value"] for k, i in enumerate(order)]
    holm = np.minimum(1, np.maximum.accumulate(steps))
    assert [tested[i]["p_adjusted"] for i in order] == pytest.approx(holm.tolist())


def test_pages_name_the_rows_and_the_threshold(both: evalreport.Results) -> None:
    page = both.to_html()
    assert "at 0.3" in page
    assert recompute(both.json).problems == ()


def test_of_two_datasets_too() -> None:
    half = np.arange(N) % 2 == 0
    rest = {name: values[~half].tolist() for name, values in FRAME.items()}
    found = run(half, other=rest, subgroups=True).json["comparisons"]
    alone = run(
        half & (GROUP == "many"),
        other={k: v[~half & (GROUP == "many")].tolist() for k, v in FRAME.items()},
        of=[],
    ).json["comparisons"]
    within = [c for c in found if c["subgroup"] == {"g": "many"}]
    assert [plain(c) for c in within] == [plain(c) for c in alone]
    # no odd row is in the group of few
    few = [c for c in found if c["subgroup"] == {"g": "few"}]
    assert few == []


def test_rows_on_the_boundary_of_linear_models_are_drawn_alike_in_subgroups() -> None:
    sums = np.round(2.0 * TRUTH - 1 + RNG.normal(0, 1.0, N))
    frame = {"y": FRAME["y"].tolist(), "g": GROUP.tolist(), "one": sums.tolist()}
    frame["two"] = RNG.integers(-1, 2, N).tolist()
    spec = {
        "evalreport": 1,
        "positive": {"label": "ill"},
        "datasets": {"d": {"target": "y", "labels": ["healthy", "ill"]}},
        "models": {
            "m": {"linear": {"bias": 0, "weights": {"one": 1}}},
            "n": {"linear": {"bias": 0, "weights": {"one": 1, "two": 1}}},
        },
        "metrics": ["recall", "accuracy"],
        "subgroups": ["g"],
        "comparisons": {"reference": "m", "subgroups": True},
    }
    found = evalreport.run(spec, frames={"d": frame}).json
    assert not found["failures"]
    values = {(m["model"], m["metric"], str(m["subgroup"])): m["value"] for m in found["measures"]}
    assert len(found["comparisons"]) == 6
    for c in found["comparisons"]:
        place = c["metric"], str(c["subgroup"])
        assert c["model_value"] == values["n", *place]
        assert c["reference_value"] == values["m", *place]
