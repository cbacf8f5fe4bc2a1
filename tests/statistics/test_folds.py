"""Corrected resampled t of means over folds."""

from __future__ import annotations

import math

import pytest
import scipy.stats

from evalreport.statistics.folds import corrected_resampled_t, nadeau_bengio


def test_by_hand() -> None:
    # mean .8, variance .02/3, (1/4 + 25/75) of it; t with 3 degrees of freedom
    half = scipy.stats.t.ppf(0.975, 3) * math.sqrt((1 / 4 + 25 / 75) * 0.02 / 3)
    found = nadeau_bengio([0.8, 0.9, 0.7, 0.8], 75, 25, 0.95)
    assert found == pytest.approx((0.8 - half, 0.8 + half))


def test_without_test_rows_it_is_the_plain_t_test() -> None:
    values = [0.3, -0.1, 0.4, 0.2]
    found = corrected_resampled_t(values, 90, 0, 0.95)
    expected = scipy.stats.ttest_1samp(values, 0)
    assert found is not None
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


def test_equal_folds() -> None:
    zero, other = (corrected_resampled_t([v] * 3, 90, 10, 0.95) for v in (0.0, 0.1))
    assert zero is not None
    assert (zero.statistic, zero.p_value) == (None, 1.0)
    assert other is not None
    assert (other.statistic, other.p_value) == (None, None)
    assert other.interval == pytest.approx((0.1, 0.1))


def test_one_fold_tells_nothing() -> None:
    assert nadeau_bengio([0.5], 90, 10, 0.95) is None


@pytest.mark.parametrize("values", [[0.5] * 5, [0.1 + 0.2, 0.3, 0.3, 0.3]])
def test_folds_that_are_alike_but_for_rounding_have_no_limits(values: list[float]) -> None:
    assert nadeau_bengio(values, 75, 25, 0.95) is None
    found = corrected_resampled_t(values, 75, 25, 0.95)
    assert found is not None
    assert (found.statistic, found.error) == (None, None)
