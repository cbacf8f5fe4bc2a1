"""Ratios of two shares, model over reference, where the spec asks for them."""

from __future__ import annotations

from evalreport.report.cards import interval_text
from evalreport.report.comparisons import comparison_title
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import value_text
from evalreport.report.words import label_text, method_text
from evalreport.results.records import Comparison, Ratio

NOTE = "The share of the model over that of the reference. Limits that leave out 1 tell them apart."


def ratio_blocks(contents: Contents) -> list[Block]:
    """One line for each comparison whose ratio was asked for."""
    found = [(c, c.ratio) for c in contents.of(Comparison) if c.ratio is not None]
    if not found:
        return []
    heads = (
        ("metric", "left", "22%"),
        ("models", "left", "24%"),
        ("value", "right", "9%"),
        ("reference", "right", "9%"),
        ("ratio", "right", "9%"),
        ("interval", "right", "15%"),
        ("method", "left", "12%"),
    )
    rows = tuple(TableRow(_row(contents, c, ratio)) for c, ratio in found)
    return [PlainTable("Ratios", tuple(Column(*h) for h in heads), rows, NOTE, "gaps")]


def _row(contents: Contents, c: Comparison, ratio: Ratio) -> tuple[str, ...]:
    against = c.reference_dataset or c.reference
    values = (c.model_value, c.reference_value, ratio.value)
    method = ratio.reason or ""
    if ratio.interval is not None:
        method = method_text(ratio.interval.method)
    return (
        comparison_title(contents, c),
        f"{label_text(c.model)} against {label_text(against)}",
        *("–" if value is None else value_text(value) for value in values),
        interval_text(ratio.interval) or "–",
        method,
    )
