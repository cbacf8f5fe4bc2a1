"""A fault at the N-th call of the C library under RUNS, for all N, over a whole real run."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hostile.command import AT, Workshop, environment, snapshot
from programs import lacks, program

from evalreport.cli import status_of

pytestmark = pytest.mark.nightly


HERE = Path(__file__).parent
KINDS = {"full": str(errno.ENOSPC), "io": str(errno.EIO), "short": "short", "killed": "kill",
         "stopped": "term"}  # fmt: skip


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that fails calls, compiled for this system."""
    if sys.platform != "linux":
        lacks("LD_PRELOAD, which Linux has")
    path = tmp_path_factory.mktemp("faults") / "faults.so"
    subprocess.run(
        [program("cc"), "-shared", "-fPIC", "-O1", "-o", path, HERE / "faults.c", "-ldl"],
        check=True,
    )
    return path


def forked(
    library: Path, plan: list[tuple[dict[str, str], list[str]]], folder: Path
) -> list[tuple[int, str]]:
    """The outcome of each run of a plan."""
    path = folder / "plan.json"
    spec = next(a for a in plan[0][1] if a.endswith(".yaml"))
    warming = ["run", spec, "-o", str(folder / "warming"), "--quiet", "--formats", "json"]
    path.write_text(json.dumps([({}, warming), *plan]))
    done = subprocess.run(
        [sys.executable, HERE / "forked_run.py", path], capture_output=True, text=True, check=True,
        env=environment(LD_PRELOAD=str(library)), timeout=600,
    )  # fmt: skip
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def arguments(workshop: Workshop, runs: Path, name: str) -> list[str]:
    return ["run", str(workshop.folder / name), "-o", str(runs), "--at", AT, "--quiet",
            "--formats", "json"]  # fmt: skip


def titled(run: Path) -> str:
    return str(json.loads((run / "results.json").read_text())["title"])


def check(runs: Path, old: dict[str, str], status: int, err: str) -> str:
    """Wholly old or wholly new, as the status says; which of the two is shown."""
    assert "Traceback" not in err
    latest = runs / "latest"
    title = titled(latest)
    assert title in ("old", "new")
    if status == 0:
        assert title == "new"
    assert {name: content for name, content in snapshot(runs).items() if name in old} == old
    assert status_of(["verify", str(latest)]) == 0
    return title


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_fault_at_every_call(
    tmp_path: Path, library: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop = Workshop(tmp_path)
    workshop.file("a.csv", "y,p\ncat,cat\ndog,dog\ncat,dog\n")
    for title in ("old", "new", "next"):
        text = workshop.spec(title=title).read_text()
        workshop.file(f"{title}.yaml", text)
    begun = tmp_path / "begun"
    assert status_of(arguments(workshop, begun, "old.yaml")) == 0
    old = {name: content for name, content in snapshot(begun).items() if name.startswith("2026")}
    count = tmp_path / "count"
    trial = tmp_path / "RUNS0"
    shutil.copytree(begun, trial, symlinks=True)
    plan = [({"FAULT_PATH": "RUNS", "FAULT_COUNT": str(count)},
             arguments(workshop, trial, "new.yaml"))]  # fmt: skip
    assert forked(library, plan, tmp_path) == [(0, "")]
    calls = count.stat().st_size
    assert calls > 20
    plan = []
    for step in range(1, calls + 1):
        runs = tmp_path / f"RUNS{step}"
        shutil.copytree(begun, runs, symlinks=True)
        plan.append(({"FAULT_PATH": "RUNS", "FAULT_AT": str(step), "FAULT_KIND": KINDS[kind]},
                     arguments(workshop, runs, "new.yaml")))  # fmt: skip
    outcomes = forked(library, plan, tmp_path)
    expected = {"killed": {-9, 0}, "stopped": {143, 0}, "short": {0}}.get(kind, {0, 4})
    shown = set()
    for step, (status, err) in enumerate(outcomes, start=1):
        runs = tmp_path / f"RUNS{step}"
        assert status in expected, (step, status, err)
        if status == 4:
            assert "RUNS" in err
        shown.add(check(runs, old, status, err))
    after = [({}, arguments(workshop, tmp_path / f"RUNS{n}", "next.yaml"))
             for n in range(1, calls + 1)]  # fmt: skip
    for step, (status, err) in enumerate(forked(library, after, tmp_path), start=1):
        runs = tmp_path / f"RUNS{step}"
        assert (status, err) == (0, ""), step
        assert titled(runs / "latest") == "next"
        assert status_of(["verify", str(runs)]) == 0
        left = [p.name for p in runs.iterdir() if p.name.startswith((".tmp", ".latest", ".pruned"))]
        assert left == []
    assert "old" in shown or kind == "short"
    capsys.readouterr()


def test_a_full_disk_leaves_the_previous_report(tmp_path: Path) -> None:
    """A real file system of 1 MiB, where mounting is allowed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        [program("mount"), "-t", "tmpfs", "-o", "size=20m", "tmpfs", disk],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        workshop = Workshop(tmp_path)
        workshop.file("a.csv", "y,p\ncat,cat\ndog,dog\n")
        workshop.spec()
        runs = disk / "runs"
        line = ["run", str(tmp_path / "spec.yaml"), "-o", str(runs), "--quiet", "--formats", "html"]
        assert status_of(line) == 0
        before, history = snapshot(runs), (runs / "history.jsonl").read_bytes()
        for left in (0, 10_000, 200_000):
            space = os.statvfs(disk)
            filler = disk / "filler"
            filler.write_bytes(b"\0" * max(0, space.f_bavail * space.f_frsize - left))
            assert status_of(line) == 4
            # That it was tried may be told, in whole lines after those that are there.
            after, told = snapshot(runs), (runs / "history.jsonl").read_bytes()
            assert told.startswith(history)
            assert all('"attempt"' in row for row in told[len(history) :].decode().splitlines())
            assert {**after, "history.jsonl": ""} == {**before, "history.jsonl": ""}
            filler.unlink()
        assert status_of(line) == 0
    finally:
        subprocess.run(["umount", disk], check=False)
