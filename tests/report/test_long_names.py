"""Long names of models keep both ends in tables, those of many classes give way to numbers."""

from __future__ import annotations

import json

import pytest
from plain_results import records_of, render_html
from report.example_results import two_models
from report.html_page import parse

from evalreport.render.html import as_plain, fill
from evalreport.render.locate import find_template
from evalreport.report.charts.labels import folded
from evalreport.report.columns import left, table_of
from evalreport.report.contents import Contents
from evalreport.report.model import Report, Section
from evalreport.report.pieces import LineCell


def many_classes(count: int) -> dict:
    results = two_models()
    labels = [f"class {chr(97 + k)}" for k in range(count)]
    for table in results["tables"]:
        counts = [[count + 1 if i == j else 1 for j in range(count)] for i in range(count)]
        table |= {"labels": labels, "counts": counts, "positive": None, "label": None}
    return results


@pytest.mark.long_but_first
@pytest.mark.parametrize("count", [15, 16])
def test_heads_of_many_classes_are_the_numbers_before_the_names_of_rows(count):
    page = parse(render_html(many_classes(count)))
    table = next(t for t in page.all("table") if "cm" in t.attrs.get("class", "").split())
    heads = [h for h in table.all("th") if h.attrs["scope"] == "col"][:count]
    rows = [h for h in table.all("th") if h.attrs["scope"] == "row"][:count]
    names = [f"class {chr(97 + k)}" for k in range(count)]
    if count < 16:
        assert [h.text for h in heads] == [h.text for h in rows] == names
        return
    assert [h.text for h in heads] == [str(k + 1) for k in range(count)]
    assert [h.attrs["data-label"] for h in heads] == names
    assert [h.attrs["data-label"] for h in rows] == names
    assert [" ".join(h.text.split()) for h in rows][:2] == ["1 class a", "2 class b"]


@pytest.mark.parametrize("name", ["forest", "a forest whose name is longer than a cell of a table"])
def test_tables_of_words_cut_long_names_of_models(name):
    results = json.loads(json.dumps(two_models()).replace('"forest"', json.dumps(name)))
    contents = Contents(records_of(results))
    mark = contents.mark(("d", name))
    pairs = [("Recall", LineCell(mark=mark)), ("Brier score", "no model")]
    columns = [left("metric", lambda one: one[0]), left("model", lambda one: one[1])]
    table = table_of("Gaps", pairs, columns, "p.")
    section = Section("a", "1", "A", "A", "", (table,))
    report = Report(*[""] * 8, sections=(section,), outcome="")
    page = parse(fill(find_template("standard"), as_plain(report)))
    printed = [" ".join(cell.text.split()) for cell in page.all("td")]
    notes = [p.text for p in page.all("p") if p.attrs.get("class") == "small"][1:]
    if name == "forest":
        assert (printed, notes) == ([f"{mark.symbol} forest", "no model"], ["p."])
    else:
        cut = "a forest whose na…of a table"
        assert printed == [f"{mark.symbol} {cut}", "no model"]
        assert notes == [f"{mark.symbol} {cut}: {mark.name}.", "p."]


def test_names_that_differ_in_the_middle_alone_are_numbered():
    ends = "a model of a very long name", "in the sixth hospital of the city"
    names = [f"{ends[0]} {k} {ends[1]}" for k in "12"]
    results = two_models()
    first, second = dict.fromkeys(t["model"] for t in results["tables"])
    text = json.dumps(results).replace(f'"{first}"', json.dumps(names[0]))
    results = json.loads(text.replace(f'"{second}"', json.dumps(names[1])))
    contents = Contents(records_of(results))
    keys = [contents.mark(view).key for view in contents.views]
    assert keys == ["1 a model of a very…f the city", "2 a model of a very…f the city"]


def test_a_name_on_a_chart_keeps_both_ends():
    told = folded("01 a name of many syllables that no chart can hold", 18, 2).split("\n")
    assert len(told) == 2
    assert max(map(len, told)) <= 18
    assert told[0].startswith("01 a name")
    assert told[1].endswith("can hold")
