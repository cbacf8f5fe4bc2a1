"""Tables of records: a column is its head and what it says of a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from evalreport.report.model import Column, PlainTable, TableRow
from evalreport.report.pieces import LineCell

R = TypeVar("R")


@dataclass(frozen=True)
class Field(Generic[R]):
    """A column of a table of records: its head, its cell of a record, and its side.

    Of a cell that is more than words, as a stamp or a link, plain tables have the words.
    """

    head: str
    of: Callable[[R], str | LineCell]
    align: str = "left"


def left(head: str, of: Callable[[R], str | LineCell]) -> Field[R]:
    """A column of words."""
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
    row: Callable[[R, tuple[str, ...]], TableRow] | None = None,
) -> PlainTable:
    """A line for each record; ``row`` makes it of a record's cells where it is no plain one.

    >>> made = table_of("Squares", (2, 3), [left("n", str), right("square", lambda n: str(n * n))])
    >>> [row.cells for row in made.rows]
    [('2', '4'), ('3', '9')]
    """
    lines = []
    for one in records:
        cells = tuple(_words(column.of(one)) for column in columns)
        lines.append(TableRow(cells) if row is None else row(one, cells))
    return PlainTable(caption, heads_of(columns), tuple(lines), note, style)


def heads_of(columns: Sequence[Field[R]]) -> tuple[Column, ...]:
    """The heads of a table."""
    return tuple(Column(column.head, column.align) for column in columns)


def _words(cell: str | LineCell) -> str:
    return cell if isinstance(cell, str) else cell.text
