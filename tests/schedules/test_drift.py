"""Drift of labels, scores and columns: by hand, as cautions, criteria and a section."""

from __future__ import annotations

import json
import math
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from plain_results import render_html
from schedules.weekly_runs import SPEC, audit, results
from scipy import stats

from evalreport.cli import status_of
from evalreport.numbers import value_text
from evalreport.results.codec import results_schema
from evalreport.runs.diff import differences
from evalreport.statistics.shift import index_of, value_shift

TWO = SPEC.replace(
    "  week:\n",
    "  base: {path: base.csv, target: truth, id: case, labels: [well, ill]}\n  week:\n",
).replace("acceptance:\n  - {metric: recall, at_least: 0.7}\n", "")
DRIFT = "drift: {reference: {dataset: base}, columns: [age, site]}\n"


def write(path: Path, count: int, share: float, shift: float, sites: str, seed: int) -> None:
    rng = random.Random(seed)
    lines = ["case,truth,score,age,site"]
    for number in range(count):
        ill = number < share * count
        score = min(0.99, max(0.01, rng.gauss(0.65 if ill else 0.35, 0.1) + shift))
        age = round(rng.gauss(50 + 100 * shift, 8))
        lines.append(f"{number},{'ill' if ill else 'well'},{score:.4f},{age},{rng.choice(sites)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def drifted(
    folder: Path, drift: str = DRIFT, shift: float = 0.15, sites: str = "AABBC", share: float = 0.6
) -> dict[str, Any]:
    write(folder / "base.csv", 400, 0.4, 0.0, "AABBC", 1)
    write(folder / "week.csv", 200, share, shift, sites, 2)
    (folder / "audit.yaml").write_text(TWO + drift, encoding="utf-8")
    done = ["run", str(folder / "audit.yaml"), "-o", str(folder / "runs"), "--at", "2026-11-21"]
    assert status_of([*done, "--quiet"]) in (0, 1)
    found = results(folder / "runs" / "latest")
    jsonschema.validate(found, results_schema())
    return found


def of(found: dict[str, Any], what: str, column: str | None = None) -> dict[str, Any]:
    (record,) = [r for r in found["drift"] if (r["of"], r["column"]) == (what, column)]
    return dict(record)


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("moved")
    return folder, drifted(folder)


def test_labels_by_hand(moved: tuple[Path, dict[str, Any]]) -> None:
    """160 ill of 400, then 120 of 200: 0.2 ln(1.5) + 0.2 ln(1.5)."""
    labels = of(moved[1], "labels")
    assert [(b["name"], b["reference"], b["rows"]) for b in labels["bins"]] == [
        ("well", 240, 80),
        ("ill", 160, 120),
    ]
    assert labels["psi"] == pytest.approx(0.4 * math.log(1.5), rel=1e-12)
    chi2 = stats.chi2_contingency([[240, 80], [160, 120]], correction=False)
    assert labels["statistic"] == pytest.approx(chi2.statistic, rel=1e-12)
    assert labels["psi_expected"] == pytest.approx(1 / 400 + 1 / 200)
    p_value = stats.chi2.sf(labels["psi"] * 400 * 200 / 600, 1)
    assert labels["psi_p_value"] == pytest.approx(p_value, rel=1e-9)


def test_scores_and_numbers_are_those_of_scipy(moved: tuple[Path, dict[str, Any]]) -> None:
    folder, found = moved
    base, week = (
        np.genfromtxt(folder / name, delimiter=",", skip_header=1, usecols=(2, 3))
        for name in ("base.csv", "week.csv")
    )
    for record, column in ((of(found, "scores"), 0), (of(found, "column", "age"), 1)):
        two = stats.ks_2samp(base[:, column], week[:, column], method="asymp")
        assert record["ks"] == pytest.approx(two.statistic, rel=1e-12)
        cuts = [b["to"] for b in record["bins"][:-1]]
        edges = [-np.inf, *cuts, np.inf]
        for side, data in (("reference", base), ("rows", week)):
            counted = [
                int(((data[:, column] > a) & (data[:, column] <= b)).sum())
                for a, b in pairwise(edges)
            ]
            assert [b[side] for b in record["bins"]] == counted


