"""What is computed of one class among several, or of one label, is printed with its cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plain_results import render_html
from report.html_page import parse
from stress.paper import Paper

import evalreport

LABELS = ("a", "b", "c")
ROWS = 90
DRAW = np.random.default_rng(14)
ACTUAL = DRAW.choice(LABELS, ROWS, p=[0.5, 0.3, 0.2])
SEX = DRAW.choice(["f", "m"], ROWS)
RAW = DRAW.random((ROWS, 3)) + 0.6 * (ACTUAL[:, None] == np.array(LABELS))
SCORES = (RAW / RAW.sum(axis=1, keepdims=True)).round(4)
SCORES[:, 2] = (1 - SCORES[:, 0] - SCORES[:, 1]).round(4)
PREDICTED = np.array(LABELS)[SCORES.argmax(axis=1)]
HEADS = ["TN", "FP", "FN", "TP"]


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"scores": {x: f"p_{x}" for x in LABELS}}},
        "metrics": ["recall", "precision"],
        "averaging": ["none", "macro"],
        "subgroups": ["sex"],
    }
    frame: dict[str, Any] = {"y": ACTUAL.tolist(), "sex": SEX.tolist()}
    frame |= {f"p_{x}": SCORES[:, k].tolist() for k, x in enumerate(LABELS)}
    return dict(evalreport.run(spec, frames={"d": frame}).json)


@pytest.fixture(scope="module")
def page(results: dict[str, Any]) -> Any:
    return parse(render_html(results))


def cells(label: str, of: Any, called: Any) -> list[str]:
    """TN, FP, FN and TP of a class among the rows ``of``, of which ``called`` are given it."""
    own = label == ACTUAL
    return [
        str(int(np.sum(of & (own == actual) & (called == predicted))))
        for actual, predicted in ((False, False), (False, True), (True, False), (True, True))
    ]


@pytest.mark.long
def test_every_kind_of_curve_is_drawn_but_what_the_roc_curve_says(results: Any, page: Any) -> None:
    captions = [caption.text for caption in page.all("figcaption")]
    classes = "m, 3 classes, lowest recall first"
    words = {
        "roc": f"ROC curve, {classes}",
        "precision_recall": f"Precision and recall, {classes}",
        "calibration": f"Calibration, {classes}",
        "smoothed_calibration": "Line: smoothed",
        "decision": f"Net benefit, {classes}",
        "score_distribution": f"Scores by class, {classes}",
    }
    kinds = {curve["kind"] for curve in results["curves"]}
    assert kinds == {*words, "gain", "lift", "accuracy_coverage"}
    assert all(any(text in caption for caption in captions) for text in words.values())


@pytest.mark.parametrize("title", ["ROC curve", "Precision and recall", "Net benefit"])
def test_each_point_of_a_curve_stands_beside_its_table(page: Any, title: str) -> None:
    (table,) = (t for t in page.all("table") if f"{title}: data of m" in t.text)
    heads = [th.text.upper() for th in table.all("thead")[0].all("th")]
    places = [heads.index(name) for name in HEADS]
    rows = table.all("tbody")[0].all("tr")
    assert len(rows) >= 3 * len(LABELS)
    for row in rows:
        texts = [cell.text for cell in row.all("th") + row.all("td")]
        label, threshold = texts[0], texts[heads.index("THRESHOLD")]
        at = np.inf if threshold == "none" else float(threshold)
        called = SCORES[:, LABELS.index(label)] >= at - 1e-9
        assert [texts[k] for k in places] == cells(label, np.full(ROWS, True), called)


def test_each_class_of_each_group_stands_beside_its_cells(page: Any) -> None:
    (table,) = (t for t in page.all("table") if "Classes by sex" in t.text)
    heads = [th.text for th in table.all("thead")[0].all("th")]
    assert heads[:7] == ["sex", "class", "model", *HEADS]
    lines = []
    for row in table.all("tbody")[0].all("tr"):
        texts = [cell.text for cell in row.all("th") + row.all("td")]
        lines.append((texts[0], texts[1], *texts[3:7]))
    expected = [
        (sex, label, *cells(label, sex == SEX, label == PREDICTED))
        for sex in ("f", "m")
        for label in LABELS
    ]
    assert sorted(lines) == sorted(expected)


def test_each_label_of_each_group_stands_beside_its_cells() -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": {"list": "y", "separator": " "}}},
        "models": {"m": {"prediction": {"list": "p", "separator": " "}}},
        "metrics": ["recall"],
        "subgroups": ["sex"],
        "confidence": {"resamples": 20},
    }
    frame = {
        "y": ["a b", "a", "b", "", "a b", "b"],
        "p": ["a", "a b", "b", "a", "a b", ""],
        "sex": ["f", "f", "f", "m", "m", "m"],
    }
    page = parse(render_html(dict(evalreport.run(spec, frames={"d": frame}).json)))
    (table,) = (t for t in page.all("table") if "Labels by sex" in t.text)
    lines = [
        [cell.text for cell in row.all("th") + row.all("td")][:7]
        for row in table.all("tbody")[0].all("tr")
    ]
    assert [(line[0], line[1], *line[3:]) for line in lines] == [
        ("f, small n", "a", "1", "0", "0", "2"),
        ("f, small n", "b", "0", "1", "1", "1"),
        ("m, small n", "a", "1", "1", "0", "1"),
        ("m, small n", "b", "1", "0", "1", "1"),
    ]


def test_averages_of_groups_stand_beside_the_counts_of_every_class() -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["accuracy", "balanced_accuracy", "mcc", "recall", "precision", "f1"],
        "averaging": ["macro"],
        "subgroups": ["sex"],
    }
    frame = {"y": ACTUAL.tolist(), "sex": SEX.tolist(), "p": PREDICTED.tolist()}
    results = dict(evalreport.run(spec, frames={"d": frame}).json)
    paper = Paper(render_html(results, paper=True))
    assert paper.without_counts(results["measures"]) == []
    page = parse(render_html(results))
    strip = next(t for t in page.all("table") if "Metrics by sex" in t.all("caption")[0].text)
    for row in strip.all("tbody")[0].all("tr"):
        of = row.all("th")[0].text.partition(",")[0].strip() == SEX
        for label, cell in zip(LABELS, row.all("td")[1:], strict=False):
            _, fp, fn, tp = cells(label, of, label == PREDICTED)
            assert cell.text.replace("\N{NO-BREAK SPACE}", " ") == f"{tp} · {fn} · {fp}"


def test_differences_of_averages_stand_below_the_counts_of_every_class() -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}, "n": {"prediction": "q"}},
        "metrics": ["accuracy", "balanced_accuracy", "precision", "f1"],
        "averaging": ["macro"],
        "comparisons": {"reference": "n"},
    }
    other = PREDICTED[::-1]
    frame = {"y": ACTUAL.tolist(), "p": PREDICTED.tolist(), "q": other.tolist()}
    page = parse(render_html(dict(evalreport.run(spec, frames={"d": frame}).json)))
    section = next(s for s in page.all("section") if s.attrs["id"] == "comparisons")
    counts, differences = section.all("table")[:2]
    found = [[td.text.split() for td in tr.all("td")] for tr in counts.all("tr")[1:]]
    for (_, *classes), called in zip(found, (PREDICTED, other), strict=True):
        for label, cell in zip(LABELS, classes, strict=True):
            _, fp, fn, tp = cells(label, np.full(ROWS, fill_value=True), label == called)
            assert cell == [tp, "·", fn, "·", fp]
    heads = [th.text for th in differences.all("thead")[0].all("th")]
    assert heads[:4] == ["metric", "value", "reference", "difference"]
