"""Curves by hand arithmetic, and against their areas and an outside smoother."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from oracle import score_table

from evalreport.metrics import calibration_curve, curves, h_measure, ranking
from evalreport.metrics.catalogue import find
from evalreport.metrics.formula import Value
from evalreport.metrics.tables import ScoreTable
from evalreport.statistics.proportions import wilson

LECTURE_ACTUAL = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
LECTURE_SCORES = [0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01]


def test_the_area_under_the_roc_points_is_the_auc() -> None:
    s = score_table(LECTURE_ACTUAL, LECTURE_SCORES)
    points = curves.roc(s)
    path = list(zip(points["fpr"], points["tpr"], strict=True))
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(path))
    assert area == pytest.approx(0.8)
    assert ranking.roc_auc(s).outcome().number == 0.8  # type: ignore[union-attr]
    corners = curves.roc(s, drop_collinear=True)
    assert list(zip(corners["fpr"], corners["tpr"], strict=True))[1:-1] == [
        (0.0, 0.4),
        (0.2, 0.4),
        (0.2, 0.8),
        (0.6, 0.8),
        (0.6, 1.0),
    ]


def test_threshold_sweep_by_hand() -> None:
    sweep = curves.threshold_sweep(score_table(LECTURE_ACTUAL, LECTURE_SCORES))
    k = sweep["threshold"].index(0.65)
    found = {name: sweep[name][k] for name in ("tp", "fp", "fn", "tn", "tpr", "precision")}
    assert found == {"tp": 4, "fp": 1, "fn": 1, "tn": 4, "tpr": 0.8, "precision": 0.8}


def test_one_class_has_no_rate_of_the_other() -> None:
    points = curves.roc(score_table([1, 1], [0.2, 0.6]))
    assert points["fpr"] == [None, None, None]
    assert curves.precision_recall(score_table([0, 0], [0.2, 0.6]))["recall"] == []
    assert curves.lift(score_table([0, 0], [0.2, 0.6]))["lift"] == []


def test_scores_without_weight_give_no_point() -> None:
    s = score_table([1, 0, 1], [0.9, 0.5, 0.2], [1.0, 0.0, 2.0])
    assert curves.roc(s)["threshold"] == [None, 0.9, 0.2]


def test_gain_and_lift_by_hand() -> None:
    s = score_table([1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1])
    assert curves.gain(s)["gain"] == [0, 0.5, 1, 1]
    assert curves.gain(s)["share"] == [0, 0.25, 0.75, 1]
    assert curves.lift(s)["lift"] == pytest.approx([2, 4 / 3, 1])


def test_decision_curve_by_hand() -> None:
    s = score_table(LECTURE_ACTUAL, LECTURE_SCORES)
    points = curves.decision(s, [0.2, 0.5])
    # at 0.2: 5 found, 3 false alarms at odds 1/4; at 0.5: 4 found, 2 false alarms at odds 1
    assert points["net_benefit"] == pytest.approx([(5 - 3 / 4) / 10, (4 - 2) / 10])
    assert points["treat_all"] == pytest.approx([(5 - 5 / 4) / 10, 0])
    assert len(curves.decision(s)["threshold"]) == 99
    assert curves.decision(score_table([0, 1], [-1, 2]))["threshold"] == []


def test_score_distribution_counts_every_row() -> None:
    s = score_table([1, 0, 0, 1], [-2.0, 0.5, 3.0, 3.0])
    points = curves.score_distribution(s, bins=5)
    assert (points["low"][0], points["high"][-1]) == (-2.0, 3.0)
    assert points["positives"] == [1, 0, 0, 0, 1]
    assert points["negatives"] == [0, 0, 1, 0, 1]
    constant = curves.score_distribution(score_table([1, 0], [7.0, 7.0]))
    assert (constant["positives"], constant["negatives"]) == ([1], [1])


def test_accuracy_by_coverage_by_hand() -> None:
    points = curves.accuracy_coverage(score_table([1, 0, 0, 1], [0.95, 0.1, 0.8, 0.4]))
    assert points["coverage"] == [0.25, 0.5, 0.75, 1.0]
    assert points["accuracy"] == pytest.approx([1, 1, 2 / 3, 1 / 2])


def test_calibration_limits_are_wilson_limits() -> None:
    s = score_table([1, 1, 0, 0], [0.35, 0.31, 0.32, 0.33])
    points = calibration_curve.calibration(s)
    limits = wilson(2, 4, 0.95)
    assert limits is not None
    assert (points["observed_low"], points["observed_high"]) == ([limits.low], [limits.high])
    weighted = score_table([1, 1, 0, 0], [0.35, 0.31, 0.32, 0.33], [7.0] * 4)
    again = calibration_curve.calibration(weighted)
    assert again["observed_low"] == pytest.approx(points["observed_low"])


@pytest.mark.parametrize("n", [50, 119, 120, 121])
def test_smoother_agrees_with_lowess_without_robustness_steps(n: int) -> None:
    """Where three quarters of the rows are no whole number, the window holds the rows below it."""
    from statsmodels.nonparametric.smoothers_lowess import lowess

    rng = np.random.default_rng(11)
    p = np.sort(rng.random(n)) * 0.8 + 0.1
    y = rng.random(n) < p**1.5
    curve = calibration_curve.smoothed_calibration(score_table(y, p))
    outside = lowess(y.astype(float), p, frac=0.75, it=0, return_sorted=False)
    assert curve["score"] == pytest.approx(p)
    assert curve["observed"] == pytest.approx(np.clip(outside, 0, 1), abs=1e-5)


def test_calibration_distances_of_a_shift_by_hand() -> None:
    # every group of rows happens 0.1 more often than said, on a straight line
    p = np.repeat([0.2, 0.4, 0.6], 10)
    y = np.concatenate([np.arange(10) < k for k in (3, 5, 7)])
    found = calibration_curve.calibration_distances(score_table(y, p), span=1.0)
    far = dict.fromkeys(("ici", "e50", "e90", "emax"), 0.1)
    assert found == pytest.approx(far | {"eci": 0.01})


def by_polynomials(p: np.ndarray, y: np.ndarray, degree: int) -> np.ndarray:
    """Loess of single rows from numpy's weighted least squares, span 0.75, no robustness steps."""
    found = []
    for at in p:
        far = np.abs(p - at)
        reach = np.sort(far)[int(0.75 * len(p)) - 1] * (1 + 1e-6)
        weight = np.clip(1 - (far / reach) ** 3, 0, None) ** 3
        held = weight > 0
        line = np.polyfit(p[held] - at, y[held].astype(float), degree, w=np.sqrt(weight[held]))
        found.append(line[-1])
    return np.clip(found, 0, 1)


