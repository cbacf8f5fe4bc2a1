"""Baselines know the labels that they are given and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.predict.baselines import baseline_output

TRAIN = np.array([0, 0, 1, 2, 2, 2])


def test_majority_class_takes_the_first_of_ties():
    assert baseline_output("majority_class", TRAIN, 2, 3, None).predicted.tolist() == [2, 2]
    tied = baseline_output("majority_class", np.array([1, 0]), 1, 2, 1)
    assert tied.predicted.tolist() == [0]


def test_prevalence_gives_the_training_shares():
    output = baseline_output("prevalence", TRAIN, 1, 3, None)
    assert output.class_scores.tolist() == [[2 / 6, 1 / 6, 3 / 6]]
    two = baseline_output("prevalence", np.array([0, 1, 1, 1]), 1, 2, 0)
    assert two.score.tolist() == [0.25]


def test_stratified_random_draws_the_shares_from_the_seed():
    train = np.array([0] * 3 + [1])
    one = baseline_output("stratified_random", train, 4000, 2, 1, seed=1).predicted
    assert one.mean() == pytest.approx(0.25, abs=0.03)
    assert np.array_equal(
        one, baseline_output("stratified_random", train, 4000, 2, 1, seed=1).predicted
    )
    only = baseline_output("stratified_random", np.array([1, 1]), 50, 3, None).predicted
    assert set(only.tolist()) == {1}


def test_no_labels_no_baseline():
    with pytest.raises(ValueError, match="at least one label"):
        baseline_output("prevalence", np.array([], int), 1, 2, 1)
