"""What is short is said once, and what is narrow stands side by side."""

from __future__ import annotations

import pytest
from plain_results import render_html
from report.example_results import two_models
from report.html_page import parse

import evalreport
from evalreport.report.classes import top_confusions
from evalreport.report.model import TableBlock, TablePair
from evalreport.results.records import Table

LETTERS = list("abcdef")


@pytest.mark.parametrize("count", [2, 8])
def test_a_caution_has_a_line_on_the_first_page_and_stands_in_full_once(count):
    results = two_models()
    results["cautions"] = [
        {"code": f"c{k}", "severity": "warning", "title": f"Caution {k}", "message": "word " * 60,
         "why": "", "read": "elsewhere", "dataset": "d", "model": "m", "measure": None,
         "table": None, "numbers": {}}
        for k in range(count)
    ]  # fmt: skip
    page = parse(render_html(results))
    *first, whole = (d for d in page.all("div") if "caut" in d.attrs.get("class", "").split())
    lines = [a.text for own in first for a in own.all("a")]
    assert lines == [
        *["2 cautions named above, in full"][: count == 2],
        *(f"Caution {k} (m)" for k in range(2, min(count, 7))),
        *["1 more"][: count > 7],
    ]
    heads = [own.all("h3")[0].text for own in first]
    assert heads == ["Cautions" if count == 2 else f"{count - 2} more cautions"]
    # the first two are told in a sentence, and have no line as well
    (told,) = [dd.text for dd in page.all("dd") if "Caution 0" in dd.text]
    assert "Caution 1 (m)" in told
    assert not any("Caution 0" in own.text for own in first)
    targets = {li.attrs.get("id") for li in whole.all("li")}
    assert {a.attrs["href"].removeprefix("#") for own in first for a in own.all("a")} <= targets
    # what to read instead stands in results.json and the list of cautions
    assert "elsewhere" not in page.text


def test_tables_of_baselines_with_several_classes_are_left_to_the_results():
    results = two_models()
    results["baseline_tables"] = [
        {"dataset": "d", "baseline": "majority_class", "threshold": None, "labels": LETTERS,
         "positive": None, "counts": [[8, 0, 0, 0, 0, 0]] * 6}
    ]  # fmt: skip
    results["baselines"] = [
        {"baseline": "majority_class", "dataset": "d", "metric": "accuracy", "n": 48, "note": "",
         "params": {}, "average": None, "label": None, "value": 0.25}
    ]  # fmt: skip
    page = parse(render_html(results))
    assert "Models against simple rules" in page.text
    assert "Tables of the baselines" not in page.text


def test_some_confusions_stand_in_their_order_beside_the_table_of_few_classes():
    counts = [[10] * 3, [7, 50, 5], [3, 1, 60]]
    found = top_confusions(
        Table(id="t1", dataset="d", model="m", labels=LETTERS[:3], counts=counts, threshold=None,
              positive=None, label=None, subgroup={}, fold=None)
    )  # fmt: skip
    assert isinstance(found, TableBlock)
    assert [row.cells[2] for row in found.lines] == ["10", "10", "7", "5", "3", "1"]
    assert found.notes == ()


def test_confusions_of_many_classes_stand_by_rows_and_by_share_of_the_class():
    # of each of the first eleven 3 of 100 are taken for the next; of the last 2 of 3 for the first
    counts = [[97 * (i == j) + 3 * (i + 1 == j) for j in range(13)] for i in range(11)]
    counts += [[100 * (j == 11) for j in range(13)], [2 * (j == 0) + (j == 12) for j in range(13)]]
    labels = [f"k{k}" for k in range(13)]
    found = top_confusions(
        Table(id="t1", dataset="d", model="m", labels=labels, counts=counts, threshold=None,
              positive=None, label=None, subgroup={}, fold=None)
    )  # fmt: skip
    assert isinstance(found, TablePair)
    by_rows, by_share = ([row.cells[:4] for row in table.lines] for table in found.tables)
    assert [cells[2] for cells in by_rows] == ["3"] * 10
    assert by_share[:2] == [("k12", "k0", "2", "66.7\u202f%"), ("k0", "k1", "3", "3.0\u202f%")]


def test_comparisons_print_one_number_once():
    """Of several classes micro recall is accuracy, and macro recall is balanced accuracy."""
    truth = LETTERS[:5] * 12
    wrong = ["a" if k % 4 == 0 else label for k, label in enumerate(truth)]
    poor = ["b" if k % 3 == 0 else label for k, label in enumerate(truth)]
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"one": {"prediction": "p"}, "two": {"prediction": "q"}},
        "metrics": ["accuracy", "balanced_accuracy", "recall"],
        "averaging": ["none", "micro", "macro", "weighted"],
        "comparisons": {"reference": "one"},
    }
    found = evalreport.run(spec, frames={"d": {"y": truth, "p": wrong, "q": poor}})
    page = parse(found.to_html())
    section = next(e for e in page.all("section") if e.attrs["id"] == "comparisons")
    table = next(t for t in section.all("table") if "Differences" in t.text)
    heads = [line.all("th")[0].text for line in table.all("tbody")[0].all("tr")]
    # those of one class stand there where they are shown to differ
    assert [head for head in heads if " of " not in head] == ["Accuracy", "Balanced accuracy"]
    assert "worse in 2;" in section.text
