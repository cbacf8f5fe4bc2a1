"""What a process says as it ends: nothing, also where modules stay and several specs were run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb

SPEC = """\
evalreport: 1
title: {name}
datasets: {{d: {{path: rows.parquet, target: y}}}}
positive: {{label: b}}
models: {{m: {{score: p}}}}
metrics: [recall]
report: {{formats: [json]}}
"""


def test_two_specs_end_without_a_word(tmp_path: Path) -> None:
    rows = "SELECT ['a', 'b'][i % 2 + 1] AS y, i / 60 AS p FROM range(60) t(i)"
    duckdb.sql(f"COPY ({rows}) TO '{tmp_path / 'rows.parquet'}' (FORMAT parquet)")
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(SPEC.format(name=name), encoding="utf-8")
    command = [sys.executable, "-m", "evalreport", "run", "one.yaml", "two.yaml"]
    done = subprocess.run(
        [*command, "-o", "runs", "--quiet", "--jobs", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
