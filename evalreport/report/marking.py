"""Marks on a printed table: where the regions of a metric lie among its rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from evalreport.report.regions import Region, regions, weight_text

#: A place: row and column of the printed table, totals last.
Place = tuple[int, int]
FLAT = ("TN", "FP", "FN", "TP")


@dataclass(frozen=True)
class Marks:
    """Highlighted places with their weights, and the edges of frames."""

    top: Mapping[Place, str] = field(default_factory=dict)
    frames: Mapping[Place, str] = field(default_factory=dict)


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


def table_marks(measure: Mapping[str, Any], shape: Shape) -> Marks:
    """The marks of a measure on a table of this shape.

    >>> m = {"metric": "recall", "params": {}, "average": None, "label": "b"}
    >>> marks = table_marks(m, Shape(2, index=1))
    >>> dict(marks.top), dict(marks.frames)
    ({(1, 1): ''}, {(1, 0): 'tbl', (1, 1): 'trb'})
    """
    many = shape.index is None and measure.get("label") is None and not measure.get("average")
    found = regions(str(measure["metric"]), measure.get("params") or {}, many and shape.size > 2)
    average = measure.get("average")
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
    return Marks(top, _edges(_apart(groups, shape)))


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


def flat_marks(measure: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Marks of a two-class table laid flat as TN, FP, FN, TP: highlights and side edges.

    >>> flat_marks({"metric": "recall", "params": {}})
    ({'TP': ''}, {'FN': 'l', 'TP': 'r'})
    """
    top: dict[str, str] = {}
    sides: dict[str, str] = {}
    for region in regions(str(measure["metric"]), measure.get("params") or {}, False):
        for name, factor in region.top.items():
            if name in FLAT:
                top.setdefault(name, weight_text(Fraction(factor)))
        for names in region.bottom if len(region.bottom) == 1 else ():
            for name, edges in _flat_edges(names).items():
                sides[name] = "".join(sorted(set(sides.get(name, "") + edges)))
    return top, sides


def _flat_edges(names: frozenset[str]) -> dict[str, str]:
    found = {}
    for k, name in enumerate(FLAT):
        if name in names:
            left = "l" if k == 0 or FLAT[k - 1] not in names else ""
            right = "r" if k == 3 or FLAT[k + 1] not in names else ""
            found[name] = left + right
    return found


def flat_counts(table: Mapping[str, Any]) -> dict[str, Any] | None:
    """TN, FP, FN, TP of a two-class table without indeterminate columns, else None."""
    counts: Sequence[Sequence[Any]] | None = table.get("counts")
    labels = table.get("labels") or []
    if counts is None or len(labels) != 2 or table.get("extra_columns"):
        return None
    positive = labels.index(table["positive"]) if table.get("positive") in labels else 1
    negative = 1 - positive
    return {
        "TN": counts[negative][negative],
        "FP": counts[negative][positive],
        "FN": counts[positive][negative],
        "TP": counts[positive][positive],
    }
