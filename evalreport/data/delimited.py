"""Comma- and tab-separated text, read strictly.

It is UTF-8 with the right delimiter, one name for each column in the header, and every row as
wide as the header.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from itertools import islice
from operator import itemgetter
from typing import Any, BinaryIO

import numpy as np

from evalreport.data.findings import SHOWN_ROWS, quoted
from evalreport.data.limits import Room
from evalreport.data.table import RawColumn, RawTable
from evalreport.data.utf8 import text_lines
from evalreport.errors import DataError, Location, Problem
from evalreport.values import dataclass

_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_DECIMAL_COMMA = re.compile(r"(?<![0-9])[+-]?[0-9]+,[0-9]+(?![0-9])")


def check_header(
    header: Sequence[str],
    sample: Callable[[], str],
    name: str,
    delimiter: str,
    columns: Collection[str] | None = None,
) -> None:
    """Refuse an empty file, empty and repeated names, and a file of another delimiter.

    ``sample`` gives the line after the header, if it comes to that; a header that is one
    of the ``columns`` asked for is taken as it is. Raises DataError.
    """
    where = Location(name, 1)
    if not header:
        raise DataError(
            Problem(
                "the file is empty or starts with an empty line", "give a header and rows", where
            )
        )
    check_names(header, name, line=1)
    found = _other_delimiter(header, delimiter)
    if found is None or (columns is not None and header[0] in columns):
        return
    ours = _NAMES.get(delimiter, f"'{delimiter}'")
    what = f"columns are separated by {_NAMES[found]}, not by {ours}"
    number = _DECIMAL_COMMA.search(sample()) if found != "," else None
    if number is not None:
        what += f", and numbers have a decimal comma ({number.group()})"
    mark = "\\t" if found == "\t" else found
    comma = ', decimal: ","' if number is not None else ""
    instead = (
        f'read: {{delimiter: "{mark}"{comma}}}, in the dataset; or write {ours} between columns '
        "and a decimal point in numbers"
    )
    raise DataError(Problem(what, instead, where))


def named_index(header: list[str]) -> list[str]:
    """The header with a name for a first column that has none, as an index that was written has.

    The name is the one that pandas gives it.

    >>> named_index(["", "y"]), named_index(["y", ""])
    (['Unnamed: 0', 'y'], ['y', ''])
    """
    if len(header) < 2 or header[0]:
        return header
    name, count = "Unnamed: 0", 0
    while name in header:
        count += 1
        name = f"Unnamed: 0.{count}"
    return [name, *header[1:]]


def check_names(header: Sequence[str], name: str, line: int | None = None) -> None:
    """Refuse empty and repeated column names; all of them in one DataError."""
    where = Location(name, line)
    problems = [
        Problem(f"column {number} has no name", "name every column", where)
        for number, column in enumerate(header, 1)
        if not column.strip()
    ]
    problems += [
        Problem(
            f"the name of column {number} holds half of a surrogate pair: {quoted(column)}",
            "give whole characters",
            where,
        )
        for number, column in enumerate(header, 1)
        if not column.isascii() and any("\ud800" <= c <= "\udfff" for c in column)
    ]
    places: dict[str, list[int]] = {}
    for number, column in enumerate(header, 1):
        places.setdefault(column, []).append(number)
    problems += [
        Problem(
            f"column {quoted(column)} is there {len(found)} times (columns "
            f"{', '.join(map(str, found))})",
            "give each column its own name",
            where,
        )
        for column, found in places.items()
        if len(found) > 1 and column.strip()
    ]
    if problems:
        raise DataError(*problems)


def _other_delimiter(header: Sequence[str], delimiter: str) -> str | None:
    if len(header) != 1:
        return None
    counts = {mark: header[0].count(mark) for mark in _NAMES if mark != delimiter}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] else None


_BATCH = 256  # rows held at once; more only makes reading slower
_TOLD = 128 * _BATCH  # rows between two tellings
_LINE_END = re.compile(r"\r\n|\r|\n")
_WHOLE = "close the quote, or double a quote that is part of the text"


@dataclass
class _Rows:
    """What is collected while the rows go by."""

    name: str
    header: list[str]
    kept: list[int]
    cells: list[list[str]]
    count: int = 0
    line: int = 1  # last line that was taken
    starts: list[int] = field(default_factory=list)
    simple: bool = True  # every row so far is one line
    blank: int | None = None  # first of the empty lines that may be the file's last
    problems: list[Problem] = field(default_factory=list)
    ragged: int = 0


def read_delimited(
    stream: BinaryIO,
    name: str,
    delimiter: str,
    columns: Collection[str] | None = None,
    rows: int | None = None,
    seen: Callable[[int], None] | None = None,
    room: Room | None = None,
) -> RawTable:
    """Read delimited text from a stream of plain bytes; every value is text, "" is missing.

    ``columns`` are kept (all by default; names not in the file are passed over);
    ``rows`` stops after so many; ``seen`` is told now and then how many were read; the values
    are counted against ``room``. Raises DataError with every problem of the file.
    """
    lines = text_lines(stream, name)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header = _header(reader, lines, name, columns)
    kept = [i for i, column in enumerate(header) if columns is None or column in columns]
    state = _Rows(name, header, kept, [[] for _ in kept], line=reader.line_num)
    first_line = state.line + 1
    for batch in _batches(reader, state, rows):
        if room is not None:
            room.take(len(batch) * len(kept))
        _take(batch, reader.line_num, state)
        if seen is not None and not state.count % _TOLD:
            seen(state.count)
    if state.problems:
        raise DataError(*state.problems, *_more_ragged(state))
    if state.count == 0:
        raise DataError(
            Problem("the file has a header and no rows", "give at least one row", Location(name))
        )
    return RawTable(
        name=name,
        rows=state.count,
        header=tuple(header),
        columns={
            header[i]: _column(header[i], cells) for i, cells in zip(kept, state.cells, strict=True)
        },
        lines=None if state.simple else np.array(state.starts, np.int64),
        first_line=first_line if state.simple else None,
    )


def _header(
    reader: Any,
    lines: Iterator[str],
    name: str,
    columns: Collection[str] | None,
) -> list[str]:
    try:
        header = named_index(next(reader, []))
    except csv.Error as error:
        raise DataError(_quoting(str(error), name, 1)) from None
    check_header(header, lambda: next(lines, ""), name, reader.dialect.delimiter, columns)
    return header


def _batches(reader: Any, state: _Rows, rows: int | None) -> Iterator[list[list[str]]]:
    left = rows
    while left is None or left > 0:
        batch: list[list[str]] = []
        size = _BATCH if left is None else min(left, _BATCH)
        try:
            batch.extend(islice(reader, size))
        except csv.Error as error:
            # Rows before the fault are in the batch: their lines tell where it starts.
            complete = state.line + sum(_lines_of(row) for row in batch)
            raise DataError(
                *state.problems, _quoting(str(error), state.name, complete + 1)
            ) from None
        if not batch:
            return
        yield batch
        left = None if left is None else left - len(batch)


def _take(batch: list[list[str]], line: int, state: _Rows) -> None:
    if len(batch) == line - state.line and state.simple and state.blank is None:
        first = state.line + 1
        starts: Any = range(first, first + len(batch))
    else:
        if state.simple:
            state.starts = list(range(state.line + 1 - state.count, state.line + 1))
            state.simple = False
        starts, at = [], state.line + 1
        for row in batch:
            starts.append(at)
            at += _lines_of(row)
    if set(map(len, batch)) != {len(state.header)} or state.blank is not None:
        batch, starts = _full_rows(batch, starts, state)
    for index, cells in zip(state.kept, state.cells, strict=True):
        cells.extend(map(itemgetter(index), batch))
    if not state.simple:
        state.starts.extend(starts)
    state.count += len(batch)
    state.line = line


def _full_rows(
    batch: list[list[str]], starts: Any, state: _Rows
) -> tuple[list[list[str]], list[int]]:
    """The rows as wide as the header; the others become problems, empty last lines do not."""
    width = len(state.header)
    good: list[list[str]] = []
    lines: list[int] = []
    for row, line in zip(batch, starts, strict=True):
        if not row:
            state.blank = state.blank or line
            continue
        if state.blank is not None:
            _report(state, state.blank, "the line is empty", "take it out")
            state.blank = None
        if len(row) != width:
            _ragged(row, state.count + len(good) + 1, line, state)
        good.append(row if len(row) == width else [""] * width)
        lines.append(line)
    return good, lines


def _ragged(row: list[str], number: int, line: int, state: _Rows) -> None:
    width = len(state.header)
    what = f"row {number} has {len(row)} fields under a header of {width}"
    instead = "quote fields that hold the delimiter; every row needs a field per column"
    if len(row) > width and all(re.fullmatch(r"[-+]?\d+", part) for part in row[-2:]):
        instead += "; a decimal comma? numbers are written with a point"
    _report(state, line, what, instead)


def _report(state: _Rows, line: int, what: str, instead: str) -> None:
    state.ragged += 1
    if state.ragged <= SHOWN_ROWS:
        state.problems.append(Problem(what, instead, Location(state.name, line)))


def _more_ragged(state: _Rows) -> list[Problem]:
    more = state.ragged - SHOWN_ROWS
    if more <= 0:
        return []
    return [Problem(f"{more} more rows that do not fit the header", "", Location(state.name))]


def _lines_of(row: list[str]) -> int:
    return 1 + sum(len(_LINE_END.findall(cell)) for cell in row)


def _quoting(error: str, name: str, line: int) -> Problem:
    if "unexpected end of data" in error:
        return Problem("a quote is opened here and never closed", _WHOLE, Location(name, line))
    if "field larger than" in error:
        what = f"a field of more than {csv.field_size_limit():,} characters; an unclosed quote?"
        return Problem(what, _WHOLE, Location(name, line))
    return Problem(f"the quoting is wrong ({error})", _WHOLE, Location(name, line))


def _column(name: str, cells: list[str]) -> RawColumn:
    values = np.empty(len(cells), object)
    values[:] = cells
    return RawColumn(name, "text", values, np.asarray(values == "", np.bool_))
