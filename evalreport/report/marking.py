"""Marks on the four cells of a metric: which stand above a line of its formula, and which below.

What a metric does with the cells of a table is read off its own arithmetic: cells above a line are
highlighted, those below it are framed. One mechanism for all metrics: the declared expression is
walked for the names of its cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.metrics.declare import Table as Kind
from evalreport.metrics.formula import Constant, Expression, Product, Ratio, Root, Sum
from evalreport.results.records import Measure, Table

#: What a metric is computed with beside its parameters: a threshold, costs.
Given = Mapping[str, Any]
#: The four cells of two classes, read line by line.
FLAT = ("TN", "FP", "FN", "TP")
#: The cells of two classes that the sums over a table of any number of classes are made of.
WHOLE = {
    "n": FLAT,
    "correct": ("TN", "TP"),
    "sum(row * column)": FLAT,
    "sum((row + column) (2 n - row - column))": FLAT,
    "sum(|i - j| * count)": ("FP", "FN"),
    "sum(|i - j| * row * column)": FLAT,
}


class Region(NamedTuple):
    """One fraction: names of cells above the line, and of those in each factor below it."""

    top: frozenset[str]
    bottom: tuple[frozenset[str], ...]


def regions(
    metric: str, params: Mapping[str, Any], given: Given | None = None
) -> tuple[Region, ...]:
    """The fractions a metric consists of; empty where its arithmetic is not one of cells.

    ``given`` holds what weighs the cells: the ``threshold`` of a net benefit, the ``costs``
    of an expected cost. A metric that takes what is not given has no regions.

    >>> [(sorted(r.top), [sorted(g) for g in r.bottom]) for r in regions("recall", {})]
    [(['TP'], [['FN', 'TP']])]
    >>> [sorted(g) for g in regions("mcc", {})[0].bottom]
    [['FP', 'TP'], ['FN', 'TP'], ['FP', 'TN'], ['FN', 'TN']]
    """
    items = tuple(sorted((k, v) for k, v in params.items()))
    return _regions(metric, items, _fixed(given or {}))


def _fixed(value: Any) -> Any:
    """Mappings and lists as tuples, which a cache can look up."""
    if isinstance(value, Mapping):
        return tuple(sorted((key, _fixed(item)) for key, item in value.items()))
    return tuple(map(_fixed, value)) if isinstance(value, (list, tuple)) else value


@lru_cache(maxsize=512)
def _regions(
    metric: str, params: tuple[tuple[str, Any], ...], given: tuple[tuple[str, Any], ...]
) -> tuple[Region, ...]:
    declared = find(metric)
    known = dict(given)
    if "costs" in known:
        known["costs"] = dict(known["costs"])
    expression = _expression(declared, dict(params), known) if declared else None
    return () if expression is None else tuple(map(_region, _fractions(expression)))


def _expression(declared: Metric, params: dict[str, Any], given: Given) -> Expression | None:
    """The metric's arithmetic on a table of placeholders; only its shape is used."""
    arguments = declared.arguments(params)
    arguments |= {name: given[name] for name in declared.context if name in given}
    table = _placeholder(declared.table)
    if table is None:
        return None
    try:
        found = declared.function(table, **arguments)
    except (TypeError, ValueError, ArithmeticError, LookupError):
        return None
    return found if isinstance(found, Expression) else None


def _placeholder(kind: Kind | None) -> Any:
    import numpy as np

    from evalreport.metrics.tables import Counts, Matrix, ScoreTable

    if kind is Kind.COUNTS:
        return Counts(tp=11, fp=3, fn=5, tn=17)
    if kind is Kind.MATRIX:
        return Matrix.from_counts([[17, 3], [5, 11]])
    if kind is Kind.SCORES:
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
    factors = (frozenset(c.name for c in factor.cells()) for factor in _factors(ratio.bottom))
    return Region(frozenset(c.name for c in ratio.top.cells()), tuple(filter(None, factors)))


def _factors(e: Expression) -> Iterator[Expression]:
    if isinstance(e, Product):
        yield from _factors(e.left)
        yield from _factors(e.right)
    elif isinstance(e, Root):
        yield from _factors(e.radicand)
    elif not isinstance(e, Constant):
        yield e


def flat_marks(
    measure: Measure, costs: Any = None, order: Sequence[str] = FLAT
) -> tuple[set[str], dict[str, str]]:
    """Marks of a two-class table laid flat in an order: highlights and side edges.

    >>> from collections import namedtuple
    >>> Value = namedtuple("Value", "metric params threshold")
    >>> flat_marks(Value("recall", {}, None))
    ({'TP'}, {'FN': 'l', 'TP': 'r'})
    """
    top: set[str] = set()
    sides: dict[str, set[str]] = {}
    given = _given(measure, costs)
    for region in regions(measure.metric, measure.params, given):
        top |= _cells(measure.metric, region.top)
        for part in region.bottom if len(region.bottom) == 1 else ():
            names = _cells(measure.metric, part)
            for before, name, after in zip((None, *order), order, (*order[1:], None), strict=False):
                if name in names:
                    edges = {side for side, beside in (("l", before), ("r", after))
                             if beside not in names}  # fmt: skip
                    sides.setdefault(name, set()).update(edges)
    return top, {name: "".join(sorted(edges)) for name, edges in sides.items()}


def _cells(metric: str, names: frozenset[str]) -> set[str]:
    """The four cells that the parts of a formula are, or are made of."""
    declared = find(metric)
    sums = WHOLE if declared is not None and declared.table is Kind.MATRIX else {}
    return {cell for name in names for cell in sums.get(name, (name,))} & set(FLAT)


def _given(measure: Measure, costs: Any) -> dict[str, Any]:
    """What weighs the cells of a measure's table, of what its metric takes: threshold and costs."""
    declared = find(measure.metric)
    found = {"threshold": measure.threshold, "costs": costs}
    takes = () if declared is None else declared.context
    return {name: found[name] for name in takes if found.get(name) is not None}


def positive_index(table: Table) -> int:
    """The place of the positive class among two; the last where none is named."""
    return table.labels.index(table.positive) if table.positive in table.labels else 1


def role_text(i: int, j: int, positive: int) -> str:
    """What the counts of an actual and a predicted class are called.

    >>> role_text(0, 1, 1), role_text(0, 1, 0)
    ('FP', 'FN')
    """
    return ("T" if i == j else "F") + ("P" if j == positive else "N")


def flat_counts(table: Table) -> dict[str, Any] | None:
    """TN, FP, FN, TP of a two-class table without indeterminate columns, else None."""
    counts: Sequence[Sequence[Any]] | None = table.counts
    if counts is None or len(table.labels) != 2 or table.extra_columns:
        return None
    return flat_counts_of(counts, positive_index(table))


def flat_counts_of(counts: Sequence[Sequence[Any]], positive: int) -> dict[str, Any]:
    """TN, FP, FN, TP of the counts of two classes, of which one is positive.

    >>> flat_counts_of([[5, 1], [2, 9]], 1)
    {'TN': 5, 'FP': 1, 'FN': 2, 'TP': 9}
    """
    negative = 1 - positive
    return {
        "TN": counts[negative][negative],
        "FP": counts[negative][positive],
        "FN": counts[positive][negative],
        "TP": counts[positive][positive],
    }
