"""Probabilities of all classes in one column, and a label that stands beside a score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from evalreport.errors import DataError
from tests.trap_runs import one, results_of

RANDOM = np.random.default_rng(3)
P = RANDOM.dirichlet([1, 1, 1], 60).round(6)
P[:, 2] = 1 - P[:, 0] - P[:, 1]
LABELS = ["cat", "dog", "eel"]
TRUTH = [LABELS[i] for i in RANDOM.integers(0, 3, 60)]
METRICS = ["accuracy", "log_loss", "brier", "roc_auc"]
COLUMNS = {"y": TRUTH, **{label: P[:, k].tolist() for k, label in enumerate(LABELS)}}


@pytest.fixture(scope="module")
def by_columns() -> Any:
    made = results_of(COLUMNS, {"scores": {label: label for label in LABELS}}, METRICS)
    codes = [LABELS.index(label) for label in TRUTH]
    assert one(made, "log_loss")["value"] == pytest.approx(log_loss(codes, P), abs=1e-9)
    return made


def _values(made: Any) -> list[Any]:
    kept = ("metric", "label", "average", "value", "interval", "numerator", "denominator")
    return [{key: m.get(key) for key in kept} for m in made["measures"]]


FORMS = {
    "json": [json.dumps(row.tolist()) for row in P],
    "numpy": [str(row.tolist()).replace(",", " ") for row in P],
    "bare": [";".join(map(repr, row.tolist())) for row in P],
    "lists": [row.tolist() for row in P],
    "arrays": list(P),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_list_of_probabilities_is_one_column_per_class(form: str, by_columns: Any):
    made = results_of({"y": TRUTH, "p": FORMS[form]}, {"scores": "p"}, METRICS)
    assert _values(made) == _values(by_columns)


@pytest.mark.parametrize("kind", ["DOUBLE[]", "DOUBLE[3]", "jsonl", "csv"])
def test_lists_in_files(kind: str, by_columns: Any, tmp_path: Path):
    lines = [json.dumps({"y": y, "p": p.tolist()}) for y, p in zip(TRUTH, P, strict=True)]
    path = tmp_path / f"d.{kind if kind in ('jsonl', 'csv') else 'parquet'}"
    if kind == "csv":
        told = [f'{y},"{json.dumps(p.tolist())}"' for y, p in zip(TRUTH, P, strict=True)]
        path.write_text("\n".join(["y,p", *told]) + "\n")
    else:
        (tmp_path / "d.jsonl").write_text("\n".join(lines) + "\n")
    if path.suffix == ".parquet":
        duckdb.sql(
            f"COPY (SELECT y, p::{kind} AS p FROM read_json('{tmp_path}/d.jsonl', "
            f"columns={{y: 'VARCHAR', p: 'DOUBLE[]'}})) TO '{path}' (FORMAT parquet)"
        )
    made = results_of(None, {"scores": "p"}, METRICS, dataset={"path": str(path)})
    assert _values(made) == _values(by_columns)


def test_numbers_follow_the_declared_order_of_the_labels(by_columns: Any):
    order = ["eel", "cat", "dog"]
    given = P[:, [LABELS.index(label) for label in order]].tolist()
    made = results_of({"y": TRUTH, "p": given}, {"scores": "p"}, METRICS, dataset={"labels": order})
    for name in ("log_loss", "brier"):
        assert one(made, name)["value"] == pytest.approx(one(by_columns, name)["value"])


def test_two_classes_in_one_column():
    truth = ["no" if t == "cat" else "yes" for t in TRUTH]
    pairs = [[a, 1 - a] for a in P[:, 0].tolist()]
    made = results_of({"y": truth, "p": pairs}, {"scores": "p"}, ["roc_auc", "accuracy"])
    area = roc_auc_score([t == "yes" for t in truth], 1 - P[:, 0])
    assert one(made, "roc_auc")["value"] == pytest.approx(area, abs=1e-12)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("[0.5, 0.5]", r"p does not have 3 numbers, one for each class \('cat', 'dog', 'eel'\)"),
        ("[a, b, c]", "p is no list of numbers"),
        ("[0.5, 0.4, 0.2]", "do not add up to 1"),
        ("", "is missing in row 5"),
    ],
)
def test_a_wrong_list_is_told_with_its_row(cell: str, message: str):
    given = [*FORMS["json"][:4], cell, *FORMS["json"][5:]]
    with pytest.raises(DataError, match=message) as told:
        results_of({"y": TRUTH, "p": given}, {"scores": "p"}, METRICS)
    assert "row 5" in str(told.value)


def test_a_list_without_a_number_is_a_missing_score():
    given = [*FORMS["lists"][:4], [0.2, None, 0.8], *FORMS["lists"][5:]]
    made = results_of(
        {"y": TRUTH, "p": given}, {"scores": "p"}, METRICS, dataset={"missing": "exclude"}
    )
    assert made["rows"][0]["excluded"] == [{"reason": "p[dog] is missing", "count": 1}]


SCORES = (RANDOM.random(200).round(3) * 0.98).tolist()
WHICH = ["p" if RANDOM.random() < s else "n" for s in SCORES]


def _both(labels: list[Any], **more: Any) -> Any:
    return results_of(
        {"y": WHICH, "s": SCORES, "said": labels},
        {"score": "s", "prediction": "said"},
        ["accuracy", "roc_auc"],
        **more,
    )


def _told(made: Any) -> tuple[str, str]:
    return next(
        (c["code"], c["message"]) for c in made["cautions"] if "labels in said" in c["message"]
    )


def test_labels_of_the_threshold_agree_and_the_score_is_used():
    made = _both(["p" if s >= 0.5 else "n" for s in SCORES])
    assert _told(made) == (
        "data_finding",
        (
            "m: the labels in said agree with those of score ≥ 0.50 in all 200 rows. The score is "
            "used."
        ),
    )
    assert one(made, "roc_auc")["state"] == "value"


def test_labels_of_another_threshold_are_a_caution_that_finds_it():
    made = _both(["p" if s >= 0.3 else "n" for s in SCORES])
    differ = sum(0.3 <= s < 0.5 for s in SCORES)
    code, message = _told(made)
    assert code == "labels_differ"
    assert f"differ from those of score ≥ 0.50 in {differ} of 200 rows" in message
    above, below = min(s for s in SCORES if s >= 0.3), max(s for s in SCORES if s < 0.3)
    assert f"a threshold above {below:g} and up to {above:g}" in message
    # The table is that of the score.
    right = sum((s >= 0.5) == (y == "p") for s, y in zip(SCORES, WHICH, strict=True))
    assert one(made, "accuracy")["numerator"] == right
    # One of the thresholds that the spec reads is enough.
    both = _both(["p" if s >= 0.3 else "n" for s in SCORES], thresholds=[0.5, 0.3])
    assert _told(both)[0] == "data_finding"


def test_labels_beside_a_margin_are_held_against_its_sign():
    made = results_of(
        {
            "y": WHICH,
            "s": [s - 0.4 for s in SCORES],
            "said": ["p" if s >= 0.4 else "n" for s in SCORES],
        },
        {"margin": "s", "prediction": "said"},
        ["accuracy", "roc_auc"],
    )
    assert _told(made)[0] == "data_finding"
    assert "in all 200 rows" in _told(made)[1]


def test_labels_that_are_none_or_missing_are_counted():
    labels: list[Any] = ["p" if s >= 0.5 else "n" for s in SCORES]
    labels[3], labels[5], labels[6] = None, "maybe", "maybe"
    code, message = _told(_both(labels))
    assert code == "labels_differ"
    assert "in all 197 rows" in message
    assert "1 rows have no label in said" in message
    assert "2 labels in said name no class ('maybe')" in message


def test_no_such_column_of_labels():
    with pytest.raises(DataError, match=r"no column 'sayd' .*did you mean 'said'"):
        results_of(
            {"y": WHICH, "s": SCORES, "said": WHICH},
            {"score": "s", "prediction": "sayd"},
            ["accuracy"],
        )


@pytest.mark.parametrize("times", [None, np.arange(60) % 3 + 1])
def test_labels_beside_scores_by_class_are_counted_as_those_beside_one(times: Any):
    """Labels that are missing or no class are neither the class of the largest score nor another.

    Kinds of rows count by their number.
    """
    said: list[Any] = [LABELS[k] for k in P.argmax(axis=1)]
    said[3], said[5], said[6], said[10] = None, "maybe", "maybe", LABELS[P[10].argmin()]
    n = np.ones(60, int) if times is None else times
    columns = {**COLUMNS, "said": said, "n": n.tolist()}
    model = {"scores": {label: label for label in LABELS}, "prediction": "said"}
    made = results_of(columns, model, ["accuracy"], dataset={} if times is None else {"count": "n"})
    known = n.sum() - n[[3, 5, 6]].sum()
    code, message = _told(made)
    assert code == "labels_differ"
    assert message == (
        f"m: the labels in said differ from those of the largest score in {n[10]} of {known} rows; "
        f"{n[3]} rows have no label in said; {n[5] + n[6]} labels in said name no class ('maybe'). "
        "The scores are used."
    )
    said[5], said[6], said[10] = None, None, LABELS[P[10].argmax()]
    made = results_of(
        {**columns, "said": said},
        model,
        ["accuracy"],
        dataset={} if times is None else {"count": "n"},
    )
    assert _told(made)[0] == "data_finding"
    assert f"in all {known} rows; {n[[3, 5, 6]].sum()} rows have no label" in _told(made)[1]


def test_decisions_of_kinds_of_rows_are_counted_by_their_number():
    made = results_of(
        {"y": ["p", "n", "p"], "s": [0.9, 0.3, 0.2], "said": ["p", "n", "p"], "n": [5, 7, 3]},
        {"score": "s", "prediction": "said", "decides": "prediction"},
        ["accuracy"],
        dataset={"count": "n"},
    )
    (message,) = [c["message"] for c in made["cautions"] if c["code"] == "labels_differ"]
    assert "differ from those of score ≥ 0.50 in 3 of 15 rows" in message
