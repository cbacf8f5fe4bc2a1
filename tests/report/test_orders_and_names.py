"""Sections are named for what they hold, cells stand in one order, thresholds have their noun."""

from __future__ import annotations

from typing import Any

import pytest
from plain_results import render_html
from report.html_page import Element, parse
from sklearn.datasets import load_iris

from evalreport.api import run


@pytest.fixture(scope="module")
def crossed() -> Any:
    """Three classes, by a model that is fitted in two folds."""
    iris = load_iris()
    frame = {"y": iris.target_names[iris.target].tolist()}
    frame |= {f"x{k}": iris.data[:, k].tolist() for k in range(4)}
    spec = {
        "evalreport": 1,
        "datasets": {"flowers": {"target": "y"}},
        "models": {"bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"}},
        "cross_validation": {"scheme": "stratified_k_fold", "folds": 2, "seed": 3},
        "metrics": ["recall", "accuracy"],
    }
    return run(spec, frames={"flowers": frame}).json


def _section(page: Element, name: str) -> Element:
    return next(s for s in page.all("section") if s.attrs["id"] == name)


@pytest.mark.parametrize(
    ("template", "order"),
    [("standard", ["TN", "FP", "FN", "TP"]), ("clinical", ["TP", "FP", "FN", "TN"])],
)
def test_the_cells_of_a_class_stand_as_those_of_two_classes(
    crossed: Any, template: str, order: list[str]
) -> None:
    page = parse(render_html(crossed, template))
    heads = [
        [th.text for th in table.all("thead")[0].all("th")]
        for table in page.all("table")
        if "class against the rest" in table.text
    ]
    assert [[name for name in head if name in order] for head in heads] == [order]


def test_a_report_without_limits_leads_with_results(crossed: Any) -> None:
    links = [a.text for a in parse(render_html(crossed)).all("a")]
    assert "1 Results" in links
    judged = run(
        {
            "evalreport": 1,
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"prediction": "p"}},
            "metrics": ["recall"],
            "acceptance": [{"metric": "recall", "at_least": 0.5}],
        },
        frames={"d": {"y": [0, 1] * 9, "p": [0, 1] * 9}},
    )
    links = [a.text for a in parse(render_html(judged.json)).all("a")]
    assert "1 Verdict" in links


def test_a_model_card_says_what_models_were_fitted_on_in_folds(crossed: Any) -> None:
    first = _section(parse(render_html(crossed, "model_card")), "verdict")
    told = next(div for div in first.all("div") if div.text.startswith("Training data")).text
    assert "150 rows of flowers" in told
    assert "fitted on all folds but the one tested (stratified 2-fold cross-validation)" in told


def test_a_sweep_of_margins_is_headed_margin() -> None:
    frame = {"y": ["well", "ill"] * 20, "x": [k / 10 for k in range(40)]}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"line": {"linear": {"bias": -2.0, "weights": {"x": 1.0}}}},
        "metrics": ["recall", "roc_auc"],
    }
    page = parse(render_html(run(spec, frames={"d": frame}).json))
    sweep = next(t for t in page.all("table") if "Threshold sweep" in t.text)
    assert sweep.all("thead")[0].all("th")[0].text == "margin ≥"
