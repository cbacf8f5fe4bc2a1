"""What goes wrong in training: named by model and fold, others reported, FAILED, status 1."""

from __future__ import annotations

import json
import os
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_iris

from evalreport.cli import status_of

SOURCE = load_iris()
#: Two species, 40 and 20 rows, in the order of the file; person and half of each row.
ROWS = [
    (SOURCE.target_names[SOURCE.target[i]], *SOURCE.data[i, 2:], f"p{k // 3}", "ab"[k % 2])
    for k, i in enumerate([*range(50, 90), *range(100, 120)])
]
GOOD = {"estimator": "sklearn.naive_bayes.GaussianNB", "features": ["length", "width"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(rows: list[tuple[Any, ...]], models: dict[str, Any], **more: Any) -> None:
    lines = ["y,length,width,person,half", *(",".join(map(str, row)) for row in rows)]
    Path("d.csv").write_text("\n".join(lines) + "\n")
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"path": "d.csv", "target": "y"}},
        "models": {"good": GOOD} | models,
        "metrics": ["accuracy", "roc_auc"],
        "cross_validation": {"scheme": "stratified_k_fold", "folds": 5, "seed": 1},
        "report": {"formats": ["html"]},
    } | more
    Path("s.yaml").write_text(json.dumps(spec))


def run(*more: str) -> int:
    return status_of(["run", "s.yaml", *more])


def results() -> Any:
    return json.loads(Path("runs/latest/results.json").read_text())


def page() -> str:
    text = Path("runs/latest/report.html").read_text()
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


def reasons() -> list[tuple[str, str]]:
    return [(f["model"], f["reason"]) for f in results()["failures"]]


def messages(code: str) -> list[str]:
    return [c["message"] for c in results()["cautions"] if c["code"] == code]


@pytest.mark.long
def test_estimator_that_raises_is_named_by_model_and_fold(capsys):
    rows = [(y, n - 5, w, *rest) for y, n, w, *rest in ROWS]
    bad = {"estimator": "sklearn.naive_bayes.MultinomialNB", "features": ["length"]}
    write(rows, {"bad": bad})
    assert run() == 1
    found = reasons()
    assert [model for model, _ in found] == ["bad"] * 5
    assert all(
        reason.startswith(f"fold {k}: ValueError: Negative values in data")
        for k, (_, reason) in enumerate(found, start=1)
    )
    assert {m["model"] for m in results()["measures"]} == {"good"}
    assert "FAILED" in page()
    assert "Negative values in data" in page()
    assert "FAILED measures: fold 1: ValueError: Negative values" in capsys.readouterr().err


@pytest.mark.long
def test_one_fold_that_fails_is_left_out_and_counted():
    # 44 rows are trained on for the half of 16, and 16 for that of 44: too few neighbours.
    rows = [(*row[:4], "small" if k >= 44 else "large") for k, row in enumerate(ROWS[::-1])]
    near = {
        "estimator": "sklearn.neighbors.KNeighborsClassifier",
        "params": {"n_neighbors": 20},
        "features": ["length", "width"],
    }
    write(
        rows,
        {"near": near},
        cross_validation={"scheme": "column"},
        datasets={"d": {"path": "d.csv", "target": "y", "fold": "half"}},
    )
    assert run() == 1
    ((model, reason),) = reasons()
    assert model == "near"
    assert reason.startswith("fold large: ValueError: Expected n_neighbors <= n_samples_fit")
    (ledger,) = [r for r in results()["rows"] if r["model"] == "near"]
    assert ledger["excluded"] == [{"reason": "its fold failed or never tested it", "count": 44}]
    folds = {m["fold"] for m in results()["measures"] if m["model"] == "near"}
    assert folds == {None, "small", "mean"}
    assert {m["fold"] for m in results()["measures"] if m["model"] == "good"} == {
        None,
        "small",
        "large",
        "mean",
    }


@pytest.mark.long
def test_gaps_in_features_without_an_imputer_are_told_before_fitting():
    rows = [(y, "" if k == 7 else n, *rest) for k, (y, n, *rest) in enumerate(ROWS)]
    logistic = {
        "estimator": "sklearn.linear_model.LogisticRegression",
        "features": ["length", "width"],
    }
    write(
        rows,
        {
            "scaled": logistic | {"steps": ["scale"]},
            "default": logistic,
            "good": GOOD | {"features": ["width"]},
        },
    )
    assert run() == 1
    ((model, reason),) = reasons()
    assert model == "scaled"
    assert "feature 'length' is missing in 1 of 60 rows" in reason
    assert "impute" in reason
    assert {m["model"] for m in results()["measures"]} == {"default", "good"}
    (told,) = (row["procedure"] for row in results()["rows"] if row["model"] == "default")
    assert any(re.search("impute.*: length", text) for text in told)


