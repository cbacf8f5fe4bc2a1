"""Bowker's and Stuart and Maxwell's tests against statsmodels and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import SquareTable, mcnemar

from evalreport.metrics.formula import Undefined
from evalreport.metrics.symmetry import bowker_p_value, stuart_maxwell_p_value
from evalreport.metrics.tables import Matrix

BOTH = [bowker_p_value, stuart_maxwell_p_value]


@pytest.mark.parametrize("seed", range(8))
def test_of_several_classes_as_statsmodels(seed: int) -> None:
    counts = np.random.default_rng(seed).integers(1, 30, size=(2 + seed % 4, 2 + seed % 4))
    table = SquareTable(counts, shift_zeros=False)
    m = Matrix.from_counts(counts.tolist())
    symmetry = bowker_p_value(m).outcome().number
    assert symmetry == pytest.approx(table.symmetry().pvalue, rel=1e-10)
    totals = stuart_maxwell_p_value(m).outcome().number
    assert totals == pytest.approx(table.homogeneity().pvalue, rel=1e-8)


@pytest.mark.parametrize("one", BOTH)
def test_of_two_classes_it_is_mcnemar_without_a_correction(one: object) -> None:
    counts = [[40, 9], [3, 50]]
    expected = mcnemar(counts, exact=False, correction=False).pvalue
    found = one(Matrix.from_counts(counts)).outcome().number  # type: ignore[operator]
    assert found == pytest.approx(expected, rel=1e-12)


def test_pairs_and_classes_that_are_never_mistaken_count_for_nothing() -> None:
    two = Matrix.from_counts([[40, 9], [3, 50]])
    three = Matrix.from_counts([[40, 9, 0], [3, 50, 0], [0, 0, 7]])
    for one in BOTH:
        expected = one(two).outcome().number
        assert one(three).outcome().number == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("one", BOTH)
def test_without_a_mistake_there_is_nothing_to_test(one: object) -> None:
    found = one(Matrix.from_counts([[4, 0], [0, 5]])).outcome()  # type: ignore[operator]
    assert isinstance(found, Undefined)
    assert found.reason == "no row is predicted to be of another class"
