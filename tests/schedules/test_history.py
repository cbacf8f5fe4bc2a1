"""The course of a folder of runs: limits by hand, breaches in a row, pages in a browser."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from programs import program
from render.axe_page import findings
from schedules.weekly_runs import SPEC, audit, audits

from evalreport.cli import status_of
from evalreport.report.charts.course import CHANGED, IMPROVED
from evalreport.runs.trend import read_course
from evalreport.runs.trend_data import history_data
from evalreport.statistics.control_limits import EarlierValues, Limits
from evalreport.statistics.separate_samples import Estimate

GOOD = [(40, 10, 10, 90), (41, 9, 9, 91), (39, 11, 12, 88), (42, 8, 8, 92), (38, 12, 11, 89)]
BAD = [(20, 30, 10, 90), (22, 28, 12, 88)]


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weeks")
    audits(folder, [*GOOD, *BAD])
    return folder / "runs"


def limits_for(now: Estimate, earlier: list[Estimate]) -> Limits:
    """The limits of a value, by those before it, each of a file of its own."""
    before = EarlierValues()
    for place, one in enumerate(earlier):
        before.add(one, f"file {place}")
    return before.limits(now, "now")


def test_p_chart_by_hand() -> None:
    """200 of 250 so far: 0.8 plus and minus 3 sqrt(0.8 x 0.2 / 50)."""
    earlier = [Estimate(x / 50, fraction=(x, 50)) for x in (40, 41, 39, 42, 38)]
    found = limits_for(Estimate(0.4, fraction=(20, 50)), earlier)
    half = 3 * math.sqrt(0.8 * 0.2 / 50)
    assert (found.centre, found.chart) == (0.8, "p")
    assert found.low == pytest.approx(0.8 - half, rel=1e-12)
    assert found.high == pytest.approx(0.8 + half, rel=1e-12)
    assert found.signals(0.4)
    assert not found.signals(0.7)


def test_individuals_chart_by_hand() -> None:
    """Moving ranges 1, 2, 1, 4: mean 2; sd 2 / 1.128379."""
    found = limits_for(Estimate(0.0), [Estimate(v) for v in (5.0, 6.0, 4.0, 5.0, 9.0)])
    assert found.chart == "individuals"
    assert found.centre == pytest.approx(5.8)
    assert found.high == pytest.approx(5.8 + 3 * 2 / 1.1283791670955126, rel=1e-12)


@pytest.mark.parametrize(
    ("earlier", "reason"),
    [
        ([Estimate(1.0)] * 4, "4 earlier values, 5 are needed"),
        ([Estimate(1.0)] * 5, "all equal"),
        ([Estimate(1.0, fraction=(9, 9))] * 5, "all equal"),
    ],
)
def test_no_limits_have_a_reason(earlier: list[Estimate], reason: str) -> None:
    found = limits_for(Estimate(0.5, fraction=(1, 2)), earlier)
    assert found.low is None
    assert reason in str(found.reason)
    assert not found.signals(0.5)


@pytest.mark.long
def test_breaches_in_a_row_and_signals(weeks: Path) -> None:
    course = read_course(weeks)
    (criterion,) = course.criteria
    assert criterion.outcomes == ("pass",) * 5 + ("fail", "fail")
    assert criterion.breaches == 2
    (recall,) = course.headlines
    assert [p.limits.signal for p in recall.points] == [False] * 5 + [True, True]
    # the first bad week is no part of what the second is held against: 200 of 250
    for point in recall.points[-2:]:
        low = 0.8 - 3 * math.sqrt(0.8 * 0.2 / 50)
        assert (point.limits.centre, point.limits.low) == pytest.approx((0.8, low))


@pytest.mark.long
def test_the_same_file_again_says_nothing_new(tmp_path: Path) -> None:
    audits(tmp_path, [(40, 10, 10, 90)] * 7)
    (recall,) = read_course(tmp_path / "runs").headlines
    assert recall.points[-1].limits.reason == "0 earlier values, 5 are needed"


def test_text_and_json(weeks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["history", str(weeks)]) == 0
    text = capsys.readouterr().out
    first = next(line for line in text.splitlines() if "2026-11-01" in line).split()
    assert " ".join(first[3:]).startswith("✓ passed 1 of 1 criterion passed 0.800 (0.670 to 0.888)")
    assert "7 runs; Recall of ill: week, model, threshold 0.5" in text
    assert "recall >= 0.7, week, model, threshold 0.5: failed 2 runs in a row" in text
    assert status_of(["history", str(weeks), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body == history_data(read_course(weeks))
    assert [run["outcome"] for run in body["runs"]] == ["passed"] * 5 + ["failed"] * 2
    assert body["criteria"][0]["breaches_in_a_row"] == 2
    assert status_of(["history", str(weeks), "--last", "2", "--json"]) == 0
    cut = json.loads(capsys.readouterr().out)
    assert len(cut["runs"]) == 2
    assert cut["series"][0]["points"] == [
        {**p, "run": p["run"] - 5} for p in body["series"][0]["points"][5:]
    ]


def test_metrics_are_called_as_their_spec_calls_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audits(tmp_path, GOOD[:2], SPEC.replace("[recall, specificity", "[sensitivity, ppv"))
    assert status_of(["history", str(tmp_path / "runs")]) == 0
    assert "2 runs; Sensitivity of ill: week" in capsys.readouterr().out
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    page = (tmp_path / "site" / "trends-1.html").read_text(encoding="utf-8")
    assert "Sensitivity of ill" in page
    assert "Positive predictive value" in page
    assert "Precision" not in page


def test_runs_that_went_stay_in_the_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = audits(tmp_path, GOOD[:4])
    assert status_of(["prune", str(tmp_path / "runs"), "--keep", "3"]) == 0
    shutil.rmtree(runs[1])
    (runs[2] / "results.json").write_bytes(b"{}")
    capsys.readouterr()
    assert status_of(["history", str(tmp_path / "runs")]) == 0
    text = capsys.readouterr().out
    assert "removed by prune" in text
    assert "its folder is missing" in text
    assert "altered: sha256" in text
    assert "1 of 1 criterion passed" in text


def test_a_damaged_chain_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audits(tmp_path, GOOD[:2])
    path = tmp_path / "runs" / "history.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"passed"', b'"failed"', 1))
    assert status_of(["history", str(tmp_path / "runs")]) == 0
    assert "history: history.jsonl:1: its content was altered" in capsys.readouterr().out


def test_no_history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["history", str(tmp_path)]) == 4
    assert "give the folder of runs" in capsys.readouterr().err


# -- the site -----------------------------------------------------------------------------------


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [str(v) for k, v in attrs if k in ("href", "src")]
        self.ids += [str(v) for k, v in attrs if k == "id"]


@pytest.fixture(scope="module")
def site(weeks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    assert status_of(["history", str(weeks), "--html", str(folder)]) == 0
    return folder


def test_pages_refer_to_nothing_but_each_other_and_reports(site: Path) -> None:
    names = sorted(p.name for p in site.iterdir())
    assert names == ["changes.html", "criteria.html", "index.html", "trends-1.html"]
    for name in names:
        text = (site / name).read_text(encoding="utf-8")
        page = _Page(text)
        assert "script" not in page.tags
        assert "default-src 'none'" in text
        for link in page.links:
            if link.startswith("#"):
                assert link[1:] in page.ids
            else:
                assert (site / link).resolve().is_file(), link


def test_runs_without_a_headline_have_a_place_in_the_table(tmp_path: Path) -> None:
    """Of one whose recall is not defined, and of one that measured something else."""
    audit(tmp_path, (40, 10, 10, 90), 1)
    audit(tmp_path, (0, 0, 10, 90), 2)
    other = SPEC.replace("metric: recall,", "metric: specificity,").replace("[recall,", "[")
    audit(tmp_path, (45, 5, 10, 90), 3, spec=other)
    audit(tmp_path, (45, 5, 10, 90), 4)
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert index.count("data-run=") == 4
    assert index.count("<td>–</td>") == 1
    assert index.count("<td>undefined</td>") == 1


def test_runs_of_several_series_are_listed_by_series(tmp_path: Path) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    audit(tmp_path, (45, 5, 10, 90), 2, spec=f"series: other\n{SPEC}")
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    audits_, other = index.split("Runs of audit</h2>")[1].split("Runs of other</h2>")
    assert ("<td>0.800<small" in audits_, "<td>0.800<small" in other) == (True, False)
    assert ("<td>0.900<small" in audits_, "<td>0.900<small" in other) == (False, True)
    assert '0 of 2</b> <span class="nb">series failed' in index


def test_the_site_shows_what_calls_for_a_look(site: Path) -> None:
    index = (site / "index.html").read_text(encoding="utf-8")
    assert "failed 2 runs in a row" in index
    assert index.count("data-run=") == 7
    criteria = (site / "criteria.html").read_text(encoding="utf-8")
    assert criteria.count('<span class="st fail">✗ failed') == 2
    trends = (site / "trends-1.html").read_text(encoding="utf-8")
    assert trends.count("<svg") == 5
    # recall alone has a criterion
    recall, *others = trends.split("<svg")[1:]
    assert ">required</text>" in recall
    assert not [other for other in others if ">required</text>" in other]
    # beyond the limit of the cumulative sum, in the tables below the charts
    assert " ◆</td>" in trends.split("control charts with memory")[2]
    assert "three standard errors" in trends


def test_an_improvement_is_no_alarm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Recall rises from 200 of 250 to 98 of 100, the Brier score falls: both are better."""
    audits(tmp_path, [*GOOD, (49, 1, 10, 90), (49, 1, 9, 91)])
    course = read_course(tmp_path / "runs")
    by_metric = {one.about.metric: one for one in course.series}
    assert [p.limits.signal for p in by_metric["recall"].points[-2:]] == [True, True]
    assert [by_metric[name].points[-1].better for name in ("recall", "brier")] == [True, True]
    assert by_metric["recall"].changed is not None
    assert by_metric["recall"].better is True
    capsys.readouterr()
    assert status_of(["history", str(tmp_path / "runs")]) == 0
    text = capsys.readouterr().out
    assert "Needs attention" not in text
    better = text.split("Better than before")[1]
    assert "rose with the run of 2026-11-06 from 0.800 to 0.980; detected in the run of" in better
    assert "alarm" not in better
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'class="warning"' not in index
    assert "◇" in index.split(">Runs</h2>")[1]
    recall = (tmp_path / "site" / "trends-1.html").read_text(encoding="utf-8").split("<svg")[1]
    assert IMPROVED in recall
    assert CHANGED not in recall
    data = history_data(course)["series"]
    (told,) = (one for one in data if one["metric"] == "recall")
    assert (told["points"][-1]["better"], told["change"]["better"]) == (True, True)


