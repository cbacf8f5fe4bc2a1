"""Planned looks and looks without end: outcomes, rows counted once, what verify and pages say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from schedules.weekly_runs import SPEC, Counts, audit, results, write_rows

from evalreport.cli import status_of
from evalreport.report.history_pages import history_text
from evalreport.results.codec import results_schema
from evalreport.runs.trend import read_course
from evalreport.statistics.proportions import wilson
from evalreport.statistics.sequences import share_sequence
from evalreport.statistics.spending import boundaries, pocock
from evalreport.verify.recompute import recompute

PLANNED = SPEC.replace(
    "\nreport: {formats: [json]}",
    "\nlooks: {planned: 3, spending: pocock}\nreport: {formats: [json]}",
)
ALWAYS = PLANNED.replace("{planned: 3, spending: pocock}", "{always: true}")
NEAR: Counts = (36, 14, 10, 90)


def newest(folder: Path) -> Path:
    return folder / "runs" / "latest"


def look(folder: Path) -> dict[str, Any]:
    (found,) = results(newest(folder))["looks"]
    return dict(found)


@pytest.mark.long
def test_a_look_that_decides_nothing_is_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(tmp_path, NEAR, 1, "--json", "--formats", "html,junit,markdown", spec=PLANNED) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["outcome"], told["criteria"]["continue"], told["failed"]) == ("continue", 1, [])
    found = results(newest(tmp_path))
    jsonschema.validate(found, results_schema())
    (criterion,) = found["acceptance"]
    assert (criterion["outcome"], criterion["look"]) == ("continue", 1)
    suite = ET.parse(newest(tmp_path) / "criteria.xml").getroot()
    assert (suite.get("skipped"), suite.get("failures"), suite.get("errors")) == ("1", "0", "0")
    assert suite.find("testcase/skipped") is not None
    page = (newest(tmp_path) / "report.html").read_text(encoding="utf-8")
    assert 'CONTINUE</b> <span class="nb">1 of 1 limit<' in page
    assert "1 of 1 criterion to be continued." in page
    assert "look 1 of 3" in page
    assert "→ continue" in (newest(tmp_path) / "summary.md").read_text(encoding="utf-8")
    assert "look 1 of 3" in history_text(read_course(tmp_path / "runs"))


def test_three_planned_looks_by_hand(tmp_path: Path) -> None:
    """36, 31 and 44 of 50: each interval is Wilson's at the level of its boundary."""
    hits = (36, 31, 44)
    for day, x in enumerate(hits, start=1):
        audit(tmp_path, (x, 50 - x, 10, 90), day, spec=PLANNED)
        found = look(tmp_path)
        steps = boundaries([k / 3 for k in range(1, day + 1)], 0.025, pocock)
        counts = (sum(hits[:day]), 50 * day)
        expected = wilson(*counts, 1.0 - 2.0 * steps[-1].nominal)
        assert expected is not None
        assert (found["numerator"], found["denominator"], found["look"]) == (*counts, day)
        limits = (found["interval"]["low"], found["interval"]["high"])
        assert limits == pytest.approx(tuple(expected), rel=1e-9)
        assert found["spent"] == pytest.approx(2 * steps[-1].spent, rel=1e-9)
    # the value so far, 111 of 150, reaches 0.7: of the last look the criterion's own bound decides
    assert (found["now"], found["outcome"], found["decided_at"]) == ("continue", "pass", 3)
    assert found["before"] == ["continue", "continue"]
    assert status_of(["verify", str(newest(tmp_path))]) == 0
    audit(tmp_path, (5, 45, 10, 90), 4, spec=PLANNED)
    assert (look(tmp_path)["look"], look(tmp_path)["denominator"]) == (3, 150)
    assert "used up" in look(tmp_path)["reason"]
    # whatever came in since, it is not what the looks decided on
    (entry,) = results(newest(tmp_path))["acceptance"]
    assert (entry["outcome"], entry["observed"]) == ("not_evaluated", None)
    assert "used up" in entry["reason"]
    assert status_of(["verify", str(newest(tmp_path))]) == 0


def test_a_fall_fails_and_the_decision_stands(tmp_path: Path) -> None:
    assert audit(tmp_path, (15, 35, 10, 90), 1, spec=PLANNED) == 1
    assert audit(tmp_path, (45, 5, 10, 90), 2, spec=PLANNED) == 1
    found = look(tmp_path)
    assert (found["now"], found["outcome"], found["decided_at"]) == ("continue", "fail", 1)


