"""What a shell completes: commands, metrics, templates and runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from programs import found_program

from evalreport.cli import status_of


def completed(words: str, cwd: Path) -> list[str]:
    """What bash is told of words typed so far, the last of them unfinished."""
    typed = f"evalreport {words}"
    found = subprocess.run(
        [sys.executable, "-m", "evalreport"],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=os.environ
        | {
            "_EVALREPORT_COMPLETE": "bash_complete",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(len(typed.split(" ")) - 1),
        },
    )
    return [line.partition(",")[2] for line in found.stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell: str, capsys) -> None:
    assert status_of(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "_EVALREPORT_COMPLETE" in script
    if there := found_program(shell):
        checked = subprocess.run([there, "-n"], input=script, text=True, check=False)
        assert checked.returncode == 0


@pytest.mark.long
def test_commands_metrics_and_runs_are_completed(tmp_path: Path) -> None:
    assert {"check", "completion", "cautions"} <= set(completed("c", tmp_path))
    assert "specificity" in completed("metrics spec", tmp_path)
    run = tmp_path / "runs" / "20260101T000000Z-abc"
    run.mkdir(parents=True)
    (run / "MANIFEST.json").write_text("{}")
    (tmp_path / "runs" / "other").mkdir()
    assert completed("verify runs/", tmp_path) == ["runs/20260101T000000Z-abc"]
    assert "clinical" in completed("templates copy cl", tmp_path)


def test_another_shell_is_refused(capsys) -> None:
    assert status_of(["completion", "tcsh"]) == 2
    assert "bash" in capsys.readouterr().err
