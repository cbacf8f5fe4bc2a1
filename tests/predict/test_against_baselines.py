"""Models against baselines: better, worse or not shown, by interval; pairs for the previous."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft7Validator
from plain_results import render_html

import evalreport
from evalreport.api import run
from evalreport.errors import SpecError
from evalreport.record.recompute import recompute
from evalreport.results.codec import results_schema

#: 60 negative and 40 positive rows.
ACTUAL = np.array(["no"] * 60 + ["yes"] * 40)


def labels(wrong_no: int, wrong_yes: int) -> list[str]:
    """Predictions with so many mistakes in each class."""
    return ["yes"] * wrong_no + ["no"] * (60 - wrong_no + wrong_yes) + ["yes"] * (40 - wrong_yes)


FRAME = {
    "y": ACTUAL.tolist(),
    "good": labels(5, 5),
    "poor": labels(20, 18),
    "inverse": labels(50, 35),
    "old": labels(6, 5),
    "w": [1.0] * 100,
}


def results(metrics: list[Any] | None = None, **more: Any) -> Any:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {name: {"prediction": name} for name in ("good", "poor", "inverse", "old")},
        "metrics": metrics or ["accuracy", "specificity", "mcc", "error_rate"],
    } | more
    made = run(spec, frames={"d": FRAME}).json
    assert not list(Draft7Validator(results_schema()).iter_errors(json.loads(json.dumps(made))))
    assert recompute(made).problems == ()
    return made


def outcomes(made: Any, baseline: str, metric: str) -> dict[str, str]:
    return {
        r["model"]: r["outcome"]
        for r in made["against_baselines"]
        if (r["baseline"], r["metric"]) == (baseline, metric)
    }


def test_the_side_of_the_interval_decides():
    made = results()
    # Majority: 0.6. Wilson limits of 90, 62 and 15 of 100: above, around and below.
    assert outcomes(made, "majority_class", "accuracy") == {
        "good": "better",
        "poor": "not_shown",
        "inverse": "worse",
        "old": "better",
    }
    # The same, where less is better.
    assert outcomes(made, "majority_class", "error_rate") == outcomes(
        made, "majority_class", "accuracy"
    )
    # The majority class is never positive, so its specificity is 1 and tells nothing.
    assert set(outcomes(made, "majority_class", "specificity").values()) == {"not_judged"}
    # MCC of one predicted class is undefined: there is nothing to compare with.
    assert outcomes(made, "majority_class", "mcc") == {}


def test_a_model_that_is_not_shown_to_be_better_is_said_to_be_so():
    made = results(["accuracy"])
    told = {
        c["model"]: c["message"] for c in made["cautions"] if c["code"] == "baseline_not_beaten"
    }
    assert set(told) == {"poor", "inverse"}
    assert told["poor"].startswith(
        "In 3 of 3 comparisons not shown to be better than a baseline: majority class on "
        "Accuracy 0.620 (0.522 to 0.709; baseline 0.600)"
    )
    assert ", in 3 of them worse" in told["inverse"]
    page = render_html(made)
    assert "not shown to be better on Accuracy (majority class, prevalence, stratified" in page


def test_the_previous_model_is_compared_row_by_row():
    made = results(["accuracy"], baselines={"previous": "old"})
    own = [r for r in made["against_baselines"] if r["baseline"] == "previous"]
    assert [(r["model"], r["outcome"]) for r in own] == [
        ("good", "not_shown"),
        ("poor", "worse"),
        ("inverse", "worse"),
    ]
    first = own[0]
    assert first["baseline_value"] == 0.89
    assert first["difference"] == pytest.approx(0.01)
    # One row of a hundred changed sides: a paired interval is narrow, one of two samples is not.
    assert first["interval"]["high"] - first["interval"]["low"] < 0.1
    told = [c["message"] for c in made["cautions"] if c["code"] == "baseline_not_beaten"]
    assert told[0].endswith(
        "than a baseline: the previous model old on Accuracy 0.900 (difference 0.0100, "
        f"{first['interval']['low']:.3g} to {first['interval']['high']:.3g}).".replace("-", "−")
    )
    page = render_html(made)
    assert "The previous model is old." in page
    values = {b["value"] for b in made["baselines"] if b["baseline"] == "previous"}
    assert values == {0.89}


def test_comparisons_asked_for_anyway_are_the_ones_that_judge():
    compared = {"reference": "old", "correction": "holm", "methods": {"accuracy": "wald"}}
    made = results(["accuracy"], baselines={"previous": "old"}, comparisons=compared)
    (record,) = [c for c in made["comparisons"] if c["model"] == "good"]
    (own,) = [
        r for r in made["against_baselines"] if (r["model"], r["baseline"]) == ("good", "previous")
    ]
    assert own["interval"] == record["interval"]
    assert own["interval"]["method"] == "wald"


def test_weighted_rows_are_not_judged_against_what_takes_no_weights():
    made = results(["accuracy"], datasets={"d": {"target": "y", "weight": "w"}})
    assert {r["outcome"] for r in made["against_baselines"]} == {"not_judged"}
    assert "weights" in made["against_baselines"][0]["reason"]


def test_more_than_two_classes_are_judged_by_the_same_average():
    actual = ["a"] * 50 + ["b"] * 30 + ["c"] * 20
    said = ["a"] * 45 + ["b"] * 30 + ["c"] * 20 + ["a"] * 5
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["balanced_accuracy", "recall"],
    }
    made = run(spec, frames={"d": {"y": actual, "p": said}}).json
    found = {
        (r["metric"], r["baseline"]): (r["average"], r["label"], r["baseline_value"], r["outcome"])
        for r in made["against_baselines"]
    }
    assert found["balanced_accuracy", "majority_class"] == (None, None, 1 / 3, "better")
    assert found["recall", "majority_class"] == ("macro", None, 1 / 3, "better")
    assert recompute(made).problems == ()


def test_an_altered_outcome_is_found():
    made = results(["accuracy"], baselines={"previous": "old"})
    for k, change in enumerate(
        ({"outcome": "better"}, {"value": 0.5}, {"baseline_value": 0.5}, {"measure": "m999"})
    ):
        record = next(r for r in made["against_baselines"] if r["outcome"] == "worse")
        others = [r for r in made["against_baselines"] if r is not record]
        assert recompute(made | {"against_baselines": [*others, record | change]}).problems, k


def test_a_previous_model_that_is_not_there_is_a_wrong_spec():
    with pytest.raises(SpecError, match=r"there is no model 'odl'; did you mean 'old'\?"):
        results(baselines={"previous": "odl"})


def test_sets_of_labels_have_no_majority_class():
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": {"list": "y"}}},
        "models": {"m": {"prediction": {"list": "p"}}},
        "metrics": ["recall", "hamming_loss"],
    }
    made = run(spec, frames={"d": {"y": ["a;b", "a", "b"], "p": ["a", "a", "a;b"]}}).json
    assert made["baselines"] == []
    assert made["against_baselines"] == []


def test_a_metric_with_default_parameters_is_held_against_its_baselines(tmp_path: Path) -> None:
    """Its record has the defaults: bins of ece that nobody named."""
    lines = [f"{'ill' if k % 3 else 'well'},{(k * 7 % 20) / 20 + 0.01:.2f}" for k in range(60)]
    (tmp_path / "d.csv").write_text("y,p\n" + "\n".join(lines) + "\n")
    (tmp_path / "s.yaml").write_text(
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\nmodels: {m: {score: p}}\n"
        "positive: {label: ill}\nmetrics: [ece, brier]\n"
    )
    found = evalreport.run(tmp_path / "s.yaml", at="2026-11-21").json
    params = {(one["metric"], str(one["params"])) for one in found["baselines"]}
    told = {(one["metric"], str(one["params"])) for one in found["measures"]}
    assert params == told
    page = render_html(found)
    assert "for no model" not in page
