"""No number without its table: what a section refers to and does not yet show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from evalreport.report.contents import Contents
from evalreport.report.count_tables import abreast, count_table, place_text
from evalreport.report.marking import FLAT, flat_counts
from evalreport.report.model import (
    Block,
    Column,
    Heading,
    Line,
    LineCell,
    Strip,
    Text,
)
from evalreport.report.parts import CountTable, Number
from evalreport.report.strips import flat_cells
from evalreport.report.words import label_text

#: Tables added to one section.
MOST_TABLES = 48
#: From so many two-class tables on, each is laid flat, on a line.
MANY = 5


def missing_tables(contents: Contents, blocks: list[Block]) -> list[Block]:
    """The tables that numbers in these blocks were counted from and that the blocks lack."""
    shown: set[str] = set()
    wanted: dict[str, None] = {}
    for part in _parts(blocks):
        if isinstance(part, CountTable) or (isinstance(part, Line) and part.table):
            shown.add(part.table)
        elif isinstance(part, Number):
            m = contents.measure_of(part.measure)
            several = () if m is None else m.tables or ()
            named = [part.table] if part.table else [i for i in several if i is not None]
            wanted |= dict.fromkeys(named)
    ids = [i for i in wanted if i not in shown and i in contents.tables]
    if not ids:
        return []
    found: list[Block] = [Heading("The tables of these numbers")]
    if len(ids) > MOST_TABLES:
        found.append(
            Text(f"{MOST_TABLES} of {len(ids)} tables; the others are in results.json.", "small")
        )
    shown_ids = ids[:MOST_TABLES]
    pairs = [i for i in shown_ids if flat_counts(contents.tables[i]) is not None]
    if len(pairs) >= MANY:
        found.append(_flat(contents, pairs))
        shown_ids = [i for i in shown_ids if i not in pairs]
    tables = [count_table(contents, contents.tables[i]) for i in shown_ids]
    return [*found, *abreast(tables)]


def _flat(contents: Contents, ids: list[str]) -> Strip:
    """Two-class tables, one a line."""
    lines = []
    for i in ids:
        table = contents.tables[i]
        negative, positive = (label_text(label) for label in table.labels)
        cells = (
            LineCell(i, head=True),
            LineCell(mark=contents.mark((table.dataset, table.model))),
            LineCell(place_text(contents, table)),
            LineCell(f"{positive} against {negative}"),
            *(flat_cells(table, None, "middle") or ()),
        )
        lines.append(Line(cells, table=i))
    columns = (
        Column("table", "left", "8%"),
        Column("model", "left", "14%"),
        Column("rows and threshold", "left", "30%"),
        Column("class", "left", "24%"),
        *(Column(name, "right", "6%") for name in FLAT),
    )
    caption = "Tables laid flat: TN and FP are the counts of the row of the negative class"
    return Strip(caption, columns, tuple(lines), (), "many")


def _parts(value: Any) -> Iterator[Any]:
    """Every dataclass inside a value, itself included."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _parts(item)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from _parts(getattr(value, field.name))
