"""Several specs in one call: one summary, the worst status, none kept back by another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from schedules.weekly_runs import SPEC, write_rows

from evalreport.cli import status_of
from evalreport.data.files import open_files
from evalreport.data.read import read_table
from evalreport.data.source import open_source
from evalreport.engine.counting.reads import Held, SharedReads, key_of
from evalreport.runs.history import read_history

pytestmark = pytest.mark.long_but_first


TEXTS = {
    "good": SPEC,
    "fails": SPEC.replace("0.7", "0.9").replace("Weekly", "Strict"),
    "wrong": SPEC.replace("metrics:", "metrcs:"),
    "no_data": SPEC.replace("week.csv", "absent.csv"),
}


def call(folder: Path, names: str, *more: str) -> int:
    write_rows(folder / "week.csv", (40, 10, 10, 90))
    for name, text in TEXTS.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    paths = [str(folder / f"{name}.yaml") for name in names.split()]
    where = ["-o", str(folder / "runs"), "--at", "2026-11-21"]
    return status_of(["run", *paths, *where, *more])


@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("names", "status", "published"),
    [
        ("good fails", 1, 2),
        ("wrong good", 2, 1),
        ("no_data fails wrong good", 4, 2),
    ],
)
def test_worst_status_and_whole_summary(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    jobs: str,
    names: str,
    status: int,
    published: int,
) -> None:
    assert call(tmp_path, names, "--jobs", jobs, "--json") == status
    out = capsys.readouterr()
    body: list[dict[str, Any]] = json.loads(out.out)
    assert [one["spec"] for one in body] == [f"{name}.yaml" for name in names.split()]
    assert len(read_history(tmp_path / "runs").runs) == published
    told = {one["spec"]: one["outcome"] for one in body}
    expected = {
        "good.yaml": "passed",
        "fails.yaml": "failed",
        "wrong.yaml": "error",
        "no_data.yaml": "error",
    }
    assert told == {name: expected[name] for name in told}
    assert ("metrcs" in out.err) == ("wrong" in names)
    assert status_of(["verify", str(tmp_path / "runs")]) == 0


@pytest.mark.long
def test_side_by_side_is_the_same(tmp_path: Path) -> None:
    for jobs in ("1", "2"):
        (tmp_path / jobs).mkdir()
        assert call(tmp_path / jobs, "good fails", "--jobs", jobs, "--quiet") == 1
    one, two = (sorted((tmp_path / j / "runs").glob("2026*/*")) for j in ("1", "2"))
    assert [p.name for p in one] == [p.name for p in two]
    for first, second in zip(one, two, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_one_line_for_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "good fails wrong") == 2
    assert capsys.readouterr().out.splitlines()[-1] == "3 specs: 1 passed, 1 failed, 1 error"


def test_a_single_spec_as_ever(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "wrong") == 2
    assert "metrcs" in capsys.readouterr().err


# -- files that several specs name ----------------------------------------------------------------

#: Tells which files a Python process opens, its children included.
WATCH = """
import os, sys
def hook(event, args):
    if event == "open" and str(args[0]).endswith("week.csv"):
        with open(os.environ["OPENED"], "a") as log:
            log.write("x")
