"""Values, averages and stacks of tables, by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from evalreport.engine.metric_values import (
    EXACT_CLASSES,
    Evaluated,
    average,
    class_value,
    evaluated,
    overall_value,
    stacked_value,
)
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Average, Metric
from evalreport.metrics.formula import WRITTEN_TERMS, Cell, Infinite, Undefined, Value, ratio, root
from evalreport.metrics.tables import Counts, Matrix

C = Counts(tp=8, fp=2, fn=4, tn=6)


def metric(name: str) -> Metric:
    found = find(name)
    assert found is not None
    return found


def test_one_fraction_of_the_table_has_a_numerator_and_a_denominator() -> None:
    found = class_value(metric("precision"), C, {}, "cat")
    assert found.outcome == Value(0.8)
    assert (found.formula, found.substituted) == ("TP / (TP + FP)", "8 / (8 + 2)")
    assert (found.numerator, found.denominator, found.exact) == (8, 10, Fraction(4, 5))
    assert found.note is None
    assert (type(found.numerator), type(found.denominator)) == (int, int)


def test_what_is_no_single_fraction_has_neither() -> None:
    found = class_value(metric("youden_j"), C, {}, "cat")
    assert (found.numerator, found.denominator) == (None, None)
    assert found.exact == Fraction(5, 12)
    of_ratios = class_value(metric("lr_plus"), C, {}, "cat")
    assert (of_ratios.numerator, of_ratios.denominator) == (8 / 12, 2 / 8)
    halves = evaluated(metric("precision"), ratio(Cell("a", 0.5), Cell("b", np.int64(2))), None)
    assert (halves.numerator, halves.denominator) == (0.5, 2)
    assert (type(halves.numerator), type(halves.denominator)) == (float, int)
    whole = evaluated(metric("precision"), ratio(Cell("a", 4) / 2, Cell("b", 4)), None)
    assert (whole.numerator, type(whole.numerator)) == (2, int)


def test_undefined_names_the_class() -> None:
    none = Counts(tp=0, fp=0, fn=4, tn=6)
    found = class_value(metric("precision"), none, {}, "cat")
    assert found.outcome == Undefined("no row is predicted cat")
    assert (found.numerator, found.denominator, found.exact) == (0, 0, None)
    empty_name = class_value(metric("precision"), none, {}, "")
    assert empty_name.outcome == Undefined("no row is predicted ")
    nobody = evaluated(metric("precision"), metric("precision")(none), None)
    assert nobody.outcome == Undefined("no row is predicted of the class")
    unknown = Counts(tp=None, fp=0, fn=4, tn=6)
    found = class_value(metric("precision"), unknown, {}, "cat")
    assert (found.outcome, found.numerator) == (Undefined("TP is not known"), None)
    infinite = class_value(metric("lr_plus"), Counts(tp=1, fp=0, fn=1, tn=1), {}, "cat")
    assert isinstance(infinite.outcome, Infinite)
    assert infinite.exact is None


def test_a_formula_of_its_own_is_shown_instead() -> None:
    m = Matrix.from_counts([[2, 0], [1, 1]])
    found = overall_value(metric("accuracy_p_value"), m, {})
    assert found.formula == "P(X >= correct), X ~ binomial(n, largest class / n)"
    assert found.outcome == Value(5 / 16)


def test_all_classes_together() -> None:
    m = Matrix.from_counts([[6, 2], [4, 8]])
    found = overall_value(metric("accuracy"), m, {})
    assert (found.formula, found.numerator, found.denominator) == ("correct / n", 14, 20)
    assert overall_value(metric("kappa"), m, {}).outcome == Value(0.4)
    found = overall_value(metric("weighted_kappa"), m, {"weights": "quadratic"})
    assert found.outcome == Value(0.4)


def test_parameters_reach_the_metric() -> None:
    found = class_value(metric("fbeta"), C, {"beta": 2.0}, "cat")
    assert found.outcome == Value(40 / 58)
    three = Matrix.from_counts([[4, 1, 1], [2, 4, 0], [1, 1, 6]])
    linear = overall_value(metric("weighted_kappa"), three, {"weights": "linear"})
    quadratic = overall_value(metric("weighted_kappa"), three, {"weights": "quadratic"})
    assert linear.outcome == Value(pytest.approx(1 - 160 / 364))
    assert quadratic.outcome == Value(pytest.approx(1 - 240 / 560))


# -- averages: recalls 1/2, 3/4, undefined of classes with 2, 4 and 0 rows ---------------------

LABELS = ("a", "b", "c")


def recall_of(tp: int, fn: int) -> Evaluated:
    return class_value(metric("recall"), Counts(tp=tp, fp=0, fn=fn, tn=1), {}, "x")


VALUES = (recall_of(1, 1), recall_of(3, 1), recall_of(0, 0))


def test_macro_skips_undefined_classes_and_counts_them() -> None:
    found = average(Average.MACRO, LABELS, VALUES, (2, 4, 0))
    assert found.outcome == Value(0.625)
    assert found.formula == "sum(class value) / classes"
    assert found.substituted == "(0.5 + 0.75) / 2"
    assert found.note == "undefined for 1 of 3 classes, left out of the mean: c"


def test_weighted_by_rows_of_the_class() -> None:
    found = average(Average.WEIGHTED, LABELS[:2], VALUES[:2], (2, 4))
    assert found.outcome == Value(4 / 6)
    assert found.formula == "sum(class value * class rows) / sum(class rows)"
    assert found.substituted == "(0.5 * 2 + 0.75 * 4) / 6"
    assert found.note is None
    halves = average(Average.WEIGHTED, LABELS[:2], VALUES[:2], (0.5, 1.5))
    assert halves.outcome == Value((0.25 + 1.125) / 2)
    assert halves.substituted == "(0.5 * 0.5 + 0.75 * 1.5) / 2"


def test_with_no_class_left_there_is_no_mean() -> None:
    none = average(Average.MACRO, ("c", "d"), (VALUES[2], VALUES[2]), (0, 0))
    reason = "undefined for 2 of 2 classes, left out of the mean: c, d"
    assert (none.outcome, none.note, none.substituted) == (Undefined(reason), reason, "0 / 0")
    assert none.formula == "sum(class value) / classes"
    weightless = average(Average.WEIGHTED, ("a",), VALUES[:1], (0,))
    assert weightless.outcome == Undefined("no class has rows to weigh it by")


def test_infinite_values_are_left_out_of_a_mean() -> None:
    infinite = class_value(metric("lr_plus"), Counts(tp=1, fp=0, fn=1, tn=1), {}, "x")
    found = average(Average.MACRO, LABELS[:2], (infinite, VALUES[0]), (2, 2))
    assert found.outcome == Value(0.5)
    assert found.note == "undefined for 1 of 2 classes, left out of the mean: a"


@pytest.mark.parametrize(("many", "shown"), [(5, "0, 1, 2, 3, 4"), (6, "0, 1, 2, 3, 4 and 1 more")])
def test_at_most_five_undefined_classes_are_named(many: int, shown: str) -> None:
    labels = [str(k) for k in range(many + 1)]
    values = [VALUES[2]] * many + [VALUES[0]]
    found = average(Average.MACRO, labels, values, [0] * many + [2])
    assert found.note == (
        f"undefined for {many} of {many + 1} classes, left out of the mean: {shown}"
    )


def test_means_are_exact_fractions_rounded_once() -> None:
    # 1/3 + 1/3 + 1/3 over 3, and ten times 1/10: neither is exact in floats added up
    third, tenth = recall_of(1, 2), recall_of(1, 9)
    assert average(Average.MACRO, LABELS, [third] * 3, [3] * 3).outcome == Value(1 / 3)
    many = average(Average.MACRO, [str(k) for k in range(10)], [tenth] * 10, [10] * 10)
    assert many.outcome == Value(0.1)
    mixed = average(Average.WEIGHTED, LABELS, [third, tenth, third], (3, 10, 3))
    assert mixed.outcome == Value(3 / 16)
    assert EXACT_CLASSES == 100
    assert WRITTEN_TERMS == 12


@pytest.mark.parametrize("classes", [100, 101])
def test_means_over_many_classes(classes: int) -> None:
    values = [recall_of(k % 3, 7) for k in range(classes)]
    expected = math.fsum((k % 3) / (k % 3 + 7) for k in range(classes)) / classes
    found = average(Average.MACRO, [str(k) for k in range(classes)], values, [1] * classes)
    assert isinstance(found.outcome, Value)
    assert found.outcome.number == pytest.approx(expected, abs=1e-15)
    assert found.substituted == f"sum of {classes} class values / {classes}"


def test_up_to_a_hundred_classes_the_mean_is_rounded_once() -> None:
    # 50 halves and 50 thirds: 5/12 exactly, one bit less when the thirds are rounded first
    values = [recall_of(1, 1)] * 50 + [recall_of(1, 2)] * 50
    labels = [str(k) for k in range(101)]
    assert average(Average.MACRO, labels[:100], values, [1] * 100).outcome == Value(5 / 12)
    # of more classes the values are rounded first, each by itself
    more = [*values, recall_of(1, 8)]
    assert average(Average.MACRO, labels, more, [1] * 101).outcome == Value(0.41364136413641367)
    rounded_once = (Fraction(5, 12) * 100 + Fraction(1, 9)) / 101
    assert float(rounded_once) == 0.4136413641364136


def test_values_and_weights_that_are_no_fractions_are_added_up_as_floats() -> None:
    # in both cases one rounding at the end gives another last bit
    roots = [evaluated(metric("g_mean"), root(Cell("x", k) / 10), None) for k in (5, 9)]
    half = recall_of(1, 1)
    expected = math.fsum([math.sqrt(0.5), math.sqrt(0.9), 0.5]) / 3
    assert average(Average.MACRO, LABELS, [*roots, half], [1] * 3).outcome == Value(expected)
    values = [recall_of(5, 12), recall_of(8, 7), recall_of(2, 13)]
    expected = math.fsum([2 * (5 / 17), 8 * (8 / 15), 6.5 * (2 / 15)]) / 16.5
    assert average(Average.WEIGHTED, LABELS, values, (2, 8, 6.5)).outcome == Value(expected)


def test_whole_and_fractional_weights_together() -> None:
    found = average(Average.WEIGHTED, LABELS[:2], VALUES[:2], (1, 1.5))
    assert found.outcome == Value((0.5 + 0.75 * 1.5) / 2.5)
    assert found.substituted == "(0.5 * 1 + 0.75 * 1.5) / 2.5"
    numpy_weights = average(Average.WEIGHTED, LABELS[:2], VALUES[:2], np.array([2, 4]))
    assert numpy_weights.outcome == Value(4 / 6)


@pytest.mark.parametrize("classes", [12, 13])
def test_up_to_twelve_classes_are_written_out(classes: int) -> None:
    labels = [str(k) for k in range(classes)]
    found = average(Average.MACRO, labels, [VALUES[0]] * classes, [2] * classes)
    written = "(" + " + ".join(["0.5"] * 12) + ") / 12"
    assert found.substituted == (written if classes == 12 else "sum of 13 class values / 13")
    weighted = average(Average.WEIGHTED, labels, [VALUES[0]] * classes, [2] * classes)
    assert weighted.outcome == Value(0.5)


def test_values_without_an_exact_fraction_are_averaged_too() -> None:
    root = class_value(metric("g_mean"), Counts(tp=1, fp=1, fn=1, tn=2), {}, "x")
    assert isinstance(root.exact, float)
    found = average(Average.MACRO, LABELS[:2], (root, VALUES[0]), (2, 2))
    assert found.outcome == Value((math.sqrt(1 / 3) + 0.5) / 2)


# -- a stack of tables -------------------------------------------------------------------------

STACK = np.array([
    [[4, 1, 1], [2, 4, 0], [1, 1, 6]],
    [[3, 0, 1], [0, 0, 0], [1, 0, 1]],
    [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
])  # fmt: skip


def stacked(name: str, kind: Average | None, index: int | None, **params: Any) -> list[str]:
    function = stacked_value(metric(name), params, average=kind, index=index)
    return [f"{value:.12g}" for value in function(STACK)]


def text(*values: float) -> list[str]:
    return [f"{value:.12g}" for value in values]


NAN = math.nan


def test_a_class_of_each_table() -> None:
    assert stacked("recall", None, 0) == text(4 / 6, 3 / 4, NAN)
    assert stacked("recall", None, 1) == text(4 / 6, NAN, NAN)
    assert stacked("precision", None, 2) == text(6 / 7, 1 / 2, NAN)
    assert stacked("specificity", None, 2) == text(11 / 12, 3 / 4, NAN)
    assert stacked("fbeta", None, 0, beta=2.0) == text(20 / (20 + 3 + 8), 15 / (15 + 1 + 4), NAN)


def test_averages_of_each_table() -> None:
    assert stacked("recall", Average.MACRO, None) == text(
        (4 / 6 + 4 / 6 + 6 / 8) / 3, (3 / 4 + 1 / 2) / 2, NAN
    )
    assert stacked("recall", Average.WEIGHTED, None) == text(14 / 20, 4 / 6, NAN)
    assert stacked("recall", Average.MICRO, None) == text(14 / 20, 4 / 6, NAN)
    assert stacked("specificity", Average.MICRO, None) == text(34 / 40, 10 / 12, NAN)
    assert stacked("specificity", Average.WEIGHTED, None) == text(
        (11 / 14 * 6 + 12 / 14 * 6 + 11 / 12 * 8) / 20, (1 / 2 * 4 + 3 / 4 * 2) / 6, NAN
    )
    assert stacked("fbeta", Average.MICRO, None, beta=2.0)[0] == text(14 / 20)[0]
    assert (
        stacked("fbeta", Average.MACRO, None, beta=2.0)[0]
        == text((20 / 31 + 20 / 30 + 30 / 39) / 3)[0]
    )
    two = STACK[:1, 1:, 1:]  # 4 0 / 1 6, taken as two classes
    micro = stacked_value(metric("ppv_at_prevalence"), {"prevalence": 0.25},
                          average=Average.MICRO, index=None)(two)  # fmt: skip
    assert micro[0] == pytest.approx((10 / 11 / 4) / (10 / 11 / 4 + 3 / 44))
    # infinite ratios are left out, as in the single value
    assert stacked("lr_plus", Average.MACRO, None)[1] == text((1.5 + 2) / 2)[0]


def test_all_classes_of_each_table() -> None:
    assert stacked("accuracy", None, None) == text(14 / 20, 4 / 6, NAN)
    assert stacked("kappa", None, None) == text(146 / 266, (24 - 20) / (36 - 20), NAN)
    assert stacked("kappa", None, 1)[0] == text(146 / 266)[0]
    assert stacked("weighted_kappa", None, None, weights="quadratic")[0] == text(1 - 240 / 560)[0]


def test_a_value_that_does_not_depend_on_the_table_has_the_shape_of_the_stack() -> None:
    one = np.array([[[3, 0], [0, 0]], [[2, 0], [0, 0]]])
    found = stacked_value(metric("balanced_accuracy"), {}, average=None, index=None)(one)
    assert found.shape == (2,)
