"""Tables of records: a column is its head and what it says of a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from evalreport.report.model import Column, Line, TableBlock
from evalreport.report.pieces import LineCell

R = TypeVar("R")
#: Lines below which a table is short, and columns above which it needs the width of the page.
FEW, MANY = 10, 4


@dataclass(frozen=True)
class Field(Generic[R]):
    """A column of a table of records: its head, its cell of a record, and its side.

    Of a cell that is more than words, as a stamp or a link, plain tables have the words.
    """

    head: str
    of: Callable[[R], str | LineCell]
    align: str = "left"


def left(head: str, of: Callable[[R], str | LineCell]) -> Field[R]:
    """A column of words, or of marks of models."""
    return Field(head, of)


def right(head: str, of: Callable[[R], str | LineCell]) -> Field[R]:
    """A column of numbers."""
    return Field(head, of, "right")


def table_of(
    caption: str,
    records: Iterable[R],
    columns: Sequence[Field[R]],
    note: str = "",
    style: str = "",
    row: Callable[[R, tuple[str | LineCell, ...]], Line] | None = None,
) -> TableBlock:
    """A line for each record; ``row`` makes it of a record's cells where it is no plain one.

    >>> made = table_of("Squares", (2, 3), [left("n", str), right("square", lambda n: str(n * n))])
    >>> [line.cells for line in made.lines]
    [('2', '4'), ('3', '9')]
    """
    return plain_table(caption, *laid(records, columns, row), note, style)


def laid(
    records: Iterable[R],
    columns: Sequence[Field[R]],
    row: Callable[[R, tuple[str | LineCell, ...]], Line] | None = None,
) -> tuple[tuple[Column, ...], tuple[Line, ...]]:
    """The heads of columns, and a line of their cells for each record."""
    lines = []
    for one in records:
        cells = tuple(column.of(one) for column in columns)
        lines.append(Line(cells) if row is None else row(one, cells))
    return tuple(Column(column.head, column.align) for column in columns), tuple(lines)


def plain_table(
    caption: str,
    columns: Sequence[Column],
    lines: Sequence[Line],
    note: str = "",
    style: str = "",
) -> TableBlock:
    """A table of words and figures; short ones are kept on one page of paper."""
    kept = "kept" if style != "methods" and len(lines) < FEW else ""
    many = "many" if len(columns) > MANY else ""
    styles = " ".join(filter(None, ("plain", style, kept, many)))
    return TableBlock(caption, tuple(columns), tuple(lines), (note,) if note else (), styles)
