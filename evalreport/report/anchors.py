"""Places of a page that a link can name: each measure by its id, each heading by its section.

A measure may stand in several places. Its anchor is on its card, else where it stands first,
so that ``#m12`` names one place and no id stands twice. A table that a section refers to and
that stands nowhere yet is put there: no number without its table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from evalreport.report.contents import Contents
from evalreport.report.count_tables import MOST_WHOLE, abreast, count_table, place_text
from evalreport.report.marking import flat_counts
from evalreport.report.model import (
    Again,
    Block,
    Column,
    Entry,
    Heading,
    Line,
    MetricBlock,
    Notes,
    Report,
    Section,
    TableBlock,
    Tables,
    Text,
)
from evalreport.report.pieces import Card, CountTable, LineCell, Number
from evalreport.report.strips import tables_strip
from evalreport.report.words import label_text
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import Table


def with_anchors(report: Report) -> Report:
    """The report with an anchor for every measure, table and heading, and entries of contents."""
    blocks = [block for section in report.sections for block in section.blocks]
    cards = {card.number.measure for b in blocks if isinstance(b, MetricBlock) for card in b.cards}
    given: set[str] = set()
    return replace(
        report, sections=tuple(_section(section, cards, given) for section in report.sections)
    )


def _section(section: Section, cards: set[str], given: set[str]) -> Section:
    blocks: list[Block] = []
    entries: list[Entry] = []
    for block in section.blocks:
        named = _entered(block, section.id, entries)
        blocks.append(_anchored(named, cards, given))
    return replace(section, blocks=tuple(blocks), entries=tuple(entries))


def _entered(block: Block, section: str, entries: list[Entry]) -> Block:
    """The block as an entry of the contents, where it has a heading of its own."""
    if not isinstance(block, (Heading, MetricBlock, Notes)):
        return block
    text = block.text if isinstance(block, Heading) else block.title
    anchor = f"{section}-{len(entries) + 1}"
    entries.append(Entry(anchor, text))
    return replace(block, anchor=anchor)


def _anchored(block: Block, cards: set[str], given: set[str]) -> Block:
    """The block with anchors on what stands in it and has none yet."""
    if isinstance(block, MetricBlock):
        own = tuple(replace(card, number=_own(card.number, set(), given)) for card in block.cards)
        return replace(block, cards=own)
    if isinstance(block, TableBlock):
        return replace(block, lines=tuple(_line(line, cards, given) for line in block.lines))
    if isinstance(block, Tables):
        tables = tuple(replace(t, anchor=_first(t.table, given)) for t in block.tables)
        return replace(block, tables=tables)
    return block


def _line(line: Line, cards: set[str], given: set[str]) -> Line:
    """A line; where it is of one measure, that of its last number."""
    cells = [*line.cells]
    for k in reversed(range(len(cells))) if line.whole else range(len(cells)):
        cell = cells[k]
        if isinstance(cell, LineCell) and cell.number is not None and cell.number.measure:
            cells[k] = replace(cell, number=_own(cell.number, cards, given))
            if line.whole:
                break
    return replace(line, cells=tuple(cells))


def _own(number: Number, elsewhere: set[str], given: set[str]) -> Number:
    """The number with its anchor, unless that is or will be in another place."""
    if number.measure in elsewhere:
        return number
    return replace(number, anchor=_first(number.measure, given))


def _first(name: str, given: set[str]) -> str:
    """The name where it was not given yet, and from now on is; else nothing."""
    if name in given:
        return ""
    given.add(name)
    return name


#: What tables are called that a section refers to.
TABLES = "The tables of these numbers"
#: Tables added to one section.
MOST_TABLES = 48
#: Tables that a section has though they stand in another one too.
FEW = 4
#: The section that is to stay one page.
FIRST = "verdict"


def with_tables(contents: Contents, made: Mapping[str, list[Block]]) -> dict[str, list[Block]]:
    """Sections with the tables that their numbers were counted from and that stand nowhere yet.

    They stand in the first section that lacks them; the first page has those that no other
    section has.
    """
    parts = {name: _parts(blocks) for name, blocks in made.items()}
    known = {name: _tables_in(contents, name, parts[name], made) for name in made}
    stood = {i for name, (shown, _) in known.items() for i in shown if name != FIRST}
    found = {name: [*blocks] for name, blocks in made.items()}
    for name in sorted(made, key=lambda name: name == FIRST):
        shown, wanted = known[name]
        ids = [i for i in wanted if i not in shown and i in contents.tables]
        small = [i for i in ids if len(contents.tables[i].labels) <= MOST_WHOLE]
        once_more = small if len(small) <= FEW and name != FIRST else []
        added = [i for i in ids if i not in stood or i in once_more]
        stood.update(added)
        few = len(added) <= FEW and name != FIRST
        tables = _added(contents, added, heads=few)
        whole = {p.table for p in (*parts[name], *_parts(tables)) if isinstance(p, CountTable)}
        again = [i for i in _beside_no_counts(parts[name]) if i not in whole]
        # few are read with the numbers below them, many are looked up
        own = [*tables, *found[name]] if few else [*found[name], *tables]
        found[name] = [*own, *_again(contents, again)]
    return found


def _beside_no_counts(parts: list[Any]) -> list[str]:
    """The tables of numbers that do not stand in the row of their counts."""
    rows = [part for part in parts if isinstance(part, (Line, LineCell)) and part.table]
    counted = {
        id(part)
        for row in rows
        for part in _parts(row)
        if isinstance(part, Number) and part.table == row.table
    }
    numbers = [part for part in parts if isinstance(part, Number)]
    return list(dict.fromkeys(n.table for n in numbers if n.table and id(n) not in counted))


def _tables_in(
    contents: Contents, name: str, parts: list[Any], made: Mapping[str, list[Block]]
) -> tuple[set[str], dict[str, None]]:
    """The tables among the parts of a section, and those that its numbers were counted from."""
    shown: set[str] = set()
    wanted: dict[str, None] = {}
    for part in parts:
        if isinstance(part, CountTable) or (isinstance(part, (Line, LineCell)) and part.table):
            shown.add(part.table)
        elif isinstance(part, Card) and part.flat:
            shown.add(part.number.table)
        elif isinstance(part, Number):
            m = contents.measure_of(part.measure)
            # the parts of a mean over folds have a section of their own
            elsewhere = name == FIRST and "folds" in made
            of_folds = m is not None and m.fold == MEAN_OF_FOLDS
            several = () if m is None or (of_folds and elsewhere) else m.tables or ()
            named = [part.table] if part.table else [i for i in several if i is not None]
            wanted |= dict.fromkeys(named)
    return shown, wanted


def _again(contents: Contents, ids: list[str]) -> list[Block]:
    """The whole tables of a section's numbers that it prints laid flat, or another one prints."""
    tables = [contents.tables[i] for i in ids if i in contents.tables][:MOST_TABLES]
    if not tables:
        return []
    many = "The table" if len(tables) == 1 else f"The {len(tables)} tables"
    shown = abreast([count_table(contents, table) for table in tables])
    return [Again(f"{many} of these numbers, row by row", tuple(shown))]


