"""What a query of a spec may take: time, rows, and memory, whatever database it asks.

A few words of SQL can ask for rows without end, or for one value that fills the memory. A
query is watched while it runs and while its rows are fetched.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from evalreport.data.table import RawColumn
from evalreport.errors import LimitError, Location, Problem, UsageError


@dataclass(frozen=True)
class QueryLimits:
    """``seconds`` from the start to the last row; ``rows`` and ``bytes`` of what is fetched.

    ``memory``: bytes by which the process may grow meanwhile. ``value``: bytes of one value,
    where the database can bound it. ``spilled``: bytes of DuckDB's temporary files.
    """

    seconds: float = 600
    rows: int = 500_000_000
    bytes: int = 32 << 30
    memory: int = 4 << 30
    value: int = 16_000_000
    spilled: int = 16 << 30


LIMITS = QueryLimits()

#: Where the operator sets other limits, as in ``seconds=3600, memory=16GiB``. A spec cannot.
VARIABLE = "EVALREPORT_QUERY_LIMITS"
_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_SETTING = re.compile(r"(?P<name>[a-z]+)=(?P<number>[0-9]{1,15})(?P<unit>[KMGT]iB)?", re.ASCII)
#: Limits that are no sizes and so take no unit.
_PLAIN = ("seconds", "rows")


def limits_of(environment: Mapping[str, str]) -> QueryLimits:
    """The limits of this machine: those above, where the operator sets no others.

    Raises UsageError with every part of the setting that is none.

    >>> limits_of({VARIABLE: "seconds=3600, memory=16GiB"}).memory >> 30
    16
    """
    found, problems = {}, []
    for part in filter(None, map(str.strip, environment.get(VARIABLE, "").split(","))):
        match = _SETTING.fullmatch(part)
        name, unit = (match["name"], match["unit"] or "") if match else ("", "")
        known = name in {field.name for field in fields(QueryLimits)}
        amount = int(match["number"]) * _UNITS[unit] if match else 0
        if not known or amount < 1 or (unit and name in _PLAIN):
            problems.append(Problem(f"{VARIABLE} holds {part!r}", _SETTINGS))
        found[name] = amount
    if problems:
        raise UsageError(*problems)
    return replace(LIMITS, **found)


_SETTINGS = (
    "parts such as seconds=3600, rows=1000000000, bytes=64GiB, memory=8GiB, value=64MiB or "
    "spilled=32GiB, with commas between them"
)

#: Where Linux tells how much memory a process holds, in pages.
_PAGES = Path("/proc/self/statm")

#: What a value takes beside its letters.
_EACH = 8


class QueryWatch:
    """Holds one query against its limits; every look raises LimitError past one of them."""

    def __init__(self, name: str, limits: QueryLimits) -> None:
        self.limits = limits
        self._name = name
        self._until = time.monotonic() + limits.seconds
        self._most = resident() + limits.memory
        self._rows = self._bytes = 0

    @property
    def seconds_left(self) -> float:
        """Seconds that the query still has; at least a thousandth."""
        return max(self._until - time.monotonic(), 0.001)

    def look(self) -> None:
        """Look at the clock and at the memory."""
        if time.monotonic() > self._until:
            what = f"takes more than {self.limits.seconds:g} s"
            raise self._over(what, f"a simpler query, or more seconds by {VARIABLE}")
        if resident() > self._most:
            raise self.too_much_memory()

    def counted(self, rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
        """The rows, each counted as it passes."""
        for place, row in enumerate(rows, 1):
            self._count(1, sum(len(v) if isinstance(v, str | bytes) else _EACH for v in row))
            if not place % 1_000:
                self.look()
            yield row

    def fetched(self, columns: list[RawColumn]) -> list[RawColumn]:
        """The columns of an answer, counted."""
        self._count(len(columns[0].missing) if columns else 0, sum(map(_bytes_of, columns)))
        return columns

    def _count(self, rows: int, size: int) -> None:
        self._rows += rows
        self._bytes += size
        if self._rows > self.limits.rows:
            raise self._over(f"gives more than {self.limits.rows:,} rows", "fewer rows")
        if self._bytes > self.limits.bytes:
            what = f"gives more than {self.limits.bytes >> 20:,} MiB"
            raise self._over(what, "fewer rows or columns")

    def too_much_memory(self) -> LimitError:
        """The error for a query that needs more memory than it may take."""
        what = f"takes more than {self.limits.memory >> 20:,} MiB of memory"
        return self._over(what, "fewer rows or columns, or --engine duckdb")

    def _over(self, what: str, instead: str) -> LimitError:
        return LimitError(Problem(f"the query {what}", instead, Location(self._name)))


def _bytes_of(column: RawColumn) -> int:
    """What the values of a column take."""
    if not column.of_objects:
        return column.values.nbytes
    if not column.is_factorized:
        return sum(len(v) if isinstance(v, str) else _EACH for v in column.values.tolist())
    codes, distinct = column.factorize()
    each = [len(v) if isinstance(v, str) else _EACH for v in distinct]
    return int(np.array([*each, 0])[codes].sum())


def resident() -> int:
    """Bytes of memory that this process holds now; at its highest where only that is told."""
    try:
        pages = int(_PAGES.read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # not on this system
        pass
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10
