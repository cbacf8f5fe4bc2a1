"""Evaluation per period: names of periods, tests against references, results by hand."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from plain_results import render_html
from schedules.weekly_runs import SPEC, results
from scipy import stats
from statsmodels.stats.contingency_tables import Table

from evalreport.api import run
from evalreport.cli import status_of
from evalreport.engine.calendar import period_name
from evalreport.errors import DataError
from evalreport.results.codec import results_schema
from evalreport.statistics.control_limits import limits_of_course
from evalreport.statistics.course import charted_course
from evalreport.statistics.separate_samples import Estimate
from evalreport.statistics.trend import cochran_armitage, weighted_changes
from evalreport.verify.recompute import recompute

#: TP, FN, FP, TN of each month.
MONTHS = {"2026-01": (18, 2, 2, 18), "2026-02": (15, 5, 2, 18), "2026-03": (10, 10, 2, 18)}
LABELS = "    labels: [well, ill]"
DATED = SPEC.replace(LABELS, f"{LABELS}\n    period: {{column: date}}")


def rows(months: dict[str, tuple[int, int, int, int]]) -> list[tuple[str, str, float]]:
    cells = (("ill", 0.9), ("ill", 0.3), ("well", 0.7), ("well", 0.1))
    # the newest month first: periods come in the order of time, not of the file
    return [
        (f"{month}-{1 + i % 28:02d}", truth, score)
        for month in sorted(months, reverse=True)
        for (truth, score), count in zip(cells, months[month], strict=True)
        for i in range(count)
    ]


def write(folder: Path, dated: list[tuple[str, str, float]], spec: str = DATED) -> Path:
    lines = [f"{i},{d},{truth},{score}" for i, (d, truth, score) in enumerate(dated)]
    (folder / "week.csv").write_text("\n".join(["case,date,truth,score", *lines]) + "\n")
    (folder / "audit.yaml").write_text(spec)
    return folder / "audit.yaml"


def evaluated(folder: Path, spec: Path, *more: str) -> dict[str, Any]:
    done = ["run", str(spec), "-o", str(folder / "runs"), "--at", "2026-11-21", "--quiet"]
    assert status_of([*done, *more]) in (0, 1)
    return results(folder / "runs" / "latest")


def test_periods_in_the_order_of_time(tmp_path: Path) -> None:
    found = evaluated(tmp_path, write(tmp_path, rows(MONTHS)))
    jsonschema.validate(found, results_schema())
    recall = next(p for p in found["periods"] if p["metric"] == "recall")
    assert recall["periods"] == list(MONTHS)
    assert recall["values"] == [0.9, 0.75, 0.5]
    by_id = {m["id"]: m for m in found["measures"]}
    assert [by_id[i]["subgroup"] for i in recall["measures"]] == [{"date": m} for m in MONTHS]
    chi2 = stats.chi2_contingency([[18, 15, 10], [2, 5, 10]], correction=False)
    assert recall["change_statistic"] == pytest.approx(chi2.statistic, rel=1e-12)
    assert recall["change_p_value"] == pytest.approx(chi2.pvalue, rel=1e-10)
    assert recall["trend_statistic"] < 0
    specificity = next(p for p in found["periods"] if p["metric"] == "specificity")
    assert (specificity["change_statistic"], specificity["trend_p_value"]) == (0.0, 1.0)
    brier = next(p for p in found["periods"] if p["metric"] == "brier")
    assert brier["trend_test"] == "weighted_slope"
    assert brier["trend_statistic"] > 0


def test_trend_of_shares_is_that_of_statsmodels() -> None:
    hits, sizes = [18, 15, 10, 4], [20, 21, 19, 12]
    table = Table(np.array([hits, [n - x for x, n in zip(hits, sizes, strict=True)]]).T)
    reference = table.test_ordinal_association(col_scores=np.array([1, 0]))
    found = cochran_armitage(hits, sizes)
    assert found is not None
    # statsmodels takes the variance with N - 1
    scale = math.sqrt(sum(sizes) / (sum(sizes) - 1))
    assert found.statistic == pytest.approx(reference.zscore * scale, rel=1e-9)


def test_slope_is_that_of_weighted_least_squares() -> None:
    values, errors = [0.9, 0.85, 0.88, 0.7], [0.02, 0.03, 0.01, 0.05]
    weights = np.array([1 / e**2 for e in errors])
    design = np.vander(np.arange(4), 2, increasing=True)
    covariance = np.linalg.inv(design.T @ (weights[:, None] * design))
    slope = (covariance @ design.T @ (weights * np.array(values)))[1]
    found = weighted_changes(values, errors)
    assert found is not None
    assert found.trend.statistic == pytest.approx(slope / math.sqrt(covariance[1, 1]), rel=1e-10)
    mean = np.average(values, weights=weights)
    assert found.alike.statistic == pytest.approx(float(np.sum(weights * (values - mean) ** 2)))


@pytest.mark.parametrize(
    ("text", "every", "expected"),
    [
        ("2025-12-29", "week", "2026-W01"),
        ("2026-03-31", "quarter", "2026-Q1"),
        ("2026-04-01", "quarter", "2026-Q2"),
        ("0099-01-01", "year", "0099"),
        ("2026-11-21T23:59:59-11:00", "day", "2026-11-21"),
        ("2026-11-21 06:00:00", "month", "2026-11"),
    ],
)
def test_names_of_periods(text: str, every: str, expected: str) -> None:
    assert period_name(text, every) == expected


@pytest.mark.parametrize(
    "text", ["", "21.11.2026", "2026-13-01", "2026-02-30", "20261121", "2026-W47-6", "2026-11-21x"]
)
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(ValueError):
        period_name(text, "month")


def test_wrong_dates_are_told_with_their_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dated = rows(MONTHS)
    dated[3] = ("3/2026", *dated[3][1:])
    dated[7] = ("2026-02-31", *dated[7][1:])
    spec = write(tmp_path, dated)
    assert status_of(["run", str(spec), "-o", str(tmp_path / "runs"), "--quiet"]) == 3
    told = capsys.readouterr().err
    assert "week.csv:5: column 'date', row 4 (line 5): '3/2026' is not a date" in told
    assert "week.csv:9: column 'date', row 8 (line 9): '2026-02-31' is not a date" in told


def test_a_column_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = write(tmp_path, rows(MONTHS), DATED.replace("column: date", "column: dat"))
    assert status_of(["check", str(spec)]) == 3
    assert "did you mean 'date'?" in capsys.readouterr().err


def test_criteria_for_each_period_and_missing_dates(tmp_path: Path) -> None:
    dated = [*rows(MONTHS), ("", "ill", 0.9)]
    spec = DATED.replace("at_least: 0.7", "at_least: 0.7, subgroup: each")
    found = evaluated(tmp_path, write(tmp_path, dated, spec))
    outcomes = {e["subgroup"]["date"]: e["outcome"] for e in found["acceptance"]}
    assert outcomes == {
        "2026-01": "pass",
        "2026-02": "pass",
        "2026-03": "fail",
        "(missing)": "not_evaluated",
    }, "one row is too few to judge"
    assert {tuple(p["periods"]) for p in found["periods"]} == {tuple(MONTHS)}


def test_dates_of_a_frame() -> None:
    import pandas as pd

    frame = pd.DataFrame(rows(MONTHS), columns=["date", "truth", "score"])
    spec = {
        "evalreport": 1,
        "datasets": {"week": {"target": "truth", "period": {"column": "date", "every": "quarter"}}},
        "positive": {"label": "ill"},
        "models": {"model": {"score": "score"}},
        "metrics": ["recall"],
    }
    (recall,) = run(spec, frames={"week": frame}, at="2026-11-21").json["periods"]
    assert (recall["periods"], recall["reason"]) == (
        ["2026-Q1"],
        "fewer than two periods have a value with an interval",
    )
    with pytest.raises(DataError):
        run(spec, frames={"week": frame.assign(date="soon")}, at="2026-11-21")


# -- control limits and the section of the report -------------------------------------------------


def eight_months() -> dict[str, tuple[int, int, int, int]]:
    """Recall 18 of 20 for six months, then 8 of 20 twice; specificity as it was."""
    good, bad = (18, 2, 2, 18), (8, 12, 2, 18)
    return {f"2026-{k:02d}": good if k <= 6 else bad for k in range(1, 9)}


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changed")
    evaluated(folder, write(folder, rows(eight_months())), "--formats", "html")
    return folder / "runs" / "latest"


@pytest.mark.long
def test_control_limits_by_hand(changed: Path) -> None:
    """After five months of 18 of 20: 0.9 plus and minus 3 sqrt(0.9 x 0.1 / 20), cut at 1."""
    found = results(changed)
    jsonschema.validate(found, results_schema())
    recall = next(p for p in found["periods"] if p["metric"] == "recall")
    limits = recall["limits"]
    assert [one["low"] for one in limits[:5]] == [None] * 5
    assert limits[4]["reason"] == "4 earlier values, 5 are needed"
    half = 3 * math.sqrt(0.9 * 0.1 / 20)
    assert limits[5]["low"] == pytest.approx(0.9 - half, rel=1e-12)
    assert (limits[5]["centre"], limits[5]["high"], limits[5]["chart"]) == (0.9, 1.0, "p")
    assert [one["signal"] for one in limits] == [False] * 6 + [True, True]
    # the first bad month is not among those that the second is held against
    assert limits[7]["centre"] == 0.9
    brier = next(p for p in found["periods"] if p["metric"] == "brier")
    assert all(one["low"] is None or one["low"] >= 0 for one in brier["limits"])


def test_the_report_draws_the_course(changed: Path) -> None:
    page = (changed / "report.html").read_text(encoding="utf-8")
    section = page[page.index('id="periods"') :]
    section = section[: section.index("</section>")]
    # four of the five measures, two to a picture
    assert section.count('<svg class="chart" ') == 2
    assert "4 of 5 measures are drawn." in section
    told = re.findall(r'role="img" aria-label="([^"]*)"', section)
    (alt,) = [words for words in told if "Recall by month" in words]
    assert "From 0.900 in 2026-01 to 0.400 in 2026-08" in alt
    assert "Outside the control limits: 2026-07 and 2026-08." in alt
    assert "trend, falling: p &lt; 0.0001" in alt
    assert "Required: 0.70" in alt
    # each value stands with its table, laid flat; limits are in a table of their own
    assert section.count('data-table="') >= 8
    assert "0.699 to 1" in section
    assert "Control limits by month" in section
    assert "Has it changed?" in section
    # periods are no groups to be compared
    assert "Gaps by date" not in page


@pytest.mark.long
def test_the_pdf_draws_the_course(changed: Path, tmp_path: Path) -> None:
    import pikepdf

    assert (
        status_of(
            ["render", str(changed / "results.json"), "-o", str(tmp_path), "--formats", "pdf"]
        )
        == 0
    )
    with pikepdf.open(tmp_path / "report.pdf") as pdf, pdf.open_outline() as outline:
        assert any(str(item.title).endswith("Course over time") for item in outline.root)


def test_older_results_have_no_limits(changed: Path) -> None:
    found = results(changed)
    for record in found["periods"]:
        del record["limits"]
    assert "No control limits." in render_html(found, "standard")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda r: r["values"].__setitem__(0, 0.5), "values is"),
        (lambda r: r["limits"][6].update(signal=False), "limits.signal is False"),
        (lambda r: r["limits"][6].update(low=0.1), "limits.low is 0.1"),
        (lambda r: r["limits"][6].update(centre=0.1), "limits.centre is 0.1"),
        (lambda r: r.update(change_statistic=1.0), "change_statistic is 1.0"),
        (lambda r: r.update(trend_statistic=1.0), "trend_statistic is 1.0"),
        (lambda r: r["periods"].reverse(), "periods is ("),
        (lambda r: r.pop("column"), "periods[0].column: is missing"),
    ],
)
def test_verify_works_periods_out_again(changed: Path, change: Any, told: str) -> None:
    found = results(changed)
    assert recompute(found).problems == ()
    change(found["periods"][0])
    assert any(told in str(problem) for problem in recompute(found).problems)


def test_limits_stay_those_of_the_months_before_a_change_that_no_month_lies_outside_for(
    tmp_path: Path,
) -> None:
    """240 of 300 in six months, then 33 to 35 of 50: the cumulative sum passes in the tenth."""
    found = [40, 41, 39, 42, 38, 40, 34, 33, 35, 33, 34, 33, 34]
    months = {f"2026-{k:02d}": (n, 50 - n, 10, 90) for k, n in enumerate(found[:12], start=1)}
    months["2027-01"] = (34, 16, 10, 90)
    run = evaluated(tmp_path, write(tmp_path, rows(months)))
    recall = next(p for p in run["periods"] if p["metric"] == "recall")
    assert (recall["change"]["alarm"], recall["change"]["since"]) == ("2026-10", "2026-07")
    assert not any(limits["signal"] for limits in recall["limits"])
    # the ninth month is still held against all before it, 307 of 400
    assert [limits["centre"] for limits in recall["limits"][8:]] == [307 / 400, *[0.8] * 4]
    assert status_of(["verify", str(tmp_path / "runs" / "latest")]) == 0


@pytest.mark.parametrize(
    ("found", "alarm", "before"),
    [
        # the moving average alone passes its limit
        ([37, 40, 42, 37, 42, 34, 44, 38, 38, 36, 37, 36, 33, 33, 32, 38], 14, 12),
        # the cumulative sum alone
        ([39, 42, 41, 39, 36, 36, 42, 45, 40, 37, 34, 33, 38, 32, 41, 38], 13, 9),
    ],
)
def test_either_chart_that_carries_the_past_along_holds_the_limits(
    found: list[int], alarm: int, before: int
) -> None:
    shares = [(Estimate(x / 50, fraction=(x, 50)), f"f{k}") for k, x in enumerate(found)]
    # a file that comes again is no run of its own
    limits = limits_of_course([*shares[:3], shares[2], *shares[3:]], (0.0, 1.0))
    own = [*limits[:3], *limits[4:]]
    centres = [sum(found[:k]) / (50 * k) for k in range(5, alarm)]
    held = sum(found[:before]) / (50 * before)
    assert [one.centre for one in own[5:]] == [*centres, *[held] * (len(found) - alarm)]
    charted = charted_course([one for one, _ in shares])
    assert charted is not None
    passed = [
        [k for k, one in enumerate(chart) if one is not None and one.signal]
        for chart in (charted.averages, charted.sums)
    ]
    assert sorted(chart[:1] for chart in passed) == [[], [alarm]]


def test_limits_stay_those_of_the_months_before_the_first_one_outside(tmp_path: Path) -> None:
    """200 of 250 ill found in five months, then 20, 22, 24 of 50: 0.8 -+ 3 sqrt(0.16 / 50)."""
    found = [40, 41, 39, 42, 38, 20, 22, 24]
    months = {f"2026-{k:02d}": (n, 50 - n, 10, 90) for k, n in enumerate(found, start=1)}
    run = evaluated(tmp_path, write(tmp_path, rows(months)))
    recall = next(p for p in run["periods"] if p["metric"] == "recall")
    half = 3 * math.sqrt(0.8 * 0.2 / 50)
    for limits in recall["limits"][5:]:
        expected = (0.8, 0.8 - half, 0.8 + half)
        assert (limits["centre"], limits["low"], limits["high"]) == pytest.approx(expected)
        assert limits["signal"]
    assert status_of(["verify", str(tmp_path / "runs" / "latest")]) == 0
