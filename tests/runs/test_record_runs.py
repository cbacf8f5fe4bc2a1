"""RUNS before any work, its lock, its names, and what recovery leaves alone."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from runs.publish_once import WHEN, details, publish, spec_sha256

from evalreport.errors import ConflictError, FilesError, UsageError
from evalreport.runs import recovery
from evalreport.runs import runs as runs_module
from evalreport.runs.durable import sync_folder, write_all
from evalreport.runs.history import read_history
from evalreport.runs.lock import runs_lock, runs_lock_for_reading
from evalreport.runs.prune import prune
from evalreport.runs.run_folder import RunFolder
from evalreport.runs.runs import check_runs, free_run_name, make_runs, run_folders
from evalreport.runs.signals import signals_held, stopping_cleanly
from evalreport.verify.verify import verify_runs


def test_check_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_runs(tmp_path / "a" / "b")
    check_runs(tmp_path)
    monkeypatch.chdir(tmp_path)
    check_runs(Path("runs"))
    with pytest.raises(FilesError, match="bytes are free"):
        check_runs(tmp_path / "c", needed=1 << 70)
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_a_folder_of_runs(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to("absent")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "fifo")
    before = sorted(tmp_path.iterdir())
    for name, message in {
        "file": "not a folder",
        "fifo": "not a folder",
        "nowhere": "a link that leads nowhere",
        "loop": "a link that leads nowhere",
        "file/runs": "Not a directory",
        "nowhere/runs": "a link that leads nowhere",
        "x" * 300: "File name too long",
    }.items():
        for check in (check_runs, make_runs):
            with pytest.raises(FilesError, match=message) as caught:
                check(tmp_path / name)
            assert str(tmp_path / name)[:60] in str(caught.value)
    for place in ("/proc/runs", "/sys/runs"):
        if Path(place).parent.is_dir():
            with pytest.raises(FilesError):
                check_runs(Path(place))
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(FilesError, match="Permission denied; choose a folder that you may write"):
        check_runs(tmp_path)
    tmp_path.chmod(0o755)


def test_no_inodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.statvfs(tmp_path)
    few = os.statvfs_result((*real[:5], 100, 3, 3, *real[8:]))
    monkeypatch.setattr(runs_module.os, "statvfs", lambda _: few)
    with pytest.raises(FilesError, match="room for 3 more files, 16 are needed"):
        check_runs(tmp_path / "runs")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_something_else_called_latest(tmp_path: Path, make: Any) -> None:
    make(tmp_path / "latest")
    with pytest.raises(FilesError, match=r"latest: not a link; .* rename or remove it"):
        check_runs(tmp_path)
    with pytest.raises(FilesError, match="not a link"):
        publish(tmp_path)


def test_latest_leading_elsewhere_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to("/nowhere")
    check_runs(tmp_path)
    run = publish(tmp_path)
    assert (tmp_path / "latest").readlink() == Path(run.name)


def test_runs_appearing_and_vanishing_while_they_are_made(tmp_path: Path) -> None:
    """Checks make nothing, so that those of other runs never see a folder vanish."""
    runs, errors, stop = tmp_path / "a" / "runs", [], threading.Event()

    def keep_checking() -> None:
        while not stop.is_set():
            try:
                check_runs(runs)
            except FilesError as error:  # pragma: no cover - a failure of the test
                errors.append(error)

    threads = [threading.Thread(target=keep_checking) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    publish(runs)
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert verify_runs(runs) == []
    assert sorted(path.name for path in tmp_path.rglob(".latest-*")) == []


def test_the_lock_waits_and_then_says_so(tmp_path: Path) -> None:
    with runs_lock(tmp_path):
        for take in (runs_lock, runs_lock_for_reading):
            begun = time.monotonic()
            with pytest.raises(ConflictError, match="in use by another run"), take(tmp_path, 0.2):
                pass
            assert time.monotonic() - begun >= 0.2
        with pytest.raises(ConflictError):
            publish(tmp_path, wait=0.05)
        assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    publish(tmp_path, wait=0)


def test_a_lock_held_only_briefly_is_waited_for(tmp_path: Path) -> None:
    order: list[str] = []
    held = runs_lock(tmp_path)
    held.__enter__()

    def release() -> None:
        order.append("released")
        held.__exit__(None, None, None)

    timer = threading.Timer(0.2, release)
    timer.start()
    with runs_lock(tmp_path):
        order.append("taken")
    timer.join()
    assert order == ["released", "taken"]

    held = runs_lock(tmp_path)
    held.__enter__()
    timer = threading.Timer(0.2, held.__exit__, (None, None, None))
    timer.start()
    run = publish(tmp_path)
    timer.join()
    assert run_folders(tmp_path) == [run]
    assert verify_runs(tmp_path) == []


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda p: p.symlink_to("x")])
def test_a_lock_that_is_no_file(tmp_path: Path, make: Any) -> None:
    make(tmp_path / ".lock")
    with pytest.raises(FilesError), runs_lock(tmp_path):
        pass
    with runs_lock_for_reading(tmp_path):
        pass


def test_without_locks_a_file_is_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_flock(descriptor: int, kind: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", no_flock)
    with runs_lock(tmp_path):
        assert (tmp_path / ".lock.held").is_file()
        with (
            pytest.raises(ConflictError, match=r"if no run is active, remove .*lock\.held"),
            runs_lock(tmp_path, 0.05),
        ):
            pass
    assert not (tmp_path / ".lock.held").exists()
    # Nobody can tell there whether its owner lives, so it is left alone.
    (tmp_path / ".tmp-1-dead").mkdir()
    (tmp_path / ".tmp-1-dead" / ".owner").touch()
    publish(tmp_path)
    assert (tmp_path / ".tmp-1-dead").is_dir()
    assert verify_runs(tmp_path) == []


def test_a_marker_that_a_crash_left_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the computer that made it, where it can be seen that its process has ended."""
    code = (
        "import errno, fcntl, os, sys; from pathlib import Path\n"
        "from evalreport.runs.lock import runs_lock\n"
        "def none(*_): raise OSError(errno.ENOLCK, 'no locks available')\n"
        "fcntl.flock = none\n"
        "held = runs_lock(Path(sys.argv[1])); held.__enter__(); os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=60, check=False)
    assert done.returncode == 9
    assert (tmp_path / ".lock.held").exists()

    def no_flock(descriptor: int, kind: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", no_flock)
    with runs_lock(tmp_path, 5):
        assert (tmp_path / ".lock.held").exists()
    assert not (tmp_path / ".lock.held").exists()


def test_a_reader_reads_where_no_file_is_locked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS refuses to lock what is open for reading alone: EBADF."""
    publish(tmp_path)

    def as_nfs_does(descriptor: int, kind: int) -> None:
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", as_nfs_does)
    assert verify_runs(tmp_path) == []


def test_readers_share_the_lock_that_a_publisher_waits_for(tmp_path: Path) -> None:
    publish(tmp_path)
    with runs_lock_for_reading(tmp_path), runs_lock_for_reading(tmp_path, 0):
        # a verification beside a verification, in this process and in another one
        code = (
            "import sys; from pathlib import Path\n"
            "from evalreport.verify.verify import verify_runs\n"
            "sys.exit(len(verify_runs(Path(sys.argv[1]))))"
        )
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=60, check=False)
        assert done.returncode == 0
        with pytest.raises(ConflictError, match="in use by another run"):
            publish(tmp_path, wait=0.05)
    publish(tmp_path, wait=0)


def test_a_reader_of_what_cannot_be_written_reads(tmp_path: Path) -> None:
    """Another user may read RUNS and not write it: nothing is made there, and others wait."""
    with runs_lock_for_reading(tmp_path):
        assert list(tmp_path.iterdir()) == []
    (tmp_path / ".lock").touch()
    tmp_path.chmod(0o555)
    try:
        with (
            runs_lock_for_reading(tmp_path),
            pytest.raises(ConflictError),
            runs_lock(tmp_path, 0),
        ):
            pass
    finally:
        tmp_path.chmod(0o755)


def test_a_lock_that_fails_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(descriptor: int, kind: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "flock", fails)
    with pytest.raises(FilesError, match="cannot take the lock"), runs_lock(tmp_path):
        pass
    (tmp_path / ".tmp-1").mkdir()
    (tmp_path / ".tmp-1" / ".owner").touch()
    assert recovery._owner_lives(tmp_path / ".tmp-1")


def test_an_owner_that_cannot_be_looked_at_counts_as_alive(tmp_path: Path) -> None:
    (tmp_path / ".owner").symlink_to("x")
    assert recovery._owner_lives(tmp_path)
    assert not recovery._owner_lives(tmp_path / "absent")


def test_names_are_never_given_twice(tmp_path: Path) -> None:
    first = free_run_name(tmp_path, WHEN, spec_sha256("one"), ())
    assert first == f"20261121T120000Z-{spec_sha256('one')[:8]}"
    assert free_run_name(tmp_path, WHEN, spec_sha256("one"), {first}) == f"{first}-2"
    (tmp_path / f"{first}-2").symlink_to("nowhere")
    assert free_run_name(tmp_path, WHEN, spec_sha256("one"), {first}) == f"{first}-3"
    assert [publish(tmp_path).name for _ in range(3)] == [first, f"{first}-3", f"{first}-4"]


@pytest.mark.parametrize(
    "name", ["", "..", "a/b", "/etc/passwd", ".hidden", "MANIFEST.json", "é", "a\n", "-x"]
)
def test_names_that_no_file_of_a_run_has(tmp_path: Path, name: str) -> None:
    with RunFolder(tmp_path, spec_sha256("one"), WHEN) as folder:
        with pytest.raises(ValueError, match="cannot be a file of a run"):
            folder.write(name, b"")
        folder.write("a.json", b"")
        with pytest.raises(ValueError, match="was written already"):
            folder.write("a.json", b"")
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_an_error_while_building_leaves_nothing(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "runs", spec_sha256("x"), WHEN)
    with pytest.raises(ValueError), folder:  # noqa: PT012 - the error comes from inside
        folder.write("results.json", b"{}")
        folder.write("results.json", b"{}")
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [".lock"]


def crashed_before_its_line(runs: Path, text: str) -> Path:
    """A whole run whose line is missing, as after a crash between rename and append."""
    history = (runs / "history.jsonl").read_bytes()
    run = publish(runs, text)
    (runs / "history.jsonl").write_bytes(history)
    return run


def test_a_run_that_crashed_before_its_line_is_recorded_and_marked(tmp_path: Path) -> None:
    publish(tmp_path, "one")
    run = crashed_before_its_line(tmp_path, "two")
    assert any("not recorded" in p.what for p in verify_runs(tmp_path))
    publish(tmp_path, "three")
    entries = read_history(tmp_path).runs
    assert [entry.recovered for entry in entries.values()] == [False, True, False]
    assert list(entries)[1] == run.name
    assert verify_runs(tmp_path) == []


def test_what_no_crash_leaves_is_not_recorded(tmp_path: Path) -> None:
    publish(tmp_path, "one")
    run = crashed_before_its_line(tmp_path, "two")
    (run / "measures.csv").write_bytes(b"altered")
    publish(tmp_path, "three")
    assert run.name not in read_history(tmp_path).runs
    (run / "MANIFEST.json").unlink()
    publish(tmp_path, "four")
    assert run.name not in read_history(tmp_path).runs
    assert run.is_dir()
    crashed_before_its_line(tmp_path, "five")
    publish(tmp_path, "six")
    assert len(read_history(tmp_path).runs) == 4  # two unrecorded: no crash did that


@pytest.mark.long
def test_a_torn_line_is_cut_and_its_run_recorded_again(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    publish(tmp_path, "one")
    publish(tmp_path, "two")
    data = path.read_bytes()
    begin = data.index(b"\n") + 1
    for cut in range(begin, len(data)):
        path.write_bytes(data[:cut])
        assert verify_runs(tmp_path), cut
        with runs_lock(tmp_path):
            recovery.recover(tmp_path)
        assert verify_runs(tmp_path) == []
        recovered = b'"recovered":true' in path.read_bytes()
        assert recovered == (cut < len(data) - 1)  # a lone newline is simply put back


def test_a_history_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").mkdir()
    with pytest.raises(FilesError, match="the history is not a regular file"):
        publish(tmp_path)
    with pytest.raises(FilesError, match="the history is not a regular file"):
        verify_runs(tmp_path)


def test_damaged_lines_do_not_stop_new_runs_and_stay_found(tmp_path: Path) -> None:
    publish(tmp_path, "one")
    path = tmp_path / "history.jsonl"
    path.write_bytes(b"[]\nnot json\n" + path.read_bytes())
    publish(tmp_path, "two")
    found = [str(problem) for problem in verify_runs(tmp_path)]
    assert f"{path}:1: not a JSON object" in found
    assert any(text.startswith(f"{path}:2: not JSON") for text in found)
    assert any(text.startswith(f"{path}:3: says that it is line 1") for text in found)
    assert not any(text.startswith(f"{path}:4:") for text in found)


def test_interrupted_pruning_is_undone_or_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [publish(tmp_path, text).name for text in ("one", "two", "three")]
    (tmp_path / names[0]).rename(tmp_path / f".pruned-{names[0]}")
    publish(tmp_path, "four")  # its line was not written: put back
    assert verify_runs(tmp_path) == []
    assert len(run_folders(tmp_path)) == 4

    monkeypatch.setattr("evalreport.runs.prune.remove_folder", lambda path: None)
    assert prune(tmp_path, 2, when=WHEN, version="0") == tuple(names[:2])
    assert len(list(tmp_path.glob(".pruned-*"))) == 2
    publish(tmp_path, "five")  # its line was written: removed
    assert list(tmp_path.glob(".pruned-*")) == []
    assert verify_runs(tmp_path) == []


def test_pruning_that_fails_puts_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("one", "two", "three"):
        publish(tmp_path, text)

    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("evalreport.runs.prune.append", full)
        with pytest.raises(FilesError, match="cannot prune: No space left"):
            prune(tmp_path, 1, when=WHEN, version="0")
    assert len(run_folders(tmp_path)) == 3
    assert verify_runs(tmp_path) == []
    with pytest.raises(UsageError, match="keep 1 run or more"):
        prune(tmp_path, 0, when=WHEN, version="0")
    with pytest.raises(FilesError, match=r"no history\.jsonl"):
        prune(tmp_path / "absent", 1, when=WHEN, version="0")


def test_short_and_empty_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bytes] = []

    def one_at_a_time(descriptor: int, data: memoryview) -> int:
        taken.append(bytes(data[:1]))
        return 1

    monkeypatch.setattr(os, "write", one_at_a_time)
    write_all(1, b"abc")
    assert b"".join(taken) == b"abc"
    monkeypatch.setattr(os, "write", lambda *_: 0)
    with pytest.raises(OSError, match="nothing was written"):
        write_all(1, b"abc")


def test_folders_that_cannot_be_synced_are_tolerated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(number: int) -> Any:
        def call(descriptor: int) -> None:
            raise OSError(number, "no")

        return call

    monkeypatch.setattr(os, "fsync", fails(errno.EINVAL))
    sync_folder(tmp_path)
    monkeypatch.setattr(os, "fsync", fails(errno.EIO))
    with pytest.raises(OSError, match="no"):
        sync_folder(tmp_path)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_become_exits_and_can_be_held(number: signal.Signals, code: int) -> None:
    before = signal.getsignal(number)
    with stopping_cleanly():
        with pytest.raises(SystemExit) as caught:
            os.kill(os.getpid(), number)
        assert caught.value.code == code
        done = []
        with pytest.raises(SystemExit) as caught, signals_held():  # noqa: PT012 - nested on purpose
            with signals_held():
                os.kill(os.getpid(), number)
            done.append("all of it")
        assert (caught.value.code, done) == (code, ["all of it"])
    assert signal.getsignal(number) is before


def test_in_another_thread_signals_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen = []

    def work() -> None:
        with stopping_cleanly():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_publishing_twice_needs_two_folders(tmp_path: Path) -> None:
    with RunFolder(tmp_path, spec_sha256("one"), WHEN) as folder:
        folder.publish(details())
        with pytest.raises(FilesError):
            folder.publish(details())
    assert verify_runs(tmp_path) == []
