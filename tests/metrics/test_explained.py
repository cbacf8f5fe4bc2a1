"""Pseudo R2, discrimination slope, AC1 and standardised net benefit against outside values."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm

from evalreport.metrics.diagnostic import net_benefit, standardised_net_benefit
from evalreport.metrics.explained import (
    cox_snell_r2,
    discrimination_slope,
    mcfadden_r2,
    nagelkerke_r2,
)
from evalreport.metrics.formula import Undefined
from evalreport.metrics.matrix import gwet_ac1, kappa
from evalreport.metrics.tables import Counts, Matrix, ScoreTable


def table(actual: np.ndarray, scores: np.ndarray) -> ScoreTable:
    order = np.argsort(-scores)
    own = actual[order]
    return ScoreTable(scores[order], own.astype(int), (1 - own).astype(int))


@pytest.mark.parametrize("seed", range(5))
def test_on_the_rows_of_the_fit_they_are_those_of_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(150, 2))
    actual = (rng.random(150) < 1 / (1 + np.exp(-x[:, 0] + 0.5))).astype(int)
    fit = sm.Logit(actual, sm.add_constant(x)).fit(disp=0)
    s = table(actual, fit.predict())
    assert mcfadden_r2(s).outcome().number == pytest.approx(fit.prsquared, abs=1e-9)
    likelihood = sm.GLM(actual, sm.add_constant(x), family=sm.families.Binomial()).fit()
    share = likelihood.pseudo_rsquared("cs")
    assert cox_snell_r2(s).outcome().number == pytest.approx(share, abs=1e-9)
    largest = 1 - math.exp(2 * fit.llnull / 150)
    assert nagelkerke_r2(s).outcome().number == pytest.approx(share / largest, abs=1e-9)
    p = fit.predict()
    slope = p[actual == 1].mean() - p[actual == 0].mean()
    assert discrimination_slope(s).outcome().number == pytest.approx(slope, abs=1e-12)


def test_the_prevalence_for_every_row_explains_nothing_and_worse_lies_below_0() -> None:
    constant = ScoreTable(np.array([0.25]), np.array([1]), np.array([3]))
    wrong = ScoreTable(np.array([0.9, 0.1]), np.array([0, 1]), np.array([3, 0]))
    for one in (mcfadden_r2, cox_snell_r2, nagelkerke_r2):
        assert one(constant).outcome().number == pytest.approx(0.0, abs=1e-15)
        assert one(wrong).outcome().number < 0


@pytest.mark.parametrize("one", [mcfadden_r2, cox_snell_r2, nagelkerke_r2, discrimination_slope])
def test_what_has_no_number_says_why(one: object) -> None:
    only = ScoreTable(np.array([0.9, 0.1]), np.array([2, 1]), np.array([0, 0]))
    margins = ScoreTable(np.array([2.0, -1.0]), np.array([1, 0]), np.array([0, 1]))
    for s in (only, margins):
        assert isinstance(one(s).outcome(), Undefined)  # type: ignore[operator]


def test_ac1_holds_where_kappa_collapses() -> None:
    # by hand: agreement 118/125, share of the first class 243/250, so that chance is
    # 2 (243/250) (7/250) = 0.054432; kappa of this table is below 0
    expected = (118 / 125 - 0.054432) / (1 - 0.054432)
    found = gwet_ac1(Matrix.from_counts([[118, 5], [2, 0]])).outcome().number
    assert found == pytest.approx(expected, abs=1e-15)
    assert kappa(Matrix.from_counts([[118, 5], [2, 0]])).outcome().number < 0


def test_ac1_of_three_classes_by_hand() -> None:
    counts = np.array([[20, 3, 1], [2, 15, 4], [0, 5, 10]])
    n = counts.sum()
    share = (counts.sum(0) + counts.sum(1)) / (2 * n)
    chance = (share * (1 - share)).sum() / 2
    expected = (np.trace(counts) / n - chance) / (1 - chance)
    found = gwet_ac1(Matrix.from_counts(counts.tolist())).outcome().number
    assert found == pytest.approx(expected, abs=1e-15)


def test_standardised_net_benefit_is_net_benefit_over_the_prevalence() -> None:
    c = Counts(tp=30, fp=10, fn=5, tn=55)
    found = standardised_net_benefit(c, threshold=0.2).outcome().number
    assert found == pytest.approx(net_benefit(c, threshold=0.2).outcome().number / 0.35)
    reason = standardised_net_benefit(c, threshold=1.0).outcome().reason
    assert reason == "its threshold is a probability above 0 and below 1, not 1"
