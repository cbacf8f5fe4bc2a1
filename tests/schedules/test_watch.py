"""One page over many series: states, since when, lateness, order of harm, metrics, statuses."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from schedules.weekly_runs import SPEC, Counts, write_rows

from evalreport.cli import status_of
from evalreport.runs.hashing import canonical_json, sha256
from evalreport.runs.history import NAME, read_history, split_history

#: A sample of OpenMetrics text, and its labels.
SAMPLE = re.compile(r"([a-z_]+)\{(.*)\} (-?[0-9.]+)")
LABEL = re.compile(r'([a-z]+)="((?:[^"\\]|\\.)*)"')

GOOD: Counts = (40, 10, 10, 90)
BAD: Counts = (20, 30, 10, 90)


def history(folder: Path, lines: Sequence[dict[str, Any]]) -> Path:
    """A folder of runs of which only the history is there."""
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    held, previous = [], "0" * 64
    for number, fields in enumerate(lines, start=1):
        entry = {"version": "1", **fields, "n": number, "previous": previous}
        held.append(canonical_json({**entry, "sha256": sha256(canonical_json(entry))}))
        previous = sha256(held[-1])
    (runs / NAME).write_bytes(b"".join(held))
    return runs


def run(series: str, day: str, outcome: str, **more: Any) -> dict[str, Any]:
    stamp = f"{day.replace('-', '')}T060000Z"
    name = f"{stamp}-{sha256(series.encode())[:8]}"
    return {"series": series, "run": name, "when": f"{day}T06:00:00Z", "outcome": outcome, **more}


def attempt(series: str, day: str, status: int) -> dict[str, Any]:
    return {"series": series, "when": f"{day}T06:00:00Z", "attempt": {"status": status}}


LINES = [
    run("late one", "2026-10-01", "passed", cadence="week"),
    run("fails", "2026-11-02", "passed", criteria={"pass": 3}),
    run("fine", "2026-11-09", "passed", cadence="week"),
    run("broken", "2026-11-02", "passed"),
    run("goes on", "2026-11-02", "continue", looks=[
        {"criterion": 1, "look": 3, "planned": 12, "spent": 0.001, "outcome": "continue",
         "decided_at": None}]),
    run("fails", "2026-11-03", "failed", criteria={"pass": 2, "fail": 1}),
    run("fails more", "2026-11-04", "failed", criteria={"not_evaluated": 1, "fail": 2}),
    run("plain", "2026-11-04", "done"),
    run("fails", "2026-11-05", "failed", criteria={"pass": 2, "fail": 1}),
    attempt("broken", "2026-11-06", 3),
    attempt("broken", "2026-11-07", 4),
    attempt("never ran", "2026-11-07", 2),
    attempt("fine", "2026-11-08", 3),
]  # fmt: skip
AT = "2026-11-10T06:00:00Z"


def watched(
    capsys: pytest.CaptureFixture[str], runs: Path, *more: str, at: str = AT
) -> tuple[int, dict[str, Any]]:
    status = status_of(["watch", str(runs), "--at", at, "--json", *more])
    return status, json.loads(capsys.readouterr().out)


def test_the_most_harmful_come_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = watched(capsys, history(tmp_path, LINES))
    assert status == 1
    told = [(one["series"], one["state"], one["since"][:10], one["times"], one["calls"])
            for one in found["series"]]  # fmt: skip
    assert told == [
        ("fails more", "failing", "2026-11-04", 1, True),
        ("fails", "failing", "2026-11-03", 2, True),
        ("broken", "broken", "2026-11-06", 2, True),
        ("never ran", "broken", "2026-11-07", 1, True),
        ("late one", "late", "2026-10-08", 5, True),
        ("goes on", "continues", "2026-11-02", 1, False),
        ("fine", "passed", "2026-11-09", 1, False),
        ("plain", "done", "2026-11-04", 1, False),
    ]
    by_name = {one["series"]: one for one in found["series"]}
    assert by_name["fails more"]["failed"] == 3
    assert by_name["broken"]["attempt"] == 4
    assert by_name["late one"]["late_days"] == 33.0
    # the attempt came before the run, which put it right
    assert by_name["fine"]["attempt"] is None
    assert found["states"]["failing"] == 2


def test_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["watch", str(history(tmp_path, LINES)), "--at", AT]) == 1
    text = capsys.readouterr().out
    assert "failed, 1 criterion on 2026-11-05 since 2026-11-03, 2 runs in a row" in text
    assert "2 attempts since 2026-11-06, the last ended with status 4" in text
    assert "due 2026-10-08 (week), 33 days ago" in text
    assert "look 3 of 12, 0.001 spent: criterion 1 to be continued" in text
    assert "8 series at 2026-11-10T06:00:00Z: 2 failing, 2 broken, 1 late" in text


@pytest.mark.parametrize(
    ("cadence", "at", "late"),
    [
        ("day", "2026-11-10T11:59:00Z", False),
        ("day", "2026-11-10T12:01:00Z", True),
        ("week", "2026-11-17T05:59:00Z", False),
        ("week", "2026-11-17T06:01:00Z", True),
        ("month", "2026-12-10T00:00:00Z", False),
        ("month", "2026-12-12T00:00:00Z", True),
    ],
)
def test_a_run_may_be_a_little_late(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cadence: str, at: str, late: bool
) -> None:
    """From its clock on a cadence, and a quarter of it, a day at most, on top."""
    runs = history(tmp_path, [run("a", "2026-11-09", "passed")])
    status, found = watched(capsys, runs, "--cadence", cadence, at=at)
    assert (status, found["series"][0]["state"]) == ((1, "late") if late else (0, "passed"))


def test_all_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = history(tmp_path, [LINES[2], LINES[4]])
    assert status_of(["watch", str(runs), "--at", AT, "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_the_page_holds_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [*LINES, run("<b>&\u202ename", "2026-11-04", "failed")]
    runs, page = history(tmp_path, lines), tmp_path / "watch.html"
    assert status_of(["watch", str(runs), "--at", AT, "--html", str(page), "--quiet"]) == 1
    text = page.read_text(encoding="utf-8")
    assert text.count("<tr data-series=") == 9
    assert "<b>&\u202e" not in text
    assert "src=" not in text
    assert 'href="http' not in text
    (tmp_path / "mine.html").write_text("mine")
    assert status_of(["watch", str(runs), "--html", str(tmp_path / "mine.html")]) == 2
    assert (tmp_path / "mine.html").read_text() == "mine"


def test_metrics_for_a_collector(tmp_path: Path) -> None:
    lines = [*LINES, run('a "name"\\', "2026-11-04", "failed")]
    path = tmp_path / "evalreport.prom"
    status_of(
        ["watch", str(history(tmp_path, lines)), "--at", AT, "--openmetrics", str(path), "--quiet"]
    )
    text = path.read_text(encoding="utf-8")
    *body, end = text.splitlines()
    assert end == "# EOF"
    found: dict[tuple[str, ...], float] = {}
    typed: set[str] = set()
    for line in body:
        if line.startswith("#"):
            kind, name, told = line[2:].split(" ", 2)
            assert kind == "HELP" or (kind, told) == ("TYPE", "gauge")
            typed.add(name)
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()  # type: ignore[union-attr]
        assert name in typed
        own = {key: json.loads(f'"{quoted}"') for key, quoted in LABEL.findall(labels)}
        found[name, own["series"], own.get("state", "")] = float(value)
    assert found["evalreport_failed_criteria", "fails more", ""] == 3
    assert found["evalreport_failed_criteria", 'a "name"\\', ""] == 1
    states = {key[1:] for key, value in found.items() if key[2] and value == 1}
    assert ("broken", "broken") in states
    assert len(states) == 9
    assert found["evalreport_calls", "fine", ""] == 0


def test_a_line_that_cannot_be_read_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = history(tmp_path, [LINES[2]])
    with (runs / NAME).open("ab") as file:
        file.write(b"not JSON\n")
    status, found = watched(capsys, runs)
    assert (status, list(found["unreadable"].values())) == (1, [1])


def test_a_folder_without_a_history(tmp_path: Path) -> None:
    assert status_of(["watch", str(tmp_path)]) == 4


def test_real_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the command itself leaves: a series that fails, one that passes, one that breaks."""
    runs = tmp_path / "runs"
    weekly = SPEC.replace("title:", "cadence: week\ntitle:")
    for day, (name, counts, spec) in enumerate(
        (("good", GOOD, weekly), ("bad", BAD, weekly), ("good", BAD, weekly.replace("truth", "x"))),
        start=1,
    ):
        write_rows(tmp_path / "week.csv", counts)
        (tmp_path / f"{name}.yaml").write_text(spec)
        at = f"2026-11-{day:02d}T06:00:00Z"
        status_of(["run", str(tmp_path / f"{name}.yaml"), "-o", str(runs), "--at", at, "--quiet"])
    capsys.readouterr()
    _, found = watched(capsys, runs)
    told = [(one["series"], one["state"], one["failed"], one["attempt"], one["cadence"])
            for one in found["series"]]  # fmt: skip
    assert told == [("bad", "failing", 1, None, "week"), ("good", "broken", 0, 3, "week")]
    assert split_history((runs / NAME).read_bytes()).entries == read_history(runs).entries


def test_a_series_that_has_ended_can_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the one of a spec that was renamed, which would be late for ever."""
    lines = [
        run("old", "2026-10-01", "passed", cadence="week"),
        run("new", "2026-11-09", "passed", cadence="week"),
    ]
    watched = ["watch", str(history(tmp_path, lines)), "--at", "2026-11-10T00:00:00Z"]
    assert status_of(watched) == 1
    capsys.readouterr()
    assert status_of([*watched, "--without", "old"]) == 0
    told = capsys.readouterr().out
    assert "new" in told
    assert "old" not in told
    assert status_of([*watched, "--without", "odl"]) == 2
    assert "--without 'odl': no such series; did you mean 'old'?" in capsys.readouterr().err
