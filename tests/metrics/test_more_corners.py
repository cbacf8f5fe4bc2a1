"""Corners of ranking metrics: undefined, stacked, tied, weighted or at a limit, by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.formula import Undefined, Value
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
ONLY_NEGATIVES = ScoreTable(np.array([0.8, 0.2]), np.array([0, 0]), np.array([1, 2]))


def stack(*tables: tuple[list[int], list[int]], scores: Any = SCORES) -> ScoreTable:
    positives, negatives = zip(*tables, strict=True)
    return ScoreTable(np.asarray(scores), np.array(positives), np.array(negatives))


# -- ranking -----------------------------------------------------------------------------------

ONE_CLASS = "only one class occurs: there is no pair of a positive and a negative row"


@pytest.mark.parametrize("table", [ONLY_POSITIVES, ONLY_NEGATIVES, NO_ROWS])
def test_one_class_has_no_pairs(table: ScoreTable) -> None:
    assert reason(found("mann_whitney_u")(table)) == ONE_CLASS
    for name, given in (("roc_auc", {}), ("gini", {}), ("ks", {}), ("partial_auc", {"max_fpr": 1})):
        declared = found(name)
        assert declared(table, **declared.arguments(given)).outcome("why") == Undefined("why")


def test_partial_area_of_no_limit_or_of_both() -> None:
    partial = found("partial_auc").function
    text = "exactly one of max_fpr and min_tpr must be given"
    assert reason(partial(S)) == text
    assert reason(partial(S, max_fpr=0.1, min_tpr=0.9)) == text


def test_standardised_area_from_a_true_positive_rate_on() -> None:
    # 3.25 pairs of 20; chance 0.25^2 / 2; at most 0.25
    expected = (1 + (3.25 / 20 - 0.03125) / (0.25 - 0.03125)) / 2
    area = found("partial_auc")(S, min_tpr=0.75, standardized=True)
    assert number(area) == pytest.approx(expected, abs=1e-14)


def test_pairs_of_classes_that_do_not_occur_are_left_out() -> None:
    one = np.array([1, 1])
    apart = ScoreTable(np.array([0.9, 0.1]), np.array([1, 0]), np.array([0, 1]))
    pairs = {(0, 1): apart, (1, 0): ONLY_NEGATIVES, (0, 2): S}
    c = ClassScores(("a", "b", "c"), (), np.zeros(0), one, one, one, pairs)
    area = found("hand_till_auc")(c)
    assert area.formula() == "sum(AUC of a pair of classes) / pairs"
    assert number(area) == pytest.approx((1 + 16.5 / 20) / 2, abs=1e-15)
    alone = ClassScores(("a", "b"), (), np.zeros(0), one, one, one, {(0, 1): ONLY_NEGATIVES})
    assert isinstance(found("hand_till_auc")(alone).outcome(), Undefined)


def test_pairs_of_a_stack() -> None:
    many = np.array([[1, 1], [1, 1]])
    first = stack(([1, 0], [0, 1]), ([0, 0], [1, 1]), scores=[0.9, 0.1])
    second = stack(([0, 1], [1, 0]), ([1, 0], [0, 1]), scores=[0.9, 0.1])
    pairs = {(0, 1): first, (1, 0): second}
    c = ClassScores(("a", "b"), (), np.zeros(0), many, many, many, pairs)
    assert c.stacked is True
    assert found("hand_till_auc")(c).array().tolist() == [0.5, 1.0]


def test_pairs_beyond_64_bits_are_counted_exactly() -> None:
    # the table S with 10^10 rows for each of its rows, and one positive more at the top
    many = 10**10
    large = ScoreTable(SCORES, POSITIVES * many + np.array([1, 0, 0, 0]), NEGATIVES * many)
    p, n = 4 * many + 1, 5 * many
    won, tied, lost = 15 * many**2 + n, 3 * many**2, 2 * many**2
    area = found("roc_auc")(large)
    assert [cell.value for cell in area.cells()] == [won, tied, p, n]
    assert area.exact() == Fraction(2 * won + tied, 2 * p * n)
    assert found("gini")(large).exact() == Fraction(won - lost, p * n)
    assert found("mann_whitney_u")(large).exact() == Fraction(2 * won + tied, 2)
    distance = found("ks")(large)
    assert distance.exact() == Fraction(p * n - 2 * many * p, p * n)


def test_small_tables_stay_as_they_are() -> None:
    assert S.without_overflow() is S
    assert NO_ROWS.without_overflow() is NO_ROWS
    weighted = ScoreTable(SCORES, POSITIVES * 1e10, NEGATIVES * 1e10)
    assert weighted.without_overflow() is weighted
    many = ScoreTable(SCORES, np.stack([POSITIVES * 10**10] * 2), np.stack([NEGATIVES] * 2))
    assert many.without_overflow() is many
    (farthest, *_) = found("ks")(S).cells()
    assert type(farthest.value) is int


# -- precision and recall ----------------------------------------------------------------------


def test_interpolated_area_by_the_integrals_of_its_pieces() -> None:
    # TP from 0 to 1 at precision 1; (1 + x) / (1 + 2x) for x to 1; 2/3 from TP 2 to 4
    expected = (1 + (0.5 + math.log(3) / 4) + 4 / 3) / 4
    area = found("pr_auc_interpolated")(S)
    assert area.formula() == "sum(area between points) / P"
    assert number(area) == pytest.approx(expected, abs=1e-14)


def test_interpolated_area_where_the_curve_starts_low() -> None:
    # 1/2 up to TP 1; then (1 + x) / (2 + 3x) for x to 1, and (2 + x) / (5 + x) for x to 2
    low = ScoreTable(np.array([0.9, 0.5, 0.3]), np.array([1, 1, 2]), np.array([1, 2, 0]))
    pieces = 1 / 2 + (1 / 3 + math.log(5 / 2) / 9) + (2 - 3 * math.log(7 / 5))
    assert number(found("pr_auc_interpolated")(low)) == pytest.approx(pieces / 4, abs=1e-14)


@pytest.mark.parametrize("name", ["average_precision", "pr_auc", "pr_auc_interpolated"])
def test_half_the_weight_of_every_row_changes_no_area(name: str) -> None:
    halves = ScoreTable(SCORES, POSITIVES * 0.25, NEGATIVES * 0.25)
    assert number(found(name)(halves)) == pytest.approx(number(found(name)(S)), abs=1e-14)


#: The table S with entries that hold no row before, between and after
WITH_GAPS = ScoreTable(
    np.array([0.99, 0.9, 0.7, 0.5, 0.4, 0.1, 0.05]),
    np.array([0, 1, 1, 0, 2, 0, 0]),
    np.array([0, 0, 1, 0, 1, 3, 0]),
)


@pytest.mark.parametrize(
    "metric", [m for m in catalogue() if m.table is Table.SCORES], ids=lambda m: m.name
)
def test_entries_without_rows_change_nothing(metric: Metric) -> None:
    given = {"max_fpr": 0.3} if metric.name == "partial_auc" else {}
    given |= {"groups": 2} if "hosmer" in metric.name else {}
    params = metric.arguments(given)
    assert number(metric(WITH_GAPS, **params)) == pytest.approx(
        number(metric(S, **params)), abs=1e-12
    )


def test_one_score_for_all_rows() -> None:
    tied = ScoreTable(np.array([0.5]), np.array([2]), np.array([6]))
    for name in ("average_precision", "pr_auc", "pr_auc_interpolated"):
        assert number(found(name)(tied)) == 0.25, name
    # a second entry without rows leaves it at one point
    padded = ScoreTable(np.array([0.5, 0.4]), np.array([2, 0]), np.array([6, 0]))
    assert number(found("pr_auc")(padded)) == 0.25
    two = ScoreTable(np.array([0.5, 0.4]), np.array([1, 1]), np.array([0, 2]))
    assert number(found("pr_auc")(two)) == (1 + (1 + 1 / 2) / 2) / 2


# -- the H-measure -----------------------------------------------------------------------------


def test_h_measure_with_costs_spread_evenly() -> None:
    # the hull joins the second and third score: 3 of 5 positive. With c uniform on (0, 1) a
    # group of share t loses negatives * t^2 / 2 + positives * (1 - t)^2 / 2
    loss = 2 * 0.6**2 / 2 + 3 * 0.4**2 / 2
    constant = 5 * (4 / 9) ** 2 / 2 + 4 * (5 / 9) ** 2 / 2
    h = found("h_measure")(S, alpha=1.0, beta=1.0)
    assert h.formula() == "1 - expected loss / loss of the best constant"
    assert number(h) == pytest.approx(1 - loss / constant, abs=1e-14)
    loss_cell, constant_cell = h.cells()
    assert loss_cell.value == pytest.approx(loss, abs=1e-14)
    assert constant_cell.value == pytest.approx(constant, abs=1e-14)


def test_h_measure_with_other_costs() -> None:
    # density 2c: negatives * 2 t^3 / 3 + positives * (1/3 - t^2 + 2 t^3 / 3)
    def group(positives: float, negatives: float) -> float:
        t = positives / (positives + negatives)
        return negatives * 2 * t**3 / 3 + positives * (1 / 3 - t**2 + 2 * t**3 / 3)

    expected = 1 - (group(1, 0) + group(3, 2) + group(0, 3)) / group(4, 5)
    assert number(found("h_measure")(S, alpha=2.0, beta=1.0)) == pytest.approx(expected, abs=1e-14)
    default = found("h_measure")(S)
    assert number(default) == number(found("h_measure")(S, alpha=1 + 4 / 9, beta=1 + 5 / 9))


@pytest.mark.parametrize("table", [ONLY_POSITIVES, ONLY_NEGATIVES, NO_ROWS])
def test_h_measure_of_one_class_is_undefined(table: ScoreTable) -> None:
    assert found("h_measure")(table).outcome("why") == Undefined("why")


def test_h_measure_of_useless_scores_and_of_a_stack() -> None:
    perfect = ScoreTable(np.array([0.9, 0.1]), np.array([1, 0]), np.array([0, 1]))
    assert number(found("h_measure")(perfect)) == 1
    worse = ScoreTable(np.array([0.9, 0.1]), np.array([0, 1]), np.array([1, 0]))
    assert number(found("h_measure")(worse)) == 0
    many = stack(([1, 1, 2, 0], [0, 1, 1, 3]), ([1, 0, 0, 0], [0, 0, 0, 0]))
    values = found("h_measure")(many).array()
    assert values[0] == pytest.approx(number(found("h_measure")(S)), abs=1e-14)
    assert math.isnan(values[1])


# -- gain and lift -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("top", "kept", "positives"),
    [
        (0.05, 1, 1),
        (1 / 9, 1, 1),
        (0.12, 2, 1.5),
        (0.3, 3, 2),
        (1 / 3, 3, 2),
        (0.34, 4, 2 + 2 / 3),
        (0.5, 5, 2 + 4 / 3),
        (6 / 9, 6, 4),
        (1.0, 9, 4),
    ],
)
def test_positives_among_the_top_rows(top: float, kept: int, positives: float) -> None:
    gain, lift = found("gain")(S, top=top), found("lift")(S, top=top)
    assert number(gain) == pytest.approx(positives / 4, abs=1e-15)
    assert number(lift) == pytest.approx(positives / kept * 9 / 4, abs=1e-15)
    assert {cell.name: cell.value for cell in lift.cells()}["top rows"] == kept
    whole = ScoreTable(SCORES, POSITIVES * 1.0, NEGATIVES * 1.0)
    assert number(found("gain")(whole, top=top)) == pytest.approx(positives / 4, abs=1e-15)
    many = stack((POSITIVES.tolist(), NEGATIVES.tolist()), ([0, 0, 0, 1], [0, 0, 0, 0]))
    values = found("gain")(many, top=top).array()
    assert values.tolist() == pytest.approx([positives / 4, 1], abs=1e-15)
    assert found("lift")(many, top=top).array()[0] == pytest.approx(number(lift), abs=1e-14)


def test_of_fractional_weights_the_share_itself_is_taken() -> None:
    halves = ScoreTable(SCORES, POSITIVES * 0.5, NEGATIVES * 0.5)
    # 2.25 of 4.5: 0.5 and 1 above, then half of the next 1.5
    assert number(found("gain")(halves, top=0.5)) == (0.5 + 0.5 + 0.5) / 2
    assert {c.name: c.value for c in found("lift")(halves, top=0.5).cells()}["top rows"] == 2.25


def test_fractional_weights_in_a_stack() -> None:
    many = ScoreTable(SCORES, np.stack([POSITIVES * 0.25] * 2), np.stack([NEGATIVES * 0.25] * 2))
    # 1.125 of 2.25: 0.25 and 0.5 above, half of the next 0.75, of which 0.5 are positive
    assert found("gain")(many, top=0.5).array().tolist() == [0.75, 0.75]
    # 0.05 of 2.25 falls into the first 0.25, all positive
    assert found("gain")(many, top=0.05).array().tolist() == pytest.approx([0.1125] * 2)


def test_all_rows_are_all_rows_whatever_the_order_of_adding_up() -> None:
    # added up in pairs these weights give one bit more than one after another
    weights = np.array([0.76, 0.42, 0.26, 0.51, 0.4, 0.78, 0.3, 0.48, 0.58])
    assert weights.sum() > np.cumsum(weights)[-1]
    s = ScoreTable(np.linspace(0.9, 0.1, 9), weights, weights * 0)
    assert number(found("gain")(s, top=1.0)) == pytest.approx(1, abs=1e-15)


def test_the_cells_of_gain_and_of_no_rows() -> None:
    names = [cell.name for cell in found("lift")(S, top=0.5).cells()]
    assert names == ["found", "top rows", "P", "n"]
    many = stack((POSITIVES.tolist(), NEGATIVES.tolist()))
    assert [cell.name for cell in found("lift")(many, top=0.5).cells()] == names
    empty = found("lift")(NO_ROWS, top=0.5)
    assert [(cell.name, cell.value) for cell in empty.cells()] == [(name, 0) for name in names]
    assert isinstance(empty.outcome(), Undefined)
    assert found("gain")(NO_ROWS, top=0.5).outcome("why") == Undefined("why")
