"""The lock of a folder of runs: one at a time publishes, repairs or prunes.

It is the lock of the operating system on RUNS/.lock (``filelock``: ``flock``, on Windows
``LockFileEx``). The system lets go of it when its holder ends, however it ends, so a stale lock
cannot exist. Runs hold it for milliseconds: those that share RUNS compute side by side and
publish one after the other. A verification of RUNS shares it with others as long as it reads;
on Windows, where such locks cannot be shared, they take turns.

Some network file systems have no such locks. There the lock is the file RUNS/.lock.held, which
only one can make; after a crash it is taken over on the computer that made it, and others ask for
its removal, because nothing tells them whether that computer still holds it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evalreport.errors import ConflictError, FilesError, Location, Problem, explained

NAME = ".lock"
HELD = ".lock.held"
WAIT = 30.0
PAUSE = 0.02

#: EBADF: NFS gives no exclusive lock to one who has opened a file for reading alone.
_NO_LOCKS = (
    errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF
)  # fmt: skip


@contextmanager
def runs_lock(runs: Path, wait: float = WAIT) -> Iterator[None]:
    """Hold the lock of RUNS.

    Raises ConflictError when another holds it for more than ``wait`` seconds,
    FilesError when RUNS/.lock cannot be opened.
    """
    with explained("cannot open the lock", runs / NAME):
        descriptor = open_lock(runs, os.O_RDWR | os.O_CREAT)
    try:
        with explained("cannot take the lock", runs / NAME):
            taken = _take(descriptor, runs, wait)
        if taken:
            yield
        else:
            with _marker(runs, wait):
                yield
    finally:
        os.close(descriptor)


@contextmanager
def runs_lock_for_reading(runs: Path, wait: float = WAIT) -> Iterator[None]:
    """Keep others from changing RUNS while it is read, where that is possible.

    Readers share the lock. A folder that was never locked, cannot be written or has no locks is
    read as it is: verification must work on a read-only copy. Raises ConflictError when another
    holds the lock for more than ``wait`` seconds.
    """
    try:
        descriptor = open_lock(runs, os.O_RDONLY)
    except (OSError, FilesError):
        yield
        return
    try:
        _take(descriptor, runs, wait, _shared)
        yield
    finally:
        os.close(descriptor)


def _exclusive(descriptor: int) -> bool:
    from filelock import lock_descriptor

    return lock_descriptor(descriptor, blocking=False)


def _shared(descriptor: int) -> bool:
    """The same lock, of as many readers as there are; ``filelock`` knows no shared ``flock``."""
    if sys.platform == "win32":  # pragma: no cover - another system
        return _exclusive(descriptor)
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_now(descriptor: int, how: Callable[[int], bool] = _exclusive) -> bool | None:
    """Take a lock if nobody holds it: True taken, False held, None where there are no locks."""
    try:
        return how(descriptor)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return None
        raise


def open_lock(runs: Path, flags: int) -> int:
    """A descriptor of RUNS/.lock, with ``O_CREAT`` made. Raises OSError, FilesError."""
    # O_NONBLOCK: somebody's FIFO of this name must not make us wait for ever.
    for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(runs / NAME, flags, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        where = Location(str(runs / NAME))
        raise FilesError(Problem("the lock is not a regular file", "remove it", where))
    return descriptor


def _take(
    descriptor: int, runs: Path, wait: float, how: Callable[[int], bool] = _exclusive
) -> bool:
    """Wait for the lock; False on a file system without locks."""
    deadline = time.monotonic() + wait
    while (taken := lock_now(descriptor, how)) is False:
        if time.monotonic() >= deadline:
            raise _in_use(runs, wait)
        time.sleep(PAUSE)
    return taken is True


@contextmanager
def _marker(runs: Path, wait: float) -> Iterator[None]:
    """Hold the file that is the lock where there are no others."""
    from filelock import SoftFileLock, Timeout

    marker = SoftFileLock(runs / HELD, timeout=wait, poll_interval=PAUSE)
    with explained("cannot take the lock", runs / HELD):
        try:
            marker.acquire()
        except Timeout:
            hint = f"; if no run is active, remove {runs / HELD}"
            raise _in_use(runs, wait, hint) from None
    try:
        yield
    finally:
        marker.release()


def _in_use(runs: Path, wait: float, hint: str = "") -> ConflictError:
    return ConflictError(
        Problem(
            f"in use by another run (waited {wait:g} s)",
            f"wait until it has ended, or choose another folder with -o{hint}",
            Location(str(runs)),
        )
    )