def _added(contents: Contents, ids: list[str], *, heads: bool) -> list[Block]:
    """Tables, those of two classes on a line each."""
    found: list[Block] = []
    if len(ids) > MOST_TABLES:
        found.append(
            Text(f"{MOST_TABLES} of {len(ids)} tables; the others are in results.json.", "small")
        )
    pairs = [i for i in ids[:MOST_TABLES] if flat_counts(contents.tables[i]) is not None]
    rows = [(_named(contents, contents.tables[i]), contents.tables[i]) for i in pairs]
    flat = tables_strip(contents, TABLES, rows, [*map(Column, ("table", "rows", "class"))])
    found += [replace(one, style="many heads whole") for one in flat] if heads else flat
    others = [contents.tables[i] for i in ids[:MOST_TABLES] if i not in pairs]
    found += [Heading(TABLES)] if others and not heads else []
    shown = abreast([count_table(contents, table) for table in others], large=heads)
    return [*found, *(replace(one, whole=heads) for one in shown)]


def _named(contents: Contents, table: Table) -> tuple[str, ...]:
    """The id of a table of two classes, what rows it is of, and the positive class."""
    negative, positive = (label_text(label) for label in table.labels)
    return table.id, place_text(contents, table), f"{positive} against {negative}"


def _parts(value: Any) -> list[Any]:
    """Every dataclass inside a value, itself included, in their order."""
    found: list[Any] = []
    waiting: list[Any] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (list, tuple)):
            waiting += reversed(one)
        elif names := _fields(one.__class__):
            found.append(one)
            waiting += [getattr(one, name) for name in names]
    return found


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass, from the last; of anything else none."""
    return tuple(field.name for field in reversed(fields(kind))) if is_dataclass(kind) else ()
