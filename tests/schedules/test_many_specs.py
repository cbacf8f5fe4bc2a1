"""Several specs in one call: one summary, the worst status, none kept back by another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from schedules.weekly_runs import SPEC, write_rows

from evalreport.cli import status_of
from evalreport.record.history import read_history

TEXTS = {
    "good": SPEC,
    "fails": SPEC.replace("0.7", "0.9").replace("Weekly", "Strict"),
    "wrong": SPEC.replace("metrics:", "metrcs:"),
    "no_data": SPEC.replace("week.csv", "absent.csv"),
}


def call(folder: Path, names: str, *more: str) -> int:
    write_rows(folder / "week.csv", (40, 10, 10, 90))
    for name, text in TEXTS.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    paths = [str(folder / f"{name}.yaml") for name in names.split()]
    where = ["-o", str(folder / "runs"), "--at", "2026-11-21"]
    return status_of(["run", *paths, *where, *more])


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("names", "status", "published"),
    [
        ("good fails", 1, 2),
        ("wrong good", 2, 1),
        ("no_data fails wrong good", 4, 2),
    ],
)
def test_worst_status_and_whole_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], jobs: str, names: str, status: int,
    published: int,
) -> None:
    assert call(tmp_path, names, "--jobs", jobs, "--json") == status
    out = capsys.readouterr()
    body: list[dict[str, Any]] = json.loads(out.out)
    assert [one["spec"] for one in body] == [f"{name}.yaml" for name in names.split()]
    assert len(read_history(tmp_path / "runs").runs) == published
    told = {one["spec"]: one["outcome"] for one in body}
    expected = {"good.yaml": "passed", "fails.yaml": "failed", "wrong.yaml": "error",
                "no_data.yaml": "error"}
    assert told == {name: expected[name] for name in told}
    assert ("metrcs" in out.err) == ("wrong" in names)
    assert status_of(["verify", str(tmp_path / "runs")]) == 0


def test_side_by_side_is_the_same(tmp_path: Path) -> None:
    for jobs in ("1", "2"):
        (tmp_path / jobs).mkdir()
        assert call(tmp_path / jobs, "good fails", "--jobs", jobs, "--quiet") == 1
    one, two = (sorted((tmp_path / j / "runs").glob("2026*/*")) for j in ("1", "2"))
    assert [p.name for p in one] == [p.name for p in two]
    for first, second in zip(one, two, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_one_line_for_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "good fails wrong") == 2
    assert capsys.readouterr().out.splitlines()[-1] == "3 specs: 1 passed, 1 failed, 1 error"


def test_a_single_spec_as_ever(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "wrong") == 2
    assert "metrcs" in capsys.readouterr().err
