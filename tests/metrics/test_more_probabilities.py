"""Losses, bins and tests of probabilities: limits, ties, weights and stacks, by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from evalreport.metrics import declare
from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Kind, Metric
from evalreport.metrics.formula import Cell, Nothing, Undefined, Value
from evalreport.metrics.probability_bins import binned, probability_bins, quantile_groups
from evalreport.metrics.tables import ClassScores, ScoreTable


def found(name: str) -> Metric:
    declared = find(name)
    assert declared is not None
    return declared


def number(expression: Any) -> float:
    outcome = expression.outcome()
    assert isinstance(outcome, Value), outcome
    return outcome.number


def reason(expression: Any) -> str:
    outcome = expression.outcome()
    assert isinstance(outcome, Undefined), outcome
    return outcome.reason


#: scores 0.9 ... 0.1; 1 + 1 + 2 + 0 positives, 0 + 1 + 1 + 3 negatives
SCORES = np.array([0.9, 0.7, 0.4, 0.1])
POSITIVES, NEGATIVES = np.array([1, 1, 2, 0]), np.array([0, 1, 1, 3])
S = ScoreTable(SCORES, POSITIVES, NEGATIVES)
NONE = np.array([], dtype=np.int64)
NO_ROWS = ScoreTable(np.array([]), NONE, NONE)
ONLY_POSITIVES = ScoreTable(np.array([0.8, 0.2]), np.array([1, 2]), np.array([0, 0]))


def stack(*tables: tuple[list[int], list[int]], scores: Any = SCORES) -> ScoreTable:
    positives, negatives = zip(*tables, strict=True)
    return ScoreTable(np.asarray(scores), np.array(positives), np.array(negatives))


# -- losses of probabilities -------------------------------------------------------------------

NOT_PROBABILITIES = "scores outside [0, 1] are not probabilities"
OF_PROBABILITIES = [m for m in catalogue() if m.kind is Kind.PROBABILITY]


@pytest.mark.parametrize("scores", [(1.5, 0.5), (0.5, -0.5), (1.0000001, 0.0), (1.0, -1e-9)])
def test_scores_outside_the_unit_interval(scores: tuple[float, float]) -> None:
    one, zero = np.array([1, 2]), np.array([3, 1])
    outside = ScoreTable(np.array(scores), one, zero)
    inside = ScoreTable(np.array([0.8, 0.2]), one, zero)
    for metric in OF_PROBABILITIES:
        given = {"groups": 2} if "hosmer" in metric.name else {}
        expression = metric(outside, **metric.arguments(given))
        assert isinstance(expression, Nothing), metric.name
        if "calibration_" not in metric.name or metric.name == "oe_ratio":
            assert expression.reason == NOT_PROBABILITIES
        form = metric.for_classes
        if form is not None:
            c = ClassScores(
                ("a", "b"), (inside, outside), np.array(scores), one, one, np.array([4, 3])
            )
            assert reason(form(c)) == NOT_PROBABILITIES, metric.name


def test_zero_and_one_are_probabilities() -> None:
    ends = ScoreTable(np.array([1.0, 0.0]), np.array([1, 0]), np.array([0, 1]))
    assert number(found("brier")(ends)) == 0
    assert declare.outside_unit(np.array([])) is False
    assert declare.outside_unit(np.array([1.0, 0.0])) is False
    assert declare.outside_unit(np.array([1.0, -0.1])) is True


LEAST = 1e-15


def test_the_log_loss_is_clipped_at_both_ends() -> None:
    loss = found("log_loss").row_loss
    assert loss is not None
    most, least = -math.log(LEAST), -math.log1p(-LEAST)
    assert loss(np.array([0.0, 1e-16, LEAST, 1.0]), True).tolist() == [most, most, most, least]
    assert loss(np.array([1.0, 0.0]), False).tolist() == [most, least]
    assert loss(np.array([0.25]), False).tolist() == [-math.log1p(-0.25)]


def test_losses_of_rows_by_their_class_scores() -> None:
    scores, actual = np.array([[0.5, 0.3, 0.2], [0.2, 0.7, 0.1]]), np.array([0, 2])
    expected = {
        "log_loss": [-math.log(0.5), -math.log(0.1)],
        "brier": [0.25 + 0.09 + 0.04, 0.04 + 0.49 + 0.81],
        "squared_error": [0.38 / 3, 1.34 / 3],
        "absolute_error": [1.0 / 3, 1.8 / 3],
    }
    for name, values in expected.items():
        loss = found(name).class_loss
        assert loss is not None
        assert loss(scores, actual).tolist() == pytest.approx(values, abs=1e-15), name


def test_losses_of_rows_by_their_score() -> None:
    expected = {
        "brier": (0.09, 0.49),
        "squared_error": (0.09, 0.49),
        "absolute_error": (0.3, 0.7),
        "softmax_cost": (math.log1p(math.exp(-0.7)), math.log1p(math.exp(0.7))),
    }
    for name, (positive, negative) in expected.items():
        loss = found(name).row_loss
        assert loss is not None
        assert loss(np.array([0.7]), True)[0] == pytest.approx(positive, abs=1e-15)
        assert loss(np.array([0.7]), False)[0] == pytest.approx(negative, abs=1e-15)


# -- calibration -------------------------------------------------------------------------------

#: two probabilities and what was seen: the fit goes through both points
TWO = ScoreTable(np.array([0.8, 0.5]), np.array([3, 2]), np.array([1, 1]))


def test_logistic_fits_through_two_points() -> None:
    # logit 0.8 = ln 4, seen ln 3; logit 0.5 = 0, seen ln 2
    slope, intercept = found("calibration_slope")(TWO), found("calibration_intercept")(TWO)
    assert number(slope) == pytest.approx((math.log(3) - math.log(2)) / math.log(4), abs=1e-8)
    assert number(intercept) == pytest.approx(math.log(2), abs=1e-8)
    assert (slope.formula(), intercept.formula()) == ("slope", "intercept")
    one = ScoreTable(np.array([0.8]), np.array([3]), np.array([1]))
    large = found("calibration_in_the_large")(one)
    assert number(large) == pytest.approx(math.log(3) - math.log(4), abs=1e-8)
    assert large.formula() == "intercept"


def test_logistic_fits_that_do_not_exist() -> None:
    names = ("calibration_slope", "calibration_intercept", "calibration_in_the_large")
    for name in names:
        expression = found(name)(ONLY_POSITIVES)
        assert isinstance(expression, Nothing)
        assert expression.reason
        many = stack(([3, 2], [1, 1]), ([3, 2], [0, 0]), scores=[0.8, 0.5])
        values = found(name)(many).array()
        assert values[0] == pytest.approx(number(found(name)(TWO)), abs=1e-8)
        assert math.isnan(values[1])
        assert isinstance(found(name)(many), Cell)


def test_the_worst_bin_may_hold_one_row() -> None:
    s = ScoreTable(np.array([0.9, 0.35, 0.1]), np.array([4, 1, 0]), np.array([1, 0, 9]))
    assert number(found("mce")(s)) == pytest.approx(0.65, abs=1e-15)
    assert [cell.value for cell in found("mce")(s).cells()] == [pytest.approx(0.65), 1]
    many = stack(([4, 1, 0], [1, 0, 9]), ([4, 0, 0], [1, 0, 9]), scores=[0.9, 0.35, 0.1])
    assert found("mce")(many).array().tolist() == pytest.approx([0.65, 0.1])


def test_bins_of_equal_mass() -> None:
    # groups of 3 at 0.1, 3 at 0.4, 2 at 0.7 and 1 at 0.9, cut into three
    expected = (abs(0 - 0.3) + abs(2 - 1.2) + abs(2 - 2.3)) / 9
    ece = found("ece")(S, bins=3, strategy="quantile")
    assert number(ece) == pytest.approx(expected, abs=1e-15)
    b = probability_bins(S, 3, "quantile")
    assert b.rows.tolist() == [3, 3, 3]
    many = stack((POSITIVES.tolist(), NEGATIVES.tolist()), ([1, 0, 0, 0], [0, 0, 0, 3]))
    stacked = probability_bins(many, 3, "quantile")
    assert stacked.rows[0].tolist() == [3, 3, 3]
    assert stacked.positives[0].tolist() == [0, 2, 2]
    # 0.1 three times and 0.9: both cuts are the lowest score and fall away
    assert stacked.rows[1].tolist() == [4, 0, 0]


def test_cuts_between_fractional_weights() -> None:
    # ascending 1.5, 1.5, 1, 0.5: a third, 1.5, is reached at the lowest score and falls away
    halves = ScoreTable(SCORES, POSITIVES * 0.5, NEGATIVES * 0.5)
    assert quantile_groups(halves, 3).tolist() == [1, 1, 0, 0]
    assert binned(halves, quantile_groups(halves, 3), 3).rows.tolist() == [3.0, 1.5, 0.0]
    # quarters, 1.125, 2.25 and 3.375, are reached at the first, second and third
    assert quantile_groups(halves, 4).tolist() == [2, 1, 0, 0]
    # three times 0.1 is more than 0.3 in the last bit: two thirds are reached at the second
    tenths = ScoreTable(np.array([0.9, 0.6, 0.3]), np.array([0.1] * 3), np.zeros(3))
    assert quantile_groups(tenths, 3).tolist() == [1, 0, 0]
    many = ScoreTable(SCORES, np.stack([POSITIVES * 0.5] * 2), np.stack([NEGATIVES * 0.5] * 2))
    assert quantile_groups(many, 4).tolist() == [[2, 1, 0, 0]] * 2


# -- tests of calibration ----------------------------------------------------------------------

CERTAIN = "all probabilities are 0, 0.5 or 1: the statistic has no variance"
#: 5 rows at 0.8, of which 3 happen; 4 at 0.3, of which 2 happen
T = ScoreTable(np.array([0.8, 0.3]), np.array([3, 2]), np.array([2, 2]))


def test_spiegelhalter_by_hand() -> None:
    top = 3 * 0.2 * -0.6 - 2 * 0.8 * -0.6 + 2 * 0.7 * 0.4 - 2 * 0.3 * 0.4
    variance = 5 * 0.36 * 0.8 * 0.2 + 4 * 0.16 * 0.3 * 0.7
    z = top / math.sqrt(variance)
    assert number(found("spiegelhalter_z")(T)) == pytest.approx(z, abs=1e-13)
    p = found("spiegelhalter_p")(T)
    assert number(p) == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=1e-13)
    many = stack(([3, 2], [2, 2]), ([2, 2], [3, 2]), scores=[0.8, 0.3])
    stacked = found("spiegelhalter_p")(many)
    assert stacked.formula() == "P(|Z| >= |z|)"
    assert stacked.array()[0] == pytest.approx(number(p), abs=1e-13)
    half = ScoreTable(np.array([1.0, 0.5]), np.array([1, 1]), np.array([0, 1]))
    assert reason(found("spiegelhalter_p")(half)) == CERTAIN
    assert found("spiegelhalter_z").undefined == CERTAIN
    assert isinstance(found("spiegelhalter_z")(half).outcome(), Undefined)


def test_hosmer_lemeshow_where_it_has_no_number() -> None:
    certain = ScoreTable(np.array([0.8, 0.0]), np.array([3, 0]), np.array([1, 4]))
    text = "in a group all probabilities are 0 or 1: what is expected there has no variance"
    for name in ("hosmer_lemeshow", "hosmer_lemeshow_p"):
        assert reason(found(name)(certain, groups=2)) == text
        assert reason(found(name)(NO_ROWS, groups=2)) == "there is no row"


def test_hosmer_lemeshow_by_hand_and_of_a_stack() -> None:
    # 4 rows each; expected 3.2 and 1.2: 0.04 / (3.2 * 0.2) and 0.64 / (1.2 * 0.7)
    h = ScoreTable(np.array([0.8, 0.3]), np.array([3, 2]), np.array([1, 2]))
    statistic = 0.04 / 0.64 + 0.64 / 0.84
    assert number(found("hosmer_lemeshow")(h, groups=2)) == pytest.approx(statistic, abs=1e-13)
    p = number(found("hosmer_lemeshow_p")(h, groups=2))
    assert p == pytest.approx(math.exp(-statistic / 2), abs=1e-13)
    # all rows with one score: one group, whatever was asked for, and one degree of freedom
    one = ScoreTable(np.array([0.8]), np.array([3]), np.array([2]))
    assert number(found("hosmer_lemeshow")(one, groups=10)) == pytest.approx(1.25, abs=1e-13)
    tail = number(found("hosmer_lemeshow_p")(one, groups=10))
    assert tail == pytest.approx(math.erfc(math.sqrt(1.25 / 2)), abs=1e-13)
    # a row alone in its group counts too
    alone = ScoreTable(np.array([0.8, 0.3]), np.array([1, 0]), np.array([0, 1]))
    assert number(found("hosmer_lemeshow")(alone, groups=2)) == pytest.approx(
        0.04 / 0.16 + 0.09 / 0.21, abs=1e-13
    )
    many = stack(([3, 2], [1, 2]), ([3, 0], [2, 0]), ([0, 0], [0, 0]), scores=[0.8, 0.3])
    values = found("hosmer_lemeshow")(many, groups=2).array()
    assert values.tolist()[:2] == pytest.approx([statistic, 1.25], abs=1e-13)
    tails = found("hosmer_lemeshow_p")(many, groups=2).array()
    assert tails.tolist()[:2] == pytest.approx([p, tail], abs=1e-13)
    sure = stack(([3, 2], [1, 2]), ([3, 2], [1, 2]), scores=[0.8, 0.0])
    assert np.isnan(found("hosmer_lemeshow")(sure, groups=2).array()).all()
