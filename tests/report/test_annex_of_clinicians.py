"""The clinical template answers STARD unless a spec has it otherwise; methods are cited."""

from __future__ import annotations

import re

import pytest
from plain_results import build, records_of
from report.example_results import two_models

from evalreport.report.contents import Contents
from evalreport.report.methods import methods_blocks
from evalreport.report.model import Checklist, TableBlock, Text


def lists(report, template):
    results = two_models()
    results["spec"]["report"] = report
    blocks = [b for s in build(results, template).sections for b in s.blocks]
    return [b for b in blocks if isinstance(b, Checklist)]


@pytest.mark.long_but_first
@pytest.mark.parametrize(
    ("report", "template", "titles"),
    [
        ({}, "clinical", ["STARD 2015"]),
        ({"checklists": []}, "clinical", []),
        ({"checklists": ["tripod_ai"]}, "clinical", ["TRIPOD+AI"]),
        ({"sections": ["measures"]}, "clinical", []),
        ({"sections": ["measures"], "checklists": ["stard_2015"]}, "clinical", ["STARD 2015"]),
        ({}, "standard", []),
        ({"checklists": ["stard_2015"]}, "standard", ["STARD 2015"]),
    ],
)
def test_which_annexes_a_report_has(report, template, titles):
    assert [one.title for one in lists(report, template)] == titles


def test_each_item_says_what_it_rests_on_or_that_nothing_is_there():
    (annex,) = lists({}, "clinical")
    assert len(annex.items) == 34
    for item in annex.items:
        if item.status == "from the run":
            assert item.text
            assert item.sections
        else:
            assert item.status in {"from the spec", "not provided"}
            assert item.text
    answers = {item.item: item for item in annex.items}
    assert answers["23"].text.endswith("classification tables")
    assert answers["21a"].status == "not provided"
    assert answers["29"].status == "not provided"


def test_a_cited_protocol_answers_where_the_protocol_is():
    results = two_models()
    results["provenance"]["protocol"] = {
        "name": "study.yaml", "sha256": "ab" * 32, "file_sha256": "cd" * 32, "bytes": 10
    }  # fmt: skip
    blocks = [b for s in build(results, "clinical").sections for b in s.blocks]
    (annex,) = [b for b in blocks if isinstance(b, Checklist)]
    item = next(i for i in annex.items if i.item == "29")
    assert item.status == "from the run"
    assert f"study.yaml, sha256 {'ab' * 32}" in item.text


def test_methods_of_intervals_and_tests_are_cited_by_number_and_name():
    results = two_models()
    contents = Contents(records_of(results))
    blocks = methods_blocks(contents)
    table = next(b for b in blocks if isinstance(b, TableBlock))
    said = next(b.text for b in blocks if isinstance(b, Text) and b.text.startswith("References"))
    numbered = dict(re.findall(r"\[(\d+)\] (.*?)\.(?= \[|$)", said))
    place = [column.text for column in table.columns].index("interval")
    wilson = next(row for row in table.lines if row.cells[place].startswith("Wilson ["))
    number = re.match(r"Wilson \[(\d+)\]", wilson.cells[place])[1]
    assert numbered[number] == "Wilson E. JASA 22, 1927"
    tests = next(b.text for b in blocks if isinstance(b, Text) and "tested by" in b.text)
    for number in re.findall(r"\[(\d+)\]", tests):
        assert number in numbered
    assert sorted(map(int, numbered)) == list(range(1, len(numbered) + 1))
