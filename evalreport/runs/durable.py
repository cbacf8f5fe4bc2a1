"""Writes that are on the disk when they return, and what is said when they fail.

Covered: full disk, input-output errors, short writes, the process killed at any
point. Not covered: a disk that says it has written what it has not, faulty memory.
"""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, however little the system takes at a time. Raises OSError."""
    rest = memoryview(data)
    while rest:
        written = os.write(descriptor, rest)
        if written == 0:
            raise OSError(errno.EIO, "nothing was written")
        rest = rest[written:]


def write_new_file(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Make a file that must not exist yet, and wait until it is on the disk. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(path, flags, mode)
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are on the disk. Raises OSError.

    File systems that cannot do this for a folder say EINVAL or ENOTSUP; there
    is nothing better to do there.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def remove_folder(path: Path) -> None:
    """Remove a folder and all in it, as far as that is possible.

    Only for folders of our own making that nobody was shown; what cannot be
    removed now is removed by the next run.
    """
    shutil.rmtree(path, ignore_errors=True)


def remove_file(path: Path) -> None:
    """Remove a file or link, as far as that is possible."""
    with suppress(OSError):
        path.unlink()
