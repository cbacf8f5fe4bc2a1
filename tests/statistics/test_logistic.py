"""Logistic calibration fits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from evalreport.statistics.logistic import (
    CalibrationFit,
    NotEstimable,
    calibration_in_the_large,
    calibration_line,
    robust_errors,
)


def logit(p: float) -> float:
    return math.log(p / (1 - p))


def calibration_fit(p: Any, positives: Any, negatives: Any) -> CalibrationFit:
    return CalibrationFit(
        *calibration_line(p, positives, negatives),
        calibration_in_the_large(p, positives, negatives),
    )


def test_two_groups_are_fitted_exactly() -> None:
    # a line through two points: 2 of 10 at p = .1, 15 of 20 at p = .6
    fit = calibration_fit([0.1, 0.6], [2, 15], [8, 5])
    slope = (logit(0.75) - logit(0.2)) / (logit(0.6) - logit(0.1))
    assert fit.slope.value == pytest.approx(slope, rel=1e-12)
    assert fit.intercept.value == pytest.approx(logit(0.2) - slope * logit(0.1), rel=1e-12)
    # the slope is a log odds ratio over a distance
    error = math.sqrt(1 / 2 + 1 / 8 + 1 / 15 + 1 / 5) / (logit(0.6) - logit(0.1))
    assert fit.slope.standard_error == pytest.approx(error, rel=1e-12)


def test_in_the_large_of_one_group_is_the_difference_of_logits() -> None:
    found = calibration_in_the_large([0.3], [30], [20])
    assert found.value == pytest.approx(logit(0.6) - logit(0.3), rel=1e-14)
    assert found.standard_error == pytest.approx(1 / math.sqrt(50 * 0.6 * 0.4), rel=1e-14)


def test_joint_intercept_is_not_calibration_in_the_large() -> None:
    # all predictions below the observed shares: 20 % at .1 and 40 % at .3
    fit = calibration_fit([0.1, 0.3], [20, 40], [80, 60])
    slope = (logit(0.4) - logit(0.2)) / (logit(0.3) - logit(0.1))
    assert fit.intercept.value == pytest.approx(logit(0.4) - slope * logit(0.3), rel=1e-10)
    # 1 / (1 + e^-a logit) summed over both groups must give 60 positives
    expected = sum(100 / (1 + math.exp(-(fit.in_the_large.value + logit(p)))) for p in (0.1, 0.3))
    assert expected == pytest.approx(60, rel=1e-12)
    assert fit.in_the_large.value - fit.intercept.value > 0.3


def test_perfectly_calibrated_groups() -> None:
    fit = calibration_fit([0.2, 0.5, 0.8], [20, 50, 80], [80, 50, 20])
    assert fit.slope.value == pytest.approx(1.0, rel=1e-12)
    assert fit.intercept.value == pytest.approx(0.0, abs=1e-12)
    assert fit.in_the_large.value == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_against_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.98, 25)
    pos, neg = (rng.binomial(20, q).astype(float) for q in (p, 1 - p))
    x = np.log(p / (1 - p))
    outcome = np.column_stack([pos, neg])
    family = sm.families.Binomial()
    line = sm.GLM(outcome, sm.add_constant(x), family=family).fit(tol=1e-13)
    large = sm.GLM(outcome, np.ones_like(x), family=family, offset=x).fit(tol=1e-13)
    values, errors = zip(*calibration_fit(p, pos, neg), strict=True)
    assert values == pytest.approx([*line.params, *large.params], rel=1e-8, abs=1e-10)
    assert errors == pytest.approx([*line.bse, *large.bse], rel=1e-8)


@given(
    st.lists(
        st.tuples(st.floats(1e-9, 1 - 1e-9), st.integers(0, 1000), st.integers(0, 1000)),
        min_size=2,
        max_size=12,
    )
)
def test_the_fit_solves_the_score_equations(groups: list[tuple[float, int, int]]) -> None:
    p, pos, neg = (np.array(c, float) for c in zip(*groups, strict=True))
    try:
        intercept, slope = calibration_line(p, pos, neg)
        large = calibration_in_the_large(p, pos, neg)
    except NotEstimable as state:
        if "converge" in state.reason:
            raise
        return
    x = np.log(p) - np.log1p(-p)
    n = float((pos + neg).sum())
    for eta in (intercept.value + slope.value * x, large.value + x):
        residual = pos - (pos + neg) / (1 + np.exp(-eta))
        assert float(residual.sum()) == pytest.approx(0.0, abs=1e-9 * n)
    residual = pos - (pos + neg) / (1 + np.exp(-(intercept.value + slope.value * x)))
    assert float((residual * x).sum()) == pytest.approx(0.0, abs=1e-7 * n)


@pytest.mark.parametrize(
    ("p", "pos", "neg", "reason"),
    [
        ([0.0, 0.5], [1, 1], [1, 1], "logit of 0 or 1"),
        ([0.5, 1.0], [1, 3], [1, 1], "4 of 6 are 0 or 1"),
        ([0.4, 0.4], [1, 1], [1, 1], "are the same"),
        ([0.2, 0.8], [0, 5], [5, 0], "separate"),
        ([0.8, 0.2], [0, 5], [5, 0], "separate"),
        ([0.2, 0.5, 0.8], [0, 2, 5], [5, 2, 0], "separate"),
        ([0.2, 0.8], [3, 5], [0, 0], "only one class"),
        ([-0.2, 0.8], [3, 5], [1, 1], "outside"),
    ],
)
def test_a_fit_that_does_not_exist_says_why(
    p: list[float], pos: list[int], neg: list[int], reason: str
) -> None:
    with pytest.raises(NotEstimable, match=reason) as caught:
        calibration_fit(p, pos, neg)
    assert reason in caught.value.reason


def test_in_the_large_exists_where_the_slope_does_not() -> None:
    assert calibration_in_the_large([0.4], [4], [6]).value == pytest.approx(0.0, abs=1e-14)
    separated = calibration_in_the_large([0.2, 0.8], [0, 5], [5, 0])
    assert separated.value == pytest.approx(0.0, abs=1e-14)


def test_empty_groups_change_nothing() -> None:
    with_empty = calibration_line([0.1, 0.6, 1.0], [2, 15, 0], [8, 5, 0])
    assert with_empty == calibration_line([0.1, 0.6], [2, 15], [8, 5])


def test_extreme_probabilities_converge() -> None:
    p = [1e-12, 1e-3, 0.5, 1 - 1e-12]
    intercept, slope = calibration_line(p, [1, 3, 6, 9], [9, 7, 4, 1])
    x = np.array([logit(v) for v in p])
    fitted = 1 / (1 + np.exp(-(intercept.value + slope.value * x)))
    residual = np.array([1, 3, 6, 9]) - 10 * fitted
    assert float(residual.sum()) == pytest.approx(0.0, abs=1e-10)
    assert float((residual * x).sum()) == pytest.approx(0.0, abs=1e-9)


def test_many_groups_are_fitted_as_all_of_them_solve_the_equations():
    # of the first of every sixteen all are of one class: the fit of few cannot begin here
    rng = np.random.default_rng(7)
    p = np.sort(rng.uniform(0.001, 0.999, 200_000))
    y = rng.random(len(p)) < 1 / (1 + np.exp(-(0.3 + 0.8 * (np.log(p) - np.log1p(-p)))))
    for outcome in (y, y & (np.arange(len(p)) % 16 > 0)):
        fit = calibration_fit(p, outcome, ~outcome)
        x = np.log(p) - np.log1p(-p)
        line = outcome - 1 / (1 + np.exp(-(fit.intercept.value + fit.slope.value * x)))
        large = outcome - 1 / (1 + np.exp(-(fit.in_the_large.value + x)))
        assert [line.sum(), (line * x).sum(), large.sum()] == pytest.approx([0, 0, 0], abs=1e-6)


def test_few_groups_that_are_separated_do_not_decide_for_all_of_them():
    # no row of the first of every sixteen is on the wrong side, four of the others are
    p = np.linspace(0.001, 0.999, 160_000)
    y = p > 0.5
    wrong = np.array([40_001, 79_993, 80_009, 120_003])
    y[wrong] = ~y[wrong]
    intercept, slope = calibration_line(p, y, ~y)
    x = np.log(p) - np.log1p(-p)
    residual = y - expit(intercept.value + slope.value * x)
    assert [residual.sum(), (residual * x).sum()] == pytest.approx([0, 0], abs=1e-6)


#: statsmodels 0.14: GLM, binomial, frequency weights, covariance by cluster without its own
#: correction, times G / (G - 1): slope, its error, intercept, its error, in the large, its error.
ROBUST = {
    "cluster": (0.96738957, 0.19897834, -0.09054215, 0.29004248, -0.09192281, 0.29325733),
    "weight": (0.90972021, 0.20472136, -0.02643525, 0.22576557, -0.02801519, 0.23587408),
    "both": (0.90972021, 0.19433937, -0.02643525, 0.3006367, -0.02801519, 0.31379051),
}


@pytest.mark.parametrize("design", list(ROBUST))
def test_robust_errors_of_calibration_are_those_of_statsmodels(design):
    k = np.arange(120)
    person = k // 3
    p = np.round(0.05 + 0.9 * ((k * 37) % 120) / 119, 4)
    y = ((person * 13) % 10) / 10 + ((k * 7) % 5) / 20 < p
    weight = None if design == "cluster" else 1 + (k % 4) * 0.5
    whole = np.ones(120) if weight is None else weight
    fit = calibration_fit(p, whole * y, whole * ~y)
    fit = robust_errors(fit, p, y, weight, None if design == "weight" else person)
    found = (*fit.slope, *fit.intercept, *fit.in_the_large)
    assert found == pytest.approx(ROBUST[design], abs=2e-8)


def test_one_cluster_has_no_robust_error():
    fit = calibration_fit([0.2, 0.4, 0.6], [0, 1, 0], [1, 0, 1])
    with pytest.raises(NotEstimable, match="single cluster"):
        robust_errors(fit, [0.2, 0.4, 0.6], [0, 1, 0], cluster=[1, 1, 1])