def test_too_few_members_of_a_class_are_told_before_fitting(monkeypatch):
    def fit(*_: Any) -> None:
        raise AssertionError("nothing is fitted")

    monkeypatch.setattr("evalreport.predict.cross_validation.fit_fold", fit)
    write(ROWS[:40] + ROWS[40:43], {}, cross_validation={"scheme": "stratified_k_fold", "folds": 5})
    assert run() == 1
    ((model, reason),) = reasons()
    assert model == "good"
    assert reason.startswith("class 'virginica' has 3 rows, stratified_k_fold needs 5; at most 3")
    assert "class 'virginica' has 3 rows" in page()


@pytest.mark.long
def test_groups_that_span_folds_are_told_with_counts():
    write(ROWS, {}, datasets={"d": {"path": "d.csv", "target": "y", "group": "person"}})
    assert run() == 0
    (told,) = [text for text in messages("leakage") if " groups " in text]
    found = re.match(r"(\d+) of 20 groups \('p0', .* more\) have rows in the training", told)
    assert found is not None
    assert int(found[1]) > 10
    assert "results are too good" in page()
    grouped = {"scheme": "group_k_fold", "folds": 5}
    write(
        ROWS,
        {},
        datasets={"d": {"path": "d.csv", "target": "y", "group": "person"}},
        cross_validation=grouped,
    )
    assert run() == 0
    assert not [text for text in messages("leakage") if " groups " in text]


def test_fold_of_one_class_is_told_and_its_auc_undefined():
    rows = [(*row[:4], "first" if k < 20 else "rest") for k, row in enumerate(ROWS)]
    write(
        rows,
        {},
        cross_validation={"scheme": "column"},
        datasets={"d": {"path": "d.csv", "target": "y", "fold": "half"}},
    )
    assert run() == 0
    (told,) = [text for text in messages("fold_lacks_class") if text.startswith("The test rows")]
    assert told.startswith("The test rows of 1 of 2 folds (first) are all of one class: metrics")
    area = {m["fold"]: m for m in results()["measures"] if m["metric"] == "roc_auc"}
    assert (area["first"]["state"], area["first"]["value"]) == ("undefined", None)
    assert area["first"]["reason"]
    assert "undefined in 1 of 2 folds" in area["mean"]["reason"]


def test_fold_trained_on_one_class_is_told():
    # All of the second class lie in one fold: the model tested there never saw it.
    rows = [(*row[:4], "later" if k >= 38 else "first") for k, row in enumerate(ROWS)]
    write(
        rows,
        {},
        cross_validation={"scheme": "column"},
        datasets={"d": {"path": "d.csv", "target": "y", "fold": "half"}},
    )
    assert run() in (0, 1)
    where = "is absent from the training rows of 1 of 2 folds (later)"
    told = messages("fold_lacks_class")
    assert any(text.startswith(f"Class 'virginica' {where}") for text in told)


@pytest.mark.long
def test_features_that_state_the_answer_reach_the_report():
    rows = [(y, n, 1.0 if y == "virginica" else 0.0, *rest) for y, n, _, *rest in ROWS]
    write(rows, {})
    assert run() == 0
    (told,) = [text for text in messages("leakage") if text.startswith("Feature")]
    assert told.startswith("Feature 'width' and the target correspond one to one in all")
    assert "it gives the answer away" in page()
    rows = [
        (y, n, k + (100 if y == "virginica" else 0), *rest)
        for k, (y, n, _, *rest) in enumerate(ROWS)
    ]
    write(rows, {})
    assert run() == 0
    (told,) = [text for text in messages("leakage") if text.startswith("Feature")]
    assert told.startswith("Feature 'width' alone has a ROC AUC of 1 (high values for 'virginica'")
    assert "it may have been recorded after the fact" in page()


