"""Several specs in one call: one after the other or side by side, one summary, worst status.

A spec that is wrong does not keep back the others.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from evalreport.cli.progress import Progress
from evalreport.cli.publishing import RunOptions, run_spec
from evalreport.errors import EvalreportError, ExitStatus
from evalreport.record.runs import check_runs
from evalreport.record.signals import stopping_cleanly

Done = tuple[ExitStatus, dict[str, Any]]

#: How long a stopped run has to clean up before it is killed.
GRACE = 5.0


def run_specs(
    specs: Sequence[Path], options: RunOptions, jobs: int, *, quiet: bool
) -> Iterator[Done]:
    """Status and summary of each spec, in the order given; at most ``jobs`` at a time."""
    if jobs == 1 or len(specs) == 1:
        for path in specs:
            with Progress(quiet=quiet) as progress:
                yield run_apart(path, options, progress)
        return
    yield from _side_by_side(specs, options, jobs)


def run_apart(path: Path, options: RunOptions, progress: Progress) -> Done:
    """Run one spec; what is wrong with it becomes its summary and is told."""
    try:
        status, summary = run_spec(path, options, progress, check_runs)
    except EvalreportError as error:
        problems = [str(problem) for problem in error.problems]
        status, summary = error.status, {
            "outcome": "error", "status": int(error.status), "problems": problems, "lines": [],
        }
    return status, {"spec": path.name, **summary}


def _side_by_side(specs: Sequence[Path], options: RunOptions, jobs: int) -> Iterator[Done]:
    # a fresh interpreter each: threads of the libraries do not survive a fork
    context = multiprocessing.get_context("spawn")
    waiting = list(enumerate(specs))
    running: dict[Connection, tuple[int, BaseProcess]] = {}
    done: dict[int, Done] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                place, path = waiting.pop(0)
                receiver, sender = context.Pipe(duplex=False)
                started = context.Process(target=_child, args=(path, options, sender))
                started.start()
                sender.close()
                running[receiver] = (place, started)
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                place, child = running.pop(ready)
                done[place] = _received(ready, child, specs[place])
    finally:
        _stop([child for _, child in running.values()])
    for place in range(len(specs)):
        yield done[place]


def _received(receiver: Connection, child: BaseProcess, path: Path) -> Done:
    try:
        found: Done = receiver.recv()
    except EOFError:
        # it ended without a word: killed, or out of memory
        child.join()
        problem = f"{path}: its process ended early with status {child.exitcode}"
        status = ExitStatus.FILES
        found = status, {"spec": path.name, "outcome": "error", "status": int(status),
                         "problems": [problem], "lines": []}
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


def _child(path: Path, options: RunOptions, sender: Connection) -> None:
    with stopping_cleanly(), Progress(quiet=True) as progress:
        sender.send(run_apart(path, options, progress))
    sender.close()


def tell(problems: Sequence[str]) -> None:
    """Problems of one spec on standard error; control characters as escapes."""
    for problem in problems:
        visible = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in problem)
        print(visible, file=sys.stderr)