@pytest.mark.long
def test_pages_are_made_again_alike_and_stale_ones_go(weeks: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert status_of(["history", str(weeks), "--html", str(tmp_path / name)]) == 0
    one, two = tmp_path / "a", tmp_path / "b"
    stale = one / "trends-9.html"
    stale.write_bytes((one / "trends-1.html").read_bytes())
    (one / "notes.txt").write_text("kept", encoding="utf-8")
    assert status_of(["history", str(weeks), "--html", str(one)]) == 0
    assert not stale.exists()
    assert (one / "notes.txt").read_text(encoding="utf-8") == "kept"
    for path in two.iterdir():
        assert path.read_bytes() == (one / path.name).read_bytes()


def test_nothing_foreign_is_replaced(
    weeks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    assert status_of(["history", str(weeks), "--html", str(tmp_path)]) == 2
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine"
    run = weeks / "latest"
    assert status_of(["history", str(weeks), "--html", str(run)]) == 2
    assert "never changed" in capsys.readouterr().err


HOSTILE = '</td><script>alert(1)</script>{{ 7*7 }}"&'


def test_hostile_names_are_shown_as_text(tmp_path: Path) -> None:
    spec = SPEC.replace("title: Weekly audit", f"title: '{HOSTILE}'")
    spec = spec.replace("  model: {score", f"  '{HOSTILE}': {{score")
    for day in (1, 2):
        audit(tmp_path, GOOD[day], day, spec=spec)
    site = tmp_path / "site"
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(site)]) == 0
    for path in site.iterdir():
        text = path.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "&lt;script&gt;" in text
        assert "{{ 7*7 }}" in text


