"""Tables made to fit the page: wider columns, and keys in the place of long names of models.

Most tables keep the widths they are made with. Where a count, a fraction or an interval is
longer than its column, columns are widened by the letters they hold, at the cost of columns
with room to spare.

A name of sixty letters in a narrow column makes every line four lines high. Where names are
long, tables of many lines print a letter for the model and, with several datasets, a number for
the dataset beside the model's mark; what the keys stand for follows the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

from evalreport.report.contents import Contents
from evalreport.report.model import (
    CONTINUED,
    Block,
    Column,
    Criteria,
    Line,
    PlainTable,
    Report,
    Strip,
    TablePair,
    Tables,
)
from evalreport.report.numbers import THIN
from evalreport.report.pieces import CountCell, CountTable, LineCell, Mark

#: Width of a letter and of the space between columns, in percent of the line.
LETTER, BETWEEN = 0.88, 1.3
#: Size of heads, of limits below a value and of bold figures, as shares of the text's.
HEAD, LIMITS, BOLD = 0.86, 0.8, 1.07
#: Size of the type of a table that would not fit otherwise.
FINE = 0.86
#: Width of a letter and of the space between columns where two tables share the line.
SMALLER = (1.68, 2.2)
#: Letters that the frame around an outcome takes.
FRAMED = 2.0
#: A column of pictures is no narrower than this, in percent.
PICTURE = 6.0
#: Letters that a large classification table has room for: on half a line, and on a whole one.
HALF, WHOLE = 48, 100
#: Letters that a column of counts takes beside its figures.
AROUND = 1.9
#: Lines that a cell of words may take before its column is widened, and by how much at a time.
MOST_HIGH, STEP = 2.0, 0.5
#: Size of the name and the weight of a cell, as a share of the text's.
ROLE = 0.75
#: Width of a figure and of the edges of a cell in tables of many classes, and of the heads of
#: their rows, in percent of the line.
FIGURE, EDGES, LEAST_HEAD, MOST_HEAD = 0.76, 0.42, 15.0, 30.0
#: Larger tables have small type and columns of their own.
MOST_COLUMNS = 8
#: A label may be broken after so many letters.
LABEL = 9


def letters(text: str) -> float:
    """The width of a text in figures: thin spaces and points take less.

    >>> letters("4989"), round(letters("4\u202f989"), 1)
    (4.0, 4.4)
    """
    narrow = sum(text.count(sign) for sign in (THIN, ".", ",", "'", "|", "i", "l"))
    return len(text) - 0.6 * narrow


def with_fitting_columns(report: Report) -> Report:
    """The report with columns that hold what stands in them."""
    sections = tuple(
        replace(section, blocks=_alike([made for one in section.blocks for made in _own(one)]))
        for section in report.sections
    )
    return replace(report, sections=sections)


def _alike(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, the parts of one table in type of one size: small if one of them needs it."""
    fine = {_whole_of(b) for b in blocks if isinstance(b, Strip) and "fine" in b.style.split()}
    return tuple(
        replace(block, style=f"{block.style} fine".strip())
        if isinstance(block, Strip)
        and _whole_of(block) in fine
        and "fine" not in block.style.split()
        else block
        for block in blocks
    )


def _whole_of(part: Strip) -> str:
    return part.caption.removesuffix(CONTINUED)


def _own(block: Block) -> tuple[Block, ...]:
    """The block as it fits; two plain tables one below the other where half a line is short."""
    if not isinstance(block, TablePair):
        return (_fitted(block),)
    made = [_plain(table, SMALLER) for table in block.tables]
    if None in made:
        return tuple(_plain(table) or table for table in block.tables)
    return (replace(block, tables=tuple(table for table in made if table is not None)),)


def _fitted(block: Block) -> Block:
    if isinstance(block, Strip):
        return _strip(block)
    if isinstance(block, Criteria):
        return block if block.style == "results" else _criteria(block)
    if isinstance(block, Tables):
        return _tables(block)
    if isinstance(block, PlainTable):
        return _plain(block) or block
    return block


def _strip(block: Strip) -> Strip:
    columns, fine = _widths(block.columns, block.lines, "one" in block.style.split())
    return replace(block, columns=columns, style=f"{block.style} fine" if fine else block.style)


