"""The positive class of a series stays what it was, or the run says what it would become."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalreport
from evalreport.cli import status_of
from evalreport.errors import DataError
from evalreport.runs.history import read_history

SPEC = """\
evalreport: 1
title: Nights
datasets: {night: {path: night.csv, target: y}}
models: {m: {score: p}}
metrics: [recall]
report: {formats: [json]}
"""


def night(folder: Path, rows: str, *options: str) -> int:
    (folder / "night.csv").write_text("y,p\n" + rows.replace(" ", "\n") + "\n")
    (folder / "nights.yaml").write_text(SPEC)
    where = str(folder / "runs")
    return status_of(["run", str(folder / "nights.yaml"), "-o", where, "--quiet", *options])


def test_a_night_without_positives_goes_on_with_the_series(tmp_path: Path) -> None:
    assert night(tmp_path, "0,0.1 1,0.9") == 0
    assert night(tmp_path, "0,0.1 0,0.6") == 0
    assert night(tmp_path, "0.0,0.1 1.0,0.6") == 0  # the same class, written otherwise
    runs = read_history(tmp_path / "runs").runs.values()
    assert [run.positive["night"] for run in runs] == ["1", "1", "1.0"]
    assert status_of(["verify", str(tmp_path / "runs" / "latest")]) == 0


@pytest.mark.parametrize(
    ("rows", "options", "now"),
    [
        ("0,0.1 1,0.9", ("--set", "positive=smallest"), "'0'"),
        ("no,0.1 yes,0.9", (), "'yes'"),
        ("1,0.1 2,0.9", (), "'2'"),
    ],
)
def test_another_positive_class_ends_with_both_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rows: str,
    options: tuple[str, ...],
    now: str,
) -> None:
    assert night(tmp_path, "0,0.1 1,0.9") == 0
    assert night(tmp_path, rows, *options) == 3
    told = capsys.readouterr().err
    assert f"the positive class of night would be {now}" in told
    assert "it was '1'" in told
    assert "`positive: {label: 1}`" in told
    assert "`series: NAME`" in told
    assert len(read_history(tmp_path / "runs").runs) == 1
    assert night(tmp_path, rows, *options, "--set", "series=other") == 0


def test_results_of_python_are_held_against_the_series_too(tmp_path: Path) -> None:
    scores = [0.1, 0.9, 0.4]
    evalreport.evaluate([0, 1, 0], scores, metrics=["recall"]).save(tmp_path, ["json"])
    other = evalreport.evaluate([0, 1, 0], scores, metrics=["recall"], positive=0)
    with pytest.raises(DataError, match="positive class of data would be '0'"):
        other.save(tmp_path, ["json"])
    # another question, of other classes, is not the same thing turned round
    words = evalreport.evaluate(["no", "yes", "no"], scores, metrics=["recall"])
    assert words.save(tmp_path, ["json"]).is_dir()
