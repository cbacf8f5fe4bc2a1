"""What is asked of rows that are counted where they lie, and why they may not be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evalreport.spec.datasets import ClusterTable, Query

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
    """Rows are of more kinds, by some ``columns``, than there is room for."""

    def __init__(self, columns: Sequence[str], room: int) -> None:
        by = ", ".join(columns)
        super().__init__(f"more than {room:,} kinds of rows by {by}, and there is room for no more")


#: So few kinds are held, however low the limit of memory.
LEAST_KINDS = 1_000
#: Bytes that a value of a kind takes at most in a run with every interval (measured with ten
#: million kinds of two scores, a weight or a cluster).
BYTES = 80


@dataclass(frozen=True)
class Wanted:
    """What rows are counted by, and what is kept to.

    ``columns``: those that kinds of rows are told apart by; one that is not there is left out.
    ``numbers``: those of them that hold scores and nothing else. ``query``: what gives the rows,
    where they come from a database; ``table``: where they are one of a cluster. ``count``: the
    column that says how many rows each one stands for.

    ``periods``: columns of dates, each told by its day, week, month, quarter or year; the database
    gives the days.
    ``intervals``: columns of numbers, each told by the lower edge of its interval among these.
    ``grains``: columns of scores, each rounded to a multiple of this.
    ``id``: a column of which it is known only whether a row has one; ``repeats``: whether it may
    stand in several rows. ``memory``: how many bytes the engine may hold, ``room``: how many kinds
    may take.
    """

    columns: tuple[str, ...]
    numbers: frozenset[str] = frozenset()
    memory: int = 400_000_000
    watch: Watcher = UNWATCHED
    query: Query | None = None
    count: str | None = None
    table: ClusterTable | None = None
    periods: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    grains: Mapping[str, float] = field(default_factory=dict)
    id: str | None = None
    repeats: bool = False
    room: int = 1_000_000_000

    def most_kinds(self, columns: int) -> int:
        """How many kinds of so many columns, and their counts, there is room for."""
        return max(LEAST_KINDS, self.room // ((columns + 1) * BYTES))
