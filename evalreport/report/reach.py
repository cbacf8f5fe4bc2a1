"""No number without its table: what a section refers to and does not yet show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from evalreport.report.contents import Contents
from evalreport.report.count_tables import count_table
from evalreport.report.model import Block, Heading, Line, Tables, Text
from evalreport.report.parts import CountTable, Number

#: Tables added to one section.
MOST_TABLES = 48
#: Columns up to which two tables stand side by side.
ABREAST = 9


def missing_tables(contents: Contents, blocks: list[Block]) -> list[Block]:
    """The tables that numbers in these blocks were counted from and that the blocks lack."""
    shown: set[str] = set()
    wanted: dict[str, None] = {}
    for part in _parts(blocks):
        if isinstance(part, CountTable) or (isinstance(part, Line) and part.table):
            shown.add(part.table)
        elif isinstance(part, Number):
            several = contents.measure.get(part.measure, {}).get("tables") or ()
            wanted |= dict.fromkeys([part.table] if part.table else several)
    ids = [i for i in wanted if i not in shown and i in contents.tables]
    if not ids:
        return []
    found: list[Block] = [Heading("The tables of these numbers")]
    if len(ids) > MOST_TABLES:
        found.append(
            Text(f"{MOST_TABLES} of {len(ids)} tables; the others are in results.json.", "small")
        )
    tables = [count_table(contents, contents.tables[i]) for i in ids[:MOST_TABLES]]
    narrow = tuple(t for t in tables if len(t.columns) <= ABREAST)
    wide = tuple(t for t in tables if len(t.columns) > ABREAST)
    if narrow:
        found.append(Tables(narrow, 2))
    if wide:
        found.append(Tables(wide, 1))
    return found


def _parts(value: Any) -> Iterator[Any]:
    """Every dataclass inside a value, itself included."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _parts(item)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from _parts(getattr(value, field.name))
