"""What a history tells of nights that came to nothing, and of what data are of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from schedules.weekly_runs import SPEC, audit

from evalreport.cli import status_of

GOOD = (40, 10, 10, 90)
Capture = pytest.CaptureFixture[str]


def tried(folder: Path, at: str, *more: str, spec: str = SPEC, name: str = "audit") -> int:
    """One attempt without its data."""
    (folder / "week.csv").unlink(missing_ok=True)
    (folder / f"{name}.yaml").write_text(spec, encoding="utf-8")
    command = ["run", str(folder / f"{name}.yaml"), "-o", str(folder / "runs"), "--at", at]
    return status_of([*command, "--quiet", *more])


def told(folder: Path, capsys: Capture, *more: str) -> dict[str, Any]:
    capsys.readouterr()
    assert status_of(["history", str(folder / "runs"), "--json", *more]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def lines(folder: Path, capsys: Capture, *more: str) -> list[str]:
    capsys.readouterr()
    assert status_of(["history", str(folder / "runs"), *more]) == 0
    return [line.strip() for line in capsys.readouterr().out.splitlines()]


def attempts(folder: Path) -> list[dict[str, Any]]:
    """The lines of attempts, as they stand in the history."""
    found = map(json.loads, (folder / "runs" / "history.jsonl").read_text("utf-8").splitlines())
    return [one for one in found if "attempt" in one]


def test_attempts_stand_among_the_runs(tmp_path: Path, capsys: Capture) -> None:
    audit(tmp_path, GOOD, 1)
    assert tried(tmp_path, "2026-11-02T06:00:00Z") == 4
    audit(tmp_path, GOOD, 3)
    assert tried(tmp_path, "2026-11-04T06:00:00Z", spec=SPEC.replace("[recall", "[recal")) == 2
    found = told(tmp_path, capsys)
    assert found["attempts"] == [
        {"when": "2026-11-02T06:00:00Z", "status": 4},
        {"when": "2026-11-04T06:00:00Z", "status": 2},
    ]
    whole = lines(tmp_path, capsys)
    days = [line[8:10] for line in whole if line.startswith("2026")]
    assert days == ["01", "02", "03", "04"]
    attempt = next(line for line in whole if line.startswith("2026-11-02 06:00:00 UTC"))
    assert "✗ no run  ended with status 4: files, limits or rendering" in attempt
    last = (
        "1 attempt since the newest run produced no report, the last of 2026-11-04: "
        "ended with status 2: the spec or the command is wrong"
    )
    assert f"▲ {last}" in whole
    # of the newest run alone only what came after it
    newest = lines(tmp_path, capsys, "--last", "1")
    assert [line[8:10] for line in newest if line.startswith("2026")] == ["03", "04"]
    assert [one["status"] for one in told(tmp_path, capsys, "--last", "1")["attempts"]] == [2]


def test_a_run_after_an_attempt_leaves_nothing_to_be_told_of(
    tmp_path: Path, capsys: Capture
) -> None:
    audit(tmp_path, GOOD, 1)
    assert tried(tmp_path, "2026-11-02T06:00:00Z") == 4
    audit(tmp_path, GOOD, 3)
    assert not [line for line in lines(tmp_path, capsys) if "since the newest run" in line]


def test_the_page_lists_attempts(tmp_path: Path) -> None:
    audit(tmp_path, GOOD, 1)
    assert tried(tmp_path, "2026-11-02T06:00:00Z") == 4
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "1 run and 1 attempt without a report, the newest first" in page
    assert page.index("2026-11-02 06:00") < page.index("2026-11-01 06:00")
    assert "Needs attention" in page
    assert page.count("ended with status 4: files, limits or rendering") == 2


def test_attempts_of_several_series_say_which(tmp_path: Path, capsys: Capture) -> None:
    audit(tmp_path, GOOD, 1)
    assert tried(tmp_path, "2026-11-02T06:00:00Z", name="other") == 4
    (one,) = told(tmp_path, capsys)["attempts"]
    assert one["series"] == "other"
    assert any(line.startswith("▲ other: 1 attempt") for line in lines(tmp_path, capsys))


def test_attempts_of_several_series_say_which_where_there_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("audit", "other"):
        assert tried(tmp_path, "2026-11-02T06:00:00Z", name=name) == 4
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert page.count("Runs of audit</h2>") == page.count("Runs of other</h2>") == 1


def test_what_the_data_are_of_is_told(tmp_path: Path, capsys: Capture) -> None:
    audit(tmp_path, GOOD, 5, "--as-of", "2026-11-04")
    audit(tmp_path, GOOD, 6, "--as-of", "2026-11-03")
    found = told(tmp_path, capsys)["runs"]
    assert [(one["as_of"], one["when"][:10]) for one in found] == [
        ("2026-11-03", "2026-11-06"),
        ("2026-11-04", "2026-11-05"),
    ]
    assert any("data as of 2026-11-03; 1 of 1 criterion" in one for one in lines(tmp_path, capsys))
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "data as of 2026-11-04" in index
    trends = (tmp_path / "site" / "trends-1.html").read_text(encoding="utf-8")
    # a course goes by what the data are of
    assert "2026-11-03" in trends
    assert "2026-11-06" not in trends
    assert "2026-11-04" in trends


def test_a_series_given_with_the_command_has_the_attempt(tmp_path: Path) -> None:
    audit(tmp_path, GOOD, 1)
    assert tried(tmp_path, "2026-11-02T06:00:00Z", "--set", "series=weekly") == 4
    wrong = SPEC.replace("[recall", "[recal")
    assert tried(tmp_path, "2026-11-03T06:00:00Z", "--set", "series=weekly", spec=wrong) == 2
    assert [one["series"] for one in attempts(tmp_path)] == ["weekly", "weekly"]


def test_a_backfill_that_came_to_nothing_breaks_no_series(tmp_path: Path, capsys: Capture) -> None:
    audit(tmp_path, GOOD, 5, "--as-of", "2026-11-04")
    assert tried(tmp_path, "2026-11-06T06:00:00Z", "--as-of", "2026-11-01") == 4
    assert attempts(tmp_path)[0]["as_of"] == "2026-11-01"
    at = ["--at", "2026-11-06T12:00:00Z"]
    assert status_of(["watch", str(tmp_path / "runs"), *at]) == 0
    assert not [line for line in lines(tmp_path, capsys) if "since the newest run" in line]
    # the night after it is one that the series waits for
    assert tried(tmp_path, "2026-11-06T07:00:00Z", "--as-of", "2026-11-05") == 4
    assert status_of(["watch", str(tmp_path / "runs"), *at]) == 1
    assert [line for line in lines(tmp_path, capsys) if "1 attempt since the newest run" in line]


def test_a_rerun_of_the_same_data_delivers_nothing_new(tmp_path: Path, capsys: Capture) -> None:
    daily = f"cadence: day\n{SPEC}"
    audit(tmp_path, GOOD, 5, "--as-of", "2026-11-04", spec=daily)
    audit(tmp_path, GOOD, 9, "--as-of", "2026-11-04", spec=daily)
    capsys.readouterr()
    at = ["--at", "2026-11-09T12:00:00Z"]
    assert status_of(["watch", str(tmp_path / "runs"), *at, "--json"]) == 1
    (one,) = json.loads(capsys.readouterr().out)["series"]
    assert (one["state"], one["due"]) == ("late", "2026-11-06T06:00:00Z")


def test_a_spec_that_is_not_there_begins_no_series(tmp_path: Path) -> None:
    audit(tmp_path, GOOD, 1)
    runs, at = str(tmp_path / "runs"), "2026-11-02T06:00:00Z"
    for name in ("adit.yaml", "audit.yaml"):
        (tmp_path / name).unlink(missing_ok=True)
        assert status_of(["run", str(tmp_path / name), "-o", runs, "--at", at, "--quiet"]) == 4
    # of a series that there is, a spec that went is a night that came to nothing
    assert [one["series"] for one in attempts(tmp_path)] == ["audit"]


def test_a_name_that_is_no_text_is_recorded(tmp_path: Path, capsys: Capture) -> None:
    """The name of a file may be bytes that are no UTF-8."""
    audit(tmp_path, GOOD, 1)
    assert tried(tmp_path, "2026-11-02T06:00:00Z", name="b\udcffd") == 4
    assert "week.csv" in capsys.readouterr().err
    assert attempts(tmp_path)[0]["series"] == "b\\xffd"


def test_a_folder_of_somebody_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "events.log").touch()
    assert tried(tmp_path, "2026-11-01T06:00:00Z") == 4
    assert [one.name for one in (tmp_path / "runs").iterdir()] == ["events.log"]


def test_the_first_night_of_a_folder_that_is_there_leaves_its_line(
    tmp_path: Path, capsys: Capture
) -> None:
    assert tried(tmp_path, "2026-11-01T06:00:00Z") == 4
    assert not (tmp_path / "runs").exists(), "a folder of runs is made for a run alone"
    (tmp_path / "runs").mkdir()
    assert tried(tmp_path, "2026-11-01T06:00:00Z") == 4
    assert [one["attempt"] for one in attempts(tmp_path)] == [{"status": 4}]
    assert any("no run" in line for line in lines(tmp_path, capsys))
    assert status_of(["watch", str(tmp_path / "runs")]) == 1
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    audit(tmp_path, GOOD, 2)
    assert status_of(["verify", str(tmp_path / "runs")]) == 0
