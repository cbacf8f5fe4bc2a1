"""What the audit of the locks says, and that nothing out of reach fails it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "requirements"


def answered(text: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, FOLDER / "audit_answer.py", "run.txt"], input=text,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not done.stderr
    return done.returncode, done.stdout


def test_a_known_vulnerability_fails_and_is_named() -> None:
    flaw = {"id": "PYSEC-2026-1", "fix_versions": ["2.1", "3.0"]}
    packages = [
        {"name": "a", "version": "2.0", "vulns": [flaw, {"id": "CVE-1", "fix_versions": []}]},
        {"name": "b", "version": "1", "vulns": []},
        {"name": "c", "skip_reason": "not found"},
    ]
    status, said = answered(json.dumps({"dependencies": packages}))
    assert status == 1
    assert said.splitlines() == [
        "audit: run.txt: 2 of 3 packages were looked up",
        "audit: a 2.0: PYSEC-2026-1, fixed in 2.1, 3.0",
        "audit: a 2.0: CVE-1, fixed in no version yet",
    ]


def test_no_vulnerability_passes() -> None:
    packages = [{"name": "b", "version": "1", "vulns": []}]
    assert answered(json.dumps({"dependencies": packages})) == (
        0, "audit: run.txt: 1 of 1 packages were looked up\n"
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "no index", "[]", "null", '{"other": 1}'])
def test_no_answer_passes_and_says_so(text: str) -> None:
    status, said = answered(text)
    assert (status, "nothing was looked up" in said) == (0, True)


def test_without_the_tool_it_passes_and_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", FOLDER / "audit.sh", "false", tmp_path / "none", "run.txt"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "nothing was looked up" in done.stdout
    assert not (tmp_path / "none").exists()
