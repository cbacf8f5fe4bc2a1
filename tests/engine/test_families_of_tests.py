"""Corrections for the number of tests run over one declared family, and say which."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport


def compared(**comparisons: Any) -> tuple[list[dict[str, Any]], str]:
    rng = np.random.default_rng(5)
    frames = {}
    for name, shift in (("north", 0.25), ("south", 0.1)):
        y = rng.integers(0, 2, 160)
        good = (y + rng.normal(0, 0.7, 160)).tolist()
        poor = (y * (1 - shift) + rng.normal(0, 0.9, 160)).tolist()
        frames[name] = {"y": y.tolist(), "good": good, "poor": poor}
    results = evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": {name: {"target": "y"} for name in frames},
            "models": {"good": {"score": "good"}, "poor": {"score": "poor"}},
            "metrics": ["accuracy", "recall", "roc_auc"],
            "comparisons": {"reference": "poor", **comparisons},
        },
        frames=frames,
    )
    return results.json["comparisons"], results.to_html()


def by_holm(p: list[float]) -> list[float]:
    """As R's p.adjust: the running maximum of (m - rank + 1) p, at most 1."""
    order = np.argsort(p)
    steps = np.minimum(1, np.maximum.accumulate((len(p) - np.arange(len(p))) * np.array(p)[order]))
    found = np.empty(len(p))
    found[order] = steps
    return [float(x) for x in found]


@pytest.mark.long
def test_all_comparisons_of_a_report_are_one_family() -> None:
    records, page = compared(correction="holm")
    assert [r["dataset"] for r in records] == ["north"] * 3 + ["south"] * 3
    expected = by_holm([r["p_value"] for r in records])
    assert [r["p_adjusted"] for r in records] == pytest.approx(expected)
    assert {(r["family"], r["family_tests"]) for r in records} == {("report", 6)}
    assert "as one family of 6 tests" in page


def test_each_dataset_may_be_a_family_of_its_own() -> None:
    records, page = compared(correction="holm", family="dataset")
    for name in ("north", "south"):
        own = [r for r in records if r["dataset"] == name]
        assert [r["p_adjusted"] for r in own] == pytest.approx(by_holm([r["p_value"] for r in own]))
        assert {(r["family"], r["family_tests"]) for r in own} == {("dataset", 3)}
    assert "each dataset as one family" in page


@pytest.mark.long
def test_without_a_correction_no_family_is_claimed() -> None:
    records, page = compared()
    assert not any("family" in r for r in records)
    assert "as one family" not in page
