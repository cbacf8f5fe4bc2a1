"""Comparisons with a margin: how much worse a model may be, and whether that is ruled out."""

from __future__ import annotations

from evalreport.report.cards import interval_text
from evalreport.report.comparisons import comparison_title
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, difference_text, number_text, value_text
from evalreport.report.words import label_text
from evalreport.results.records import Comparison

NOTE = (
    "Non-inferior: the interval of model minus reference leaves out a loss as large as the margin. "
    "Otherwise such a loss is not ruled out, which is not to say that there is one."
)


def margin_blocks(contents: Contents) -> list[Block]:
    """One line for each comparison that the spec gives a margin for."""
    found = [c for c in contents.of(Comparison) if c.margin is not None]
    if not found:
        return []
    heads = (
        ("metric", "left", "20%"),
        ("models", "left", "22%"),
        ("n", "right", "8%"),
        ("value", "right", "8%"),
        ("reference", "right", "8%"),
        ("difference", "right", "9%"),
        ("interval", "right", "13%"),
        ("margin", "right", "6%"),
        ("", "right", "6%"),
    )
    rows = tuple(TableRow(_row(contents, c)) for c in found)
    return [PlainTable("Non-inferiority", tuple(Column(*h) for h in heads), rows, NOTE, "gaps")]


def _row(contents: Contents, c: Comparison) -> tuple[str, ...]:
    told = "–" if c.non_inferior is None else "yes" if c.non_inferior else "not shown"
    values = (c.model_value, c.reference_value)
    against = c.reference_dataset or c.reference
    return (
        comparison_title(contents, c),
        f"{label_text(c.model)} against {label_text(against)}",
        count_text(c.n),
        *("–" if value is None else value_text(value) for value in values),
        "–" if c.difference is None else difference_text(c.difference),
        interval_text(c.interval) or "–",
        number_text(c.margin),
        told,
    )
