"""One orientation and one order of cells in all classification tables of a report.

Tables are made with actual classes in rows; a template whose readers expect the results of a
test there has them turned, with the sides of their frames. Classes stand in the order of the
labels: read line by line, a table with actual classes in rows gives TN, FP, FN, TP where the
positive class is the last one, and TP, FN, FP, TN where it is the first. Cells that are laid flat
stand in the order in which the tables of the report are read. A template may have the positive
class first whatever the order of the labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from evalreport.report.contents import Contents
from evalreport.report.marking import FLAT, positive_index
from evalreport.report.model import (
    Block,
    Column,
    Criteria,
    Line,
    MetricBlock,
    PlainTable,
    Report,
    Strip,
    TablePair,
    Tables,
)
from evalreport.report.pieces import (
    Card,
    CountCell,
    CountColumn,
    CountRow,
    CountTable,
    LineCell,
    Orientation,
)

_Item = TypeVar("_Item")
#: The sides of a frame in a table whose rows and columns change places.
_TURNED_SIDES = str.maketrans("trbl", "lbrt")
#: The same where rows change places with rows, and columns with columns.
_TOP_BOTTOM, _LEFT_RIGHT = str.maketrans("tb", "bt"), str.maketrans("lr", "rl")


def laid_out(report: Report, contents: Contents) -> Report:
    """The report with every table turned, and flat cells ordered, as its template has it."""
    order = _flat_order(contents)
    turns = contents.orientation().transposed
    first = contents.words.positive_first
    if not turns and not first and order == FLAT:
        return report
    places = tuple(FLAT.index(name) for name in order)
    sections = []
    for section in report.sections:
        blocks = tuple(_ordered(block, places) for block in section.blocks)
        if turns:
            blocks = tuple(_turned(block, contents) for block in blocks)
        if first:
            blocks = tuple(_positive_first(block) for block in blocks)
        sections.append(replace(section, blocks=blocks))
    return replace(report, sections=tuple(sections))


def turned_counts(rows: Sequence[Sequence[_Item]], how: Orientation) -> list[list[_Item]]:
    """The rows that are printed of cells by actual and predicted class.

    >>> turned_counts([[5, 1], [2, 9]], Orientation(transposed=True))
    [[5, 2], [1, 9]]
    """
    printed = zip(*rows, strict=True) if how.transposed else rows
    return [list(row) for row in printed]


def _flat_order(contents: Contents) -> tuple[str, ...]:
    """The four cells as the tables of two classes are read, where they are all read alike."""
    tn, fp, fn, tp = FLAT
    order = (tn, fn, fp, tp) if contents.orientation().transposed else FLAT
    firsts = {
        positive_index(table) == 0
        for table in contents.tables.values()
        if len(table.labels) == 2 and table.positive in table.labels
    }
    mirrored = firsts == {True} or (contents.words.positive_first and bool(firsts))
    return order[::-1] if mirrored else order


# -- tables and pictures turned ------------------------------------------------------------


def _turned(block: Block, contents: Contents) -> Block:
    if isinstance(block, Tables):
        return replace(block, tables=tuple(transposed(t, contents) for t in block.tables))
    return block


def _positive_first(block: Block) -> Block:
    """A block whose tables of two classes begin with the positive one."""
    if isinstance(block, Tables):
        return replace(block, tables=tuple(map(_mirrored, block.tables)))
    return block


def _mirrored(table: CountTable) -> CountTable:
    """A table of two classes with both changing places where the second is the positive one."""
    heads = [c for c in table.columns if not c.total]
    if len(heads) != 2 or not heads[1].strong:
        return table
    columns = (*table.columns[1::-1], *table.columns[2:])
    cells = _swapped([row.cells for row in table.rows])
    order = (*table.rows[1::-1], *table.rows[2:])
    rows = tuple(replace(row, cells=own) for row, own in zip(order, cells, strict=True))
    return replace(table, columns=columns, rows=rows)


def _swapped(rows: Sequence[tuple[CountCell, ...]]) -> tuple[tuple[CountCell, ...], ...]:
    """Cells whose first two rows and columns change places, and with them the sides of frames.

    No frame holds both a count and a total, so that each side becomes the one across.
    """
    order = (*rows[1::-1], *rows[2:])
    found = []
    for i, row in enumerate(order):
        cells = []
        for j, cell in enumerate((*row[1::-1], *row[2:])):
            sides = cell.frame.translate(_LEFT_RIGHT) if j < 2 else cell.frame
            sides = sides.translate(_TOP_BOTTOM) if i < 2 else sides
            cells.append(cell if sides == cell.frame else replace(cell, frame=sides))
        found.append(tuple(cells))
    return tuple(found)


def transposed(table: CountTable, contents: Contents) -> CountTable:
    """A table of actual classes in rows with the predicted ones in their place."""
    recorded = contents.table_of(table.table)
    cells = zip(*(row.cells for row in table.rows), strict=True)
    rows = [
        CountRow(
            head.label,
            head.exact,
            head.strong,
            tuple(map(_turned_cell, own)),
            head.total,
            head.number,
        )
        for head, own in zip(table.columns, cells, strict=True)
    ]
    columns = [
        CountColumn(row.label, row.exact, row.strong, row.total, row.number) for row in table.rows
    ]
    return replace(
        table,
        columns=tuple(columns),
        rows=tuple(rows),
        orientation=contents.orientation(None if recorded is None else recorded.dataset),
    )


def _turned_cell(cell: CountCell) -> CountCell:
    return replace(cell, frame=cell.frame.translate(_TURNED_SIDES)) if cell.frame else cell


# -- cells laid flat in order --------------------------------------------------------------


def _ordered(block: Block, places: Sequence[int]) -> Block:
    """A block whose four cells stand in another order; ``places`` are those of ``FLAT``."""
    if isinstance(block, MetricBlock):
        return replace(block, cards=tuple(_card(card, places) for card in block.cards))
    if isinstance(block, TablePair):
        return replace(block, tables=tuple(_table(table, places) for table in block.tables))
    if isinstance(block, PlainTable):
        return _table(block, places)
    if isinstance(block, Strip):
        at = _place(block.columns)
        lines = tuple(_line(line, at, places) for line in block.lines)
        return replace(block, columns=_heads(block.columns, at, places), lines=lines)
    if isinstance(block, Criteria):
        at = _place(block.columns)
        rows = tuple(replace(row, line=_line(row.line, at, places)) for row in block.rows)
        return replace(block, columns=_heads(block.columns, at, places), rows=rows)
    return block


def _heads(
    columns: tuple[Column, ...], at: int | None, places: Sequence[int]
) -> tuple[Column, ...]:
    return columns if at is None else _moved(columns, at, places)


def _table(table: PlainTable, places: Sequence[int]) -> PlainTable:
    at = _place(table.columns)
    if at is None:
        return table
    rows = tuple(
        row if row.head else replace(row, cells=_moved(row.cells, at, places)) for row in table.rows
    )
    return replace(table, columns=_moved(table.columns, at, places), rows=rows)


def _line(line: Line, at: int | None, places: Sequence[int]) -> Line:
    """A line with its four cells in order."""
    below = [cell if len(cell.counts) != len(FLAT) else _below(cell, places) for cell in line.cells]
    line = replace(line, cells=tuple(below))
    if at is None:
        return line
    four = _four(line.cells[at : at + 4], places)
    return replace(line, cells=(*line.cells[:at], *four, *line.cells[at + 4 :]))


def _card(card: Card, places: Sequence[int]) -> Card:
    """A card whose table laid flat is in order."""
    return replace(card, flat=_four(card.flat, places)) if card.flat else card


def _four(cells: tuple[LineCell, ...], places: Sequence[int]) -> tuple[LineCell, ...]:
    """Four cells in order, framed anew: those of one frame may have parted."""
    frames = _frames([cell.frame for cell in cells], places)
    moved = _moved(cells, 0, places)
    return tuple(_framed(cell, frame) for cell, frame in zip(moved, frames, strict=True))


def _below(cell: LineCell, places: Sequence[int]) -> LineCell:
    """A cell with the four counts that stand below its text in order."""
    return replace(cell, counts=_moved(cell.counts, 0, places))


def _framed(cell: LineCell, frame: str) -> LineCell:
    return cell if cell.frame == frame else replace(cell, frame=frame)


def _frames(sides: Sequence[str], places: Sequence[int]) -> list[str]:
    """The sides of frames around cells in another order.

    >>> _frames(["", "", "l", "r"], (0, 2, 1, 3)), _frames(["", "lr", "", "lr"], (0, 2, 1, 3))
    (['', 'lr', '', 'lr'], ['', '', 'l', 'r'])
    """
    groups: list[int | None] = []
    number, inside = 0, False
    for own in sides:
        if "l" in own:
            number, inside = number + 1, True
        groups.append(number if inside else None)
        if "r" in own:
            inside = False
    if max((g or 0 for g in groups), default=0) > 1 and _is_one_region(sides):
        groups = [None if g is None else 1 for g in groups]
    moved: list[int | None] = [None, *(groups[k] for k in places), None]
    return [
        ""
        if moved[k] is None
        else ("l" if moved[k - 1] != moved[k] else "") + ("r" if moved[k + 1] != moved[k] else "")
        for k in range(1, 5)
    ]


def _is_one_region(sides: Sequence[str]) -> bool:
    """Whether the framed cells are apart only for the order: no two frames touch."""
    return not any("r" in left and "l" in right for left, right in pairwise(sides))


def _place(columns: Sequence[Column]) -> int | None:
    """Where the four cells begin among the columns of a table."""
    heads = [column.text for column in columns]
    found = (k for k in range(len(heads) - 3) if tuple(heads[k : k + 4]) == FLAT)
    return next(found, None)


def _moved(items: tuple[_Item, ...], at: int, places: Sequence[int]) -> tuple[_Item, ...]:
    return (*items[:at], *(items[at + k] for k in places), *items[at + 4 :])
