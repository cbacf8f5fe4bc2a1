"""Mistakes that newcomers make in a spec, and what a good answer holds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from evalreport.cli import status_of

BASE = """\
evalreport: 1
title: Pima
datasets:
  pima:
    path: d.csv
    target: y_true
positive: {label: "yes"}
models:
  lr: {score: proba_lr}
  rf: {score: proba_rf}
metrics: [recall, specificity, roc_auc]
thresholds: [0.5]
acceptance:
  - {metric: recall, at_least: 0.3}
"""
ROWS = 60


@pytest.fixture(scope="module", name="folder")
def data_folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("newcomer")
    draw = random.Random(1)
    rows = []
    for i in range(ROWS):
        ill = draw.random() < 0.4
        scores = [min(0.99, max(0.01, a + 0.3 * ill + draw.gauss(0, 0.2))) for a in (0.3, 0.4)]
        rows.append(["yes" if ill else "no", *(round(s, 3) for s in scores), 20 + i])

    def write(name: str, found) -> None:
        lines = [",".join(map(str, row)) for row in found]
        (folder / name).write_text("y_true,proba_lr,proba_rf,age\n" + "\n".join(lines) + "\n")

    write("d.csv", rows)
    write("one_class.csv", [row for row in rows if row[0] == "yes"])
    write("three_rows.csv", rows[:3])
    write("percent.csv", [[y, round(p * 100, 1), round(q * 100, 1), a] for y, p, q, a in rows])
    write("score_17.csv", [[y, 1.7 if i == 5 else p, q, a] for i, (y, p, q, a) in enumerate(rows)])
    return folder


def answer(folder: Path, monkeypatch, capsys, old: str, new: str, command: str):
    monkeypatch.chdir(folder)
    assert old in BASE
    Path("s.yaml").write_text(BASE.replace(old, new, 1))
    more = ["--formats", "json", "--set", "confidence.resamples=100"] if command == "run" else []
    status = status_of([command, "s.yaml", *more])
    return status, capsys.readouterr().err


POSITIVE, METRICS, THRESHOLDS = (
    'positive: {label: "yes"}',
    "[recall, specificity, roc_auc]",
    ("thresholds: [0.5]"),
)
#: What is replaced, by what, the status, the line, and what the answer holds.
WRONG: list[tuple[str, str, int, int | None, list[str]]] = [
    (POSITIVE, 'positive: "yes"', 2, 7, ['{label: "yes"}']),
    (POSITIVE, "positive: yes", 2, 7, ['{label: "yes"}']),
    (POSITIVE, "positive: 1", 2, 7, ['{label: "1"}']),
    (POSITIVE, "positive: larges", 2, 7, ["largest, or"]),
    (POSITIVE, "positive: [yes]", 2, 7, ["a list"]),
    (METRICS, "recall, roc_auc", 2, 11, ["[recall, roc_auc]"]),
    (METRICS, "recall", 2, 11, ["a list: ['recall']"]),
    ("title: Pima", "title: Pima: a study", 2, 2, ["quote", '"Pima: a study"']),
    ("    target: y_true", "    target: y: true", 2, 6, ['"y: true"']),
    ("title: Pima", "title: @Pima", 2, 2, ["quote it", '"@Pima"']),
    ("title: Pima", 'title: "Pima', 2, 2, ["a quote that is not closed"]),
    ("path: d.csv", r'path: "C:\data\d.csv"', 2, 5, ["single quotes or forward slashes"]),
    ("{score: proba_lr}", "{score: proba_lr", 2, 9, ["a brace that is not closed"]),
    (METRICS, "[recall, specificity", 2, 11, ["a bracket that is not closed"]),
    ("target: y_true", "target:y_true", 2, 6, ["a space after the colon", "target: y_true"]),
    (
        "  pima:\n    path: d.csv\n    target: y_true",
        "  pima:\n    path:d.csv",
        2,
        None,
        ["a space after the colon: path: d.csv"],
    ),
    ("    target: y_true", "   target: y_true", 2, 6, ["indent", "path"]),
    ("    target: y_true", "     target: y_true", 2, None, []),
    ("    target: y_true", "\ttarget: y_true", 2, 6, ["tab", "spaces"]),
    ("at_least: 0.3", "at_least: 0,3", 2, 14, ["0.3", "decimal point"]),
    (
        "  - {metric: recall, at_least: 0.3}",
        "  - metric: recall\n    at_least: 0,3",
        2,
        15,
        ["0.3", "decimal point"],
    ),
    (
        "models:\n  lr: {score: proba_lr}\n  rf: {score: proba_rf}",
        "models:\n  - {score: proba_lr}",
        2,
        9,
        ["{name: {score: column}}"],
    ),
    (
        "datasets:\n  pima:\n    path: d.csv\n    target: y_true",
        "datasets: d.csv",
        2,
        3,
        ["{name: {path: file.csv, target: column}}"],
    ),
    (THRESHOLDS, "confidence: 0.95", 2, 12, ["{level: 0.95}"]),
    (THRESHOLDS, "confidence: {level: 95}", 2, 12, ["0.95"]),
    (THRESHOLDS, "confidence: {level: 95%}", 2, 12, ["0.95"]),
    (THRESHOLDS, "prevalence: [5]", 2, 12, ["0.05"]),
    (THRESHOLDS, "thresholds: [50%]", 2, 12, ["0.5"]),
    (THRESHOLDS, 'thresholds: ["0,5"]', 2, 12, ["0.5"]),
    (THRESHOLDS, "thresholds: 0.5", 2, 12, ["[0.5]"]),
    (THRESHOLDS, "costs: {fn: 5, fp: 1}", 2, 12, ["false_negative", "false_positive"]),
    ("path: d.csv", "path: dd.csv", 4, 5, ["d.csv", "the folder searched"]),
    ("path: d.csv", "path: data/d.csv", 4, 5, ["there is no folder data", "searched"]),
    (
        "metric: recall, at_least: 0.3",
        "metric: brier, at_least: 0.3",
        2,
        14,
        ["at_most", "smaller is better"],
    ),
    (METRICS, "[recall, specificity, cost]", 2, 11, ["expected_cost"]),
    ("{score: proba_lr}", "{probability: proba_lr}", 2, 9, ["score: proba_lr"]),
    ("{score: proba_lr}", "{pickle: lr.pkl}", 2, 9, ["skops: model.skops"]),
    ("{score: proba_lr}", "{scores: [proba_lr, proba_rf]}", 2, 9, ["{class: column}"]),
    ("    target: y_true", "    label: y_true", 2, 6, ["target: y_true"]),
    ("    path: d.csv", "    file: d.csv", 2, 5, ["path: the file"]),
    ("path: d.csv", "path: ~/d.csv", 4, 5, ["home folder"]),
    ("path: d.csv", "path: d.json", 2, 5, [".jsonl"]),
    (POSITIVE, 'pos_label: "yes"', 2, 7, ['positive: {label: "yes"}']),
    ("{metric: recall, at_least: 0.3}", "{metric: recall, min: 0.3}", 2, 14, ["at_least: 0.3"]),
    (
        "{metric: recall, at_least: 0.3}",
        "recall >= 0.3",
        2,
        14,
        ["{metric: recall, at_least: 0.3}"],
    ),
    ("  - {metric: recall, at_least: 0.3}", "  recall: 0.3", 2, 14, ["[{metric: recall, at_least"]),
    (THRESHOLDS, "bootstrap: 500", 2, 12, ["confidence: {resamples: 500}"]),
    (THRESHOLDS, "seed: 3", 2, 12, ["confidence: {seed: 3}"]),
    (THRESHOLDS, "output: report.html", 2, 12, ["evalreport run SPEC -o FOLDER"]),
    (THRESHOLDS, "cross_validation: 5", 2, 12, ["{scheme: stratified_k_fold, folds: 5"]),
    (THRESHOLDS, "comparisons: [lr, rf]", 2, 12, ["{reference: the name of a model}"]),
    (THRESHOLDS, "subgroups: {age: [40, 60]}", 2, 12, ["{column: age, bins: [40, 60]}"]),
    (METRICS, "\n-recall\n-roc_auc", 2, 13, ["a space after the dash: - roc_auc"]),
    ("    target: y_true", "    target = y_true", 2, 6, ["a colon: target: y_true"]),
    ("evalreport: 1", 'evalreport: "1.0"', 2, 1, ["a whole number: 1"]),
]


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize(("old", "new", "status", "line", "says"), WRONG)
def test_a_mistake_is_told_at_its_place_with_what_would_be_right(
    folder, monkeypatch, capsys, old, new, status, line, says, command
) -> None:
    found, text = answer(folder, monkeypatch, capsys, old, new, command)
    assert found == status, text
    assert all(words in text for words in says), text
    assert "s.yaml:" + ("" if line is None else f"{line}:") in text


@pytest.mark.parametrize(
    ("new", "status", "says"),
    [
        ("report: {sections: [verdcit]}", 2, "verdict"),
        ("cautions: {off: {imbalanced: known}}", 2, "imbalance"),
    ],
)
def test_check_knows_the_names_of_sections_and_cautions(
    folder, monkeypatch, capsys, new, status, says
) -> None:
    found, text = answer(folder, monkeypatch, capsys, THRESHOLDS, new, "check")
    assert (found, says in text) == (status, True), text


def test_check_looks_for_saved_models(folder, monkeypatch, capsys) -> None:
    found, text = answer(
        folder, monkeypatch, capsys, "{score: proba_lr}", "{skops: lr.skops}", "check"
    )
    assert (found, "file not found" in text) == (4, True), text
    assert "features is missing in lr" in text
    found, text = answer(
        folder,
        monkeypatch,
        capsys,
        "{score: proba_lr}",
        "{skops: lr.skops, features: [age]}",
        "check",
    )
    assert (found, "file not found" in text) == (4, True), text


def test_names_that_other_programs_use_are_understood(folder, monkeypatch, capsys) -> None:
    status, text = answer(folder, monkeypatch, capsys, METRICS, "[success_rate, f_measure]", "run")
    assert status in (0, 1), text
    assert "unknown" not in text


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (THRESHOLDS, "thresholds: [1.5]", ["1.5 lies outside", "no row is predicted yes"]),
        (THRESHOLDS, "thresholds: [0.001]", ["0.001 lies outside", "every row is predicted yes"]),
        ("path: d.csv", "path: one_class.csv", ["All 25 rows are actually yes"]),
        ("path: d.csv", "path: three_rows.csv", ["3 rows"]),
        ("path: d.csv", "path: percent.csv", ["not between 0 and 1", "percent"]),
        ("path: d.csv", "path: score_17.csv", ["1.7", "not a probability"]),
    ],
)
def test_what_runs_and_is_hardly_meant_is_said_on_the_terminal(
    folder, monkeypatch, capsys, old, new, says
) -> None:
    status, text = answer(folder, monkeypatch, capsys, old, new, "run")
    assert status in (0, 1)
    assert all(words in text for words in says), text
