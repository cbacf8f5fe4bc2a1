"""The history of many runs of one audit, its pages, and the difference of two runs.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_history 200``. A model of
500 rows a day that goes bad two thirds of the way. Time of the processor is shown beside wall
time: on a shared machine only that can be compared.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.bench_audit import best

from evalreport.cli import status_of

SPEC = """\
evalreport: 1
title: Nightly audit
series: night
cadence: day
datasets: {night: {path: night.csv, target: truth, labels: [well, ill]}}
positive: {label: ill}
models: {model: {score: score}}
metrics: [recall, specificity, roc_auc]
acceptance: [{metric: recall, at_least: 0.7}]
report: {formats: [json]}
"""


def made(folder: Path, runs: int) -> None:
    """The folder of runs, one a day."""
    spec, first = folder / "night.yaml", datetime(2024, 1, 1, 2, tzinfo=UTC)
    spec.write_text(SPEC, encoding="utf-8")
    draw = random.Random(1)
    for day in range(runs):
        distance = 2.0 if day < 2 * runs / 3 else 1.4
        truths = [draw.random() < 0.4 for _ in range(500)]
        scores = [1 / (1 + 2.718 ** -(draw.gauss(distance * (t - 0.5), 1))) for t in truths]
        told = (f"{'ill' if t else 'well'},{s:.4f}" for t, s in zip(truths, scores, strict=True))
        (folder / "night.csv").write_text("\n".join(["truth,score", *told, ""]), encoding="utf-8")
        at = (first + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")
        command = ["run", str(spec), "-o", str(folder / "runs"), "--at", at, "--quiet"]
        with contextlib.redirect_stdout(io.StringIO()):
            assert status_of(command) in (0, 1)


def main() -> None:
    """Print wall time, time of the processor and memory of each command, the best of five."""
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", type=int)
    parser.add_argument("--keep", type=Path, help="Use, or make, the runs in this folder.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = asked.keep or Path(place)
        folder.mkdir(exist_ok=True)
        runs = folder / "runs"
        if not runs.exists():
            made(folder, asked.runs)
        command = [sys.executable, "-m", "evalreport"]
        names = sorted(p.name for p in runs.iterdir() if p.is_dir() and p.name[0] == "2")
        first, last = str(runs / names[0]), str(runs / names[-1])
        print(f"version alone      {best([*command, '--version'], 5)}")
        print(f"history            {best([*command, 'history', str(runs)], 5)}")
        page = [*command, "history", str(runs), "--html", str(folder / "site")]
        print(f"history and pages  {best(page, 5)}")
        print(f"diff of two runs   {best([*command, 'diff', first, last], 5)}")


if __name__ == "__main__":
    main()
