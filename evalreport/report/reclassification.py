"""Net reclassification: the rows that move between two models, and what that adds up to."""

from __future__ import annotations

from evalreport.report.cards import interval_text
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, difference_text, p_text
from evalreport.report.words import label_text, prose
from evalreport.results.records import Moves, Reclassification

NOTE = (
    "Up: only the model predicts the positive class; down: only the reference does. Of the "
    "actual positives net is (up − down) / n, of the others (down − up) / n; their sum is the "
    "difference of the two models in recall plus that in specificity. A positive sum can come "
    "from a model that is no better calibrated and no more useful: read it with recall, "
    "specificity and net benefit, never alone. p is not corrected for the number of tests."
)


def reclassification_blocks(contents: Contents) -> list[Block]:
    """Three lines for each pair of models: actual positives, the others, and their sum."""
    rows: list[TableRow] = []
    reasons = []
    for record in contents.of(Reclassification):
        pair = f"{label_text(record.model)} against {label_text(record.reference)}"
        if record.net is None or record.events is None or record.nonevents is None:
            reasons.append(f"{pair}: {prose(record.reason or '')}.")
            continue
        label = label_text(record.label)
        rows.append(TableRow((pair, f"actual {label}", *_moves(record.events), "")))
        rows.append(TableRow(("", "the others", *_moves(record.nonevents), "")))
        p = "–" if record.p_value is None else p_text(record.p_value)
        limits = interval_text(record.interval) or "–"
        total = (count_text(record.rows), "", "", difference_text(record.net), limits, p)
        rows.append(TableRow(("", "sum", *total), strong=True))
    heads = (
        ("models", "left", "22%"),
        ("rows", "left", "16%"),
        ("n", "right", "8%"),
        ("up", "right", "8%"),
        ("down", "right", "8%"),
        ("net", "right", "10%"),
        ("interval", "right", "18%"),
        ("p", "right", "10%"),
    )
    if not rows and not reasons:
        return []
    note = " ".join([NOTE, *reasons])
    columns = tuple(Column(*head) for head in heads)
    return [PlainTable("Net reclassification", columns, tuple(rows), note, "gaps")]


def _moves(part: Moves) -> tuple[str, ...]:
    return (
        count_text(part.n),
        count_text(part.up),
        count_text(part.down),
        "–" if part.net is None else difference_text(part.net),
        interval_text(part.interval) or "–",
    )
