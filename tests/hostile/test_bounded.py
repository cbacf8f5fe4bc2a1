"""Very many labels and very long ones: within 1 GB and 10 s of the processor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

MILLION = (
    "SELECT CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS y, 'label ' || i AS p, "
    "(hash(i) % 1000) / 1000 AS s FROM range(1000000) t(i)"
)
CLASSES = "SELECT 'c' || (i % 60000) AS y, 'c' || (i * 7 % 60000) AS p FROM range(120000) t(i)"
LONG = (
    "SELECT repeat(CASE WHEN i % 2 = 0 THEN 'x' ELSE 'y' END, 20000) AS y, "
    "repeat(CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END, 20000) AS p FROM range(1000) t(i)"
)


def run(folder: Path, rows: str, parts: str, engine: str) -> tuple[int, str, float, float]:
    """Exit status, what was told, seconds of the processor, megabytes at most."""
    duckdb.connect().execute(f"COPY ({rows}) TO '{folder}/rows.parquet' (FORMAT parquet)")
    (folder / "spec.yaml").write_text(
        "evalreport: 1\ndatasets: {d: {path: rows.parquet, target: y}}\n"
        f"metrics: [accuracy, f1, kappa]\nreport: {{formats: [html]}}\n{parts}\n"
    )
    words = ["-m", "evalreport", "run", str(folder / "spec.yaml"), "-o", str(folder / "runs")]
    with subprocess.Popen(
        [sys.executable, *words, "--engine", engine, "--quiet"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        told = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    return process.returncode, told, seconds, usage.ru_maxrss / 1024


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("rows", "parts", "status", "told"),
    [
        (MILLION, "models: {m: {prediction: p}}", 4,
         "p, a column of labels, has 1,000,000 distinct values, more than the limit of 100,000"),
        (MILLION, "models: {m: {score: s}}\nsubgroups: [p]", 4,
         "p, a subgroup, has 1,000,000 distinct values, more than the limit of 10,000"),
        (CLASSES, "models: {m: {prediction: p}}\naveraging: [macro, micro]", 0, ""),
        (LONG, "models: {m: {prediction: p}}", 0, ""),
    ],
    ids=["labels", "groups", "classes", "long"],
)  # fmt: skip
def test_very_many_labels_and_very_long_ones(
    tmp_path: Path, engine: str, rows: str, parts: str, status: int, told: str
) -> None:
    found, message, seconds, megabytes = run(tmp_path, rows, parts, engine)
    assert (found, told in message) == (status, True), message
    assert megabytes < 1_000
    # 10 s on an idle machine; the clock of the processor runs slower on a busy one.
    assert seconds < 15
