"""What a query of a spec may take: time and memory, whatever database it asks.

A few words of SQL can ask for rows without end, or for one value that fills the memory. A
query is watched while it runs and while its rows are fetched.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evalreport.errors import LimitError, Location, Problem, UsageError


@dataclass(frozen=True)
class QueryLimits:
    """``seconds`` from the start to the last row, ``memory`` by which the process may grow."""

    seconds: float = 600
    memory: int = 4 << 30

    @property
    def spilled(self) -> int:
        """Bytes that temporary files may take."""
        return 4 * self.memory


LIMITS = QueryLimits()

#: Where the operator sets other limits, as in ``seconds=3600, memory=16GiB``. A spec cannot.
VARIABLE = "EVALREPORT_QUERY_LIMITS"
_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_SETTING = re.compile(r"(seconds|memory)=([0-9]{1,15})([KMGT]iB)?", re.ASCII)


def limits_of(environment: Mapping[str, str]) -> QueryLimits:
    """The limits of this machine: those above, where the operator sets no others.

    Raises UsageError with every part of the setting that is none.

    >>> limits_of({VARIABLE: "seconds=3600, memory=16GiB"}).memory >> 30
    16
    """
    found, problems = {}, []
    for part in filter(None, map(str.strip, environment.get(VARIABLE, "").split(","))):
        match = _SETTING.fullmatch(part)
        name, number, unit = match.groups(default="") if match else ("", "0", "")
        found[name] = int(number) * _UNITS[unit]
        if not found[name] or (unit and name == "seconds"):
            what = f"{VARIABLE} holds {part!r}"
            problems.append(Problem(what, "seconds=3600, memory=8GiB, or one of the two"))
    if problems:
        raise UsageError(*problems)
    return replace(LIMITS, **found)


#: Where Linux tells how much memory a process holds, in pages.
_PAGES = Path("/proc/self/statm")


class QueryWatch:
    """Holds one query against its limits; every look raises LimitError past one of them."""

    def __init__(self, name: str, limits: QueryLimits) -> None:
        self.limits = limits
        self._name = name
        self._until = time.monotonic() + limits.seconds
        self._most = resident() + limits.memory

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

    def too_much_memory(self) -> LimitError:
        """The error for a query that needs more memory than it may take."""
        what = f"takes more than {self.limits.memory >> 20:,} MiB of memory"
        return self._over(what, f"fewer rows or columns, or more memory by {VARIABLE}")

    def _over(self, what: str, instead: str) -> LimitError:
        return LimitError(Problem(f"the query {what}", instead, Location(self._name)))


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
