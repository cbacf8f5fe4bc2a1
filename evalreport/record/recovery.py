"""What an interrupted run left in RUNS, and how the next one puts it right.

| it ended while                     | left behind                     | put right by            |
|------------------------------------|---------------------------------|-------------------------|
| building                           | .tmp-* whose owner has ended    | removing it             |
| after the rename, before the line  | a whole run, not in the history | adding the line, marked |
| writing the line                   | that, and a cut-off line        | cutting it, then adding |
| before `latest` was replaced       | a recorded run, the older link  | the next publication    |
| pruning, before its line           | .pruned-*                       | the old name            |
| pruning, after its line            | .pruned-*                       | removing it             |

A crash leaves at most one run unrecorded, since the next run begins here. If
there are more, or if the one does not match its manifest, it was no crash:
nothing is added, and verify says so.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from evalreport.errors import FilesError, VerificationError
from evalreport.record.chain import line_problems
from evalreport.record.durable import (
    explained,
    remove_file,
    remove_folder,
    sync_folder,
    write_all,
)
from evalreport.record.files import file_problems
from evalreport.record.history import NAME as HISTORY
from evalreport.record.history import append, read_history, run_fields
from evalreport.record.lock import flock_now
from evalreport.record.manifest import read_manifest
from evalreport.record.runs import BUILDING, LINKING, PRUNING, folders_named, run_folders

OWNER = ".owner"


def recover(runs: Path) -> None:
    """Put right what an interrupted run left. Call it under the lock of RUNS.

    Raises FilesError when RUNS or its history cannot be read or written.
    """
    with explained("repair the history", runs / HISTORY):
        _mend_torn_line(runs)
        _finish_pruning(runs)
        _record_unrecorded(runs)
    for folder in folders_named(runs, BUILDING):
        if not _owner_lives(folder):
            remove_folder(folder)
    # Made and used under the lock, which we hold: nobody needs these.
    for link in folders_named(runs, LINKING):
        remove_file(link)


def _mend_torn_line(runs: Path) -> None:
    history = read_history(runs)
    if not history.torn:
        return
    descriptor = os.open(runs / HISTORY, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if line_problems(history.torn + b"\n"):
            os.ftruncate(descriptor, sum(map(len, history.lines)))
        else:
            os.lseek(descriptor, 0, os.SEEK_END)
            write_all(descriptor, b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _finish_pruning(runs: Path) -> None:
    aside = folders_named(runs, PRUNING)
    pruned = read_history(runs).pruned if aside else frozenset()
    for folder in aside:
        name = folder.name.removeprefix(PRUNING)
        if name in pruned:
            remove_folder(folder)
        elif not os.path.lexists(runs / name):
            folder.rename(runs / name)


def _record_unrecorded(runs: Path) -> None:
    recorded = read_history(runs).runs
    unrecorded = [folder for folder in run_folders(runs) if folder.name not in recorded]
    if len(unrecorded) != 1:
        return
    (run,) = unrecorded
    with suppress(FilesError, VerificationError):
        manifest, _ = read_manifest(run)
        if not file_problems(run, manifest):
            # Its name may not be on the disk yet; a line must not come before it.
            sync_folder(runs)
            append(runs, run_fields(run.name, manifest, recovered=True))


def _owner_lives(folder: Path) -> bool:
    """Whether a run that is being built still has its process.

    Its process holds a lock on its OWNER file, so numbers of processes, which
    are given again and mean nothing in another container, are not trusted.
    Where there is no flock nobody knows, and it is left alone.
    """
    try:
        descriptor = os.open(folder / OWNER, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        return flock_now(descriptor) is not True
    except OSError:
        return True
    finally:
        os.close(descriptor)
