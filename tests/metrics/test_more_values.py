"""Formulas, their numbers and their states, worked by hand on one small table each."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from evalreport.metrics import formula as arithmetic
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric, evaluated
from evalreport.metrics.formula import (
    Cell,
    Constant,
    Infinite,
    NoNumber,
    Nothing,
    NotKnown,
    OverZero,
    Undefined,
    Value,
    ZeroByZero,
    as_expression,
    mean,
    number_text,
    ratio,
    root,
)
from evalreport.metrics.probability_bins import (
    binned,
    probability_bins,
    quantile_groups,
    uniform_bins,
)
from evalreport.metrics.sets_table import (
    LabelSets,
    mean_of_rows,
    samples_average,
    samples_values,
    undefined_rows,
)
from evalreport.metrics.tables import ClassScores, Counts, Matrix, ScoreTable, summed

#: 20 rows: 12 of the class, 8 not; 10 predicted so, 10 not.
TABLE = {"tp": 8, "fp": 2, "fn": 4, "tn": 6}
F = Fraction


def found(name: str) -> Metric:
    declared = find(name)
    assert declared is not None
    return declared


def number(expression: Any) -> float:
    outcome = expression.outcome()
    assert isinstance(outcome, Value), outcome
    return outcome.number


# -- one class against the rest: tp 8, fp 2, fn 4, tn 6 ----------------------------------------

OF_COUNTS: list[tuple[str, dict[str, Any], str, str, Fraction]] = [
    ("accuracy", {}, "(TP + TN) / (TP + FP + FN + TN)", "(8 + 6) / (8 + 2 + 4 + 6)", F(14, 20)),
    ("error_rate", {}, "(FP + FN) / (TP + FP + FN + TN)", "(2 + 4) / (8 + 2 + 4 + 6)", F(6, 20)),
    ("recall", {}, "TP / (TP + FN)", "8 / (8 + 4)", F(8, 12)),
    ("specificity", {}, "TN / (TN + FP)", "6 / (6 + 2)", F(6, 8)),
    ("precision", {}, "TP / (TP + FP)", "8 / (8 + 2)", F(8, 10)),
    ("npv", {}, "TN / (TN + FN)", "6 / (6 + 4)", F(6, 10)),
    ("fpr", {}, "FP / (FP + TN)", "2 / (2 + 6)", F(2, 8)),
    ("fnr", {}, "FN / (FN + TP)", "4 / (4 + 8)", F(4, 12)),
    ("fdr", {}, "FP / (FP + TP)", "2 / (2 + 8)", F(2, 10)),
    ("false_omission_rate", {}, "FN / (FN + TN)", "4 / (4 + 6)", F(4, 10)),
    ("f1", {}, "2 * TP / (2 * TP + FP + FN)", "2 * 8 / (2 * 8 + 2 + 4)", F(16, 22)),
    (
        "fbeta",
        {"beta": 2.0},
        "5 * TP / (5 * TP + FP + 4 * FN)",
        "5 * 8 / (5 * 8 + 2 + 4 * 4)",
        F(40, 58),
    ),
    ("jaccard", {}, "TP / (TP + FP + FN)", "8 / (8 + 2 + 4)", F(8, 14)),
    (
        "youden_j",
        {},
        "TP / (TP + FN) + TN / (TN + FP) - 1",
        "8 / (8 + 4) + 6 / (6 + 2) - 1",
        F(5, 12),
    ),
    (
        "markedness",
        {},
        "TP / (TP + FP) + TN / (TN + FN) - 1",
        "8 / (8 + 2) + 6 / (6 + 4) - 1",
        F(2, 5),
    ),
    (
        "lr_plus",
        {},
        "(TP / (TP + FN)) / (FP / (FP + TN))",
        "(8 / (8 + 4)) / (2 / (2 + 6))",
        F(8, 3),
    ),
    (
        "lr_minus",
        {},
        "(FN / (TP + FN)) / (TN / (FP + TN))",
        "(4 / (8 + 4)) / (6 / (2 + 6))",
        F(4, 9),
    ),
    ("diagnostic_odds_ratio", {}, "TP * TN / (FP * FN)", "8 * 6 / (2 * 4)", F(6)),
    ("prevalence", {}, "(TP + FN) / (TP + FP + FN + TN)", "(8 + 4) / (8 + 2 + 4 + 6)", F(12, 20)),
    (
        "predicted_prevalence",
        {},
        "(TP + FP) / (TP + FP + FN + TN)",
        "(8 + 2) / (8 + 2 + 4 + 6)",
        F(10, 20),
    ),
    (
        "selection_rate",
        {},
        "(TP + FP) / (TP + FP + FN + TN)",
        "(8 + 2) / (8 + 2 + 4 + 6)",
        F(10, 20),
    ),
    (
        "impact_ratio",
        {"highest": (4, 5)},
        "((TP + FP) / (TP + FP + FN + TN)) / (selected of the highest / n of the highest)",
        "((8 + 2) / (8 + 2 + 4 + 6)) / (4 / 5)",
        F(5, 8),
    ),
    ("detection_rate", {}, "TP / (TP + FP + FN + TN)", "8 / (8 + 2 + 4 + 6)", F(8, 20)),
    (
        "balanced_accuracy",
        {},
        "(TP / (TP + FN) + TN / (TN + FP)) / 2",
        "(8 / (8 + 4) + 6 / (6 + 2)) / 2",
        F(17, 24),
    ),
    (
        "balanced_error_rate",
        {},
        "(FN / (TP + FN) + FP / (TN + FP)) / 2",
        "(4 / (8 + 4) + 2 / (6 + 2)) / 2",
        F(7, 24),
    ),
    (
        "ppv_at_prevalence",
        {"prevalence": 0.25},
        "TP / (TP + FN) * 0.25 / (TP / (TP + FN) * 0.25 + FP / (FP + TN) * 0.75)",
        "8 / (8 + 4) * 0.25 / (8 / (8 + 4) * 0.25 + 2 / (2 + 6) * 0.75)",
        F(8, 17),
    ),
    (
        "npv_at_prevalence",
        {"prevalence": 0.25},
        "TN / (FP + TN) * 0.75 / (TN / (FP + TN) * 0.75 + FN / (TP + FN) * 0.25)",
        "6 / (2 + 6) * 0.75 / (6 / (2 + 6) * 0.75 + 4 / (8 + 4) * 0.25)",
        F(27, 31),
    ),
    (
        "net_benefit",
        {"threshold": 0.75},
        "(TP - FP * 3) / (TP + FP + FN + TN)",
        "(8 - 2 * 3) / (8 + 2 + 4 + 6)",
        F(2, 20),
    ),
    (
        "mcc",
        {},
        "(TP * TN - FP * FN) / sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN))",
        "(8 * 6 - 2 * 4) / sqrt((8 + 2) * (8 + 4) * (6 + 2) * (6 + 4))",
        F(0),  # 40 / sqrt(9600), below
    ),
    (
        "expected_cost",
        {"costs": {"false_negative": 5, "false_positive": 1}},
        "(5 * FN + 1 * FP) / (TP + FP + FN + TN)",
        "(5 * 4 + 1 * 2) / (8 + 2 + 4 + 6)",
        F(22, 20),
    ),
    (
        "expected_cost",
        {"costs": {"true_positive": -2, "true_negative": 0.5}},
        "((-2) * TP + 0.5 * TN) / (TP + FP + FN + TN)",
        "((-2) * 8 + 0.5 * 6) / (8 + 2 + 4 + 6)",
        F(-13, 20),
    ),
    ("expected_cost", {"costs": {}}, "0 / (TP + FP + FN + TN)", "0 / (8 + 2 + 4 + 6)", F(0)),
]


@pytest.mark.parametrize(("name", "params", "formula", "substituted", "value"), OF_COUNTS)
def test_formula_numbers_and_value_of_a_table(
    name: str, params: dict[str, Any], formula: str, substituted: str, value: Fraction
) -> None:
    expression = found(name)(Counts(**TABLE), **params)
    assert expression.formula() == formula
    assert expression.substituted() == substituted
    if name != "mcc":
        assert number(expression) == pytest.approx(float(value), abs=1e-15)


def test_roots_of_a_table() -> None:
    c = Counts(**TABLE)
    assert number(found("mcc")(c)) == pytest.approx(40 / math.sqrt(9600), abs=1e-15)
    g_mean, fowlkes = found("g_mean")(c), found("fowlkes_mallows")(c)
    assert g_mean.formula() == "sqrt(TP / (TP + FN) * (TN / (TN + FP)))"
    assert number(g_mean) == pytest.approx(math.sqrt(1 / 2), abs=1e-15)
    assert fowlkes.formula() == "sqrt(TP / (TP + FP) * (TP / (TP + FN)))"
    assert number(fowlkes) == pytest.approx(math.sqrt(8 / 15), abs=1e-15)


def test_exact_while_the_cells_are_whole() -> None:
    for name, params, _, _, value in OF_COUNTS:
        whole = all(float(v).is_integer() for v in params.values() if isinstance(v, float))
        if whole and name != "mcc" and "true_negative" not in params.get("costs", {}):
            exact = found(name)(Counts(**TABLE), **params).exact()
            assert isinstance(exact, (int, Fraction)) or name == "net_benefit", name
            assert exact == value


def test_an_odd_beta_is_written_as_it_is() -> None:
    fbeta = found("fbeta")(Counts(**TABLE), beta=0.5)
    assert fbeta.formula() == "1.25 * TP / (1.25 * TP + FP + 0.25 * FN)"
    assert number(fbeta) == pytest.approx(10 / 13, abs=1e-15)
    assert found("fbeta")(Counts(**TABLE)).exact() == F(16, 22)


EMPTY = {"tp": 0, "fp": 0, "fn": 0, "tn": 0}
NO_ROW = "there is no row"
REASONS = [
    ("accuracy error_rate prevalence predicted_prevalence selection_rate", {}, NO_ROW),
    ("detection_rate net_benefit expected_cost", {}, NO_ROW),
    ("recall fnr", {"fp": 1, "tn": 1}, "no row is actually cat"),
    ("specificity fpr", {"tp": 1, "fn": 1}, "every row is actually cat"),
    ("precision fdr", {"fn": 1, "tn": 1}, "no row is predicted cat"),
    ("npv false_omission_rate", {"tp": 1, "fp": 1}, "every row is predicted cat"),
    ("f1 fbeta jaccard", {"tn": 3}, "no row is actually cat and none is predicted so"),
    (
        "youden_j g_mean balanced_accuracy balanced_error_rate",
        {"tp": 1, "fn": 1},
        "recall or specificity is undefined: only one class occurs",
    ),
    (
        "markedness",
        {"tp": 1, "fp": 1},
        "precision or NPV is undefined: only one class is predicted",
    ),
    ("fowlkes_mallows", {"tn": 1}, "precision or recall is undefined"),
    (
        "lr_plus",
        {"fn": 1, "tn": 1},
        "recall or the false positive rate is undefined, or both are 0",
    ),
    (
        "lr_minus",
        {"tp": 1, "fp": 1},
        "the false negative rate or specificity is undefined, or both are 0",
    ),
    ("diagnostic_odds_ratio", {"tp": 1, "fn": 1}, "both products of the table's diagonals are 0"),
    (
        "mcc",
        {"tp": 1, "fn": 1},
        "a row or column of the table is empty: only one class occurs or is predicted",
    ),
    (
        "ppv_at_prevalence",
        {"fn": 1, "tn": 1},
        "recall or specificity is undefined, or nothing is predicted cat",
    ),
    (
        "npv_at_prevalence",
        {"tp": 1, "fp": 1},
        "recall or specificity is undefined, or everything is predicted cat",
    ),
    (
        "impact_ratio",
        {},
        "no row of any group is selected, or the group has no row",
    ),
]
CONTEXT = {"threshold": 0.5, "costs": {"false_negative": 1}, "highest": (1, 2)}


@pytest.mark.parametrize(("names", "cells", "reason"), REASONS)
def test_undefined_says_why(names: str, cells: dict[str, int], reason: str) -> None:
    for name in names.split():
        declared = found(name)
        params = declared.arguments({"prevalence": 0.5})
        params |= {key: CONTEXT[key] for key in declared.context}
        expression = declared(Counts(**(EMPTY | cells)), **params)
        undefined = declared.undefined.format(label="cat")
        assert expression.outcome(undefined) == Undefined(reason), name


def test_over_nothing_is_infinite() -> None:
    c = Counts(tp=3, fp=0, fn=1, tn=4)
    assert found("lr_plus")(c).outcome() == Infinite("(3 / (3 + 1)) / (0 / (0 + 4)): the divisor is 0")
    assert found("diagnostic_odds_ratio")(c).outcome() == Infinite(
        "3 * 4 / (0 * 1): the divisor is 0"
    )
    c = Counts(tp=3, fp=4, fn=1, tn=0)
    assert found("lr_minus")(c).outcome() == Infinite("(1 / (3 + 1)) / (0 / (4 + 0)): the divisor is 0")


# -- the whole table ---------------------------------------------------------------------------

#: 20 rows of three classes; row totals 6, 6, 8; column totals 7, 6, 7; 13 right
THREE = [[4, 1, 1], [2, 4, 0], [1, 1, 6]]


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
    assert (m.row_totals, m.column_totals, m.n.value, m.correct.value) == ([4, 5], [4, 2], 11 - 2, 5)
    assert repr(m.one_versus_rest(1)) == "Counts(tp=2, fp=0, fn=3, tn=4)"
    assert repr(m.pooled()) == "Counts(tp=5, fp=1, fn=4, tn=8)"
    assert Matrix(2, {}).unplaced == [0, 0]


OF_MATRIX: list[tuple[str, dict[str, Any], str, str, float]] = [
    ("accuracy", {}, "correct / n", "14 / 20", 0.7),
    ("error_rate", {}, "(n - correct) / n", "(20 - 14) / 20", 0.3),
    (
        "mcc",
        {},
        "(n * correct - sum(row * column)) / "
        "sqrt((n * n - sum(row^2)) * (n * n - sum(column^2)))",
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
        "14 / 20",  # 1 + 2 + 6 + 0 + 5 + 6 - 6
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
        one = found(name)(Counts(**TABLE))
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
    assert evaluated(found("no_information_rate")(m)).tolist() == [3 / 6, 4 / 6]
    assert evaluated(of_classes("accuracy", m)).tolist() == [5 / 6, 1 / 6]


# -- arithmetic --------------------------------------------------------------------------------

A, B, C = Cell("a", 6), Cell("b", 2), Cell("c", 4)


@pytest.mark.parametrize(
    ("expression", "formula", "substituted", "value"),
    [
        (A + B + C, "a + b + c", "6 + 2 + 4", 12),
        (A - B - C, "a - b - c", "6 - 2 - 4", 0),
        (A - (B + C), "a - (b + c)", "6 - (2 + 4)", 0),
        (A - (B - C), "a - (b - c)", "6 - (2 - 4)", 8),
        (A + (B - C), "a + b - c", "6 + 2 - 4", 4),
        (A - B * C, "a - b * c", "6 - 2 * 4", -2),
        ((A + B) * C, "(a + b) * c", "(6 + 2) * 4", 32),
        (A * (B + C), "a * (b + c)", "6 * (2 + 4)", 36),
        (A * (B * C), "a * (b * c)", "6 * (2 * 4)", 48),
        (A * B * C, "a * b * c", "6 * 2 * 4", 48),
        (A / B / C, "(a / b) / c", "(6 / 2) / 4", F(3, 4)),
        (A / (B / C), "a / (b / c)", "6 / (2 / 4)", 12),
        (A / (B * C), "a / (b * c)", "6 / (2 * 4)", F(3, 4)),
        (A * B / C, "a * b / c", "6 * 2 / 4", 3),
        ((A + B) / (A - B), "(a + b) / (a - b)", "(6 + 2) / (6 - 2)", 2),
        (1 - A / B, "1 - a / b", "1 - 6 / 2", -2),
        (1 + A, "1 + a", "1 + 6", 7),
        (2 * A, "2 * a", "2 * 6", 12),
        (1 / A, "1 / a", "1 / 6", F(1, 6)),
        (A * F(1, 2), "a * 0.5", "6 * 0.5", 3),
        (A * -1, "a * (-1)", "6 * (-1)", -6),
        (root(A * A), "sqrt(a * a)", "sqrt(6 * 6)", 6),
        (root(ratio(C, 9)), "sqrt(a / b)".replace("a", "c").replace("b", "9"), "sqrt(4 / 9)", F(2, 3)),
        (mean(A, B, C), "(a + b + c) / 3", "(6 + 2 + 4) / 3", 4),
        (mean(A), "a / 1", "6 / 1", 6),
    ],
)
def test_arithmetic_as_it_is_written(
    expression: Any, formula: str, substituted: str, value: Any
) -> None:
    assert expression.formula() == formula
    assert expression.substituted() == substituted
    assert expression.exact() == value
    assert expression.array() == float(value)
    assert expression.outcome() == Value(float(value))
    assert eval(substituted, {"sqrt": math.sqrt}) == pytest.approx(float(value))  # noqa: S307


def test_cells_in_the_order_in_which_they_are_written() -> None:
    expression = root((A - B) * C / (A + 1))
    assert [cell.name for cell in expression.cells()] == ["a", "b", "c", "a"]
    assert list(Constant(1).cells()) == []
    assert list(Nothing("x").cells()) == []


def test_exact_types() -> None:
    assert isinstance((A / B).exact(), Fraction)
    assert isinstance(root(C).exact(), Fraction)
    assert isinstance(Cell("a", np.int64(3)).exact(), int)
    assert root(Cell("a", 2)).exact() == math.sqrt(2)
    assert root(Cell("a", 4.0)).exact() == 2.0
    assert root(F(4, 2)).exact() == math.sqrt(2)
    assert root(F(2, 4)).exact() == math.sqrt(0.5)
    assert isinstance((Cell("a", 0.5) / 2).exact(), float)
    assert isinstance((2 / Cell("a", 0.5)).exact(), float)
    third = Cell("a", 0.1) / Cell("b", 3)
    assert third.exact() == 0.1 / 3
    assert (1 / Cell("a", 3)).exact() == F(1, 3)


def test_what_divides_by_nothing() -> None:
    nothing, some = Cell("z", 0), Cell("s", 3)
    with pytest.raises(ZeroByZero):
        (nothing / nothing).exact()
    with pytest.raises(OverZero):
        (some / nothing).exact()
    assert (nothing / nothing).outcome("why") == Undefined("why")
    assert (nothing / nothing).outcome() == Undefined("0 / 0")
    assert (some / nothing).outcome("why") == Infinite("3 / 0: the divisor is 0")
    # minus infinity, and infinity inside an expression, are no state of a metric
    assert ((nothing - some) / nothing).outcome("why") == Undefined("why")
    assert (1 - some / nothing).outcome("why") == Undefined("why")
    assert (some / nothing / some).outcome("why") == Undefined("why")
    assert (some / nothing).divides_by_zero()
    assert not (nothing / nothing).divides_by_zero()
    assert not (some / some).divides_by_zero()
    assert not ((some / nothing) / nothing).divides_by_zero()


def test_what_is_not_known() -> None:
    unknown = Cell("FN", None)
    expression = A / (A + unknown)
    assert expression.outcome("why") == Undefined("FN is not known")
    assert expression.substituted() == "6 / (6 + ?)"
    with pytest.raises(NotKnown):
        unknown.exact()


def test_what_has_no_number() -> None:
    nothing = Nothing("the fit does not exist")
    assert (1 - nothing).outcome("why") == Undefined("the fit does not exist")
    assert (nothing.formula(), nothing.substituted()) == ("no number", "no number")
    assert math.isnan(nothing.array())
    with pytest.raises(NoNumber):
        nothing.exact()


def test_a_stack_of_cells_without_warnings() -> None:
    a, b = Cell("a", np.array([1.0, 0.0, 4.0])), Cell("b", np.array([0.0, 0.0, 2.0]))
    assert str((a / b).array().tolist()) == "[inf, nan, 2.0]"
    assert (a - b).array().tolist() == [1.0, 0.0, 2.0]
    assert (a + b).array().tolist() == [1.0, 0.0, 6.0]
    assert (a * b).array().tolist() == [0.0, 0.0, 8.0]
    assert str(root(b - a).array().tolist()) == "[nan, 0.0, nan]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (87, "87"), (2.0, "2"), (0.5, "0.5"), (-3, "(-3)"), (-0.25, "(-0.25)"), (F(1, 4), "0.25"),
        (np.float64(1.5), "1.5"), (np.int64(7), "7"), (1e14, "100000000000000"), (1e15, "1e+15"),
        (999999999999999.0, "999999999999999"), (0.1, "0.1"), (True, "1"), (-1e15, "(-1000000000000000.0)"),
    ],
)  # fmt: skip
def test_numbers_as_they_are_printed(value: Any, text: str) -> None:
    if value not in (1e15, -1e15):
        assert number_text(value) == text
    else:
        assert number_text(value) == {1e15: "1000000000000000.0"}.get(value, text)


def test_constants_and_the_repr_of_a_value() -> None:
    assert as_expression(A) is A
    assert (Constant(F(1, 2)).formula(), Constant(3).array()) == ("0.5", 3.0)
    assert repr(Value(0.5)) == "Value(0.5)"
    assert isinstance(Constant(3).array(), float)
    for name in ("exact", "array", "formula", "substituted"):
        with pytest.raises(NotImplementedError):
            getattr(arithmetic.Expression(), name)()


# -- tables of scores --------------------------------------------------------------------------

#: scores 0.9 ... 0.1; 1 + 1 + 2 + 0 positives, 0 + 1 + 1 + 3 negatives
SCORES = np.array([0.9, 0.7, 0.4, 0.1])
S = ScoreTable(SCORES, np.array([1, 1, 2, 0]), np.array([0, 1, 1, 3]))


def test_figures_of_a_score_table() -> None:
    assert (S.positive_total, S.negative_total, S.total) == (4, 5, 9)
    assert (S.true_positives.tolist(), S.false_positives.tolist()) == ([1, 2, 4, 4], [0, 1, 2, 5])
    cells = (S.actual_positives, S.actual_negatives, S.rows)
    assert [(cell.name, cell.value) for cell in cells] == [("P", 4), ("N", 5), ("n", 9)]
    assert not S.stacked
    assert (S.squares_positive, S.squares_negative) == (None, None)


@pytest.mark.parametrize(
    ("threshold", "cells"),
    [
        (0.95, (0, 0, 4, 5)),
        (0.9, (1, 0, 3, 5)),
        (0.71, (1, 0, 3, 5)),
        (0.7, (2, 1, 2, 4)),
        (0.4, (4, 2, 0, 3)),
        (0.1, (4, 5, 0, 0)),
        (-1.0, (4, 5, 0, 0)),
    ],
)
def test_counts_at_a_threshold(threshold: float, cells: tuple[int, ...]) -> None:
    c = S.counts_at(threshold)
    values = (c.tp.value, c.fp.value, c.fn.value, c.tn.value)
    assert values == cells
    assert all(type(value) is int for value in values)
    weighted = ScoreTable(SCORES, S.positives * 0.5, S.negatives * 0.5).counts_at(threshold)
    assert [weighted.tp.value, weighted.tn.value] == [cells[0] / 2, cells[3] / 2]
    assert type(weighted.tp.value) is float
    stack = ScoreTable(SCORES, np.stack([S.positives] * 2), np.stack([S.negatives, 0 * S.negatives]))
    many = stack.counts_at(threshold)
    assert many.tp.value.tolist() == [cells[0], cells[0]]
    assert many.fp.value.tolist() == [cells[1], 0]
    assert many.fn.value.tolist() == [cells[2], cells[2]]
    assert many.tn.value.tolist() == [cells[3], 0]


def test_no_scores_at_all() -> None:
    none = np.array([], dtype=np.int64)
    empty = ScoreTable(np.array([]), none, none)
    assert repr(empty.counts_at(0.5)) == "Counts(tp=0, fp=0, fn=0, tn=0)"


def test_sums_as_cells() -> None:
    assert summed("x", np.array([1, 2]), stacked=False).value == 3
    assert type(summed("x", np.array([1, 2]), stacked=False).value) is int
    assert summed("x", np.array([0.1] * 10), stacked=False).value == 1.0
    assert summed("x", np.array([[1, 2], [3, 4]]), stacked=True).value.tolist() == [3, 7]


OF_SCORES: list[tuple[str, dict[str, Any], str, str, float]] = [
    # won: 1 * 5 + 1 * 4 + 2 * 3 = 15; tied: 1 + 2 = 3; lost: 2 * 1 = 2
    ("roc_auc", {}, "(won + 0.5 * tied) / (P * N)", "(15 + 0.5 * 3) / (4 * 5)", 16.5 / 20),
    ("gini", {}, "(won - lost) / (P * N)", "(15 - 2) / (4 * 5)", 13 / 20),
    ("mann_whitney_u", {}, "won + 0.5 * tied", "15 + 0.5 * 3", 16.5),
    # straight lines through (0, 1/4), (1/5, 2/4), (2/5, 1): up to 0.3 tpr reaches 3/4
    # in pairs: 1 * (1 + 2) / 2 + 0.5 * (2 + 3) / 2 = 2.75
    ("partial_auc", {"max_fpr": 0.3}, "area / (P * N)", "2.75 / (4 * 5)", 2.75 / 20),
    # from tpr 3/4: 1 of 4 positives, at fp from 1.5 to 2: the mean negative right of it is 3.25
    ("partial_auc", {"min_tpr": 0.75}, "area / (P * N)", "3.25 / (4 * 5)", 3.25 / 20),
    (
        "partial_auc",
        {"max_fpr": 0.3, "standardized": True},
        "(1 + (area / (P * N) - 0.045) / 0.255) / 2",
        "(1 + (2.75 / (4 * 5) - 0.045) / 0.255) / 2",
        (1 + (0.1375 - 0.045) / 0.255) / 2,
    ),
    # |TP * 5 - FP * 4|: 5, 6, 12, 0
    ("ks", {}, "max|TP * N - FP * P| / (P * N)", "12 / (4 * 5)", 12 / 20),
    # 1 * 1 + 1 * 2/3 + 2 * 4/6
    ("average_precision", {}, "sum(positives added * precision) / P", "3 / 4", 0.75),
    # 1 * 1 + 1 * (1 + 2/3) / 2 + 2 * (2/3 + 4/6) / 2
    (
        "pr_auc",
        {},
        "sum(positives added * mean precision) / P",
        "",
        (1 + 5 / 6 + 4 / 3) / 4,
    ),
    ("gain", {"top": 0.5}, "found / P", "", (2 + 2 * 2 / 3) / 4),  # 5 of 9 rows: 3 and 2 of 3
    (
        "lift",
        {"top": 0.5},
        "(found / top rows) / (P / n)",
        "",
        (2 + 4 / 3) / 5 * 9 / 4,
    ),
    ("brier", {}, "sum((p - y)^2) / n", "", (0.01 + 0.09 + 0.49 + 0.72 + 0.16 + 0.03) / 9),
    ("squared_error", {}, "sum((p - y)^2) / n", "", 1.5 / 9),
    ("absolute_error", {}, "sum(|p - y|) / n", "", (0.1 + 0.3 + 0.7 + 1.2 + 0.4 + 0.3) / 9),
    ("brier_scaled", {}, "1 - sum((p - y)^2) / (P * N / n)", "", 1 - 1.5 / (20 / 9)),
    ("oe_ratio", {}, "P / sum(p)", "", 4 / 3.8),
    # bins of [0, 0.5) and [0.5, 1]: |2 - 1.5| and |2 - 2.3|
    (
        "ece",
        {"bins": 2},
        "sum over bins(|positives - sum(p)|) / n",
        "",
        (0.5 + 0.3) / 9,
    ),
    ("mce", {"bins": 2}, "|positives - sum(p)| in worst bin / its rows", "", 0.3 / 3),
    (
        "log_loss",
        {},
        "sum(-log p of the actual class) / n",
        "",
        -(math.log(0.9) + math.log(0.7) + math.log(0.3) + 2 * math.log(0.4) + math.log(0.6)
          + 3 * math.log(0.9)) / 9,
    ),
    (
        "softmax_cost",
        {},
        "sum(log(1 + exp(-y f))) / n",
        "",
        (math.log1p(math.exp(-0.9)) + math.log1p(math.exp(-0.7)) + 2 * math.log1p(math.exp(-0.4))
         + math.log1p(math.exp(0.7)) + math.log1p(math.exp(0.4)) + 3 * math.log1p(math.exp(0.1)))
        / 9,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "params", "formula", "substituted", "value"), OF_SCORES)
def test_formula_numbers_and_value_of_scores(
    name: str, params: dict[str, Any], formula: str, substituted: str, value: float
) -> None:
    declared = found(name)
    expression = declared(S, **declared.arguments(params))
    assert expression.formula() == formula
    if substituted:
        assert expression.substituted() == substituted
    assert number(expression) == pytest.approx(value, abs=1e-14)
    stack = ScoreTable(SCORES, np.stack([S.positives] * 2), np.stack([S.negatives] * 2))
    stacked = declared(stack, **declared.arguments(params))
    assert evaluated(stacked).tolist() == pytest.approx([value, value], abs=1e-14)


#: bins of the table S, cut in two: [0, 0.5) holds 0.4 and 0.1, [0.5, 1] holds 0.9 and 0.7
def test_bins_of_a_table() -> None:
    b = probability_bins(S, 2, "uniform")
    assert b.positives.tolist() == [2, 2]
    assert b.rows.tolist() == [6, 3]
    assert b.expected.tolist() == pytest.approx([1.5, 2.3])
    assert uniform_bins(np.array([1.0, 0.5, 0.49, 0.0]), 2).tolist() == [1, 1, 0, 0]
    assert uniform_bins(np.array([1.0, 0.0]), 1).tolist() == [0, 0]


def test_quantile_groups_of_a_table() -> None:
    # 9 rows ascending: 0.1 x 3, 0.4 x 3, 0.7 x 2, 0.9; the median is the fifth, 0.4
    assert quantile_groups(S, 2).tolist() == [1, 1, 0, 0]
    # cuts at positions 8/3 and 16/3 from 0: between 0.1 and 0.4, and between 0.4 and 0.4, 0.7
    assert quantile_groups(S, 3).tolist() == [2, 2, 1, 0]
    one = np.array([1, 0])
    assert quantile_groups(ScoreTable(np.array([0.9, 0.1]), one, 1 - one), 5).max() == 4
    b = binned(S, quantile_groups(S, 2), 2)
    assert (b.rows.tolist(), b.positives.tolist()) == ([6, 3], [2, 2])
    empty = ScoreTable(np.array([]), np.array([], int), np.array([], int))
    assert quantile_groups(empty, 3).tolist() == []


def test_statistics_of_calibration_by_hand() -> None:
    # two groups: 6 rows, 2 seen, 1.5 expected; 3 rows, 2 seen, 2.3 expected
    expected = 0.25 / (1.5 * (1 - 1.5 / 6)) + 0.09 / (2.3 * (1 - 2.3 / 3))
    statistic = found("hosmer_lemeshow")(S, groups=2)
    assert number(statistic) == pytest.approx(expected, abs=1e-12)
    assert statistic.formula() == "statistic"
    # the tail of a chi-square with 2 degrees of freedom is exp(-x / 2)
    p = found("hosmer_lemeshow_p")(S, groups=2)
    assert number(p) == pytest.approx(math.exp(-expected / 2), abs=1e-12)
    assert p.formula() == "P(chi-square >= statistic)"
    # sum((y - p)(1 - 2p)) and its variance, score by score
    seen = 0.1 * -0.8 + 0.3 * -0.4 - 0.7 * -0.4 + 2 * 0.6 * 0.2 - 0.4 * 0.2 - 3 * 0.1 * 0.8
    variance = 0.64 * 0.09 + 2 * 0.16 * 0.21 + 3 * 0.04 * 0.24 + 3 * 0.64 * 0.09
    z = found("spiegelhalter_z")(S)
    assert number(z) == pytest.approx(seen / math.sqrt(variance), abs=1e-12)
    assert z.formula() == "sum((y - p)(1 - 2p)) / sqrt(sum((1 - 2p)^2 p(1 - p)))"
    tail = found("spiegelhalter_p")(S)
    assert tail.formula() == "P(|Z| >= |z|)"
    assert number(tail) == pytest.approx(
        math.erfc(abs(seen) / math.sqrt(variance) / math.sqrt(2)), abs=1e-12
    )


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
    # (1 - 0.5 * 1 / 2)^2 and (1 - 1 * 1 / 2)^2 and 1
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
    # (1 + 2/3) / 2; 1/2; 1
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
    assert str(evaluated(declared(drawn, **params)).tolist()[1]) == str(float(last))


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


# -- classes by their scores -------------------------------------------------------------------


def test_top_k_and_losses_of_classes() -> None:
    # three rows: (0.5, 0.3, 0.2) of a, (0.2, 0.3, 0.5) of b, (0.25, 0.5, 0.25) of b
    zero, one = np.array([0, 0, 0]), np.array([1, 1, 1])
    del zero, one
    a = ScoreTable(np.array([0.5, 0.25, 0.2]), np.array([1, 0, 0]), np.array([0, 1, 1]))
    b = ScoreTable(np.array([0.5, 0.3]), np.array([1, 1]), np.array([0, 1]))
    c = ScoreTable(np.array([0.5, 0.25, 0.2]), np.array([0, 0, 0]), np.array([1, 1, 1]))
    classes = ClassScores(
        ("a", "b", "c"), (a, b, c),
        true_scores=np.array([0.5, 0.3]), true_weights=np.array([2, 1]),
        ranks=np.array([2, 1, 0]), class_totals=np.array([1, 2, 0]),
    )  # fmt: skip
    assert not classes.stacked
    assert (classes.rows.name, classes.rows.value, dict(classes.pairs)) == ("n", 3, {})
    top = found("top_k_accuracy")
    assert top(classes, k=1).formula() == "actual class in first 1 / n"
    assert [number(top(classes, k=k)) for k in (1, 2, 3)] == [2 / 3, 1, 1]
    squared = (0.25 + 0.09 + 0.04) + (0.04 + 0.49 + 0.25) + (0.0625 + 0.25 + 0.0625)
    absolute = (0.5 + 0.3 + 0.2) + (0.2 + 0.7 + 0.5) + (0.25 + 0.5 + 0.25)
    expected = {
        "log_loss": -(2 * math.log(0.5) + math.log(0.3)) / 3,
        "brier": squared / 3,
        "squared_error": squared / 9,
        "absolute_error": absolute / 9,
        # the constant answer (1/3, 2/3, 0): 3 - (1 + 4) / 3 over all rows
        "brier_scaled": 1 - squared / (3 - 5 / 3),
    }
    formulas = {
        "log_loss": "sum(-log p of the actual class) / n",
        "brier": "sum over rows and classes((p - y)^2) / n",
        "squared_error": "sum over rows and classes((p - y)^2) / (n * classes)",
        "absolute_error": "sum over rows and classes(|p - y|) / (n * classes)",
        "brier_scaled": "1 - sum over rows and classes((p - y)^2) / (n - sum(class rows^2) / n)",
    }
    for name, value in expected.items():
        form = found(name).for_classes
        assert form is not None
        assert form(classes).formula() == formulas[name]
        assert number(form(classes)) == pytest.approx(value, abs=1e-14), name
