"""Two specs in one folder of runs are two series; backfills; attempts that came to nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from schedules.weekly_runs import SPEC, Counts, audit, results, write_rows

from evalreport.cli import status_of
from evalreport.report.history_pages import history_text
from evalreport.results.history import Attempt, HistoryLine
from evalreport.runs.history import NAME, chain_problems, parse_line, read_history, split_history
from evalreport.runs.trend import read_course
from evalreport.runs.trend_data import history_data

GOOD: Counts = (40, 10, 10, 90)
BAD: Counts = (20, 30, 10, 90)
WITH_RUN = SPEC.replace("acceptance:", "comparisons: {reference: {run: runs/latest}}\nacceptance:")


def run(folder: Path, name: str, counts: Counts, day: int, spec: str = SPEC) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "week.csv", counts)
    (folder / f"{name}.yaml").write_text(spec, encoding="utf-8")
    at = f"2026-11-{day:02d}T06:00:00Z"
    where = str(folder / "runs")
    return status_of(["run", str(folder / f"{name}.yaml"), "-o", where, "--at", at, "--quiet"])


def led_to(folder: Path, link: str) -> str:
    return (folder / "runs" / link).resolve().name


def lines(folder: Path) -> list[HistoryLine]:
    return list(read_history(folder / "runs").entries.values())


def test_each_spec_is_a_series(tmp_path: Path) -> None:
    """b's runs never stand in a's course, whatever the order."""
    for day in range(1, 7):
        run(tmp_path, "a", GOOD, 2 * day)
        run(tmp_path, "b", BAD, 2 * day + 1)
    course = read_course(tmp_path / "runs")
    recall = [s for s in course.series if s.about.metric == "recall"]
    assert {s.line: [p.record.value for p in s.points] for s in recall} == {
        "a": [0.8] * 6,
        "b": [0.4] * 6,
    }
    assert [c.breaches for c in sorted(course.criteria, key=lambda c: str(c.line))] == [0, 6]
    assert not any(point.limits.signal for s in recall for point in s.points)
    assert "b: " in history_text(course)
    assert {one["series"] for one in history_data(course)["series"]} == {"a", "b"}
    assert (
        led_to(tmp_path, "latest") == led_to(tmp_path, "latest-b") != led_to(tmp_path, "latest-a")
    )


def test_pages_of_several_series_keep_them_apart(tmp_path: Path) -> None:
    """A chart has the runs of its series alone, and the two newest runs compared are of one."""
    for day in (1, 2, 3):
        run(tmp_path, "a", GOOD, 2 * day)
        run(tmp_path, "b", BAD, 2 * day + 1)
    site = tmp_path / "site"
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(site)]) == 0
    pages = {path.name: path.read_text(encoding="utf-8") for path in site.iterdir()}
    assert "<h1>2 series</h1>" in pages["index.html"]
    assert "In 3 of 3 runs" in pages["trends-1.html"]
    ran = {name: read_history(tmp_path / "runs").series_of(entry)
           for name, entry in read_history(tmp_path / "runs").runs.items()}  # fmt: skip
    compared = [ran[name] for name in ran if name in pages["changes.html"]]
    assert compared == ["b", "b"]
    # a line for each run below how often in a row a criterion was not passed
    rows = re.findall(
        r"<tr>(?:(?!</tr>).)*2026-11-0[0-9]<.*?</tr>", pages["criteria.html"], re.DOTALL
    )
    assert len(rows) == 6


def test_a_declared_series_goes_on_under_another_file_name(tmp_path: Path) -> None:
    named = SPEC.replace("title:", "series: weekly triage\ntitle:")
    run(tmp_path, "old_name", GOOD, 1, named)
    run(tmp_path, "new_name", GOOD, 2, named)
    assert [entry.series for entry in lines(tmp_path)] == ["weekly triage"] * 2
    assert (tmp_path / "runs" / "latest-weekly triage").exists()
    assert {one.line for one in read_course(tmp_path / "runs").series} == {None}


@pytest.mark.parametrize("name", ["a/b", '"a\\tb"', '""', "x" * 101])
def test_a_series_that_is_no_name_is_refused(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "a", GOOD, 1, SPEC.replace("title:", f"series: {name}\ntitle:")) == 2
    assert "series" in capsys.readouterr().err


def test_the_previous_run_is_of_the_same_series(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "a", GOOD, 1)
    first = led_to(tmp_path, "latest")
    run(tmp_path, "b", BAD, 2)
    run(tmp_path, "a", GOOD, 3, WITH_RUN)
    (named,) = results(tmp_path / "runs" / "latest")["references"]
    assert named["run"] == first
    assert run(tmp_path, "c", GOOD, 4, WITH_RUN) == 4
    assert "no run of the series 'c' yet" in capsys.readouterr().err
    other = WITH_RUN.replace("runs/latest", "runs/latest/b")
    run(tmp_path, "c", GOOD, 5, other)
    (named,) = results(tmp_path / "runs" / "latest")["references"]
    assert named["run"] == led_to(tmp_path, "latest-b")


def test_a_folder_of_an_older_version_has_one_series(tmp_path: Path) -> None:
    """Its lines name none; they belong to the spec that goes on in it."""
    audit(tmp_path, GOOD, 1)
    audit(tmp_path, GOOD, 2)
    runs = tmp_path / "runs"
    whole = read_history(runs)
    old = split_history(b"")
    for entry in whole.entries.values():
        old = split_history(b"".join(old.lines) + old.next_line(replace(entry, series=None)))
    (runs / NAME).write_bytes(b"".join(old.lines))
    (runs / "latest-audit").unlink()
    assert {one.line for one in read_course(runs).series} == {None}
    assert audit(tmp_path, GOOD, 3, spec=WITH_RUN) == 0
    history = read_history(runs)
    assert {history.series_of(entry) for entry in history.runs.values()} == {"audit"}
    assert {len(s.points) for s in read_course(runs).series if s.about.fold is None} == {3}


def test_a_backfill_never_becomes_latest(tmp_path: Path) -> None:
    audit(tmp_path, GOOD, 10)
    newest = led_to(tmp_path, "latest")
    audit(tmp_path, BAD, 4)
    assert led_to(tmp_path, "latest") == led_to(tmp_path, "latest-audit") == newest
    course = read_course(tmp_path / "runs")
    assert [one.entry.when[:10] for one in course.runs] == ["2026-11-04", "2026-11-10"]
    assert "in a row" not in history_text(course)
    assert status_of(["verify", str(tmp_path / "runs")]) == 0


def test_prune_keeps_the_newest_of_each_series(tmp_path: Path) -> None:
    for day in range(1, 4):
        run(tmp_path, "a", GOOD, day)
    run(tmp_path, "b", GOOD, 5)
    command = ["prune", str(tmp_path / "runs"), "--keep", "1", "--at", "2026-12-01T00:00:00Z"]
    assert status_of(command) == 0
    left = {p.name for p in (tmp_path / "runs").iterdir() if p.name[0] == "2"}
    assert left == {led_to(tmp_path, "latest-a"), led_to(tmp_path, "latest-b")}


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        (SPEC.replace("recall,", "recal,"), 2),
        (SPEC.replace("target: truth", "target: absent"), 3),
        (SPEC.replace("week.csv", "none.csv"), 4),
    ],
)
def test_an_attempt_leaves_a_line(tmp_path: Path, spec: str, status: int) -> None:
    audit(tmp_path, GOOD, 1)
    assert audit(tmp_path, GOOD, 2, spec=spec) == status
    assert audit(tmp_path, GOOD, 3) == 0
    told = [(e.attempt, e.series, e.run is not None) for e in lines(tmp_path)]
    assert told == [
        (None, "audit", True),
        (Attempt(status), "audit", False),
        (None, "audit", True),
    ]
    assert status_of(["verify", str(tmp_path / "runs")]) == 0
    assert len(read_course(tmp_path / "runs").runs) == 2


def test_an_altered_attempt_is_found(tmp_path: Path) -> None:
    audit(tmp_path, GOOD, 1)
    audit(tmp_path, GOOD, 2, spec=SPEC.replace("recall,", "recal,"))
    path = tmp_path / "runs" / NAME
    path.write_bytes(path.read_bytes().replace(b'"status":2', b'"status":3'))
    assert any("altered" in p.what for p in chain_problems(read_history(path.parent), path))
    assert status_of(["verify", str(tmp_path / "runs")]) == 5


def test_a_first_attempt_makes_no_folder(tmp_path: Path) -> None:
    assert audit(tmp_path, GOOD, 1, spec=SPEC.replace("recall,", "recal,")) == 2
    assert not (tmp_path / "runs").exists()


def test_a_line_of_an_attempt_quotes_nothing(tmp_path: Path) -> None:
    audit(tmp_path, GOOD, 1)
    audit(tmp_path, GOOD, 2, spec=SPEC.replace("target: truth", "target: secret_column"))
    last = read_history(tmp_path / "runs").lines[-1]
    assert parse_line(last) is not None
    assert b"secret_column" not in last
