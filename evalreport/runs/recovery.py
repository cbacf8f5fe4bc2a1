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

from evalreport.errors import FilesError, VerificationError, explained
from evalreport.runs.durable import remove_file, remove_folder, sync_folder, write_all
from evalreport.runs.history import NAME as HISTORY
from evalreport.runs.history import History, append, line_of_run, line_problems, read_history
from evalreport.runs.lock import lock_now
from evalreport.runs.manifest import file_problems, read_manifest
from evalreport.runs.runs import BUILDING, LINKING, PRUNING, is_plain_folder, is_run_name

OWNER = ".owner"


def recover(runs: Path) -> History:
    """Put right what an interrupted run left; the history as it then is.

    Call it under the lock of RUNS. Raises FilesError when RUNS or its history
    cannot be read or written.
    """
    with explained("cannot repair the history", runs / HISTORY):
        there = sorted(os.listdir(runs))  # noqa: PTH208 - names, not paths: there may be many
        history = _mend_torn_line(runs)
        _finish_pruning(runs, there, history)
        history = _record_unrecorded(runs, there, history)
    for name in there:
        if name.startswith(BUILDING) and not _owner_lives(runs / name):
            remove_folder(runs / name)
        # Made and used under the lock, which we hold: nobody needs it.
        if name.startswith(LINKING):
            remove_file(runs / name)
    return history


def _mend_torn_line(runs: Path) -> History:
    history = read_history(runs)
    if not history.torn:
        return history
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
    return read_history(runs)


def _finish_pruning(runs: Path, there: list[str], history: History) -> None:
    aside = [name for name in there if name.startswith(PRUNING)]
    pruned = history.pruned if aside else frozenset()
    for name in aside:
        run = name.removeprefix(PRUNING)
        if run in pruned:
            remove_folder(runs / name)
        elif not os.path.lexists(runs / run):
            (runs / name).rename(runs / run)


def _record_unrecorded(runs: Path, there: list[str], history: History) -> History:
    unrecorded = [
        runs / name
        for name in there
        if is_run_name(name) and name not in history.names and is_plain_folder(runs / name)
    ]
    if len(unrecorded) != 1:
        return history
    (run,) = unrecorded
    with suppress(FilesError, VerificationError):
        manifest, _ = read_manifest(run)
        if not file_problems(run, manifest):
            # Its name may not be on the disk yet; a line must not come before it.
            sync_folder(runs)
            append(runs, line_of_run(run.name, manifest, recovered=True))
    return read_history(runs)


def _owner_lives(folder: Path) -> bool:
    """Whether a run that is being built still has its process.

    Its process holds a lock on its OWNER file, so numbers of processes, which
    are given again and mean nothing in another container, are not trusted.
    Where there are no locks nobody knows, and it is left alone.
    """
    try:
        descriptor = os.open(folder / OWNER, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        return lock_now(descriptor) is not True
    except OSError:
        return True
    finally:
        os.close(descriptor)
