"""What predictions that know nothing get, and standard errors of calibration."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from evalreport.metrics.calibration import (
    calibration_in_the_large,
    calibration_intercept,
    calibration_slope,
)
from evalreport.metrics.catalogue import find
from evalreport.metrics.chance import one_of_the_classes, own_share
from evalreport.metrics.tables import ScoreTable

ROWS = ScoreTable(
    np.array([0.9, 0.7, 0.4, 0.2]), np.array([30, 25, 12, 4]), np.array([6, 14, 20, 31])
)


def error(name: str, table: ScoreTable) -> float | None:
    declared = find(name)
    assert declared is not None
    assert declared.standard_error is not None
    found = declared.standard_error(table)
    assert found is None or isinstance(found, float)
    return found


def test_mean_recall_of_a_guess_is_one_of_the_classes_that_occur() -> None:
    """Whatever shares q a guess has, the mean of its recalls q_1, ..., q_k is 1 / k."""
    assert one_of_the_classes([0.5, 0.3, 0.2], None) == pytest.approx(np.mean([0.1, 0.6, 0.3]))
    assert one_of_the_classes([0.5, 0.5, 0.0], 1) == 0.5
    assert one_of_the_classes([0.0, 0.0], None) is None


def test_precision_of_a_guess_is_the_share_of_the_class() -> None:
    assert own_share([0.7, 0.3], 1) == 0.3
    assert own_share([0.7, 0.3], None) is None
    precision = find("average_precision")
    assert precision is not None
    assert precision.by_chance([0.7, 0.3], 1) == 0.3


def test_standard_errors_are_those_of_statsmodels() -> None:
    counts = np.column_stack([ROWS.positives, ROWS.negatives])
    logits = np.log(ROWS.scores / (1 - ROWS.scores))
    line = sm.GLM(counts, sm.add_constant(logits), family=sm.families.Binomial()).fit(tol=1e-13)
    assert calibration_intercept(ROWS).outcome().number == pytest.approx(line.params[0], rel=1e-7)
    assert calibration_slope(ROWS).outcome().number == pytest.approx(line.params[1], rel=1e-7)
    assert error("calibration_intercept", ROWS) == pytest.approx(line.bse[0], rel=1e-6)
    assert error("calibration_slope", ROWS) == pytest.approx(line.bse[1], rel=1e-6)
    level = sm.GLM(counts, np.ones(4), family=sm.families.Binomial(), offset=logits).fit(tol=1e-13)
    number = calibration_in_the_large(ROWS).outcome().number
    assert number == pytest.approx(level.params[0], rel=1e-7)
    assert error("calibration_in_the_large", ROWS) == pytest.approx(level.bse[0], rel=1e-6)


def test_no_fit_has_no_standard_error() -> None:
    one_score = ScoreTable(np.array([0.5]), np.array([3]), np.array([1]))
    assert error("calibration_slope", one_score) is None
    assert error("calibration_intercept", one_score) is None
    # the level alone has one: 1 / sqrt(n p (1 - p)) at p = 3/4
    assert error("calibration_in_the_large", one_score) == pytest.approx((4 * 3 / 16) ** -0.5)
    one_class = ScoreTable(np.array([0.5, 0.2]), np.array([3, 1]), np.array([0, 0]))
    assert error("calibration_in_the_large", one_class) is None
