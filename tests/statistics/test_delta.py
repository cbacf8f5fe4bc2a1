"""The delta method on counts, by the complex step, against closed forms."""

from __future__ import annotations

import finite_differences
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalreport.statistics.agreement import kappa_se
from evalreport.statistics.delta import (
    cluster_variance,
    delta_variance,
    gradient,
    sandwich_variance,
)
from evalreport.statistics.means import ratio_of_totals

Stack = npt.NDArray[np.complex128]
table22 = st.lists(st.integers(1, 200), min_size=4, max_size=4)


def f1(t: Stack) -> Stack:
    tp, fn, fp = t[:, 0, 0], t[:, 0, 1], t[:, 1, 0]
    return np.asarray(2 * tp / (2 * tp + fn + fp))


def kappa(t: Stack) -> Stack:
    n = t.sum(axis=(1, 2))
    seen = np.trace(t, axis1=1, axis2=2) / n
    expected = (t.sum(axis=1) * t.sum(axis=2)).sum(axis=1) / n**2
    return np.asarray((seen - expected) / (1 - expected))


def youden(t: Stack) -> Stack:
    return np.asarray(t[:, 0, 0] / t[:, 0].sum(axis=1) + t[:, 1, 1] / t[:, 1].sum(axis=1) - 1)


def share(t: Stack) -> Stack:
    """The share of rows in the first cell."""
    return np.asarray(t[:, 0, 0] / t.sum(axis=(1, 2)))


def variance(function: object, cells: list[int]) -> float:
    table = np.reshape(np.array(cells, np.float64), (2, 2))
    return delta_variance(gradient(function, table), table)  # type: ignore[arg-type]


@given(table22)
def test_f1_against_its_closed_form(cells: list[int]) -> None:
    # F1 = 2 s / (1 + s), s = tp / (tp + fn + fp) a binomial share
    tp, fn, fp, _ = cells
    m = tp + fn + fp
    s = tp / m
    expected = (2 / (1 + s) ** 2) ** 2 * s * (1 - s) / m
    assert variance(f1, cells) == pytest.approx(expected, rel=1e-9)


@given(table22)
def test_f1_against_finite_differences(cells: list[int]) -> None:
    def one(t: npt.NDArray[np.float64]) -> float:
        return float(f1(t[None].astype(complex))[0].real)

    expected = finite_differences.delta_variance(one, np.reshape(cells, (2, 2)))
    assert variance(f1, cells) == pytest.approx(expected, rel=1e-6)


@given(table22)
def test_kappa_against_fleiss_cohen_everitt(cells: list[int]) -> None:
    error = kappa_se(np.reshape(cells, (2, 2)))
    assert error is not None
    assert variance(kappa, cells) == pytest.approx(error**2, rel=1e-9)


@given(table22)
def test_youden_is_conditional_on_the_rows(cells: list[int]) -> None:
    tp, fn, fp, tn = cells
    expected = tp * fn / (tp + fn) ** 3 + fp * tn / (fp + tn) ** 3
    assert variance(youden, cells) == pytest.approx(expected, rel=1e-9)


def test_empty_cells_stay_empty() -> None:
    table = np.array([[5.0, 0.0], [0.0, 3.0]])
    slopes = gradient(f1, table)
    assert slopes[0, 1] == 0.0
    assert delta_variance(slopes, table) == pytest.approx(0.0, abs=1e-20)


def test_large_tables_are_done_in_parts() -> None:
    # more cells than are stacked at a time
    table = np.arange(1.0, 401.0).reshape(20, 20)
    slopes = gradient(share, table)
    n = table.sum()
    expected = np.full((20, 20), -table[0, 0] / n**2)
    expected[0, 0] += 1 / n
    np.testing.assert_allclose(slopes, expected, rtol=1e-12)


def test_clusters_of_a_share_give_the_ratio_estimator() -> None:
    right, size = np.array([1, 2, 3, 1]), np.array([2, 2, 4, 5])
    expected = ratio_of_totals(right, size)
    assert expected is not None
    assert expected.standard_error is not None
    per_cluster = np.zeros((4, 2, 2))
    per_cluster[:, 0, 0], per_cluster[:, 0, 1] = right, size - right
    table = per_cluster.sum(axis=0)
    found = cluster_variance(gradient(share, table), table, per_cluster)
    assert found == pytest.approx(expected.standard_error**2, rel=1e-9)


def test_clusters_of_one_row_give_the_delta_method() -> None:
    per_cluster = np.zeros((50, 2, 2))
    per_cluster[:30, 0, 0] = per_cluster[30:, 0, 1] = 1
    table = per_cluster.sum(axis=0)
    found = cluster_variance(gradient(share, table), table, per_cluster)
    assert found == pytest.approx(0.6 * 0.4 / 50 * 50 / 49, rel=1e-9)


def test_weights_of_a_share_give_the_sandwich_of_the_mean() -> None:
    y, w = np.array([1, 1, 0, 1, 0]), np.array([2.0, 0.5, 1.0, 3.0, 1.5])
    expected = ratio_of_totals(w * y, w)
    assert expected is not None
    assert expected.standard_error is not None
    table, squares = np.zeros((2, 2)), np.zeros((2, 2))
    table[0] = [w[y == 1].sum(), w[y == 0].sum()]
    squares[0] = [(w[y == 1] ** 2).sum(), (w[y == 0] ** 2).sum()]
    found = sandwich_variance(gradient(share, table), table, squares)
    # the mean's own variance is for n - 1 degrees of freedom
    assert found * 5 / 4 == pytest.approx(expected.standard_error**2, rel=1e-9)
