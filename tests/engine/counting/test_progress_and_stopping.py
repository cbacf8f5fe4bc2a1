"""Rows and their rate while counting; a signal stops at once and leaves nothing."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from evalreport.cli.progress import Progress

pytestmark = pytest.mark.long_but_first


SPEC = """\
evalreport: 1
datasets: {d: {path: rows.KIND, target: y}}
models: {m: {score: s}}
metrics: [accuracy]
report: {formats: [html]}
"""


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., list[str]]:
    """Writes so many rows and a spec; the command that counts them."""

    def make(kind: str, rows: int) -> list[str]:
        options = "(FORMAT parquet)" if kind == "parquet" else ""
        duckdb.connect().execute(
            "COPY (SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS y, "
            f"hash(i) / 18446744073709551616.0 AS s FROM range({rows}) t(i)) "
            f"TO '{tmp_path}/rows.{kind}' {options}"
        )
        (tmp_path / "spec.yaml").write_text(SPEC.replace("KIND", kind))
        (tmp_path / "tmp").mkdir()
        runs = ["-o", str(tmp_path / "runs"), "--engine", "duckdb"]
        return [sys.executable, "-m", "evalreport", "run", str(tmp_path / "spec.yaml"), *runs]

    return make


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(folder / "tmp")}


@pytest.mark.long
@pytest.mark.nightly_but_first
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_plain_line_tells_rows_and_rate(
    tmp_path: Path, command: Callable[..., list[str]], kind: str
) -> None:
    done = subprocess.run(
        command(kind, 100_000), capture_output=True, text=True, check=True,
        env=environment(tmp_path),
    )  # fmt: skip
    (line,) = [line for line in done.stderr.splitlines() if "rows/s" in line]
    assert line.startswith("counting d: 100,000 rows, ")
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.long
def test_reading_in_memory_tells_rows_and_rate(
    tmp_path: Path, command: Callable[..., list[str]]
) -> None:
    words = [*command("csv", 100_000)[:-1], "memory"]
    done = subprocess.run(
        words, capture_output=True, text=True, check=True, env=environment(tmp_path)
    )
    (line,) = [line for line in done.stderr.splitlines() if "rows/s" in line]
    assert line.startswith("reading d: 100,000 rows, ")


def test_a_terminal_shows_rows_and_rate(capsys: pytest.CaptureFixture[str]) -> None:
    reader, writer = pty.openpty()
    with os.fdopen(writer, "w") as terminal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        patch.setenv("TERM", "xterm")
        patch.setenv("COLUMNS", "120")
        with Progress() as progress:
            progress.step("counting d")
            progress.seen(250_000, 1_000_000)
            assert "counting d: 250,000 rows, " in str(progress._bars.tasks[0].description)
            assert progress._bars.tasks[0].completed == 250_000
            progress.done(1_000_000)
        terminal.flush()
        shown = ""
        # a terminal gives what was written in as many parts as it likes
        while select.select([reader], [], [], 0.5)[0]:
            shown += os.read(reader, 100_000).decode()
    assert "counting d: 1,000,000 rows, " in shown
    assert "rows/s" in shown


@pytest.mark.long
@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_counting_leaves_nothing(
    tmp_path: Path, command: Callable[..., list[str]], kind: str, number: int, status: int
) -> None:
    words = command(kind, 6_000_000)
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, env=environment(tmp_path)
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "counting d\n"
        # The temporary folder is there from before the first query on.
        while not list((tmp_path / "tmp").iterdir()):
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(number)
        told = process.stderr.read()
        assert process.wait() == status
    assert "Traceback" not in told
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not list((tmp_path / "runs").glob("2*"))


@pytest.mark.long
@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("later", [0.1, 0.4])
def test_a_signal_while_parquet_is_loaded_is_no_bug(
    tmp_path: Path, command: Callable[..., list[str]], number: int, status: int, later: float
) -> None:
    words = [*command("parquet", 6_000_000)[:-1], "memory"]
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, env=environment(tmp_path)
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "reading d\n"
        time.sleep(later)
        process.send_signal(number)
        told = process.stderr.read().splitlines()
        assert process.wait() == status
    # Where the machine was quicker than the signal, the rows that were read are told.
    assert all(re.fullmatch(r"reading d: [\d,]+ rows, [\d,]+ rows/s", line) for line in told)
    assert not list((tmp_path / "runs").glob("2*"))
