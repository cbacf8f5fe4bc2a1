"""One orientation and one order of cells in all classification tables of a report.

Tables are made with actual classes in rows; a template whose readers expect the results of a
test there has them turned, with the sides of their frames. Classes stand in the order of the
labels: read line by line, a table with actual classes in rows gives TN, FP, FN, TP where the
positive class is the last one, and TP, FN, FP, TN where it is the first. A template may have the
positive class first whatever the order of the labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from evalreport.report.contents import Contents
from evalreport.report.pieces import CountCell, CountHead, CountRow, CountTable, Orientation

_Item = TypeVar("_Item")
#: The sides of a frame in a table whose rows and columns change places.
_TURNED_SIDES = str.maketrans("trbl", "lbrt")
#: The same where rows change places with rows, and columns with columns.
_TOP_BOTTOM, _LEFT_RIGHT = str.maketrans("tb", "bt"), str.maketrans("lr", "rl")


def laid_out(table: CountTable, contents: Contents) -> CountTable:
    """The table turned, and its classes in the order that the template has them in."""
    if contents.orientation().transposed:
        table = _transposed(table, contents)
    return _mirrored(table) if contents.words.positive_first else table


def turned_counts(rows: Sequence[Sequence[_Item]], how: Orientation) -> list[list[_Item]]:
    """The rows that are printed of cells by actual and predicted class.

    >>> turned_counts([[5, 1], [2, 9]], Orientation(transposed=True))
    [[5, 2], [1, 9]]
    """
    printed = zip(*rows, strict=True) if how.transposed else rows
    return [list(row) for row in printed]


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


def _transposed(table: CountTable, contents: Contents) -> CountTable:
    """A table of actual classes in rows with the predicted ones in their place."""
    recorded = contents.table_of(table.table)
    cells = zip(*(row.cells for row in table.rows), strict=True)
    rows = [
        CountRow(**vars(head), cells=tuple(map(_turned_cell, own)))
        for head, own in zip(table.columns, cells, strict=True)
    ]
    columns = [
        CountHead(row.label, row.exact, row.strong, row.total, row.number) for row in table.rows
    ]
    return replace(
        table,
        columns=tuple(columns),
        rows=tuple(rows),
        orientation=contents.orientation(None if recorded is None else recorded.dataset),
    )


def _turned_cell(cell: CountCell) -> CountCell:
    return replace(cell, frame=cell.frame.translate(_TURNED_SIDES)) if cell.frame else cell
