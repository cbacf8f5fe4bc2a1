"""Inputs on which well-known tools give a wrong, misleading or missing answer."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from oracle import class_scores, score_table

from evalreport.metrics import (
    calibration,
    calibration_curve,
    curves,
    goodness_of_fit,
    h_measure,
    label_sets,
    precision_recall,
    probabilities,
    ranking,
    targeting,
)
from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.combined import f1
from evalreport.metrics.counts import precision, recall
from evalreport.metrics.declare import Kind, Metric, Table
from evalreport.metrics.formula import Infinite, Undefined, Value
from evalreport.metrics.sets_table import LabelSets
from evalreport.metrics.tables import ScoreTable

OF_SCORES = [m for m in catalogue() if m.table is Table.SCORES]
OF_PROBABILITIES = [m for m in OF_SCORES if m.kind is Kind.PROBABILITY]


def number(expression: Any) -> float:
    outcome = expression.outcome()
    assert isinstance(outcome, Value), outcome
    return outcome.number


def evaluated(metric: Metric, s: ScoreTable) -> Any:
    given = {"max_fpr": 0.3} if metric.name == "partial_auc" else {}
    return metric(s, **metric.arguments(given))


# -- ranking and curves ------------------------------------------------------------------------


@pytest.mark.parametrize("positives_first", [True, False])
def test_all_scores_tied_is_one_threshold(positives_first: bool) -> None:
    actual = [True] * 5 + [False] * 95
    s = score_table(actual if positives_first else actual[::-1], [0.5] * 100)
    counts = s.counts_at(0.5)
    assert number(precision(counts)) == 0.05
    assert number(recall(counts)) == 1
    assert curves.precision_recall(s)["threshold"] == [0.5]
    # 10 rows drawn from the one tied group hold half a positive on average
    assert number(targeting.gain(s, top=0.1)) == pytest.approx(0.1)
    assert number(targeting.lift(s, top=0.1)) == pytest.approx(1)


def test_no_positive_among_the_top_rows() -> None:
    s = score_table([False] + [True] * 9 + [False] * 90, np.linspace(1, 0, 100))
    assert number(targeting.gain(s, top=0.01)) == 0
    assert number(targeting.lift(s, top=0.01)) == 0
    counts = s.counts_at(1.0)
    assert number(recall(counts)) == 0
    assert number(f1(counts)) == 0


def test_four_rows_of_three_tools() -> None:
    s = score_table([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert number(ranking.roc_auc(s)) == 0.75
    assert number(precision_recall.average_precision(s)) == pytest.approx(5 / 6, abs=1e-15)
    # from recall 0: 1/2 * 1, then a trapezoid of 1/2 and 2/3 over the other half
    expected = 1 / 2 + 1 / 2 * (1 / 2 + 2 / 3) / 2
    assert number(precision_recall.pr_auc(s)) == pytest.approx(expected, abs=1e-15)


def test_average_precision_with_a_tie_free_single_positive() -> None:
    s = score_table([0, 1, 0, 0, 0], [0.7, 0.8, 0.5, 0.9, 0.1])
    assert number(precision_recall.average_precision(s)) == 0.5


@pytest.mark.parametrize(
    "metric",
    [
        precision_recall.average_precision,
        precision_recall.pr_auc,
        precision_recall.pr_auc_interpolated,
        targeting.gain,
        targeting.lift,
    ],
    ids=lambda m: m.name,
)
def test_without_positives_there_is_no_precision_recall_curve(metric: Metric) -> None:
    assert isinstance(metric(score_table([0, 0], [0.1, 0.2])).outcome("none"), Undefined)


def test_average_precision_of_one_positive_row() -> None:
    assert number(precision_recall.average_precision(score_table([1], [0.001]))) == 1


@pytest.mark.parametrize("actual", [[1, 1, 1], [0, 0, 0]])
@pytest.mark.parametrize(
    "metric",
    [
        ranking.roc_auc,
        ranking.gini,
        ranking.mann_whitney_u,
        ranking.ks,
        h_measure.h_measure,
        calibration.calibration_slope,
        calibration.calibration_intercept,
        calibration.calibration_in_the_large,
        probabilities.brier_scaled,
    ],
    ids=lambda m: m.name,
)
def test_one_class_is_undefined_and_never_zero(metric: Metric, actual: list[int]) -> None:
    outcome = metric(score_table(actual, [0.2, 0.5, 0.9])).outcome(metric.undefined)
    assert isinstance(outcome, Undefined)
    assert "class" in outcome.reason


def test_tiny_scores_rank_as_before() -> None:
    s = score_table([0, 0, 1, 1], np.array([0.1, 0.4, 0.35, 0.8]) * 1e-7)
    assert number(ranking.roc_auc(s)) == 0.75


def test_scores_that_differ_in_the_last_bit_are_no_tie() -> None:
    s = score_table([1, 0], [np.nextafter(0.3, 1), 0.3])
    assert number(ranking.roc_auc(s)) == 1


def test_first_roc_threshold_is_null_in_json() -> None:
    points = curves.roc(score_table([0, 1], [0.2, 0.7]))
    assert json.dumps(points["threshold"], allow_nan=False) == "[null, 0.7, 0.2]"
    assert {len(column) for column in points.values()} == {3}
    assert (points["p"][0], points["n"][0]) == (1, 1)


def test_collinear_roc_points_are_dropped() -> None:
    s = score_table([0, 0, 0, 0, 1, 1, 1, 1], range(8))
    points = curves.roc(s, drop_collinear=True)
    assert list(zip(points["fpr"], points["tpr"], strict=True)) == [(0, 0), (0, 1), (1, 1)]
    assert len(curves.roc(s)["fpr"]) == 9


def test_constant_classifier() -> None:
    s = score_table([1] * 258 + [0] * 242, [0.7] * 500)
    assert number(ranking.roc_auc(s)) == 0.5
    for area in (
        precision_recall.average_precision,
        precision_recall.pr_auc,
        precision_recall.pr_auc_interpolated,
    ):
        assert number(area(s)) == pytest.approx(258 / 500)
    assert number(h_measure.h_measure(s)) == 0
    assert number(ranking.ks(s)) == 0


def test_an_auc_below_one_half_is_not_turned_round() -> None:
    s = score_table([1, 0, 0], [0.1, 0.2, 0.3])
    assert number(ranking.roc_auc(s)) == 0
    assert number(ranking.gini(s)) == -1


def test_precision_is_undefined_where_nothing_is_predicted() -> None:
    s = score_table([0, 1], [0.2, 0.7])
    assert curves.threshold_sweep(s, [0.9])["precision"] == [None]
    assert isinstance(precision(s.counts_at(0.9)).outcome(), Undefined)


def test_a_score_equal_to_the_threshold_is_positive() -> None:
    assert score_table([1, 0], [0.5, 0.2]).counts_at(0.5).tp.value == 1


def test_hand_till_takes_the_column_of_the_first_class() -> None:
    c = class_scores([0, 0, 1, 1, 2, 2], np.eye(3)[[0, 0, 1, 1, 2, 2]], ("a", "b", "c"))
    assert number(ranking.hand_till_auc(c)) == 1


def test_hand_till_leaves_out_classes_that_do_not_occur() -> None:
    c = class_scores([0, 0, 1, 1], np.eye(3)[[0, 0, 1, 2]], ("a", "b", "c"))
    assert ranking.hand_till_auc(c).substituted() == "1.75 / 2"
    lonely = class_scores([0, 0], np.eye(3)[[0, 0]], ("a", "b", "c"))
    assert isinstance(ranking.hand_till_auc(lonely).outcome(), Undefined)


def test_partial_auc_needs_exactly_one_limit() -> None:
    s = score_table([0, 1], [0.2, 0.7])
    assert isinstance(ranking.partial_auc(s).outcome(), Undefined)
    assert isinstance(ranking.partial_auc(s, max_fpr=0.1, min_tpr=0.9).outcome(), Undefined)
    assert ranking.partial_auc.missing({}) == "partial_auc needs exactly one of max_fpr, min_tpr"
    assert ranking.partial_auc.missing({"max_fpr": 0.1}) is None


def test_the_share_of_top_rows_is_rounded_up_without_rounding_error() -> None:
    s = score_table([True] * 30, np.arange(30.0))  # 0.1 * 30 is above 3 in floating point
    assert targeting.gain(s, top=0.1).substituted() == "3 / 30"
    assert targeting.gain(s, top=0.11).substituted() == "4 / 30"
    assert targeting.gain(s, top=1.0).substituted() == "30 / 30"


def test_gain_splits_a_tied_group_by_expectation() -> None:
    s = score_table([1, 1, 0, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.1])
    # two rows: the first, and one of three of which one is positive
    assert number(targeting.gain(s, top=0.4)) == pytest.approx((1 + 1 / 3) / 2)


# -- weights -----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_weight_two_is_a_row_twice_and_weight_zero_no_row(metric: Metric) -> None:
    actual = np.array([1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1], dtype=bool)
    scores = np.array([0.9, 0.8, 0.4, 0.3, 0.2, 0.95, 0.3, 0.6, 0.4, 0.1, 0.99])
    times = np.array([2, 1, 3, 2, 1, 0, 1, 1, 2, 2, 0])
    weighted = evaluated(metric, score_table(actual, scores, times))
    repeated = evaluated(metric, score_table(np.repeat(actual, times), np.repeat(scores, times)))
    assert number(weighted) == pytest.approx(number(repeated), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_a_stack_of_tables_gives_the_value_of_each(metric: Metric) -> None:
    rng = np.random.default_rng(5)
    s = score_table(rng.random(40) < 0.4, np.round(rng.random(40) * 0.9 + 0.05, 1))
    pos = rng.multinomial(16, [1 / len(s.scores)] * len(s.scores), size=6)
    neg = rng.multinomial(24, [1 / len(s.scores)] * len(s.scores), size=6)
    stacked = evaluated(metric, ScoreTable(s.scores, pos, neg)).array()
    assert np.shape(stacked) == (6,)
    tables = [ScoreTable(s.scores, *counts) for counts in zip(pos, neg, strict=True)]
    single = [number(evaluated(metric, table)) for table in tables]
    assert stacked == pytest.approx(single, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_a_stack_with_an_empty_class_is_no_number_or_a_number_but_no_error(metric: Metric) -> None:
    s = ScoreTable(np.array([0.7, 0.3]), np.array([[0, 0], [1, 1]]), np.array([[1, 2], [2, 1]]))
    assert np.shape(evaluated(metric, s).array()) == (2,)


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_no_rows_at_all_is_undefined(metric: Metric) -> None:
    empty = ScoreTable(np.zeros(0), np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    assert isinstance(evaluated(metric, empty).outcome(), Undefined)


def test_exact_counts_are_whole_numbers() -> None:
    s = score_table([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    kinds = {type(cell.value) for cell in ranking.roc_auc(s).cells()}
    assert kinds == {int}
    assert ranking.roc_auc(s).substituted() == "(3 + 0.5 * 1) / (2 * 2)"


# -- probabilities and calibration ---------------------------------------------------------------


def test_columns_are_taken_by_class_and_not_by_sorted_name() -> None:
    c = class_scores([0, 1], [[1.0, 0.0], [0.0, 1.0]], ("dog", "cat"))
    assert number(probabilities.log_loss.for_classes(c)) == pytest.approx(0, abs=1e-14)


def test_log_loss_clips_at_1e_15() -> None:
    s = score_table([1, 1, 1], [0, 0, 0])
    assert number(probabilities.log_loss(s)) == pytest.approx(34.538776394910684, abs=1e-12)
    opposite = score_table([0, 0, 0], [1, 1, 1])
    assert number(probabilities.log_loss(opposite)) == number(probabilities.log_loss(s))


@pytest.mark.parametrize("metric", OF_PROBABILITIES, ids=lambda m: m.name)
def test_scores_outside_the_unit_interval_are_no_probabilities(metric: Metric) -> None:
    s = score_table([1, 0, 1], [3.2, -1.1, 0.4])
    outcome = evaluated(metric, s).outcome()
    assert isinstance(outcome, Undefined)
    assert "probabilities" in outcome.reason
    assert number(ranking.roc_auc(s)) == 1


def test_probability_zero_is_in_the_first_bin_and_one_in_the_last() -> None:
    points = calibration_curve.calibration(score_table([0, 1], [0.0, 1.0]))
    assert points["low"] == [0.0, 0.9]
    assert points["high"] == [0.1, 1.0]


@pytest.mark.parametrize("tenth", range(10))
def test_a_probability_on_an_edge_belongs_to_the_bin_above(tenth: int) -> None:
    written = float(f"0.{tenth}")
    points = calibration_curve.calibration(score_table([1], [written]))
    assert points["low"] == [tenth / 10]


def test_fits_that_do_not_exist_say_why() -> None:
    reasons = [
        calibration.calibration_slope(score_table(y, p)).outcome()
        for y, p in (
            ([1, 0, 1], [0.0, 0.5, 0.6]),
            ([1, 0, 1], [0.4, 0.4, 0.4]),
            ([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]),
        )
    ]
    words = ("infinite", "same", "separate")
    for outcome, word in zip(reasons, words, strict=True):
        assert isinstance(outcome, Undefined)
        assert word in outcome.reason


def test_one_class_has_a_log_loss_but_no_slope_and_no_scaled_brier() -> None:
    s = score_table([1, 1], [0.5, 0.25])
    assert number(probabilities.log_loss(s)) == pytest.approx((math.log(2) + math.log(4)) / 2)
    assert isinstance(calibration.calibration_slope(s).outcome(), Undefined)
    assert isinstance(probabilities.brier_scaled(s).outcome(), Undefined)


def test_expected_of_nothing_is_infinite_when_something_happens() -> None:
    assert isinstance(calibration.oe_ratio(score_table([1, 0], [0.0, 0.0])).outcome(), Infinite)
    assert isinstance(calibration.oe_ratio(score_table([0, 0], [0.0, 0.0])).outcome(), Undefined)


def test_quantile_bins_keep_ties_together() -> None:
    s = score_table([1, 0, 1, 0, 1, 0], [0.1, 0.5, 0.5, 0.5, 0.5, 0.9])
    points = calibration_curve.calibration(s, bins=3, strategy="quantile")
    # the cuts at 5/3 and 10/3 of the ranks both fall on 0.5
    assert points["n"] == [5, 1]
    by_hand = (abs(3 - 2.1) + abs(0 - 0.9)) / 6
    assert number(calibration.ece(s, bins=3, strategy="quantile")) == pytest.approx(by_hand)


def test_hosmer_lemeshow_of_a_group_without_variance_is_undefined() -> None:
    outcome = goodness_of_fit.hosmer_lemeshow(score_table([0, 0, 1], [0, 0, 0.5])).outcome()
    assert isinstance(outcome, Undefined)


def test_spiegelhalter_without_variance() -> None:
    certain = score_table([1, 0], [1.0, 0.0])
    assert isinstance(goodness_of_fit.spiegelhalter_z(certain).outcome(), Undefined)
    surprise = score_table([0], [1.0])
    assert isinstance(goodness_of_fit.spiegelhalter_z(surprise).outcome(), Infinite)
    assert isinstance(goodness_of_fit.spiegelhalter_p(surprise).outcome(), Undefined)


def test_losses_of_rows_are_those_of_the_metric() -> None:
    y, p = np.array([1, 0, 1, 0]), np.array([0.9, 0.2, 0.3, 0.0])
    for metric in OF_SCORES:
        if metric.row_loss is None:
            continue
        by_row = np.where(y == 1, metric.row_loss(p, True), metric.row_loss(p, False))
        assert number(metric(score_table(y, p))) == pytest.approx(by_row.mean()), metric.name


def test_losses_of_rows_with_class_scores_are_those_of_the_metric() -> None:
    actual = np.array([0, 1, 2, 1])
    scores = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0, 0, 1.0], [0.5, 0.5, 0]])
    c = class_scores(actual, scores, ("a", "b", "c"))
    for metric in OF_SCORES:
        if metric.class_loss is None:
            continue
        expected = metric.class_loss(scores, actual).mean()
        assert number(metric.for_classes(c)) == pytest.approx(expected), metric.name


def test_two_classes_by_either_route_give_one_number() -> None:
    y, p = np.array([1, 0, 1, 0]), np.array([0.9, 0.2, 0.3, 0.1])
    c = class_scores(y, np.stack([1 - p, p], axis=1), ("no", "yes"))
    same = ("log_loss", "squared_error", "absolute_error", "brier_scaled")
    for metric in OF_SCORES:
        if metric.name in same:
            assert number(metric.for_classes(c)) == pytest.approx(number(metric(score_table(y, p))))
    assert number(probabilities.brier.for_classes(c)) == pytest.approx(
        2 * number(probabilities.brier(score_table(y, p)))
    )


def test_ties_of_the_actual_class_are_ranked_by_class_order() -> None:
    c = class_scores([0, 1], [[0.5, 0.5], [0.5, 0.5]], ("a", "b"))
    assert probabilities.top_k_accuracy(c, k=1).substituted() == "1 / 2"


# -- label sets --------------------------------------------------------------------------------


def test_a_mistake_below_a_mistake_costs_nothing() -> None:
    labels = ("animal", "dog", "plant")
    actual = np.array([[1, 1, 0], [1, 1, 0]], dtype=bool)
    predicted = np.array([[0, 0, 1], [1, 0, 0]], dtype=bool)
    s = LabelSets(labels, actual, predicted)
    # first row: animal and plant are wrong, dog is below animal; second row: dog
    losses = label_sets.hierarchical_loss(s, parents={"dog": "animal"})
    assert losses.substituted() == "3 / 2"
    with pytest.raises(ValueError, match="ancestor"):
        label_sets.hierarchical_loss(s, parents={"dog": "animal", "animal": "dog"})


def test_products_of_very_many_rows_do_not_overflow() -> None:
    """5e14 rows of each class: 2.5e29 pairs, of which three quarters are won."""
    half = 250_000_000_000_000
    table = ScoreTable(np.array([0.9, 0.1]), np.array([2 * half, 0]), np.array([half, half]))
    assert find("roc_auc")(table).outcome() == Value(0.75)  # type: ignore[misc]
    assert find("ks")(table).outcome() == Value(0.5)  # type: ignore[misc]
    assert find("gini")(table).outcome() == Value(0.5)  # type: ignore[misc]
