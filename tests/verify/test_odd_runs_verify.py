"""Runs that are right though unusual: verify finds nothing, and makes them again the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalreport.cli import status_of

HEAD = """\
evalreport: 1
title: Odd
datasets:
  d: {path: d.csv, target: y, missing: exclude, %s}
models:
  one: {prediction: p}
  two: {score: s}
confidence: {resamples: 20, seed: 1}
"""
#: 20 rows with labels, scores, a weight and a group; of the last group there is one light row.
ROWS = [
    (
        "yes" if k % 3 == 0 else "no",
        "yes" if k % 4 == 0 else "no",
        round((k * 7 % 20) / 20, 2),
        round(0.1 * (1 + k % 5), 1) if k < 19 else 0.3,
        "ab"[k % 2] if k < 19 else "c",
    )
    for k in range(20)
]


def file_of(rows: Any) -> str:
    return "y,p,s,w,g\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)


ALL = file_of(ROWS)
#: The name of what is odd: the dataset's more keys, the rest of the spec, the file, options.
ODD: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "a row lacks one prediction of two": (
        "", "metrics: [accuracy, recall]\ncomparisons: {reference: one}\n",
        file_of([("no", "", 0.4, 0.1, "a"), *ROWS]), (),
    ),
    "one class alone": (
        "", "metrics: [roc_auc, ks, lift, recall, log_loss]\n",
        file_of([("no", "no", 0.2, 1, "a"), ("no", "no", 0.4, 1, "b"), ("no", "no", 0.4, 1, "b")]),
        (),
    ),
    "a cell that nobody counted and zeros beside it": (
        "unknown: [tn]", "metrics: [recall, selection_rate, accuracy]\nsubgroups: [g]\n",
        file_of([("no", "no", 0.1, 1, "a"), ("yes", "no", 0.2, 1, "b")]), (),
    ),
    "nothing known of a group": (
        "unknown: [tn]", "metrics: [recall, precision, roc_auc]\nsubgroups: [g]\n",
        file_of([*ROWS, ("no", "no", 0.1, 1, "z")]), (),
    ),
    "weights below one": (
        "weight: w", "metrics: [recall, f1, roc_auc]\nsubgroups: [g]\n", ALL, (),
    ),
    "parameters that are the defaults": (
        "", "metrics: [{fbeta: {beta: 1}}, {ece: {bins: 10}}]\n", ALL, (),
    ),
    "a dominant mistake of a probability of 0": (
        "", "metrics: [log_loss]\n", file_of([*ROWS, ("yes", "no", 0, 1, "a")]), (),
    ),
    "labels between the classes for one model": (
        "indeterminate: [maybe], weight: w",
        "metrics: [fbeta, recall]\naveraging: [micro, none]\n",
        file_of([*ROWS, ("no", "maybe", 0.3, 0.2, "a")]), (),
    ),
    "no threshold and groups": (
        "unknown: [tn]",
        "metrics: [ece, recall]\nthresholds: [{top: 5}]\nsubgroups: [g]\n", ALL, (),
    ),
    "impact ratios without a threshold": (
        "", "metrics: [impact_ratio]\nsubgroups: [g]\nthresholds: [{at_least: {precision: 1}}]\n",
        ALL, (),
    ),
    "groups compared by what sets them against each other": (
        "",
        "metrics: [impact_ratio]\nsubgroups: [g]\ncomparisons: {reference: one, subgroups: true}\n",
        ALL, (),
    ),
    "columns crossed against the order of their names": (
        "", "metrics: [recall, mcc]\nsubgroups: [[w, g]]\nlargest_gap: true\n", ALL, (),
    ),
    "an engine that few rows do without": (
        "id: g", "metrics: [recall]\n",
        file_of([(*row[:4], f"r{k}") for k, row in enumerate(ROWS)]), ("--engine", "duckdb"),
    ),
}  # fmt: skip


@pytest.mark.long_but_first
@pytest.mark.nightly_but_each(2)
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_run_is_verified(
    odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys, rest, data, options = ODD[odd]
    (tmp_path / "d.csv").write_text(data)
    (tmp_path / "s.yaml").write_text(HEAD % keys + rest + "report: {formats: [html]}\n")
    runs = str(tmp_path / "runs")
    assert status_of(["run", str(tmp_path / "s.yaml"), "-o", runs, *options]) == 0
    assert "FAILED" not in capsys.readouterr().err
    rerun = ["--rerun", "--spec", str(tmp_path / "s.yaml")]
    assert status_of(["verify", f"{runs}/latest", *rerun]) == 0, capsys.readouterr().err


@pytest.mark.long_but_first
@pytest.mark.parametrize("line", ["calibration_in_the_large", "calibration_slope"])
def test_a_line_that_only_rows_of_clusters_give(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The caution tells of both lines of calibration, and the spec asks for one of them."""
    drawn = [(k, (k * 7 % 20 + 0.5) / 20) for k in range(120)]
    # of a score s one half of s happens, evenly
    rows = [("yes" if k * 37 % 100 < 50 * s else "no", "no", s, 1, f"c{k % 12}") for k, s in drawn]
    (tmp_path / "d.csv").write_text(file_of(rows))
    spec = f"{HEAD % 'cluster: g'}metrics: [{line}]\nreport: {{formats: [html]}}\n"
    (tmp_path / "s.yaml").write_text(spec)
    runs = tmp_path / "runs"
    assert status_of(["run", str(tmp_path / "s.yaml"), "-o", str(runs)]) == 0
    results = json.loads((runs / "latest" / "results.json").read_text())
    told = [one for one in results["cautions"] if one["code"] == "miscalibration"]
    assert [one["message"].lower().count("calibration") for one in told] == [2]
    assert status_of(["verify", str(runs / "latest")]) == 0, capsys.readouterr().err