def test_rows_repeated_across_folds_reach_the_report():
    write([row for row in ROWS for _ in range(2)], {})
    assert run() == 0
    (told,) = messages("leakage")
    assert re.match(r"\d+ of 120 tested rows equal a row trained on in the same fold in all", told)


@pytest.mark.parametrize(
    ("model", "status", "told"),
    [
        (
            {"estimator": "sklearn.naive_bayes.GausianNB"},
            2,
            "did you mean 'sklearn.naive_bayes.GaussianNB'?",
        ),
        ({"estimator": "os.system"}, 2, "'os.system' is not a classifier of scikit-learn"),
        ({"estimator": "sklearn.svm.SVC", "params": {"kernl": "rbf"}}, 2, "did you mean 'kernel'?"),
        (
            {"estimator": "sklearn.svm.SVC", "tune": {"grid": {"gama": [1]}, "metric": "accuracy"}},
            2,
            "did you mean 'gamma'?",
        ),
        (
            {"estimator": "sklearn.svm.SVC", "params": {"kernel": "no such"}},
            2,
            "model 'bad': sklearn.svm.SVC: The 'kernel' parameter of SVC must be",
        ),
    ],
)
def test_unknown_classes_and_parameters_are_wrong_specs(model, status, told, capsys):
    write(ROWS, {"bad": {"features": ["length"]} | model})
    assert run() == status
    said = capsys.readouterr().err
    assert told in said
    assert said.startswith("s.yaml:1:")
    assert "Traceback" not in said
    assert not Path("runs/latest").exists()
    assert status_of(["check", "s.yaml"]) == 2
    assert capsys.readouterr().err == said


# -- packages admitted by name ---------------------------------------------------------------

PACKAGE = """
from pathlib import Path
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

Path("imported").touch()

class ByWidth(ClassifierMixin, BaseEstimator):
    def __init__(self, cut=1.6):
        self.cut = cut

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] >= self.cut).astype(int)]
"""


@pytest.mark.long
def test_package_is_imported_only_where_it_is_admitted(folder, monkeypatch, capsys):
    name = "admitted_for_this_test"
    (folder / name).mkdir()
    module = folder / name / "__init__.py"
    module.write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(folder))
    write(ROWS, {"own": {"estimator": f"{name}.ByWidth", "features": ["width"]}})
    assert run() == 2
    assert f"--allow-import {name} admits the classifiers" in capsys.readouterr().err
    assert not Path("imported").exists()
    admitted = ("--allow-import", name)
    for command in ("check", "plan"):
        assert status_of([command, "s.yaml"]) == 2
        assert status_of([command, "s.yaml", *admitted]) == 0
    assert run(*admitted) == 0
    (own,) = [
        m
        for m in results()["measures"]
        if (m["model"], m["metric"], m["fold"]) == ("own", "accuracy", None)
    ]
    assert own["numerator"] == sum((w >= 1.6) == (y == "virginica") for y, _, w, *_ in ROWS)
    assert status_of(["verify", "runs/latest", "--rerun"]) == 2
    assert status_of(["verify", "runs/latest", "--rerun", *admitted]) == 0
    capsys.readouterr()
    assert run(*admitted) == 0
    assert "predictions of own on d are kept ones" in capsys.readouterr().err
    module.write_text(PACKAGE + "\n# changed\n")
    assert run(*admitted) == 0
    assert "training own on d, folds (5)" in capsys.readouterr().err


# -- processes that end ----------------------------------------------------------------------

ENDED = '''
import os
import signal
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Ended(ClassifierMixin, BaseEstimator):
    """Fits where it was made; another process that fits it is killed, as for want of memory."""

    def __init__(self, here=0):
        self.here = here

    def fit(self, X, y):
        if os.getpid() != self.here:
            os.kill(os.getpid(), signal.SIGKILL)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))
'''


@pytest.mark.long
def test_a_training_process_that_is_killed_is_no_bug(folder, monkeypatch, capsys):
    name = "ended_by_this_test"
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(ENDED)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr("evalreport.predict.cross_validation.WORTH_PROCESSES", 0.0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    model = {"estimator": f"{name}.Ended", "params": {"here": os.getpid()}, "features": ["width"]}
    write(ROWS, {"own": model})
    assert run("--allow-import", name) == 4
    said = capsys.readouterr().err
    assert "a process that fitted folds was ended from outside, or crashed" in said
    assert "Traceback" not in said
    assert not Path("runs/latest").exists()