def _plain(table: PlainTable, sizes: tuple[float, float] = (LETTER, BETWEEN)) -> PlainTable | None:
    """A table of words whose figures have room; None where no widths give it to them."""
    aligned = [column.align for column in table.columns]
    lines = [
        Line(tuple(LineCell(text, how) for text, how in zip(row.cells, aligned, strict=False)))
        for row in table.rows
    ]
    needs = _needs(table.columns, lines, False, _whole, sizes)
    now = _shared(table.columns)
    figures = [k for k, how in enumerate(aligned) if how == "right"]
    if all(now[k] >= needs[k] for k in figures):
        return table
    if sum(needs) <= 100.0:
        return replace(table, columns=_filled(table.columns, now, needs))
    if sizes != (LETTER, BETWEEN):
        return None
    needs = [FINE * need for need in _needs(table.columns, lines, False, _longest_word, sizes)]
    columns = _filled(table.columns, now, needs)
    return replace(table, columns=columns, style=f"{table.style} fine".strip())


def _criteria(block: Criteria) -> Criteria:
    words = (letters(row.word) * HEAD + FRAMED for row in block.rows if row.word)
    outcome = max(words, default=0.0) if block.judged else 0.0
    columns, fine = _widths(block.columns, [row.line for row in block.rows], False, outcome)
    return replace(block, columns=columns, style=f"{block.style} fine" if fine else block.style)


def _widths(
    columns: tuple[Column, ...], lines: Sequence[Line], with_limits: bool, last: float = 0.0
) -> tuple[tuple[Column, ...], bool]:
    """Columns that hold what they need, and whether only smaller type makes room for that.

    ``with_limits``: the template adds the limits and the picture of the last number; ``last``:
    letters that it adds to the last column.
    """
    given_or_shared = _shared(columns)
    now = list(given_or_shared)
    needs = _needs(columns, lines, with_limits, _whole)
    needs[-1] = max(needs[-1], last * LETTER + BETWEEN)
    now = _balanced(columns, lines, now, needs)
    if [f"{width:.1f}" for width in now] != [f"{width:.1f}" for width in given_or_shared]:
        columns = tuple(
            replace(c, width=f"{width:.1f}%") for c, width in zip(columns, now, strict=True)
        )
    if all(width >= need - 0.05 for width, need in zip(now, needs, strict=True)):
        return columns, False
    fine = sum(needs) > 100.0
    if fine:
        needs = _needs(columns, lines, with_limits, _longest_word)
        needs[-1] = max(needs[-1], last * LETTER + BETWEEN)
        needs = [FINE * need for need in needs]
    return _filled(columns, now, needs), fine


def _shared(columns: Sequence[Column]) -> list[float]:
    """The widths that columns have: those without one share what the others leave."""
    given = [float(c.width.rstrip("%")) if c.width else None for c in columns]
    free = sum(width is None for width in given)
    rest = max(0.0, 100.0 - sum(width or 0.0 for width in given))
    return [rest / free if width is None else width for width in given]


def _filled(
    columns: Sequence[Column], now: Sequence[float], needs: Sequence[float]
) -> tuple[Column, ...]:
    """Columns as wide as they need; what is left over goes where there was room to spare."""
    over = max(0.0, 100.0 - sum(needs))
    spare = [max(0.1, width - need) for width, need in zip(now, needs, strict=True)]
    made = [need + over * own / sum(spare) for need, own in zip(needs, spare, strict=True)]
    return tuple(
        replace(column, width=f"{width:.1f}%") for column, width in zip(columns, made, strict=True)
    )


def _balanced(
    columns: Sequence[Column], lines: Sequence[Line], now: list[float], needs: Sequence[float]
) -> list[float]:
    """Widths with room moved to columns of words that take many lines, from others' spare room."""
    words = {
        k: max((_letters_of(line.cells[k]) for line in lines if k < len(line.cells)), default=0)
        for k, column in enumerate(columns)
        if column.align == "left" and column.text
    }
    made = list(now)

    def high(k: int) -> float:
        return words[k] * LETTER / max(made[k] - BETWEEN, 1.0)

    while words:
        tallest = max(words, key=high)
        spare = [
            made[k] - max(need, 1.0) if k not in words or high(k) < high(tallest) - 1 else 0.0
            for k, need in enumerate(needs)
        ]
        giver = max(range(len(made)), key=lambda k: spare[k])
        if high(tallest) <= MOST_HIGH or giver == tallest or spare[giver] < STEP:
            return made
        made[giver] -= STEP
        made[tallest] += STEP
    return made


def _letters_of(cell: LineCell) -> float:
    """Letters of a cell of words."""
    return letters(cell.text) if cell.mark is None else 2 + letters(cell.mark.name) * BOLD


