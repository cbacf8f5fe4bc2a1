"""Arithmetic that remembers how it was done: every operation and every state, by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from evalreport.metrics import formula as arithmetic
from evalreport.metrics.formula import (
    BEYOND,
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

F = Fraction
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
        (root(ratio(C, 9)), "sqrt(c / 9)", "sqrt(4 / 9)", F(2, 3)),
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
    assert eval(substituted, {"sqrt": math.sqrt}) == pytest.approx(float(value))


def test_numbers_on_the_left_and_on_the_right() -> None:
    assert (A + 1).formula() == "a + 1"
    assert (A - 1).formula() == "a - 1"
    assert (3 - A - B).formula() == "3 - a - b"
    assert (A / 2).formula() == "a / 2"
    assert (A + np.float64(0.5)).exact() == 6.5


def test_a_constant_may_be_one_number_per_table() -> None:
    weighed = Cell("a", np.array([1.0, 2.0])) * as_expression(np.array([0.5, 3.0]))  # type: ignore[arg-type]
    assert weighed.array().tolist() == [0.5, 6.0]


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
    assert ((some / nothing) / nothing).divides_by_zero() is False
    assert (Cell("x", None) / nothing).divides_by_zero() is False


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
        (np.float64(1.5), "1.5"), (np.int64(7), "7"), (0.1, "0.1"), (True, "1"), (-2.0, "(-2)"),
        (1e14, "100000000000000"), (999999999999999.0, "999999999999999"),
        (1e15, "1000000000000000.0"), (-1e15, "(-1000000000000000.0)"),
    ],
)  # fmt: skip
def test_numbers_as_they_are_printed(value: Any, text: str) -> None:
    assert number_text(value) == text


def test_constants_and_the_repr_of_a_value() -> None:
    assert as_expression(A) is A
    assert (Constant(F(1, 2)).formula(), Constant(3).array()) == ("0.5", 3.0)
    assert repr(Value(0.5)) == "Value(0.5)"
    assert isinstance(Constant(3).array(), float)
    for name in ("exact", "array", "formula", "substituted"):
        with pytest.raises(NotImplementedError):
            getattr(arithmetic.Expression(), name)()


def test_a_root_beyond_all_numbers_is_undefined() -> None:
    """A fraction of whole numbers of any length is exact, its root is a double."""
    found = root(Cell("x", 10**700) / Cell("y", 1)).outcome()
    assert found == Undefined(BEYOND)
