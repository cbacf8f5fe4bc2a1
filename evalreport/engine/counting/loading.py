"""What loading the rows of a dataset takes, and whether there is so much memory."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from evalreport.errors import LimitError, Location, Problem

#: Bytes that a value takes at most while a dataset is loaded, labels as text (measured).
VALUE_BYTES = 100
#: The same for each byte of text when unpacked, where rows are not known beforehand.
TEXT_BYTES = 10

_CGROUP = Path("/sys/fs/cgroup/memory.max")


def machine_bytes() -> int | None:
    """The memory of this machine, or what its container may take; None where neither is told."""
    found = []
    with suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        found.append(int(_CGROUP.read_text(encoding="ascii")))
    return min(found, default=None)


def told(size: int) -> str:
    """A size in words.

    >>> told(2_340_000_000), told(40_000_000)
    ('2.3 GB', '40 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 10**9 else f"{size / 1e6:.0f} MB"


def check_room(name: str, needed: int, limit: int | None, why: str) -> None:
    """Raise LimitError where rows that have to be loaded would not fit.

    ``limit`` is what the spec sets; None: the memory of this machine.
    """
    most = machine_bytes() if limit is None else limit
    if most is None or needed <= most:
        return
    whose = "this machine has" if limit is None else "engine.memory_limit allows"
    instead = "fewer rows or columns, or what can be counted where the rows lie"
    raise LimitError(
        Problem(
            f"loading the rows takes about {told(needed)} of memory, and {whose} {told(most)}; "
            f"they are loaded, not counted, because {why}",
            instead if limit is None else f"a higher engine.memory_limit, {instead}",
            Location(name),
        )
    )
