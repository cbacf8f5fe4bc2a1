"""Keys in the place of long names of models.

A name of sixty letters in a narrow column makes every line four lines high. Where names are
long, tables of many lines print a letter for the model and, with several datasets, a number for
the dataset beside the model's mark; what the keys stand for follows the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

from evalreport.report.contents import Contents
from evalreport.report.model import Block, Line, PlainTable, Report, Strip
from evalreport.report.pieces import LineCell, Mark

#: Letters of a name from which on tables print keys.
LONG = 28


def with_short_names(report: Report, contents: Contents) -> Report:
    """The report with keys for the names of models, where these are long and the lines many."""
    marks = [contents.mark(view) for view in contents.views]
    if max((len(mark.name) for mark in marks), default=0) <= LONG:
        return report
    keys = {mark: _key(contents, view) for mark, view in zip(marks, contents.views, strict=True)}
    sections = tuple(
        replace(section, blocks=tuple(_keyed(block, keys) for block in section.blocks))
        for section in report.sections
    )
    return replace(report, sections=sections)


def _key(contents: Contents, view: tuple[str, str]) -> str:
    """A letter for the model, and a number for the dataset where there are several."""
    place = contents.models.index(view[1])
    letters = ascii_uppercase[place % 26] * (place // 26 + 1)
    several = len(contents.datasets) > 1
    return f"{letters}{contents.datasets.index(view[0]) + 1}" if several else letters


def _keyed(block: Block, keys: Mapping[Mark, str]) -> Block:
    if isinstance(block, Strip):
        used = _used(block.lines, keys)
        if not used:
            return block
        lines = tuple(_line(line, keys) for line in block.lines)
        return replace(block, lines=lines, notes=(_legend(used, keys), *block.notes))
    if isinstance(block, PlainTable):
        return _keyed_words(block, keys)
    return block


def _keyed_words(table: PlainTable, keys: Mapping[Mark, str]) -> PlainTable:
    """A table of words with keys in its column of models."""
    at = next((k for k, column in enumerate(table.columns) if column.text == "model"), None)
    if at is None:
        return table
    named = {mark.name: mark for mark in keys}
    used = {
        named[row.cells[at]]: row.cells[at]
        for row in table.rows
        if at < len(row.cells) and row.cells[at] in named
    }
    if not used:
        return table
    rows = tuple(
        replace(
            row,
            cells=tuple(
                keys[named[text]] if k == at and text in named else text
                for k, text in enumerate(row.cells)
            ),
        )
        for row in table.rows
    )
    legend = _legend(sorted(used, key=lambda mark: keys[mark]), keys)
    return replace(table, rows=rows, note=f"{table.note} {legend}".strip())


def _used(lines: Sequence[Line], keys: Mapping[Mark, str]) -> list[Mark]:
    """The marks on these lines, in the order of their keys."""
    found = dict.fromkeys(c.mark for line in lines for c in line.cells if c.mark in keys)
    return sorted((m for m in found if m is not None), key=lambda mark: keys[mark])


def _line(line: Line, keys: Mapping[Mark, str]) -> Line:
    return replace(line, cells=tuple(_cell(cell, keys) for cell in line.cells))


def _cell(cell: LineCell, keys: Mapping[Mark, str]) -> LineCell:
    if cell.mark is None or cell.mark not in keys:
        return cell
    return replace(cell, mark=replace(cell.mark, name=keys[cell.mark]))


def _legend(used: Sequence[Mark], keys: Mapping[Mark, str]) -> str:
    return "; ".join(f"{mark.symbol} {keys[mark]}: {mark.name}" for mark in used) + "."