def test_the_same_file_is_counted_once(tmp_path: Path) -> None:
    audit(tmp_path, NEAR, 1, spec=PLANNED)
    first = look(tmp_path)
    audit(tmp_path, NEAR, 2, spec=PLANNED)
    again = look(tmp_path)
    assert (again["look"], again["denominator"]) == (1, 50)
    assert again["blocks"] == first["blocks"]
    assert again["seen_before"] == [first["blocks"][0]["name"]]
    assert status_of(["verify", str(newest(tmp_path))]) == 0


def test_another_series_and_another_plan_begin_anew(tmp_path: Path) -> None:
    audit(tmp_path, NEAR, 1, spec=PLANNED)
    first = newest(tmp_path).resolve().name
    five = PLANNED.replace("planned: 3", "planned: 5")
    audit(tmp_path, (37, 13, 10, 90), 2, spec=five)
    assert (look(tmp_path)["look"], look(tmp_path)["denominator"]) == (1, 50)
    rerun = ["verify", str(newest(tmp_path)), "--rerun", "--spec", str(tmp_path / "audit.yaml")]
    assert status_of(rerun) == 0
    # it is said of every look since
    audit(tmp_path, (38, 12, 10, 90), 3, spec=five)
    assert (look(tmp_path)["look"], look(tmp_path)["denominator"]) == (2, 100)
    (caution,) = (
        c for c in results(newest(tmp_path))["cautions"] if c["code"] == "looks_begun_anew"
    )
    assert f"began anew after run {first}" in caution["message"]
    # another criterion of the same metric
    audit(tmp_path, (39, 11, 10, 90), 4, spec=five.replace("at_least: 0.7", "at_least: 0.6"))
    assert look(tmp_path)["look"] == 1
    assert "looks_begun_anew" in {c["code"] for c in results(newest(tmp_path))["cautions"]}


def test_a_backfill_is_no_look(tmp_path: Path) -> None:
    audit(tmp_path, NEAR, 10, spec=PLANNED)
    audit(tmp_path, (37, 13, 10, 90), 4, spec=PLANNED)
    (old, _) = sorted(p for p in (tmp_path / "runs").iterdir() if p.name[0] == "2")
    assert results(old)["looks"] == []
    audit(tmp_path, (38, 12, 10, 90), 11, spec=PLANNED)
    assert (look(tmp_path)["look"], look(tmp_path)["denominator"]) == (2, 100)


@pytest.mark.long
def test_a_backfill_says_that_it_is_no_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = PLANNED.replace("at_least: 0.7", "at_least: 0.6")
    for day in (1, 3):
        audit(tmp_path, (36 + day, 14 - day, 10, 90), day, spec=spec)
    capsys.readouterr()
    write_rows(tmp_path / "week.csv", (48, 2, 10, 90))
    command = ["run", str(tmp_path / "audit.yaml"), "-o", str(tmp_path / "runs")]
    command += ["--at", "2026-11-04T06:00:00Z", "--as-of", "2026-11-02", "--formats", "html"]
    assert status_of(command) == 0
    told = capsys.readouterr()
    assert "1 passed, 0 failed, 0 not evaluated; this run is not a look" in told.out
    assert "This run is not a look: The newest look is of 2026-11-03 06:00:00 UTC" in told.err
    runs = (p for p in (tmp_path / "runs").iterdir() if p.name[0] == "2" and not p.is_symlink())
    old = max(runs, key=lambda p: p.name)
    (caution,) = [c for c in results(old)["cautions"] if c["code"] == "no_look"]
    assert "each criterion is judged on its rows alone" in caution["message"]
    assert "not a look" in (old / "report.html").read_text(encoding="utf-8")
    assert status_of(["verify", str(old)]) == 0


def test_rows_of_a_growing_file_may_count_twice_which_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "audit.yaml").write_text(ALWAYS, encoding="utf-8")
    command = ["run", str(tmp_path / "audit.yaml"), "-o", str(tmp_path / "runs")]
    said = []
    for day, counts in enumerate([(20, 10, 20, 50), (40, 20, 40, 100), (20, 10, 20, 60)], 1):
        write_rows(tmp_path / "week.csv", counts)
        status_of([*command, "--at", f"2026-11-0{day}T06:00:00Z"])
        said.append("count twice" in capsys.readouterr().out)
        codes = {c["code"] for c in results(newest(tmp_path))["cautions"]}
        assert ("rows_counted_by_file" in codes) == said[-1]
    # the first file holds no other, the second may hold the first, the third is smaller
    assert said == [False, True, False]


