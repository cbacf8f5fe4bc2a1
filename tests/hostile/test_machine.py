"""The machine's own faults: signals, streams, folders, missing libraries, other runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile.command import ROOT, Workshop, command, environment, snapshot

from evalreport.cli import status_of

pytestmark = pytest.mark.long_but_first


SLOW = "y,s\n" + "".join(f"{n % 2},{(n * 7919 % 1000) / 1000}\n" for n in range(4000))
LONG_RUN = "confidence: {resamples: 1000000, methods: {roc_auc: bootstrap_percentile}}"


@pytest.fixture(autouse=True)
def heard_hangups() -> Iterator[None]:
    """A terminal that is closed is heard of, also where the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def started(workshop: Workshop, **options: object) -> subprocess.Popen[str]:
    """A run that takes a while, caught when it computes."""
    workshop.file("a.csv", SLOW)
    workshop.spec(model="{score: s}", metrics="[roc_auc]", more=LONG_RUN)
    process = subprocess.Popen(
        [sys.executable, "-m", "evalreport", "run", "spec.yaml", "-o", "runs", "--formats", "json"],
        cwd=workshop.folder, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
        text=True, **options,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("computing"):
            break
    time.sleep(0.3)
    return process


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)],
)
def test_a_signal_ends_a_run_cleanly(
    workshop: Workshop, number: signal.Signals, status: int
) -> None:
    """57: it ends soon, nothing left behind, and the next run works."""
    before = snapshot(workshop.runs)
    process = started(workshop)
    if process.poll() is not None:
        pytest.skip("the run was over before the signal")
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == status
    assert "Traceback" not in err
    after = {k: v for k, v in snapshot(workshop.runs).items() if k != ".lock"}
    assert after == {k: v for k, v in before.items() if k != ".lock"}
    workshop.spec(model="{score: s}", metrics="[roc_auc]", more="confidence: {resamples: 100}")
    found = workshop.done()
    assert found.measure("roc_auc")["n"] == 4000


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGKILL])
def test_temporary_folders_go_at_the_latest_with_the_next_run(
    workshop: Workshop, number: signal.Signals
) -> None:
    """A terminal that is closed leaves nothing; what a kill leaves, the next run removes."""
    temporary = workshop.folder / "tmp"
    temporary.mkdir()
    mine = temporary / "evalreport-of-mine"
    mine.mkdir()
    workshop.file("mine/report.html.j2", "<table><tr>{% for i in range(9999) %}<td>x{% endfor %}")
    workshop.spec(more="report: {template: mine, formats: [html, pdf]}")
    surroundings = environment(TMPDIR=str(temporary))
    with subprocess.Popen(
        [sys.executable, "-m", "evalreport", "run", "spec.yaml", "-o", "runs"], text=True,
        cwd=workshop.folder, env=surroundings, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("laying out"):
                break
        assert list(temporary.glob("evalreport-????????"))
        process.send_signal(number)
        process.communicate(timeout=120)
    left = list(temporary.glob("evalreport-????????"))
    assert bool(left) == (number == signal.SIGKILL)
    workshop.spec()
    done = command("run", "spec.yaml", "-o", "runs", "--quiet", "--formats", "html,pdf",
                   cwd=workshop.folder, env=surroundings)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [path for path in temporary.iterdir() if path.name.startswith("eval")] == [mine]


@pytest.mark.long
def test_a_run_under_nohup_outlives_its_terminal(workshop: Workshop) -> None:
    def ignoring() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = started(workshop, preexec_fn=ignoring)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None
    process.terminate()
    process.communicate(timeout=120)
    assert process.returncode == 143


@pytest.mark.long
def test_a_signal_while_the_pdf_is_laid_out_ends_the_child_too(workshop: Workshop) -> None:
    workshop.file("mine/report.html.j2", "<table><tr>{% for i in range(99999) %}<td>x{% endfor %}")
    workshop.spec(more="report: {template: mine, formats: [html, pdf]}")
    before = snapshot(workshop.runs)
    with subprocess.Popen(
        [sys.executable, "-m", "evalreport", "run", "spec.yaml", "-o", "runs"], text=True,
        cwd=workshop.folder, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("laying out"):
                break
        time.sleep(1)
        listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.terminate()
        process.communicate(timeout=120)
        assert process.returncode == 143
    assert listed
    assert not [pid for pid in listed if Path(f"/proc/{pid}").exists()]
    assert {k: v for k, v in snapshot(workshop.runs).items() if k != ".lock"} == {
        k: v for k, v in before.items() if k != ".lock"
    }


@pytest.mark.long
def test_two_runs_at_once_each_publish_whole(workshop: Workshop) -> None:
    """58: the same second, the same spec, the same RUNS."""
    workshop.spec()
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "evalreport", "run", "spec.yaml", "-o", "runs", "--quiet",
             "--formats", "json", "--at", "2026-11-21T12:00:00Z"],
            cwd=workshop.folder, env=environment(), stderr=subprocess.PIPE, text=True,
        )
        for _ in range(3)
    ]  # fmt: skip
    statuses = [(p.communicate()[1], p.returncode)[1] for p in processes]
    assert set(statuses) <= {0, 5}
    published = [p for p in workshop.runs.iterdir() if p.is_dir() and not p.is_symlink()]
    assert len(published) == 1 + statuses.count(0)
    assert workshop.call("verify", workshop.runs).status == 0


