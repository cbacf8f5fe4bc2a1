"""Metrics of the classification table: formula, numbers and states, worked by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.metrics.formula import Infinite, Undefined, Value
from evalreport.metrics.tables import Counts

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
    assert found("lr_plus")(c).outcome() == Infinite(
        "(3 / (3 + 1)) / (0 / (0 + 4)): the divisor is 0"
    )
    assert found("diagnostic_odds_ratio")(c).outcome() == Infinite(
        "3 * 4 / (0 * 1): the divisor is 0"
    )
    c = Counts(tp=3, fp=4, fn=1, tn=0)
    assert found("lr_minus")(c).outcome() == Infinite(
        "(1 / (3 + 1)) / (0 / (4 + 0)): the divisor is 0"
    )


def test_totals_of_a_table() -> None:
    c = Counts(**TABLE)
    totals = (c.positives, c.negatives, c.predicted_positives, c.n)
    assert [total.exact() for total in totals] == [12, 8, 10, 20]
    assert [total.formula() for total in totals] == [
        "TP + FN", "FP + TN", "TP + FP", "TP + FP + FN + TN",
    ]  # fmt: skip
    assert repr(c) == "Counts(tp=8, fp=2, fn=4, tn=6)"
