"""Baselines know how many rows each class has and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.predict.baselines import baseline_kinds

ROWS = [2, 1, 3]


def test_majority_class_takes_the_first_of_ties():
    found = baseline_kinds("majority_class", ROWS, None)
    assert found.output.predicted.tolist() == [2, 2, 2]
    assert (found.actual.tolist(), found.rows.tolist()) == ([0, 1, 2], ROWS)
    assert baseline_kinds("majority_class", [1, 1], 1).output.predicted.tolist() == [0, 0]


def test_prevalence_gives_the_shares():
    found = baseline_kinds("prevalence", ROWS, None)
    assert found.output.class_scores.tolist() == [[2 / 6, 1 / 6, 3 / 6]] * 3
    assert baseline_kinds("prevalence", [1, 3], 0).output.score.tolist() == [0.25, 0.25]


def test_stratified_random_draws_the_shares_from_the_seed():
    one = baseline_kinds("stratified_random", [3000, 1000], 1, seed=1)
    same = baseline_kinds("stratified_random", [3000, 1000], 1, seed=1)
    other = baseline_kinds("stratified_random", [3000, 1000], 1, seed=2)
    assert one.rows.tolist() == same.rows.tolist() != other.rows.tolist()
    for actual, rows in ((0, 3000), (1, 1000)):
        own = one.actual == actual
        assert one.rows[own].sum() == rows
        share = one.rows[own & (one.output.predicted == 1)].sum() / rows
        assert share == pytest.approx(0.25, abs=0.05)
    only = baseline_kinds("stratified_random", [0, 50, 0], None)
    assert (only.actual.tolist(), only.output.predicted.tolist()) == ([1], [1])


def test_a_class_without_rows_has_no_kind():
    assert baseline_kinds("majority_class", [0, 4, 1], None).actual.tolist() == [1, 2]
    assert np.all(baseline_kinds("stratified_random", [5, 0, 5], None).output.predicted != 1)


def test_no_rows_no_baseline():
    with pytest.raises(ValueError, match="at least one row"):
        baseline_kinds("prevalence", [0, 0], 1)