# -- 59: where a run goes ----------------------------------------------------------------------


def test_places_where_no_run_can_go(workshop: Workshop) -> None:
    """Told before anything is computed: not even the data is read."""
    workshop.file("file", "x")
    (workshop.folder / "nowhere").symlink_to("absent")
    workshop.file("blocked/latest", "not a link")
    workshop.spec(path="absent.csv")
    for place in ("file", "file/runs", "nowhere", "blocked", "x" * 300, "/proc/runs", "/dev/null"):
        before = snapshot(workshop.folder)
        found = workshop.call("run", workshop.folder / "spec.yaml", "-o", place)
        assert found.status == 4, place
        assert "absent.csv" not in found.err
        assert place[:40] in found.err
        assert snapshot(workshop.folder) == before


def test_a_read_only_folder(workshop: Workshop) -> None:
    if not Path("/sys/kernel").is_dir():
        pytest.skip("no file system that nobody can write")
    workshop.spec()
    found = workshop.call("run", workshop.folder / "spec.yaml", "-o", "/sys/kernel/runs")
    assert found.status == 4
    assert "/sys/kernel/runs" in found.err


# -- 60: streams and surroundings --------------------------------------------------------------

STREAMS = {
    "no input": ("exec <&-;", {0}),
    "no output": ("exec >&-;", {0}),
    "no messages": ("exec 2>&-;", {0}),
    "no stream at all": ("exec <&- >&- 2>&-;", {0}),
    "output full": ("exec >/dev/full;", {4}),
    "messages full": ("exec 2>/dev/full;", {0, 4}),
    "both full": ("exec >/dev/full 2>/dev/full;", {0, 4}),
}


