"""Marks on a printed table: where the regions of a metric lie among its rows and columns.

What a metric does with the cells of a table is read off its own arithmetic: cells above a line are
highlighted, regions below a line are framed. One mechanism for all metrics: the declared
expression is walked, and the names of its cells say where they stand in the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.metrics.declare import Table as Kind
from evalreport.metrics.formula import Constant, Expression, Product, Ratio, Root, Sum
from evalreport.report.numbers import number_text
from evalreport.results.records import Measure, Table

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


#: A place: row and column of the printed table, totals last.
Place = tuple[int, int]
FLAT = ("TN", "FP", "FN", "TP")
#: The price of what costs nothing.
FREE = "×0"


@dataclass(frozen=True)
class Marks:
    """Highlighted places with their weights, the edges of frames, and prices of other places."""

    top: Mapping[Place, str] = field(default_factory=dict)
    frames: Mapping[Place, str] = field(default_factory=dict)
    prices: Mapping[Place, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Shape:
    """The printed table: classes, extra columns, and which class is meant (None: all)."""

    size: int
    extra: int = 0
    index: int | None = None
    largest: int = 0

    @property
    def row(self) -> int:
        """The place of the row of totals."""
        return self.size

    @property
    def column(self) -> int:
        """The place of the column of totals."""
        return self.size + self.extra


def given_of(measure: Measure, costs: Any) -> dict[str, Any]:
    """What weighs the cells of a measure's table, of what its metric takes: threshold and costs."""
    declared = find(measure.metric)
    found = {"threshold": measure.threshold, "costs": costs}
    takes = () if declared is None else declared.context
    return {name: found[name] for name in takes if found.get(name) is not None}


def table_marks(measure: Measure, shape: Shape, costs: Any = None) -> Marks:
    """The marks of a measure on a table of this shape; ``costs`` as its metric takes them.

    >>> from collections import namedtuple
    >>> Value = namedtuple("Value", "metric params average label threshold")
    >>> marks = table_marks(Value("recall", {}, None, "b", None), Shape(2, index=1))
    >>> dict(marks.top), dict(marks.frames)
    ({(1, 1): ''}, {(1, 0): 'tbl', (1, 1): 'trb'})
    """
    many = shape.index is None and measure.label is None and not measure.average
    found = regions(
        measure.metric,
        measure.params,
        many and shape.size > 2,
        given_of(measure, costs),
    )
    average = measure.average
    if average in {"macro", "weighted"} and any("TN" in region.top for region in found):
        # Every cell stands above the line of some class: marks would tell nothing.
        return Marks()
    classes: list[int | None] = [shape.index]
    if average in {"macro", "weighted"}:
        classes = list(range(shape.size))
    elif average == "micro" or (shape.index is None):
        classes = [None]
    top: dict[Place, str] = {}
    groups: list[set[Place]] = []
    for index in classes:
        for region in found:
            _add(region, index, shape, top, groups)
    prices = _prices(measure, shape, costs) or _below(found, classes[0], shape, top)
    if any(PRICED in region.top for region in found):
        top |= {place: text for place, text in prices.items() if text != FREE}
    return Marks(top, _edges(_apart(groups, shape)), prices)


def _below(
    found: Sequence[Region], index: int | None, shape: Shape, top: Mapping[Place, str]
) -> dict[Place, str]:
    """How often the cells of one class count below the line, where they stand there alone."""
    return {
        place: weight_text(factor)
        for region in found
        for name, factor in region.below.items()
        for place in (() if index is None else _places(name, index, shape))
        if place not in top
    }


def _prices(measure: Measure, shape: Shape, costs: Any) -> dict[Place, str]:
    """What a row in each place costs, for a metric of costs."""
    declared = find(measure.metric)
    if declared is None or "costs" not in declared.context or costs is None:
        return {}
    size = range(shape.size)
    if isinstance(costs, Mapping):
        k = 1 if shape.index is None else shape.index
        names = {
            (i, j): f"{'true' if i == j else 'false'}_{'positive' if j == k else 'negative'}"
            for i in size
            for j in size
        }
        return {place: _price(costs.get(name, 0)) for place, name in names.items()}
    return {(i, j): _price(costs[i][j]) for i in size for j in size}


