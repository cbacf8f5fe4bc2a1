"""More than two classes: the whole table, what is confused with what, and each class by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.report.contents import Contents, View, view_of
from evalreport.report.count_tables import abreast, cell_counts, count_table
from evalreport.report.marking import role_text
from evalreport.report.model import (
    CONTINUED,
    Block,
    Column,
    Heading,
    PlainTable,
    TablePair,
    TableRow,
    Tables,
    Text,
)
from evalreport.report.numbers import count_text, share_text
from evalreport.report.pieces import ACTUAL_IN_ROWS, Orientation
from evalreport.report.sections import section
from evalreport.report.strips import Row, measures_strip
from evalreport.report.words import counted, label_text
from evalreport.results.records import LabelLedger, Measure, Table

MOST_CONFUSIONS = 10
#: Confusions in one table; more stand in two, side by side.
MOST_IN_ONE = 5
#: Classes with a line of their own; the others are in results.json.
MOST_LINES = 50


@section("classes", "Classes", of=(LabelLedger,))
def class_blocks(contents: Contents) -> list[Block]:
    """The section on classes, view by view; empty with two classes."""
    blocks: list[Block] = []
    for view in contents.views:
        labels = contents.classes(view)
        if contents.has_sets(view):
            blocks += _of_sets(contents, view, labels)
            continue
        table = first_table(contents, view)
        if len(labels) <= 2 or table is None:
            continue
        mark = contents.mark(view)
        blocks.append(
            Heading(f"{mark.symbol} {mark.name}", counted(len(labels), "class", "classes"))
        )
        blocks.append(Tables((count_table(contents, table),), 1))
        confusions = top_confusions(table, contents.orientation(view[0]))
        if confusions is not None:
            blocks.append(confusions)
        blocks += _asked_for(contents, view, labels)
        blocks += _per_class(contents, view, labels)
    return blocks


def _of_sets(contents: Contents, view: View, labels: Sequence[str]) -> list[Block]:
    """Sets of labels: each label against its absence, with its table."""
    named = {m.table for m in contents.pooled(view)}
    named |= {str(i) for m in contents.pooled(view) for i in m.tables or ()}
    tables = [t for i, t in contents.tables.items() if i in named][:MOST_LINES]
    mark = contents.mark(view)
    return [
        Heading(f"{mark.symbol} {mark.name}", counted(len(labels), "label")),
        Tables(tuple(count_table(contents, table) for table in tables), 2),
        *_per_class(contents, view, labels),
    ]


def first_table(contents: Contents, view: View) -> Table | None:
    """The table of all rows at the first threshold."""
    for m in contents.pooled(view):
        table = contents.table_of(m.table)
        if table is not None:
            return table
    return None


def top_confusions(
    table: Table, how: Orientation = ACTUAL_IN_ROWS
) -> PlainTable | TablePair | None:
    """The cells off the diagonal that hold most rows."""
    labels = table.labels
    cells = cell_counts(table)
    off = sorted(
        ((count, i, j) for (i, j), count in cells.items() if i != j and j < len(labels)),
        key=lambda c: (-c[0], c[1], c[2]),
    )
    if not off:
        return None
    rows_of = [0.0] * len(labels)
    for (i, _), count in sorted(cells.items()):
        rows_of[i] += count
    wrong = sum(count for count, _, _ in off)
    rows = [
        TableRow(
            (
                label_text(labels[i]),
                label_text(labels[j]),
                count_text(count),
                share_text(count, rows_of[i]),
                share_text(count, wrong),
            )
        )
        for count, i, j in off[:MOST_CONFUSIONS]
    ]
    columns = (
        Column(how.actual),
        Column(how.predicted),
        Column("rows", "right"),
        Column("of the actual class", "right"),
        Column("of all mistakes", "right"),
    )
    more = len(off) - len(rows)
    note = f"{counted(more, 'other pair')} of classes hold the rest." if more else ""
    title = "What is most often mistaken for what"
    if len(rows) <= MOST_IN_ONE:
        return PlainTable(title, columns, tuple(rows), note)
    half = (len(rows) + 1) // 2
    return TablePair(
        (
            PlainTable(title, columns, tuple(rows[:half]), note),
            PlainTable(title + CONTINUED, columns, tuple(rows[half:])),
        )
    )


def _asked_for(contents: Contents, view: View, labels: Sequence[str]) -> list[Block]:
    """The tables of each class against the rest, where the spec asks for them."""
    own = [t for t in contents.tables.values() if view_of(t) == view and t.label in labels]
    captions = (f"{t.id} · {label_text(t.label)} against the rest" for t in own)
    tables = [
        count_table(contents, table, caption=caption)
        for table, caption in zip(own, captions, strict=True)
    ]
    return list(abreast(tables))


def against_the_rest(whole: Table | None, label: str) -> dict[str, Any] | None:
    """TN, FP, FN and TP of one class; none where some predictions are of no class."""
    if whole is None or whole.extra_columns:
        return None
    if label not in whole.labels:
        return None
    k = whole.labels.index(label)
    found = dict.fromkeys(("TN", "FP", "FN", "TP"), 0)
    for (i, j), count in cell_counts(whole).items():
        found[role_text(int(i != k), int(j != k), 0)] += count
    return found


def _per_class(contents: Contents, view: View, labels: Sequence[str]) -> list[Block]:
    by_label: dict[str, list[Measure]] = {}
    for m in contents.pooled(view):
        if m.label is not None and m.average is None:
            by_label.setdefault(m.label, []).append(m)
    if not by_label:
        return []
    shown = [x for x in labels if x in by_label][:MOST_LINES]
    whole = None if contents.has_sets(view) else first_table(contents, view)
    rows = [Row((label_text(x),), tuple(by_label[x]), x, against_the_rest(whole, x)) for x in shown]
    blocks: list[Block] = []
    if len(by_label) > len(shown):
        blocks.append(
            Text(
                f"{len(shown)} of {len(by_label)} classes, in their declared order; "
                "the others are in results.json and measures.csv."
            )
        )
    mark = contents.mark(view)
    return [
        *blocks,
        *measures_strip(
            contents,
            f"Each class against the rest, {mark.symbol} {mark.name}",
            rows,
            [Column("class", "left", "18%")],
            flat=False,
            with_model=False,
        ),
    ]