@pytest.mark.long
@pytest.mark.browser
def test_in_a_browser(site: Path) -> None:
    for name in ("index.html", "trends-1.html", "criteria.html", "changes.html"):
        done = subprocess.run(
            [
                program("chromium"),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--enable-logging=stderr",
                "--v=0",
                "--dump-dom",
                (site / name).resolve().as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        assert "</main>" in done.stdout
        # what the content policy refuses, a missing file or bad markup is told on the console
        assert not re.search(r"CONSOLE|Content Security Policy", done.stderr), done.stderr


@pytest.fixture(scope="module")
def sites(site: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A history of one series; and one of several, with attempts and a very long name."""
    folder = tmp_path_factory.mktemp("several")
    for day, counts in enumerate([*GOOD, *BAD], start=1):
        audit(folder, counts, day)
        audit(folder, counts, day, spec=f"series: {'of_a_long_name_' * 6}\n{SPEC}")
    (folder / "week.csv").unlink()
    command = ["run", str(folder / "audit.yaml"), "-o", str(folder / "runs"), "--quiet"]
    assert status_of([*command, "--at", "2026-11-20T06:00:00Z"]) == 4
    command = ["history", str(folder / "runs"), "--html", str(folder / "site")]
    assert status_of(command) == 0
    return {"one": site, "several": folder / "site"}


@pytest.mark.nightly_but_first
@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", ["index", "trends-1", "criteria", "changes"])
@pytest.mark.parametrize("of", ["one", "several"])
def test_axe_finds_nothing_and_nothing_reaches_out(
    sites: dict[str, Path], tmp_path: Path, of: str, name: str, width: int
) -> None:
    found = findings((sites[of] / f"{name}.html").read_text(encoding="utf-8"), tmp_path, width)
    assert found["violations"] == []
    assert found["twice"] == []
    assert found["width"] == width
    assert found["wide"] <= 0, "the page scrolls sideways"
    assert found["passes"] > 10


def test_a_criterion_on_an_area_is_at_no_threshold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = SPEC.replace("metric: recall,", "metric: roc_auc,").replace("f1,", "f1, roc_auc,")
    spec = spec.replace("at_least: 0.7", "at_least: 0.999")
    for day in (1, 2):
        audit(tmp_path, (40 + day, 10 - day, 10, 90), day, spec=spec)
    capsys.readouterr()
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    page = (tmp_path / "site" / "criteria.html").read_text(encoding="utf-8")
    assert "roc_auc &gt;= 0.999, week, model<" in page
    # the newest is what somebody looks for
    assert page.index(">2026-11-02<") < page.index(">2026-11-01<")


@pytest.mark.long
def test_the_first_page_lists_some_of_many_measures_outside_their_limits(tmp_path: Path) -> None:
    metrics = (
        "recall, specificity, accuracy, f1, brier, precision, npv, fpr, fnr, fdr, jaccard, mcc, "
        "kappa, youden_j, markedness, g_mean, balanced_accuracy, error_rate"
    )
    spec = SPEC.replace("recall, specificity, accuracy, f1, brier", metrics)
    weeks = [(900 + k, 100 - k, 100 + k, 900 - k) for k in (0, 3, -2, 5, -4, 1)]
    audits(tmp_path, [*weeks, (500, 500, 500, 500)], spec)
    assert status_of(["history", str(tmp_path / "runs"), "--html", str(tmp_path / "site")]) == 0
    first = (tmp_path / "site" / "index.html").read_text(encoding="utf-8").split(">Runs</h2>")[0]
    listed = first.split("Needs attention")[1]
    assert listed.count(", outside its control limits") == 12
    assert "more measures outside their limits" in listed
