"""The paired tables on the page: the counts of McNemar's test and the calls of precision."""

from __future__ import annotations

import pytest
from plain_results import render_html
from report.html_page import parse

import evalreport

#: What is true, and what two models say, of ten rows.
ROWS = {
    "y": [1, 1, 1, 1, 0, 0, 0, 0, 0, 0],
    "a": [1, 1, 1, 0, 0, 0, 0, 0, 1, 1],
    "b": [1, 0, 0, 1, 0, 0, 0, 1, 1, 0],
}


@pytest.mark.parametrize(
    ("metrics", "lines"),
    [
        (
            # of four positives: 1 found by both, 1 by b alone, 2 by a alone
            ["recall", "specificity", "accuracy", "precision"],
            [
                ["b minus a", "1", "1", "2", "0", "4", "(1 − 2) / 4 = −0.250"],
                ["b minus a", "3", "1", "1", "1", "6", "(1 − 1) / 6 = 0"],
                ["b minus a", "4", "2", "3", "1", "10", "(2 − 3) / 10 = −0.100"],
            ],
        ),
        (
            ["precision"],
            [
                ["b minus a", "1", "1", "2", "0", "4", "(1 − 2) / 4 = −0.250"],
                ["b minus a", "1", "1", "1", "3", "6", "(1 − 1) / 6 = 0"],
            ],
        ),
    ],
)
def test_every_pair_has_its_counts_once(metrics: list[str], lines: list[list[str]]) -> None:
    results = evalreport.run(
        {
            "evalreport": 1,
            "title": "pairs",
            "datasets": {"d": {"target": "y"}},
            "models": {"a": {"prediction": "a"}, "b": {"prediction": "b"}},
            "metrics": metrics,
            "comparisons": {"reference": "a"},
        },
        frames={"d": ROWS},
    )
    page = parse(render_html(results.json))
    table = next(t for t in page.all("table") if "on which two models differ" in t.text)
    rows = table.all("tbody")[0].all("tr")
    assert [[cell.text for cell in row.all("td")] for row in rows] == lines


def test_of_weighted_rows_it_is_said_that_none_are_recorded() -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "weight": "w"}},
        "models": {"a": {"prediction": "a"}, "b": {"prediction": "b"}},
        "metrics": ["accuracy"],
        "comparisons": {"reference": "a"},
    }
    rows = {**ROWS, "w": [1 + k % 2 for k in range(len(ROWS["y"]))]}
    page = parse(render_html(evalreport.run(spec, frames={"d": rows}).json))
    assert "on which two models differ are not recorded" in page.text
    assert not [t for t in page.all("table") if "on which two models differ" in t.text]
