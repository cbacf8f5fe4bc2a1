"""With a target that is another test no word claims that one of the two is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from plain_results import criteria_junit, measures_latex, render_html, summary_markdown
from report.html_page import parse

import evalreport

pytestmark = pytest.mark.long_but_first


CONFIG = Path(__file__).parents[2] / "configs" / "breast_cancer.yaml"
REFUSED = re.compile(
    r"\b(recall|sensitivity|specificity|specificities|accuracy|tpr|tnr)\b", re.IGNORECASE
)
#: Sections that quote: titles of papers, names of checklists, the spec as written.
QUOTING = {"methods", "checklists", "provenance"}


@pytest.fixture(scope="module")
def results():
    spec = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    for dataset in spec["datasets"].values():
        dataset["path"] = str(CONFIG.parent / dataset["path"])
        dataset["benchmark"] = "non_reference"
    spec["confidence"]["resamples"] = 50
    # said by the author of the spec, not by the report
    spec["about"] = {}
    return evalreport.run(spec).json


@pytest.mark.long
@pytest.mark.parametrize("template", ["standard", "clinical", "audit", "model_card", "minimal"])
def test_no_page_claims_it(results, template):
    page = parse(render_html(results, template))
    for section in page.all("section"):
        if section.attrs["id"] in QUOTING:
            continue
        assert not REFUSED.findall(section.text), section.attrs["id"]
        for chart in section.all("svg"):
            assert not REFUSED.findall(chart.attrs.get("aria-label") or "")
            assert not REFUSED.findall(chart.text)
    assert "positive percent agreement" in page.text.lower()
    if template != "minimal":
        words = [text.text for chart in page.all("svg") for text in chart.all("text")]
        assert "PPA" in words


@pytest.mark.long
def test_methods_say_what_is_measured_in_the_same_words(results):
    page = parse(render_html(results))
    rows = [
        [cell.text for cell in row.children]
        for section in page.all("section")
        if section.attrs["id"] == "methods"
        for row in section.all("tr")
    ]
    # the last column is the reference, a title as it was published
    assert not any(REFUSED.search(" ".join(row[:-1])) for row in rows)


def test_short_formats_use_the_same_words(results):
    for text in (
        summary_markdown(results),
        measures_latex(results),
        criteria_junit(results).decode("utf-8"),
    ):
        assert not REFUSED.findall(text)
        assert "PPA" in text


@pytest.mark.long
def test_values_and_hooks_are_untouched(results):
    page = render_html(results)
    assert 'data-metric="recall"' in page
    assert {m["metric"] for m in results["measures"]} >= {"recall", "specificity", "accuracy"}
