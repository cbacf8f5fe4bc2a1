"""The header row of delimited text: one name per column, and the right delimiter."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from evalreport.data.findings import quoted
from evalreport.errors import DataError, Location, Problem

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
