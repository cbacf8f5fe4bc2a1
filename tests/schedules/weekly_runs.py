"""Small weekly audits whose counts are chosen, published by the command itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalreport.cli import status_of

Counts = tuple[int, int, int, int]
SCORES = {"tp": 0.9, "fn": 0.3, "fp": 0.7, "tn": 0.1}

SPEC = """\
evalreport: 1
title: Weekly audit
datasets:
  week:
    path: week.csv
    target: truth
    id: case
    labels: [well, ill]
positive: {label: ill}
models:
  model: {score: score}
metrics: [recall, specificity, accuracy, f1, brier]
confidence: {resamples: 50}
acceptance:
  - {metric: recall, at_least: 0.7}
report: {formats: [json]}
"""


def write_rows(path: Path, counts: Counts) -> None:
    """A file whose classification table at 0.5 has these TP, FN, FP, TN."""
    lines = ["case,truth,score,sex"]
    for cell, count in zip(("tp", "fn", "fp", "tn"), counts, strict=True):
        truth = "ill" if cell in ("tp", "fn") else "well"
        lines += [
            f"{cell}{i},{truth},{SCORES[cell] + i / 10_000:.4f},{'FM'[i % 2]}" for i in range(count)
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def audit(folder: Path, counts: Counts, day: int, *more: str, spec: str = SPEC) -> int:
    """One audit of these counts on a day of November; the exit status."""
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "week.csv", counts)
    (folder / "audit.yaml").write_text(spec, encoding="utf-8")
    at = f"2026-11-{day:02d}T06:00:00Z"
    command = ["run", str(folder / "audit.yaml"), "-o", str(folder / "runs"), "--at", at]
    return status_of([*command, "--quiet", *more])


def audits(folder: Path, weeks: Sequence[Counts], spec: str = SPEC) -> list[Path]:
    """One audit per entry, a day apart; the run folders, oldest first."""
    for day, counts in enumerate(weeks, start=1):
        audit(folder, counts, day, spec=spec)
    return sorted(p for p in (folder / "runs").iterdir() if p.name[0] == "2")


def results(run: Path) -> dict[str, Any]:
    """The results of a run."""
    found: dict[str, Any] = json.loads((run / "results.json").read_text(encoding="utf-8"))
    return found
