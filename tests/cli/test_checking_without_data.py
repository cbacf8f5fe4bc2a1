"""Specs checked without their data, by hook and action; and runs without the PDF's library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from programs import program

from evalreport.cli import status_of
from evalreport.errors import MissingLibraryError, Problem

ROOT = Path(__file__).parents[2]
SPEC = """\
evalreport: 1
datasets: {d: {path: d.csv, target: y}}
models: {m: {score: p}}
metrics: [recall]
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good.yaml").write_text(SPEC)
    Path("bad.yaml").write_text(SPEC.replace("recall", "recal"))


def test_a_spec_is_checked_where_its_data_are_not(capsys) -> None:
    assert status_of(["check", "good.yaml"]) == 4
    assert status_of(["check", "--no-data", "good.yaml"]) == 0
    assert status_of(["check", "--no-data", "bad.yaml"]) == 2
    assert "did you mean 'recall'" in capsys.readouterr().err


def test_several_specs_are_checked_and_the_worst_counts(capsys) -> None:
    assert status_of(["check", "--no-data", "good.yaml", "bad.yaml"]) == 2
    told = capsys.readouterr()
    assert "good.yaml: no mistakes found" in told.out
    assert "bad.yaml:4:11" in told.err


def test_the_hook_calls_the_command_on_specs(monkeypatch) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "evalreport-check"
    assert status_of([*hook["entry"].split()[1:], "good.yaml"]) == 0


@pytest.mark.long_but_first
@pytest.mark.parametrize(
    ("command", "specs", "status"),
    [
        ("check", "good.yaml", 0),
        ("check", "good.yaml bad.yaml", 2),
        ("fly", "good.yaml", 2),
        ("check", "$(touch$IFS-x)", 4),
    ],
)
def test_the_action_ends_with_the_status_of_the_command(tmp_path, command, specs, status) -> None:
    done = act(tmp_path, command, specs)
    assert done.returncode == status, done.stderr
    assert not (tmp_path / "-x").exists()


def act(folder: Path, command: str, specs: str) -> subprocess.CompletedProcess[str]:
    """The last step of the action, as a runner calls it: files for outputs and summary are new."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = action["runs"]["steps"][-1]["run"]
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, words in (("evalreport", "-m evalreport "), ("python", "")):
        called = programs / name
        called.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}"$@"\n')
        called.chmod(0o755)
    for name in ("out", "summary"):
        (folder / name).write_text("")
    env = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "COMMAND": command,
        "SPECS": specs,
        "RUNS": "runs",
        "FORMATS": "html,markdown",
        "GITHUB_OUTPUT": str(folder / "out"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
    }
    return subprocess.run(
        [program("bash"), "-eo", "pipefail", "-c", script],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


NOTHING = "The audit made no report this time; its log says why.\n"


@pytest.mark.long
def test_the_action_tells_of_its_own_run_alone(tmp_path) -> None:
    data = Path("d.csv")
    data.write_text("y,p\n" + "".join(f"{i % 2},{i / 20}\n" for i in range(20)))
    assert act(tmp_path, "run", "good.yaml").returncode == 0
    first = (Path("runs") / "latest").resolve()
    assert (tmp_path / "out").read_text() == f"run={first}\n"
    assert (tmp_path / "summary").read_text() == (first / "summary.md").read_text() + "\n"
    # a month that comes to nothing has no run, whatever an earlier one left
    for specs, status in (("bad.yaml", 2), ("bad.yaml\nbad.yaml", 2)):
        assert act(tmp_path, "run", specs).returncode == status
        assert (tmp_path / "out").read_text() == ""
        assert (tmp_path / "summary").read_text() == NOTHING
    # of several specs those that made one, whatever stands between their names
    assert act(tmp_path, "run", "good.yaml\n  bad.yaml\n").returncode == 2
    newest = (Path("runs") / "latest").resolve()
    assert newest != first
    assert (tmp_path / "out").read_text() == f"run={newest}\n"
    assert (tmp_path / "summary").read_text() == (newest / "summary.md").read_text() + "\n"


@pytest.fixture(name="without_pango")
def no_library(monkeypatch):
    Path("d.csv").write_text("y,p\n" + "".join(f"{i % 2},{i / 20}\n" for i in range(20)))

    def missing(*_args, **_named):
        raise MissingLibraryError(Problem("the PDF cannot be drawn: no pango", "install Pango"))

    monkeypatch.setattr("evalreport.render.pdf.render_pdf", missing)
    monkeypatch.setattr(
        "evalreport.render.paper.pango_problem",
        lambda: Problem("no PDF can be drawn: pango", "install Pango"),
    )


@pytest.mark.long
def test_without_pango_a_run_by_default_makes_the_page_and_says_so_once(
    without_pango, capsys
) -> None:
    assert status_of(["run", "good.yaml"]) == 0
    told = capsys.readouterr().err
    assert told.count("install Pango") == 1
    assert "there is no PDF, the HTML report is whole" in told
    assert (Path("runs") / "latest" / "report.html").is_file()
    assert status_of(["check", "good.yaml"]) == 0
    assert "the run will make no PDF" in capsys.readouterr().err


@pytest.mark.long
def test_a_pdf_asked_for_by_name_stays_an_error_without_pango(without_pango, capsys) -> None:
    assert status_of(["run", "good.yaml", "--formats", "html,pdf"]) == 4
    assert "install Pango" in capsys.readouterr().err
    Path("named.yaml").write_text(SPEC + "report: {formats: [html, pdf]}\n")
    assert status_of(["run", "named.yaml"]) == 4
    assert status_of(["check", "named.yaml"]) == 4
