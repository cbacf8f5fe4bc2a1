"""Linear models by hand: sides, distances and points on the boundary worked out on paper."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evalreport.errors import DataError
from evalreport.metrics.readings import sigmoid
from evalreport.predict.history import weight_history
from evalreport.predict.linear import linear_output, linear_value
from evalreport.verify.recompute import recompute
from tests.trap_runs import one, results_of


def test_signed_distance_side_and_confidence():
    # w = (3, 4), |w| = 5, b = -5.
    columns = {"a": np.array([3.0, 0.0, -1.0]), "b": np.array([4.0, 0.0, 0.5])}
    out = linear_output(columns, -5.0, {"a": 3.0, "b": 4.0})
    assert out.value.tolist() == [20.0, -5.0, -6.0]
    assert out.distance.tolist() == [4.0, -1.0, -1.2]
    assert out.side.tolist() == [1, -1, -1]
    assert out.confidence[0] == pytest.approx(1 / (1 + math.exp(-4)), abs=1e-16)
    assert out.on_boundary == 0
    assert out.note is None


def test_points_on_the_boundary_are_drawn_from_the_seed_and_counted():
    columns = {"x": np.array([2.0] * 100 + [3.0])}
    out = linear_output(columns, -2.0, {"x": 1.0}, seed=5)
    again = linear_output(columns, -2.0, {"x": 1.0}, seed=5)
    other = linear_output(columns, -2.0, {"x": 1.0}, seed=6)
    assert out.on_boundary == 100
    assert 20 < out.drawn_positive < 80
    assert out.side.tolist() == again.side.tolist() != other.side.tolist()
    assert int((out.side[:100] == 1).sum()) == out.drawn_positive
    # The draw is told and moves no score.
    assert out.distance[:100].tolist() == other.distance[:100].tolist() == [0.0] * 100
    assert "100 of 101 rows" in str(out.note)


def test_boundary_is_that_of_the_numbers_as_written():
    # In binary 3 * 0.1 - 0.3 is 5.6e-17; on paper it is 0.
    assert 3 * 0.1 - 0.3 != 0
    assert linear_value({"x": np.array([3.0])}, -0.3, {"x": 0.1}).tolist() == [0.0]
    # Close to the boundary is not on it.
    assert linear_value({"x": np.array([3.0000000001])}, -0.3, {"x": 0.1})[0] > 0


def test_weights_of_zero_have_no_boundary():
    with pytest.raises(DataError, match="all weights are 0"):
        linear_output({"x": np.array([1.0])}, 1.0, {"x": 0.0})


def test_sigmoid_of_large_distances():
    assert sigmoid(np.array([800.0, -800.0])).tolist() == [1.0, 0.0]


# x and the class of 12 rows; with bias -2 and weight 1 four of them lie on the boundary.
ROWS = {
    "y": ["p", "n", "p", "n", "p", "p", "n", "n", "p", "n", "p", "n"],
    "x": [2.0, 2.0, 2.0, 2.0, 4.0, 3.5, 1.0, 0.5, 1.5, 3.0, 2.5, 0.0],
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 7])
def test_labels_on_the_boundary_are_drawn_and_ranks_know_nothing_of_it(seed: int, weighted: bool):
    linear = {"bias": -2, "weights": {"x": 1}, "seed": seed}
    dataset = {"weight": "w"} if weighted else {}
    made = results_of(
        {**ROWS, "w": [1.0] * 12},
        {"linear": linear},
        ["roc_auc", "recall", "fpr"],
        positive={"label": "p"},
        dataset=dataset,
    )
    # Of the six n (2, 2, 1, 0.5, 3, 0) the p are above, ties as halves: 2 and 2 each of 3 + 1,
    # 4 and 3.5 of 6, 1.5 of 3, 2.5 of 5; 28 of the 36 pairs.
    assert one(made, "roc_auc")["value"] == pytest.approx(28 / 36, abs=1e-15)
    # x > 2 is positive, 4, 3.5 and 2.5 of p and 3 of n; p, n, p, n on the boundary are drawn.
    p, n, p2, n2 = np.random.default_rng(seed).integers(0, 2, 4).tolist()
    cells = (one(made, "recall")["numerator"], one(made, "fpr")["numerator"])
    assert cells == (3 + p + p2, 1 + n + n2)
    told = next(c["message"] for c in made["cautions"] if "on the boundary" in c["message"])
    assert "4 of 12 rows" in told
    drawn = p + n + p2 + n2
    assert f"drawn by the seed, {drawn} positive and {4 - drawn} negative" in told
    assert not any(c["code"] == "ties_at_threshold" for c in made["cautions"])
    assert not recompute(made).problems


def test_seeds_draw_different_labels():
    recalls = set()
    for seed in range(8):
        linear = {"bias": -2, "weights": {"x": 1}, "seed": seed}
        made = results_of(ROWS, {"linear": linear}, ["recall"], positive={"label": "p"})
        recalls.add(one(made, "recall")["numerator"])
    assert len(recalls) > 1
    assert recalls <= {3, 4, 5}


def test_sums_that_are_equal_on_paper_are_a_tie():
    """The area is that of exact sums: each row's rank among the distinct fractions."""
    random = np.random.default_rng(0)
    columns = {name: random.integers(0, 8, 400) / 10 for name in "abc"}
    weights = {"a": 0.1, "b": 0.2, "c": 0.3}
    whole = sum((k + 1) * np.round(columns[name] * 10) for k, name in enumerate("abc")) - 40
    value = linear_value(columns, -0.4, weights)
    assert value == pytest.approx(whole / 100, abs=1e-15)
    binary = -0.4 + sum(weights[name] * columns[name] for name in "abc")
    assert len(set(binary.tolist())) > len(set(value.tolist())) == len(set(whole.tolist()))
    y = (random.random(400) < 1 / (1 + np.exp(-whole / 12))).astype(int)
    assert roc_auc_score(y, binary) != roc_auc_score(y, whole)
    made = results_of(
        {**columns, "y": y}, {"linear": {"bias": -0.4, "weights": weights}}, ["roc_auc"]
    )
    assert one(made, "roc_auc")["value"] == pytest.approx(roc_auc_score(y, whole), abs=1e-15)


