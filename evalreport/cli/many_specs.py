"""Several specs in one call: one after the other or side by side, one summary, worst status.

A spec that is wrong does not keep back the others. Files that several specs name are
hashed and read once, and runs are published in the order of the specs however many are evaluated
side by side.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.cli.progress import Progress
from evalreport.cli.publishing import OneOfSeveral, RunOptions, run_spec
from evalreport.errors import EvalreportError, ExitStatus
from evalreport.runs.runs import check_runs
from evalreport.runs.signals import status_of_signal, stopping_cleanly

if TYPE_CHECKING:
    from evalreport.engine.counting.reads import Held, Key, Reads, SharedReads
    from evalreport.spec.load import LoadedSpec


class SharedFiles:
    """Hands each spec what it needs of the shared files; a file is read when first needed.

    A file that only one spec names is left to it. Nothing is kept longer than until
    its last spec has been handed its part.
    """

    def __init__(self, specs: Sequence[Path], options: RunOptions) -> None:
        from evalreport.engine.counting.reads import files_of

        self._engine = options.engine
        self._users: dict[Key, list[tuple[int, LoadedSpec, str]]] = {}
        self._held: dict[Key, Held | None] = {}
        self.loaded: list[LoadedSpec] = []
        for place, path in enumerate(specs):
            loaded = _loaded(path, options)
            if loaded is None:
                continue
            self.loaded.append(loaded)
            for key, name in files_of(loaded):
                self._users.setdefault(key, []).append((place, loaded, name))
        self._users = {key: users for key, users in self._users.items() if len(users) > 1}

    def reads_of(self, place: int) -> SharedReads:
        """How the spec at this place reads its files; places are asked for in order."""
        from evalreport.engine.counting.reads import SharedReads, columns_of, hold

        found: dict[Key, Held] = {}
        for key, users in self._users.items():
            own = [columns_of(loaded, name) for at, loaded, name in users if at == place]
            if not own:
                continue
            if key not in self._held:
                uses = [(loaded, name) for _, loaded, name in users]
                self._held[key] = hold(uses, self._engine)
            held = self._held[key]
            if held is not None:
                every = None if None in own else frozenset().union(*(c or () for c in own))
                found[key] = held.only(every)
            if all(at <= place for at, _, _ in users):
                del self._held[key]
        return SharedReads(found)


def _loaded(path: Path, options: RunOptions) -> LoadedSpec | None:
    """A spec; None where it is wrong, which its own run will tell."""
    try:
        return options.load(path)
    except EvalreportError:
        return None


Done = tuple[ExitStatus, dict[str, Any]]

#: How long a stopped run has to clean up before it is killed.
GRACE = 5.0

#: What is guessed of a spec, in seconds: by itself, its PDF, models that are fitted.
SPEC_SECONDS, PAPER_SECONDS, FITTING_SECONDS = 0.2, 2.0, 10.0
#: How fast a file is read and evaluated, and how long a worker takes to start.
BYTES_A_SECOND, STARTING = 2e7, 3.0


def run_specs(
    specs: Sequence[Path], options: RunOptions, jobs: int | None, *, quiet: bool
) -> Iterator[Done]:
    """Status and summary of each spec, in the order given; at most ``jobs`` at a time.

    Where ``jobs`` is None, as many as are worth it. A file that several of them name is
    read once.
    """
    files = SharedFiles(specs, options)
    jobs = jobs or worthwhile_jobs(files.loaded, options.formats)
    if jobs == 1 or len(specs) == 1:
        for place, path in enumerate(specs):
            with Progress(quiet=quiet) as progress:
                yield run_apart(path, options, progress, OneOfSeveral(files.reads_of(place)))
        return
    yield from _side_by_side(specs, options, jobs, files)


def run_apart(path: Path, options: RunOptions, progress: Progress, shared: OneOfSeveral) -> Done:
    """Run one spec; what is wrong with it becomes its summary and is told.

    A signal, or the end of the time, stops all specs, also where a library made an error of it.
    """
    try:
        status, summary = run_spec(path, options, progress, check_runs, shared)
    except Exception as error:
        if (stopped := status_of_signal()) is not None:
            raise SystemExit(stopped) from None
        ended = _ended_by(error, path)
        if ended is None:
            raise
        status, summary = ended
    return status, {"spec": path.name, **summary}


def _ended_by(error: Exception, path: Path) -> Done | None:
    """The summary of a spec that this error kept from results; None of a bug to be traced."""
    if isinstance(error, EvalreportError):
        return _ended(error.status, [str(problem) for problem in error.problems])
    if isinstance(error, (OSError, MemoryError)):
        return _ended(ExitStatus.FILES, [f"{path}: {str(error) or 'out of memory'}"])
    if os.environ.get("EVALREPORT_TRACEBACK"):
        return None
    what = f"{path}: this is a bug in evalreport: {type(error).__name__}: {error}"
    return _ended(ExitStatus.BUG, [what])


def _ended(status: ExitStatus, problems: list[str]) -> Done:
    """The summary of a spec that came to no results."""
    outcome = {"outcome": "error", "status": int(status), "problems": problems, "lines": []}
    return status, outcome


def worthwhile_jobs(loaded: Sequence[LoadedSpec], formats: Sequence[str] | None) -> int:
    """How many specs to work on side by side where nobody says: one for work that is short.

    A worker has to start and import what this process may already have, which costs more than
    small specs take. What they take is guessed from the sizes of their files.
    """
    seconds = sum(_guessed_seconds(one, formats) for one in loaded)
    jobs = min(processors(), max(len(loaded), 1))
    return jobs if seconds * (1 - 1 / jobs) > STARTING else 1


def _guessed_seconds(loaded: LoadedSpec, formats: Sequence[str] | None) -> float:
    spec = loaded.spec
    fitted = any(hasattr(model, "estimator") for model in spec.models.values())
    paper = "pdf" in (formats or spec.report.formats)
    size = 0
    for dataset in spec.datasets.values():
        if isinstance(dataset.path, str):
            path = (loaded.folder or Path()) / dataset.path
            with suppress(OSError):
                size += path.stat().st_size
    return SPEC_SECONDS + PAPER_SECONDS * paper + FITTING_SECONDS * fitted + size / BYTES_A_SECOND


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


class _Workers:
    """Processes that take one spec after another; a connection leads to each."""

    def __init__(self, most: int, options: RunOptions) -> None:
        # a fresh interpreter each: threads of the libraries do not survive a fork
        self._context = multiprocessing.get_context("spawn")
        self._most = most
        self._options = options
        self._processes: dict[Connection, BaseProcess] = {}
        self._free: list[Connection] = []
        self.places: dict[Connection, int] = {}

    @property
    def ready(self) -> bool:
        """Whether another spec can be begun."""
        return bool(self._free) or len(self._processes) < self._most

    def begin(self, place: int, path: Path, reads: Reads) -> None:
        """Hand a spec to a worker that has none, or to a new one."""
        worker = self._free.pop() if self._free else self._started()
        self.places[worker] = place
        # one that was killed while it waited is told by the end of its connection
        with suppress(OSError):
            worker.send((path, reads))

    def _started(self) -> Connection:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(self._options, theirs))
        process.start()
        theirs.close()
        self._processes[ours] = process
        return ours

    def give_turn(self, turn: int, given: set[int]) -> None:
        """Tell the spec whose turn it is, once, that all before it have ended."""
        for worker, place in self.places.items():
            if place == turn and place not in given:
                given.add(place)
                # a worker that has ended meanwhile needs no turn
                with suppress(OSError):
                    worker.send(None)

    def received(self, worker: Connection, path: Path) -> Done:
        """What came of the spec of a worker that has something to say; the worker is free."""
        del self.places[worker]
        try:
            found: Done = worker.recv()
        except (EOFError, OSError):
            # it ended without a word: killed, or out of memory
            process = self._processes.pop(worker)
            process.join()
            worker.close()
            problem = f"{path}: its process ended early with status {process.exitcode}"
            status, summary = _ended(ExitStatus.FILES, [problem])
            return status, {"spec": path.name, **summary}
        self._free.append(worker)
        return found

    def stop(self) -> None:
        """End those at work; those that wait end by themselves."""
        for worker, process in self._processes.items():
            if worker in self.places:
                process.terminate()
            worker.close()
        for process in self._processes.values():
            process.join(GRACE)
            if process.is_alive():
                process.kill()
                process.join()


def _side_by_side(
    specs: Sequence[Path], options: RunOptions, jobs: int, files: SharedFiles
) -> Iterator[Done]:
    workers = _Workers(min(jobs, len(specs)), options)
    waiting = list(enumerate(specs))
    done: dict[int, Done] = {}
    turns: set[int] = set()
    told = 0
    try:
        while waiting or workers.places:
            while waiting and workers.ready:
                place, path = waiting.pop(0)
                workers.begin(place, path, files.reads_of(place))
            workers.give_turn(told, turns)
            for ready in wait(list(workers.places)):
                assert isinstance(ready, Connection)
                place = workers.places[ready]
                done[place] = workers.received(ready, specs[place])
            while told in done:
                yield done[told]
                told += 1
    finally:
        workers.stop()


def _work(options: RunOptions, ours: Connection) -> None:
    """One worker: a spec, its turn to publish, what came of it; until nobody has another."""

    def turn() -> None:
        try:
            ours.recv()
        except EOFError:
            # nobody is left who would be told
            raise SystemExit(int(ExitStatus.TERMINATED)) from None

    with stopping_cleanly(), suppress(EOFError, BrokenPipeError):
        while True:
            path, reads = ours.recv()
            with Progress(quiet=True) as progress:
                shared = _Turn(turn)
                found = run_apart(path, options, progress, OneOfSeveral(reads, shared.wait))
                # one that failed before it published takes its turn all the same
                shared.wait()
                ours.send(found)


class _Turn:
    """A turn that is waited for once, however often it is asked for."""

    def __init__(self, wait_for: Callable[[], None]) -> None:
        self._wait_for = wait_for
        self._came = False

    def wait(self) -> None:
        """Return when all specs before have ended."""
        if not self._came:
            self._came = True
            self._wait_for()
