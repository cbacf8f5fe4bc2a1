"""Specs checked without their data, by hook and action; and runs without the PDF's library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

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
    import os
    import sys

    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = action["runs"]["steps"][-1]["run"]
    folder = tmp_path / "bin"
    folder.mkdir()
    called = folder / "evalreport"
    called.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m evalreport "$@"\n')
    called.chmod(0o755)
    env = os.environ | {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "COMMAND": command,
        "SPECS": specs,
        "RUNS": "runs",
        "GITHUB_OUTPUT": str(tmp_path / "out"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }
    done = subprocess.run(
        ["bash", "-e", "-c", script], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
    assert not (tmp_path / "-x").exists()


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


def test_a_pdf_asked_for_by_name_stays_an_error_without_pango(without_pango, capsys) -> None:
    assert status_of(["run", "good.yaml", "--formats", "html,pdf"]) == 4
    assert "install Pango" in capsys.readouterr().err
    Path("named.yaml").write_text(SPEC + "report: {formats: [html, pdf]}\n")
    assert status_of(["run", "named.yaml"]) == 4
    assert status_of(["check", "named.yaml"]) == 4