def test_exact_sums_are_those_of_fractions():
    random = np.random.default_rng(3)
    for _ in range(50):
        scale = 10.0 ** random.integers(-30, 30)
        columns = {str(k): random.normal(size=12) * (scale if k else 1) for k in range(3)}
        columns = {name: np.concatenate([one, one]) for name, one in columns.items()}
        weights = {"0": 0.1, "1": -0.3, "2": float(random.normal())}
        found = linear_value(columns, 0.3, weights)
        for row, value in enumerate(found.tolist()):
            terms = (
                Fraction(repr(w)) * Fraction(repr(float(columns[name][row])))
                for name, w in weights.items()
            )
            assert value == float(Fraction("0.3") + sum(terms))


def test_softmax_cost_of_weights_is_one_number_in_history_and_linear():
    linear = {"bias": -2, "weights": {"x": 3}}
    made = results_of(
        ROWS, {"linear": linear}, ["softmax_cost", "log_loss"], positive={"label": "p"}
    )
    x = np.array(ROWS["x"])
    positive = np.array([y == "p" for y in ROWS["y"]])
    (history,) = weight_history(
        [0], ["all"], np.array([-2.0]), {"x": np.array([3.0])}, {"x": x}, positive
    )
    by_hand = np.mean(np.log1p(np.exp(-np.where(positive, 1, -1) * (3 * x - 2))))
    assert one(made, "softmax_cost")["value"] == pytest.approx(by_hand, abs=1e-12)
    assert history.cost == pytest.approx((by_hand,), abs=1e-12)
    # The confidence is that of the signed distance, (3 x - 2) / 3.
    distance = np.where(positive, 1, -1) * (x - 2 / 3)
    confident = np.mean(np.log1p(np.exp(-distance)))
    assert one(made, "log_loss")["value"] == pytest.approx(confident, abs=1e-12)


def test_a_published_logistic_equation_gives_probabilities():
    """The Framingham-like form: logit p = b + w1 x1 + w2 x2, held to scikit-learn and R's form."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import brier_score_loss, log_loss

    random = np.random.default_rng(4)
    x = random.normal(size=(200, 2)).round(3)
    y = (random.random(200) < 1 / (1 + np.exp(-(0.4 + x @ [1.5, -0.8])))).astype(int)
    fitted = LogisticRegression(C=np.inf, tol=1e-12).fit(x, y)
    p = fitted.predict_proba(x)[:, 1]
    columns = {"y": y.tolist(), "a": x[:, 0].tolist(), "b": x[:, 1].tolist()}
    weights = dict(zip("ab", fitted.coef_[0].tolist(), strict=True))
    linear = {"bias": float(fitted.intercept_[0]), "weights": weights, "link": "logit"}
    made = results_of(
        columns,
        {"linear": linear},
        ["log_loss", "brier", "calibration_slope", "calibration_in_the_large", "accuracy"],
    )
    assert one(made, "log_loss")["value"] == pytest.approx(log_loss(y, p), abs=1e-12)
    assert one(made, "brier")["value"] == pytest.approx(brier_score_loss(y, p), abs=1e-12)
    # On the data of its own fit without penalty the slope is 1 and nothing is off in the large.
    assert one(made, "calibration_slope")["value"] == pytest.approx(1, abs=1e-4)
    assert one(made, "calibration_in_the_large")["value"] == pytest.approx(0, abs=1e-4)
    assert one(made, "accuracy")["threshold"] == 0.5
    assert "calibration" in {c["kind"] for c in made["curves"]}
    assert not recompute(made).problems


@pytest.mark.long
def test_margins_are_read_as_confidences_where_probabilities_are_asked_for():
    columns = {**ROWS, "d": [x - 2 for x in ROWS["x"]], "p": sigmoid(np.array(ROWS["x"]) - 2)}
    names = ["log_loss", "brier", "ece", "oe_ratio", "brier_scaled", "calibration_slope"]
    made = results_of(
        columns,
        {"margin": "d"},
        names,
        models={"twin": {"score": "p"}},
        positive={"label": "p"},
        comparisons={"reference": "twin"},
        averaging=["none", "macro"],
    )
    for name in names:
        own, twin = (
            next(
                r
                for r in made["measures"]
                if (r["metric"], r["model"], r["average"]) == (name, model, None)
                and r["label"] in ("p", None)
            )
            for model in ("m", "twin")
        )
        assert own["value"] == pytest.approx(twin["value"], abs=1e-12), name
        limits = own["interval"]
        if limits and limits["method"] in ("normal", "wald"):  # others draw rows model by model
            for side in ("low", "high"):
                expected = pytest.approx(twin["interval"][side], abs=1e-9)
                assert own["interval"][side] == expected, name
    assert one(made, "ece", average="macro")["state"] == "value"
    assert {c["difference"] for c in made["comparisons"] if c["metric"] == "brier"} == {0.0}
    assert "margins_as_probabilities" in {c["code"] for c in made["cautions"]}
    calibration = [c["points"] for c in made["curves"] if c["kind"] == "calibration"]
    assert calibration[0] == calibration[1]
