"""The annex names every method that an interval of the report is by, and whose widths it tells."""

from __future__ import annotations

import re
from typing import Any

import pytest
from plain_results import render_html
from report.html_page import Element, parse

from evalreport.api import run
from evalreport.report.words import method_text


def _annex(results: dict[str, Any]) -> Element:
    page = parse(render_html(results))
    return next(s for s in page.all("section") if s.attrs["id"] == "methods")


def _run(columns: dict[str, list[Any]], models: list[str], **more: Any) -> dict[str, Any]:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {name: {"prediction": name} for name in models},
    }
    return run(spec | more, frames={"d": columns}).json


@pytest.fixture(scope="module")
def three_classes() -> dict[str, Any]:
    """Of class a 99 of 100 rows are found, of b 60 of 100, of c 7 of 10."""
    frame = {
        "y": ["a"] * 100 + ["b"] * 100 + ["c"] * 10,
        "m": ["a"] * 99 + ["b"] + ["b"] * 60 + ["a"] * 40 + ["c"] * 7 + ["b"] * 3,
    }
    return _run(frame, ["m"], metrics=["recall"], averaging=["none", "macro", "micro"])


def test_the_method_of_an_average_stands_beside_that_of_its_classes(
    three_classes: dict[str, Any],
) -> None:
    used = {m["interval"]["method"] for m in three_classes["measures"]}
    assert len(used) == 2
    row = next(tr.text for tr in _annex(three_classes).all("tr") if "Recall" in tr.text)
    assert all(method_text(method) in row for method in used)


def test_the_narrowest_and_widest_share_are_named_with_their_class(
    three_classes: dict[str, Any],
) -> None:
    """Wilson by hand: of 99 / 100 the half-width is 0.0245, of 7 / 10 it is 0.2479."""

    def half(k: int, n: int, z: float = 1.959964) -> float:
        p = k / n
        return z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5

    told = re.search(r"Half-width .*? rows\)\.", _annex(three_classes).text)
    assert told is not None
    assert told[0] == (
        f"Half-width of the intervals of shares, all rows: from {half(99, 100):.4f} "
        f"(Recall of a, m, 100 rows) to {half(7, 10):.3f} (Recall of c, m, 10 rows)."
    )


def test_one_criterion_is_one() -> None:
    frame = {"y": ["no", "yes"] * 10, "m": ["no", "yes"] * 10}
    limit = [{"metric": "accuracy", "at_least": 0.5}]
    page = parse(render_html(_run(frame, ["m"], metrics=["accuracy"], acceptance=limit)))
    told = next(dd.text for dd in page.all("dd") if "the hash of the spec" in dd.text)
    assert told.startswith("1 criterion, tied to this run")
    assert "they" not in told
    assert "them" not in told


def test_where_values_stand_in_lines_the_annex_has_their_formula() -> None:
    """Five models have no cards: no value of theirs comes with its formula."""
    labels = ["no", "yes"] * 10
    names = list("abcde")
    results = _run({"y": labels, **dict.fromkeys(names, labels)}, names, metrics=["recall"])
    page = parse(render_html(results))
    guide = next(s.text for s in page.all("section") if s.attrs["id"] == "guide")
    assert not page.all("article", data_metric="recall")
    assert "Each value comes with its formula" not in guide
    row = next(tr.text for tr in _annex(results).all("tr") if "Recall" in tr.text)
    assert "TP / (TP + FN)" in row


def test_the_annex_speaks_of_what_the_report_has(three_classes: dict[str, Any]) -> None:
    """Labels of three classes have no threshold and no positive class."""
    said = _annex(three_classes).text
    assert "threshold" not in said
    assert "An average over classes excludes" in said
    assert "Bootstraps draw" not in said


def test_draws_of_comparisons_are_told_where_no_measure_is_drawn() -> None:
    """Kappa of a model has a formula; the difference of two is drawn, as the spec asks."""
    frame = {"y": list("abc") * 20, "one": list("abc") * 18 + list("bca") * 2, "two": ["a"] * 60}
    asked = {"tests": {"kappa": "bootstrap"}, "methods": {"kappa": "bootstrap_percentile"}}
    comparisons = {"reference": "one", **asked}
    results = _run(frame, ["one", "two"], metrics=["kappa"], comparisons=comparisons)
    assert not any("bootstrap" in m["interval"]["method"] for m in results["measures"]
                   if m["interval"])  # fmt: skip
    assert "bootstrap" in results["comparisons"][0]["interval"]["method"]
    assert "Bootstraps draw 2000 times, seed 0." in _annex(results).text
