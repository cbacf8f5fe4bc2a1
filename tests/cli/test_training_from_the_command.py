"""Training from the command: plans without fits, progress, kept predictions, re-runs."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier

from evalreport.cli import status_of
from evalreport.engine.predicting import Fitting
from evalreport.engine.read_and_plan import prepare
from evalreport.engine.run import evaluate
from evalreport.predict import cross_validation, learning_curve
from evalreport.predict.cache import load, store
from evalreport.predict.outcome import FoldedPredictions
from evalreport.results.codec import encode
from evalreport.runs.hashing import canonical_json
from evalreport.spec.load import load_spec

pytestmark = pytest.mark.long_but_first


AT = "2026-11-21T12:00:00Z"
SPEC = """evalreport: 1
title: Two species
datasets: {d: {path: d.csv, target: y}}
models:
  logistic: {estimator: sklearn.linear_model.LogisticRegression, features: [width, length]}
  ridge: {estimator: sklearn.linear_model.RidgeClassifier, features: [width, length]}
  perceptron:
    estimator: sklearn.linear_model.Perceptron
    features: [width, length]
    tune: {grid: {alpha: [0.0001, 0.01]}, metric: accuracy, folds: 2}
metrics: [accuracy, roc_auc, log_loss]
cross_validation: {scheme: stratified_k_fold, folds: 4, repeats: 2, seed: 3}
learning_curve: {sizes: [0.5, 1.0], repeats: 2, metrics: [accuracy]}
report: {formats: [csv]}
"""


def rows_of(classes: int) -> str:
    source = load_iris()
    lines = [
        f"{source.target_names[t]},{w},{n}"
        for t, (n, w) in zip(source.target, source.data[:, 2:] + [[0, 0.001]], strict=True)
        if t >= 3 - classes
    ]
    return "\n".join(["y,width,length", *lines]) + "\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "d.csv").write_text(rows_of(2))
    (tmp_path / "s.yaml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def latest() -> Any:
    return json.loads(Path("runs/latest/results.json").read_text())


def run(*more: str) -> int:
    return status_of(["run", "s.yaml", "--at", AT, *more])


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the folds that are fitted from now on."""
    found: list[str] = []
    for module in (cross_validation, learning_curve):
        real: Callable[..., Any] = module.fit_fold

        def counted(estimator: Any, data: Any, split: Any, *rest: Any, _real: Any = real) -> Any:
            found.append(split.name)
            return _real(estimator, data, split, *rest)

        monkeypatch.setattr(module, "fit_fold", counted)
    return found


