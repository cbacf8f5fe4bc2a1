"""Mutation testing of the metrics, the labels and the engine's arithmetic.

    .venv/bin/python tests/mutation/run.py [-j 2] [-o mutation.json] [--only counts] [--again FILE]

Works on a copy of the repository in a temporary folder. Each mutant is written into the
copy and the tests named in targets.py run on it in a forked process that has the heavy
libraries loaded already; it is killed by the first test that fails, or by using three
times as much time of the processor as the untouched module. What survives is listed.
``--again`` tries only the survivors that a run before this one wrote to FILE.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import itertools
import json
import math
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from dataclasses import asdict, dataclass
from multiprocessing import Process, Queue
from pathlib import Path
from queue import Empty
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from mutants import Mutant, mutants  # noqa: E402
from targets import PLAIN, PRELOADED, TARGETS, Stages  # noqa: E402

COPIED = ("evalreport", "tests", "docs", "configs", "sample_data", "templates")
OPTIONS = (
    "-x", "-q", "--no-header", "--tb=no", "--import-mode=importlib", "--doctest-modules",
    "--assert=plain", "--hypothesis-profile=mutation", "-p", "no:cacheprovider",
    "-p", "_hypothesis_pytestplugin", "-o", "addopts=", "-W", "error",
)  # fmt: skip
LEAST_SECONDS = 10.0


@dataclass(frozen=True)
class Result:
    """What became of one mutant."""

    module: str
    line: int
    change: str
    outcome: str


def copy_of_the_repository(folder: Path) -> Path:
    """The parts of the repository that tests read, with their compiled files."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(".hypothesis"))
    shutil.copy2(ROOT / "pyproject.toml", folder)
    for name in ("Makefile", "README.md", "CHANGELOG.md"):
        shutil.copy2(ROOT / name, folder)
    return folder


def prepare_process(folder: Path) -> None:
    """This process works in the copy and has everything slow imported."""
    os.chdir(folder)
    sys.path[:0] = [str(folder), str(folder / "tests")]
    import hypothesis

    hypothesis.settings.register_profile(
        "mutation",
        max_examples=15,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    for name in ("pytest", *PRELOADED):
        importlib.import_module(name)


def outcome_of(stages: Stages, seconds: float, *, keep_compiled: bool = False) -> str:
    """``killed``, ``timeout`` or ``survived``; the next stage is for what survived one."""
    for tests in stages:
        outcome = _outcome_of_stage(tests, seconds, keep_compiled)
        if outcome != "survived":
            return outcome
    return "survived"


def _outcome_of_stage(tests: tuple[str, ...], seconds: float, keep_compiled: bool) -> str:
    """Run tests in a fork of this process, which has everything slow imported."""
    child = os.fork()
    if child == 0:
        # time of the processor: a machine that is busy with other work must not kill a mutant
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))
        _run_tests(tests, keep_compiled)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGXCPU:
        return "timeout"
    return "killed" if code else "survived"


def _run_tests(tests: tuple[str, ...], keep_compiled: bool) -> None:
    """Run tests and end this process: with 0 where all of them pass."""
    nowhere = os.open(os.environ.get("MUTATION_LOG", os.devnull), os.O_WRONLY | os.O_APPEND)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.dont_write_bytecode = not keep_compiled
    code = 70
    try:
        if all(path.rpartition("/")[2] in PLAIN for path in tests):
            for path in tests:
                call_every_test(Path(path))
            code = 0
        else:
            import pytest

            code = int(pytest.main([*OPTIONS, *tests]))
    except BaseException:  # noqa: BLE001 - whatever it is, a test noticed the mutant
        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        os._exit(code)


