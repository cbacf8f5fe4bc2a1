"""Models against guessing, by one summary and its interval; pairs for the previous model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft7Validator
from plain_results import render_html
from sklearn.dummy import DummyClassifier
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    cohen_kappa_score,
    precision_score,
    roc_auc_score,
)

import evalreport
from evalreport.api import run
from evalreport.errors import SpecError
from evalreport.results.codec import results_schema
from evalreport.verify.recompute import recompute

#: 60 negative and 40 positive rows.
ACTUAL = np.array(["no"] * 60 + ["yes"] * 40)


def labels(wrong_no: int, wrong_yes: int) -> list[str]:
    """Predictions with so many mistakes in each class."""
    return ["yes"] * wrong_no + ["no"] * (60 - wrong_no + wrong_yes) + ["yes"] * (40 - wrong_yes)


FRAME = {
    "y": ACTUAL.tolist(),
    "good": labels(5, 5),
    "poor": labels(24, 18),
    "inverse": labels(50, 35),
    "old": labels(6, 5),
    "w": [1.0] * 100,
}


def results(metrics: list[Any] | None = None, **more: Any) -> Any:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {name: {"prediction": name} for name in ("good", "poor", "inverse", "old")},
        "metrics": metrics or ["accuracy", "specificity", "youden_j", "mcc"],
    } | more
    made = run(spec, frames={"d": FRAME}).json
    assert not list(Draft7Validator(results_schema()).iter_errors(json.loads(json.dumps(made))))
    assert recompute(made).problems == ()
    return made


def test_one_summary_judges_a_model_and_the_side_of_its_interval_decides():
    """Youden's J of guessing is 0: scikit-learn's DummyClassifier has a balanced accuracy of 1/2.

    J of good is 55/60 + 35/40 - 1 = 0.792; of poor 36/60 + 22/40 - 1 = 0.15, whose chi-squared
    of 2.17 has p = 0.14; of inverse 10/60 + 5/40 - 1 = -0.708.
    """
    made = results()
    guess = DummyClassifier().fit(np.zeros((100, 1)), ACTUAL).predict(np.zeros((100, 1)))
    chance = 2 * balanced_accuracy_score(ACTUAL, guess) - 1
    found = {r["model"]: r for r in made["against_baselines"]}
    # one record a model: specificity and accuracy are not held against anything
    assert len(found) == len(made["against_baselines"]) == 4
    assert {(r["metric"], r["baseline"], r["baseline_value"]) for r in found.values()} == {
        ("youden_j", "chance", chance)
    }
    assert {model: r["outcome"] for model, r in found.items()} == {
        "good": "better",
        "poor": "not_shown",
        "inverse": "worse",
        "old": "better",
    }
    assert found["poor"]["value"] == pytest.approx(0.15)


def test_scores_are_judged_by_their_area_and_probabilities_by_the_brier_score():
    """Any screening threshold fails specificity; scikit-learn's prior gives the Brier score."""
    score = [0.30 if k % 7 else 0.1 for k in range(60)] + [0.9 if k % 5 else 0.3 for k in range(40)]
    frame = {"y": ACTUAL.tolist(), "p": score}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "p"}},
        "thresholds": [0.05],
    }
    metrics = ["specificity", "accuracy", "brier", "roc_auc", "log_loss"]
    made = run(spec | {"metrics": metrics}, frames={"d": frame}).json
    (area,) = made["against_baselines"]
    assert (area["metric"], area["baseline_value"], area["outcome"]) == ("roc_auc", 0.5, "better")
    assert area["value"] == pytest.approx(roc_auc_score(ACTUAL == "yes", score))
    made = run(spec | {"metrics": ["specificity", "log_loss", "brier"]}, frames={"d": frame}).json
    (loss,) = made["against_baselines"]
    prior = brier_score_loss(ACTUAL == "yes", np.full(100, 0.4))
    assert (loss["metric"], loss["outcome"]) == ("brier", "better")
    assert loss["baseline_value"] == pytest.approx(prior)
    assert recompute(made).problems == ()