def _price(cost: float) -> str:
    return weight_text(Fraction(cost)) or "×1"


def _add(
    region: Region, index: int | None, shape: Shape, top: dict[Place, str], groups: list[set[Place]]
) -> None:
    for name, factor in region.top.items():
        for place in _places(name, index, shape):
            inside = place[0] < shape.size and place[1] < shape.size
            if inside or name == "largest class":
                top.setdefault(place, weight_text(Fraction(factor)) if inside else "")
    several = len(region.bottom) > 1
    for names in region.bottom:
        group = {p for name in sorted(names) for p in _places(name, index, shape)}
        whole = _as_total(group, shape) if several else None
        group = {whole} if whole is not None else group
        if group and group not in groups:
            groups.append(group)


def _places(name: str, index: int | None, shape: Shape) -> list[Place]:
    """Where a named cell of the formula stands in the table."""
    size = range(shape.size)
    if index is None:
        pooled = {
            "TP": [(i, i) for i in size],
            "FP": [(i, j) for i in size for j in size if i != j],
        }
        named = pooled | {"FN": pooled["FP"], "correct": pooled["TP"]}
    else:
        k = index
        named = {
            "TP": [(k, k)],
            "FN": [(k, j) for j in size if j != k],
            "FP": [(i, k) for i in size if i != k],
            "TN": [(i, j) for i in size for j in size if k not in (i, j)],
            "P": [(k, shape.column)],
            "N": [(i, shape.column) for i in size if i != k],
            "correct": [(i, i) for i in size],
        }
    named["n"] = [(shape.row, shape.column)]
    named["largest class"] = [(shape.largest, shape.column)]
    totals = [(i, shape.column) for i in size] + [(shape.row, j) for j in size]
    named["sum(row * column)"] = totals
    named["sum(row^2)"] = [(i, shape.column) for i in size]
    named["sum(column^2)"] = [(shape.row, j) for j in size]
    return named.get(name, [])


def _as_total(group: set[Place], shape: Shape) -> Place | None:
    """The total that adds up a whole row, column or table, if the group is one."""
    size = range(shape.size)
    for k in size:
        if group == {(k, j) for j in size}:
            return (k, shape.column)
        if group == {(i, k) for i in size}:
            return (shape.row, k)
    if group == {(i, j) for i in size for j in size}:
        return (shape.row, shape.column)
    return None


def _apart(groups: list[set[Place]], shape: Shape) -> list[set[Place]]:
    """Frames that can be drawn together; regions that cut each other are given as totals."""
    seen: set[Place] = set()
    for group in groups:
        if group & seen:
            rows = {(i, shape.column) for i in range(shape.size)}
            columns = {(shape.row, j) for j in range(shape.size)}
            return [*({p} for p in sorted(rows | columns))]
        seen |= group
    return groups


def _edges(groups: Iterable[set[Place]]) -> dict[Place, str]:
    found: dict[Place, str] = {}
    for group in groups:
        for i, j in sorted(group):
            around = (("t", (i - 1, j)), ("r", (i, j + 1)), ("b", (i + 1, j)), ("l", (i, j - 1)))
            found[i, j] = "".join(edge for edge, place in around if place not in group)
    return found


def flat_marks(
    measure: Measure, costs: Any = None, order: Sequence[str] = FLAT
) -> tuple[dict[str, str], dict[str, str]]:
    """Marks of a two-class table laid flat in an order: highlights and side edges.

    >>> from collections import namedtuple
    >>> Value = namedtuple("Value", "metric params threshold")
    >>> flat_marks(Value("recall", {}, None))
    ({'TP': ''}, {'FN': 'l', 'TP': 'r'})
    """
    top: dict[str, str] = {}
    sides: dict[str, str] = {}
    given = given_of(measure, costs)
    for region in regions(measure.metric, measure.params, False, given):
        for name, factor in region.top.items():
            if name in FLAT:
                top.setdefault(name, weight_text(Fraction(factor)))
        for names in region.bottom if len(region.bottom) == 1 else ():
            group = {(0, k) for k, name in enumerate(order) if name in names}
            for (_, k), edges in _edges([group]).items():
                both = {*sides.get(order[k], ""), *edges} & {"l", "r"}
                sides[order[k]] = "".join(sorted(both))
    return top, sides


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
