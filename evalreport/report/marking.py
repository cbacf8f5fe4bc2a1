"""Marks on a printed table: where the regions of a metric lie among its rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.report.regions import PRICED, Region, regions, weight_text
from evalreport.results.records import Measure, Table

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
            for name, edges in _flat_edges(names, order).items():
                sides[name] = "".join(sorted(set(sides.get(name, "") + edges)))
    return top, sides


def _flat_edges(names: frozenset[str], order: Sequence[str]) -> dict[str, str]:
    found = {}
    for k, name in enumerate(order):
        if name in names:
            left = "l" if k == 0 or order[k - 1] not in names else ""
            right = "r" if k == 3 or order[k + 1] not in names else ""
            found[name] = left + right
    return found


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
