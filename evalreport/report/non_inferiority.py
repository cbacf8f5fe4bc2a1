"""Comparisons with a margin: how much worse a model may be, and whether that is ruled out."""

from __future__ import annotations

from evalreport.report.cards import interval_text
from evalreport.report.contents import Contents, Record
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, difference_text, number_text, value_text
from evalreport.report.words import label_text, measure_title

NOTE = (
    "Non-inferior: the interval of model minus reference leaves out a loss as large as the margin. "
    "Otherwise such a loss is not ruled out, which is not to say that there is one."
)


def margin_blocks(contents: Contents) -> list[Block]:
    """One line for each comparison that the spec gives a margin for."""
    found = [c for c in contents.many("comparisons") if c.get("margin") is not None]
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
    rows = tuple(TableRow(_row(c)) for c in found)
    return [PlainTable("Non-inferiority", tuple(Column(*h) for h in heads), rows, NOTE, "gaps")]


def _row(c: Record) -> tuple[str, ...]:
    told = {True: "yes", False: "not shown"}.get(c.get("non_inferior"), "–")  # type: ignore[arg-type]
    against = c.get("reference_dataset") or c["reference"]
    values = [c.get(key) for key in ("model_value", "reference_value")]
    return (
        measure_title(c),
        f"{label_text(c['model'])} against {label_text(against)}",
        count_text(c["n"]) if c.get("n") is not None else "–",
        *("–" if value is None else value_text(value) for value in values),
        "–" if c["difference"] is None else difference_text(c["difference"]),
        interval_text(c.get("interval")) or "–",
        number_text(c["margin"]),
        told,
    )