def test_looks_without_end(tmp_path: Path) -> None:
    for day, x in enumerate((36, 31), start=1):
        audit(tmp_path, (x, 50 - x, 10, 90), day, spec=ALWAYS)
    found = look(tmp_path)
    expected = share_sequence(67, 100, 0.95, expected=0.7)
    assert expected is not None
    assert (found["interval"]["low"], found["interval"]["high"]) == tuple(expected)
    assert found["interval"]["method"] == "beta_binomial_sequence"
    assert (found["planned"], found["spent"], found["outcome"]) == (None, None, "continue")
    assert status_of(["verify", str(newest(tmp_path))]) == 0


@pytest.mark.parametrize("metric", ["brier, at_most: 0.2", "f1, at_least: 0.5"])
def test_other_values_are_averaged_by_rows(tmp_path: Path, metric: str) -> None:
    spec = ALWAYS.replace("recall, at_least: 0.7", metric)
    for day, x in enumerate((36, 45), start=1):
        audit(tmp_path, (x, 50 - x, 10, 90), day, spec=spec)
    found = look(tmp_path)
    blocks = found["blocks"]
    n = sum(one["rows"] for one in blocks)
    value = sum(one["rows"] * one["value"] for one in blocks) / n
    error = sum((one["rows"] * one["standard_error"]) ** 2 for one in blocks) ** 0.5 / n
    assert (found["value"], found["standard_error"]) == pytest.approx((value, error))
    assert found["interval"]["method"] == "asymptotic_sequence"
    assert status_of(["verify", str(newest(tmp_path))]) == 0


def by_month(folder: Path, months: dict[str, Counts], day: int, spec: str) -> int:
    """One growing file with the rows of these months."""
    lines = ["case,truth,score,date"]
    for month, counts in months.items():
        for cell, count in zip(("tp", "fn", "fp", "tn"), counts, strict=True):
            truth = "ill" if cell in ("tp", "fn") else "well"
            score = 0.9 if cell in ("tp", "fp") else 0.1
            lines += [f"{month}{cell}{i},{truth},{score},{month}-05" for i in range(count)]
    folder.mkdir(exist_ok=True)
    (folder / "week.csv").write_text("\n".join(lines) + "\n")
    (folder / "audit.yaml").write_text(spec)
    where, at = str(folder / "runs"), f"2026-11-{day:02d}T06:00:00Z"
    return status_of(["run", str(folder / "audit.yaml"), "-o", where, "--at", at, "--quiet"])


def test_periods_of_a_growing_file_are_counted_once(tmp_path: Path) -> None:
    spec = PLANNED.replace(
        "    id: case\n", "    id: case\n    period: {column: date, every: month}\n"
    )
    by_month(tmp_path, {"2026-01": NEAR}, 1, spec)
    by_month(tmp_path, {"2026-01": NEAR, "2026-02": (31, 19, 10, 90)}, 2, spec)
    found = look(tmp_path)
    assert (found["recognised_by"], found["seen_before"]) == ("period", ["2026-01"])
    assert (found["numerator"], found["denominator"], found["look"]) == (67, 100, 2)
    assert [(b["name"], b["look"]) for b in found["blocks"]] == [("2026-01", 1), ("2026-02", 2)]
    assert status_of(["verify", str(newest(tmp_path))]) == 0


def test_a_look_is_computed_again_from_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit(tmp_path, NEAR, 1, spec=PLANNED)
    audit(tmp_path, (31, 19, 10, 90), 2, spec=PLANNED)
    monkeypatch.chdir(tmp_path)
    assert status_of(["verify", "runs/latest", "--rerun"]) == 0


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("numerator", 99, "numerator is 99"),
        ("boundary", 1.5, "boundary is 1.5"),
        ("spent", 0.01, "spent is 0.01"),
        ("outcome", "pass", "outcome is 'pass'"),
        ("now", "pass", "now is 'pass'"),
        ("before", [], "look is 2"),
    ],
)
def test_an_altered_look_is_found(
    look_results: dict[str, Any], key: str, value: object, told: str
) -> None:
    changed = json.loads(json.dumps(look_results))
    changed["looks"][0][key] = value
    assert any(told in problem.what for problem in recompute(changed).problems)


def test_an_altered_interval_and_criterion_are_found(look_results: dict[str, Any]) -> None:
    for place, key, told in (("interval", "low", "interval.low"), ("blocks", 1, "numerator is")):
        changed = json.loads(json.dumps(look_results))
        if place == "interval":
            changed["looks"][0][place][key] -= 0.01
        else:
            changed["looks"][0][place][key]["numerator"] += 1
        assert any(told in problem.what for problem in recompute(changed).problems)
    changed = json.loads(json.dumps(look_results))
    changed["acceptance"][0]["outcome"] = "pass"
    assert recompute(changed).problems


