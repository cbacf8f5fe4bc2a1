"""One order of the four cells in a report: that in which its tables of two classes are read.

Tables have their classes in the order of the labels. Read line by line a table gives TN, FP,
FN, TP where the positive class is the last one, and TP, FN, FP, TN where it is the first.
Cells that are laid flat stand in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from evalreport.report.contents import Contents
from evalreport.report.marking import FLAT, positive_index
from evalreport.report.model import (
    Block,
    Column,
    Criteria,
    Line,
    LineCell,
    PlainTable,
    Report,
    Strip,
    TablePair,
)

_Item = TypeVar("_Item")
_OTHER_SIDE = str.maketrans("lr", "rl")


def in_reading_order(report: Report, contents: Contents) -> Report:
    """The report with flat cells in the order of its tables, where all tables share one."""
    firsts = {
        positive_index(table) == 0
        for table in contents.tables.values()
        if len(table.labels) == 2 and table.positive in table.labels
    }
    if firsts != {True}:
        return report
    sections = tuple(
        replace(section, blocks=tuple(_turned(block) for block in section.blocks))
        for section in report.sections
    )
    return replace(report, sections=sections)


def _turned(block: Block) -> Block:
    if isinstance(block, TablePair):
        return replace(block, tables=tuple(_table(table) for table in block.tables))
    if isinstance(block, PlainTable):
        return _table(block)
    if isinstance(block, Strip):
        at = _place(block.columns)
        if at is None:
            return block
        lines = tuple(_line(line, at) for line in block.lines)
        return replace(block, columns=_reversed(block.columns, at), lines=lines)
    if isinstance(block, Criteria):
        at = _place(block.columns)
        if at is None:
            return block
        rows = tuple(replace(row, line=_line(row.line, at)) for row in block.rows)
        return replace(block, columns=_reversed(block.columns, at), rows=rows)
    return block


def _table(table: PlainTable) -> PlainTable:
    at = _place(table.columns)
    if at is None:
        return table
    rows = tuple(
        row if row.head else replace(row, cells=_reversed(row.cells, at)) for row in table.rows
    )
    return replace(table, columns=_reversed(table.columns, at), rows=rows)


def _line(line: Line, at: int) -> Line:
    """A line with its four cells turned round, and with them the sides of their frames."""
    cells = [_mirrored(c) if at <= k < at + 4 else c for k, c in enumerate(line.cells)]
    return replace(line, cells=_reversed(tuple(cells), at))


def _mirrored(cell: LineCell) -> LineCell:
    return replace(cell, frame=cell.frame.translate(_OTHER_SIDE)) if cell.frame else cell


def _place(columns: Sequence[Column]) -> int | None:
    """Where the four cells begin among the columns of a table."""
    heads = [column.text for column in columns]
    found = (k for k in range(len(heads) - 3) if tuple(heads[k : k + 4]) == FLAT)
    return next(found, None)


def _reversed(items: tuple[_Item, ...], at: int) -> tuple[_Item, ...]:
    return (*items[:at], *items[at : at + 4][::-1], *items[at + 4 :])