def test_a_model_that_is_not_shown_to_be_better_is_said_to_be_so():
    made = results(["kappa"])
    (told,) = [c for c in made["cautions"] if c["code"] == "baseline_not_beaten"]
    kappa = {name: cohen_kappa_score(ACTUAL, FRAME[name]) for name in ("poor", "inverse")}
    assert f"better than guessing: {kappa['poor']:.3f} (" in told["message"]
    assert "poor: Cohen's kappa is not shown to be better than guessing: " in told["message"]
    assert (
        f"inverse: Cohen's kappa is worse than guessing: −{-kappa['inverse']:.3f} ("
        in told["message"]
    )
    assert told["message"].count(") against 0.") == 2
    assert told["models"] == ["poor", "inverse"]
    page = render_html(made)
    assert "poor is not shown to be better than guessing: Cohen&#39;s kappa 0.146 (" in page


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
    assert (
        "Not shown to be better than the previous model: Accuracy "
        f"(difference +0.0100, {first['interval']['low']:+.4f} to "
        f"{first['interval']['high']:+.4f}), in 1 comparison with old.".replace("-", "−")
    ) in told[0]
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


def test_precision_is_held_against_the_prevalence_where_nothing_else_judges():
    """Two classes at random: 16 of 40 predicted positives are positive, as 40 of 100 rows are."""
    frame = {**FRAME, "random": labels(24, 24)}
    made = run(
        {
            "evalreport": 1,
            "datasets": {"d": {"target": "y"}},
            "models": {name: {"prediction": name} for name in ("random", "good")},
            "metrics": ["recall", "precision", "f1"],
        },
        frames={"d": frame},
    ).json
    found = {r["model"]: r for r in made["against_baselines"]}
    assert {(r["metric"], r["baseline_value"]) for r in found.values()} == {("precision", 0.4)}
    assert found["random"]["value"] == precision_score(ACTUAL, frame["random"], pos_label="yes")
    assert {model: r["outcome"] for model, r in found.items()} == {
        "random": "not_shown",
        "good": "better",
    }


def test_guessing_on_weighted_rows_has_the_weighted_shares():
    """Positives weigh 3: of 60 + 120 they are 2/3, and the prevalence's Brier score is 2/9."""
    weight = [1.0] * 60 + [3.0] * 40
    frame = {"y": ACTUAL.tolist(), "p": [0.2] * 60 + [0.7] * 40, "w": weight}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "weight": "w"}},
        "models": {"m": {"score": "p"}},
        "metrics": ["brier"],
    }
    (one,) = run(spec, frames={"d": frame}).json["against_baselines"]
    assert one["baseline_value"] == pytest.approx(2 / 9)
    prior = brier_score_loss(ACTUAL == "yes", np.full(100, 2 / 3), sample_weight=weight)
    assert one["baseline_value"] == pytest.approx(prior)


def test_costs_are_held_against_the_one_answer_that_costs_least():
    """A miss costs 10: always yes costs 60 / 100; good costs (5 x 10 + 5) / 100 = 0.55."""
    made = results(["expected_cost"], costs={"false_negative": 10, "false_positive": 1})
    found = {r["model"]: r for r in made["against_baselines"]}
    assert {(r["baseline"], r["baseline_value"]) for r in found.values()} == {
        ("cheapest_class", 0.6)
    }
    assert found["good"]["value"] == 0.55
    assert (found["good"]["outcome"], found["inverse"]["outcome"]) == ("not_shown", "worse")
    assert "the cheapest class (0.600)" in next(
        c["message"] for c in made["cautions"] if c["code"] == "baseline_not_beaten"
    )


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
    (one,) = made["against_baselines"]
    assert (one["metric"], one["average"], one["label"]) == ("balanced_accuracy", None, None)
    assert (one["baseline_value"], one["outcome"]) == (1 / 3, "better")
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


def test_what_ranks_rows_of_folds_is_judged_by_its_mean_over_them():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    folds = (np.arange(60) % 5).astype(str)
    # within a fold the score knows nothing; a fold of more positives has higher scores
    score = np.round(rng.random(60) / 4 + np.array([y[folds == f].mean() for f in folds]) / 2, 4)
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "fold": "f"}},
        "models": {"m": {"score": "s"}},
        "metrics": ["roc_auc"],
    }
    frame = {"y": y.tolist(), "f": folds.tolist(), "s": score.tolist()}
    made = run(spec, frames={"d": frame}).json
    (chance,) = [b for b in made["against_baselines"] if b["baseline"] == "chance"]
    (mean,) = [m for m in made["measures"] if m["metric"] == "roc_auc" and m["fold"] == "mean"]
    assert (chance["measure"], chance["value"]) == (mean["id"], mean["value"])
    assert recompute(made).problems == ()
