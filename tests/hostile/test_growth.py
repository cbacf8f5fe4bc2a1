"""Memory over many runs in one process: as many as EVALREPORT_RUNS says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalreport.api import run

RUNS = int(os.environ.get("EVALREPORT_RUNS", "150"))
STATUS = Path("/proc/self/statm")


def resident() -> int:
    """Bytes this process holds now."""
    return int(STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.long
@pytest.mark.skipif(not STATUS.exists(), reason="the system does not tell what a process holds")
def test_memory_does_not_grow_by_the_run(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "y,s\n" + "".join(f"{k % 2},{k * 37 % 100 / 100}\n" for k in range(40))
    )
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"path": str(tmp_path / "a.csv"), "target": "y"}},
        "models": {"m": {"score": "s"}},
        "metrics": ["accuracy", "recall", "roc_auc"],
    }
    first = run(spec, at="2026-11-21T12:00:00Z").json
    for _ in range(50):
        run(spec, at="2026-11-21T12:00:00Z")
    before = resident()
    for _ in range(RUNS):
        last = run(spec, at="2026-11-21T12:00:00Z").json
    assert resident() <= before * 1.05
    assert last == first