@pytest.mark.parametrize("degree", [None, 1, 2])
def test_calibration_indices_against_another_smoother(degree: int | None) -> None:
    """Parabolas where nothing is said, as R's loess fits them; ECI is of straight lines."""
    rng = np.random.default_rng(12)
    p = np.sort(rng.random(160)) * 0.8 + 0.1
    y = rng.random(160) < p**2
    distance = np.abs(by_polynomials(p, y, degree or 2) - p)
    table = score_table(y, p)
    expected = {
        "ici": distance.mean(),
        "e50": np.sort(distance)[79],
        "e90": np.sort(distance)[143],
        "emax": distance.max(),
    }
    asked = {} if degree is None else {"degree": degree}
    for name, number in expected.items():
        metric = find(name)
        assert metric is not None
        outcome = metric(table, **metric.arguments(asked)).outcome()
        assert isinstance(outcome, Value)
        assert outcome.number == pytest.approx(number, abs=1e-9), name
        stacked = ScoreTable(
            table.scores, np.stack([table.positives] * 2), np.stack([table.negatives] * 2)
        )
        assert metric(stacked, **metric.arguments(asked)).array().tolist() == [outcome.number] * 2
        reason = metric(ScoreTable(np.array([2.0]), np.array([1]), np.array([1]))).outcome()
        assert "probabilities" in str(reason)
    squared = find("eci")
    assert squared is not None
    outcome = squared(table, **squared.arguments({})).outcome()
    assert isinstance(outcome, Value)
    lines = by_polynomials(p, y, 1)
    assert outcome.number == pytest.approx(((lines - p) ** 2).mean(), abs=1e-9)


def test_h_measure_by_numerical_integration() -> None:
    from scipy.integrate import quad
    from scipy.stats import beta as beta_distribution

    rng = np.random.default_rng(4)
    actual = rng.random(60) < 0.35
    s = score_table(actual, np.round(rng.random(60) + 0.4 * actual, 1))
    points = curves.roc(s)
    p1 = actual.mean()
    density = beta_distribution(1 + p1, 2 - p1).pdf
    fpr, tpr = np.array(points["fpr"]), np.array(points["tpr"])

    def loss(c: float) -> float:
        return float(np.min(c * (1 - p1) * fpr + (1 - c) * p1 * (1 - tpr)) * density(c))

    def constant(c: float) -> float:
        return float(min(c * (1 - p1), (1 - c) * p1) * density(c))

    top = quad(loss, 0, 1, limit=500, epsabs=1e-10)[0]
    bottom = quad(constant, 0, 1, limit=500, epsabs=1e-10)[0]
    outcome = h_measure.h_measure(s).outcome()
    assert outcome.number == pytest.approx(1 - top / bottom, abs=1e-7)  # type: ignore[union-attr]


def test_the_counts_of_coverage_are_tables_of_the_rows_answered() -> None:
    """Scores 0.9 +, 0.4 - -, 0.45 +: by confidence 0.9 (TP), 0.6 (two TN), 0.55 (FN)."""
    table = ScoreTable(np.array([0.9, 0.45, 0.4]), np.array([1, 1, 0]), np.array([0, 0, 2]))
    found = curves.accuracy_coverage(table)
    assert found["confidence"] == pytest.approx([0.9, 0.6, 0.55])
    cells = [[found[name][k] for name in ("tn", "fp", "fn", "tp")] for k in range(3)]
    assert cells == [[0, 0, 0, 1], [2, 0, 0, 1], [2, 0, 1, 1]]
    assert found["rows"] == [1, 3, 4]
    assert found["correct"] == [1, 3, 3]
