"""What programs and people with a pull request read of a diff: a status, Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from runs.diff_as_json import differences
from schedules.weekly_runs import SPEC, audit

from evalreport.cli import status_of
from evalreport.runs import diff

Capture = pytest.CaptureFixture[str]
OLD, NEW = "at_least: 0.7", "at_least: 0.9"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Twice the same, then the same data under another limit."""
    folder = tmp_path_factory.mktemp("diff")
    assert OLD in SPEC
    audit(folder, (40, 10, 10, 90), 1)
    audit(folder, (40, 10, 10, 90), 2)
    audit(folder, (40, 10, 10, 90), 3, spec=SPEC.replace(OLD, NEW))
    return sorted(p for p in (folder / "runs").iterdir() if p.name[0] == "2")


def test_the_status_says_whether_anything_changed(runs: list[Path], capsys: Capture) -> None:
    first, same, other = map(str, runs)
    assert status_of(["diff", first, same, "--exit-code"]) == 0
    assert status_of(["diff", first, other, "--exit-code"]) == 1
    assert status_of(["diff", first, other]) == 0
    assert status_of(["diff", first, other, "--exit-code", "--json"]) == 1
    capsys.readouterr()
    assert diff.is_same(diff.differences(runs[0], runs[1]))


def test_a_criterion_with_another_limit_is_changed(runs: list[Path], capsys: Capture) -> None:
    (criterion,) = differences(runs[0], runs[2])["criteria"]
    assert (criterion["change"], criterion["old"], criterion["new"]) == ("changed", "pass", "fail")
    assert "0.7" in criterion["old_text"]
    assert "0.9" in criterion["text"]
    assert status_of(["diff", str(runs[0]), str(runs[2])]) == 0
    told = capsys.readouterr().out
    assert f"{criterion['old_text']} → {criterion['text']}" in told
    assert "changed" in told
    assert "added" not in told.split("Data")[0]


def test_a_criterion_at_another_threshold_is_changed(tmp_path: Path, capsys: Capture) -> None:
    at = SPEC.replace(OLD, f"threshold: 0.5, {OLD}").replace(
        "metrics:", "thresholds: [0.5, 0.6]\nmetrics:"
    )
    audit(tmp_path, (40, 10, 10, 90), 1, spec=at)
    audit(tmp_path, (40, 10, 10, 90), 2, spec=at.replace("threshold: 0.5,", "threshold: 0.6,"))
    old, new = sorted(p for p in (tmp_path / "runs").iterdir() if p.name[0] == "2")
    (criterion,) = differences(old, new)["criteria"]
    assert criterion["change"] == "changed"
    assert (criterion["old_threshold"], criterion["threshold"]) == ("0.5", "0.6")
    capsys.readouterr()
    assert status_of(["diff", str(old), str(new)]) == 0
    text = criterion["text"]
    line = f"{text} at 0.5 → {text} week, model, threshold 0.6 changed ✓ passed ✓ passed"
    assert line in " ".join(capsys.readouterr().out.split())


def test_markdown_has_the_same_lines(runs: list[Path], capsys: Capture) -> None:
    assert status_of(["diff", str(runs[0]), str(runs[2]), "--format", "markdown"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("## ")
    heads = [line for line in told.splitlines() if line.startswith("### ")]
    parts = ("Runs", "Criteria", "Data", "Spec", "Versions", "Measures", "Cautions")
    assert heads == [f"### {one}" for one in parts]
    assert "| changed |" in told
    # nothing of a spec can become markup
    assert "at\\_least" in told


def test_pruning_can_be_tried(runs: list[Path], capsys: Capture) -> None:
    folder = runs[0].parent
    before = sorted(path.name for path in folder.iterdir())
    assert status_of(["prune", str(folder), "--keep", "1", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert f"would remove {runs[0].name}" in told
    assert "2 would go" in told
    assert sorted(path.name for path in folder.iterdir()) == before
    assert status_of(["prune", str(folder), "--keep", "1"]) == 0
    assert f"removed {runs[0].name}" in capsys.readouterr().out
