"""An answer of a checklist quotes what it rests on, or says that nothing is provided."""

from __future__ import annotations

import json

import pytest
from plain_results import build, render_html
from report.example_results import two_models
from report.html_page import parse

from evalreport.report.checklists import FINDERS, load_checklist
from evalreport.report.signing import Signed

LISTS = ("stard_2015", "tripod_ai", "model_card", "eu_ai_act", "ll144")


def answers(about=None, models=None, **more):
    """Item -> (status, what is said) of each list, for breast masses judged by two columns."""
    results = {**two_models(), **more}
    results["spec"] |= {"about": about or {}, "report": {"checklists": list(LISTS)}}
    results["spec"]["models"] = models or {"logistic": {"score": "a"}, "forest": {"score": "b"}}
    section = next(
        s for s in parse(render_html(results)).all("section") if s.attrs["id"] == "checklists"
    )
    found = {}
    for name, table in zip(LISTS, section.all("table"), strict=True):
        for row in table.all("tr")[1:]:
            _, status, said = row.all("td")
            found[name, row.all("th")[0].text] = (status.text, said.text)
    return found


@pytest.fixture(scope="module")
def plain():
    return answers({"out_of_scope": "Children", "primary_metric": "recall"})


def test_columns_of_predictions_are_no_identity_of_a_model(plain):
    for item in (("stard_2015", "10a"), ("tripod_ai", "12g"), ("model_card", "4.1")):
        assert plain[item][0] == "not provided", item
    assert plain["tripod_ai", "18f"][0] == "not provided"


@pytest.mark.long
def test_a_model_that_the_spec_defines_is_quoted():
    models = {
        "forest": {
            "estimator": "sklearn.ensemble.RandomForestClassifier",
            "params": {"max_depth": 3},
        },
        "logistic": {"linear": {"bias": -1.2, "weights": {"x": 0.3}}},
    }
    status, said = answers(models=models)["stard_2015", "10a"]
    assert status == "from the run"
    assert "sklearn.ensemble.RandomForestClassifier, max_depth 3" in said
    assert "linear, x 0.3, bias -1.2" in said


def test_what_is_out_of_scope_is_no_implication_for_practice(plain):
    status, said = plain["stard_2015", "27"]
    assert status == "not provided"
    assert "Children" not in said


def test_one_word_is_no_reason_for_a_metric(plain):
    status, said = plain["tripod_ai", "12e"]
    assert status == "in part"
    assert "Recall" in said
    assert "not provided: why these" in said
    reasoned = answers({"primary_metric": "recall, for a missed cancer costs most"})
    status, said = reasoned["tripod_ai", "12e"]
    assert status == "from the run"
    assert "“recall, for a missed cancer costs most”" in said


def test_an_unsigned_report_does_not_count_as_signed(plain):
    status, said = plain["eu_ai_act", "Annex IV 2(g)"]
    assert status == "in part"
    assert "not provided: signature" in said
    results = two_models()
    results["spec"]["report"] = {"checklists": ["eu_ai_act"]}
    signed = build(results, signed=Signed("A", "lead", "reviewed by", "2026-11-21"))
    items = {
        i.item: i
        for section in signed.sections
        for block in section.blocks
        if block.kind == "checklist"
        for i in block.items
    }
    assert items["Annex IV 2(g)"].status == "from the run"
    assert "SIGNED: reviewed by, A, 2026-11-21" in items["Annex IV 2(g)"].text


def test_answers_from_the_run_name_numbers_of_the_run(plain):
    # 569 masses and three rows that were excluded; two thresholds declared and one found
    assert "572 rows read, 3 excluded, 569 used" in plain["stard_2015", "19"][1]
    assert "3 rows excluded: diagnosis is empty" in plain["stard_2015", "16"][1]
    assert "0.30 found on these rows" in plain["stard_2015", "12a"][1]
    assert "Wilson" in plain["stard_2015", "14"][1]
    assert "by size" in plain["stard_2015", "17"][1]


@pytest.mark.parametrize("name", LISTS)
def test_no_item_from_the_run_is_empty(plain, name):
    own = [(item, *told) for (which, item), told in plain.items() if which == name]
    assert own
    assert all(said for _, status, said in own if status != "not applicable"), own


@pytest.mark.parametrize("name", LISTS)
def test_what_an_item_shows_can_be_found_in_a_run(name):
    items = load_checklist(name)["items"]
    asked = {show for item in items for show in item.get("shows") or ()}
    assert asked <= set(FINDERS)
    assert "needs" not in json.dumps(items)
