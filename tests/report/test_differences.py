"""The table of differences: what is shown to differ is on the page, and every line on its axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plain_results import render_html
from report.html_page import Element, parse

from evalreport.api import run

NAMES = [f"c{k}" for k in range(6)]


def _table(results: Any, template: str = "standard") -> Element:
    root = parse(render_html(results.json, template))
    return next(t for t in root.all("table") if "cmp" in t.attrs.get("class", "").split())


def _lines(table: Element) -> list[list[str]]:
    return [[c.text for c in tr.all("td")] for tr in table.all("tbody")[0].all("tr")]


def test_differences_that_are_shown_come_first_where_some_are_left_out() -> None:
    """Of six classes the second model misses most of one, which the first finds."""
    actual = NAMES * 40
    worse = ["c1" if x == "c0" and k % 12 else x for k, x in enumerate(actual)]
    frame = {"y": actual, "a": actual[:-6] + NAMES[::-1], "b": worse}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {name: {"prediction": name} for name in "ab"},
        "metrics": ["accuracy", "recall", "precision"],
        "averaging": ["none"],
        "comparisons": {"reference": "a", "correction": "holm"},
    }
    found = run(spec, frames={"d": frame})
    apart = [c for c in found.records.comparisons if c.told_apart]
    assert {c.label for c in apart} == {"c0", "c1"}
    table = _table(found)
    marked = ["*" in " ".join(line) for line in _lines(table)]
    assert sum(marked) == len(apart)
    assert marked == sorted(marked, reverse=True)
    heads = [th.text for th in table.all("tbody")[0].all("th")]
    assert "Recall of c0" in heads
    assert "Recall of c3" not in heads


@pytest.fixture(scope="module")
def scored() -> Any:
    random = np.random.default_rng(5)
    ill = random.random(300) < 0.4
    z = [random.normal(size=300) + np.where(ill, 3.0, -3.0) * (1 - k) for k in range(2)]
    frame = {"y": np.where(ill, "ill", "well").tolist()}
    frame |= {f"m{k}": (1 / (1 + np.exp(-x))).tolist() for k, x in enumerate(z)}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {f"m{k}": {"score": f"m{k}"} for k in range(2)},
        "metrics": ["roc_auc", "brier", "log_loss"],
        "comparisons": {"reference": "m0"},
    }
    return run(spec, frames={"d": frame})


def test_an_axis_of_differences_has_one_unit_and_holds_all_of_it(scored: Any) -> None:
    table = _table(scored)
    (axis,) = [th for th in table.all("thead")[0].all("th") if th.attrs.get("class") == "axis"]
    end = float(axis.attrs["aria-label"].split(" to ")[1])
    lines = dict(zip((th.text for th in table.all("tbody")[0].all("th")),
                     table.all("tbody")[0].all("tr"), strict=True))  # fmt: skip
    for c in scored.records.comparisons:
        title = {"roc_auc": "ROC AUC", "brier": "Brier score ↓", "log_loss": "Log loss ↓"}[c.metric]
        drawn = bool(lines[title].all("i"))
        assert drawn is (c.metric != "log_loss"), lines[title].text
        assert ("in another unit" in lines[title].text) is not drawn
        if drawn:
            assert max(map(abs, (c.interval.low, c.interval.high))) <= end
