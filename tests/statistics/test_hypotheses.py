"""One-sided tests of a difference against published values, scipy and limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import test_proportions_2indep as two_proportions

from evalreport.statistics import hypotheses, paired, unpaired


def test_tangos_example() -> None:
    """Tango 1998 (Statistics in Medicine 17): 43, 0, 1, 0 and a margin of 0.1 give 1.709."""
    found = hypotheses.decide("non_inferiority", 0.1, lambda d: hypotheses.tango(43, 0, 1, 0, d))
    assert found is not None
    assert (round(found.statistic or 0, 3), round(found.p_value, 3)) == (1.709, 0.044)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(
    ("test", "cells"),
    [
        ("tango", (53, 8, 16, 9)),
        ("tango", (3, 1, 0, 40)),
        ("mee", (56, 70, 48, 80)),
        ("miettinen_nurminen", (9, 10, 3, 10)),
        ("miettinen_nurminen", (6, 7, 2, 7)),
    ],
)
def test_a_limit_is_where_the_one_sided_test_turns(
    test: str, cells: tuple[float, float, float, float], level: float
) -> None:
    methods = paired.PAIRED_METHODS if test == "tango" else unpaired.UNPAIRED_METHODS
    tails = hypotheses.PAIRED_TAILS if test == "tango" else hypotheses.UNPAIRED_TAILS
    limits = methods[test](*cells, level)
    assert limits is not None
    low, high = tails[test](*cells, limits.low), tails[test](*cells, limits.high)
    assert low is not None
    assert high is not None
    assert low.greater == pytest.approx((1 - level) / 2, rel=1e-6)
    assert high.less == pytest.approx((1 - level) / 2, rel=1e-6)


def test_the_restricted_shares_of_a_score_test_are_the_likeliest() -> None:
    """The score statistic from a search of the likelihood on a fine grid."""
    x1, n1, x2, n2, null = 56, 70, 48, 80, -0.1
    p2 = np.linspace(0.1001, 0.9999, 400_001)
    p1 = p2 + null
    likelihood = (
        x1 * np.log(p1) + (n1 - x1) * np.log(1 - p1) + x2 * np.log(p2) + (n2 - x2) * np.log(1 - p2)
    )
    k = int(np.argmax(likelihood))
    variance = p1[k] * (1 - p1[k]) / n1 + p2[k] * (1 - p2[k]) / n2
    z = (x1 / n1 - x2 / n2 - null) / np.sqrt(variance)
    found = hypotheses.mee(x1, n1, x2, n2, null)
    assert found is not None
    assert found.statistic == pytest.approx(z, rel=1e-6)
    corrected = hypotheses.miettinen_nurminen(x1, n1, x2, n2, null)
    assert corrected is not None
    assert corrected.statistic == pytest.approx(z * np.sqrt(149 / 150), rel=1e-6)


def test_walds_test_of_two_samples_is_that_of_statsmodels() -> None:
    for null, side in ((-0.05, "larger"), (0.3, "smaller")):
        expected = two_proportions(
            56, 70, 48, 80, value=null, method="wald", compare="diff", alternative=side
        )
        found = hypotheses.unpaired_wald(56, 70, 48, 80, null)
        assert found is not None
        own = found.greater if side == "larger" else found.less
        assert own == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("cells", [(3, 4, 1, 4), (56, 70, 48, 80), (0, 5, 5, 6), (7, 7, 3, 9)])
def test_tails_of_fishers_test_are_those_of_scipy(cells: tuple[int, int, int, int]) -> None:
    x1, n1, x2, n2 = cells
    for side, own in zip(("greater", "less"), unpaired.fisher_tails(*cells), strict=True):
        expected = stats.fisher_exact([[x1, n1 - x1], [x2, n2 - x2]], alternative=side).pvalue
        assert own == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n10", "n01"), [(5, 0), (0, 5), (7, 3), (4, 4), (0, 0)])
def test_discordant_rows(n10: int, n01: int) -> None:
    """The two exact tails overlap in the observed split; those of mid-p add up to 1."""
    exact, midp = hypotheses.discordant_exact(n10, n01), hypotheses.discordant_midp(n10, n01)
    n = n10 + n01
    if n:
        assert exact.greater == pytest.approx(stats.binomtest(n10, n, alternative="greater").pvalue)
        assert midp.greater + midp.less == pytest.approx(1.0)
        assert hypotheses.discordant_z(n10, n01) is not None
    else:
        assert exact[:2] == midp[:2] == (1.0, 1.0)
        assert hypotheses.discordant_z(n10, n01) is None
        assert hypotheses.tango(4, 0, 0, 3, 0.0) is None


def test_no_variance_no_test() -> None:
    assert hypotheses.paired_wald(5, 0, 0, 5, 0.1) is None
    assert hypotheses.unpaired_wald(5, 5, 5, 5, 0.1) is None
    assert hypotheses.miettinen_nurminen(5, 5, 5, 5, 0.0) is None
    assert hypotheses.UNPAIRED_TAILS["fisher_exact"](3, 5, 2, 5, 0.1) is None
    assert hypotheses.PAIRED_TAILS["mcnemar"](5, 3, 1, 5, 0.1) is None
    assert hypotheses.decide("equivalence", 0.1, lambda _: None) is None
    # a margin can be told where no row is discordant
    assert hypotheses.tango(40, 0, 0, 3, -0.1) is not None
