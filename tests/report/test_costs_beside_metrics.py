"""Every kind of cost beside every metric: the page is whole, and each price stands in its cell."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport
from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Table

TWO = {"false_negative": 5, "false_positive": 1}
OF_TWO = {"a": {"b": 1}, "b": {"a": 5, "b": -1}}
#: A right answer has a price as well.
OF_ONE = {"a": {"a": -1}}
OF_THREE = {"a": {"b": 1, "c": 2}, "b": {"a": 3}, "c": {"c": -1}}
PREDICTED = {"prediction": "p"}
SCORED = {"score": "s"}
BY_CLASS = {"scores": {"a": "sa", "b": "sb", "c": "sc"}}

ROWS: dict[str, dict[str, list[Any]]] = {
    "one": {"y": ["a"] * 6, "p": ["a"] * 6},
    "two": {
        "y": list("abababab"),
        "p": list("abbbaaab"),
        "s": [0.1, 0.8, 0.6, 0.9, 0.3, 0.4, 0.2, 0.7],
    },
    "three": {
        "y": list("abcabcabc"),
        "p": list("abcbbcaba"),
        "sa": [0.5, 0.2, 0.25, 0.3, 0.1, 0.2, 0.6, 0.1, 0.5],
        "sb": [0.25, 0.6, 0.25, 0.5, 0.6, 0.2, 0.2, 0.6, 0.2],
        "sc": [0.25, 0.2, 0.5, 0.2, 0.3, 0.6, 0.2, 0.3, 0.3],
    },
}


def names() -> list[Any]:
    """Every metric of the catalogue, with the parameters that it cannot do without."""
    needed = {"fbeta": {"beta": 2}}
    found: list[Any] = []
    for metric in catalogue():
        if metric.table is Table.LABEL_SETS:
            continue
        params = needed.get(metric.name, {}) or {
            p.name: 0.5 for p in metric.parameters if p.required
        }
        params = params or ({metric.one_of[0]: 0.5} if metric.one_of else {})
        found.append({metric.name: params} if params else metric.name)
    return found


def page(rows: str, model: dict[str, Any], costs: Any, metrics: list[Any]) -> Any:
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"target": "y", **({"labels": ["a"]} if rows == "one" else {})}},
        "models": {"m": model},
        "metrics": metrics,
        "averaging": ["none", "macro", "micro", "weighted"],
        "costs": costs,
    }
    return evalreport.run(spec, frames={"d": ROWS[rows]})


@pytest.mark.long
@pytest.mark.nightly_but_each(4)
@pytest.mark.parametrize(
    ("rows", "model", "costs"),
    [
        ("one", PREDICTED, TWO),
        ("one", PREDICTED, OF_ONE),
        ("two", PREDICTED, TWO),
        ("two", PREDICTED, OF_TWO),
        ("two", SCORED, TWO),
        ("two", SCORED, OF_TWO),
        ("three", PREDICTED, TWO),
        ("three", PREDICTED, OF_THREE),
        ("three", BY_CLASS, OF_THREE),
    ],
)
def test_every_cost_is_drawn_beside_every_metric(
    rows: str, model: dict[str, Any], costs: Any
) -> None:
    found = page(rows, model, costs, names())
    assert not found.json.get("failures")
    assert "could not be made" not in found.to_html()


def test_prices_of_each_pair_of_classes_stand_in_their_cells() -> None:
    """Of nine rows one a is called b (1), one c is called a (free), and two c are right (-1)."""
    found = page("three", PREDICTED, OF_THREE, ["recall", "expected_cost"])
    (cost,) = [m for m in found.json["measures"] if m["metric"] == "expected_cost"]
    assert cost["value"] == pytest.approx((1 - 2) / 9)
    html = found.to_html()
    assert "could not be made" not in html
    assert html.count('data-metric="recall"') >= 4
