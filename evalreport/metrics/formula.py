"""Arithmetic that remembers how it was done.

A metric is written once, as plain arithmetic on the cells of a table. Run on
:class:`Cell` leaves, that arithmetic builds a small tree from which follow the
exact value, the formula, the formula with its numbers put in, the cells above
and below the line, and the value for a whole stack of resampled tables.

>>> tp, fp = Cell("TP", 87), Cell("FP", 10)
>>> share = ratio(tp, tp + fp)
>>> share.formula(), share.substituted()
('TP / (TP + FP)', '87 / (87 + 10)')
>>> share.outcome()
Value(0.8969072164948454)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

Number: TypeAlias = "int | float | Fraction"

#: A difference of doubles that is a smaller share of them than this is their rounding.
ROUNDING = 4 * float(np.finfo(np.float64).eps)

#: Terms of a sum up to which a formula with its numbers put in shows each.
WRITTEN_TERMS = 12

#: The reason of a value that scores or counts near the ends of the range of doubles lead to.
BEYOND = "the arithmetic leaves the range of numbers that a computer holds, about 1.8e308"


@dataclass(frozen=True)
class Value:
    """A number that exists."""

    number: float

    def __repr__(self) -> str:
        return f"Value({self.number!r})"


@dataclass(frozen=True)
class Undefined:
    """No number exists, and why."""

    reason: str


@dataclass(frozen=True)
class Infinite:
    """The value is plus infinity: something over nothing, and why."""

    reason: str


Outcome: TypeAlias = "Value | Undefined | Infinite"


class ZeroByZero(ArithmeticError):  # noqa: N818 - a state, not a mistake
    """Nothing was divided by nothing."""


class OverZero(ArithmeticError):  # noqa: N818 - a state, not a mistake
    """Something was divided by nothing."""


class NotKnown(ArithmeticError):  # noqa: N818 - a state, not a mistake
    """A cell that the arithmetic needs is not known; the argument names it."""


class NoNumber(ArithmeticError):  # noqa: N818 - a state, not a mistake
    """The data leave a quantity undefined; the argument is the reason."""


class Expression:
    """Base of the tree; supports ``+``, ``-``, ``*`` and ``/`` with numbers and expressions."""

    binding = 9

    def __add__(self, other: Operand) -> Expression:
        return Sum(self, as_expression(other))

    def __radd__(self, other: Operand) -> Expression:
        return Sum(as_expression(other), self)

    def __sub__(self, other: Operand) -> Expression:
        return Sum(self, as_expression(other), -1)

    def __rsub__(self, other: Operand) -> Expression:
        return Sum(as_expression(other), self, -1)

    def __mul__(self, other: Operand) -> Expression:
        return Product(self, as_expression(other))

    def __rmul__(self, other: Operand) -> Expression:
        return Product(as_expression(other), self)

    def __truediv__(self, other: Operand) -> Expression:
        return Ratio(self, as_expression(other))

    def __rtruediv__(self, other: Operand) -> Expression:
        return Ratio(as_expression(other), self)

    def exact(self) -> Number:
        """The value, in exact fractions while the cells are whole numbers.

        Raises ZeroByZero, OverZero, NotKnown or NoNumber where no number exists.
        """
        raise NotImplementedError

    def array(self) -> Any:
        """The value where cells hold numpy arrays; NaN or infinity where none exists.

        Only for resampling and derivatives: what leaves the engine is an :class:`Outcome`.
        """
        raise NotImplementedError

    def formula(self) -> str:
        """The formula as ASCII arithmetic in the names of the cells."""
        raise NotImplementedError

    def substituted(self) -> str:
        """The formula with the numbers put in; evaluates to the value."""
        raise NotImplementedError

    def cells(self) -> Iterator[Cell]:
        """Every cell used, in the order it is written, repeats included."""
        return iter(())

    def outcome(self, undefined: str = "0 / 0") -> Outcome:
        """The value as a state; ``undefined`` is the reason given for 0 / 0."""
        try:
            value = float(self.exact())
        except ZeroByZero:
            return Undefined(undefined)
        except NotKnown as unknown:
            return Undefined(f"{unknown.args[0]} is not known")
        except NoNumber as none:
            return Undefined(none.args[0])
        except OverZero:
            if isinstance(self, Ratio) and self.divides_by_zero():
                return Infinite(f"{self.substituted()}: the divisor is 0")
            return Undefined(undefined)
        except OverflowError:
            return Undefined(BEYOND)
        return Value(value) if math.isfinite(value) else Undefined(BEYOND)

    def _within(self, outer: int, text: str) -> str:
        return f"({text})" if self.binding < outer else text


Operand: TypeAlias = "Expression | int | float | Fraction"


def as_expression(operand: Operand) -> Expression:
    """The operand itself, or the constant it is."""
    return operand if isinstance(operand, Expression) else Constant(operand)


def number_text(value: Any) -> str:
    """A number as it is printed in a formula: whole without a point, else shortest exact.

    >>> number_text(87), number_text(2.0), number_text(0.5), number_text(-3)
    ('87', '2', '0.5', '(-3)')
    """
    if isinstance(value, Fraction):
        value = float(value)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        text = str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    else:
        text = str(int(value))
    return f"({text})" if text.startswith("-") else text


def whole(number: float) -> int | float:
    """A number without a fraction as a whole one; any other as it is.

    >>> whole(2.0), whole(2.5)
    (2, 2.5)
    """
    return int(number) if float(number).is_integer() else float(number)


@dataclass(frozen=True, eq=False)
class Cell(Expression):
    """A named count: a cell, a total or a sum of the table. ``None`` means not known.

    ``written`` stands for the number of a sum whose terms are to be seen.
    """

    name: str
    value: Any
    written: str = ""

    def exact(self) -> Number:
        if self.value is None:
            raise NotKnown(self.name)
        number = self.value
        return int(number) if isinstance(number, (int, np.integer)) else number

    def array(self) -> Any:
        return self.value

    def formula(self) -> str:
        return self.name

    def substituted(self) -> str:
        return self.written or ("?" if self.value is None else number_text(self.value))

    def cells(self) -> Iterator[Cell]:
        yield self


@dataclass(frozen=True, eq=False)
class Constant(Expression):
    """A number that belongs to the formula itself; an array for one number per table."""

    value: Any

    def exact(self) -> Number:
        number: Number = self.value
        return number

    def array(self) -> Any:
        return self.value if isinstance(self.value, np.ndarray) else float(self.value)

    def formula(self) -> str:
        return number_text(self.value)

    substituted = formula


@dataclass(frozen=True, eq=False)
class Nothing(Expression):
    """What has no number on these data, and why: no probabilities, a fit that does not exist.

    >>> Nothing("only one class occurs").outcome()
    Undefined(reason='only one class occurs')
    """

    reason: str

    def exact(self) -> Number:
        raise NoNumber(self.reason)

    def array(self) -> Any:
        return math.nan

    def formula(self) -> str:
        return "no number"

    substituted = formula


@dataclass(frozen=True, eq=False)
class OfTwo(Expression):
    """What is made of two expressions; written by ``_join``."""

    left: Expression
    right: Expression

    def formula(self) -> str:
        return self._join(self.left.formula(), self.right.formula())

    def substituted(self) -> str:
        return self._join(self.left.substituted(), self.right.substituted())

    def cells(self) -> Iterator[Cell]:
        yield from self.left.cells()
        yield from self.right.cells()

    def _join(self, left: str, right: str) -> str:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Sum(OfTwo):
    """``left + right`` or ``left - right`` by ``sign``."""

    sign: int = 1
    binding = 1

    def exact(self) -> Number:
        left, right = self.left.exact(), self.right.exact()
        if self.sign > 0:
            return left + right
        rest = left - right
        if isinstance(rest, float) and abs(rest) <= ROUNDING * abs(float(right)):
            return 0.0
        return rest

    def array(self) -> Any:
        left, right = self.left.array(), self.right.array()
        return left + right if self.sign > 0 else left - right

    def _join(self, left: str, right: str) -> str:
        if self.sign > 0:
            return f"{left} + {self.right._within(1, right)}"
        return f"{left} - {self.right._within(2, right)}"


@dataclass(frozen=True, eq=False)
class Product(OfTwo):
    """``left * right``."""

    binding = 2

    def exact(self) -> Number:
        return self.left.exact() * self.right.exact()

    def array(self) -> Any:
        return self.left.array() * self.right.array()

    def _join(self, left: str, right: str) -> str:
        return f"{self.left._within(2, left)} * {self.right._within(3, right)}"


@dataclass(frozen=True, eq=False)
class Ratio(OfTwo):
    """``left / right``: what is counted over what it is counted among."""

    binding = 2

    @property
    def top(self) -> Expression:
        """What stands above the line."""
        return self.left

    @property
    def bottom(self) -> Expression:
        """What stands below the line."""
        return self.right

    def exact(self) -> Number:
        top, bottom = self.top.exact(), self.bottom.exact()
        if bottom == 0:
            raise ZeroByZero if top == 0 else OverZero
        if isinstance(top, float) or isinstance(bottom, float):
            return float(top) / float(bottom)
        return Fraction(top) / Fraction(bottom)

    def divides_by_zero(self) -> bool:
        """Whether this very division is something over nothing."""
        try:
            return self.top.exact() > 0 and self.bottom.exact() == 0
        except ArithmeticError:
            return False

    def array(self) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.true_divide(self.top.array(), self.bottom.array())

    def _join(self, left: str, right: str) -> str:
        upper = f"({left})" if isinstance(self.top, (Sum, Ratio)) else left
        return f"{upper} / {self.bottom._within(3, right)}"


@dataclass(frozen=True, eq=False)
class Root(Expression):
    """The square root."""

    radicand: Expression

    def exact(self) -> Number:
        number = self.radicand.exact()
        if isinstance(number, float):
            return math.sqrt(number)
        share = Fraction(number)
        top, bottom = math.isqrt(share.numerator), math.isqrt(share.denominator)
        if top * top == share.numerator and bottom * bottom == share.denominator:
            return Fraction(top, bottom)
        return math.sqrt(share)

    def array(self) -> Any:
        with np.errstate(invalid="ignore"):
            return np.sqrt(self.radicand.array())

    def formula(self) -> str:
        return f"sqrt({self.radicand.formula()})"

    def substituted(self) -> str:
        return f"sqrt({self.radicand.substituted()})"

    def cells(self) -> Iterator[Cell]:
        yield from self.radicand.cells()


def ratio(top: Operand, bottom: Operand) -> Ratio:
    """``top / bottom``; 0 / 0 is undefined, anything else over 0 is infinite."""
    return Ratio(as_expression(top), as_expression(bottom))


def root(radicand: Operand) -> Root:
    """The square root of a quantity that is never negative."""
    return Root(as_expression(radicand))


def mean(*terms: Operand) -> Expression:
    """The plain mean of two or more quantities; undefined if any of them is.

    >>> mean(Cell("a", 1), Cell("b", 2)).formula()
    '(a + b) / 2'
    """
    total = as_expression(terms[0])
    for term in terms[1:]:
        total = total + term
    return total / len(terms)
