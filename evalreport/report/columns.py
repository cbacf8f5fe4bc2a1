"""Tables of records: a column is its head and what it says of a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from evalreport.report.model import Head, Line, TableBlock
from evalreport.report.pieces import LineCell

R = TypeVar("R")
K = TypeVar("K")
#: Lines below which a table is short, and columns above which it needs the width of the page.
FEW, MANY = 10, 4


@dataclass(frozen=True)
class Column(Generic[R]):
    """A column of a table of records: its head, its cell of a record, and its side.

    Of a cell that is more than words, as a stamp or a link, plain tables have the words.
    """

    head: str
    of: Callable[[R], str | LineCell]
    align: str = "left"


def left(head: str, of: Callable[[R], str | LineCell]) -> Column[R]:
    """A column of words, or of marks of models."""
    return Column(head, of)


def right(head: str, of: Callable[[R], str | LineCell]) -> Column[R]:
    """A column of numbers."""
    return Column(head, of, "right")


def across(
    keys: Iterable[tuple[str, K]], of: Callable[[K, R], str | LineCell], align: str = "right"
) -> list[Column[R]]:
    """A column for each of these keys, after its head: what a record has for the key.

    >>> [column.of({"a": 1}) for column in across([("A", "a")], lambda key, one: str(one[key]))]
    ['1']
    """
    return [Column(head, partial(of, key), align) for head, key in keys]


def table_of(
    caption: str,
    records: Iterable[R],
    columns: Sequence[Column[R]],
    note: str = "",
    style: str = "",
    *,
    strong: Callable[[R], bool] = lambda _: False,
    row: Callable[[R, tuple[str | LineCell, ...]], Line] | None = None,
    most: int | None = None,
    newest: int | None = None,
    noun: str = "lines",
) -> TableBlock:
    """A line for each record, ``strong`` or not; ``row`` makes those that are no plain ones.

    Of more than ``most`` the first stand there, of more than ``newest`` the last; a note says how
    many of how many. Short tables are kept on one page of paper.

    >>> made = table_of("Squares", (2, 3, 4), [left("n", str), right("n²", lambda n: str(n * n))],
    ...                 most=2)
    >>> [line.cells for line in made.lines], made.notes
    ([('2', '4'), ('3', '9')], ('2 of 3 lines; the others are in results.json.',))
    """
    every = tuple(records)
    shown = every[:most] if newest is None else every[-newest:]
    if more := left_out(len(shown), len(every), noun):
        note = f"{note} {'' if newest is None else 'The newest '}{more}".strip()

    def plain(one: R, cells: tuple[str | LineCell, ...]) -> Line:
        return Line(cells, strong=strong(one))

    return _plain(caption, *laid(shown, columns, row or plain), note, style)


def left_out(shown: int, total: int, noun: str) -> str:
    """How many are shown of how many; nothing where all are."""
    return f"{shown} of {total} {noun}; the others are in results.json." if shown < total else ""


def grouped_table(
    caption: str,
    groups: Iterable[tuple[str, Iterable[R]]],
    columns: Sequence[Column[R]],
    note: str = "",
) -> TableBlock:
    """A head for each group, and below it a line for each of its records."""
    heads, _ = laid((), columns)
    lines: list[Line] = []
    for name, records in groups:
        lines.append(Line((name, *[""] * (len(heads) - 1)), head=True))
        lines += laid(records, columns, lambda _, cells: Line(cells, inner=True))[1]
    return _plain(caption, heads, lines, note, "gaps")


def laid(
    records: Iterable[R],
    columns: Sequence[Column[R]],
    row: Callable[[R, tuple[str | LineCell, ...]], Line] | None = None,
) -> tuple[tuple[Head, ...], tuple[Line, ...]]:
    """The heads of columns, and a line of their cells for each record."""
    lines = []
    for one in records:
        cells = tuple(column.of(one) for column in columns)
        lines.append(Line(cells) if row is None else row(one, cells))
    return tuple(Head(column.head, column.align) for column in columns), tuple(lines)


def _plain(
    caption: str, columns: Sequence[Head], lines: Sequence[Line], note: str, style: str
) -> TableBlock:
    kept = "kept" if style != "methods" and len(lines) < FEW else ""
    many = "many" if len(columns) > MANY else ""
    styles = " ".join(filter(None, ("plain", style, kept, many)))
    return TableBlock(caption, tuple(columns), tuple(lines), (note,) if note else (), styles)
