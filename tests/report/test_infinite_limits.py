"""A limit that is infinite: in files that programs read, on pages, and where it is verified."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from math import inf

import pytest
from plain_results import measures_csv, measures_latex, render_html, summary_markdown

import evalreport
from evalreport.report.terminal import headline, headline_lines
from evalreport.verify.printed import printed_problems
from evalreport.verify.recompute import recompute

SPEC = {
    "evalreport": 1,
    "title": "no false positive",
    "datasets": {"d": {"target": "y"}},
    "models": {"m": {"prediction": "p"}},
    "metrics": ["lr_plus"],
    "acceptance": [{"metric": "lr_plus", "at_least": 3, "bound": "upper"}],
}
#: 8 of 10 positives are found, of 20 negatives none is called positive.
ROWS = {"y": ["a"] * 20 + ["b"] * 10, "p": ["a"] * 22 + ["b"] * 8}
PRINTED = "4.72 to ∞"


@pytest.fixture(scope="module")
def results() -> evalreport.Results:
    return evalreport.run(SPEC, frames={"d": ROWS}, at="2026-01-02T00:00:00Z")


def test_programs_read_a_word_that_they_take_for_a_number(results: evalreport.Results) -> None:
    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is not JSON")

    interval = json.loads(json.dumps(results.json), parse_constant=refuse)["measures"][0][
        "interval"
    ]
    assert interval["high"] == "infinity"
    (row,) = csv.DictReader(io.StringIO(measures_csv(results.json).decode()))
    assert (row["state"], row["value"], row["high"]) == ("infinite", "", "infinity")
    assert float(row["high"]) == results["lr_plus"].high == inf
    assert headline(results.records)[0]["high"] == "infinity"


def test_people_read_a_sign(results: evalreport.Results) -> None:
    page = render_html(results.json)
    assert PRINTED in page
    assert not printed_problems(page, results.records)
    assert PRINTED in summary_markdown(results.json)
    assert r"infinite & 4.72 to $\infty$" in measures_latex(results.json)
    assert any(PRINTED in line for line in headline_lines(results.records))
    assert PRINTED in repr(results)


@pytest.mark.parametrize("place", ["low", "high"])
def test_limits_are_verified(results: evalreport.Results, place: str) -> None:
    records = results.records
    assert not recompute(records).problems
    (one,) = records.measures
    assert one.interval is not None
    wrong = replace(one, interval=replace(one.interval, **{place: 4.9}))
    found = recompute(replace(records, measures=(wrong,))).problems
    assert any("4.9" in problem.what for problem in found)


def test_what_was_judged_by_an_infinite_limit_is_verified(results: evalreport.Results) -> None:
    records = results.records
    (judged,) = records.acceptance
    assert (judged.observed, judged.outcome) == (None, "pass")
    found = recompute(replace(records, acceptance=(replace(judged, outcome="fail"),))).problems
    assert any("outcome" in problem.what for problem in found)
