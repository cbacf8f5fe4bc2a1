"""Rows of tested datasets that models learned from, as a table; none is written as well."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, share_text
from evalreport.report.words import label_text, listed, prose
from evalreport.results.records import TrainingOverlap

MOST_COLUMNS = 6


def overlap_blocks(contents: Contents) -> list[Block]:
    """What tested datasets share with those that models learned from; nothing shared is said."""
    rows = []
    for record in contents.of(TrainingOverlap):
        shared, of = record.rows, record.of
        said = prose(record.reason or "not counted")
        if shared is not None and of is not None:
            said = f"{count_text(shared)} of {count_text(of)} ({share_text(shared, of)})"
        columns = [label_text(name) for name in record.columns or ()]
        rows.append(
            TableRow(
                (
                    label_text(record.dataset),
                    f"{label_text(record.other)} ({record.use})",
                    listed([label_text(name) for name in record.models]),
                    _compared_by(record.by, columns),
                    said,
                )
            )
        )
    if not rows:
        return []
    heads = (
        ("tested", "left", "14%"),
        ("learned from", "left", "18%"),
        ("by models", "left", "18%"),
        ("compared", "left", "28%"),
        ("rows shared", "left", "22%"),
    )
    note = (
        "Rows equal in every column compared need not be the same case; with few columns some "
        "are equal by chance."
    )
    title = "Tested rows that a model learned from"
    return [PlainTable(title, tuple(Column(*h) for h in heads), tuple(rows), note)]


def _compared_by(by: str, columns: Sequence[str]) -> str:
    """How rows were compared, with the first few columns."""
    if not columns:
        return "–"
    shown = listed(list(columns[:MOST_COLUMNS]))
    if len(columns) > MOST_COLUMNS:
        shown = f"{', '.join(columns[:MOST_COLUMNS])} and {len(columns) - MOST_COLUMNS} more"
    return f"by {by}: {shown}"
