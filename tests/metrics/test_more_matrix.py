"""Metrics of the whole classification table: formula, numbers and states, worked by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.metrics.formula import Undefined, Value
from evalreport.metrics.tables import Counts, Matrix


def found(name: str) -> Metric:
    declared = find(name)
    assert declared is not None
    return declared


def number(expression: Any) -> float:
    outcome = expression.outcome()
    assert isinstance(outcome, Value), outcome
    return outcome.number


#: 20 rows of three classes; row totals 6, 6, 8; column totals 7, 6, 7; 13 right
THREE = [[4, 1, 1], [2, 4, 0], [1, 1, 6]]


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_a_weighted_kappa_is_never_below_minus_one(weights: str) -> None:
    # with linear weights it is a weighted mean of the kappas of all cuts of the order
    rng, kappa = np.random.default_rng(4), found("weighted_kappa")
    tables = [rng.integers(0, 4, (4, 4)) * rng.integers(0, 2, (4, 4)) for _ in range(300)]
    outcomes = [kappa(Matrix.from_counts(one), weights=weights).outcome() for one in tables]
    assert all(-1 <= o.number <= 1 for o in outcomes if isinstance(o, Value))
    # all of two far classes are exchanged
    assert (
        number(kappa(Matrix.from_counts([[0, 0, 5], [0, 0, 0], [5, 0, 0]]), weights=weights)) == -1
    )


def test_figures_of_a_matrix() -> None:
    m = Matrix.from_counts(THREE)
    assert (m.size, m.row_totals, m.column_totals, m.diagonal) == (
        3, [6, 6, 8], [7, 6, 7], [4, 4, 6],
    )  # fmt: skip
    cells = [m.n, m.correct, m.chance, m.row_squares, m.column_squares]
    assert [cell.value for cell in cells] == [20, 14, 134, 136, 134]
    assert [cell.name for cell in cells] == [
        "n", "correct", "sum(row * column)", "sum(row^2)", "sum(column^2)",
    ]  # fmt: skip
    assert repr(m.one_versus_rest(2)) == "Counts(tp=6, fp=1, fn=2, tn=11)"
    assert repr(m.pooled()) == "Counts(tp=14, fp=6, fn=6, tn=34)"
    assert (1, 2) not in m.cell_counts
    assert len(m.cell_counts) == 8


def test_rows_without_a_place_are_misses_of_their_class() -> None:
    m = Matrix(2, {(0, 0): 3, (1, 1): 2, (1, 0): 1}, unplaced=[1, 2])
    assert (m.row_totals, m.column_totals) == ([4, 5], [4, 2])
    assert (m.n.value, m.correct.value) == (9, 5)
    assert repr(m.one_versus_rest(1)) == "Counts(tp=2, fp=0, fn=3, tn=4)"
    assert repr(m.pooled()) == "Counts(tp=5, fp=1, fn=4, tn=8)"
    assert Matrix(2, {}).unplaced == [0, 0]


OF_MATRIX: list[tuple[str, dict[str, Any], str, str, float]] = [
    ("accuracy", {}, "correct / n", "14 / 20", 0.7),
    ("error_rate", {}, "(n - correct) / n", "(20 - 14) / 20", 0.3),
    (
        "mcc",
        {},
        (
            "(n * correct - sum(row * column)) / "
            "sqrt((n * n - sum(row^2)) * (n * n - sum(column^2)))"
        ),
        "(20 * 14 - 134) / sqrt((20 * 20 - 136) * (20 * 20 - 134))",
        146 / math.sqrt(264 * 266),
    ),
    (
        "kappa",
        {},
        "(n * correct - sum(row * column)) / (n * n - sum(row * column))",
        "(20 * 14 - 134) / (20 * 20 - 134)",
        146 / 266,
    ),
    # |i - j|: seen 1 + 2 + 2 + 0 + 2 + 1 = 8; by totals 36 + 84 + 42 + 42 + 112 + 48 = 364
    (
        "weighted_kappa",
        {},
        "1 - n * sum(|i - j| * count) / sum(|i - j| * row * column)",
        "1 - 20 * 8 / 364",
        1 - 160 / 364,
    ),
    # squared: seen 1 + 4 + 2 + 0 + 4 + 1 = 12; by totals 36 + 168 + 42 + 42 + 224 + 48 = 560
    (
        "weighted_kappa",
        {"weights": "quadratic"},
        "1 - n * sum((i - j)^2 * count) / sum((i - j)^2 * row * column)",
        "1 - 20 * 12 / 560",
        1 - 240 / 560,
    ),
    ("no_information_rate", {}, "largest class / n", "8 / 20", 0.4),
    (
        "expected_cost",
        {"costs": [[0, 1, 2], [3, 0, 4], [5, 6, -1]]},
        "sum(cost * count) / n",
        "(1 * 1 + 2 * 1 + 3 * 2 + 5 * 1 + 6 * 1 + (-1) * 6) / 20",  # 1 + 2 + 6 + 0 + 5 + 6 - 6
        0.7,
    ),
]


def of_classes(name: str, matrix: Matrix, **params: Any) -> Any:
    declared = found(name)
    form = declared.for_classes or declared.function
    return form(matrix, **params)


@pytest.mark.parametrize(("name", "params", "formula", "substituted", "value"), OF_MATRIX)
def test_formula_numbers_and_value_of_a_matrix(
    name: str, params: dict[str, Any], formula: str, substituted: str, value: float
) -> None:
    expression = of_classes(name, Matrix.from_counts(THREE), **params)
    assert expression.formula() == formula
    assert expression.substituted() == substituted
    assert number(expression) == pytest.approx(value, abs=1e-15)


def test_mean_recall_of_the_classes_that_occur() -> None:
    accuracy = of_classes("balanced_accuracy", Matrix.from_counts(THREE))
    assert number(accuracy) == pytest.approx((4 / 6 + 4 / 6 + 6 / 8) / 3, abs=1e-15)
    error = of_classes("balanced_error_rate", Matrix.from_counts(THREE))
    assert number(error) == pytest.approx(1 - (4 / 6 + 4 / 6 + 6 / 8) / 3, abs=1e-15)
    without = Matrix.from_counts([[3, 1, 0], [0, 0, 0], [1, 0, 1]])
    assert number(of_classes("balanced_accuracy", without)) == (3 / 4 + 1 / 2) / 2
    one = Matrix.from_counts([[3, 1], [0, 0]])
    for name in ("balanced_accuracy", "balanced_error_rate"):
        assert isinstance(of_classes(name, one).outcome(), Undefined)


def test_two_classes_by_either_form() -> None:
    m = Matrix.from_counts([[6, 2], [4, 8]])
    for name in ("accuracy", "error_rate", "balanced_accuracy", "balanced_error_rate", "mcc"):
        one = found(name)(Counts(tp=8, fp=2, fn=4, tn=6))
        assert number(of_classes(name, m)) == pytest.approx(number(one), abs=1e-15), name


def test_p_value_of_accuracy() -> None:
    # 3 right of 4, largest class 2 of 4: P(X >= 3), X ~ binomial(4, 1/2) = 5/16
    expression = found("accuracy_p_value")(Matrix.from_counts([[2, 0], [1, 1]]))
    assert number(expression) == pytest.approx(5 / 16, abs=1e-15)
    assert expression.formula() == "P(X >= correct)"


def test_agreement_by_chance_that_is_complete_is_undefined() -> None:
    m = Matrix.from_counts([[5, 0], [0, 0]])
    reasons = {
        "kappa": "agreement by chance is already 1: both sides name one and the same class",
        "weighted_kappa": "agreement by chance is already complete: "
        "both sides name one and the same class",
    }
    for name, reason in reasons.items():
        declared = found(name)
        assert declared(m).outcome(declared.undefined) == Undefined(reason)
    empty = Matrix(2, {})
    for name in ("no_information_rate", "accuracy_p_value"):
        assert found(name).undefined == "there is no row"
    assert isinstance(found("no_information_rate")(empty).outcome(), Undefined)


def test_a_stack_of_matrices() -> None:
    stack = np.array([[[2, 1], [0, 3]], [[1, 1], [4, 0]]])
    m = Matrix(2, {(i, j): stack[:, i, j] for i in range(2) for j in range(2)})
    assert found("no_information_rate")(m).array().tolist() == [3 / 6, 4 / 6]
    assert of_classes("accuracy", m).array().tolist() == [5 / 6, 1 / 6]


def test_mean_recall_says_what_it_added_up() -> None:
    m = Matrix.from_counts([[3, 1, 0], [0, 0, 0], [1, 0, 1]])
    accuracy, error = of_classes("balanced_accuracy", m), of_classes("balanced_error_rate", m)
    assert accuracy.formula() == "sum(TP / (TP + FN)) / classes that occur"
    assert accuracy.substituted() == "(3 / 4 + 1 / 2) / 2"
    assert error.formula() == "sum(FN / (TP + FN)) / classes that occur"
    assert error.substituted() == "(1 / 4 + 1 / 2) / 2"


def test_mean_recall_of_a_stack() -> None:
    stack = np.array([THREE, [[3, 1, 0], [0, 0, 0], [1, 0, 1]], [[2, 1, 0], [0] * 3, [0] * 3]])
    m = Matrix(3, {(i, j): stack[:, i, j] for i in range(3) for j in range(3)})
    recalls = [(4 / 6 + 4 / 6 + 6 / 8) / 3, (3 / 4 + 1 / 2) / 2, math.nan]
    accuracy, error = of_classes("balanced_accuracy", m), of_classes("balanced_error_rate", m)
    assert accuracy.array().tolist() == pytest.approx(recalls, nan_ok=True)
    assert error.array().tolist() == pytest.approx([1 - r for r in recalls], nan_ok=True)
    assert accuracy.formula() == "sum(TP / (TP + FN)) / classes that occur"


def test_mean_recall_of_a_stack_in_which_a_class_has_no_cell() -> None:
    m = Matrix(3, {(0, 0): np.array([3, 1]), (0, 1): np.array([1, 1]), (1, 1): np.array([2, 0])})
    values = of_classes("balanced_accuracy", m).array()
    assert values.tolist() == pytest.approx([7 / 8, math.nan], nan_ok=True)


def test_the_largest_class_wherever_it_stands() -> None:
    rate = found("no_information_rate")
    assert rate(Matrix.from_counts([[5, 0], [1, 2]])).substituted() == "5 / 8"
    assert rate(Matrix.from_counts([[1, 0], [1, 5]])).substituted() == "6 / 7"
    # a class without a cell has a plain 0 among arrays
    some = np.array([3, 1])
    m = Matrix(3, {(0, 0): some, (1, 1): np.array([1, 4])})
    assert rate(m).array().tolist() == [3 / 4, 4 / 5]
    first = Matrix(3, {(1, 1): some, (2, 2): np.array([1, 4])})
    assert rate(first).array().tolist() == [3 / 4, 4 / 5]
