"""Pages that are no report: of a history, of what changed, of all series; one value each.

The page is drawn from its blocks as a report is. The same blocks are its text for a terminal and
its Markdown: nothing is told in one of them that the others tell differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from evalreport.lines import one_line
from evalreport.report.columns import Column, laid
from evalreport.report.model import Block, Line, Notes, Section, TableBlock, Text
from evalreport.report.pieces import LineCell
from evalreport.report.words import cell as markdown_cell

R = TypeVar("R")

#: Outcomes as signs before their words, which tell them apart without colour.
SIGNS = {"pass": "✓", "fail": "✗", "not_evaluated": "○", "none": "○", "continue": "→"}
ATTENTION, GOOD = "▲", "●"


@dataclass(frozen=True)
class PageLink:
    """A link to another page of the same site; ``here`` is the page that has it."""

    text: str
    href: str
    here: bool = False
    inner: tuple[PageLink, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page; ``part`` is what it has of a site."""

    title: str
    kicker: str
    version: str
    sections: tuple[Section, ...]
    part: str = ""
    links: tuple[PageLink, ...] = ()


def part(id_: str, title: str, *blocks: Block, intro: str = "") -> Section:
    """A section without a number."""
    return Section(id_, "", title, title, intro, blocks)


def stamp(outcome: str, word: str, aside: str = "") -> LineCell:
    """An outcome as a sign with its word."""
    return LineCell(f"{SIGNS[outcome]} {word}", outcome=outcome, aside=aside)


def table(
    caption: str,
    records: Iterable[R],
    columns: Sequence[Column[R]],
    *notes: str,
    hook: Callable[[R], tuple[str, ...]] | None = None,
) -> TableBlock:
    """A table of a page: a line for each record, whose first cell is its head.

    ``hook`` says what of, for who looks for a line.
    """

    def line(one: R, cells: tuple[str | LineCell, ...]) -> Line:
        first = LineCell(cells[0]) if isinstance(cells[0], str) else cells[0]
        head = first if first.outcome else replace(first, head=True)
        return Line((head, *cells[1:]), hook=() if hook is None else hook(one))

    return TableBlock(caption, *laid(records, columns, line), notes)


def page_text(page: Page, most: int | None = None) -> str:
    """The page for a terminal: tables as aligned lines, of each the first ``most``.

    Charts, and small print on how a page is read, are on the page alone.
    """
    lines: list[str] = []
    for section in page.sections:
        lines += ["", section.title]
        lines += [f"  {line}" for line in (section.intro, *_lines(section, most)) if line]
    return "\n".join(map(one_line, lines[1:]))


def _lines(section: Section, most: int | None) -> Iterator[str]:
    for block in section.blocks:
        if isinstance(block, Text) and block.style != "small":
            yield block.text
        elif isinstance(block, Notes):
            if block.title != section.title:
                yield block.title
            yield from _items(block)
        elif isinstance(block, TableBlock):
            yield from _aligned(block, most)


def _items(block: Notes) -> Iterator[str]:
    for item in block.items:
        sign = ATTENTION if item.severity == "warning" else GOOD
        yield f"{sign} {': '.join((item.title, *item.messages))}"


def _aligned(block: TableBlock, most: int | None) -> Iterator[str]:
    """The rows of a table below its caption, each column as wide as its widest cell."""
    rows = [[_cell(c) for c in line.cells] for line in block.lines[:most]]
    heads = [column.text for column in block.columns]
    widths = [max(map(len, cells)) for cells in zip(heads, *rows, strict=True)]
    if block.caption:
        yield block.caption
    for row in [heads, *rows]:
        told = (
            text.rjust(width) if column.align == "right" else text.ljust(width)
            for text, width, column in zip(row, widths, block.columns, strict=True)
        )
        yield "  ".join(told).rstrip()
    if len(block.lines) > len(rows):
        yield f"and {len(block.lines) - len(rows)} more; all of them with --json or --html"
    yield from block.notes


def _cell(c: str | LineCell) -> str:
    if isinstance(c, str):
        return c
    return f"{c.text} ({c.aside})" if c.aside else c.text


def page_markdown(page: Page) -> str:
    """The page as GitHub-flavoured Markdown, for the description of a change."""
    lines = [f"## {markdown_cell(page.title)}"]
    for section in page.sections:
        lines += ["", f"### {section.title}"]
        lines += [text for text in ("", markdown_cell(section.intro)) if section.intro]
        for block in section.blocks:
            lines += ["", *_markdown(block)]
    return "\n".join(lines)


def _markdown(block: Block) -> Iterator[str]:
    if isinstance(block, Text):
        yield markdown_cell(block.text)
    elif isinstance(block, Notes):
        yield f"**{markdown_cell(block.title)}**"
        yield ""
        yield from (f"- {markdown_cell(line)}" for line in _items(block))
    elif isinstance(block, TableBlock):
        yield _markdown_row(column.text for column in block.columns)
        sides = ("---:" if head.align == "right" else "---" for head in block.columns)
        yield f"|{'|'.join(sides)}|"
        yield from (_markdown_row(map(_cell, line.cells)) for line in block.lines)


def _markdown_row(cells: Iterator[str]) -> str:
    return f"| {' | '.join(map(markdown_cell, cells))} |"
