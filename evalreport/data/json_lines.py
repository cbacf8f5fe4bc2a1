"""JSON lines: one object per line, each value with the type it is written in."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection
from decimal import Decimal, InvalidOperation
from typing import Any, BinaryIO

from evalreport.data.delimited import check_names
from evalreport.data.findings import SHOWN_ROWS, quoted
from evalreport.data.limits import Room
from evalreport.data.table import RawTable
from evalreport.data.typed_values import column_of
from evalreport.data.utf8 import text_lines
from evalreport.errors import DataError, Location, Problem

_RIGHT = 'write one object per line: {"label": "cat", "score": 0.5}'
_TOLD = 32_768  # rows between two tellings
_LONGEST_INTEGER = 1_000
#: So many characters hold at most 15 digits, which a double tells apart.
_SHORT_FRACTION = 16
#: More digits than the shortest text of any double between 0.00001 and 1 has.
MANY_DIGITS = re.compile("[0-9.]{23}")


def read_json_lines(
    stream: BinaryIO,
    name: str,
    columns: Collection[str] | None = None,
    rows: int | None = None,
    seen: Callable[[int], None] | None = None,
    room: Room | None = None,
    encoding: str = "utf-8",
) -> RawTable:
    """Read JSON lines from a stream of plain bytes; null, NaN and absent keys are missing.

    ``columns``, ``rows``, ``seen`` and ``room`` as in ``read_delimited``. The header is every
    key, in the order of first sight. Raises DataError with the first problems and their count.
    """
    header: dict[str, list[Any]] = {}
    problems: list[Problem] = []
    wrong = count = 0
    for line, text in enumerate(text_lines(stream, name, encoding), 1):
        if count == rows:
            break
        found = _object(text, Location(name, line))
        if isinstance(found, Problem):
            wrong += 1
            if wrong <= SHOWN_ROWS:
                problems.append(found)
            found = {}
        for key, value in found.items():
            _keep(header, key, value, count, columns, room)
        count += 1
        if seen is not None and not count % _TOLD:
            seen(count)
    if wrong > SHOWN_ROWS:
        problems.append(Problem(f"{wrong - SHOWN_ROWS} more wrong lines", "", Location(name)))
    if problems:
        raise DataError(*problems)
    return _table(header, count, name, columns)


def _keep(
    header: dict[str, list[Any]],
    key: str,
    value: Any,
    count: int,
    columns: Collection[str] | None,
    room: Room | None,
) -> None:
    """Put a value below its key, after gaps for the rows without it.

    The gaps are counted too: a key of its own in every line is a column as long as the file.
    """
    kept = header.setdefault(key, [])
    if columns is None or key in columns:
        if room is not None:
            room.take(1 + count - len(kept))
        kept.extend([None] * (count - len(kept)))
        kept.append(value)


def _table(
    header: dict[str, list[Any]], count: int, name: str, columns: Collection[str] | None
) -> RawTable:
    if not count:
        raise DataError(Problem("the file has no rows", _RIGHT, Location(name)))
    check_names(list(header), name)
    kept = {
        key: column_of(key, values + [None] * (count - len(values)), name)
        for key, values in header.items()
        if columns is None or key in columns
    }
    return RawTable(name=name, rows=count, header=tuple(header), columns=kept, first_line=1)


def _object(text: str, where: Location) -> dict[str, Any] | Problem:
    try:
        value = json_value(text)
    except _RepeatedKeyError as error:
        return Problem(f"key {quoted(error.key)} is there twice", "keep one of them", where)
    except RecursionError:
        return Problem("the line is nested too deeply", _RIGHT, where)
    except ValueError as error:
        what = "the line is empty" if not text.strip() else f"the line is not JSON ({error})"
        return Problem(what, _RIGHT, where)
    if not isinstance(value, dict):
        return Problem("the line is not a JSON object", _RIGHT, where)
    return value


class _RepeatedKeyError(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return table


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise ValueError(f"a whole number of {len(digits)} digits")
    return int(digits)


def json_value(text: str) -> Any:
    """The value of a JSON text, no digit lost. Raises ValueError and RecursionError."""
    return json.loads(text, object_pairs_hook=_pairs, parse_int=_integer, parse_float=_fraction)


def _fraction(text: str) -> float | str:
    """The number, or its text where no double is that number: two ids must not become one.

    That is looked at where it can matter: a double of 16 digits or more, more digits than
    any double has, or a number so small that it would be 0.

    >>> _fraction("0.1"), _fraction("9007199254740993.0"), _fraction("1e-400")
    (0.1, '9007199254740993.0', '1e-400')
    """
    number = float(text)
    if len(text) <= _SHORT_FRACTION and number:
        return number
    shortest = repr(number)
    if len(shortest) <= _SHORT_FRACTION and number and not MANY_DIGITS.search(text):
        return number
    try:
        same = math.isinf(number) or Decimal(text) == Decimal(shortest)
    except InvalidOperation:  # an exponent beyond what decimals hold
        same = False
    return number if same else text