sys.addaudithook(hook)
"""
SHARING = {
    "one": SPEC,
    "two": SPEC.replace("metrics: [recall", "subgroups: [sex]\nmetrics: [precision, recall"),
    "three": SPEC.replace("id: case", "cluster: case").replace("0.7", "0.9"),
}


def shared(folder: Path) -> list[str]:
    write_rows(folder / "week.csv", (40, 10, 10, 90))
    for name, text in SHARING.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return [str(folder / f"{name}.yaml") for name in SHARING]


def content(runs: Path) -> dict[str, bytes]:
    return {f"{p.parent.name}/{p.name}": p.read_bytes() for p in runs.glob("2*/*")}


@pytest.mark.long
@pytest.mark.nightly_but_first
@pytest.mark.parametrize("jobs", ["2", "1"])
def test_a_file_is_read_once_and_results_are_those_of_separate_runs(
    tmp_path: Path, jobs: str
) -> None:
    specs = shared(tmp_path)
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    opened = Counter[str]()
    for how, calls in {"together": [specs], "apart": [[spec] for spec in specs]}.items():
        log = tmp_path / f"{how}.log"
        log.touch()
        path = f"{tmp_path}{os.pathsep}{Path(__file__).resolve().parents[2]}"
        environment = {**os.environ, "PYTHONPATH": path, "OPENED": str(log)}
        for paths in calls:
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "evalreport",
                    "run",
                    *paths,
                    "-o",
                    str(tmp_path / how),
                    "--at",
                    "2026-11-21",
                    "--quiet",
                    "--jobs",
                    jobs,
                ],
                env=environment,
                check=False,
                capture_output=True,
                text=True,
            )
            assert done.returncode == (1 if paths[-1] == specs[-1] else 0), done.stderr
        opened[how] = len(log.read_text())
    # once to take the hash, once to read
    assert opened["together"] == 2
    assert opened["apart"] == 2 * len(specs)
    together, apart = content(tmp_path / "together"), content(tmp_path / "apart")
    assert len(together) >= 3 * len(specs)
    assert together == apart
    histories = [list(read_history(tmp_path / how).runs) for how in ("together", "apart")]
    # published in the order of the specs, whichever was ready first
    assert histories[0] == histories[1]
    assert (tmp_path / "together" / "latest").resolve().name == histories[0][-1]


def test_a_mistake_in_a_shared_file_is_told_to_whom_it_concerns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = shared(tmp_path)
    text = (tmp_path / "week.csv").read_text()
    (tmp_path / "week.csv").write_text(text.replace("0.9000", "high", 1))
    other = SPEC.replace("model: {score: score}", "model: {prediction: truth}")
    (tmp_path / "two.yaml").write_text(other.replace(", brier", ""), encoding="utf-8")
    status = status_of(["run", *specs, "-o", str(tmp_path / "runs"), "--json", "--jobs", "1"])
    out = capsys.readouterr()
    assert status == 3
    assert [one["outcome"] for one in json.loads(out.out)] == ["error", "passed", "error"]
    assert out.err.count("high") == 2


def test_what_is_held_is_used_only_while_the_file_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "week.csv"
    write_rows(path, (4, 1, 1, 9))
    source = open_source(path, "x/week.csv")
    key = key_of(tmp_path / "x" / "..", "week.csv")
    held = Held(source, read_table(source, ["truth", "score"]), frozenset({"truth", "score"}))
    reads = SharedReads({key: held})
    again = reads.source(tmp_path, "week.csv")
    assert (again.name, again.sha256) == ("week.csv", source.sha256)
    table = reads.table(again, ["truth"])
    assert (table.name, list(table.columns)) == ("week.csv", ["truth"])
    assert table.columns["truth"] is held.table.columns["truth"]  # type: ignore[union-attr]
    # a column that was not read before is read now
    assert list(reads.table(again, ["truth", "sex"]).columns) == ["truth", "sex"]
    write_rows(path, (5, 1, 1, 9))
    assert reads.source(tmp_path, "week.csv").sha256 != source.sha256
    assert reads.table(reads.source(tmp_path, "week.csv"), ["truth"]).rows == 16


def test_a_folder_of_files_is_shared_too(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    for name in ("a", "b"):
        write_rows(tmp_path / "rows" / f"{name}.csv", (4, 1, 1, 9))
    key = key_of(tmp_path, "rows")
    source = open_files(tmp_path, "rows")
    held = Held(source, read_table(source, None), None)
    reads = SharedReads({key: held.only(frozenset({"truth", "sex"}))})
    table = reads.table(reads.source(tmp_path, "rows/"), ["sex"])
    assert (table.rows, list(table.columns), table.name) == (30, ["sex"], "rows/")
    assert table.row_name(16) == "row 2 (line 3) of b.csv"
    alone = read_table(open_files(tmp_path, "rows/"), ["sex"])
    assert (table.header, table.sha256, table.row_name(16)) == (
        alone.header,
        alone.sha256,
        alone.row_name(16),
    )


def test_a_bug_in_one_does_not_keep_back_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import evalreport.cli.many_specs as module

    real = module.run_spec

    def broken(path: Path, *more: Any) -> Any:
        if path.name == "good.yaml":
            raise ZeroDivisionError("odd")
        return real(path, *more)

    monkeypatch.setattr(module, "run_spec", broken)
    assert call(tmp_path, "good fails", "--json", "--jobs", "1") == 70
    out = capsys.readouterr()
    assert [one["outcome"] for one in json.loads(out.out)] == ["error", "failed"]
    assert "this is a bug in evalreport: ZeroDivisionError: odd" in out.err


# -- workers --------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_worker_takes_one_spec_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from multiprocessing.context import SpawnProcess

    started = []
    real = SpawnProcess.start

    def counted(self: SpawnProcess) -> None:
        started.append(self)
        real(self)

    monkeypatch.setattr(SpawnProcess, "start", counted)
    assert call(tmp_path, "good fails wrong good no_data", "--jobs", "2", "--quiet") == 4
    assert len(started) == 2
    assert [p.exitcode for p in started] == [0, 0]


@pytest.mark.long
def test_a_worker_that_is_killed_costs_one_spec(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{tmp_path}{os.pathsep}{Path(__file__).resolve().parents[2]}"
    monkeypatch.setenv("PYTHONPATH", path)
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "def hook(event, args):\n"
        "    if event == 'open' and str(args[0]).endswith('deadly.csv'):\n"
        "        if 'spawn' in ' '.join(sys.orig_argv):\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "sys.addaudithook(hook)\n"
    )
    write_rows(tmp_path / "deadly.csv", (40, 10, 10, 90))
    monkeypatch.setitem(TEXTS, "deadly", SPEC.replace("week.csv", "deadly.csv"))
    status = call(tmp_path, "good deadly good fails", "--jobs", "2", "--json")
    body = json.loads(capsys.readouterr().out)
    assert [one["outcome"] for one in body] == ["passed", "error", "passed", "failed"]
    assert status == 4
    assert "its process ended early with status -9" in body[1]["problems"][0]


def test_small_specs_are_worked_one_after_another_and_large_ones_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import evalreport.cli.many_specs as module
    from evalreport.spec.load import load_spec

    monkeypatch.setattr(module, "processors", lambda: 2)
    write_rows(tmp_path / "week.csv", (40, 10, 10, 90))
    (tmp_path / "good.yaml").write_text(SPEC, encoding="utf-8")
    loaded = load_spec(tmp_path / "good.yaml")
    assert module.worthwhile_jobs([loaded] * 12, ("html",)) == 1
    assert module.worthwhile_jobs([loaded] * 12, ("html", "pdf")) == 2
    with (tmp_path / "week.csv").open("r+b") as file:
        file.truncate(200_000_000)
    assert module.worthwhile_jobs([loaded] * 2, ("html",)) == 2
