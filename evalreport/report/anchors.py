"""Places of a page that a link can name: each measure by its id, each heading by its section.

A measure may stand in several places. Its anchor is on its card, else where it stands first,
so that ``#m12`` names one place and no id stands twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evalreport.report.model import (
    Block,
    Criteria,
    Entry,
    Heading,
    Line,
    MetricBlock,
    Notes,
    Report,
    Section,
    Strip,
    Tables,
)
from evalreport.report.parts import Number

#: The style of a strip whose lines are of one measure each.
ONE = "one"


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
    if isinstance(block, Strip):
        whole = ONE in block.style
        return replace(block, lines=tuple(_line(line, whole, cards, given) for line in block.lines))
    if isinstance(block, Criteria):
        rows = tuple(replace(r, line=_line(r.line, True, cards, given)) for r in block.rows)
        return replace(block, rows=rows)
    if isinstance(block, Tables):
        tables = tuple(replace(t, anchor=_first(t.table, given)) for t in block.tables)
        return replace(block, tables=tables)
    return block


def _line(line: Line, whole: bool, cards: set[str], given: set[str]) -> Line:
    """A line; where it is ``whole`` of one measure, that of its last number."""
    at = set(_places(line))
    at = {max(at)} if whole and at else at
    cells = tuple(
        replace(cell, number=_own(cell.number, cards, given))
        if k in at and cell.number is not None
        else cell
        for k, cell in enumerate(line.cells)
    )
    return replace(line, cells=cells)


def _places(line: Line) -> Iterator[int]:
    """Where measures stand in a line."""
    for k, cell in enumerate(line.cells):
        if cell.number is not None and cell.number.measure:
            yield k


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
