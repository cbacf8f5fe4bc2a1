"""P values count independent rows: weights and clusters make neither more nor fewer of them."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport
from evalreport.metrics.catalogue import catalogue

COLUMNS = {
    "y": ["a", "b", "b", "a", "b", "b"],
    "s": [0.1, 0.8, 0.6, 0.7, 0.3, 0.9],
    "w": [100] * 6,
    "k": ["p", "p", "q", "q", "r", "r"],
}
NAMES = [metric.name for metric in catalogue() if metric.p_value]


def p_values(**dataset: str) -> list[dict[str, Any]]:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **dataset}},
        "models": {"m": {"score": "s"}},
        "metrics": NAMES,
    }
    found: list[dict[str, Any]] = evalreport.run(spec, frames={"d": COLUMNS}).json["measures"]
    return found


def test_independent_rows_have_p_values() -> None:
    assert {m["state"] for m in p_values()} == {"value"}


@pytest.mark.parametrize(
    ("dataset", "reason"),
    [
        (
            {"weight": "w"},
            "its p value is of independent rows that weigh 1, and these have weights",
        ),
        ({"cluster": "k"}, "its p value is of independent rows, and these are in clusters"),
    ],
)
def test_others_have_none(dataset: dict[str, str], reason: str) -> None:
    found = p_values(**dataset)
    assert {m["metric"] for m in found} == set(NAMES)
    assert {(m["state"], m["reason"]) for m in found} == {("not_applicable", reason)}
