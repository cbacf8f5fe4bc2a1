"""What is asked of rows that are counted where they lie, and why they may not be."""

from __future__ import annotations

from typing import Protocol

from evalreport.spec.datasets import ClusterTable, Query
from evalreport.values import dataclass

#: What to do about rows that an engine does not read as the others do.
OTHER_ENGINE = "the engine auto or memory for this spec, or the rows as Parquet files"


class Watcher(Protocol):
    """Is told how many rows have been seen while files are read or counted."""

    def seen(self, rows: int, total: int | None) -> None:
        """So many ``rows`` of ``total``, of the present pass; None where that is not known."""

    def done(self, rows: int) -> None:
        """A dataset is done: it has so many rows."""


class Unwatched:
    """Nobody watches."""

    def seen(self, rows: int, total: int | None) -> None:
        """Nothing."""

    def done(self, rows: int) -> None:
        """Nothing."""


UNWATCHED = Unwatched()


class NotPlainError(Exception):
    """Why rows are to be read by the readers of this package, in words."""


class TooManyKindsError(NotPlainError):
    """Rows are of more kinds than are counted."""


@dataclass(frozen=True)
class Wanted:
    """The ``columns`` asked for, those that hold ``numbers`` only, and the bytes to keep to.

    ``query``: what gives the rows, where they come from a database; ``table``: where they are one
    of a cluster. ``count``: the column that says how many rows each one stands for.
    """

    columns: tuple[str, ...]
    numbers: frozenset[str] = frozenset()
    memory: int = 400_000_000
    watch: Watcher = UNWATCHED
    query: Query | None = None
    count: str | None = None
    table: ClusterTable | None = None


def quoted_text(text: str | None) -> str:
    """A text as a literal of a query, NULL for none.

    >>> quoted_text("it's"), quoted_text(None)
    ("'it''s'", 'NULL')
    """
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"