@pytest.mark.long
@pytest.mark.parametrize("classes", [2, 3])
def test_plan_trains_nothing_and_is_the_plan_of_the_run(classes, monkeypatch, capsys):
    Path("d.csv").write_text(rows_of(classes))
    assert run() == 0
    ran = latest()["provenance"]["plan_sha256"]
    capsys.readouterr()

    def fit(*_: Any, **__: Any) -> None:
        raise AssertionError("a plan trains nothing")

    for kind in (LogisticRegression, RidgeClassifier, Perceptron):
        monkeypatch.setattr(kind, "fit", fit)
    assert status_of(["plan", "s.yaml", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["sha256"] == ran
    assert planned["fits"] == [
        "logistic on d: 8 fits, 8 folds",
        "learning curve of logistic on d: 4 fits",
        "ridge on d: 8 fits, 8 folds",
        "learning curve of ridge on d: 4 fits",
        "perceptron on d: 40 fits, 8 folds with 5 fits each, for tuning",
        "learning curve of perceptron on d: 20 fits",
    ]
    assert status_of(["plan", "s.yaml"]) == 0
    assert "  logistic on d: 8 fits, 8 folds\n" in capsys.readouterr().out


def test_plan_names_what_is_known_to_fail(capsys):
    Path("d.csv").write_text(rows_of(2) + "virginica,,1\n")
    assert status_of(["plan", "s.yaml", "--set", "models.logistic.steps=[scale]"]) == 0
    text = capsys.readouterr().out
    assert "Known to fail:\n  logistic: feature 'width' is missing in 1 of 101 rows" in text


@pytest.mark.long
def test_each_step_is_one_plain_line_where_no_terminal_listens(capsys):
    assert run() == 0
    said = capsys.readouterr().err.splitlines()
    for model in ("logistic", "ridge", "perceptron"):
        assert f"training {model} on d, folds (8)" in said
        assert f"learning curve of {model} on d, fits (4)" in said
    assert run() == 0
    again = capsys.readouterr().err.splitlines()
    assert "out-of-fold predictions of ridge on d are kept ones" in again
    assert not [line for line in again if line.startswith(("training", "learning curve"))]


@pytest.mark.long
def test_a_terminal_sees_folds_go_by(folder):
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "evalreport", "run", "s.yaml", "--at", AT]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    done = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=follower, env=environment, cwd=folder
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert done.wait() == 0
    text = shown.decode("utf-8", "replace")
    assert "training logistic on d, folds" in text
    assert "/8" in text
    assert "\x1b[" in text, "a bar is redrawn in place"


@pytest.mark.long
def test_edit_of_the_report_trains_nothing(fits):
    assert run() == 0
    assert len(fits) == 3 * (8 + 4)
    fits.clear()
    first = latest()
    assert (
        run(
            "--set",
            "title=Another",
            "--set",
            "report.formats=[markdown]",
            "--set",
            "confidence.level=0.9",
            "--set",
            "metrics=[accuracy, recall]",
        )
        == 0
    )
    assert fits == []
    kept = latest()
    assert kept["title"] == "Another"
    assert [t["counts"] for t in kept["tables"][:2]] == [t["counts"] for t in first["tables"][:2]]
    assert kept["learning_curves"] == first["learning_curves"]


@pytest.mark.long
def test_fresh_ignores_what_is_kept(fits):
    assert run() == 0
    first = Path("runs/latest/results.json").read_bytes()
    fits.clear()
    assert run("--fresh") == 0
    assert len(fits) == 3 * (8 + 4)
    assert Path("runs/latest/results.json").read_bytes() == first


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "trained"),
    [
        ("models.logistic.params={C: 0.5}", 8 + 4),
        ("models.ridge.features=[width]", 8 + 4),
        ("cross_validation.seed=4", 3 * (8 + 4)),
        ("learning_curve.seed=4", 3 * 4),
    ],
)
def test_what_changes_a_fit_is_fitted_again(fits, change, trained):
    assert run() == 0
    fits.clear()
    assert run("--set", change) == 0
    assert len(fits) == trained


@pytest.mark.long
def test_changed_data_are_fitted_again(fits):
    assert run() == 0
    fits.clear()
    Path("d.csv").write_text(rows_of(2).replace(",1.501,4.5", ",1.601,4.5", 1))
    assert run() == 0
    assert len(fits) == 3 * (8 + 4)


@pytest.mark.long
def test_rerun_trains_again_and_finds_altered_kept_predictions(capsys):
    assert run() == 0
    assert status_of(["verify", "runs/latest", "--rerun"]) == 0
    assert "training ridge on d, folds (8)" in capsys.readouterr().err
    (entry,) = [
        path
        for path in Path("runs/.cache").glob("*.oof")
        if (kept := load(path.parent, path.stem)) is not None and kept.model == "logistic"
    ]
    kept = load(entry.parent, entry.stem)
    assert kept is not None
    assert store(entry.parent, entry.stem, turned(kept))
    assert run() == 0
    assert status_of(["verify", "runs/latest", "--rerun"]) == 5
    assert "results.json comes out differently" in capsys.readouterr().err


def turned(kept: FoldedPredictions) -> FoldedPredictions:
    """The same predictions with the first score turned around."""
    assert kept.output is not None
    score = kept.output.score
    assert score is not None
    score[0] = 1 - score[0]
    return kept


@pytest.mark.long
def test_results_are_the_same_bytes_for_any_number_of_workers(monkeypatch):
    monkeypatch.setattr(cross_validation, "WORTH_PROCESSES", 0.0)
    loaded = load_spec(Path("s.yaml"))
    made = [
        canonical_json(encode(evaluate(prepare(loaded, fitting=Fitting(workers=workers)), AT)))
        for workers in (1, 2, 3)
    ]
    assert made[0] == made[1] == made[2]
    assert np.isfinite(json.loads(made[0])["measures"][0]["value"])
