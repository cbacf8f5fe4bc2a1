"""Worst and best case of measures, with the rows that lack a prediction or a target."""

from __future__ import annotations

import math
from typing import Any

from evalreport.report.contents import Contents, Record
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, value_text
from evalreport.report.words import label_text, listed, measure_title

MOST_LINES = 40
CELLS = ("tn", "fp", "fn", "tp")
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
        if m.get("missing_bounds") and contents.at_first(view)(m)
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


def _rows(contents: Contents, m: Record) -> list[TableRow]:
    """A line for a measure, and below it the cells where no single fraction gives the value."""
    bounds = m["missing_bounds"]
    told = measure_title(m)
    if m.get("label") is not None and not contents.is_binary((m["dataset"], m["model"])):
        told += f" of {label_text(m['label'])}"
    name = contents.mark((m["dataset"], m["model"])).name
    sides = (bounds["low"], bounds["high"])
    if "cells" not in sides[0]:
        own = value_text(m["value"]) if m["numerator"] is None else _fraction(m)
        return [TableRow((told, name, own, *map(_fraction, sides)))]
    values = (value_text(m["value"]), *(value_text(side["value"]) for side in sides))
    counts = [" · ".join(count_text(side["cells"][c]) for c in CELLS) for side in sides]
    below = TableRow((" · ".join(c.upper() for c in CELLS), "", "", *counts), inner=True)
    return [TableRow((told, name, *values)), below]


def _fraction(side: Record) -> str:
    value = value_text(side["value"])
    return f"{count_text(side['numerator'])} / {count_text(side['denominator'])} = {value}"


def _lost(contents: Contents, m: Record) -> str:
    """How many rows lack what."""
    missing: Any = (contents.tables.get(str(m.get("table"))) or {}).get("missing") or {}
    counts = (
        ("lack a prediction", math.fsum(missing.get("without_prediction") or [])),
        ("lack a target", math.fsum(missing.get("without_target") or [])),
        ("lack both", missing.get("without_both") or 0),
    )
    parts = [f"{count_text(count)} {what}" for what, count in counts if count]
    return f"{listed(parts)}." if parts else ""
