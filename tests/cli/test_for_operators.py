"""What schedules need of the command: lines of JSON, options by environment, an end in time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from schedules.weekly_runs import SPEC, write_rows

from evalreport.cli import publishing, status_of
from evalreport.errors import FilesError, Problem


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    write_rows(tmp_path / "week.csv", (40, 10, 10, 90))
    path = tmp_path / "audit.yaml"
    path.write_text(SPEC.replace("0.7", "0.9"), encoding="utf-8")
    return path


def test_each_line_of_the_log_is_an_object(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["run", str(spec), "-o", str(spec.parent / "runs"), "--log", "json"]) == 1
    out = capsys.readouterr()
    lines = [json.loads(line) for line in out.err.splitlines()]
    assert all(set(line) == {"kind", "text", "time"} for line in lines)
    kinds = [line["kind"] for line in lines]
    assert kinds[0] == "step"
    (failed,) = (line["text"] for line in lines if line["kind"] == "failed")
    assert "recall >= 0.9" in failed
    assert "Recall" in out.out
    # the next command speaks plainly again
    assert status_of(["check", str(spec.with_name("absent.yaml"))]) == 4
    assert not capsys.readouterr().err.startswith("{")


def test_problems_are_lines_of_the_log_too(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec.write_text(SPEC.replace("metrics:", "metrcs:"), encoding="utf-8")
    assert status_of(["check", str(spec), "--log", "json"]) == 2
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert {line["kind"] for line in lines} == {"problem"}
    assert any("audit.yaml:12:1: unknown key 'metrcs'" in line["text"] for line in lines)


def test_watch_logs_its_problems_the_same_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["watch", str(tmp_path / "absent"), "--log", "json"]) != 0
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["kind"] for line in lines] == ["problem"]
    assert "absent" in lines[0]["text"]


def test_options_by_the_environment(
    spec: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALREPORT_RUN_RUNS", str(spec.parent / "elsewhere"))
    monkeypatch.setenv("EVALREPORT_RUN_LOG", "json")
    monkeypatch.setenv("EVALREPORT_RUN_FORMATS", "csv")
    assert status_of(["run", str(spec)]) == 1
    assert all(json.loads(line) for line in capsys.readouterr().err.splitlines())
    names = {path.name for path in (spec.parent / "elsewhere" / "latest").iterdir()}
    assert "measures.csv" in names
    assert "report.html" not in names
    monkeypatch.setenv("EVALREPORT_RUN_LOG", "xml")
    assert status_of(["run", str(spec)]) == 2
    assert "xml" in capsys.readouterr().err


def test_quiet_says_only_what_failed(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["run", str(spec), "-o", str(spec.parent / "runs"), "--quiet"]) == 1
    out = capsys.readouterr()
    assert out.out == ""
    assert len(out.err.splitlines()) == 1
    assert out.err.startswith("failed: recall >= 0.9")


@pytest.mark.long
def test_a_run_that_takes_too_long_ends_with_nothing_published(spec: Path) -> None:
    runs = spec.parent / "runs"
    command = [sys.executable, "-m", "evalreport", "run", str(spec), "-o", str(runs)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [*command, "--timeout", "0.05"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    assert "not done in 0.05 s; nothing was published; a longer --timeout" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(runs.glob("2*"))
    done = subprocess.run([*command, "--timeout", "500"], env=environment, check=False)
    assert done.returncode == 1
    assert len(list(runs.glob("2*"))) == 1
    # two specs, of which neither is done in time: each leaves its line; by another clock than the
    # run before, which may have been quicker than a second and is of the same series
    other = spec.with_name("other.yaml")
    other.write_text(spec.read_text(encoding="utf-8"), encoding="utf-8")
    both = [*command, str(other), "--timeout", "0.001", "--jobs", "2", "--at", "2031-01-01"]
    assert subprocess.run(both, env=environment, check=False).returncode == 4
    lines = map(json.loads, (runs / "history.jsonl").read_text(encoding="utf-8").splitlines())
    tried = [(one["series"], one["attempt"]) for one in lines if "attempt" in one]
    assert tried == [(spec.stem, {"status": 4}), ("other", {"status": 4})]
    assert len(list(runs.glob("2*"))) == 1


@pytest.mark.long
@pytest.mark.parametrize("more", [[], ["other.yaml", "--jobs", "1"]], ids=["one", "two"])
def test_a_library_that_makes_an_error_of_the_end_of_time_changes_nothing(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    """Each spec leaves one line, and none is begun when the time is over."""
    begun = []

    def stubborn(path: Path, *_others: object) -> None:
        begun.append(path.stem)
        try:
            time.sleep(60)
        except SystemExit:
            raise FilesError(Problem("interrupted", "try again")) from None

    monkeypatch.setattr(publishing, "_run_spec", stubborn)
    monkeypatch.chdir(spec.parent)
    spec.with_name("other.yaml").write_text(spec.read_text(encoding="utf-8"), encoding="utf-8")
    Path("runs").mkdir()
    assert status_of(["run", spec.name, *more, "--quiet", "--timeout", "2"]) == 4
    assert "not done in 2 s" in capsys.readouterr().err
    lines = map(json.loads, Path("runs/history.jsonl").read_text(encoding="utf-8").splitlines())
    assert [one["series"] for one in lines] == ["audit", "other"][: 1 + bool(more)]
    assert begun == ["audit"]


def test_the_folder_of_runs_has_the_name_of_its_option_too(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALREPORT_RUN_OUTPUT", str(spec.parent / "elsewhere"))
    assert status_of(["run", str(spec), "--quiet", "--formats", "csv"]) == 1
    assert (spec.parent / "elsewhere" / "latest").exists()


def test_check_can_be_quiet_and_limited(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["check", str(spec), "--quiet", "--timeout", "500"]) == 0
    out = capsys.readouterr()
    assert (out.out, out.err) == ("", "")
    wrong = spec.with_name("wrong.yaml")
    wrong.write_text(spec.read_text("utf-8").replace("metrics:", "metrcs:"), encoding="utf-8")
    assert status_of(["check", str(wrong), "--quiet"]) == 2
    assert "metrcs" in capsys.readouterr().err
    assert status_of(["check", str(spec), "--timeout", "1e-5"]) == 4
    assert capsys.readouterr().err == "not done in 1e-05 s; a longer --timeout\n"


def test_watch_can_be_limited(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = str(spec.parent / "runs")
    assert status_of(["run", str(spec), "-o", runs, "--quiet"]) == 1
    assert status_of(["watch", runs, "--timeout", "500", "--quiet"]) == 1
    capsys.readouterr()
    assert status_of(["watch", runs, "--timeout", "1e-5"]) == 4
    assert "not done in" in capsys.readouterr().err
