"""What is asked of rows that are counted where they lie, and why they may not be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

#: Told how many rows of how many a query has seen.
Watch = Callable[[int, int], None]


def unwatched(_seen: int, _rows: int) -> None:
    """Counting that nobody watches."""


class NotPlainError(Exception):
    """Why rows are to be read by the readers of this package, in words."""


@dataclass(frozen=True)
class Wanted:
    """The ``columns`` asked for, those that hold ``numbers`` only, and the bytes to keep to."""

    columns: tuple[str, ...]
    numbers: frozenset[str] = frozenset()
    memory: int = 400_000_000
    watch: Watch = unwatched


def quoted_text(text: str | None) -> str:
    """A text as a literal of a query, NULL for none.

    >>> quoted_text("it's"), quoted_text(None)
    ("'it''s'", 'NULL')
    """
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"
