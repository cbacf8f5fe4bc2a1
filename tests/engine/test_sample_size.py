"""Widths of intervals, the rows that a wanted width takes, and multiplicity, from run to page."""

from __future__ import annotations

import copy
import math
import re
from typing import Any

import jsonschema
import pytest
from plain_results import build
from statsmodels.stats.proportion import proportion_confint

import evalreport
from evalreport.report.model import TableBlock, Text
from evalreport.results.codec import results_schema
from evalreport.verify.recompute import recompute

ROWS = {
    "y": ["yes"] * 40 + ["no"] * 60,
    "s": [0.9] * 30 + [0.3] * 10 + [0.8] * 6 + [0.1] * 54,
    "g": ["a", "b"] * 50,
}
METHODS = ("wilson", "clopper_pearson", "jeffreys", "agresti_coull", "wald", "mid_p",
           "likelihood_ratio", "wilson_cc", "wald_cc", "logit")  # fmt: skip


def run(**more: Any) -> dict[str, Any]:
    spec = {
        "evalreport": 1,
        "title": "size",
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}},
        "metrics": ["recall", "roc_auc", "lr_plus"],
        **more,
    }
    return evalreport.run(spec, frames={"d": ROWS}).json


def sizes(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    metric = {m["id"]: m["metric"] for m in results["measures"] if not m["subgroup"]}
    return {metric[r["measure"]]: r for r in results["sample_size"] if r["measure"] in metric}


def test_the_achieved_width_is_always_given() -> None:
    results = run()
    found = sizes(results)
    recall = next(m for m in results["measures"] if m["metric"] == "recall")
    width = recall["interval"]["high"] - recall["interval"]["low"]
    assert found["recall"]["half_width"] == pytest.approx(width / 2)
    assert "rows_needed" not in found["recall"]
    jsonschema.validate(results, results_schema())
    assert recompute(results).problems == ()


def test_rows_needed_are_the_fewest_by_another_implementation() -> None:
    results = run(confidence={"width": 0.1})
    recall = sizes(results)["recall"]

    def width(n: int) -> float:
        low, high = proportion_confint(0.75 * n, n, 0.05, "wilson")
        return float(high - low)

    needed = recall["denominator_needed"]
    assert width(needed) <= 0.1 < width(needed - 1)
    # 40 of 100 rows are positive
    assert recall["rows_needed"] == math.ceil(needed * 100 / 40)
    assert recompute(results).problems == ()


def test_an_area_needs_rows_by_the_square_of_the_width() -> None:
    results = run(confidence={"width": 0.05})
    area = sizes(results)["roc_auc"]
    assert area["rows_needed"] == math.ceil(100 * (area["width"] / 0.05) ** 2)
    assert "square root" in area["rule"]


def test_kappa_is_no_share_though_its_method_has_the_name_of_one() -> None:
    results = run(metrics=["kappa"], confidence={"width": 0.1})
    kappa = sizes(results)["kappa"]
    assert "denominator" not in kappa
    assert kappa["rows_needed"] == math.ceil(100 * (kappa["width"] / 0.1) ** 2)
    assert recompute(results).problems == ()


def test_a_metric_without_bounds_says_so() -> None:
    ratio = sizes(run(confidence={"width": 0.1}))["lr_plus"]
    assert ratio["rows_needed"] is None
    assert "no bounds" in ratio["reason"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_a_share_is_taken_at_its_word(method: str) -> None:
    results = run(confidence={"width": 0.1, "methods": {"recall": method}})
    recall = sizes(results)["recall"]
    again = evalreport.run(
        {
            "evalreport": 1, "title": "more", "datasets": {"d": {"target": "y"}},
            "models": {"m": {"prediction": "p"}}, "metrics": ["recall"],
            "confidence": {"methods": {"recall": method}},
        },
        frames={"d": _rows(recall["denominator_needed"])},
    ).json["measures"][0]["interval"]  # fmt: skip
    # three quarters of it may be no whole number of rows
    assert again["high"] - again["low"] <= 0.1 + 0.002
    assert again["method"] == method


def _rows(positives: int) -> dict[str, list[str]]:
    hits = round(0.75 * positives)
    said = ["yes"] * hits + ["no"] * (positives - hits + 1)
    return {"y": ["yes"] * positives + ["no"], "p": said}


def test_subgroups_are_sized_where_a_width_is_wanted() -> None:
    results = run(confidence={"width": 0.2}, subgroups=["g"])
    assert len(results["sample_size"]) == 9
    assert len(run(subgroups=["g"])["sample_size"]) == 3
    assert recompute(results).problems == ()


@pytest.mark.parametrize("key", ["width", "half_width", "rows", "rows_needed"])
def test_a_changed_number_is_found(key: str) -> None:
    results = copy.deepcopy(run(confidence={"width": 0.1}))
    for record in results["sample_size"]:
        if record.get("rows_needed") is not None:
            record[key] *= 1.1
    assert len(recompute(results).problems) == 2


def test_the_report_prints_sizes_methods_with_reasons_and_multiplicity() -> None:
    results = run(confidence={"width": 0.1}, subgroups=["g"])
    section = next(s for s in build(results).sections if s.id == "methods")
    table = [b for b in section.blocks if isinstance(b, TableBlock)][-1]
    assert table.caption == "Sample size: rows needed for intervals no wider than 0.100"
    assert len(table.lines) == 9
    recall = sizes(results)["recall"]
    assert table.lines[0].cells[3] == "40"
    assert table.lines[0].cells[6:] == (
        str(recall["denominator_needed"]), str(recall["rows_needed"])
    )  # fmt: skip
    words = " ".join(b.text for b in section.blocks if isinstance(b, Text))
    assert "there are 9 intervals" in words
    assert "none is widened for their number" in words
    assert "tests whether subgroups differ: not corrected" in words
    assert "Half-width of the intervals of shares, all rows: from" in words
    methods = next(b for b in section.blocks if isinstance(b, TableBlock))
    place = [column.text for column in methods.columns].index("interval")
    assert any(re.match(r"Wilson \[\d+\]", r.cells[place]) for r in methods.lines)


@pytest.mark.long
def test_corrected_comparisons_are_counted_with_their_correction() -> None:
    rows = {**ROWS, "s2": ROWS["s"][::-1]}
    results = evalreport.run(
        {
            "evalreport": 1, "title": "two", "datasets": {"d": {"target": "y"}},
            "models": {"a": {"score": "s"}, "b": {"score": "s2"}}, "metrics": ["recall"],
            "comparisons": {"reference": "a", "correction": "holm"},
        },
        frames={"d": rows},
    ).json  # fmt: skip
    section = next(s for s in build(results).sections if s.id == "methods")
    words = " ".join(b.text for b in section.blocks if isinstance(b, Text))
    assert "of comparisons: corrected by Holm" in words
