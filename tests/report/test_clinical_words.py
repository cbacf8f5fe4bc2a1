"""The clinical template says sensitivity and predictive value wherever the report speaks itself."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from plain_results import records_of, render_html
from report.html_page import parse

import evalreport
from evalreport.metrics.catalogue import find
from evalreport.report.wording import (
    CLINICAL,
    SPOKEN,
    TEMPLATES,
    as_written,
    in_vocabulary,
    reworded,
)
from evalreport.results.codec import decode

CONFIG = Path(__file__).parents[2] / "configs" / "breast_cancer.yaml"
REFUSED = re.compile(
    r"\b((?<!precision-)recalls?|(?<!average )precision(?!-recall)|true positive rate|tpr|tnr)\b",
    re.IGNORECASE,
)
#: What quotes: other names of a metric, the spec as written, formulas by their names.
QUOTING = {"checklists", "provenance"}


@pytest.fixture(scope="module")
def results() -> Any:
    spec = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    for dataset in spec["datasets"].values():
        dataset["path"] = str(CONFIG.parent / dataset["path"])
    spec["confidence"]["resamples"] = 50
    # said by the author of the spec, not by the report
    spec["about"] = {}
    return evalreport.run(spec, at="2026-11-21").json


@pytest.mark.long
def test_no_other_word_in_cards_criteria_cautions_axes_and_sweeps(results: Any) -> None:
    page = parse(render_html(results, "clinical"))
    for section in page.all("section"):
        if section.attrs["id"] in QUOTING:
            continue
        named = [one for one in section.all("span") if "aka" in (one.attrs.get("class") or "")]
        formulas = [one for one in section.all("span") if "fo" in (one.attrs.get("class") or "")]
        text = section.text
        for quoted in (*named, *formulas):
            text = text.replace(quoted.text, " ", 1)
        if section.attrs["id"] == "methods":
            # the column of formulas, and titles of papers
            text = " ".join(c.text for row in section.all("tr") for c in row.children[:2])
        assert not REFUSED.findall(text), section.attrs["id"]
        for chart in section.all("svg"):
            assert not REFUSED.findall(chart.attrs.get("aria-label") or "")
    text = page.text.lower()
    for words in ("sensitivity", "positive predictive value", "negative predictive value"):
        assert words in text
    axes = [text.text for chart in page.all("svg") for text in chart.all("text")]
    assert {"sensitivity", "positive predictive value"} <= set(axes)


def test_the_standard_template_keeps_its_own_words(results: Any) -> None:
    text = parse(render_html(results, "standard")).text
    assert "Recall" in text
    assert "Sensitivity by" not in text


@pytest.mark.parametrize("name", ["precision", "recall group"])
def test_names_of_the_user_are_never_exchanged(results: Any, name: str) -> None:
    found = decode(results)
    caution = found.cautions[0]
    told = in_vocabulary(caution.message, CLINICAL.vocabulary)
    assert reworded(found, CLINICAL).cautions[0].message == told
    spec = {**found.spec, "models": {name: {}}}
    assert reworded(replace(found, spec=spec), CLINICAL).cautions[0].message == caution.message


def test_metrics_are_called_what_the_spec_calls_them() -> None:
    rows = {"y": [1, 1, 1, 0, 0, 0], "p": [1, 1, 0, 0, 0, 1]}
    spec = {
        "evalreport": 1, "title": "names", "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}}, "metrics": ["sensitivity", "ppv", "f1_score"],
        "acceptance": [{"metric": "sensitivity", "at_least": 0.9}],
    }  # fmt: skip
    found = evalreport.run(spec, frames={"d": rows})
    told = found.to_markdown()
    assert "**FAILED: Sensitivity 0.667 below 0.90.**" in told
    assert "| Positive predictive value | 0.667 |" in told
    # the name of a function is none of the field
    assert "| F1 | 0.667 |" in told
    assert "recall" not in found.to_markdown().lower()


def test_sentences_and_baselines_have_the_names_of_the_spec() -> None:
    rows = {"y": [1, 1, 1, 0, 0, 0] * 5, "s": [0.9, 0.8, 0.3, 0.4, 0.2, 0.1] * 5}
    spec = {
        "evalreport": 1, "title": "names", "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}}, "metrics": ["sensitivity", "auroc"],
    }  # fmt: skip
    found = evalreport.run(spec, frames={"d": rows}).json
    text = parse(render_html(found)).text
    assert "etter than guessing: AUROC 0." in text
    words = as_written(records_of(found), TEMPLATES["standard"]).vocabulary
    told = in_vocabulary("Recall at recalls from 0.1, precision-recall curve", words)
    assert told == "Sensitivity at values of sensitivity from 0.1, precision-recall curve"


def test_every_name_that_is_said_otherwise_is_another_name_of_a_metric() -> None:
    known = {name: find(name) for name in SPOKEN}
    assert [name for name, metric in known.items() if metric is None or metric.name == name] == []
