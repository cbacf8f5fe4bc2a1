"""Several specs in one call: one after the other or side by side, one summary, worst status.

A spec that is wrong does not keep back the others. Files that several specs name are
read once, and runs are published in the order of the specs however many are evaluated
side by side.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.cli.progress import Progress
from evalreport.cli.publishing import OneOfSeveral, RunOptions, run_spec
from evalreport.cli.shared_files import SharedFiles
from evalreport.errors import EvalreportError, ExitStatus
from evalreport.record.runs import check_runs
from evalreport.record.signals import stopping_cleanly

if TYPE_CHECKING:
    from evalreport.engine.counting.reads import Reads

Done = tuple[ExitStatus, dict[str, Any]]

#: How long a stopped run has to clean up before it is killed.
GRACE = 5.0


def run_specs(
    specs: Sequence[Path], options: RunOptions, jobs: int, *, quiet: bool
) -> Iterator[Done]:
    """Status and summary of each spec, in the order given; at most ``jobs`` at a time.

    A file that several of them name is read once.
    """
    files = SharedFiles(specs, options)
    if jobs == 1 or len(specs) == 1:
        for place, path in enumerate(specs):
            with Progress(quiet=quiet) as progress:
                yield run_apart(path, options, progress, OneOfSeveral(files.reads_of(place)))
        return
    yield from _side_by_side(specs, options, jobs, files)


def run_apart(path: Path, options: RunOptions, progress: Progress, shared: OneOfSeveral) -> Done:
    """Run one spec; what is wrong with it becomes its summary and is told."""
    try:
        status, summary = run_spec(path, options, progress, check_runs, shared)
    except EvalreportError as error:
        status, summary = _ended(error.status, [str(problem) for problem in error.problems])
    except (OSError, MemoryError) as error:
        status, summary = _ended(ExitStatus.FILES, [f"{path}: {str(error) or 'out of memory'}"])
    except Exception as error:
        if os.environ.get("EVALREPORT_TRACEBACK"):
            raise
        what = f"{path}: this is a bug in evalreport: {type(error).__name__}: {error}"
        status, summary = _ended(ExitStatus.BUG, [what])
    return status, {"spec": path.name, **summary}


def _ended(status: ExitStatus, problems: list[str]) -> Done:
    """The summary of a spec that came to no results."""
    outcome = {"outcome": "error", "status": int(status), "problems": problems, "lines": []}
    return status, outcome


def _side_by_side(
    specs: Sequence[Path], options: RunOptions, jobs: int, files: SharedFiles
) -> Iterator[Done]:
    # a fresh interpreter each: threads of the libraries do not survive a fork
    context = multiprocessing.get_context("spawn")
    waiting = list(enumerate(specs))
    running: dict[Connection, tuple[int, BaseProcess]] = {}
    done: dict[int, Done] = {}
    turns: set[int] = set()
    told = 0
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                place, path = waiting.pop(0)
                ours, theirs = context.Pipe()
                reads = files.reads_of(place)
                started = context.Process(target=_child, args=(path, options, reads, theirs))
                started.start()
                theirs.close()
                running[ours] = (place, started)
            _give_turn(running, told, turns)
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                place, child = running.pop(ready)
                done[place] = _received(ready, child, specs[place])
            while told in done:
                yield done[told]
                told += 1
    finally:
        _stop([child for _, child in running.values()])


def _give_turn(
    running: Mapping[Connection, tuple[int, BaseProcess]], turn: int, given: set[int]
) -> None:
    """Tell the spec whose turn it is, once, that all before it have ended."""
    for ours, (place, _) in running.items():
        if place == turn and place not in given:
            given.add(place)
            # a child that has ended meanwhile needs no turn
            with suppress(OSError):
                ours.send(None)


def _received(receiver: Connection, child: BaseProcess, path: Path) -> Done:
    try:
        found: Done = receiver.recv()
    except EOFError:
        # it ended without a word: killed, or out of memory
        child.join()
        problem = f"{path}: its process ended early with status {child.exitcode}"
        status, summary = _ended(ExitStatus.FILES, [problem])
        found = status, {"spec": path.name, **summary}
    child.join()
    receiver.close()
    return found


def _stop(children: Sequence[BaseProcess]) -> None:
    for child in children:
        child.terminate()
    for child in children:
        child.join(GRACE)
        if child.is_alive():
            child.kill()
            child.join()


def _child(path: Path, options: RunOptions, reads: Reads, ours: Connection) -> None:
    def turn() -> None:
        try:
            ours.recv()
        except EOFError:
            # nobody is left who would be told
            raise SystemExit(int(ExitStatus.TERMINATED)) from None

    with stopping_cleanly(), Progress(quiet=True) as progress:
        ours.send(run_apart(path, options, progress, OneOfSeveral(reads, turn)))
    ours.close()


def tell(problems: Sequence[str]) -> None:
    """Problems of one spec on standard error; control characters as escapes."""
    for problem in problems:
        visible = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in problem)
        print(visible, file=sys.stderr)
