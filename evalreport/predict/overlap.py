"""Rows that a tested dataset shares with the one a model was trained or tuned on.

By id, by group (person, site, ...), and by content: rows that are equal in every column
compared. Values are compared as :func:`plain_value` writes them, so that 5.10 in a text
file and 5.1 in a Parquet file are one value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import quoted
from evalreport.data.table import RawColumn, RawTable
from evalreport.predict.coincidence import more_than_chance

Use = Literal["training", "tuning"]

_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
#: From here on a double does not tell every whole number.
_EXACT = 2.0**53

#: What is said of rows shared, by what they were compared by.
_SHARED = {
    "id": "have an id that occurs in {other}",
    "group": "belong to a group of {other}",
    "content": "equal, in each of the columns compared ({columns}), a row of {other}",
}
_MEANING = {
    ("training", "id"): "rows trained on are tested",
    ("training", "group"): "relatives of rows trained on are tested",
    ("training", "content"): "rows trained on may be tested",
    ("tuning", "id"): "labels of tested rows took part in choosing the parameters",
    ("tuning", "group"): "labels of their relatives took part in choosing the parameters",
    ("tuning", "content"): "labels of tested rows may have been used to choose the parameters",
}
_VERB = {"training": "trained", "tuning": "tuned"}


@dataclass(frozen=True)
class Overlap:
    """What the rows of a tested dataset share with one that some models learned from.

    ``other``: that dataset; ``use``: ``training`` or ``tuning``. ``by``: ``id``, ``group``
    or ``content``. ``columns``: those of the tested dataset that were compared. ``rows`` of
    ``of`` tested rows are shared; None where ``reason`` says why that was not counted.
    ``by_chance``: so many rows are equal by coincidence of few values.
    """

    dataset: str
    other: str
    use: Use
    models: tuple[str, ...]
    by: str
    columns: tuple[str, ...]
    rows: int | None
    of: int | None
    reason: str | None = None
    by_chance: bool = False

    def sentence(self) -> str | None:
        """What a reader should know; None where nothing is shared but by chance."""
        names = ", ".join(quoted(model) for model in self.models)
        verb = "was" if len(self.models) == 1 else "were"
        other = f"{quoted(self.other)}, on which {names} {verb} {_VERB[self.use]}"
        if self.rows is None:
            return (
                f"Whether rows of {quoted(self.dataset)} occur in {other}, was not counted: "
                f"{self.reason}."
            )
        if not self.rows or self.by_chance:
            return None
        what = _SHARED[self.by].format(other=other, columns=len(self.columns))
        return (
            f"{self.rows:,} of {self.of:,} rows of {quoted(self.dataset)} {what}: "
            f"{_MEANING[self.use, self.by]}."
        )


def plain_value(value: Any) -> str:
    """A value as text, the same for the same number however it is stored.

    Text with leading zeros is no number: ``007`` is not ``7``.

    >>> [plain_value(v) for v in (5, 5.0, "5.00", "+5", -0.0, "1e3", "007", True, 0.1)]
    ['5', '5', '5', '5', '0', '1000', '007', '1', '0.1']
    """
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _plain_number(float(value))
    text = str(value)
    if _WHOLE.fullmatch(text):
        return text.lstrip("+") if text.lstrip("+-") != "0" else "0"
    return _plain_number(float(text)) if _NUMBER.fullmatch(text) else text


def _plain_number(number: float) -> str:
    if number.is_integer() and abs(number) < _EXACT:
        return str(int(number))
    return repr(number)


def shared_values(tested: RawColumn, trained: RawColumn) -> int:
    """Rows whose value occurs in another column; rows without a value share none.

    >>> import numpy as np
    >>> def ids(*values):
    ...     return RawColumn("id", "text", np.array(values, object), np.zeros(len(values), bool))
    >>> shared_values(ids("c", "d", "a", "c"), ids("a", "b", "c"))
    3
    """
    known = set(_plain(trained))
    codes, distinct = tested.factorize()
    is_known = np.array([*(plain_value(value) in known for value in distinct), False])
    return int(is_known[codes].sum())


def _plain(column: RawColumn) -> Iterable[str]:
    return (plain_value(value) for value in column.factorize()[1])


def equal_by_chance(tested: RawTable, trained: RawTable, columns: Sequence[str]) -> bool:
    """Whether chance explains the rows of two tables that are equal in ``columns``."""
    pairs = [_codes(tested.columns[name], trained.columns[name]) for name in columns]
    values = [np.concatenate(both) + 1 for both in pairs]
    own = np.arange(len(values[0])) < len(pairs[0][0])
    return not more_than_chance(values, [own, ~own], own)


def shared_rows(tested: RawTable, trained: RawTable, columns: Sequence[str]) -> int:
    """Rows that equal a row of another table in every one of ``columns``; missing is a value."""
    pairs = [_codes(tested.columns[name], trained.columns[name]) for name in columns]
    rows = _as_bytes([one for one, _ in pairs])
    known = set(_as_bytes([other for _, other in pairs]))
    return sum(row in known for row in rows)


def _codes(
    tested: RawColumn, trained: RawColumn
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The rows of two columns in one numbering of their values, -1 where missing."""
    place: dict[str, int] = {}
    found = []
    for column in (tested, trained):
        codes, distinct = column.factorize()
        own = [place.setdefault(plain_value(value), len(place)) for value in distinct]
        found.append(np.array([*own, -1], np.int32)[codes])
    return found[0], found[1]


def _as_bytes(columns: Sequence[npt.NDArray[np.int32]]) -> list[bytes]:
    rows = np.ascontiguousarray(np.column_stack(columns))
    width = rows.dtype.itemsize * rows.shape[1]
    whole = rows.tobytes()
    return [whole[k : k + width] for k in range(0, len(whole), width)]
