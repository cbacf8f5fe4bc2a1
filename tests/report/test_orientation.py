"""A template lays every table alike: the clinical one with the result of the test in rows."""

from __future__ import annotations

import pytest
from plain_results import build, records_of
from report.example_results import indeterminate, many_classes, two_models
from report.html_page import counts_of, parse, table_of

from evalreport.render.html import render_html
from evalreport.report.choosing import threshold_choosers
from evalreport.report.contents import Contents
from evalreport.report.count_tables import count_table
from evalreport.report.guide import guide_blocks
from evalreport.report.model import Tables
from evalreport.report.wording import CLINICAL, TEMPLATES


def drawn(results, template):
    return parse(render_html(records_of(results), template))


@pytest.mark.long_but_first
@pytest.mark.parametrize("make", [two_models, indeterminate, lambda: many_classes(4)])
def test_the_same_counts_by_actual_and_predicted_class_in_either_orientation(make):
    results = make()
    pages = {name: drawn(results, name) for name in ("standard", "clinical")}
    found = {}
    for name, page in pages.items():
        found[name] = {t.attrs["data-table"]: t for t in page.all("table", data_table=True)}
    shared = set(found["standard"]) & set(found["clinical"])
    assert shared
    for id_ in shared:
        standard, clinical = found["standard"][id_], found["clinical"][id_]
        assert counts_of(standard) == counts_of(clinical)
        assert (clinical.attrs["data-rows"], clinical.attrs["data-columns"]) == (
            "predicted",
            "actual",
        )
        assert "data-rows" not in standard.attrs
    corners = {
        name: {c.text for c in page.all("td") if c.attrs.get("class") == "corner"}
        for name, page in pages.items()
    }
    assert corners == {
        "standard": {"actual ↓ predicted →"},
        "clinical": {"test result ↓ reference →"},
    }
    assert "test result is" not in pages["standard"].text


def test_cells_keep_their_names_and_values_of_measures_their_tables():
    page = drawn(two_models(), "clinical")
    records = {t["id"]: t for t in two_models()["tables"]}
    seen = 0
    for table in page.all("table", data_table=True):
        record = records[table.attrs["data-table"]]
        positive = record["labels"].index(record["positive"])
        own = {c.attrs["data-cell"]: c.own_text.strip() for c in table.all("td", data_cell=True)}
        counts, other = record["counts"], 1 - positive
        assert own == {
            "tp": str(counts[positive][positive]),
            "fn": str(counts[positive][other]),
            "fp": str(counts[other][positive]),
            "tn": str(counts[other][other]),
        }
        seen += 1
    assert seen
    assert all(table_of(one) for one in page.all("article", data_measure=True))


@pytest.mark.long_but_first
@pytest.mark.parametrize(
    ("template", "order"), [("standard", "TN FP FN TP"), ("clinical", "TP FP FN TN")]
)
def test_flat_cells_stand_as_the_tables_are_read(template, order):
    results = two_models()
    first = {t["labels"].index(t["positive"]) for t in results["tables"]} == {0}
    page = drawn(results, template)
    rows = [[c.attrs["data-cell"].upper() for c in r.all(data_cell=True)] for r in page.all("tr")]
    flat = [row for row in rows if len(row) == 4]
    assert flat
    turned = first and template == "standard"
    assert {tuple(row) for row in flat} == {tuple(order.split()[:: -1 if turned else 1])}


def test_the_table_is_turned_and_the_positive_class_stands_first():
    results = records_of(two_models())
    contents = Contents(results, CLINICAL)
    (table,) = [t for t in results.tables if t.id == "t1"]
    drawn_ = count_table(contents, table)
    assert [c.label for c in drawn_.columns[:2]] == [str(table.positive), *_others(table)]
    (tp, fp, *_), (fn, tn, *_), *_ = (row.cells for row in drawn_.rows)
    assert [cell.role for cell in (tp, fp, fn, tn)] == ["TP", "FP", "FN", "TN"]


def _others(table):
    return [label for label in table.labels if label != table.positive]


def test_the_guide_says_where_the_result_of_the_test_stands():
    results = records_of(two_models())
    blocks = {name: guide_blocks(Contents(results, TEMPLATES[name])) for name in TEMPLATES}
    notes = {
        name: next(b for b in own if getattr(b, "caption", "") == "The four cells")
        for name, own in blocks.items()
    }
    assert "the result of the test is in rows" in notes["clinical"].notes[0]
    assert "the disease" in notes["clinical"].notes[0]
    assert all(
        "Some texts put predictions in rows" in n.notes[0]
        for k, n in notes.items()
        if k != "clinical"
    )
    assert notes["clinical"].lines[0].cells[1].startswith("TP")
    assert notes["clinical"].lines[0].cells[2].startswith("FP")
    assert notes["standard"].lines[0].cells[2].startswith("FP")


def test_a_target_that_is_another_test_is_called_no_reference():
    results = two_models()
    dataset = results["tables"][0]["dataset"]
    results["spec"].setdefault("datasets", {})[dataset] = {"benchmark": "non_reference"}
    report = build(results, "clinical")
    tables = [
        t for s in report.sections for b in s.blocks if isinstance(b, Tables) for t in b.tables
    ]
    corners = {t.orientation.corner for t in tables if t.table == results["tables"][0]["id"]}
    assert corners == {("test result ↓", "other test →")}


def test_the_choice_of_a_threshold_is_laid_as_the_tables_are():
    results = two_models()
    view = {"dataset": results["tables"][0]["dataset"], "model": results["tables"][0]["model"]}
    positive = results["tables"][0]["positive"]
    results["curves"].append(
        {
            **view, "id": "sweep1", "subgroup": {}, "label": positive, "kind": "sweep",
            "points": {
                "threshold": [0.2, 0.6], "tp": [9, 6], "fn": [1, 4], "fp": [3, 2], "tn": [7, 8],
                "tpr": [0.9, 0.6], "fpr": [0.3, 0.2],
            },
        }
    )  # fmt: skip
    first = results["tables"][0]["labels"].index(positive) == 0
    rows = {}
    for template in ("standard", "clinical"):
        contents = Contents(records_of(results), TEMPLATES[template])
        rows[template] = threshold_choosers(contents)[-1].positions[0].counts
    standard = (("9", "1"), ("3", "7")) if first else (("7", "3"), ("1", "9"))
    assert rows["standard"] == standard
    # TP and FP, then FN and TN
    assert rows["clinical"] == (("9", "3"), ("1", "7"))
