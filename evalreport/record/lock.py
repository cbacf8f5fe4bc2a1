"""The lock of a folder of runs: one at a time publishes, repairs or prunes.

It is ``flock`` on RUNS/.lock. The system lets go of it when its holder ends,
however it ends, so a stale lock cannot exist. It is held for milliseconds: runs
that share RUNS compute side by side and publish one after the other.

Some network file systems have no ``flock``. There the lock is the folder
RUNS/.lock.held, which only one can make; after a crash it stays, and the message
asks for its removal, because nothing on such a system tells whether another
computer still holds it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evalreport.errors import ConflictError, FilesError, Location, Problem
from evalreport.record.durable import explained

NAME = ".lock"
HELD = ".lock.held"
WAIT = 30.0
PAUSE = 0.02

_NO_FLOCK = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)


@contextmanager
def runs_lock(runs: Path, wait: float = WAIT) -> Iterator[None]:
    """Hold the lock of RUNS.

    Raises ConflictError when another holds it for more than ``wait`` seconds,
    FilesError when RUNS/.lock cannot be opened.
    """
    with explained("open the lock", runs / NAME):
        descriptor = _open_regular(runs / NAME, os.O_RDWR | os.O_CREAT)
    try:
        by_folder = not _take(descriptor, runs, time.monotonic() + wait, wait)
        try:
            yield
        finally:
            if by_folder:
                (runs / HELD).rmdir()
    finally:
        os.close(descriptor)


@contextmanager
def runs_lock_for_reading(runs: Path, wait: float = WAIT) -> Iterator[None]:
    """Keep others from changing RUNS while it is read, where that is possible.

    A folder that was never locked, cannot be written or has no ``flock`` is
    read as it is: verification must work on a read-only copy. Raises
    ConflictError when another holds the lock for more than ``wait`` seconds.
    """
    try:
        descriptor = _open_regular(runs / NAME, os.O_RDONLY)
    except (OSError, FilesError):
        yield
        return
    try:
        deadline = time.monotonic() + wait
        while (taken := flock_now(descriptor, shared=True)) is False:
            _pause(runs, deadline, wait, "")
        del taken
        yield
    finally:
        os.close(descriptor)


def flock_now(descriptor: int, *, shared: bool = False) -> bool | None:
    """Take a lock if nobody holds it: True taken, False held, None where there is no flock."""
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        if error.errno in _NO_FLOCK:
            return None
        raise
    return True


def _open_regular(path: Path, flags: int) -> int:
    # O_NONBLOCK: somebody's FIFO of this name must not make us wait for ever.
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FilesError(
            Problem("the lock is not a regular file", "remove it", Location(str(path)))
        )
    return descriptor


def _take(descriptor: int, runs: Path, deadline: float, wait: float) -> bool:
    """Wait for the lock; True by flock, False by the folder."""
    while True:
        with explained("take the lock", runs / NAME):
            taken = flock_now(descriptor)
            if taken:
                return True
            if taken is None:
                try:
                    (runs / HELD).mkdir()
                except FileExistsError:
                    pass
                else:
                    return False
        hint = f"; if no run is active, remove {runs / HELD}" if taken is None else ""
        _pause(runs, deadline, wait, hint)


def _pause(runs: Path, deadline: float, wait: float, hint: str) -> None:
    if time.monotonic() >= deadline:
        raise ConflictError(
            Problem(
                f"in use by another run (waited {wait:g} s)",
                f"wait until it has ended, or choose another folder with -o{hint}",
                Location(str(runs)),
            )
        )
    time.sleep(PAUSE)
