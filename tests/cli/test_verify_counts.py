"""``verify`` says how many numbers it recomputed, and why it left out the others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from evalreport.cli import status_of

CONFIGS = Path(__file__).parents[2] / "configs"
AT = "2026-11-21T12:00:00Z"

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name in ("training_history", "penguins"):
        spec, formats = str(CONFIGS / f"{name}.yaml"), ["--formats", "html", "--quiet"]
        assert status_of(["run", spec, "-o", str(folder), "--at", AT, *formats]) in (0, 1)
    return folder


def verified(run: Path, capsys: Capture, status: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert status_of(["verify", str(run), "--json"]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.long
def test_the_numbers_of_a_run_are_counted(runs: Path, capsys: Capture) -> None:
    run = (runs / "latest").resolve()
    found = verified(run, capsys)
    assert found["problems"] == []
    left_out = sum(one["count"] for one in found["unchecked"])
    assert found["checked"] + left_out == found["numbers"]
    assert found["checked"] > 0.85 * found["numbers"]
    assert status_of(["verify", str(run)]) == 0
    told = capsys.readouterr().out
    assert f"{found['checked']:,} of {found['numbers']:,} numbers of results.json" in told
    # why, in one line with how many
    assert f"verify --explain: why {left_out:,} were not" in told
    assert len(told.splitlines()) == 3
    assert status_of(["verify", str(run), "--explain"]) == 0
    told = capsys.readouterr().out
    for one in found["unchecked"]:
        assert one["count"] == sum(one["fields"].values())
        assert f"{one['count']:,}: {one['reason']} (" in told


@pytest.mark.long
def test_a_folder_of_runs_has_the_numbers_of_all_of_them(runs: Path, capsys: Capture) -> None:
    folders = [path.parent for path in runs.glob("*/MANIFEST.json")]
    each = [verified(run, capsys) for run in folders if not run.is_symlink()]
    whole = verified(runs, capsys)
    assert len(each) == 2
    assert whole["checked"] == sum(one["checked"] for one in each)
    assert whole["problems"] == []


def test_a_folder_of_runs_finds_a_number_that_does_not_follow(
    runs: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "runs"
    shutil.copytree(runs, copy, symlinks=True)
    results = (copy / "latest").resolve() / "results.json"
    body = json.loads(results.read_text())
    body["measures"][0]["value"] = 0.123
    results.write_text(json.dumps(body))
    assert verified(copy, capsys, 5)["problems"]
    # as if manifest and chain had been made to fit
    monkeypatch.setattr("evalreport.verify.verify.verify_runs", lambda _runs: [])
    (problem,) = [
        one
        for one in verified(copy, capsys, 5)["problems"]
        if one["what"].startswith("measures[0] (m1, ")
    ]
    assert "value is 0.123" in problem["what"]
    assert str(results) == problem["where"]


def test_problems_are_in_the_json_too_and_end_with_5(
    runs: Path, tmp_path: Path, capsys: Capture
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree((runs / "latest").resolve(), copy)
    (copy / "measures.csv").write_text("nothing")
    body = verified(copy, capsys, 5)
    assert "measures.csv" in body["problems"][0]["where"]
    assert body["checked"] == 0


#: Those that take the longest.
NIGHTLY = {"cross_validation", "digits", "multilabel"}
SPECS = [
    pytest.param(path, id=path.stem, marks=pytest.mark.nightly if path.stem in NIGHTLY else ())
    for path in sorted(CONFIGS.glob("*.yaml"))
]


@pytest.mark.long
@pytest.mark.parametrize("spec", SPECS)
def test_every_ready_spec_verifies(spec: Path, tmp_path: Path, capsys: Capture) -> None:
    command = ["run", str(spec), "-o", str(tmp_path), "--at", AT, "--formats", "html", "--quiet"]
    assert status_of(command) in (0, 1)
    assert verified((tmp_path / "latest").resolve(), capsys)["problems"] == []
