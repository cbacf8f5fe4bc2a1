"""Holds the coverage of a run of the tests against its goals.

    python .ci/coverage_goals.py COVERAGE.json

Counted are lines and branches. What decides which numbers are right, or whether a file
is torn, is to be covered whole; everything together to 95 %.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

OVERALL = 95.0
#: Files that are covered whole, as beginnings of their names.
WHOLE = {
    "loader": (
        "spec/load", "spec/yaml_document", "spec/scalars", "spec/characters", "spec/fields",
        "spec/anatomy", "spec/problems", "spec/faults", "spec/overrides", "spec/first",
    ),
    "labels": (
        "data/labels", "data/label_", "data/classes", "data/names", "data/look_alikes",
    ),
    "tables and metrics": ("metrics/",),
    "writer": (
        "record/run_folder", "record/manifest", "record/durable", "record/hashing",
        "record/lock", "record/recovery", "record/runs", "record/history", "record/chain",
        "record/signals", "record/clock", "engine/records",
    ),
    "verifier": (
        "record/verify", "record/files", "record/recompute", "record/recorded",
        "record/printed", "record/table_", "record/class_metrics", "record/curve_areas",
    ),
}  # fmt: skip


def main() -> int:
    """Print what is covered; status 1 where a goal is missed."""
    measured = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["files"]
    files = {name.split("evalreport/")[-1]: found for name, found in measured.items()}
    missed = _told("everything", files, OVERALL)
    for part, beginnings in WHOLE.items():
        own = {n: f for n, f in files.items() if n.startswith(beginnings)}
        missed |= _told(part, own, 100.0)
    return int(missed)


def _told(part: str, files: dict[str, dict[str, object]], goal: float) -> bool:
    """Print one part; whether it misses its goal."""
    share = _share(files)
    missed = not files or share < goal
    print(f"coverage of {part}: {share:.2f} % of {len(files)} files, at least {goal:g} %")
    if share < 100.0 and part in WHOLE:
        for name, found in sorted(files.items()):
            lines, branches = found["missing_lines"], found["missing_branches"]
            if lines or branches:
                print(f"  evalreport/{name}: lines {lines}, branches {branches}")
    return missed


def _share(files: dict[str, dict[str, object]]) -> float:
    """Percent of lines and branches that are covered."""
    totals = {"covered": 0, "all": 0}
    for found in files.values():
        summary = found["summary"]
        assert isinstance(summary, dict)
        totals["covered"] += summary["covered_lines"] + summary["covered_branches"]
        totals["all"] += summary["num_statements"] + summary["num_branches"]
    return 100.0 * totals["covered"] / max(totals["all"], 1)


if __name__ == "__main__":
    sys.exit(main())
