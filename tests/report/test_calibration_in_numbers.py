"""Slope, level and observed to expected stand beside the calibration chart, with intervals."""

from __future__ import annotations

import numpy as np
import pytest
from plain_results import build, render_html
from report.html_page import parse, table_of

import evalreport
from evalreport.report.model import TableBlock

ASKED = ["recall", "calibration_slope", "calibration_in_the_large", "oe_ratio", "ece", "brier"]
SUMMED_UP = ["calibration_slope", "calibration_in_the_large", "oe_ratio"]


@pytest.fixture(scope="module")
def results():
    draw = np.random.default_rng(5)
    good = draw.uniform(0.05, 0.95, 120)
    y = np.where(draw.uniform(size=120) < good, "ill", "well")
    return evalreport.evaluate(
        y, {"good": good, "timid": 0.5 + (good - 0.5) / 3}, positive="ill", metrics=ASKED
    ).json


def strips(results):
    blocks = [b for s in build(results, "clinical").sections for b in s.blocks]
    found = [b for b in blocks if isinstance(b, TableBlock) and "plain" not in b.style]
    return [b for b in found if b.caption.startswith("Calibration in numbers")]


@pytest.mark.long
def test_a_line_for_each_model_with_intervals(results):
    (strip,) = strips(results)
    assert strip.caption.endswith(
        "Calibration slope 1, Calibration in the large 0 and Observed to expected ratio 1"
    )
    assert len(strip.lines) == 2
    records = {m["id"]: m for m in results["measures"]}
    for line in strip.lines:
        numbers = [c.number for c in line.cells if c.number is not None]
        assert [n.metric for n in numbers] == SUMMED_UP
        for number in numbers:
            assert float(number.value) == records[number.measure]["value"]
            assert bool(number.interval) == bool(records[number.measure]["interval"])
            assert number.interval


@pytest.mark.long
def test_its_numbers_stand_with_their_table(results):
    page = parse(render_html(results, "clinical"))
    (section,) = [s for s in page.all("section") if s.attrs["id"] == "curves"]
    found = [e for e in section.all("td", data_metric=True) if e.attrs["data-metric"] in SUMMED_UP]
    assert len(found) == 6
    assert all(table_of(one) for one in found)


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ([0.0] * 10 + [0.4] * 20 + [0.3] * 10 + [0.6] * 10, "scores of 0 or 1"),
        ([0.3] * 50, "one score"),
        ([0.2] * 30 + [0.8] * 20, "classes apart"),
    ],
)
def test_a_chart_without_a_line_says_why(scores, reason):
    page = evalreport.evaluate([0] * 30 + [1] * 20, scores).to_html()
    assert f"no slope: {reason}" in page


def test_a_run_without_them_has_no_such_table(results):
    kept = [m for m in results["measures"] if m["metric"] not in SUMMED_UP]
    assert strips(results | {"measures": kept}) == []
