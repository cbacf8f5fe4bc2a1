"""Numbers outlive prune: trends, differences and limits of runs that were removed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from schedules.weekly_runs import SPEC as WEEKLY
from schedules.weekly_runs import Counts, audits

from evalreport.cli import status_of

SPEC = WEEKLY.replace("[html]", "[json]")
WEEKS: tuple[Counts, ...] = tuple((40 + k % 3, 10 - k % 3, 10 + k, 90 - k) for k in range(7))


def said(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    """What a command prints as JSON."""
    capsys.readouterr()
    assert status_of([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def prune(runs: Path, *more: str) -> int:
    at = "2026-12-01T00:00:00Z"
    return status_of(["prune", str(runs), "--keep", "1", "--at", at, *more])


def there(runs: Path) -> list[str]:
    return sorted(path.name for path in runs.iterdir() if path.name[0] == "2" and path.is_dir())


def test_the_course_and_the_differences_are_those_from_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = audits(tmp_path, WEEKS, SPEC)
    runs, pair = tmp_path / "runs", made[1:3]
    before = said(capsys, "history", runs), said(capsys, "diff", *pair)
    assert prune(runs) == 0
    assert there(runs) == [made[-1].name]
    course, changes = said(capsys, "history", runs), said(capsys, "diff", *pair)
    for one in course["runs"][:-1]:
        assert one.pop("missing") == "removed by prune"
    for one in before[0]["runs"][:-1]:
        assert one.pop("missing") is None
    assert course == before[0]
    # limits rest on five runs of which none is there any more
    assert any(point["low"] is not None for s in course["series"] for point in s["points"])
    for found in (changes, before[1]):
        for side in ("old", "new"):
            found[side].pop("results_sha256")
    assert changes == before[1]
    assert changes["scores"]
    assert status_of(["verify", str(runs)]) == 0


def test_a_run_against_one_that_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = audits(tmp_path, WEEKS[:3], SPEC)
    before = said(capsys, "diff", made[0], made[2])
    prune(tmp_path / "runs")
    after = said(capsys, "diff", made[0], made[2])
    assert after["measures"] == before["measures"]


def test_what_is_kept_is_held_to_the_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = audits(tmp_path, WEEKS[:3], SPEC)
    runs = tmp_path / "runs"
    prune(runs)
    kept = runs / "kept" / f"{made[0].name}.json"
    assert b'"text":"evalreport: 1' not in kept.read_bytes()
    whole = kept.read_bytes()
    kept.write_bytes(whole.replace(b"0.8", b"0.9"))
    assert status_of(["verify", str(runs)]) == 5
    assert status_of(["diff", str(made[0]), str(made[2])]) == 5
    assert "altered" in said(capsys, "history", runs)["runs"][0]["missing"]
    kept.unlink()
    assert status_of(["verify", str(runs)]) == 5
    kept.write_bytes(whole)
    assert status_of(["verify", str(runs)]) == 0


def test_a_run_that_a_link_leads_to_is_held(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = audits(tmp_path, WEEKS[:4], SPEC)
    runs = tmp_path / "runs"
    (runs / "baseline").symlink_to(made[1].name)
    capsys.readouterr()
    assert prune(runs, "--dry-run") == 0
    told = capsys.readouterr().out
    assert [name.name in told for name in made] == [True, False, True, False]
    assert prune(runs) == 0
    assert there(runs) == [made[1].name, made[3].name]
    assert status_of(["verify", str(runs)]) == 0


def test_a_run_that_cannot_be_read_leaves_no_numbers(tmp_path: Path) -> None:
    made = audits(tmp_path, WEEKS[:2], SPEC)
    (made[0] / "results.json").write_bytes(b"{}")
    assert prune(tmp_path / "runs") == 0
    line = json.loads((tmp_path / "runs" / "history.jsonl").read_text().splitlines()[-1])
    assert line["pruned"] == [made[0].name]
    assert "kept" not in line
