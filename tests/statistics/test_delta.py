"""The delta method on counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalreport.statistics.agreement import kappa, kappa_se
from evalreport.statistics.delta import (
    cluster_robust_variance,
    count_gradient,
    delta_interval,
    delta_variance,
    sandwich_variance,
)
from evalreport.statistics.means import clustered_proportion, weighted_mean

Z = 1.959963984540054
table22 = st.lists(st.integers(1, 200), min_size=4, max_size=4)


def f1(t: np.ndarray) -> float | None:
    (tp, fn), (fp, _) = t
    return float(2 * tp / (2 * tp + fn + fp)) if tp + fn + fp > 0 else None


@given(table22)
def test_f1_against_its_closed_form(cells: list[int]) -> None:
    # F1 = 2 s / (1 + s), s = tp / (tp + fn + fp) a binomial share
    tp, fn, fp, _ = cells
    m = tp + fn + fp
    s = tp / m
    expected = (2 / (1 + s) ** 2) ** 2 * s * (1 - s) / m
    assert delta_variance(f1, np.reshape(cells, (2, 2))) == pytest.approx(expected, rel=1e-6)


@given(table22)
def test_kappa_against_fleiss_cohen_everitt(cells: list[int]) -> None:
    table = np.reshape(cells, (2, 2))
    error = kappa_se(table)
    assert error is not None
    assert delta_variance(kappa, table) == pytest.approx(error**2, rel=1e-6)


@given(table22)
def test_youden_with_fixed_rows(cells: list[int]) -> None:
    def youden(t: np.ndarray) -> float:
        return float(t[0, 0] / t[0].sum() + t[1, 1] / t[1].sum() - 1)

    tp, fn, fp, tn = cells
    expected = tp * fn / (tp + fn) ** 3 + fp * tn / (fp + tn) ** 3
    table = np.reshape(cells, (2, 2))
    assert delta_variance(youden, table, margin=0) == pytest.approx(expected, rel=1e-6)
    # both rates are conditional on the rows, so the multinomial variance is the same
    assert delta_variance(youden, table) == pytest.approx(expected, rel=1e-6)


def test_empty_cells_stay_empty() -> None:
    gradient = count_gradient(f1, [[5, 0], [0, 3]])
    assert gradient is not None
    assert gradient[0, 1] == 0.0
    assert delta_variance(f1, [[5, 0], [0, 3]]) == pytest.approx(0.0, abs=1e-20)


def test_an_undefined_function_has_no_variance() -> None:
    assert delta_variance(f1, [[0, 0], [0, 3]]) is None
    assert delta_interval(f1, [[0, 0], [0, 3]], 0.95) is None
    assert delta_variance(lambda _: 1.0, [0, 0]) is None


def test_interval_of_a_share_is_wald() -> None:
    half = Z * math.sqrt(0.98 * 0.02 / 50)
    found = delta_interval(lambda t: float(t[0] / t.sum()), [49, 1], 0.95, (0.0, 1.0))
    assert found == pytest.approx((0.98 - half, 1.0), rel=1e-9)


def share(t: np.ndarray) -> float:
    return float(t[0] / t.sum())


def test_clusters_of_a_share_give_the_ratio_estimator() -> None:
    right, size = np.array([1, 2, 3, 1]), np.array([2, 2, 4, 5])
    expected = clustered_proportion(right, size)
    assert expected is not None
    assert expected.standard_error is not None
    found = cluster_robust_variance(share, np.column_stack([right, size - right]))
    assert found == pytest.approx(expected.standard_error**2, rel=1e-6)
    assert cluster_robust_variance(share, [[1, 2]]) is None


def test_clusters_of_one_row_give_the_delta_method() -> None:
    tables = [[1, 0]] * 30 + [[0, 1]] * 20
    found = cluster_robust_variance(share, tables)
    assert found == pytest.approx(0.6 * 0.4 / 50 * 50 / 49, rel=1e-9)


def test_weights_of_a_share_give_the_sandwich_of_the_mean() -> None:
    y, w = np.array([1, 1, 0, 1, 0]), np.array([2.0, 0.5, 1.0, 3.0, 1.5])
    expected = weighted_mean(y, w)
    assert expected is not None
    assert expected.standard_error is not None
    sums, squares = ([float((w**k)[y == v].sum()) for v in (1, 0)] for k in (1, 2))
    found = sandwich_variance(share, sums, squares, 5)
    assert found == pytest.approx(expected.standard_error**2, rel=1e-6)
    assert sandwich_variance(share, sums, squares, 1) is None