@pytest.mark.long
@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("name", sorted(STREAMS))
def test_streams_that_cannot_be_used(workshop: Workshop, name: str) -> None:
    """The run is published whole or not at all, with a documented status."""
    before, statuses = STREAMS[name]
    workshop.spec()
    done = subprocess.run(
        ["/bin/sh", "-c", f'{before} exec "$0" -m evalreport run spec.yaml -o runs --formats html',
         sys.executable], cwd=workshop.folder, env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in statuses, (done.returncode, done.stderr)
    assert b"Traceback" not in done.stderr
    assert workshop.call("verify", workshop.runs).status == 0
    page = (workshop.runs / "latest" / "results.json").read_bytes()
    assert page.startswith(b"{")


def test_a_reader_that_leaves(workshop: Workshop) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" -m evalreport metrics | true', sys.executable],
        cwd=workshop.folder, env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@pytest.mark.long
def test_a_folder_that_is_gone(workshop: Workshop) -> None:
    """The current folder was removed while the shell stood in it."""
    gone = workshop.folder / "gone"
    gone.mkdir()
    workshop.spec()
    done = subprocess.run(
        ["/bin/sh", "-c", f'rmdir "{gone}"; exec "$0" -m evalreport run "{workshop.folder}/spec.yaml"'
         f' -o "{workshop.runs}" --quiet --formats json', sys.executable],
        cwd=gone, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 4), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("clock", ["-1", "x", "1e9", "99999999999999", "١٢", "1 ", "0x10"])
def test_a_clock_that_is_no_time(workshop: Workshop, clock: str) -> None:
    workshop.spec()
    done = command(
        "run",
        "spec.yaml",
        "-o",
        "runs",
        cwd=workshop.folder,
        env=environment(SOURCE_DATE_EPOCH=clock),
    )
    assert (done.returncode, "SOURCE_DATE_EPOCH" in done.stderr) == (2, True)


@pytest.fixture
def without_pango(tmp_path: Path) -> dict[str, str]:
    """An environment whose Python cannot find Pango, as on a fresh machine."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import ctypes.util\n_found = ctypes.util.find_library\n"
        "ctypes.util.find_library = lambda n: None if 'pango' in n else _found(n)\n"
        "try:\n    import cffi\nexcept ImportError:\n    pass\nelse:\n"
        "    _open = cffi.FFI.dlopen\n"
        "    def dlopen(self, name, *rest):\n"
        "        if name and 'pango' in str(name):\n"
        "            raise OSError(f'cannot load library {name!r}')\n"
        "        return _open(self, name, *rest)\n"
        "    cffi.FFI.dlopen = dlopen\n"
    )
    return environment(PYTHONPATH=f"{folder}{os.pathsep}{ROOT}")


@pytest.mark.long
def test_without_pango_everything_but_the_pdf(
    workshop: Workshop, without_pango: dict[str, str]
) -> None:
    """4 where a PDF was asked for; where nobody named the formats, a note and its usual status."""
    for more, status in (("report: {formats: [html, pdf]}", 4), ("", 0)):
        workshop.spec(more=more)
        done = command("run", "spec.yaml", "-o", "runs", cwd=workshop.folder, env=without_pango)
        assert done.returncode == status, done.stderr
        assert "install Pango" in done.stderr
        assert "--formats html" in done.stderr
        assert "Traceback" not in done.stderr
        assert {p.name for p in (workshop.runs / "latest").iterdir()} == {
            "results.json", "report.html", "measures.csv", "MANIFEST.json"
        }  # fmt: skip
    done = command(
        "run",
        "spec.yaml",
        "-o",
        "runs",
        "--formats",
        "html",
        cwd=workshop.folder,
        env=without_pango,
    )
    assert done.returncode == 0, done.stderr


# -- 62 ------------------------------------------------------------------------------------------


def test_every_change_of_a_run_is_found(workshop: Workshop) -> None:
    """62: one byte changed, one file gone, one added: which one, and 5."""
    workshop.spec()
    run = workshop.done(formats="html").latest.resolve()
    assert workshop.call("verify", run).status == 0
    kept = workshop.folder / "kept"
    shutil.copytree(run, kept)
    for name in sorted(p.name for p in kept.iterdir()):
        content = (kept / name).read_bytes()
        for place in (0, len(content) // 2, len(content) - 1):
            changed = bytearray(content)
            changed[place] ^= 1
            (run / name).write_bytes(bytes(changed))
            found = workshop.call("verify", run)
            assert (found.status, name in found.err) == (5, True), (name, place, found.err)
        (run / name).unlink()
        found = workshop.call("verify", run)
        assert found.status in (4, 5)
        assert name in found.err
        (run / name).write_bytes(content)
    workshop.file(f"runs/{run.name}/added.txt", "x")
    found = workshop.call("verify", run)
    assert (found.status, "added.txt" in found.err) == (5, True)


def test_every_line_of_the_history_is_held(workshop: Workshop) -> None:
    for _ in range(3):
        workshop.spec()
        workshop.done()
    path = workshop.runs / "history.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    wrong = [lines[1:], lines[:2] + lines[3:], [lines[1], lines[0], *lines[2:]], [*lines, lines[-1]],
             [lines[0].replace(b'"n":1', b'"n":9'), *lines[1:]], []]  # fmt: skip
    for changed in wrong:
        path.write_bytes(b"".join(changed))
        assert workshop.call("verify", workshop.runs).status in (4, 5)
    path.write_bytes(b"".join(lines))
    assert workshop.call("verify", workshop.runs).status == 0


@pytest.mark.long
def test_a_hundred_runs_leave_nothing_stale(workshop: Workshop) -> None:
    """Goal 16 in small: no stale folder, and memory that does not grow by the run."""
    import resource

    workshop.spec()
    line = ["run", str(workshop.folder / "spec.yaml"), "-o", str(workshop.runs), "--quiet",
            "--formats", "json"]  # fmt: skip
    for _ in range(10):
        assert status_of(line) == 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(60):
        assert status_of(line) == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= before * 1.05
    names = [p.name for p in workshop.runs.iterdir()]
    assert not [n for n in names if n.startswith((".tmp", ".latest", ".pruned"))]
    history = (workshop.runs / "history.jsonl").read_text().splitlines()
    assert len({json.loads(entry)["run"] for entry in history}) == 71


def test_verify_tells_a_history_that_was_touched(workshop: Workshop) -> None:
    """Of one run: its line changed or removed, the history removed, and a copy without one."""
    run, history = (workshop.runs / "latest").resolve(), workshop.runs / "history.jsonl"
    assert workshop.call("verify", run).status == 0
    whole = history.read_bytes()
    for damaged in (whole.replace(b":", b": ", 1), whole.replace(b'"n":1', b'"n":2'), b""):
        history.write_bytes(damaged)
        assert workshop.call("verify", run).status == 5
    history.unlink()
    found = workshop.call("verify", run)
    assert (found.status, "there is no history" in found.err) == (5, True)
    copied = workshop.folder / "copied"
    shutil.copytree(run, copied)
    found = workshop.call("verify", copied)
    assert found.status == 0
    assert "there is no history beside it" in found.out
