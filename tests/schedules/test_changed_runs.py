"""When a series of runs changed: the same charts as over periods, and what moved with it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from schedules.weekly_runs import SPEC, Counts, audit, audits

from evalreport.cli import status_of
from evalreport.report.charts.course import CHANGED
from evalreport.runs.history import read_history
from evalreport.runs.trend import Findings, read_course, read_findings, series_of
from evalreport.statistics.change import change_of_shares, cusum, self_starting_shares

#: Recall 0.9 of 100, then 0.7; fewer ill among them, and other scores, from the ninth on.
GOOD = [(90 + d, 10 - d, 10 + d, 90 - d) for d in (0, 2, -1, 1, -2, 3, -3, 4)]
BAD = [(42 + d, 18 - d, 15, 125) for d in (0, 1, -1, 2)]
WEEKS: list[Counts] = [*GOOD, *BAD]
SPLIT = SPEC.replace("metrics:", "subgroups: [sex]\nmetrics:")


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changed")
    audits(folder, WEEKS, SPLIT)
    # the same file again is no step
    audit(folder, WEEKS[-1], 20, spec=SPLIT)
    return folder / "runs"


def test_the_runs_are_charted_as_periods_are(weeks: Path) -> None:
    course = read_course(weeks)
    (recall,) = (one for one in course.headlines if one.about.metric == "recall")
    found, names = recall.change, [run.name for run in course.runs]
    assert found is not None
    assert [step.run.place for step in recall.steps] == list(range(len(WEEKS)))
    counts = [(tp, tp + fn) for tp, fn, _, _ in WEEKS]
    z = self_starting_shares(counts)
    assert [mark.z for mark in found.marks] == list(z)
    sums = cusum(z)
    assert [m.cusum for m in found.marks] == [None if s is None else s.statistic for s in sums]
    alarm = next(k for k, one in enumerate(sums) if one is not None and one.signal)
    assert found.alarm == names[alarm]
    point = change_of_shares(counts)
    assert point is not None
    ends_at = [names[k] for k in (8, point.low, point.high)]
    assert [found.since, found.earliest, found.latest] == ends_at
    assert found.probability == point.probability
    ends = [counts[:8], counts[8:]]
    shares = [sum(x for x, _ in end) / sum(n for _, n in end) for end in ends]
    assert (found.before, found.after) == pytest.approx(tuple(shares))


def test_what_moved_with_it(weeks: Path) -> None:
    course = read_course(weeks)
    found = course.headlines[0].change
    assert found is not None
    moved = {one.what: one for one in found.moved}
    ends = [WEEKS[:8], WEEKS[8:]]
    prevalence = [sum(w[0] + w[1] for w in end) / sum(map(sum, end)) for end in ends]
    assert (moved["prevalence"].before, moved["prevalence"].after) == pytest.approx(prevalence)
    assert {"scores", "calibration", "predicted_prevalence", "subgroups"} <= set(moved)
    assert moved["scores"].p_value is not None
    assert moved["scores"].p_value < 0.01
    assert moved["subgroups"].column == "sex"


def test_rows_are_counted_once_where_a_measure_counts_indeterminate_ones_both_ways(
    weeks: Path,
) -> None:
    recall = read_course(weeks).headlines[0]
    once = recall.change
    assert once is not None

    def both_ways(run: Findings) -> Findings:
        ways = ("for", "against")
        own = [replace(m, indeterminate=way) for m in run.measures for way in ways]
        return replace(run, measures=tuple(own))

    runs = [both_ways(run) for run in read_findings(weeks, read_history(weeks))]
    wanted = replace(recall.about.which, indeterminate="for")
    (own,) = (one for one in series_of(runs) if one.about.which == wanted)
    assert own.change is not None
    assert own.change.moved == once.moved


def test_text_json_and_pages_name_the_week(
    weeks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["history", str(weeks)]) == 0
    told = capsys.readouterr().out
    assert "fell with the run of 2026-11-09" in told
    assert "share of positives (0.500 to 0.300)" in told
    assert status_of(["history", str(weeks), "--json"]) == 0
    series = json.loads(capsys.readouterr().out)["series"]
    (recall,) = (one for one in series if one["metric"] == "recall")
    change = recall["change"]
    assert change["run_length"] == 370
    assert change["since"].startswith("20261109")
    assert len(change["marks"]) == len(WEEKS)
    assert status_of(["history", str(weeks), "--html", str(tmp_path / "site")]) == 0
    assert "2026-11-09" in (tmp_path / "site" / "index.html").read_text().split(">Runs</h2>")[0]
    trends = (tmp_path / "site" / "trends-1.html").read_text()
    assert "Fell with the run of 2026-11-09" in trends
    assert "cumulative sum" in trends
    assert CHANGED in trends.split("<svg")[1]


def test_a_quiet_course_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audits(tmp_path, list(GOOD[:6]))
    assert status_of(["history", str(tmp_path / "runs")]) == 0
    assert "alarm" not in capsys.readouterr().out


def test_now_is_what_watch_tells(weeks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = status_of(["watch", str(weeks)])
    told = capsys.readouterr().out
    assert status_of(["history", str(weeks), "--now"]) == status
    assert capsys.readouterr().out == told
    assert status_of(["history", str(weeks), "--now", "--last", "3"]) == 2
    assert "--last" in capsys.readouterr().err
