"""The choice of a threshold on the page: every position is true, and one is shown at a time."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from golden.words_on_paper import words_of
from plain_results import render_html
from report.example_results import many_classes
from report.html_page import parse

import evalreport
from evalreport.numbers import value_text
from evalreport.render.pdf import render_pdf

SCORES = [0.9, 0.8, 0.8, 0.7, 0.6, 0.55, 0.4, 0.3, 0.2, 0.1]
ACTUAL = ["ill", "ill", "well", "ill", "well", "ill", "well", "ill", "well", "well"]


@pytest.fixture(scope="module")
def results():
    return evalreport.evaluate(ACTUAL, SCORES, positive="ill", threshold=0.5)


@pytest.fixture(scope="module")
def positions(results):
    """Threshold, table and metrics of every position, as a reader finds them."""
    (choice,) = parse(results.to_html()).all("fieldset")
    panels = [e for e in choice.all("div") if e.attrs.get("class") == "at"]
    thresholds = [label.text for label in choice.all("label")]
    assert len(panels) == len(thresholds) == len(choice.all("input")) > 5
    return list(zip(thresholds, panels, strict=True))


def test_each_position_counts_the_rows_at_its_threshold(positions):
    for threshold, panel in positions:
        at = float(threshold)
        cells = [int(td.text) for td in panel.all("td") if td.attrs.get("class") != "corner"]
        heads = [th.text for th in panel.all("th")]
        assert sorted(heads[:2]) == sorted(heads[2:]) == ["ill", "well"]
        said = {
            (actual, predicted): cells[2 * i + j]
            for i, actual in enumerate(heads[2:])
            for j, predicted in enumerate(heads[:2])
        }
        rows = [(a, "ill" if s >= at else "well") for a, s in zip(ACTUAL, SCORES, strict=True)]
        assert said == {pair: rows.count(pair) for pair in said}, threshold


def test_the_metrics_of_each_position_follow_from_its_table(positions):
    for threshold, panel in positions:
        at = float(threshold)
        rows = [(a == "ill", s >= at) for a, s in zip(ACTUAL, SCORES, strict=True)]
        tp, fn, fp, tn = (
            rows.count(pair)
            for pair in ((True, True), (True, False), (False, True), (False, False))
        )
        by_hand = {
            "Recall": (tp, tp + fn),
            "Specificity": (tn, tn + fp),
            "Precision": (tp, tp + fp),
            "Negative predictive value": (tn, tn + fn),
            "Accuracy": (tp + tn, len(rows)),
            "F1": (2 * tp, 2 * tp + fp + fn),
        }
        (told,) = panel.all("dl")
        text = " ".join(told.text.split())
        for name, (top, bottom) in by_hand.items():
            said = value_text(float(Fraction(top, bottom))) if bottom else "undefined"
            assert f"{name}{said}" in text, (threshold, text)
        (dot,) = panel.all("circle")
        assert float(dot.attrs["cx"]) == pytest.approx(100 * fp / (fp + tn), abs=0.01)
        assert float(dot.attrs["cy"]) == pytest.approx(100 * fn / (tp + fn), abs=0.01)


def test_the_threshold_of_the_report_is_chosen_first(positions, results):
    assert len(positions) > 5
    page = parse(results.to_html())
    (chosen,) = [e for e in page.all("input") if "checked" in e.attrs]
    (label,) = [e for e in page.all("label") if e.attrs["for"] == chosen.attrs["id"]]
    assert label.text == "0.50"
    assert len({e.attrs["name"] for e in page.all("input")}) == 1


def test_verify_finds_a_count_that_was_changed_behind_a_position():
    """Positions are points of the sweep: a false one is found though the page agrees with it."""
    from evalreport.verify.recompute import recompute

    found = evalreport.evaluate(ACTUAL, SCORES, positive="ill", threshold=0.5)
    raw = found.json
    curve = next(c for c in raw["curves"] if c["kind"] == "sweep")
    assert recompute(raw).problems == ()
    curve["points"]["fp"][5] += 1
    curve["points"]["tn"][5] -= 1
    assert recompute(raw).problems


def test_paper_has_the_sweep_and_no_choice(results):
    page = results.to_html()
    assert '<fieldset class="choose">' in page
    paper = render_html(results.records, paper=True)
    words = " ".join(
        word.text
        for sheet in words_of(render_pdf(paper, at=datetime(2026, 1, 1, tzinfo=UTC)))
        for word in sheet
    )
    assert "Threshold sweep" in words
    legend = parse(page).all("legend")[0].text
    assert legend
    assert legend not in words


def test_several_classes_have_no_choice():
    assert "fieldset" not in render_html(many_classes(4))


def test_where_a_rule_finds_no_threshold_all_can_still_be_chosen():
    """Nothing was counted at a threshold of the report: the classes are those of the rows."""
    found = evalreport.evaluate(
        ["ill", "well", "well", "ill"],
        [0.9, 0.9, 0.2, 0.1],
        positive="ill",
        threshold={"at_least": {"precision": 0.9}},
    )
    page = found.to_html()
    assert "could not be made" not in page
    (choice,) = parse(page).all("fieldset")
    heads = [th.text for th in choice.all("th")]
    assert set(heads) == {"ill", "well"}


def test_a_choice_sends_nothing(results):
    page = results.to_html()
    assert "<form" not in page
    assert re.search(r"form-action 'none'", page)
    assert "<script" not in page
