"""Worst and best case of measures, with the rows that lack a prediction or a target."""

from __future__ import annotations

import math

from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, value_text
from evalreport.report.words import listed
from evalreport.results.records import Cells, Fraction, Measure, OfCells

MOST_LINES = 40
CELLS = "TN · FP · FN · TP"
RULE = (
    "Left out of every other number of this report. Worst and best case: each of these rows is "
    "taken to be of the class, and predicted as, moves the measure most; an interval is not "
    "widened by it."
)


def missing_blocks(contents: Contents) -> list[Block]:
    """One table of them on all rows at the first threshold; nothing without such rows."""
    found = [
        m
        for view in contents.views
        for m in contents.pooled(view)
        if m.missing_bounds and contents.at_first(view)(m)
    ]
    if not found:
        return []
    rows = tuple(row for m in found[:MOST_LINES] for row in _rows(contents, m))
    heads = (
        ("metric", "left", "30%"),
        ("model", "left", "16%"),
        ("complete rows", "right", "18%"),
        ("least", "right", "18%"),
        ("greatest", "right", "18%"),
    )
    lost = list(dict.fromkeys(_lost(contents, m) for m in found))
    note = f"{lost[0]} {RULE}" if len(lost) == 1 else RULE
    if len(found) > MOST_LINES:
        note += f" {MOST_LINES} of {len(found)} measures; the others are in results.json."
    title = "Worst and best case with the rows that lack a prediction or a target"
    return [PlainTable(title, tuple(Column(*h) for h in heads), rows, note, "gaps wraps")]


def _rows(contents: Contents, m: Measure) -> list[TableRow]:
    """A line for a measure, and below it the cells where no single fraction gives the value."""
    bounds = m.missing_bounds
    assert bounds is not None
    told = contents.title(m)
    name = contents.mark((m.dataset, m.model)).name
    sides = (bounds.low, bounds.high)
    own = "" if m.value is None else value_text(m.value)
    fractions = [_fraction(side) for side in sides if isinstance(side, Fraction)]
    if fractions:
        if m.numerator is not None:
            own = f"{count_text(m.numerator)} / {count_text(m.denominator)} = {own}"
        return [TableRow((told, name, own, *fractions))]
    values = (own, *(value_text(side.value) for side in sides))
    counts = [_cells(side.cells) for side in sides if isinstance(side, OfCells)]
    below = TableRow((CELLS, "", "", *counts), inner=True)
    return [TableRow((told, name, *values)), below]


def _cells(cells: Cells) -> str:
    return " · ".join(map(count_text, (cells.tn, cells.fp, cells.fn, cells.tp)))


def _fraction(side: Fraction) -> str:
    value = value_text(side.value)
    return f"{count_text(side.numerator)} / {count_text(side.denominator)} = {value}"


def _lost(contents: Contents, m: Measure) -> str:
    """How many rows lack what."""
    table = contents.table_of(m.table)
    if table is None or table.missing is None:
        return ""
    counts = (
        ("lack a prediction", math.fsum(table.missing.without_prediction)),
        ("lack a target", math.fsum(table.missing.without_target)),
        ("lack both", table.missing.without_both),
    )
    parts = [f"{count_text(count)} {what}" for what, count in counts if count]
    return f"{listed(parts)}." if parts else ""
