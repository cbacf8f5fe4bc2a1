"""Folders for what is needed on disk only while a process runs.

A process that is killed cannot remove its own, so a later one does. It removes only
what carries the mark of this package: a folder of the same user, called as these are,
with a file ``.evalreport-owner`` in it that says so and that no process holds locked. The
file appears locked, by a rename, so that a folder which is in use is never taken for one
that was left.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "evalreport-"
OWNER = ".evalreport-owner"
#: What the mark says; a folder whose mark says anything else is somebody else's.
WORDS = b"a folder of evalreport for the time of one process; safe to remove when it has ended\n"

_NAME = re.compile(re.escape(PREFIX) + r"[a-z0-9_]{8}")


class _Swept:
    """The folders this process has looked through; once each is enough."""

    places: set[str] = set()  # noqa: RUF012 - of the process


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A new, empty folder, removed at the end however that comes about. Raises OSError.

    What earlier processes left is removed first, once in each process.
    """
    place = tempfile.gettempdir()
    if place not in _Swept.places:
        _Swept.places.add(place)
        sweep(Path(place))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    held: int | None = None
    try:
        held = _marked(folder)
        inside = folder / "files"
        inside.mkdir(0o700)
        yield str(inside)
    finally:
        _remove(folder)
        if held is not None:
            os.close(held)


def _marked(folder: Path) -> int | None:
    """The descriptor that holds the mark; None on a file system without such locks."""
    from filelock import lock_descriptor

    unmarked = folder / (OWNER + ".new")
    held = os.open(unmarked, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(held, WORDS)
        lock_descriptor(held, blocking=False)
    except OSError:  # a file system without locks: the folder stays unmarked
        os.close(held)
        return None
    except BaseException:
        os.close(held)
        raise
    unmarked.rename(folder / OWNER)
    return held


def sweep(place: Path) -> list[str]:
    """Remove what ended processes left in a folder; the names of what was removed."""
    removed = []
    with suppress(OSError), os.scandir(place) as entries:
        names = [e.name for e in entries if _NAME.fullmatch(e.name) and _own_folder(e)]
        removed = [name for name in names if _left(place / name)]
    return removed


def _own_folder(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        found = entry.stat(follow_symlinks=False)
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return False


def _left(folder: Path) -> bool:
    """Remove a folder if its mark is there and nobody holds it; whether it was removed."""
    from filelock import lock_descriptor

    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        held = os.open(folder / OWNER, flags)
    except OSError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(held).st_mode) or os.read(held, len(WORDS) + 1) != WORDS:
            return False
        if lock_descriptor(held, blocking=False):
            _remove(folder)
    except OSError:
        return False
    finally:
        os.close(held)
    return not folder.exists()


def _remove(folder: Path) -> None:
    """All of a folder, its mark last: what is interrupted here can be taken up again."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in [e for e in entries if e.name != OWNER]:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with suppress(OSError):
                    Path(entry.path).unlink()
    with suppress(OSError):
        (folder / OWNER).unlink()
    with suppress(OSError):
        folder.rmdir()
