"""A few seconds of the fuzzer on every change; it is run for minutes by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hostile.command import environment

pytestmark = pytest.mark.nightly


def test_some_seconds_of_fuzzing(tmp_path: Path) -> None:
    script = Path(__file__).with_name("fuzz_command.py")
    done = subprocess.run(
        [sys.executable, script, "8", "20261121"], cwd=tmp_path, env=environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_specs_at_random_are_verified(tmp_path: Path) -> None:
    script = Path(__file__).with_name("fuzz_specs.py")
    done = subprocess.run(
        [sys.executable, script, "20", "20261123"], cwd=tmp_path, env=environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
