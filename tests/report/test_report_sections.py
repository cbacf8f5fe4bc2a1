"""Sections made from parts of results beyond measures: by hand, against what stands on the page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from plain_results import build, render_html
from report.example_results import two_models
from report.html_page import parse
from verify.whole_results import numbers_of

from evalreport.report.checklists import load_checklist
from evalreport.report.wording import TEMPLATES
from evalreport.verify.printed import printed_problems

CHECKLISTS = {"stard_2015": 34, "tripod_ai": 52, "model_card": 9, "eu_ai_act": 9, "ll144": 7}
RUNS = [
    {
        "best_by_cost": 2,
        "best_by_misclassified": 1,
        "clipped": [],
        "cost": [0.7, 0.65, 0.6],
        "cost_name": "softmax_cost",
        "dataset": "d",
        "differ": True,
        "misclassified": [40, 10, 12],
        "model": "m",
        "on_boundary": [0, 0, 0],
        "rows": 100,
        "run": "long",
        "sentence": "Run long: the two criteria choose different steps.",
        "steps": [0, 1, 2],
    }
]


def _section(page, name):
    return next(s for s in parse(page).all("section") if s.attrs["id"] == name)


def test_the_best_steps_of_a_run_by_mistakes_and_by_cost_stand_side_by_side():
    results = two_models()
    dataset, model = results["measures"][0]["dataset"], results["measures"][0]["model"]
    results["histories"] = [{**RUNS[0], "dataset": dataset, "model": model}]
    section = _section(render_html(results), "training")
    row = next(r for r in section.all("tr") if r.children and "long" in r.text)
    # 10 of 100 rows at step 1, where the cost is 0.65; 12 of 100 at step 2, where it is 0.6
    assert "10 of 100 (10.0\u202f%)" in row.text.replace("\u00a0", "\u202f")
    assert "12 of 100 (12.0\u202f%)" in row.text.replace("\u00a0", "\u202f")
    assert "2 more mistakes" in row.text
    # the chart says so to those who hear it; in print the table does
    heard = [svg.attrs["aria-label"] for svg in section.all("svg")]
    assert any("the two criteria choose different steps" in text for text in heard)


@pytest.mark.long
def test_baselines_stand_beside_the_models_with_the_hooks_of_their_values():
    results = two_models()
    first = results["measures"][0]
    results["baselines"] = [
        {
            "baseline": "majority_class",
            "dataset": first["dataset"],
            "metric": first["metric"],
            "n": 100,
            "note": "taken from the rows judged",
            "params": first["params"],
            "average": None,
            "label": first["label"],
            "value": 0.25,
        }
    ]
    page = render_html(results)
    assert printed_problems(page, numbers_of(results)) == ()
    section = next(s for s in parse(page).all("section") if "Models against simple rules" in s.text)
    strip = next(t for t in section.all("table") if "Models against simple rules" in t.text)
    assert "0.250" in strip.text
    assert {e.attrs["data-metric"] for e in strip.all(data_measure=True)} == {first["metric"]}


@pytest.mark.long
def test_a_declared_value_is_said_to_lie_inside_or_outside():
    results = two_models()
    m = results["measures"][0]
    results["declared"] = [
        {
            "metric": m["metric"],
            "params": {},
            "declared": 1,
            "dataset": m["dataset"],
            "model": m["model"],
            "measure": m["id"],
            "value": 0.5,
            "source": "leaflet",
            "measured": m["value"],
            "interval": m["interval"],
            "difference": m["value"] - 0.5,
            "within": within,
            "test": None,
            "p_value": None,
            "reason": None,
            "subgroup": {},
        }
        for within in (True, False)
    ]
    text = render_html(results)
    table = next(t for t in parse(text).all("table") if "Declared elsewhere" in t.text).text
    assert "inside" in table
    assert "outside" in table
    assert "leaflet" in table


@pytest.mark.long
def test_the_widest_gap_and_the_test_over_groups():
    results = two_models()
    m = next(x for x in results["measures"] if x.get("subgroup"))
    column = next(iter(m["subgroup"]))
    same = {
        k: m.get(k)
        for k in (
            "dataset",
            "model",
            "metric",
            "params",
            "average",
            "label",
            "threshold",
            "threshold_rule",
        )
    }
    gap = {
        **same,
        "columns": [column],
        "subgroup": m["subgroup"],
        "against": "largest group",
        "against_subgroup": {column: "x"},
        "measure": m["id"],
        "against_measure": m["id"],
        "n": 7,
        "against_n": 20,
        "value": 0.25,
        "against_value": 0.5,
        "few": True,
        "ratio_interval": None,
        "ratio_reason": None,
        "reason": None,
        "gap_interval": {"low": -0.4, "high": -0.1, "level": 0.95, "method": "newcombe"},
    }
    results["subgroup_gaps"] = [
        {**gap, "gap": -0.25, "ratio": 0.5},
        {**gap, "gap": 0.1, "ratio": 1.2},
    ]
    test = {"groups": 2, "test": "chi_square", "statistic": 6.3, "df": 1, "reason": None}
    results["heterogeneity"] = [{**same, **test, "columns": [column], "p_value": 0.012}]
    text = _section(render_html(results), "subgroups").text
    assert "against the largest group: x" in text
    assert "−0.250" in text
    assert "+0.100" not in text
    assert "0.012" in text
    assert ", too few" in text


@pytest.mark.long_but_first
@pytest.mark.parametrize("name", list(TEMPLATES))
def test_every_template_keeps_the_numbers_and_has_its_own_words(name):
    results = two_models()
    page = render_html(results, name)
    assert printed_problems(page, numbers_of(results)) == ()
    assert TEMPLATES[name].kicker in page
    shown = [s.id for s in build(results, name).sections]
    assert shown == [s for s in TEMPLATES[name].sections if s in shown]


@pytest.mark.long
def test_clinical_names_come_first():
    section = _section(render_html(two_models(), "clinical"), "measures")
    titles = [h.text for h in section.all("h3")]
    assert titles[:2] == ["Sensitivity", "Specificity"]
    assert "Recall" not in titles


@pytest.mark.long
def test_a_target_that_is_another_test_is_agreed_with():
    results = two_models()
    dataset = results["measures"][0]["dataset"]
    spec = results.setdefault("spec", {})
    spec["datasets"] = {dataset: {"benchmark": "non_reference"}}
    for name in ("standard", "clinical"):
        section = _section(render_html(results, name), "measures")
        titles = [h.text for h in section.all("h3")]
        assert "Positive percent agreement (PPA)" in titles
        assert not {"Recall", "Sensitivity", "Specificity", "Accuracy"} & set(titles)
        assert "no reference standard" in section.text
        assert "sensitivity" not in section.text.casefold()


@pytest.mark.parametrize(("name", "number"), CHECKLISTS.items())
def test_the_numbering_of_a_shipped_checklist(name, number):
    data = load_checklist(name)
    items = [entry["item"] for entry in data["items"]]
    assert len(items) == len(set(items)) == number
    for entry in data["items"]:
        assert entry["rule"] in {"A", "AS", "S", "N", "NA"}
        assert entry["rule"] != "NA" or entry["reason"]
    assert re.fullmatch(r"\d{4}-\d\d(-\d\d)?", data["date"])
    assert data["date_is"] in {"published", "adopted", "enforced from"}
    assert data["url"].startswith("https://")
    words = json.dumps(data).casefold()
    assert not any(w in words for w in ("compliant", "certified", "validated", "approved"))


#: Item numbers by what fills them: A the run, AS run and spec, S the spec, NA does not apply.
NUMBERING = {
    "stard_2015": {
        "A": "12a 14 15 16 17 19 20 21a 21b 22 23 24",
        "AS": "8 10a 18 29",
        "S": "1 2 3 4 5 6 7 9 10b 11 12b 13a 13b 25 26 27 28 30",
    },
    "tripod_ai": {
        "A": "5b 11 12d 16 20a 20b 20c 21 23a 23b 24",
        "AS": "5a 6a 7 10 12a 12e 12f 12g 14 15 18c 18f",
        "NA": "9a 12b 12c 22 27a 27b",
        "S": "1 2 3a 3b 3c 4 6b 6c 8a 8b 8c 9b 9c 13 17 18a 18b 18d 18e 19 25 26 27c",
    },
    "model_card": {"A": "4.4 4.5 4.7", "AS": "4.1 4.3", "S": "4.2 4.6 4.8 4.9"},
}
ADDRESSES = {
    "stard_2015": "https://doi.org/10.1136/bmj.h5527",
    "tripod_ai": "https://doi.org/10.1136/bmj-2023-078378",
    "model_card": "https://arxiv.org/abs/1810.03993",
    "eu_ai_act": "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:32024R1689",
    "ll144": "https://www.nyc.gov/site/dca/about/automated-employment-decision-tools.page",
}


@pytest.mark.parametrize("name", list(NUMBERING))
def test_items_are_numbered_as_in_their_source(name):
    found: dict[str, list[str]] = {}
    for entry in load_checklist(name)["items"]:
        found.setdefault(entry["rule"], []).append(entry["item"])
    assert {rule: " ".join(items) for rule, items in found.items()} == NUMBERING[name]


def test_the_sheets_of_rules_name_their_paragraphs():
    items = [entry["item"] for entry in load_checklist("eu_ai_act")["items"]]
    assert items[:7] == [
        "Annex IV 1(a)", "Annex IV 2(g)", "Annex IV 3", "Annex IV 4", "Article 9(8)",
        "Article 13(3)(b)(ii)", "Article 15(3)",
    ]  # fmt: skip
    assert load_checklist("ll144")["edition"] == "6 RCNY 5-300 and 5-301"
    assert {name: load_checklist(name)["url"] for name in CHECKLISTS} == ADDRESSES


def test_stard_has_thirty_items_four_of_them_in_two_parts():
    items = [entry["item"] for entry in load_checklist("stard_2015")["items"]]
    assert {int(re.match(r"\d+", i)[0]) for i in items} == set(range(1, 31))
    assert [i for i in items if not i.isdigit()] == [
        "10a",
        "10b",
        "12a",
        "12b",
        "13a",
        "13b",
        "21a",
        "21b",
    ]


def test_a_checklist_links_quotes_and_says_what_is_missing():
    results = two_models()
    spec = results.setdefault("spec", {})
    spec["about"] = {"question": "Is it told apart?", "funding": "none"}
    spec.setdefault("report", {})["checklists"] = ["stard_2015"]
    page = render_html(results)
    section = _section(page, "checklists")
    rows = {r.all("th")[0].text: r for r in section.all("tr") if r.all("td")}
    assert "“none”" in rows["30"].text
    assert "from the spec" in rows["4"].text
    assert rows["23"].all("a")[0].attrs["href"] == "#measures"
    assert "not provided" in rows["28"].text
    statuses = [r.all("td")[1].text for r in rows.values()]
    filled = sum(s.startswith("from") for s in statuses)
    assert "in part" not in statuses
    assert f"{filled} of 34 items carry content." in section.text
    ids = {e.attrs["id"] for e in parse(page).walk() if "id" in e.attrs}
    assert {a.attrs["href"][1:] for a in section.all("a")} <= ids


def test_a_folder_keeps_the_sections_of_the_template_it_was_copied_from(tmp_path: Path):
    (tmp_path / "base.txt").write_text("minimal\n", encoding="utf-8")
    page = render_html(two_models(), tmp_path)
    assert "Classifier evaluation, in short" in page
    assert 'id="curves"' not in page