def call_every_test(path: Path) -> None:
    """Call the tests of a file that takes no fixtures; much quicker than a session of pytest."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, test in vars(module).items():
        if name.startswith("test_"):
            marks = [m for m in getattr(test, "pytestmark", ()) if m.name == "parametrize"]
            for arguments in itertools.product(*(_arguments(mark) for mark in marks)):
                test(**{key: value for part in arguments for key, value in part.items()})


def _arguments(mark: Any) -> list[dict[str, Any]]:
    names = mark.args[0]
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",")]
    rows = [getattr(row, "values", row) for row in mark.args[1]]
    return [dict(zip(names, row if len(names) > 1 else (row,), strict=True)) for row in rows]


def try_all(folder: Path, queue: Queue[Result], work: list[tuple[str, Mutant]]) -> None:
    """Try mutants one after another in a copy of the repository."""
    prepare_process(folder)
    limits: dict[str, float] = {}
    for module, mutant in work:
        path = folder / module
        if module not in limits:
            before = os.times()
            if outcome_of(TARGETS[module], 600, keep_compiled=True) != "survived":
                raise SystemExit(f"{module}: its tests fail without any change")
            after = os.times()
            used = after.children_user - before.children_user
            limits[module] = max(LEAST_SECONDS, 3 * used)
        original = path.read_text(encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
        path.write_text(mutant.source, encoding="utf-8")
        outcome = outcome_of(TARGETS[module], limits[module])
        path.write_text(original, encoding="utf-8")
        queue.put(Result(module, mutant.line, mutant.change, outcome))


def chosen(only: list[str], again: Path | None) -> list[tuple[str, Mutant]]:
    """The mutants to try: of the named modules, and of a former run's survivors."""
    wanted = None
    if again is not None:
        former = json.loads(again.read_text(encoding="utf-8"))["survivors"]
        wanted = {(r["module"], r["change"]) for r in former}
    work = []
    for module in TARGETS:
        if only and Path(module).stem not in only:
            continue
        every = mutants((ROOT / module).read_text(encoding="utf-8"))
        work += [(module, m) for m in every if wanted is None or (module, m.change) in wanted]
    return work


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("-j", type=int, default=2, help="processes")
    parser.add_argument("-o", type=Path, default=Path("mutation.json"), help="where to write")
    parser.add_argument("--only", nargs="*", default=[], help="names of modules")
    parser.add_argument("--again", type=Path, help="survivors of a former run")
    parser.add_argument("--quick", action="store_true", help="only the first stage of tests")
    parser.add_argument("--count", action="store_true", help="only say how many there are")
    given = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    if given.quick:
        TARGETS.update({module: stages[:1] for module, stages in TARGETS.items()})
    work = chosen(given.only, given.again)
    if given.count:
        for module in TARGETS:
            print(module, sum(m == module for m, _ in work))
        print(len(work))
        return 0
    with tempfile.TemporaryDirectory(prefix="mutation-") as temporary:
        results = run(work, given.j, Path(temporary), given.o)
    report(results, given.o)
    return 0


def run(work: list[tuple[str, Mutant]], processes: int, temporary: Path, out: Path) -> list[Result]:
    """Every result, gathered from processes that each have their own copy and share."""
    queue: Queue[Result] = Queue()
    workers = []
    for k in range(processes):
        folder = copy_of_the_repository(temporary / str(k))
        workers.append(Process(target=try_all, args=(folder, queue, work[k::processes])))
    for worker in workers:
        worker.start()
    results: list[Result] = []
    while len(results) < len(work):
        if not any(w.is_alive() for w in workers) and queue.empty():
            raise SystemExit("the processes ended before the work was done")
        try:
            results.append(queue.get(timeout=5))
        except Empty:
            continue
        if len(results) % 100 == 0:
            report(results, out, quiet=True)
            print(f"{len(results)} of {len(work)}", file=sys.stderr, flush=True)
    return results


def report(results: list[Result], out: Path, *, quiet: bool = False) -> None:
    """Counts by module and the list of survivors, to the file and to standard output."""
    order = {module: k for k, module in enumerate(TARGETS)}
    results = sorted(results, key=lambda r: (order[r.module], r.line, r.change))
    survivors = [r for r in results if r.outcome == "survived"]
    counts = {
        module: {
            outcome: sum(r.module == module and r.outcome == outcome for r in results)
            for outcome in ("killed", "timeout", "survived")
        }
        for module in order
    }
    text = json.dumps({"counts": counts, "survivors": [asdict(r) for r in survivors]}, indent=1)
    out.write_text(text + "\n", encoding="utf-8")
    if quiet:
        return
    for survivor in survivors:
        print(f"{survivor.module}:{survivor.line}: {survivor.change}")
    killed = len(results) - len(survivors)
    print(f"{len(results)} mutants, {killed} killed, {len(survivors)} survived")


if __name__ == "__main__":
    raise SystemExit(main())
