"""Declaring a metric and its parameters: what is taken, what is refused, and in which words."""

from __future__ import annotations

import math

import pytest

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import (
    REGISTRY,
    Goal,
    Interval,
    Kind,
    Metric,
    Parameter,
    Table,
    metric,
)
from evalreport.metrics.tables import Counts, Matrix


def found(name: str) -> Metric:
    declared = find(name)
    assert declared is not None, name
    return declared


ABOVE_0 = Parameter("x", float, 1.0, low=0.0, open_low=True, high=1.0)
BELOW_1 = Parameter("x", float, 1.0, low=0.0, high=1.0, open_high=True)
WHOLE = Parameter("k", int, 2, low=1)
ANY = Parameter("x", float, 1.0)


@pytest.mark.parametrize(
    ("parameter", "value", "problem"),
    [
        (ABOVE_0, 0.0, "a number above 0 and at most 1"),
        (ABOVE_0, 1e-9, None),
        (ABOVE_0, 1.0, None),
        (ABOVE_0, 1.001, "a number above 0 and at most 1"),
        (BELOW_1, 0.0, None),
        (BELOW_1, -0.001, "a number at least 0 and below 1"),
        (BELOW_1, 1.0, "a number at least 0 and below 1"),
        (WHOLE, 1, None),
        (WHOLE, 2.0, None),
        (WHOLE, 0, "a number at least 1"),
        (WHOLE, 1.5, "a whole number"),
        (WHOLE, "2", "a whole number"),
        (WHOLE, True, "a whole number"),
        (ANY, math.inf, "a finite number"),
        (ANY, math.nan, "a finite number"),
        (ANY, "x", "a number"),
        (ANY, True, "a number"),
        (ANY, None, "a number"),
        (Parameter("x", float, optional=True), None, None),
        (Parameter("x", bool, False), True, None),
        (Parameter("x", bool, False), 1, "true or false"),
        (Parameter("x", str, "a", choices=("a", "b")), "b", None),
        (Parameter("x", str, "a", choices=("a", "b")), "c", "one of a, b"),
    ],
)
def test_what_is_wrong_with_a_parameter(
    parameter: Parameter, value: object, problem: str | None
) -> None:
    assert parameter.problem(value) == problem


def test_defaults_of_a_parameter() -> None:
    plain = Parameter("x", float)
    assert (plain.default, plain.choices) == (None, ())
    assert (plain.required, plain.optional) == (False, False)
    assert (plain.low, plain.high, plain.meaning) == (-math.inf, math.inf, "")
    assert (plain.open_low, plain.open_high) == (False, False)


def test_parameters_taken_together() -> None:
    partial, ppv = found("partial_auc"), found("ppv_at_prevalence")
    one = "partial_auc needs exactly one of max_fpr, min_tpr"
    assert partial.missing({}) == one
    assert partial.missing({"max_fpr": 0.1, "min_tpr": 0.9}) == one
    assert partial.missing({"max_fpr": 0.1, "min_tpr": None}) is None
    assert ppv.missing({}) == "ppv_at_prevalence needs prevalence"
    assert ppv.missing({"prevalence": 0.1}) is None
    assert found("accuracy").missing({}) is None
    assert found("ece").arguments({"bins": 5}) == {"bins": 5, "strategy": "uniform"}


def of_counts(c: Counts) -> object:
    """A first line
    that goes on.

    And more.
    """
    return c.tp


def test_what_a_declaration_says_by_itself() -> None:
    try:
        declared = metric(title="T", reference="R", name="just_for_this_test")(of_counts)
        assert declared.name == "just_for_this_test"
        assert declared.meaning == "A first line that goes on."
        assert (declared.aliases, declared.scope, declared.kind) == ((), "class", Kind.RANK)
        assert (declared.goal, declared.bounds, declared.best) == (Goal.MAXIMIZE, (0.0, 1.0), 1.0)
        assert (declared.averages, declared.no_average) == ((), "")
        assert (declared.interval, declared.undefined) == (Interval.RESAMPLED, "0 / 0")
        assert (declared.parameters, declared.one_of, declared.context) == ((), (), ())
        assert (declared.use, declared.avoid, declared.formula) == ("", "", "")
        assert (declared.two_classes_only, declared.table) == ("", Table.COUNTS)
        assert find("just_for_this_test") is declared
    finally:
        REGISTRY.pop("just_for_this_test", None)


def test_one_name_for_two_metrics_is_refused() -> None:
    def recall(c: Counts) -> object:
        return c.tp

    with pytest.raises(ValueError, match=r"^metric name 'recall' is declared twice"):
        metric(title="T", reference="R")(recall)
    with pytest.raises(ValueError, match=r"^metric name 'ppv' is declared twice"):
        metric(title="T", reference="R", name="another_for_this_test", aliases=("ppv",))(recall)
    REGISTRY.pop("another_for_this_test", None)
    assert found("ppv").name == "precision"


def test_a_function_without_a_table_is_refused() -> None:
    def of_nothing(x: int) -> object:
        return x

    with pytest.raises(TypeError, match="of_nothing: the first argument names no table"):
        metric(title="T", reference="R")(of_nothing)


def test_the_form_for_more_classes_is_registered_and_given_back() -> None:
    declared = metric(title="T", reference="R", name="another_for_this_test")(of_counts)
    REGISTRY.pop("another_for_this_test")
    assert (declared.for_classes, declared.classes_table) == (None, None)

    def of_matrix(m: Matrix) -> object:
        return m.correct

    assert declared.more_classes(of_matrix) is of_matrix
    assert (declared.for_classes, declared.classes_table) == (of_matrix, Table.MATRIX)
    assert "_forms" not in repr(declared)


def test_several_required_parameters_are_named_together() -> None:
    two = (Parameter("a", float, required=True), Parameter("b", float, required=True))
    declared = metric(title="T", reference="R", name="another_for_this_test", parameters=two)(
        of_counts
    )
    REGISTRY.pop("another_for_this_test")
    assert declared.missing({}) == "another_for_this_test needs a, b"
    assert declared.missing({"a": 1.0}) == "another_for_this_test needs b"


def test_exactly_one_of_three() -> None:
    declared = metric(
        title="T", reference="R", name="another_for_this_test", one_of=("a", "b", "c")
    )(of_counts)
    REGISTRY.pop("another_for_this_test")
    text = "another_for_this_test needs exactly one of a, b, c"
    assert declared.missing({"a": 1, "b": 2}) == text
    assert declared.missing({"a": 1, "b": 2, "c": 3}) == text
    assert declared.missing({}) == text
    assert declared.missing({"b": 2}) is None
