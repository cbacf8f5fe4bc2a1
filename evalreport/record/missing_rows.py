"""Worst and best case of shares again: every way of placing the rows that lack something."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction

from evalreport.record.class_metrics import PROPORTIONS
from evalreport.record.missing_values import area_extremes, table_extremes
from evalreport.record.table_counts import Counts, Table, number
from evalreport.results import records
from evalreport.results.records import Curve, Measure, MissingRows, OfCells

TOLERANCE = Fraction(1, 10**9)
_CELLS = ("tp", "fn", "fp", "tn")


def bounds_problems(measure: Measure, table: Table, record: records.Table) -> list[str]:
    """What is wrong with ``missing_bounds``; ``record`` is the ``tables`` record of ``table``.

    All rows of a kind are of one cell at the extremes, so a few dozen placements are tried.
    """
    stated = measure.missing_bounds
    if stated is None:
        return []
    if record.missing is None:
        return ["missing_bounds are given, yet its table lacks no row"]
    merged: dict[tuple[str, ...], Fraction] = {}
    for count, cells in _groups(measure, table, record.missing):
        merged[cells] = merged.get(cells, Fraction(0)) + count
    groups = [(count, cells) for cells, count in merged.items()]
    if isinstance(stated.low, OfCells) or isinstance(stated.high, OfCells):
        return table_extremes(measure, table.one_versus_rest(_place(measure, table)), groups)
    found = []
    shares = []
    for chosen in itertools.product(*(cells for _, cells in groups)):
        added = dict.fromkeys(("tp", "fn", "fp", "tn", "right", "wrong"), Fraction(0))
        for (count, _), cell in zip(groups, chosen, strict=True):
            added[cell] += count
        x, n = _fraction(measure, table, added)
        shares += [x / n] if n else []
    sides = (("low", stated.low, min(shares)), ("high", stated.high, max(shares)))
    for name, side, expected in sides:
        value, quotient = number(side.value), number(side.numerator) / number(side.denominator)
        room = TOLERANCE * max(abs(expected), TOLERANCE)
        if abs(value - expected) > room or abs(quotient - expected) > room:
            told = f"{side.numerator!r} / {side.denominator!r}"
            found.append(
                f"missing_bounds, {name}, is {side.value!r} ({told}), "
                f"its table gives {float(expected)!r}"
            )
    return found


def area_bounds_problems(
    measure: Measure, table: Table, record: records.Table, curve: Curve | None
) -> list[str]:
    """What is wrong with ``missing_bounds`` of an area under the ROC curve."""
    if measure.missing_bounds is None or curve is None:
        return []
    if record.missing is None:
        return ["missing_bounds are given, yet its table lacks no row"]
    return area_extremes(measure, curve, record.missing, _place(measure, table))


def _whole(measure: Measure, table: Table) -> bool:
    """Whether all classes are judged together: a row is right or wrong."""
    return measure.label is None and len(table.labels) > 2


def _fraction(
    measure: Measure, table: Table, added: Mapping[str, Fraction]
) -> tuple[Fraction, Fraction]:
    if _whole(measure, table):
        right = sum((table.right(k) for k in range(len(table.labels))), added["right"])
        all_rows = table.total + added["right"] + added["wrong"]
        return (all_rows - right if measure.metric == "error_rate" else right), all_rows
    own = table.one_versus_rest(_place(measure, table))
    cells = {cell: getattr(own, cell) + added[cell] for cell in _CELLS}
    return PROPORTIONS[measure.metric](Counts(**cells))


def _place(measure: Measure, table: Table) -> int:
    label = measure.label if measure.label is not None else table.positive
    place = table.index(label)
    if place is None:
        raise ValueError(f"{label!r} is no class of its table")
    return place


def _groups(
    measure: Measure, table: Table, missing: MissingRows
) -> Iterator[tuple[Fraction, tuple[str, ...]]]:
    """Numbers of rows, with the cells that they may be of."""
    whole = _whole(measure, table)
    place = None if whole else _place(measure, table)
    either = ("right", "wrong")
    for k, count in enumerate(missing.without_prediction):
        cells = either if whole else ("tp", "fn") if k == place else ("fp", "tn")
        if count:
            yield number(count), cells
    for k, count in enumerate(missing.without_target):
        if not count:
            continue
        if k >= len(table.labels):
            mode = measure.indeterminate
            right = ("right",) if whole else ("tp", "tn")
            wrong = ("wrong",) if whole else ("fn", "fp")
            if mode is not None:
                yield number(count), right if mode == "for" else wrong
            continue
        yield number(count), either if whole else ("tp", "fp") if k == place else ("fn", "tn")
    if missing.without_both:
        yield number(missing.without_both), either if whole else _CELLS
