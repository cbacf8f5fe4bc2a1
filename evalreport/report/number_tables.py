"""The tables that the numbers of a section were counted from: no number without its table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from evalreport.report.columns import left_out
from evalreport.report.contents import Contents
from evalreport.report.count_tables import MOST_WHOLE, abreast, count_table, place_text
from evalreport.report.marking import flat_counts
from evalreport.report.model import (
    Again,
    Block,
    Heading,
    MetricBlock,
    TableBlock,
    TablePair,
    Tables,
    Text,
)
from evalreport.report.pieces import LineCell, Number
from evalreport.report.strips import tables_strip
from evalreport.report.words import label_text
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import Table

#: What tables are called that a section refers to.
TABLES = "The tables of these numbers"
#: Tables added to one section.
MOST_TABLES = 48
#: Tables that a section has though they stand in another one too: whole ones, and ones laid flat.
FEW, FEW_FLAT = 4, 8
#: The section that is to stay one page.
FIRST = "verdict"
#: Sections that are made of the tables that others refer to.
OF_TABLES = ("measures", "subgroups", "periods", "thresholds", "folds")
#: A number, and the table that is laid flat in its row.
_Laid = tuple[Number, str]


def making_order(sections: Iterable[str]) -> list[str]:
    """The sections as they are made: those of tables first, the first page, which sums up, last."""
    return sorted(sections, key=lambda name: (name == FIRST, name not in OF_TABLES))


def with_tables(
    contents: Contents, section: str, blocks: Sequence[Block], stood: set[str]
) -> list[Block]:
    """The blocks of a section with the tables that its numbers were counted from.

    ``stood`` are those of the sections made before it, to which its own are added: what stands
    there is printed again only where it is little, and never on the first page.
    """
    numbers = [pair for block in blocks for pair in _numbers(block)]
    shown = _shown(blocks)
    early = _missing(contents, section, blocks)
    # few tables that stand further down, on another page perhaps, are read at the head too
    headed = section != FIRST and _are_few(contents, early)
    ids = early if headed else [i for i in early if i not in shown]
    small = [i for i in ids if len(contents.tables[i].labels) <= MOST_WHOLE]
    once_more = small if _are_few(contents, small) and section != FIRST else []
    added = [i for i in ids if i not in stood or i in once_more]
    stood |= {*shown, *added}
    few = _are_few(contents, added) and section != FIRST
    tables = _added(contents, added, heads=few)
    whole = _whole([*blocks, *tables])
    apart = dict.fromkeys(number.table for number, laid in numbers if number.table != laid)
    again = [i for i in apart if i in contents.tables and i not in whole]
    # few are read with the numbers below them, many are looked up
    own = [*tables, *blocks] if few else [*blocks, *tables]
    return [*own, *_again(contents, again)]


def _are_few(contents: Contents, ids: Sequence[str]) -> bool:
    """Whether tables leave room for the numbers below them: those of two classes take a line."""
    flat = all(flat_counts(contents.tables[i]) is not None for i in ids)
    return len(ids) <= (FEW_FLAT if flat else FEW)


def _missing(contents: Contents, section: str, blocks: Sequence[Block]) -> list[str]:
    """The tables that neither the block of their number shows nor one before it."""
    before: set[str] = set()
    found: dict[str, None] = {}
    for block in blocks:
        before |= _shown([block])
        for number, _ in _numbers(block):
            needed = _tables_of(contents, section, number)
            found |= {i: None for i in needed if i in contents.tables and i not in before}
    return [*found]


def _strips(blocks: Iterable[Block]) -> Iterator[TableBlock]:
    """The tables with lines, wherever they stand."""
    for block in blocks:
        if isinstance(block, TableBlock):
            yield block
        elif isinstance(block, TablePair):
            yield from block.tables
        elif isinstance(block, Tables) and block.aside is not None:
            yield block.aside


def _numbers(block: Block) -> Iterator[_Laid]:
    """The numbers of a block, each with the table in its row; the row of a card has none."""
    if isinstance(block, MetricBlock):
        yield from ((card.number, "") for card in block.cards)
    for strip in _strips([block]):
        for line in strip.lines:
            for cell in line.cells:
                if isinstance(cell, LineCell) and cell.number is not None:
                    yield cell.number, line.table


def _whole(blocks: Iterable[Block]) -> set[str]:
    """The tables that stand with their classes in rows and columns."""
    return {t.table for block in blocks if isinstance(block, Tables) for t in block.tables}


def _shown(blocks: Sequence[Block]) -> set[str]:
    """The tables that stand whole or laid flat."""
    lines = [line for strip in _strips(blocks) for line in strip.lines]
    cells = (cell for line in lines for cell in line.cells if isinstance(cell, LineCell))
    cards = (card for b in blocks if isinstance(b, MetricBlock) for card in b.cards if card.flat)
    laid = {line.table for line in lines} | {cell.table for cell in cells}
    return _whole(blocks) | laid | {card.number.table for card in cards}


def _tables_of(contents: Contents, section: str, number: Number) -> Sequence[str]:
    """The table of a number, or those that it is a mean over."""
    m = contents.measure_of(number.measure)
    if number.table or m is None:
        return [number.table]
    # on the first page a mean over folds has the range of its folds beside it
    if section == FIRST and m.fold == MEAN_OF_FOLDS:
        return []
    return [i for i in m.tables or () if i is not None]


def _again(contents: Contents, ids: Sequence[str]) -> list[Block]:
    """The whole tables of a section's numbers that it prints laid flat, or another one prints."""
    if not ids:
        return []
    tables = [count_table(contents, contents.tables[i]) for i in ids[:MOST_TABLES]]
    many = "The table" if len(tables) == 1 else f"The {len(tables)} tables"
    return [Again(f"{many} of these numbers, row by row", tuple(abreast(tables)))]


def _added(contents: Contents, ids: list[str], *, heads: bool) -> list[Block]:
    """Tables, those of two classes on a line each."""
    more = left_out(MOST_TABLES, len(ids), "tables")
    found: list[Block] = [Text(more, "small")] if more else []
    pairs = [i for i in ids[:MOST_TABLES] if flat_counts(contents.tables[i]) is not None]
    rows = [(_named(contents, contents.tables[i]), contents.tables[i]) for i in pairs]
    flat = tables_strip(contents, TABLES, rows, ("table", "rows", "class"))
    found += [replace(one, style="many heads whole") for one in flat] if heads else flat
    others = [contents.tables[i] for i in ids[:MOST_TABLES] if i not in pairs]
    found += [Heading(TABLES)] if others and not heads else []
    shown = abreast([count_table(contents, table) for table in others], large=heads)
    return [*found, *(replace(one, whole=heads) for one in shown)]


def _named(contents: Contents, table: Table) -> tuple[str, ...]:
    """The id of a table of two classes, what rows it is of, and the positive class."""
    negative, positive = (label_text(label) for label in table.labels)
    return table.id, place_text(contents, table), f"{positive} against {negative}"
