"""Means of rows, weighted rows and clusters."""

from __future__ import annotations

import math

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from evalreport.statistics.means import (
    Estimate,
    effective_size_from_sums,
    mean_interval,
    paired_t,
    ratio_of_totals,
)

Z = 1.959963984540054
numbers = st.lists(st.floats(-10, 10).map(lambda v: round(v, 3)), min_size=2, max_size=30)


def test_mean_interval_by_hand() -> None:
    # 1, 2, 3, 4: variance 5/3, standard error sqrt(5/12)
    half = Z * math.sqrt(5 / 12)
    assert mean_interval(4, 2.5, 7.5, 0.95) == pytest.approx((2.5 - half, 2.5 + half))
    assert mean_interval(1, 2.5, 6.25, 0.95) is None


@given(numbers)
def test_paired_t_against_scipy(values: list[float]) -> None:
    found = paired_t(values, 0.95)
    assert found is not None
    assert found.df == len(values) - 1
    if len(set(values)) == 1:
        assert found.statistic is None
        assert found.p_value == (1.0 if values[0] == 0 else None)
        return
    expected = scipy.stats.ttest_1samp(values, 0.0)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-7, abs=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    limits = expected.confidence_interval(0.95)
    assert found.interval == pytest.approx(tuple(limits), rel=1e-7, abs=1e-9)


def test_paired_t_of_too_few_rows() -> None:
    assert paired_t([1.0], 0.95) is None


def test_no_weights_are_worth_no_rows() -> None:
    assert effective_size_from_sums(4.0, 10.0) == 16 / 10
    assert effective_size_from_sums(0.0, 0.0) == 0.0


def test_ratio_of_totals_by_hand() -> None:
    # 1/2, 2/2, 3/4: p = 6/8; residuals -.5, .5, 0; SE = sqrt(3/2 * .5) / 8
    found = ratio_of_totals([1, 2, 3], [2, 2, 4])
    assert found == pytest.approx((0.75, math.sqrt(0.75) / 8))


def test_clusters_of_one_row_give_the_binomial_error() -> None:
    found = ratio_of_totals([1, 1, 1, 0], [1, 1, 1, 1])
    assert found is not None
    assert found.standard_error == pytest.approx(math.sqrt(0.75 * 0.25 / 3))


def test_one_cluster_has_no_error() -> None:
    assert ratio_of_totals([3], [4]) == Estimate(0.75, None)
    assert ratio_of_totals([], []) is None
