"""Comma- and tab-separated text, read strictly.

It is UTF-8 with the right delimiter, one name for each column in the header, and every row as
wide as the header.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from evalreport.data.dialect import BLANKS, Dialect
from evalreport.data.findings import SHOWN_ROWS, quoted
from evalreport.data.limits import Room
from evalreport.data.table import RawColumn, RawTable
from evalreport.data.utf8 import text_lines
from evalreport.errors import DataError, Location, Problem

_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
#: The first line by which Excel is told what stands between columns.
_SEPARATOR = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
_USUAL = Dialect()
_DECIMAL_COMMA = re.compile(r"(?<![0-9])[+-]?[0-9]+,[0-9]+(?![0-9])")


def check_header(
    header: Sequence[str],
    sample: Callable[[], str],
    name: str,
    delimiter: str,
    columns: Collection[str] | None = None,
    line: int = 1,
) -> None:
    """Refuse an empty file, empty and repeated names, and a file of another delimiter.

    ``sample`` gives the line after the header, if it comes to that; a header that is one
    of the ``columns`` asked for is taken as it is. Raises DataError.
    """
    where = Location(name, line)
    if not header:
        raise DataError(
            Problem(
                "the file is empty or starts with an empty line", "give a header and rows", where
            )
        )
    check_names(header, name, line=line)
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
            f"the name of column {number} contains half of a surrogate pair: {quoted(column)}",
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
_WHOLE = (
    "close the quote, or double a quote that is part of the text; if a backslash precedes it, "
    'read: {escape: "\\\\"}, in the dataset'
)


class Beginning(NamedTuple):
    """The header of delimited text; ``reader`` goes on with the rows.

    Of ``width`` fields the last ones have no column where neither their names nor any of their
    cells hold anything; ``separated``: a first line for Excel names the delimiter.
    """

    reader: Any
    names: list[str]
    width: int
    separated: bool


def beginning(
    stream: BinaryIO,
    name: str,
    delimiter: str,
    columns: Collection[str] | None = None,
    dialect: Dialect = _USUAL,
) -> Beginning:
    """Read the header of delimited text. Raises DataError as ``check_header``."""
    strip = dialect.strip
    lines = text_lines(stream, name, dialect.decoding)
    if dialect.escape is not None:
        lines = _with_doubled_quotes(lines, dialect.escape)
    first = next(lines, "")
    separated = named_delimiter(first)
    mark, line = (delimiter, 1) if separated is None else (separated, 2)
    # a quote after a blank opens a field as well, where blanks are no part of it
    skip = strip and mark != " "
    reader = csv.reader(chain((first,), lines), delimiter=mark, strict=True, skipinitialspace=skip)
    try:
        if separated is not None:
            next(reader)
        header = next(reader, [])
    except csv.Error as error:
        raise DataError(_quoting(str(error), name, line)) from None
    header = named_index([one.strip(BLANKS) for one in header] if strip else header)
    names = _without_blank_end(header)
    check_header(names, lambda: next(lines, ""), name, mark, columns, line)
    return Beginning(reader, names, len(header), separated is not None)


def named_delimiter(line: str) -> str | None:
    """The delimiter that a first line for Excel names, None for any other line.

    >>> named_delimiter("sep=;"), named_delimiter("y;p")
    (';', None)
    """
    found = _SEPARATOR.fullmatch(line)
    return None if found is None else found[1]


def _without_blank_end(header: list[str]) -> list[str]:
    """The header without the columns at its end that have no name, unless none has one.

    >>> _without_blank_end(["y", "", "p", "", " "]), _without_blank_end(["", ""])
    (['y', '', 'p'], ['', ''])
    """
    named = [place for place, name in enumerate(header, 1) if name.strip()]
    return header[: named[-1]] if named else header


def _with_doubled_quotes(lines: Iterator[str], escape: str) -> Iterator[str]:
    """Lines with a quote within quotes doubled that was escaped; outside of quotes as they are.

    >>> list(_with_doubled_quotes(iter(['"a ~"b~" c~~",d~e']), "~"))
    ['"a ""b"" c~",d~e']
    """
    inside = False
    for line in lines:
        if escape not in line:
            inside ^= line.count('"') % 2 == 1
            yield line
            continue
        made, place = [], 0
        while place < len(line):
            sign, after = line[place], line[place + 1 : place + 2]
            if inside and sign == escape and after in (escape, '"') and after:
                made.append('""' if after == '"' else escape)
                place += 2
                continue
            inside ^= sign == '"'
            made.append(sign)
            place += 1
        yield "".join(made)


@dataclass
class _Rows:
    """What is collected while the rows go by."""

    name: str
    header: list[str]
    width: int
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
    dialect: Dialect = _USUAL,
) -> RawTable:
    """Read delimited text from a stream of plain bytes; every value is text, "" is missing.

    ``columns`` are kept (all by default; names not in the file are passed over);
    ``rows`` stops after so many; ``seen`` is told now and then how many were read; the values
    are counted against ``room``. Blanks are taken off names where the dialect says so, not off
    values. Raises DataError with every problem of the file.
    """
    reader, header, width, _ = beginning(stream, name, delimiter, columns, dialect)
    kept = [i for i, column in enumerate(header) if columns is None or column in columns]
    state = _Rows(name, header, width, kept, [[] for _ in kept], line=reader.line_num)
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
    if set(map(len, batch)) != {state.width} or state.blank is not None:
        batch, starts = _full_rows(batch, starts, state)
    if state.width > len(state.header):
        _check_blank_end(batch, starts, state)
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
    width = state.width
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


def _check_blank_end(batch: list[list[str]], starts: Any, state: _Rows) -> None:
    """Report the rows with a value in a column at the end that has no name."""
    named = len(state.header)
    for row, line in zip(batch, starts, strict=True):
        place = next((i for i in range(named, state.width) if row[i].strip()), None)
        if place is not None:
            what = f"column {place + 1} has no name and contains {quoted(row[place])}"
            _report(state, line, what, "name every column")


def _ragged(row: list[str], number: int, line: int, state: _Rows) -> None:
    width = state.width
    fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
    what = f"row {number} has {fields} under a header of {width}"
    instead = "quote fields that contain the delimiter; every row needs a field per column"
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