TRAINED = """\
evalreport: 1
title: Odd
datasets:
  d: {path: d.csv, target: y}
models:
  m: {estimator: sklearn.naive_bayes.GaussianNB, features: [s]}
cross_validation: {scheme: shuffle_split, folds: 3, test_size: 0.4, seed: 1}
metrics: [recall, ranking_loss, selection_rate]
averaging: [macro, none]
subgroups: [g]
confidence: {resamples: 20, seed: 1}
report: {formats: [html]}
"""


@pytest.mark.long
def test_rows_that_were_predicted_several_times_are_rows_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Drawn splits test a row twice, or never: cautions tell of rows, tables hold predictions."""
    (tmp_path / "d.csv").write_text(ALL)
    (tmp_path / "s.yaml").write_text(TRAINED)
    runs = tmp_path / "runs"
    assert status_of(["run", str(tmp_path / "s.yaml"), "-o", str(runs)]) == 0
    assert "FAILED" not in capsys.readouterr().err
    assert status_of(["verify", str(runs / "latest")]) == 0, capsys.readouterr().err
    results = json.loads((runs / "latest" / "results.json").read_text())
    (rows,) = results["rows"]
    assert rows["used"] < rows["predictions"] == 24
    few = next(c for c in results["cautions"] if c["code"] == "few_rows_of_class")
    assert few["numbers"]["fewest"] == min(c["count"] for c in rows["classes"])


@pytest.mark.long
def test_models_trained_without_each_row_are_compared_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores of fits that each left one row out are on no one scale, and folds have no names."""
    (tmp_path / "d.csv").write_text(ALL)
    one = "scheme: shuffle_split, folds: 3, test_size: 0.4, seed: 1"
    spec = TRAINED.replace(one, "scheme: leave_one_out").replace("ranking_loss", "roc_auc")
    spec = spec.replace("cross_val", "  n: {estimator: sklearn.dummy.DummyClassifier}\ncross_val")
    (tmp_path / "s.yaml").write_text(spec + "comparisons: {reference: m}\n")
    runs = str(tmp_path / "runs")
    assert status_of(["run", str(tmp_path / "s.yaml"), "-o", runs]) == 0
    assert status_of(["verify", f"{runs}/latest"]) == 0, capsys.readouterr().err


def test_running_sums_of_weights_end_at_the_total(tmp_path: Path) -> None:
    """In binary, tenths add up to more or less than their sum."""
    (tmp_path / "d.csv").write_text(ALL)
    (tmp_path / "s.yaml").write_text(HEAD % "weight: w" + "metrics: [recall]\n")
    assert status_of(["run", str(tmp_path / "s.yaml"), "-o", f"{tmp_path}/r", "--quiet",
                      "--formats", "json"]) == 0  # fmt: skip
    curves = json.loads((tmp_path / "r" / "latest" / "results.json").read_text())["curves"]
    sweeps = [curve["points"] for curve in curves if curve["kind"] == "sweep"]
    assert sweeps
    for points in sweeps:
        assert min(points["fn"]) == 0 == min(points["tn"])
        assert max(points["tpr"]) == 1 == max(points["fpr"])


def test_a_template_of_its_own_need_not_be_there_to_verify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.csv").write_text(ALL)
    (tmp_path / "mine").mkdir()
    (tmp_path / "s.yaml").write_text(HEAD % "" + "metrics: [recall]\nreport: {template: mine}\n")
    runs = f"{tmp_path}/runs"
    assert status_of(["run", str(tmp_path / "s.yaml"), "-o", runs, "--formats", "json"]) == 0
    (tmp_path / "mine").rmdir()
    assert status_of(["verify", f"{runs}/latest"]) == 0, capsys.readouterr().err