def _needs(
    columns: Sequence[Column],
    lines: Sequence[Line],
    with_limits: bool,
    measured: Callable[[str], float],
    sizes: tuple[float, float] = (LETTER, BETWEEN),
) -> list[float]:
    """The least width of each column, in percent; ``measured``: letters of a text of figures.

    ``sizes`` are those of a letter and of the space between columns, in percent of the line.
    """
    letter, between = sizes
    found = []
    for k, column in enumerate(columns):
        if not column.text:
            found.append(PICTURE)
            continue
        need = _longest_word(column.text) * HEAD * BOLD
        for line in lines:
            if k < len(line.cells):
                need = max(need, _of_cell(line.cells[k], measured))
        found.append(need * letter + between)
    if with_limits:
        last = (line.cells[-1].number for line in lines if line.cells)
        limits = max((measured(n.interval) for n in last if n is not None), default=0.0)
        found[-2] = max(found[-2], limits * letter + between)
    return found


def _whole(text: str) -> float:
    return letters(text)


def _longest_word(text: str) -> float:
    return max((letters(word) for word in text.split(" ")), default=0.0)


def _of_cell(cell: LineCell, measured: Callable[[str], float]) -> float:
    """Letters of a cell that cannot be broken."""
    if cell.number is not None:
        return max(measured(cell.number.text) * BOLD, letters(cell.number.interval) * LIMITS)
    if cell.mark is not None:
        return 2 + min(LABEL, _longest_word(cell.mark.name)) * BOLD
    if cell.align == "right":
        return measured(cell.text) * (BOLD if cell.strong or cell.top else 1)
    return min(LABEL, _longest_word(cell.text))


def _tables(block: Tables) -> Tables:
    """Large tables whose columns share the line by what they hold, and those of many classes."""
    if any(table.columns[0].number for table in block.tables):
        return replace(block, tables=tuple(map(_of_many_classes, block.tables)))
    if not block.large:
        return block
    room = HALF if block.across > 1 else WHOLE
    return replace(block, tables=tuple(_laid(table, room) for table in block.tables))


def _of_many_classes(table: CountTable) -> CountTable:
    """The table with narrow columns of counts, so that names of rows take one line."""
    if not table.columns[0].number:
        return table
    counts = []
    for k, column in enumerate(table.columns):
        texts = (column.number or column.label, *(row.cells[k].text for row in table.rows))
        counts.append(max(map(letters, texts)) * FIGURE + EDGES)
    head = min(MOST_HEAD, max(LEAST_HEAD, 100.0 - sum(counts)))
    rest = (100.0 - head) / sum(counts)
    return replace(
        table, widths=tuple(f"{width:.2f}%" for width in (head, *(rest * c for c in counts)))
    )


def _laid(table: CountTable, room: float) -> CountTable:
    """The table with columns as wide as their counts; names of cells above where that helps."""
    if not _is_long(table):
        return table
    if _needs_of(table).whole > room:
        table = replace(table, crowded="tighter")
    needs = _needs_of(table)
    shares = tuple(f"{100 * part / needs.whole:.1f}%" for part in (needs.head, *needs.columns))
    return replace(table, widths=shares)


@dataclass(frozen=True)
class _Needs:
    """Letters of the head of rows and of each column of a classification table."""

    head: float
    columns: tuple[float, ...]

    @property
    def whole(self) -> float:
        return self.head + sum(self.columns)


def _needs_of(table: CountTable) -> _Needs:
    heads = [min(LABEL, letters(word)) for row in table.rows for word in row.label.split()]
    columns = []
    for k, column in enumerate(table.columns):
        words = [min(LABEL, letters(word)) * HEAD for word in column.label.split()]
        counts = [_of_count(row.cells[k], table) for row in table.rows if k < len(row.cells)]
        columns.append(max([*words, *counts, 0.0]) + AROUND)
    return _Needs(max([*(head * HEAD for head in heads), 7.5]) + 0.6, tuple(columns))


def _of_count(cell: CountCell, table: CountTable) -> float:
    """Letters of a count, with its name and weight where they stand beside it."""
    own = letters(cell.text) * (BOLD if cell.top else 1)
    beside = letters(cell.role + cell.weight) * ROLE
    tight = table.crowded == "tighter"
    return max(own, beside) if tight else own + beside + (0.4 if beside else 0)


def _is_long(table: CountTable) -> bool:
    """Whether some count is of more figures than the usual widths are made for."""
    cells = [cell for row in table.rows for cell in row.cells]
    long = any(len(re.sub(r"\D", "", cell.text)) >= 4 for cell in cells)
    return long and len(table.columns) <= MOST_COLUMNS


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
    if isinstance(block, Criteria):
        used = _used([row.line for row in block.rows], keys)
        if not used:
            return block
        rows = tuple(replace(row, line=_line(row.line, keys)) for row in block.rows)
        return replace(block, rows=rows, notes=(_legend(used, keys),))
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
