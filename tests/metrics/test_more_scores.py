"""Metrics of scores and of probabilities, worked by hand on one table of four scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.probability_bins import (
    binned,
    probability_bins,
    quantile_groups,
    uniform_bins,
)
from evalreport.metrics.tables import ClassScores, ScoreTable, summed


def found(name: str) -> Metric:
    declared = find(name)
    assert declared is not None
    return declared


def number(expression: Any) -> float:
    outcome = expression.outcome()
    assert isinstance(outcome, Value), outcome
    return outcome.number


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
    assert S.squares is None


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
    of_both = np.stack([S.positives] * 2), np.stack([S.negatives, 0 * S.negatives])
    stack = ScoreTable(SCORES, *of_both)
    many = stack.counts_at(threshold)
    assert many.tp.value.tolist() == [cells[0], cells[0]]
    assert many.fp.value.tolist() == [cells[1], 0]
    assert many.fn.value.tolist() == [cells[2], cells[2]]
    assert many.tn.value.tolist() == [cells[3], 0]


def test_positives_at_the_lowest_score_count() -> None:
    last = ScoreTable(np.array([0.9, 0.1]), np.array([1, 2]), np.array([3, 4]))
    assert repr(last.counts_at(0.5)) == "Counts(tp=1, fp=3, fn=2, tn=4)"


def test_weights_of_one_class_only_are_not_cut() -> None:
    mixed = ScoreTable(np.array([0.9, 0.1]), np.array([1, 2]), np.array([0.5, 0.25]))
    assert repr(mixed.counts_at(0.5)) == "Counts(tp=1.0, fp=0.5, fn=2.0, tn=0.25)"
    turned = ScoreTable(np.array([0.9, 0.1]), np.array([0.5, 0.25]), np.array([1, 2]))
    assert repr(turned.counts_at(0.5)) == "Counts(tp=0.5, fp=1.0, fn=0.25, tn=2.0)"


def test_no_scores_at_all() -> None:
    none = np.array([], dtype=np.int64)
    empty = ScoreTable(np.array([]), none, none)
    assert repr(empty.counts_at(0.5)) == "Counts(tp=0, fp=0, fn=0, tn=0)"


def test_sums_as_cells() -> None:
    assert summed("x", np.array([1, 2]), stacked=False).value == 3
    assert type(summed("x", np.array([1, 2]), stacked=False).value) is int
    assert summed("x", np.array([0.1] * 10), stacked=False).value == 1.0
    assert summed("x", np.array([[1, 2], [3, 4]]), stacked=True).value.tolist() == [3, 7]
    cube = np.arange(12).reshape(2, 2, 3)
    assert summed("x", cube, stacked=True).value.tolist() == [[3, 12], [21, 30]]


OF_SCORES: list[tuple[str, dict[str, Any], str, str, float]] = [
    # pairs won: 5 and 4 and 6; tied: 1 and 2; lost: 2
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
    # the steps: 1 at precision 1, 1 at 2/3, 2 at 4/6
    ("average_precision", {}, "sum(positives added * precision) / P", "3 / 4", 0.75),
    # the trapezoids: 1 at 1, 1 between 1 and 2/3, 2 between 2/3 and 4/6
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
    assert stacked.array().tolist() == pytest.approx([value, value], abs=1e-14)


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


# -- classes by their scores -------------------------------------------------------------------


def test_top_k_and_losses_of_classes() -> None:
    # three rows: (0.5, 0.3, 0.2) of a, (0.2, 0.3, 0.5) of b, (0.25, 0.5, 0.25) of b
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
