"""A signal that a library turns into an error of its own is a stop, and no bug."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: A step that a signal reaches inside a library, which then says something else.
STOPPED = """
import os, signal, sys
import evalreport.spec.load as load
def caught(*args, **kwargs):
    try:
        os.kill(os.getpid(), signal.{name})
        os.getpid()
    except BaseException:
        raise RuntimeError("Error calling __set_name__") from None
load.load_spec = caught
from evalreport.cli import main
main(["run", "spec.yaml", "--quiet"])
"""


@pytest.mark.long_but_first
@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_a_signal_inside_a_library_is_a_stop(name: str, status: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STOPPED.format(name=name)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert "bug" not in done.stderr


def test_an_error_without_a_signal_is_a_bug(tmp_path: Path) -> None:
    code = STOPPED.format(name="SIGTERM").replace("os.kill(os.getpid(), signal.SIGTERM)", "1 / 0")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 70
