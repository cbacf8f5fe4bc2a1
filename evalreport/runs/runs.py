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
from collections.abc import Container
from datetime import datetime
from pathlib import Path

from evalreport.errors import FilesError, Location, Problem, explained
from evalreport.runs.clock import clock_stamp
from evalreport.runs.durable import remove_file, write_new_file
from evalreport.runs.lock import open_lock
from evalreport.spec.series import LATEST

BUILDING = ".tmp-"
LINKING = ".latest-"
PRUNING = ".pruned-"
NEEDED_BYTES = 16 << 20
NEEDED_FILES = 16

_RUN = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}(-[0-9]+)?")


def check_runs(runs: Path, needed: int = NEEDED_BYTES) -> None:
    """Find out, before any work, whether a run could be published in RUNS.

    A file is written, and removed again, in RUNS, or where RUNS would be made: nothing is left
    behind. Raises FilesError when RUNS is no folder, cannot be made or written, has fewer than
    ``needed`` bytes free or no room for more files, or when something other than a link is called
    ``latest``.
    """
    _check_space(runs, _probe(runs, _ground(runs)), needed)
    _check_latest(runs)


def make_runs(runs: Path) -> None:
    """Make RUNS with its lock, and the folders it is in, unless it is there. Raises FilesError."""
    _ground(runs)
    _check_latest(runs)
    with explained("cannot make the folder of runs", runs):
        runs.mkdir(parents=True, exist_ok=True)
        os.close(open_lock(runs, os.O_RDWR | os.O_CREAT))


def run_folders(runs: Path) -> list[Path]:
    """The folders in RUNS that are named like runs, by name; links are none. Raises FilesError."""
    with explained("cannot list the runs", runs), os.scandir(runs) as entries:
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


def _ground(runs: Path) -> Path:
    """RUNS, or the folder that it would be made in. Raises FilesError."""
    where = Location(str(runs))
    for folder in (runs, *runs.absolute().parents):
        with explained("cannot make the folder of runs", runs):
            try:
                folder.lstat()
            except FileNotFoundError:
                continue
        if not folder.is_dir():
            what = "a link that leads nowhere" if folder.is_symlink() else "not a folder"
            raise FilesError(Problem(what, "choose a folder with -o", where))
        return folder
    raise AssertionError("the root is not a folder")  # pragma: no cover


def _probe(runs: Path, folder: Path) -> os.statvfs_result:
    """Write a file in a folder and remove it again; the room there is."""
    probe = folder / f"{LINKING}{secrets.token_hex(8)}"
    with explained("cannot write in the folder of runs", runs):
        try:
            write_new_file(probe, b"can this folder be written?\n")
            return os.statvfs(folder)
        finally:
            remove_file(probe)


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
    with explained("cannot look at", latest):
        in_the_way = os.path.lexists(latest) and not latest.is_symlink()
    if in_the_way:
        what = "not a link; a run makes `latest` a link to itself"
        raise FilesError(Problem(what, "rename or remove it", Location(str(latest))))
