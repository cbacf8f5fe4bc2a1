"""Curves of nothing, of scores that are no probabilities, and of columns without values."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.metrics.calibration_curve import (
    calibration,
    calibration_distances,
    smoothed_calibration,
)
from evalreport.metrics.curves import accuracy_coverage, roc, score_distribution
from evalreport.metrics.tables import ScoreTable


def table(scores: list[float], positives: list[int], negatives: list[int]) -> ScoreTable:
    return ScoreTable(np.array(scores), np.array(positives), np.array(negatives))


NOTHING = table([], [], [])
OUTSIDE = table([2.5, -1.0], [1, 1], [0, 2])


@pytest.mark.parametrize("scores", [NOTHING, OUTSIDE])
def test_no_calibration_of_what_are_no_probabilities(scores: ScoreTable) -> None:
    assert not any(calibration(scores).values())
    assert smoothed_calibration(scores) == {"score": [], "observed": [], "standard_error": []}
    assert calibration_distances(scores) is None
    assert not any(accuracy_coverage(scores).values())


def test_distributions_of_nothing_and_of_any_scores() -> None:
    assert not any(score_distribution(NOTHING).values())
    found = score_distribution(OUTSIDE, bins=2)
    assert (found["low"][0], found["high"][-1]) == (-1.0, 2.5)
    assert (sum(found["positives"]), sum(found["negatives"])) == (2, 2)


def test_a_roc_curve_of_nothing_is_its_start() -> None:
    found = roc(NOTHING)
    assert [len(column) for column in found.values()] == [1] * len(found)
    assert next(iter(found.values())) == [None]
