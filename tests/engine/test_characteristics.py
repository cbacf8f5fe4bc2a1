"""Table one against arithmetic by hand, and against pandas."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import pandas as pd
import pytest
from plain_results import render_html

import evalreport
from evalreport.errors import DataError
from evalreport.verify.recompute import recompute

SPEC = """
evalreport: 1
datasets:
  d: {path: d.csv, target: y, missing: exclude}
models:
  m: {score: s}
metrics: [recall]
report: {characteristics: [age, sex, coded, empty]}
"""
ROWS = [
    ("a", "0.1", "30", "f", "0", ""),
    ("a", "0.2", "40", "m", "1", ""),
    ("b", "0.7", "50", "f", "1", ""),
    ("b", "0.8", "", "", "0", ""),
    ("b", "0.9", "65.5", "m", "1", ""),
    ("b", "", "99", "x", "1", ""),
]


def _results(folder: Path, spec: str = SPEC, rows: list[tuple[str, ...]] = ROWS) -> dict:
    lines = ["y,s,age,sex,coded,empty", *(",".join(row) for row in rows)]
    (folder / "d.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "spec.yaml").write_text(spec, encoding="utf-8")
    return evalreport.run(folder / "spec.yaml").json


def test_every_figure_by_hand(tmp_path):
    (record,) = _results(tmp_path)["characteristics"]
    # the row without a score is not used, so its age of 99 is nowhere
    assert record["rows"] == 5
    assert record["classes"] == [{"label": "a", "rows": 2}, {"label": "b", "rows": 3}]
    age, sex, coded, empty = record["columns"]
    assert (age["kind"], sex["kind"], coded["kind"]) == ("number", "category", "category")
    whole, first, second = age["groups"]
    assert (whole["n"], whole["missing"]) == (4, 1)
    assert whole["mean"] == 46.375
    assert math.isclose(whole["sd"], statistics.stdev([30, 40, 50, 65.5]))
    assert (whole["low"], whole["median"], whole["high"]) == (30, 45, 65.5)
    # type 7: 30 + 0.75 * 10 and 50 + 0.25 * 15.5
    assert (whole["quartile_1"], whole["quartile_3"]) == (37.5, 53.875)
    assert (first["mean"], second["mean"], second["missing"]) == (35, 57.75, 1)
    assert sex["groups"][0]["values"] == [{"value": "f", "count": 2}, {"value": "m", "count": 2}]
    assert sex["groups"][2] == {
        "label": "b",
        "n": 2,
        "missing": 1,
        "other": 0,
        "values": [{"value": "f", "count": 1}, {"value": "m", "count": 1}],
    }
    assert coded["groups"][0]["values"] == [{"value": "0", "count": 2}, {"value": "1", "count": 3}]
    assert [g["missing"] for g in empty["groups"]] == [5, 2, 3]


def test_the_page_shows_it_with_n_shares_and_missing(tmp_path):
    results = _results(tmp_path)
    page = render_html(results)
    section = page[page.index('id="characteristics"') :]
    section = section[: section.index("</section>")].replace("\u202f", " ")
    for words in (
        "all rows",
        "share of rows",
        "40.0 %",
        "mean (standard deviation)",
        "46.4 (15.1)",
        "median (quartiles)",
        "45.0 (37.5 to 53.9)",
        "30.0 to 65.5",
        "1 (20.0 %)",
    ):
        assert words in section, words


def test_a_class_without_any_value_says_so(tmp_path):
    rows = [("a", "0.1", str(k), "f", "0", "") for k in range(4)] + [("b", "0.9", "", "m", "1", "")]
    results = _results(tmp_path, rows=rows)
    assert results["characteristics"][0]["columns"][0]["groups"][2]["mean"] is None
    assert "<td>no value</td>" in render_html(results)


def test_shares_say_that_the_sampling_fixed_them(tmp_path):
    spec = SPEC.replace("missing: exclude", "missing: exclude, sampling: case_control")
    page = render_html(_results(tmp_path, spec))
    section = page[page.index('id="characteristics"') :]
    section = section[: section.index("</section>")]
    assert "share, fixed by the sampling" in section
    assert "share of rows" not in section


def test_against_pandas(tmp_path):
    frame = pd.read_csv(Path(__file__).parents[2] / "sample_data" / "breast_measurements.csv")
    frame["score"] = frame["mean_radius"] / 30
    spec = """
evalreport: 1
datasets: {d: {path: d.csv, target: diagnosis}}
models: {m: {score: score}}
metrics: [recall]
report: {characteristics: [mean_radius, mean_area]}
"""
    frame.to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "spec.yaml").write_text(spec, encoding="utf-8")
    (record,) = evalreport.run(tmp_path / "spec.yaml").json["characteristics"]
    for column in record["columns"]:
        for group in column["groups"]:
            chosen = frame if group["label"] is None else frame[frame.diagnosis == group["label"]]
            told = chosen[column["column"]].describe()
            expected = [told[k] for k in ("mean", "std", "min", "25%", "50%", "75%", "max")]
            keys = ("mean", "sd", "low", "quartile_1", "median", "quartile_3", "high")
            assert [group[k] for k in keys] == pytest.approx(expected, rel=1e-12)


def test_rare_values_are_counted_together(tmp_path):
    rows = [("a" if k % 2 else "b", "0.5", str(k), f"v{k:02d}", "0", "") for k in range(30)]
    (record,) = _results(tmp_path, rows=rows)["characteristics"]
    whole = record["columns"][1]["groups"][0]
    assert len(whole["values"]) == 20
    assert (whole["n"], whole["other"]) == (30, 10)


def test_a_column_that_is_not_there_is_told_with_its_place(tmp_path):
    with pytest.raises(DataError) as caught:
        _results(tmp_path, SPEC.replace("[age, sex, coded, empty]", "[agee]"))
    (problem,) = caught.value.problems
    assert "no column 'agee'" in problem.what
    assert "age" in problem.instead
    assert problem.where.line == 8


def test_verification_finds_a_count_that_does_not_add_up(tmp_path):
    results = _results(tmp_path)
    assert not recompute(results).problems
    results["characteristics"][0]["columns"][1]["groups"][0]["values"][0]["count"] += 1
    (problem,) = recompute(results).problems
    assert "values of 5 rows, n is 4" in problem.what
