"""Metrics of sets of labels, worked by hand on four rows of three labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.metrics.formula import Undefined, Value
from evalreport.metrics.sets_table import (
    LabelSets,
    mean_of_rows,
    samples_average,
    samples_values,
    undefined_rows,
)


def found(name: str) -> Metric:
    declared = find(name)
    assert declared is not None
    return declared


def number(expression: Any) -> float:
    outcome = expression.outcome()
    assert isinstance(outcome, Value), outcome
    return outcome.number


# -- sets of labels ----------------------------------------------------------------------------

LABELS = ("x", "y", "z")
ACTUAL = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 1, 1]], bool)
GIVEN = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0], [1, 1, 1]], bool)
RANKED = np.array([[0.9, 0.2, 0.5], [0.1, 0.8, 0.8], [0.3, 0.2, 0.1], [0.6, 0.5, 0.4]])
SETS = LabelSets(LABELS, ACTUAL, GIVEN, RANKED)

OF_SETS: list[tuple[str, dict[str, Any], str, str, float]] = [
    ("exact_match", {}, "exact / n", "2 / 4", 0.5),
    ("hamming_loss", {}, "wrong / (n * labels)", "2 / (4 * 3)", 2 / 12),
    # 1/2, 1/2, nothing, 1
    ("example_jaccard", {}, "sum(value of a row) / rows with a value", "2 / 3", 2 / 3),
    # the squares of 1 less half of 1/2, and of 1 less 1/2; nothing; 1
    (
        "alpha_evaluation",
        {"alpha": 2.0, "beta": 0.5, "gamma": 1.0},
        "sum(value of a row) / rows with a value",
        "1.8125 / 3",
        1.8125 / 3,
    ),
    ("hierarchical_loss", {"parents": {"z": "y"}}, "wrong under right parents / n", "2 / 4", 0.5),
    # first rank: right; y and z tied, z wrong: 1/2; row 3 has none; right
    ("one_error", {}, "sum(value of a row) / rows with a value", "0.5 / 3", 1 / 6),
    # down to y: 3; y with z beside it: 2; all 3
    ("coverage_error", {}, "sum(value of a row) / rows with a value", "8 / 3", 8 / 3),
    # x above z, y below z: 1 of 2; y tied with z (1/2) and above x: 1/4; rows 3 and 4 have no pair
    ("ranking_loss", {}, "sum(value of a row) / rows with a value", "0.75 / 2", 0.375),
    # the mean of 1 and 2/3; 1/2; nothing; 1
    (
        "label_ranking_average_precision",
        {},
        "sum(value of a row) / rows with a value",
        "",
        (5 / 6 + 1 / 2 + 1) / 3,
    ),
]


@pytest.mark.parametrize(("name", "params", "formula", "substituted", "value"), OF_SETS)
def test_formula_numbers_and_value_of_sets(
    name: str, params: dict[str, Any], formula: str, substituted: str, value: float
) -> None:
    declared = found(name)
    expression = declared(SETS, **params)
    assert expression.formula() == formula
    if substituted:
        assert expression.substituted() == substituted
    assert number(expression) == pytest.approx(value, abs=1e-15)
    twice = LabelSets(LABELS, ACTUAL, GIVEN, RANKED, np.array([2, 2, 2, 2]))
    assert number(declared(twice, **params)) == pytest.approx(value, abs=1e-15)
    drawn = LabelSets(LABELS, ACTUAL, GIVEN, RANKED, np.array([[1, 1, 1, 1], [0, 0, 0, 3]]))
    perfect = 3 if name == "coverage_error" else 0 if declared.goal.value == "minimize" else 1
    last = math.nan if name == "ranking_loss" else perfect
    assert str(declared(drawn, **params).array().tolist()[1]) == str(float(last))


def test_rows_below_a_wrong_parent_are_not_counted() -> None:
    actual, given = np.array([[1, 1, 1]], bool), np.array([[0, 0, 0]], bool)
    loss = found("hierarchical_loss")
    sets = LabelSets(LABELS, actual, given)
    assert number(loss(sets, parents={"z": "y", "y": "x", "x": None})) == 1
    assert number(loss(sets, parents={"z": "y"})) == 2
    with pytest.raises(ValueError, match="'x' is its own ancestor"):
        loss(sets, parents={"x": "y", "y": "x"})
    with pytest.raises(ValueError, match="'x' is its own ancestor"):
        loss(sets, parents={"x": "x"})
    skipping = LabelSets(LABELS, actual, np.array([[0, 1, 0]], bool))
    assert number(loss(skipping, parents={"z": "y", "y": "x"})) == 1


def test_counts_of_sets() -> None:
    assert repr(SETS.counts(1)) == "Counts(tp=2, fp=0, fn=1, tn=1)"
    assert repr(SETS.counts(2)) == "Counts(tp=1, fp=1, fn=0, tn=2)"
    assert repr(SETS.pooled()) == "Counts(tp=5, fp=1, fn=1, tn=5)"
    rows = SETS.of_rows
    assert rows.tp.value.tolist() == [1, 1, 0, 3]
    assert rows.fp.value.tolist() == [0, 1, 0, 0]
    assert rows.fn.value.tolist() == [1, 0, 0, 0]
    assert rows.tn.value.tolist() == [1, 1, 3, 0]
    assert (SETS.rows.name, SETS.rows.value, SETS.stacked) == ("n", 4, False)
    weighted = LabelSets(LABELS, ACTUAL, GIVEN, None, np.array([1, 2, 3, 0]))
    assert (weighted.rows.value, weighted.stacked) == (6, False)
    assert repr(weighted.counts(1)) == "Counts(tp=2, fp=0, fn=1, tn=3)"


def test_means_over_rows_leave_out_rows_without_a_value() -> None:
    values = np.array([0.5, math.nan, 1.0, math.nan])
    mean_value = mean_of_rows(SETS, values)
    assert mean_value.substituted() == "1.5 / 2"
    assert undefined_rows(SETS, values) == 2
    precision = found("precision")
    assert str(samples_values(precision, SETS, {}).tolist()) == "[1.0, 0.5, nan, 1.0]"
    assert samples_average(precision, SETS, {}).substituted() == "2.5 / 3"
    # 1 hit and no false alarm: infinite odds have no place in a mean
    odds = samples_values(found("diagnostic_odds_ratio"), SETS, {})
    assert np.isnan(odds).all()


def test_without_scores_there_is_no_ranking() -> None:
    sets = LabelSets(LABELS, ACTUAL, GIVEN)
    for name in ("one_error", "coverage_error", "ranking_loss", "label_ranking_average_precision"):
        assert found(name)(sets).outcome() == Undefined("the model gives no score per label")


def test_reasons_of_sets() -> None:
    reasons = {
        "exact_match": "there is no row",
        "hamming_loss": "there is no row",
        "hierarchical_loss": "there is no row",
        "example_jaccard": "no row has a label or is given one",
        "alpha_evaluation": "no row has a label or is given one",
        "one_error": "no row has a label",
        "coverage_error": "no row has a label",
        "label_ranking_average_precision": "no row has a label",
        "ranking_loss": "no row has both a label and one it lacks",
    }
    assert {name: found(name).undefined for name in reasons} == reasons


def test_values_of_the_rows_themselves() -> None:
    expected = {
        "exact_match": [0, 0, 1, 1],
        "hamming_loss": [1 / 3, 1 / 3, 0, 0],
        "example_jaccard": [0.5, 0.5, math.nan, 1],
        "alpha_evaluation": [0.5, 0.5, math.nan, 1],
        "one_error": [0, 0.5, math.nan, 0],
        "coverage_error": [3, 2, math.nan, 3],
        "ranking_loss": [0.5, 0.25, math.nan, math.nan],
        "label_ranking_average_precision": [5 / 6, 0.5, math.nan, 1],
    }
    for name, values in expected.items():
        of_rows = found(name).row_values
        assert of_rows is not None
        assert of_rows(SETS).tolist() == pytest.approx(values, nan_ok=True), name
    hierarchical = found("hierarchical_loss").row_values
    assert hierarchical is not None
    assert hierarchical(SETS, parents={}).tolist() == [1, 1, 0, 0]


def test_one_label_of_a_row_decides() -> None:
    one = LabelSets(("x",), np.array([[True], [True]]), np.array([[True], [False]]))
    assert number(found("example_jaccard")(one)) == 0.5
    scores = np.array([[0.9, 0.1], [0.2, 0.7]])
    two = LabelSets(("x", "y"), np.array([[1, 0], [1, 0]], bool), np.zeros((2, 2), bool), scores)
    assert number(found("ranking_loss")(two)) == 0.5
    assert number(found("label_ranking_average_precision")(two)) == 0.75
    # both labels tied: half an inversion, whichever of them applies
    tied = LabelSets(("x", "y"), np.array([[0, 1]], bool), np.zeros((1, 2), bool), scores[:1] * 0)
    assert number(found("ranking_loss")(tied)) == 0.5


def test_parameters_reach_the_values_of_rows() -> None:
    # row 1 has precision 1 and recall 1/2, row 2 the other way round
    fbeta = found("fbeta")
    values = samples_values(fbeta, SETS, {"beta": 2.0})
    assert values.tolist() == pytest.approx([5 / 9, 5 / 6, math.nan, 1], nan_ok=True)
    assert number(samples_average(fbeta, SETS, {"beta": 2.0})) == pytest.approx(
        (5 / 9 + 5 / 6 + 1) / 3
    )
    assert undefined_rows(SETS, np.array([math.nan, 1.0, 1.0, 1.0])) == 1


def test_forgiving_everything_leaves_rows_without_labels_out() -> None:
    alpha = found("alpha_evaluation")(SETS, alpha=0.0)
    assert alpha.substituted() == "3 / 3"


def test_a_circle_above_a_label_is_found_too() -> None:
    sets = LabelSets(("z", "y", "x"), ACTUAL, GIVEN)
    with pytest.raises(ValueError, match=r"^label 'z' is its own ancestor$"):
        found("hierarchical_loss")(sets, parents={"z": "y", "y": "x", "x": "y"})


def test_a_circle_of_parents_names_the_label() -> None:
    sets = LabelSets(LABELS, ACTUAL, GIVEN)
    for parents in ({"z": "z"}, {"y": "z", "z": "y"}):
        with pytest.raises(ValueError, match=r"^label '[yz]' is its own ancestor$"):
            found("hierarchical_loss")(sets, parents=parents)
