"""The share of a label is that of the rows that have it, wherever shares are printed."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from plain_results import render_html

import evalreport

# Of five rows, two have a, three b, two c (7 labels in all), and one has none.
ACTUAL = ["a b", "a b c", "b", "c", ""]
TEMPLATES = ["standard", "clinical", "audit", "model_card"]


def made(actual: list[str], **columns: list[Any]) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "evalreport": 1,
        "datasets": {"d": {"target": {"list": "y", "separator": " "}}},
        "models": {"m": {"prediction": {"list": "p", "separator": " "}}},
        "metrics": ["exact_match"],
        "confidence": {"resamples": 20},
    }
    if "w" in columns:
        spec["datasets"]["d"]["weight"] = "w"
    frame = {"y": actual, "p": actual, **columns}
    return dict(evalreport.run(spec, frames={"d": frame}).json)


def words(page: str) -> str:
    body = re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)
    return re.sub(r"[\s\u202f\u00a0]+", " ", unescape(re.sub(r"<[^>]+>", " ", body)))


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return made(ACTUAL)


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_label_of_two_of_five_rows_is_40_percent(results: dict[str, Any], template: str) -> None:
    text = words(render_html(results, template))
    assert "used 5 a 2 40.0 % b 3 60.0 % c 2 40.0 %" in text
    # 2 of the 7 labels, 3 of them, and 2 of the labels a, b and c that rows have on average
    assert not re.search(r"28\.6 ?%|42\.9 ?%|33\.3 ?%", text)


@pytest.mark.parametrize("template", ["clinical", "audit"])
def test_the_flow_of_rows_says_the_same(results: dict[str, Any], template: str) -> None:
    text = words(render_html(results, template))
    assert "a: 2 (40.0 %) b: 3 (60.0 %) c: 2 (40.0 %)" in text


def test_of_many_labels_the_rest_has_no_share_of_rows_counted_twice() -> None:
    names = [f"k{i:02}" for i in range(40)]
    text = words(render_html(made([" ".join(names)] * 4 + [names[0]])))
    assert "k00 5 100 %" in text.replace("100.0 %", "100 %")
    assert "k01 4 80.0 %" in text
    (rest,) = re.findall(r"other classes (\d+) ?([\d.]+ %)?", text)[:1]
    assert rest[1] == ""


def test_one_label_a_row_adds_up_to_all_rows() -> None:
    text = words(render_html(made(["a", "b", "a", "c", "b"])))
    assert "a 2 40.0 % b 2 40.0 % c 1 20.0 %" in text