@pytest.fixture(scope="module")
def look_results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("looks")
    audit(folder, NEAR, 1, spec=PLANNED)
    audit(folder, (31, 19, 10, 90), 2, spec=PLANNED)
    found = results(newest(folder))
    assert not recompute(found).problems
    return found


@pytest.mark.parametrize(
    "looks",
    [
        "{}",
        "{planned: 1}",
        "{always: true, planned: 12}",
        "{spending: pocock}",
        "{planned: 12, spending: even}",
        "{always: false}",
    ],
)
def test_looks_that_are_none_are_refused(
    tmp_path: Path, looks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = PLANNED.replace("{planned: 3, spending: pocock}", looks)
    assert audit(tmp_path, NEAR, 1, spec=spec) == 2
    assert "audit.yaml:" in capsys.readouterr().err


# -- rows known by their ids ----------------------------------------------------------------


KEPT = PLANNED.replace("    id: case\n", "    id: case\n    keep_rows: true\n").replace(
    "planned: 3", "planned: 5"
)


def by_rows(folder: Path, cells: list[str], day: int, spec: str = KEPT) -> int:
    """A file whose rows are named after their cell, such as tp7."""
    lines = ["case,truth,score"]
    for name in cells:
        truth = "ill" if name[:2] in ("tp", "fn") else "well"
        score = 0.9 if name[:2] in ("tp", "fp") else 0.1
        lines.append(f"{name},{truth},{score}")
    folder.mkdir(exist_ok=True)
    (folder / "week.csv").write_text("\n".join(lines) + "\n")
    (folder / "audit.yaml").write_text(spec)
    where, at = str(folder / "runs"), f"2026-11-{day:02d}T06:00:00Z"
    return status_of(["run", str(folder / "audit.yaml"), "-o", where, "--at", at, "--quiet"])


def cases(tp: range, fn: range, tn: range) -> list[str]:
    parts = (("tp", tp), ("fn", fn), ("tn", tn))
    return [f"{cell}{i}" for cell, numbers in parts for i in numbers]


def test_rows_that_were_seen_are_counted_once_by_their_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that overlap: 36 of 50, then 20 of 30 more, then rows of the first file only."""
    by_rows(tmp_path, cases(range(36), range(14), range(60)), 1)
    assert (look(tmp_path)["numerator"], look(tmp_path)["denominator"]) == (36, 50)
    by_rows(tmp_path, cases(range(26, 56), range(10, 24), range(50, 90)), 2)
    found = look(tmp_path)
    assert (found["recognised_by"], found["look"]) == ("row", 2)
    assert (found["numerator"], found["denominator"], found["rows"]) == (56, 80, 170)
    assert found["rows_seen"] == 10 + 4 + 10
    assert status_of(["verify", str(newest(tmp_path))]) == 0
    # the run before knows of the first file's rows, though its own file has lost them
    monkeypatch.chdir(tmp_path)
    assert status_of(["prune", "runs", "--keep", "1"]) == 0
    by_rows(tmp_path, cases(range(30), range(10), range(40)), 3)
    again = look(tmp_path)
    assert (again["look"], again["numerator"], again["denominator"]) == (2, 56, 80)
    assert again["rows_seen"] == 80
    by_rows(tmp_path, cases(range(30, 60), range(20, 30), range(80, 100)), 4)
    more = look(tmp_path)
    assert (more["look"], more["numerator"], more["denominator"]) == (3, 60, 90)
    assert status_of(["verify", "runs/latest", "--rerun"]) == 0


def test_a_loss_of_the_rows_that_are_new(tmp_path: Path) -> None:
    """Means are averaged by rows: the second look adds the Brier score of its new rows alone."""
    spec = KEPT.replace("recall, at_least: 0.7", "brier, at_most: 0.2")
    by_rows(tmp_path, cases(range(36), range(14), range(60)), 1, spec)
    by_rows(tmp_path, cases(range(26, 56), range(10, 24), range(50, 90)), 2, spec)
    found = look(tmp_path)
    # 20 found, 10 missed and 30 healthy rows are new
    value = (20 * 0.01 + 10 * 0.81 + 30 * 0.01) / 60
    assert found["blocks"][1]["rows"] == 60
    assert found["blocks"][1]["value"] == pytest.approx(value)
    assert found["rows"] == 170
