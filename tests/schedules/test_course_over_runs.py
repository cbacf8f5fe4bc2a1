"""Runs of a series with a cadence: each outcome holds those before it, and the page shows them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from schedules.weekly_runs import SPEC, audit, results

from evalreport.cli import status_of
from evalreport.engine.reference.criteria import MOST_EARLIER
from evalreport.results.codec import results_schema

#: Of 50 positive rows so many are found in each run; the criterion asks for 0.7.
FOUND = (40, 41, 25, 24)
MONTHLY = SPEC.replace("acceptance:", "cadence: day\nacceptance:")


def series(folder: Path, found: tuple[int, ...] = FOUND, spec: str = MONTHLY) -> dict[str, Any]:
    for day, hits in enumerate(found, start=1):
        audit(folder, (hits, 50 - hits, 10, 90), day, spec=spec)
    return results(folder / "runs" / "latest")


def earlier(found: dict[str, Any]) -> list[dict[str, Any]]:
    (entry,) = found["acceptance"]
    return list(entry.get("earlier", ()))


def test_an_outcome_holds_those_of_the_runs_before_it(tmp_path: Path) -> None:
    found = series(tmp_path)
    jsonschema.validate(found, results_schema())
    (entry,) = found["acceptance"]
    assert entry["breaches_in_a_row"] == 2
    assert [(one["of"][:10], one["value"], one["outcome"]) for one in earlier(found)] == [
        ("2026-11-01", 0.8, "pass"),
        ("2026-11-02", 0.82, "pass"),
        ("2026-11-03", 0.5, "fail"),
    ]
    for one in earlier(found):
        (recall,) = (
            m
            for m in results(tmp_path / "runs" / one["run"])["measures"]
            if m["metric"] == "recall"
        )
        assert (one["low"], one["high"]) == (recall["interval"]["low"], recall["interval"]["high"])
    assert status_of(["verify", str(tmp_path / "runs")]) == 0


def test_a_series_without_a_cadence_is_not_looked_at(tmp_path: Path) -> None:
    (entry,) = series(tmp_path, spec=SPEC)["acceptance"]
    assert "earlier" not in entry
    assert "breaches_in_a_row" not in entry


def test_a_backfill_goes_on_from_the_run_before_it_in_time(tmp_path: Path) -> None:
    series(tmp_path, (40, 41, 25))
    again = MONTHLY.replace("cadence:", "as_of: 2026-11-02\ncadence:")
    audit(tmp_path, (30, 20, 10, 90), 9, spec=again)
    newest = max((tmp_path / "runs").glob("20*"), key=lambda run: run.name)
    assert [one["value"] for one in earlier(results(newest))] == [0.8]


def test_of_two_runs_of_one_time_the_later_one_counts(tmp_path: Path) -> None:
    """The second delivery of a day puts the first one right."""
    for day, (of, hits) in enumerate(((1, 20), (1, 40), (2, 41)), start=1):
        dated = MONTHLY.replace("cadence:", f"as_of: 2026-11-0{of}\ncadence:")
        audit(tmp_path, (hits, 50 - hits, 10, 90), day, spec=dated)
    assert [one["value"] for one in earlier(results(tmp_path / "runs" / "latest"))] == [0.8]


def test_a_removed_run_breaks_no_chain(tmp_path: Path) -> None:
    """What is kept of a pruned run holds its outcomes, and those before them."""
    series(tmp_path, (40, 41, 25))
    assert status_of(["prune", str(tmp_path / "runs"), "--keep", "1"]) == 0
    again = MONTHLY.replace("cadence:", "as_of: 2026-11-02T18:00:00Z\ncadence:")
    audit(tmp_path, (24, 26, 10, 90), 4, spec=again)
    newest = max((tmp_path / "runs").glob("20*"), key=lambda run: run.name)
    assert [one["value"] for one in earlier(results(newest))] == [0.8, 0.82]


def test_a_chain_ends(tmp_path: Path) -> None:
    series(tmp_path, (40, 41))
    run = (tmp_path / "runs" / "latest").resolve()
    body = json.loads((run / "results.json").read_text(encoding="utf-8"))
    (entry,) = body["acceptance"]
    entry["earlier"] *= MOST_EARLIER
    (run / "results.json").write_text(json.dumps(body), encoding="utf-8")
    audit(tmp_path, (40, 10, 10, 90), 3, spec=MONTHLY)
    found = earlier(results(tmp_path / "runs" / "latest"))
    assert len(found) == MOST_EARLIER
    assert found[-1]["value"] == 0.82


@pytest.mark.parametrize("template", ["audit", "standard"])
def test_the_page_tells_since_when_it_fails(tmp_path: Path, template: str) -> None:
    spec = MONTHLY.replace("formats: [json]", f"formats: [html, markdown], template: {template}")
    assert template in spec
    series(tmp_path, spec=spec)
    run = tmp_path / "runs" / "latest"
    page = (run / "report.html").read_text(encoding="utf-8")
    told = (
        "failed in 2 runs in a row; the value fell from 0.820 in 2026-11-02 to 0.500 in 2026-11-03"
    )
    assert told in page
    assert told in (run / "summary.md").read_text(encoding="utf-8")
    assert "Course over runs" in page
    first, _, rest = page.partition('id="series"')
    assert ("over the runs of the series" in first) == (template == "audit")
    # the ROC curve that the first page has in other templates is never lost
    assert "ROC curve" in (rest if template == "audit" else first)


def test_an_audit_shows_the_course_before_its_results_and_says_where_there_is_none(
    tmp_path: Path,
) -> None:
    spec = MONTHLY.replace("formats: [json]", "formats: [html], template: audit")
    first, later = (_page(tmp_path / str(runs), spec, runs) for runs in (1, 3))
    told = "First run: nothing to compare with."
    assert told in first
    assert told not in later
    course = later.index("over the runs of the series")
    assert later.index('id="h-verdict"') < course < later.index('data-measure="')
    alone = _page(tmp_path / "alone", spec.replace("cadence: day\n", ""), 1)
    assert told not in alone
    assert "Not followed: the spec sets no cadence." in alone


def _page(folder: Path, spec: str, runs: int) -> str:
    series(folder, FOUND[:runs], spec=spec)
    return (folder / "runs" / "latest" / "report.html").read_text("utf-8")


def test_the_first_run_that_fails_names_its_day(tmp_path: Path) -> None:
    spec = MONTHLY.replace("formats: [json]", "formats: [markdown], template: audit")
    series(tmp_path, (40, 41, 25), spec=spec)
    lead, _, _ = (tmp_path / "runs" / "latest" / "summary.md").read_text("utf-8").partition("\n")
    assert lead.endswith(", fails since 2026-11-03, met in 2026-11-02.**")


def test_the_same_run_comes_out_the_same(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        series(tmp_path / name)
    one, other = (tmp_path / name / "runs" / "latest" / "results.json" for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()


def test_each_criterion_is_named_with_its_group_two_beside_each_other(tmp_path: Path) -> None:
    """A third column of a value, its interval and its outcome has no room on paper."""
    spec = (
        MONTHLY.replace("metrics:", "subgroups: [sex]\nmetrics:")
        .replace("\nreport:", "\n  - {metric: recall, at_least: 0.5, subgroup: each}\nreport:")
        .replace("formats: [json]", "formats: [html], template: audit")
    )
    series(tmp_path, (40, 41), spec)
    page = (tmp_path / "runs" / "latest" / "report.html").read_text(encoding="utf-8")
    tables = (part.split("</table>")[0] for part in page.split("Every run of the series")[1:])
    found = (re.findall(r"<th[^>]*>(Recall[^<]*)", table) for table in tables)
    heads = [own for own in found if own]
    assert heads == [["Recall ≥ 0.70", "Recall, sex F ≥ 0.50"], ["Recall, sex M ≥ 0.50"]]


def test_a_changed_limit_goes_on_with_the_runs_before_it(tmp_path: Path) -> None:
    series(tmp_path, (40, 25))
    changed = MONTHLY.replace("at_least: 0.7", "at_least: 0.4").replace("[json]", "[html]")
    assert changed != MONTHLY
    audit(tmp_path, (24, 26, 10, 90), 3, spec=changed)
    run = tmp_path / "runs" / "latest"
    (entry,) = results(run)["acceptance"]
    assert (entry["breaches_in_a_row"], entry["outcome"]) == (0, "pass")
    assert [(one["required"], one["outcome"]) for one in entry["earlier"]] == [
        (0.7, "pass"),
        (0.7, "fail"),
    ]
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "the limit was changed from 0.70 to 0.40 in 2026-11-03" in page


def test_of_two_limits_of_one_number_each_goes_on_with_its_own(tmp_path: Path) -> None:
    first = MONTHLY.replace("acceptance:", "acceptance:\n  - {metric: recall, at_least: 0.4}")
    assert first != MONTHLY
    found = series(tmp_path, (40, 25), first)
    assert [(e["required"], e["earlier"][0]["required"]) for e in found["acceptance"]] == [
        (0.4, 0.4),
        (0.7, 0.7),
    ]
