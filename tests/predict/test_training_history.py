"""Training histories: counts and costs worked out on paper; the two criteria may disagree."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from evalreport.api import run
from evalreport.errors import DataError
from evalreport.predict.history import prediction_history, weight_history

ROOT = Path(__file__).parents[2]
ACTUAL = np.array([1, 1, 0])


def test_counts_and_softmax_cost_of_margins():
    margin = np.array([2.0, -1.0, -3.0, 0.0, 1.0, 5.0])
    (run,) = prediction_history([0, 0, 0, 1, 1, 1], ["a"] * 6, None, ACTUAL, 1, margin=margin)
    # Step 0: one positive at -1 is wrong. Step 1: 0 counts as positive; the negative at 5 is wrong.
    assert run.misclassified == (1, 1)
    cost = (math.log1p(math.exp(-2)) + math.log1p(math.exp(1)) + math.log1p(math.exp(-3))) / 3
    assert run.cost[0] == pytest.approx(cost, abs=1e-15)
    assert run.cost[1] == pytest.approx(
        (math.log(2) + math.log1p(math.exp(-1)) + math.log1p(math.exp(5))) / 3, abs=1e-15
    )
    assert (run.cost_name, run.on_boundary) == ("softmax_cost", (0, 1))


def test_lowest_cost_need_not_be_fewest_mistakes():
    # Step 0: none wrong but all barely right. Step 1: one wrong, the others surely right.
    margin = np.array([0.01, 0.01, -0.01, 9.0, -0.1, -9.0])
    (run,) = prediction_history([0, 0, 0, 1, 1, 1], ["a"] * 6, None, ACTUAL, 1, margin=margin)
    assert run.misclassified == (0, 1)
    assert (run.best_by_misclassified, run.best_by_cost) == (0, 1)
    assert run.differ
    assert run.sentence() == (
        "Run a: fewest mistakes at step 0, 0 of 3 rows wrong, softmax cost 0.6882; "
        "lowest cost at step 1, 1 of 3 rows wrong, softmax cost 0.2482. "
        "From step 0 to step 1 the cost falls from 0.6882 to 0.2482 while mistakes rise from 0 "
        "to 1."
    )


def test_mistakes_may_fall_after_the_lowest_cost():
    # Step 0 as step 1 above; at step 1 none is wrong and all are barely right: log(1 + e^-0.01).
    margin = np.array([9.0, -0.1, -9.0, 0.01, 0.01, -0.01])
    (run,) = prediction_history([0, 0, 0, 1, 1, 1], ["a"] * 6, None, ACTUAL, 1, margin=margin)
    assert (run.best_by_misclassified, run.best_by_cost, run.differ) == (1, 0, True)
    assert run.sentence().endswith(
        "From step 0 to step 1 mistakes fall from 1 to 0 while the cost rises from 0.2482 to "
        "0.6882."
    )


def test_one_step_may_be_best_by_both_and_another_cost_no_mistakes():
    # Step 1 is surely right throughout: log(1 + e^-9) = 0.0001234.
    margin = np.array([0.01, 0.01, -0.01, 9.0, 9.0, -9.0])
    (run,) = prediction_history([0, 0, 0, 1, 1, 1], ["a"] * 6, None, ACTUAL, 1, margin=margin)
    assert run.sentence() == (
        "Run a: fewest mistakes at step 0, 0 of 3 rows wrong, softmax cost 0.6882; lowest cost at "
        "step 1, 0 of 3 rows wrong, softmax cost 0.0001234. The step of lowest cost makes no more "
        "mistakes."
    )
    (run,) = prediction_history([1, 1, 1], ["a"] * 3, None, ACTUAL, 1, margin=margin[3:])
    assert run.sentence() == (
        "Run a: fewest mistakes and lowest cost at step 1, 0 of 3 rows wrong, softmax cost "
        "0.0001234."
    )


def test_scores_have_a_log_loss_with_counted_clips():
    score = np.array([1.0, 0.5, 0.0, 0.0, 0.5, 1.0])
    (run,) = prediction_history([1, 1, 1, 2, 2, 2], ["a"] * 6, None, ACTUAL, 1, score=score)
    assert run.misclassified == (0, 2)
    assert run.cost[0] == pytest.approx(math.log(2) / 3, abs=1e-15)
    assert run.cost[1] == pytest.approx((2 * 15 * math.log(10) + math.log(2)) / 3, abs=1e-12)
    assert run.clipped == (0, 2)
    assert not run.differ


def test_labels_have_no_cost():
    predicted = np.array([1, 0, 0])
    (run,) = prediction_history([3] * 3, ["a"] * 3, None, ACTUAL, 1, predicted=predicted)
    assert (run.misclassified, run.cost, run.best_by_cost, run.differ) == ((1,), None, None, False)
    assert run.sentence() == "Run a: fewest mistakes at step 3, 1 of 3 rows wrong."


def test_entries_are_matched_by_row_and_steps_sorted():
    rows = np.array([2, 0, 1, 0, 1, 2])
    predicted = np.array([0, 1, 1, 0, 0, 1])
    (run,) = prediction_history([9, 9, 9, 1, 1, 1], ["a"] * 6, rows, ACTUAL, 1, predicted=predicted)
    assert run.steps == (1, 9)
    assert run.misclassified == (3, 0)


def test_weights_are_applied_to_the_dataset_run_by_run():
    columns = {"x": np.array([1.0, 2.0, -1.0]), "z": np.array([0.0, 1.0, 1.0])}
    runs = weight_history(
        steps=[0, 1, 0, 1],
        runs=["slow", "slow", "fast", "fast"],
        bias=np.array([0.0, 0.0, 0.0, 1.0]),
        weights={"x": np.array([0.0, 1.0, 0.0, -1.0]), "z": np.array([0.0, 0.0, 0.0, 1.0])},
        columns=columns,
        positive=ACTUAL == 1,
    )
    assert [run.run for run in runs] == ["slow", "fast"]
    # All weights 0: every margin is 0, which counts as positive; the cost is log 2.
    assert runs[0].misclassified == (1, 0)
    assert runs[0].on_boundary == (3, 0)
    assert runs[0].cost[0] == pytest.approx(math.log(2), abs=1e-15)
    # Fast, step 1: margins 1 - x + z = 0, 0, 3.
    assert runs[1].misclassified == (1, 1)
    assert runs[1].on_boundary == (3, 2)


def test_gradient_descent_lowers_the_cost():
    x = np.array([-2.0, -1.0, 0.5, 1.0, 2.0])
    positive = np.array([False, False, True, True, True])
    y = np.where(positive, 1, -1)
    weight, bias, steps = 0.0, 0.0, []
    for _ in range(30):
        steps.append((bias, weight))
        pull = y / (1 + np.exp(y * (bias + weight * x)))
        bias, weight = bias + 0.5 * pull.mean(), weight + 0.5 * (pull * x).mean()
    (run,) = weight_history(
        range(30),
        ["a"] * 30,
        np.array([b for b, _ in steps]),
        {"x": np.array([w for _, w in steps])},
        {"x": x},
        positive,
    )
    assert list(run.cost) == sorted(run.cost, reverse=True)
    assert run.best_by_cost == 29
    assert run.misclassified[-1] == 0


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (None, "step 1 of run a has predictions for 2 rows, the dataset has 3"),
        (np.array([0, 0]), "for 2 rows, 1 of them twice"),
    ],
)
def test_steps_that_lack_rows_are_refused(rows, told):
    with pytest.raises(DataError, match=told):
        prediction_history([1, 1], ["a", "a"], rows, ACTUAL, 1, margin=np.array([1.0, 2.0]))


def test_scores_outside_the_unit_and_repeated_steps_are_refused():
    with pytest.raises(DataError, match="outside 0 to 1"):
        prediction_history([1] * 3, ["a"] * 3, None, ACTUAL, 1, score=np.array([0.1, 1.2, 0.3]))
    with pytest.raises(DataError, match="step 1 of run a occurs twice"):
        weight_history(
            [1, 1], ["a", "a"], np.zeros(2), {"x": np.zeros(2)}, {"x": np.zeros(3)}, ACTUAL == 1
        )


def test_a_report_on_its_training_rows_says_what_not_to_trust() -> None:
    """Confidences of distances are all near one half; the slope is that of scikit-learn's fit."""
    found = run(ROOT / "configs/training_history.yaml", at="2026-11-21").json
    told = {c["code"]: c["message"] for c in found["cautions"]}
    assert told["step_chosen_here"].startswith(
        "The best step of descent was chosen on the rows it is judged on"
    )
    data = np.genfromtxt(
        ROOT / "sample_data/breast_measurements.csv", delimiter=",", names=True, dtype=None,
        encoding="utf-8",
    )  # fmt: skip
    margin = 0.286 * data["mean_texture"] + 78.2 * data["mean_smoothness"] - 13.8
    distance = margin / np.hypot(0.286, 78.2)
    fitted = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
    fitted.fit(margin.reshape(-1, 1), data["diagnosis"] == "malignant")
    slope = fitted.coef_[0, 0] * np.hypot(0.286, 78.2)
    assert np.ptp(1 / (1 + np.exp(-distance))) < 0.04
    assert f"calibration slope is {slope:.3g} (" in told["miscalibration"]
