"""The template for notebooks: result, table and charts, and nothing that nobody asked for."""

from __future__ import annotations

import html
import re
from pathlib import Path
from random import Random

import pytest
from ready_specs import CONFIGS, results_of
from report.html_page import parse

import evalreport
from evalreport.api.results import Results
from evalreport.render.html import render_html
from evalreport.results.codec import decode

#: Bytes of what a notebook shows.
LIGHT = 40_000


def _results() -> evalreport.Results:
    random = Random(5)
    truth = [k % 3 == 0 for k in range(300)]
    scores = [min(1.0, max(0.0, random.gauss(0.35 + 0.3 * t, 0.2))) for t in truth]
    return evalreport.evaluate([int(t) for t in truth], scores)


def test_a_quick_page_is_small_and_has_result_table_curve_and_calibration() -> None:
    results = _results()
    page = results.to_html("quick")
    root = parse(page)
    assert [s.attrs["id"] for s in root.all("section")] == ["verdict", "curves"]
    assert root.all("h2")[0].text.strip() == "RESULTS"
    assert "limit" not in root.all("dl")[0].text
    assert [c.attrs["aria-label"].split(".")[0] for c in root.all("svg")] == [
        "ROC curve",
        "Calibration",
    ]
    shown = page.partition("<main")[2]
    assert not [word for word in ("UNSIGNED", "not provided", "acceptance") if word in shown]
    assert "@font-face" not in page
    # letters of other fonts may be wider than a chart has room for
    assert ".chart{overflow:visible}" in page
    assert ".chart{overflow:visible}" not in results.to_html()
    assert len(results._repr_html_().encode()) < LIGHT < len(results.to_html().encode())
    assert html.unescape(re.findall(r"srcdoc='([^']*)'", results._repr_html_())[0]) == page
    recall = results["recall"]
    (row,) = root.all("tr", data_measure=recall.record.id)
    assert row.all(data_value=True)[0].attrs["data-value"] == repr(recall.value)


@pytest.mark.parametrize("limit", [0.1, 0.99])
def test_limits_that_a_spec_declares_are_left_to_the_report(limit: float) -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}},
        "metrics": ["recall", "specificity"],
        "acceptance": [{"metric": "recall", "at_least": limit}],
    }
    frame = {"y": [k % 2 for k in range(40)], "s": [k / 40 for k in range(40)]}
    results = evalreport.run(spec, frames={"d": frame})
    page = results.to_html("quick")
    shown = page.partition("<main")[2].casefold()
    for word in (
        "passed",
        "failed",
        "acceptance",
        "required",
        "protocol",
        "not provided",
        "criteri",
    ):
        assert word not in shown
    assert parse(page).all("h2")[0].text.strip() == "RESULTS"
    assert ("FAILED" in results.to_html()) is (limit == 0.99)


@pytest.mark.long
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_what_a_notebook_shows_is_light(path: Path) -> None:
    shown = Results(results_of(path))._repr_html_()
    assert len(shown.encode()) < LIGHT


def test_of_classes_the_worst_ones_have_their_curves() -> None:
    random = Random(7)
    names = ["ash", "beech", "elm", "fir", "oak"]
    truth = [names[k % 5] for k in range(400)]
    scores = []
    for name in truth:
        own = [random.random() + 1.5 * (name == one) for one in names]
        scores.append([score / sum(own) for score in own])
    results = evalreport.evaluate(truth, scores, labels=names)
    root = parse(results.to_html("quick"))
    told = {c.attrs["aria-label"].split(",")[0]: c.attrs["aria-label"] for c in root.all("svg")}
    assert list(told) == ["Calibration", "ROC curve"]
    assert ["of these 4 of 5" in f.text.lower() for f in root.all("figcaption")] == [False, True]
    assert len(results._repr_html_().encode()) < LIGHT


def test_the_mean_over_folds_has_the_range_of_its_folds_not_their_tables() -> None:
    path = next(path for path in CONFIGS if path.stem == "grouped_folds")
    page = render_html(decode(results_of(path)), "minimal")
    folds = [
        m["value"]
        for m in results_of(path)["measures"]
        if m["metric"] == "balanced_accuracy" and m["model"] == "logistic" and not m["subgroup"]
        if m["fold"] not in (None, "mean") and m["average"] is None
    ]
    assert f"folds {min(folds):.3f} to {max(folds):.3f}" in page
    assert "The tables of these numbers" not in page


def test_only_the_looks_of_what_is_there_are_sent() -> None:
    results = _results()
    quick, whole = (
        results.to_html(name).partition("</style>")[0] for name in ("quick", "standard")
    )
    for rule in (".metric{", ".ledger{", ".picks{", ".toc{", ".sign{", ".cm td.k{"):
        assert rule in whole
        assert rule not in quick
    assert ".flow ol" not in whole
    clinical = render_html(decode(results.json), "clinical").partition("</style>")[0]
    assert ".flow ol" in clinical
