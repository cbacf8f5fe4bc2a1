"""What the data are of, apart from the clock; missed runs and files delivered twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from schedules.weekly_runs import SPEC as WEEKLY
from schedules.weekly_runs import Counts, results, write_rows

from evalreport.cli import status_of

SPEC = WEEKLY.replace("[html]", "[json]").replace(
    "recall, specificity, accuracy, f1, brier", "recall"
)
DAILY = SPEC.replace("title:", "cadence: day\ntitle:")
PAGE = ("--formats", "html")
COUNTS: tuple[Counts, ...] = ((40, 10, 10, 90), (41, 9, 10, 90), (42, 8, 10, 90), (43, 7, 10, 90))


def night(
    folder: Path, counts: Counts, at: str, *more: str, spec: str = DAILY, name: str = "audit"
) -> str:
    """One run; the name of its folder."""
    write_rows(folder / "week.csv", counts)
    path = folder / f"{name}.yaml"
    path.write_text(spec, encoding="utf-8")
    before = runs(folder)
    clock = at if "T" in at else f"{at}T06:00:00Z"
    command = ["run", str(path), "-o", str(folder / "runs"), "--at", clock, "--quiet", *more]
    assert status_of(command) == 0
    (made,) = runs(folder) - before
    return made


def runs(folder: Path) -> set[str]:
    there = (folder / "runs").iterdir() if (folder / "runs").is_dir() else ()
    return {path.name for path in there if path.name[0] == "2"}


def cautions(folder: Path, run: str) -> dict[str, dict[str, Any]]:
    """The cautions of the schedule in a run."""
    told = results(folder / "runs" / run)["cautions"]
    return {one["code"]: one for one in told if one["code"] in ("missed_runs", "delivered_again")}


def test_a_missed_run_is_a_caution_of_the_next(tmp_path: Path) -> None:
    first = night(tmp_path, COUNTS[0], "2026-11-01")
    second = night(tmp_path, COUNTS[1], "2026-11-02T11:00:00Z")
    third = night(tmp_path, COUNTS[2], "2026-11-05", *PAGE)
    assert cautions(tmp_path, first) == cautions(tmp_path, second) == {}
    told = cautions(tmp_path, third)["missed_runs"]
    assert told["numbers"] == {"missed": 2}
    assert told["message"].startswith("2 scheduled runs before this one are missing: one is due")
    page = (tmp_path / "runs" / third / "report.html").read_text(encoding="utf-8")
    assert "2 scheduled runs before this one are missing" in page


def test_a_run_that_is_made_up_for_is_no_longer_missing(tmp_path: Path) -> None:
    night(tmp_path, COUNTS[0], "2026-11-01")
    night(tmp_path, COUNTS[1], "2026-11-03")
    backfill = night(tmp_path, COUNTS[2], "2026-11-02")
    assert cautions(tmp_path, backfill) == {}
    assert cautions(tmp_path, night(tmp_path, COUNTS[3], "2026-11-04")) == {}


def test_a_file_that_comes_twice_is_a_caution(tmp_path: Path) -> None:
    first = night(tmp_path, COUNTS[0], "2026-11-01")
    night(tmp_path, COUNTS[1], "2026-11-02")
    again = night(tmp_path, COUNTS[0], "2026-11-03")
    told = cautions(tmp_path, again)["delivered_again"]
    assert (told["dataset"], told["numbers"]) == ("week", {"runs": 1})
    assert first in told["message"]
    # after prune too: the hash stands in the line of the history
    command = ["prune", str(tmp_path / "runs"), "--keep", "1", "--at", "2026-11-03T12:00:00Z"]
    assert status_of(command) == 0
    assert runs(tmp_path) == {again}
    later = cautions(tmp_path, night(tmp_path, COUNTS[0], "2026-11-04"))["delivered_again"]
    assert later["numbers"] == {"runs": 2}


def test_the_same_run_again_and_another_series_are_no_second_delivery(tmp_path: Path) -> None:
    night(tmp_path, COUNTS[0], "2026-11-01")
    assert cautions(tmp_path, night(tmp_path, COUNTS[0], "2026-11-01")) == {}
    assert cautions(tmp_path, night(tmp_path, COUNTS[0], "2026-11-02", name="other")) == {}


def test_nothing_is_due_without_a_cadence(tmp_path: Path) -> None:
    night(tmp_path, COUNTS[0], "2026-11-01", spec=SPEC)
    assert cautions(tmp_path, night(tmp_path, COUNTS[0], "2026-11-09", spec=SPEC)) == {}


def test_what_drift_is_held_against_is_not_delivered(tmp_path: Path) -> None:
    dataset = (
        "datasets:\n  before: {path: before.csv, target: truth, id: case, labels: [well, ill]}"
    )
    spec = DAILY.replace("datasets:", dataset) + "drift: {reference: {dataset: before}}\n"
    write_rows(tmp_path / "before.csv", COUNTS[3])
    night(tmp_path, COUNTS[0], "2026-11-01", spec=spec)
    assert cautions(tmp_path, night(tmp_path, COUNTS[1], "2026-11-02", spec=spec)) == {}


def test_a_rerun_of_the_schedule_gives_the_same_bytes(tmp_path: Path, monkeypatch: Any) -> None:
    night(tmp_path, COUNTS[1], "2026-11-01")
    late = night(tmp_path, COUNTS[0], "2026-11-05")
    night(tmp_path, COUNTS[0], "2026-11-04")
    write_rows(tmp_path / "week.csv", COUNTS[0])
    monkeypatch.chdir(tmp_path)
    assert cautions(tmp_path, late)["missed_runs"]["numbers"] == {"missed": 3}
    assert status_of(["verify", "--rerun", f"runs/{late}"]) == 0


def test_the_data_are_of_another_day_than_the_clock(tmp_path: Path) -> None:
    newest = night(tmp_path, COUNTS[0], "2026-11-05", "--as-of", "2026-11-04")
    # made later, of an earlier day: a backfill
    backfill = night(tmp_path, COUNTS[1], "2026-11-06", "--as-of", "2026-11-03", *PAGE)
    folder = tmp_path / "runs"
    for link in ("latest", "latest-audit"):
        assert (folder / link).readlink().name == newest
    page = (folder / backfill / "report.html").read_text(encoding="utf-8")
    assert "data as of 2026-11-03" in page
    assert results(folder / backfill)["spec"]["as_of"] == "2026-11-03"
    lines = [json.loads(line) for line in (folder / "history.jsonl").read_text().splitlines()]
    assert [(one["when"][:10], one["as_of"]) for one in lines] == [
        ("2026-11-05", "2026-11-04"),
        ("2026-11-06", "2026-11-03"),
    ]
    assert status_of(["verify", str(folder)]) == 0
    assert status_of(["diff", str(folder / newest), str(folder / newest), "--exit-code"]) == 0


def test_a_backfill_pushes_out_no_newer_run(tmp_path: Path) -> None:
    newer = [night(tmp_path, COUNTS[k], f"2026-11-0{k + 5}") for k in range(2)]
    for k in (2, 3):
        night(tmp_path, COUNTS[k], f"2026-11-1{k}", "--as-of", f"2026-10-0{k}")
    command = ["prune", str(tmp_path / "runs"), "--keep", "2", "--at", "2026-11-20T12:00:00Z"]
    assert status_of(command) == 0
    assert runs(tmp_path) == set(newer)


def test_runs_are_missing_by_what_their_data_are_of(tmp_path: Path) -> None:
    night(tmp_path, COUNTS[0], "2026-11-05", "--as-of", "2026-11-01")
    late = night(tmp_path, COUNTS[1], "2026-11-06", "--as-of", "2026-11-04")
    assert cautions(tmp_path, late)["missed_runs"]["numbers"] == {"missed": 2}
    # the same night again, after a repair: the same file is no second delivery
    again = night(tmp_path, COUNTS[1], "2026-11-06T11:00:00Z", "--as-of", "2026-11-04")
    assert "delivered_again" not in cautions(tmp_path, again)


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", ""])
def test_what_is_no_date_is_refused(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rows(tmp_path / "week.csv", COUNTS[0])
    (tmp_path / "audit.yaml").write_text(DAILY, encoding="utf-8")
    command = ["run", str(tmp_path / "audit.yaml"), "-o", str(tmp_path / "runs"), "--as-of", text]
    assert status_of(command) == 2
    assert "as_of" in capsys.readouterr().err


def test_times_are_written_in_one_zone(tmp_path: Path) -> None:
    run = night(tmp_path, COUNTS[0], "2026-11-05", "--as-of", "2026-11-04T01:00:00+02:00")
    assert results(tmp_path / "runs" / run)["spec"]["as_of"] == "2026-11-03T23:00:00Z"