def test_nothing_moved_is_no_caution(tmp_path: Path) -> None:
    found = drifted(tmp_path, shift=0.0, share=0.4)
    assert [c for c in found["cautions"] if c["code"] == "drift"] == []


def test_cautions_by_note_and_warning(moved: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    told = {c["severity"]: c["message"] for c in moved[1]["cautions"] if c["code"] == "drift"}
    assert "Labels: population stability index" in told["note"]
    assert "Scores of " in told["warning"]
    high = DRIFT.replace("columns", "note: 50, warning: 60, columns")
    assert "drift" not in [c["code"] for c in drifted(tmp_path, high, shift=0.05)["cautions"]]


def test_a_category_that_is_new_is_told(tmp_path: Path) -> None:
    found = drifted(tmp_path, sites="AABBD", shift=0.0, share=0.4)
    site = of(found, "column", "site")
    assert (site["psi"], site["psi_reason"]) == (None, "a category is on one side only")
    (caution,) = [c for c in found["cautions"] if c["code"] == "drift"]
    assert caution["severity"] == "warning"
    assert "site" in caution["message"]


def test_an_infinite_index_is_above_any_limit(tmp_path: Path) -> None:
    limited = DRIFT.replace("columns", "at_most: {psi: 9}, columns")
    found = drifted(tmp_path, limited, sites="AABBD")
    (entry,) = [e for e in found["acceptance"] if "column site" in e["text"]]
    assert (entry["outcome"], entry["observed"]) == ("fail", None)
    assert "infinite" in entry["reason"]


@pytest.mark.long
def test_limits_are_criteria(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limited = DRIFT.replace("columns", "at_most: {psi: 0.2, ks: 0.9}, columns")
    found = drifted(tmp_path, limited, shift=0.08)
    outcomes = {e["text"]: e["outcome"] for e in found["acceptance"]}
    assert outcomes["population stability index of labels <= 0.2 against dataset base"] == "pass"
    assert (
        outcomes["population stability index of column age <= 0.2 against dataset base"] == "fail"
    )
    assert (
        outcomes["Kolmogorov-Smirnov distance of column age <= 0.9 against dataset base"] == "pass"
    )
    done = ["run", str(tmp_path / "audit.yaml"), "-o", str(tmp_path / "runs"), "--quiet"]
    assert status_of(done) == 1
    page = render_html(found, "standard")
    assert "population stability index of column age" in page
    (tmp_path / "runs" / "latest" / "report.html").exists()


def test_against_an_earlier_run(tmp_path: Path) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    with_run = SPEC.replace("acceptance:", "drift: {reference: {run: runs/latest}}\nacceptance:")
    audit(tmp_path, (60, 20, 10, 60), 2, spec=with_run)
    found = results(tmp_path / "runs" / "latest")
    labels, scores = of(found, "labels"), of(found, "scores")
    assert [(b["reference"], b["rows"]) for b in labels["bins"]] == [(100, 70), (50, 80)]
    assert labels["reference"].startswith("run 20261101")
    # below 0.5: 100 of 150, then 80 of 150
    assert scores["ks"] >= 100 / 150 - 80 / 150 - 1e-12
    assert found["references"][0]["run"] == labels["reference"].removeprefix("run ")


def test_columns_need_a_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    wrong = SPEC + "drift: {reference: {run: runs/latest}, columns: [sex]}\n"
    assert audit(tmp_path, (40, 10, 10, 90), 2, spec=wrong) == 2
    assert "results of a run have no columns" in capsys.readouterr().err


def test_weighted_rows_are_not_tested(tmp_path: Path) -> None:
    found = drifted(tmp_path, DRIFT)
    spec = (tmp_path / "audit.yaml").read_text().replace("    id: case", "    weight: age")
    (tmp_path / "audit.yaml").write_text(spec)
    assert of(found, "labels")["test"] == "chi_square"
    done = ["run", str(tmp_path / "audit.yaml"), "-o", str(tmp_path / "runs"), "--quiet"]
    assert status_of([*done, "--at", "2026-11-22"]) in (0, 1)
    labels = of(results(tmp_path / "runs" / "latest"), "labels")
    assert (labels["test"], labels["psi_p_value"]) == (None, None)
    assert "weights" in labels["reason"]


def test_the_section_shows_index_and_shares(moved: tuple[Path, dict[str, Any]]) -> None:
    page = render_html(moved[1], "standard")
    section = re.search(r'id="drift".*?</section>', page, re.DOTALL)
    assert section is not None
    assert "Have the data moved?" in section[0]
    assert "80 (40.0" in section[0]
    assert "column age" in section[0]


def test_index_is_asymptotically_chi_square() -> None:
    """Under no change the p value is below 0.05 about once in twenty draws."""
    rng = np.random.default_rng(7)
    draws = rng.multinomial(2000, [0.1] * 10, size=(2, 400))
    p = [index_of(a, b).p_value or 0.0 for a, b in zip(*draws.tolist(), strict=True)]
    assert 0.02 < np.mean(np.array(p) < 0.05) < 0.09


def test_ties_share_a_bin() -> None:
    found = value_shift([(1.0, 8), (2.0, 1), (3.0, 1)], [(1.0, 5), (2.5, 5)], 4)
    assert found.cuts == [1.0]
    assert (found.reference, found.now) == ([8.0, 2.0], [5.0, 5.0])


def test_scores_of_an_earlier_run_may_have_any_number_of_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """More distinct scores than a curve has points: bins, and bounds of the exact distance."""
    rng = np.random.default_rng(5)
    sides = {}
    spec = SPEC.replace("[html]", "[json]").replace(
        "recall, specificity, accuracy, f1, brier", "recall"
    )
    drift = "drift: {reference: {run: runs/latest}, at_most: {psi: 0.25, ks: 0.05}}\n"
    for day, shift in ((1, 0.0), (2, 0.4)):
        truth = np.arange(5_000) % 2
        scores = sides[day] = 1 / (1 + np.exp(-rng.normal(2.0 * truth - 1.0 + shift, 1.0)))
        told = zip(truth.tolist(), scores.tolist(), strict=True)
        rows = [f"{i},{('well', 'ill')[t]},{s!r}" for i, (t, s) in enumerate(told)]
        (tmp_path / "week.csv").write_text("\n".join(["case,truth,score", *rows]), encoding="utf-8")
        (tmp_path / "audit.yaml").write_text(spec + drift * (day - 1), encoding="utf-8")
        at = f"2026-11-{day:02d}T06:00:00Z"
        command = ["run", str(tmp_path / "audit.yaml"), "-o", str(tmp_path / "runs"), "--at", at]
        assert status_of([*command, "--quiet"]) == day - 1
    found = results(tmp_path / "runs" / "latest")
    exact = stats.ks_2samp(sides[1], sides[2]).statistic
    record = of(found, "scores")
    assert 0 <= exact - record["ks"] < 0.002
    assert sum(b["reference"] for b in record["bins"]) == 5_000
    assert "bins, as the reference keeps them" in record["reason"]
    judged = {
        c["metric"]: c["outcome"] for c in found["acceptance"] if c["metric"] in ("psi", "ks")
    }
    assert judged == {"psi": "pass", "ks": "fail"}
    # and between the two runs as they are kept
    there = sorted(p for p in (tmp_path / "runs").iterdir() if p.name[0] == "2")
    (moved,) = differences(*there).scores
    assert moved.ks_bounds is not None
    low, high = moved.ks_bounds.low, moved.ks_bounds.high
    assert low <= exact <= high <= low + 0.003
    assert abs(exact - moved.ks) < 0.0005
    limits = f"between {value_text(low)} and {value_text(high)}: scores were kept in bins"
    told = f"KS {value_text(moved.ks)} ({limits}; p "
    capsys.readouterr()
    page = tmp_path / "diff.html"
    assert status_of(["diff", *map(str, there), "--html", str(page)]) == 0
    assert status_of(["diff", *map(str, there)]) == 0
    assert told in capsys.readouterr().out
    assert told in page.read_text(encoding="utf-8")
    assert status_of(["diff", *map(str, there), "--json"]) == 0
    (written,) = json.loads(capsys.readouterr().out)["scores"]
    assert written["ks_bounds"] == {"low": low, "high": high}
