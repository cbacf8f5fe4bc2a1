"""Weights that are not whole stay as they are where only one class occurs."""

from __future__ import annotations

from typing import Any

import evalreport


def _run(frame: Any, **more: Any) -> Any:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "weight": "w", "labels": [0, 1]}},
        "models": {"m": {"score": "s"}},
        "metrics": ["accuracy", "brier"],
        **more,
    }
    return evalreport.run(spec, frames={"d": frame}).json


def test_half_weights_count_halves_without_any_positive_row() -> None:
    """Wrong by 0.5 + 2, right by 0.5: 0.5 of 3, never 1 of 3."""
    results = _run({"y": [0, 0, 0], "s": [0.9, 0.5, 0.0], "w": [0.5, 2.0, 0.5]})
    accuracy = results["measures"][0]
    assert (accuracy["numerator"], accuracy["denominator"]) == (0.5, 3.0)
    assert accuracy["value"] == 0.5 / 3
    assert accuracy["weight"] == 3.0
    assert results["tables"][0]["counts"] == [[0.5, 2.5], [0, 0]]


def test_half_weights_count_halves_without_any_negative_row() -> None:
    results = _run({"y": [1, 1, 1], "s": [0.9, 0.5, 0.0], "w": [0.5, 2.0, 0.5]})
    assert results["tables"][0]["counts"] == [[0, 0], [0.5, 2.5]]


def test_subgroups_of_one_class_add_up_to_all_rows() -> None:
    """Group a holds no positive row; its cells and those of b are the cells of all rows."""
    frame = {
        "y": [0, 0, 0, 1],
        "s": [0.9, 0.1, 0.1, 0.9],
        "w": [0.25, 0.5, 0.75, 1.5],
        "g": ["a", "a", "b", "b"],
    }
    tables = _run(frame, subgroups=["g"])["tables"]
    by_group = {t["subgroup"].get("g"): t["counts"] for t in tables}
    assert by_group["a"] == [[0.5, 0.25], [0, 0]]
    assert by_group["b"] == [[0.75, 0], [0, 1.5]]
    assert by_group[None] == [[1.25, 0.25], [0, 1.5]]
