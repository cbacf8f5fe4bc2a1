"""What the types of records cannot say: that they belong together."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalreport.errors import FilesError
from evalreport.results.codec import decode

PATH = Path(__file__).parents[1] / "golden" / "accepted" / "penguins" / "results.json"


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    for curve in found["curves"]:
        curve["points"] = {name: [0.5] * size for name, size in curve["points"].items()}
    return found


def _set(*place: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(results: dict[str, Any]) -> None:
        inner: Any = results
        for part in place[:-1]:
            inner = inner[part]
        inner[place[-1]] = to

    return change


def _twice(results: dict[str, Any]) -> None:
    results["measures"][1]["id"] = results["measures"][0]["id"]


def _shorter(results: dict[str, Any]) -> None:
    column = next(iter(results["curves"][0]["points"]))
    results["curves"][0]["points"][column].append(0.5)


def _narrow(results: dict[str, Any]) -> None:
    results["tables"][0]["counts"][0].append(1)


def _sparse(results: dict[str, Any]) -> None:
    results["tables"][0].update(counts=None, cells=[[99, 0, 1]])


def _neither(results: dict[str, Any]) -> None:
    results["tables"][0].update(counts=None, cells=None)


def _missing(results: dict[str, Any]) -> None:
    results["tables"][0]["missing"].update(without_target=[1], without_prediction=[1])


CHANGES = [
    (_twice, "measures[1].id: is 'm1', which is there before"),
    (_shorter, "curves[0].points: has columns of different lengths"),
    (_set("tables", 0, "positive", to="?"), "tables[0].positive: is '?', which is none"),
    (_narrow, "tables[0].counts: is not 3 rows of"),
    (_set("tables", 0, "counts", 0, 0, to=-1), "tables[0].counts: has a count below 0"),
    (_sparse, "tables[0].cells[0]: is a cell of no label"),
    (_neither, "tables[0].counts: is null, and there are no cells"),
    (_missing, "tables[0].missing.without_prediction: is not one number for each label"),
    (_missing, "tables[0].missing.without_target: is not one number for each column"),
    (_set("measures", 0, "value", to=None), "measures[0].value: is None, and the state is value"),
    (_set("measures", 0, "table", to="t99"), "measures[0].table: is 't99', which is not a table"),
    (_set("measures", 0, "tables", to=["t99"]), "measures[0].tables[0]: is 't99'"),
    (_set("measures", 0, "metric", to=""), "measures[0].metric: is empty"),
    (
        _set("cautions", 0, "measure", to="m0"),
        "cautions[0].measure: is 'm0', which is not a measure",
    ),
    (_set("cautions", 0, "table", to="t0"), "cautions[0].table: is 't0', which is not a table"),
    (_set("tables", 0, "labels", to=[]), "tables[0].labels: is empty, or lists a label twice"),
    (_set("measures", 0, "model", to="?"), "measures[0]: is of '?' on"),
]


@pytest.mark.parametrize(("change", "told"), CHANGES, ids=[told for _, told in CHANGES])
def test_records_that_do_not_belong_together_are_refused(
    change: Callable[[dict[str, Any]], None], told: str, content: dict[str, Any]
) -> None:
    changed = copy.deepcopy(content)
    change(changed)
    with pytest.raises(FilesError) as caught:
        decode(changed)
    assert any(told in str(problem) for problem in caught.value.problems), caught.value.problems


def test_as_they_are_they_are_read(content: dict[str, Any]) -> None:
    assert decode(content).measures
