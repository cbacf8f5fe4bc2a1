"""A fault at every system call: what is visible is wholly old or wholly new."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from programs import lacks, program
from runs.publish_once import WHEN, Fault, publish, texts

from evalreport.errors import FilesError
from evalreport.runs.history import read_history
from evalreport.runs.prune import prune
from evalreport.runs.runs import check_runs, run_folders
from evalreport.verify.verify import verify_run, verify_runs

pytestmark = pytest.mark.long_but_first


SCRIPT = Path(__file__).with_name("publish_once.py")
# So that the script finds this package whether or not it is installed.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def content(run: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run.iterdir()}


def leftovers(runs: Path) -> list[str]:
    expected = {".lock", "history.jsonl", "latest", *(run.name for run in run_folders(runs))}
    return sorted({path.name for path in runs.iterdir()} - expected)


def check_old_or_new(runs: Path, old: dict[str, bytes]) -> str:
    """`latest` shows one whole run, the old one is untouched; says which is shown."""
    shown = runs / "latest"
    (text,) = texts(shown)
    assert text in ("old", "new")
    assert verify_run(shown) == []
    olds = [run for run in run_folders(runs) if texts(run) == {"old"}]
    assert [content(run) for run in olds] == [old]
    # Nothing half made has the name of a run.
    for run in run_folders(runs):
        assert len(texts(run)) == 1
        assert (run / "MANIFEST.json").is_file()
    return text


def check_next_run_works(runs: Path) -> None:
    published = publish(runs, "third")
    assert (runs / "latest").resolve() == published.resolve()
    assert verify_runs(runs) == []
    assert leftovers(runs) == []
    assert next(iter(read_history(runs).runs)).startswith("20261121T120000Z-")
    assert set(read_history(runs).runs) == {run.name for run in run_folders(runs)}


@pytest.mark.long
@pytest.mark.parametrize("kind", ["full", "io", "torn", "short", "broken"])
def test_fault_at_every_call(tmp_path: Path, kind: str) -> None:
    """full: ENOSPC once; io: EIO once; torn: half a write, then ENOSPC; short: half a write,
    no error; broken: EIO from the N-th call on."""
    shown_after_failure = set()
    for step in range(1, 1000):
        runs = tmp_path / str(step)
        old = content(publish(runs, "old"))
        fault = Fault(step, kind)
        failed = False
        with fault.injected():
            try:
                publish(runs, "new")
            except FilesError as error:
                failed = all(problem.where for problem in error.problems)
        shown = check_old_or_new(runs, old)
        if failed:
            shown_after_failure.add(shown)
        else:
            assert shown == "new"
        check_next_run_works(runs)
        if fault.calls < step:
            assert step > 30
            break
    assert kind == "short" or "old" in shown_after_failure


@pytest.mark.parametrize("kind", ["full", "io", "torn", "broken"])
def test_fault_at_every_call_of_a_first_run(tmp_path: Path, kind: str) -> None:
    for step in range(1, 1000):
        runs = tmp_path / str(step) / "deep" / "runs"
        fault = Fault(step, kind)
        with fault.injected():
            try:
                publish(runs, "new")
            except FilesError:
                assert not (runs / "latest").exists() or texts(runs / "latest") == {"new"}
        check_next_run_works(runs)
        if fault.calls < step:
            break


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "codes"),
    [("kill", {-signal.SIGKILL}), ("after", {-signal.SIGKILL}), ("term", {143})],
)
def test_killed_or_stopped_at_every_call(tmp_path: Path, kind: str, codes: set[int]) -> None:
    """kill: SIGKILL just before the N-th call; after: just after; term: SIGTERM before it."""
    subprocess.run(
        [sys.executable, str(SCRIPT), "sweep", str(tmp_path), kind], check=True, env=ENVIRONMENT
    )
    statuses = sorted(tmp_path.glob("*.status"))
    assert len(statuses) > 30
    shown = set()
    for status in statuses:
        runs = status.with_suffix("")
        code = int(status.read_text())
        assert code in codes or (status == statuses[-1] and code == 99), status
        old = next(content(run) for run in run_folders(runs) if texts(run) == {"old"})
        shown.add(check_old_or_new(runs, old))
        if kind == "term":
            assert leftovers(runs) == []
        check_next_run_works(runs)
    assert shown == {"old", "new"}


@pytest.mark.long
def test_two_writers_are_never_mixed(tmp_path: Path) -> None:
    runs, each, writers = tmp_path / "runs", 10, 8
    commands = [
        [sys.executable, str(SCRIPT), "many", str(runs), f"writer{i}", str(each)]
        for i in range(writers)
    ]
    children = [subprocess.Popen(command, env=ENVIRONMENT) for command in commands]
    seen = 0
    while any(child.poll() is None for child in children):
        if (runs / "latest").is_symlink():
            shown = (runs / "latest").resolve()
            assert len(texts(shown)) == 1
            assert verify_run(shown) == []
            seen += 1
    assert [child.wait() for child in children] == [0] * writers
    assert seen > 0
    assert len(read_history(runs).lines) == each * writers
    found = [texts(run) for run in run_folders(runs)]
    assert sorted(text for (text,) in found) == sorted(
        f"writer{i}-{count}" for i in range(writers) for count in range(each)
    )
    assert verify_runs(runs) == []
    assert leftovers(runs) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_while_building_leaves_nothing(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    command = [sys.executable, str(SCRIPT), "wait", str(tmp_path / "runs")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.send_signal(number)
        assert child.wait(5) == code
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [".lock"]


def test_a_run_under_way_is_left_alone_and_a_dead_one_removed(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    command = [sys.executable, str(SCRIPT), "wait", str(runs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        publish(runs, "one")
        assert len(leftovers(runs)) == 1
        child.kill()
        child.wait()
        assert len(leftovers(runs)) == 1
    publish(runs, "two")
    assert leftovers(runs) == []


@pytest.mark.parametrize("limit", [0, 5, 100, 700])
def test_file_size_limit_of_the_system(tmp_path: Path, limit: int) -> None:
    runs = tmp_path / "runs"
    old = content(publish(runs, "old"))
    command = [sys.executable, str(SCRIPT), "limited", str(runs), str(limit)]
    child = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert child.returncode != 0
    assert "FilesError" in child.stderr
    assert "File too large" in child.stderr
    assert check_old_or_new(runs, old) == "old"
    check_next_run_works(runs)


@pytest.fixture
def small_disk(tmp_path: Path) -> object:
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    command = [program("mount"), "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        lacks("the right to mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    runs = small_disk / "runs"
    old = content(publish(runs, "old"))
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(b"x" * 4096)
            except OSError:
                break
    with pytest.raises(FilesError, match="No space left on device"):
        publish(runs, "new")
    assert check_old_or_new(runs, old) == "old"
    assert leftovers(runs) == []
    with pytest.raises(FilesError):
        check_runs(runs)
    filler.unlink()
    with pytest.raises(FilesError, match="bytes are free"):
        check_runs(runs)
    check_runs(runs, needed=1000)
    check_next_run_works(runs)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["full", "io", "torn", "broken"])
def test_fault_at_every_call_of_pruning(tmp_path: Path, kind: str) -> None:
    for step in range(1, 1000):
        runs = tmp_path / str(step)
        for text in ("first", "second", "old"):
            publish(runs, text)
        old = content((runs / "latest").resolve())
        fault = Fault(step, kind)
        with fault.injected(), suppress(FilesError):
            prune(runs, 1, when=WHEN, version="0.1.0")
        assert check_old_or_new(runs, old) == "old"
        publish(runs, "third")
        assert verify_runs(runs) == []
        assert leftovers(runs) == []
        # All of it or nothing.
        assert len(run_folders(runs)) in (2, 4)
        if fault.calls < step:
            assert step > 10
            break
