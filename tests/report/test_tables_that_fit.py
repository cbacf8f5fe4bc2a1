"""Columns hold what stands in them, on half a line too; long names give way to keys and numbers."""

from __future__ import annotations

import json

import pytest
from plain_results import records_of, render_html
from report.example_results import two_models
from report.html_page import parse

from evalreport.report.charts.labels import folded
from evalreport.report.contents import Contents
from evalreport.report.fitting import (
    BETWEEN,
    LETTER,
    letters,
    with_fitting_columns,
    with_short_names,
)
from evalreport.report.model import (
    Block,
    Column,
    Criteria,
    Criterion,
    Line,
    PlainTable,
    Report,
    Section,
    Strip,
    TablePair,
    TableRow,
)
from evalreport.report.pieces import LineCell

COUNT = "1\u202f197\u202f610"


def fitted(*blocks: Block) -> tuple[Block, ...]:
    section = Section("a", "1", "A", "A", "", blocks)
    texts = [""] * 8
    report = Report(*texts, sections=(section,), outcome="")
    return with_fitting_columns(report).sections[0].blocks


def sweep(*counts: str) -> PlainTable:
    heads = (Column("score"), *(Column("TN", "right", "10%") for _ in counts))
    return PlainTable("Sweep", heads, (TableRow(("0.5", *counts)),))


def widths(columns: tuple[Column, ...]) -> list[float]:
    return [float(column.width.rstrip("%")) for column in columns]


def test_figures_of_a_plain_table_have_room_where_its_widths_lack_it():
    narrow = sweep("12", "7")
    assert fitted(narrow) == (narrow,)
    limits = "−0.0000208 to 0.0000417"
    (made,) = fitted(sweep(COUNT, limits))
    need = letters(limits) * LETTER + BETWEEN
    assert isinstance(made, PlainTable)
    assert widths(made.columns)[2] >= need - 0.1 > 10
    assert sum(widths(made.columns)) == pytest.approx(100, abs=0.3)


def test_two_tables_stand_side_by_side_only_where_their_figures_have_room():
    short_ones = TablePair((sweep("12"), sweep("7")))
    assert fitted(short_ones) == (short_ones,)
    (wider,) = fitted(TablePair((sweep(COUNT), sweep("7"))))
    assert isinstance(wider, TablePair)
    assert widths(wider.tables[0].columns)[1] > 10
    wide = sweep(*[COUNT] * 7)
    below = fitted(TablePair((wide, sweep("7"))))
    assert [type(block) for block in below] == [PlainTable, PlainTable]


def test_an_outcome_has_room_within_its_frame():
    columns = (Column("result"), Column("0 to 1", "left", "13%"), Column("outcome", "left", "9%"))
    row = Criterion(Line((LineCell("Recall"),)), "not_evaluated", "○ not evaluated", "")
    (made,) = fitted(Criteria("Acceptance criteria", columns, (row,)))
    assert isinstance(made, Criteria)
    assert widths(made.columns)[2] > 12


def test_parts_of_one_table_have_type_of_one_size():
    def strip(caption: str, *texts: str) -> Strip:
        columns = tuple(Column("n", "right") for _ in texts)
        return Strip(caption, columns, (Line(tuple(LineCell(t, "right") for t in texts)),))

    wide, narrow = ["0.123456789012345 to 0.234567890123456"] * 5, ["0.5"] * 5
    made = fitted(strip("A", *narrow), strip("A, continued", *wide), strip("B", *narrow))
    assert ["fine" in block.style for block in made] == [True, True, False]
    made = fitted(strip("A", *narrow), strip("A, continued", *narrow))
    assert [block.style for block in made] == ["", ""]


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
def test_tables_of_words_print_keys_for_long_names_of_models(name):
    results = json.loads(json.dumps(two_models()).replace('"forest"', json.dumps(name)))
    contents = Contents(records_of(results))
    told = contents.mark(("d", name)).name
    heads = (Column("metric"), Column("model"))
    rows = (TableRow(("Recall", told)), TableRow(("Brier score", "no model")))
    report = Report(
        *[""] * 8,
        sections=(Section("a", "1", "A", "A", "", (PlainTable("Gaps", heads, rows, "p."),)),),
        outcome="",
    )
    (table,) = with_short_names(report, contents).sections[0].blocks
    assert isinstance(table, PlainTable)
    printed = [row.cells[1] for row in table.rows]
    if name == "forest":
        assert (printed, table.note) == (["forest", "no model"], "p.")
    else:
        assert printed == ["B", "no model"]
        assert table.note == f"p. {contents.mark(('d', name)).symbol} B: {told}."


def test_a_name_on_a_chart_keeps_both_ends():
    told = folded("01 a name of many syllables that no chart can hold", 18, 2).split("\n")
    assert len(told) == 2
    assert max(map(len, told)) <= 18
    assert told[0].startswith("01 a name")
    assert told[1].endswith("can hold")
