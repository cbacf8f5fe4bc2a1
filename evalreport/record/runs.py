"""The folder of runs, RUNS: looked at before any work, and the names in it.

20261121T120000Z-1a2b3c4d      a run: its clock, the start of its spec's sha256
20261121T120000Z-1a2b3c4d-2    another of the same clock and spec
latest                         a link to the newest run
history.jsonl                  the chain of runs
.lock                          held while something here changes
.tmp-<process>-<unique>        a run being built
.latest-<unique>               a link about to become `latest`
.pruned-<run>                  a run about to be removed
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Container
from contextlib import suppress
from datetime import datetime
from itertools import takewhile
from pathlib import Path

from evalreport.errors import FilesError, Location, Problem
from evalreport.record.clock import clock_stamp
from evalreport.record.durable import explained, remove_file, write_new_file
from evalreport.record.lock import NAME as LOCK
from evalreport.spec.series import LATEST

BUILDING = ".tmp-"
LINKING = ".latest-"
PRUNING = ".pruned-"
NEEDED_BYTES = 16 << 20
NEEDED_FILES = 16
ATTEMPTS = 100

_RUN = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}(-[0-9]+)?")


def check_runs(runs: Path, needed: int = NEEDED_BYTES) -> None:
    """Find out, before any work, whether a run could be published in RUNS.

    It is made if need be, a file is written in it, and both are removed again:
    nothing is left behind. Raises FilesError when RUNS is no folder, cannot be
    made or written, has fewer than ``needed`` bytes free or no room for more
    files, or when something other than a link is called ``latest``.
    """
    made: list[Path] = []
    spaces: list[os.statvfs_result] = []

    def look(folder: Path) -> None:
        # Measured before a check that another run does at this moment can remove the folder.
        spaces.append(_probe(folder))

    try:
        _write_in(runs, look, made)
        _check_space(runs, spaces[-1], needed)
        _check_latest(runs)
    finally:
        _remove_made(made)


def make_runs(runs: Path) -> None:
    """Make RUNS, and the folders it is in, unless it is there. Raises FilesError."""
    made: list[Path] = []
    try:
        # With its lock file in it, no check that made it too can remove it again.
        _write_in(runs, _touch_lock, made)
        _check_latest(runs)
    except BaseException:
        _remove_made(made)
        raise


def run_folders(runs: Path) -> list[Path]:
    """The folders in RUNS that are named like runs, by name; links are none. Raises FilesError."""
    with explained("list the runs", runs), os.scandir(runs) as entries:
        found = [e.name for e in entries if is_run_name(e.name) and e.is_dir(follow_symlinks=False)]
    return [runs / name for name in sorted(found)]


def is_plain_folder(path: Path) -> bool:
    """Whether a path is a folder itself, and not a link to one."""
    return path.is_dir() and not path.is_symlink()


def is_run_name(name: str) -> bool:
    """Whether a folder of this name is a run.

    >>> is_run_name("20261121T120000Z-1a2b3c4d-2"), is_run_name("latest")
    (True, False)
    """
    return _RUN.fullmatch(name) is not None


def free_run_name(runs: Path, when: datetime, spec_sha256: str, recorded: Container[str]) -> str:
    """The name of a new run. A name in use, now or ever before, is not given again."""
    first = f"{clock_stamp(when)}-{spec_sha256[:8]}"
    name, count = first, 1
    while name in recorded or os.path.lexists(runs / name):
        count += 1
        name = f"{first}-{count}"
    return name


def _write_in(runs: Path, write: Callable[[Path], None], made: list[Path]) -> None:
    """Make RUNS and write in it, noting in ``made`` the folders that were not there.

    A check that another run does at this moment may remove the folder it made
    while we take it for there; hence more than one attempt.
    """
    with explained("write in the folder of runs", runs):
        left = ATTEMPTS
        while True:
            left -= 1
            _make_missing(runs, made)
            try:
                write(runs)
            except FileNotFoundError:
                if not left:
                    raise
            else:
                return


def _probe(runs: Path) -> os.statvfs_result:
    """Write a file and remove it again; the room there is."""
    probe = runs / f"{LINKING}{secrets.token_hex(8)}"
    try:
        write_new_file(probe, b"can this folder be written?\n")
        with explained("look at the folder of runs", runs):
            return os.statvfs(runs)
    finally:
        remove_file(probe)


def _touch_lock(runs: Path) -> None:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    os.close(os.open(runs / LOCK, flags, 0o666))


def _make_missing(runs: Path, made: list[Path]) -> None:
    """Make RUNS; the folders that were made are added to ``made``, outermost first."""
    inwards = takewhile(lambda folder: not os.path.lexists(folder), [runs, *runs.parents])
    missing = list(inwards)[::-1]
    with explained("make the folder of runs", runs):
        # Another run may make it at the same moment; then it is there, which is enough. Or it
        # removes what it made: then writing in it fails, and there is another attempt.
        with suppress(FileNotFoundError):
            for folder in missing:
                with suppress(FileExistsError):
                    folder.mkdir()
                    made.append(folder)
        there = runs.is_dir()
    if not there and os.path.lexists(runs):
        what = "a link that leads nowhere" if runs.is_symlink() else "not a folder"
        raise FilesError(Problem(what, "choose a folder with -o", Location(str(runs))))


def _remove_made(made: list[Path]) -> None:
    for folder in reversed(made):
        # Not empty any more: another run is using it.
        with suppress(OSError):
            folder.rmdir()


def _check_space(runs: Path, space: os.statvfs_result, needed: int) -> None:
    free = space.f_bavail * space.f_frsize
    hint = "free some space, or choose another folder with -o"
    if free < needed:
        what = f"{free:,} bytes are free, {needed:,} are needed"
        raise FilesError(Problem(what, hint, Location(str(runs))))
    # File systems that count no inodes say 0 of 0.
    if space.f_files and space.f_favail < NEEDED_FILES:
        what = f"room for {space.f_favail} more files, {NEEDED_FILES} are needed"
        raise FilesError(Problem(what, hint, Location(str(runs))))


def _check_latest(runs: Path) -> None:
    latest = runs / LATEST
    with explained("look at", latest):
        in_the_way = os.path.lexists(latest) and not latest.is_symlink()
    if in_the_way:
        what = "not a link; a run makes `latest` a link to itself"
        raise FilesError(Problem(what, "rename or remove it", Location(str(latest))))
