"""What a metric does with the cells of a table, read off its own arithmetic.

Cells above a line are highlighted, regions below a line are framed. One
mechanism for all metrics: the declared expression is walked, and the names of
its cells say where they stand in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.formula import (
    Constant,
    Expression,
    Product,
    Ratio,
    Root,
    Sum,
)
from evalreport.report.numbers import number_text

#: The cell of a formula that adds up every count at its own price.
PRICED = "sum(cost * count)"
Weights = dict[str, Fraction]
#: What a metric is computed with beside its parameters: a threshold, costs.
Given = Mapping[str, Any]


@dataclass(frozen=True)
class Region:
    """One fraction: names above the line with their factors, regions of names below it.

    ``below`` holds the factors of names below the line that are not counted once.
    """

    top: Mapping[str, Fraction] = field(default_factory=dict)
    bottom: tuple[frozenset[str], ...] = ()
    below: Mapping[str, Fraction] = field(default_factory=dict)


def regions(
    metric: str, params: Mapping[str, Any], many_classes: bool, given: Given | None = None
) -> tuple[Region, ...]:
    """The fractions a metric consists of; empty where its arithmetic is not one of cells.

    ``given`` holds what weighs the cells: the ``threshold`` of a net benefit, the ``costs``
    of an expected cost. A metric that takes what is not given has no regions.

    >>> [(dict(r.top), [sorted(g) for g in r.bottom]) for r in regions("recall", {}, False)]
    [({'TP': Fraction(1, 1)}, [['FN', 'TP']])]
    >>> [sorted(g) for g in regions("mcc", {}, False)[0].bottom]
    [['FP', 'TP'], ['FN', 'TP'], ['FP', 'TN'], ['FN', 'TN']]
    """
    items = tuple(sorted((k, v) for k, v in params.items()))
    return _regions(metric, items, many_classes, _fixed(given or {}))


def _fixed(value: Any) -> Any:
    """Mappings and lists as tuples, which a cache can look up."""
    if isinstance(value, Mapping):
        return tuple(sorted((key, _fixed(item)) for key, item in value.items()))
    return tuple(map(_fixed, value)) if isinstance(value, (list, tuple)) else value


@lru_cache(maxsize=512)
def _regions(
    metric: str,
    params: tuple[tuple[str, Any], ...],
    many_classes: bool,
    given: tuple[tuple[str, Any], ...],
) -> tuple[Region, ...]:
    declared = find(metric)
    known = dict(given)
    if "costs" in known:
        # every pair of classes has a price of its own: the shape of the formula needs none
        known["costs"] = [[0, 1], [1, 0]] if many_classes else dict(known["costs"])
    expression = _expression(declared, dict(params), many_classes, known) if declared else None
    if expression is None:
        return ()
    return tuple(_region(ratio) for ratio in _fractions(expression))


def _expression(
    declared: Metric, params: dict[str, Any], many_classes: bool, given: Given
) -> Expression | None:
    """The metric's arithmetic on a table of placeholders; only its shape is used."""
    form = declared.for_classes if many_classes and declared.for_classes else declared.function
    kind = declared.classes_table if many_classes and declared.for_classes else declared.table
    arguments = declared.arguments(params)
    arguments |= {name: given[name] for name in declared.context if name in given}
    table = _placeholder(kind)
    if table is None:
        return None
    try:
        found = form(table, **arguments)
    except (TypeError, ValueError, ArithmeticError, LookupError):
        return None
    return found if isinstance(found, Expression) else None


def _placeholder(kind: Table | None) -> Any:
    import numpy as np

    from evalreport.metrics.tables import Counts, Matrix, ScoreTable

    if kind is Table.COUNTS:
        return Counts(tp=11, fp=3, fn=5, tn=17)
    if kind is Table.MATRIX:
        return Matrix.from_counts([[17, 3], [5, 11]])
    if kind is Table.SCORES:
        return ScoreTable(np.array([0.9, 0.2]), np.array([11, 5]), np.array([3, 17]))
    return None


def _fractions(e: Expression) -> Iterator[Ratio]:
    """Every innermost division, in the order it is written."""
    if isinstance(e, Ratio):
        inner = [*_fractions(e.top), *_fractions(e.bottom)]
        if inner:
            yield from inner
        else:
            yield e
    elif isinstance(e, (Sum, Product)):
        yield from _fractions(e.left)
        yield from _fractions(e.right)
    elif isinstance(e, Root):
        yield from _fractions(e.radicand)


def _region(ratio: Ratio) -> Region:
    top: Weights = {}
    _weigh(ratio.top, Fraction(1), top)
    below: Weights = {}
    factors = []
    for factor in _factors(ratio.bottom):
        if names := frozenset(c.name for c in factor.cells()):
            factors.append(names)
            _weigh(factor, Fraction(1), below)
    return Region(top, tuple(factors), {k: w for k, w in below.items() if abs(w) != 1})


def _weigh(e: Expression, factor: Fraction, into: Weights) -> None:
    """Adds the factor of every cell in a sum; a product of cells keeps its sign alone."""
    if isinstance(e, Sum):
        _weigh(e.left, factor, into)
        _weigh(e.right, factor * e.sign, into)
    elif isinstance(e, Product) and isinstance(e.left, Constant):
        _weigh(e.right, factor * Fraction(e.left.value), into)
    elif isinstance(e, Product) and isinstance(e.right, Constant):
        _weigh(e.left, factor * Fraction(e.right.value), into)
    else:
        for cell in e.cells():
            into.setdefault(cell.name, factor)


def _factors(e: Expression) -> Iterator[Expression]:
    if isinstance(e, Product):
        yield from _factors(e.left)
        yield from _factors(e.right)
    elif isinstance(e, Root):
        yield from _factors(e.radicand)
    elif not isinstance(e, Constant):
        yield e


def weight_text(factor: Fraction) -> str:
    """How a cell is counted, where not once.

    >>> [weight_text(Fraction(w)) for w in (1, 2, -1, -3)]
    ['', '×2', '−', '−×3']
    """
    size = abs(factor)
    amount = "" if size == 1 else f"×{number_text(float(round(size, 3)))}"
    return f"−{amount}" if factor < 0 else amount
