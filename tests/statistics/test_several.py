"""Tests of more than two models against statsmodels, scipy, pROC and the tests of two."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q

from evalreport.statistics import delong, paired, several

RNG = np.random.default_rng(11)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_cochrans_q_is_that_of_statsmodels(k: int) -> None:
    hits = RNG.random((80, k)) < np.linspace(0.4, 0.7, k)
    expected = cochrans_q(hits.astype(int))
    found = several.cochran_q(
        hits.sum(axis=0).tolist(), np.bincount(hits.sum(axis=1), minlength=k + 1).tolist()
    )
    assert found is not None
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert (found.df, found.p_value) == (expected.df, pytest.approx(expected.pvalue, rel=1e-9))


def test_cochrans_q_of_two_is_mcnemars() -> None:
    found, two = several.cochran_q([30, 24], [10, 14, 20]), paired.mcnemar(10, 4)
    assert found is not None
    assert two is not None
    assert found.statistic == pytest.approx(two.statistic)


@pytest.mark.parametrize("digits", [1, 6], ids=["ties", "no ties"])
@pytest.mark.parametrize("k", [3, 4])
def test_friedmans_test_is_that_of_scipy(k: int, digits: int) -> None:
    values = RNG.normal(size=(60, k)).round(digits)
    expected = stats.friedmanchisquare(*values.T)
    found = several.friedman(several.ranked(values))
    assert found is not None
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)


# R 4.2.2 with pROC 1.18.0 on the rows of scores()
AREAS = (0.845833333333333, 0.705833333333333, 0.773055555555556)
COVARIANCES = (
    0.001730005465722882, -0.000358715122194082, 0.000391857155226530,
    0.003202609747386194, 0.000452796177240946, 0.002745144796559661,
)  # fmt: skip
STATISTIC = 3.60149283728384


def scores(rows: int = 90) -> tuple[np.ndarray, list[np.ndarray]]:
    """Without a generator, so that R can make the same rows."""
    k = np.arange(rows)
    positive = k % 3 == 0
    made = [
        np.round(positive * shift + np.sin(k * step) + 0.5 * np.cos(k * 1.7), 1)
        for shift, step in ((1.2, 1.3), (0.6, 2.9), (0.9, 0.7))
    ]
    return positive, made


def test_delongs_test_of_three_is_what_proc_gives() -> None:
    """R 4.2.2, pROC: areas by auc(), covariances by var() and cov(method = "delong").

    With a the areas, S the covariances, L = cbind(-1, diag(2)):
    t(L %*% a) %*% solve(L %*% S %*% t(L)) %*% (L %*% a).
    """
    positive, made = scores()
    found = several.delong_several(positive, made)
    assert found is not None
    test = several.equal_areas(found)
    assert test is not None
    assert found.areas == pytest.approx(AREAS, rel=1e-12)
    assert np.array(found.covariance)[np.triu_indices(3)] == pytest.approx(COVARIANCES, rel=1e-9)
    assert (test.statistic, test.df) == (pytest.approx(STATISTIC, rel=1e-9), 2)
    assert test.p_value == pytest.approx(stats.chi2.sf(STATISTIC, 2), rel=1e-9)


def test_delongs_test_of_two_is_the_square_of_z() -> None:
    positive, made = scores()
    found = several.delong_several(positive, made[:2])
    two = delong.delong_paired(positive, made[0], made[1])
    assert found is not None
    assert two is not None
    test = several.equal_areas(found)
    assert test is not None
    assert test.statistic == pytest.approx(two.difference**2 / two.difference_variance, rel=1e-9)


def test_the_same_model_three_times_shows_nothing() -> None:
    positive, made = scores()
    same = several.delong_several(positive, [made[0]] * 3)
    assert same is not None
    assert several.equal_areas(same) is None
    assert several.cochran_q([5, 5, 5], [3, 0, 0, 5]) is None
    assert several.friedman(several.ranked(np.ones((4, 3)))) is None
    assert several.delong_several(np.array([True, False, False]), [[1, 2, 3]] * 3) is None


def test_a_model_given_twice_takes_no_degree() -> None:
    positive, made = scores()
    twice = several.delong_several(positive, [made[0], made[1], made[1]])
    once = several.delong_several(positive, made[:2])
    assert twice is not None
    assert once is not None
    one, two = several.equal_areas(once), several.equal_areas(twice)
    assert one is not None
    assert two is not None
    assert (two.df, two.statistic) == (1, pytest.approx(one.statistic, rel=1e-6))
