"""The end of the process: quick, and with all done that was registered to be done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REGISTERED = """
import atexit, sys
atexit.register(lambda: print("registered"))
{before}
sys.argv = ["evalreport", *{words!r}]
from evalreport.__main__ import program
program()
"""


def ended(words: list[str], before: str = "", *options: str) -> subprocess.CompletedProcess[str]:
    """A process that ends as the command does."""
    code = REGISTERED.format(before=before, words=words)
    return subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "before",
    [
        "",
        "import multiprocessing",
        "import threading; threading.Thread(target=lambda: None).start()",
        "sys.setprofile(lambda *_: None)",
    ],
)
def test_what_was_registered_is_done_and_output_is_whole(before: str) -> None:
    done = ended(["metrics"], before)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "registered"
    assert len(done.stdout.splitlines()) > 60


def test_the_status_is_that_of_the_command(tmp_path: Path) -> None:
    done = ended(["check", str(tmp_path / "absent.yaml")])
    assert done.returncode == 4
    assert "absent.yaml" in done.stderr
    assert done.stdout == "registered\n"


def test_other_threads_are_waited_for() -> None:
    slow = (
        "import threading, time\n"
        "def late():\n    time.sleep(1); print('late', flush=True)\n"
        "threading.Thread(target=late).start()"
    )
    assert "late" in ended(["metrics"], slow).stdout


def test_a_profiler_keeps_its_figures(tmp_path: Path) -> None:
    figures = tmp_path / "figures"
    command = ["-m", "cProfile", "-o", str(figures), "-m", "evalreport", "metrics"]
    done = subprocess.run([sys.executable, *command], capture_output=True, check=False)
    assert done.returncode == 0
    assert figures.stat().st_size > 1000
