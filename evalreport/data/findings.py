"""What the data hold that a reader should know of, and how rows are named in messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evalreport.data.dialect import BLANKS
from evalreport.errors import Problem, did_you_mean

if TYPE_CHECKING:
    from evalreport.data.table import RawTable

#: Rows listed in a message before the rest is only counted.
SHOWN_ROWS = 5
_LONGEST_SHOWN = 60
#: The code of what is told of how predictions were made: nothing to beware of.
PROCEDURE = "procedure"


@dataclass(frozen=True)
class Finding:
    """Something that is no mistake but may mislead; it becomes a caution of the report."""

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict, compare=False)


def quoted(text: str) -> str:
    r"""A text as shown in messages: invisible characters escaped, long text cut.

    >>> quoted("a\u200bb")
    "'a\\u200bb'"
    """
    cut = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    if any(ord(c) > 126 and not (c.isprintable() and c != "\u00a0") for c in cut):
        cut = "".join(c if c.isprintable() and c != "\u00a0" else _escaped(c) for c in cut)
        return f"'{cut}'"
    return repr(cut)


def shown_value(value: Any) -> str:
    """A value as shown in messages: a text as ``quoted``, no integer that fills the line."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    return quoted(value) if isinstance(value, str) else repr(value)


def _escaped(character: str) -> str:
    return ascii(character)[1:-1]


def some(names: Sequence[str]) -> str:
    """The first few names, and how many more there are.

    >>> some(["row 1", "row 2"])
    'row 1, row 2'
    """
    shown = ", ".join(names[:SHOWN_ROWS])
    rest = len(names) - SHOWN_ROWS
    return f"{shown} and {rest} more" if rest > 0 else shown


def nearest_column(name: str, header: Sequence[str]) -> str:
    """What to write instead of a column that is not there, as a hint.

    >>> nearest_column("y", ["id", " y"])
    "read: {strip: true}, in the dataset: its name is ' y'"
    """
    padded = next((one for one in header if one != name and one.strip(BLANKS) == name), None)
    if padded is not None:
        return f"read: {{strip: true}}, in the dataset: its name is {quoted(padded)}"
    return did_you_mean(name, header, "columns")


def rows_problem(
    table: RawTable,
    what: str,
    rows: Sequence[int],
    instead: str,
    values: Sequence[str] | None = None,
    count: int | None = None,
) -> Problem:
    """A problem of several rows: the first few named (with their value), the rest counted.

    ``rows`` and ``values`` need hold no more than the first few if ``count`` is given.
    """
    total = len(rows) if count is None else count
    named = [table.row_name(int(row)) for row in rows[:SHOWN_ROWS]]
    if len(once := list(dict.fromkeys(named))) < len(named):  # a line stands for several rows
        what = f"{what} in {', '.join(once)}, {total} rows in all"
        return Problem(what, instead, table.where(int(rows[0])))
    if values is not None:
        named = [f"{row}: {value}" for row, value in zip(named, values, strict=False)]
    rest = f" and {total - len(named)} more" if total > len(named) else ""
    return Problem(f"{what} in {', '.join(named)}{rest}", instead, table.where(int(rows[0])))
