"""A query that a signal stops at once, and that tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

#: Seconds between two looks at how far a query is.
_LOOK = 0.1


def interruptible(
    connection: Any,
    work: Callable[[], T],
    watch: Callable[[float], None] | None = None,
    look: Callable[[], None] = lambda: None,
) -> T:
    """What ``work`` gives, a query of a connection run beside the main thread.

    The connection is one that another thread can interrupt, of DuckDB or of SQLite.

    ``watch`` is told from time to time which share of the rows the query has seen, and
    ``look`` is called as often. A signal, or any other exception, also one of theirs,
    interrupts the query.
    """
    from concurrent.futures import ThreadPoolExecutor
    from concurrent.futures import TimeoutError as StillRunning

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(work)
        try:
            while True:
                try:
                    return answer.result(_LOOK)
                except StillRunning:
                    # It may have ended since; a time-out of its own is then raised here.
                    if answer.done():
                        return answer.result()
                    look()
                    if watch is not None and (share := connection.query_progress()) > 0:
                        watch(min(share / 100, 1.0))
        except BaseException:
            connection.interrupt()
            raise
