"""Small examples from teaching texts, each checked by hand; run as a user would run them."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport
from evalreport.metrics.catalogue import find
from evalreport.metrics.formula import Undefined, Value
from evalreport.metrics.tables import Counts

# tp, fn, fp, tn and what follows; None: undefined
TABLES: list[tuple[str, tuple[int, int, int, int | None], dict[str, float | None]]] = [
    ("imbalanced", (87, 1, 10, 2), {"accuracy": 0.89, "error_rate": 0.11}),
    (
        "all positive",
        (9, 0, 1, 0),
        {"accuracy": 0.9, "recall": 1.0, "specificity": 0.0, "npv": None},
    ),
    ("good", (87, 1, 1, 11), {"accuracy": 0.98}),
    ("weaker", (79, 9, 9, 3), {"accuracy": 0.82}),
    (
        "classifier 1",
        (87, 1, 2, 10),
        {
            "precision": 0.9775280898876404,
            "recall": 0.9886363636363636,
            "specificity": 0.8333333333333334,
            "accuracy": 0.97,
            "f1": 0.9830508474576272,
        },
    ),
    (
        "classifier 2",
        (70, 18, 1, 12),
        {
            "precision": 0.9859154929577465,
            "recall": 0.7954545454545454,
            "specificity": 0.9230769230769231,
            "accuracy": 0.8118811881188119,
            "f1": 0.8805031446540881,
        },
    ),
    ("minority", (10, 0, 90, 0), {"precision": 0.1, "recall": 1.0, "f1": 0.18181818181818182}),
    (
        "same precision and recall, 1",
        (200, 300, 100, 400),
        {"precision": 200 / 300, "recall": 0.4, "specificity": 0.8, "accuracy": 0.6},
    ),
    (
        "same precision and recall, 2",
        (200, 300, 100, 0),
        {"precision": 200 / 300, "recall": 0.4, "specificity": 0.0, "accuracy": 1 / 3},
    ),
    ("same accuracy", (400, 100, 300, 200), {"accuracy": 0.6, "recall": 0.8, "specificity": 0.4}),
    (
        "skewed",
        (0, 10, 0, 9990),
        {"accuracy": 0.999, "recall": 0.0, "precision": None, "balanced_accuracy": 0.5},
    ),
    ("majority", (95, 0, 5, 0), {"accuracy": 0.95, "balanced_accuracy": 0.5}),
    ("two rates", (95, 7, 4, 94), {"recall": 95 / 102, "specificity": 94 / 98}),
    ("misclassification", (100, 5, 10, 50), {"error_rate": 15 / 165}),
    (
        "search",
        (40, 15, 10, 25),
        {
            "precision": 0.8,
            "recall": 40 / 55,
            "accuracy": 65 / 90,
            "error_rate": 25 / 90,
            "specificity": 25 / 35,
            "f1": 80 / 105,
        },
    ),
    ("balls", (2, 2, 5, 1), {"precision": 2 / 7, "recall": 0.5}),
]


@pytest.mark.parametrize(("name", "cells", "expected"), TABLES, ids=[t[0] for t in TABLES])
def test_table_by_its_cells(
    name: str, cells: tuple[int, int, int, int], expected: dict[str, float | None]
) -> None:
    """Each figure follows from the four cells."""
    tp, fn, fp, tn = cells
    for metric, value in expected.items():
        declared = find(metric)
        assert declared is not None
        outcome = declared(Counts(tp=tp, fp=fp, fn=fn, tn=tn)).outcome()
        if value is None:
            assert isinstance(outcome, Undefined), metric
        else:
            assert outcome == Value(pytest.approx(value, abs=1e-12)), metric


@pytest.mark.parametrize(("name", "cells", "expected"), TABLES, ids=[t[0] for t in TABLES])
def test_table_through_a_run(
    name: str, cells: tuple[int, int, int, int], expected: dict[str, float | None]
) -> None:
    """The same figures from a spec and rows that make up the table."""
    tp, fn, fp, tn = cells
    truth = ["yes"] * (tp + fn) + ["no"] * (fp + tn)
    said = ["yes"] * tp + ["no"] * fn + ["yes"] * fp + ["no"] * tn
    measures = _run({"y": truth, "p": said}, {"prediction": "p"}, list(expected))
    for metric, value in expected.items():
        record = _one(measures, metric)
        if value is None:
            assert (record["state"], record["value"]) == ("undefined", None)
            assert record["reason"]
        else:
            assert record["value"] == pytest.approx(value, abs=1e-12)


def test_a_cell_that_is_not_known_makes_undefined_what_needs_it() -> None:
    """Without true negatives there is precision and recall, and no accuracy."""
    table = Counts(tp=5, fn=7, fp=3, tn=None)
    assert find("precision")(table).outcome() == Value(0.625)  # type: ignore[misc]
    assert find("recall")(table).outcome() == Value(pytest.approx(5 / 12))  # type: ignore[misc]
    missing = find("accuracy")(table).outcome()  # type: ignore[misc]
    assert missing == Undefined("TN is not known")


def _run(
    columns: dict[str, list[Any]], model: dict[str, Any], metrics: list[Any], **more: Any
) -> list[dict[str, Any]]:
    spec = {
        "evalreport": 1,
        "title": "example",
        "datasets": {"d": {"path": "d.csv", "target": "y", **more.pop("dataset", {})}},
        "models": {"m": model},
        "metrics": metrics,
        **more,
    }
    result = evalreport.run(spec, frames={"d": columns})
    measures: list[dict[str, Any]] = result.json["measures"]
    return measures


def _one(measures: list[dict[str, Any]], metric: str, **where: Any) -> dict[str, Any]:
    found = [
        m
        for m in measures
        if m["metric"] == metric and all(m[key] == value for key, value in where.items())
    ]
    assert len(found) == 1, found
    return found[0]


def test_accuracy_of_two_text_classes() -> None:
    """3 of 4 right; the largest label, dog, is positive."""
    measures = _run(
        {"y": ["cat", "dog", "cat", "cat"], "p": ["cat", "dog", "cat", "dog"]},
        {"prediction": "p"},
        ["accuracy"],
    )
    assert _one(measures, "accuracy")["value"] == 0.75
    assert _one(measures, "accuracy")["label"] == "dog"


def test_accuracy_of_three_classes_by_every_average() -> None:
    """One against the rest per class, their mean, and the share of rows that are right."""
    measures = _run(
        {"y": ["cat", "dog", "foosa", "cat"], "p": ["cat", "dog", "cat", "dog"]},
        {"prediction": "p"},
        ["accuracy"],
        averaging=["none", "macro", "micro"],
    )
    assert _one(measures, "accuracy", average="micro")["value"] == 0.5
    assert _one(measures, "accuracy", average="macro")["value"] == pytest.approx(2 / 3)
    labels = ("cat", "dog", "foosa")
    each = {label: _one(measures, "accuracy", label=label)["value"] for label in labels}
    assert each == {"cat": 0.5, "dog": 0.75, "foosa": 0.75}


def test_precision_of_three_classes() -> None:
    """Micro precision of single labels is the share of rows that are right."""
    measures = _run(
        {
            "y": ["cat", "dog", "cat", "cat", "cat", "dog", "cat", "foosa"],
            "p": ["dog", "cat", "cat", "dog", "cat", "dog", "cat", "foosa"],
        },
        {"prediction": "p"},
        ["precision"],
        averaging=["none", "macro", "micro"],
    )
    macro = _one(measures, "precision", average="macro")
    assert macro["value"] == pytest.approx((3 / 4 + 1 / 3 + 1) / 3)
    assert _one(measures, "precision", average="micro")["value"] == 5 / 8
    each = {k: _one(measures, "precision", label=k)["value"] for k in ("cat", "dog", "foosa")}
    assert each == {"cat": 0.75, "dog": 1 / 3, "foosa": 1.0}


@pytest.mark.parametrize(("low", "high"), [(0, 1), ("cat", "dog")])
def test_the_largest_label_is_positive(low: Any, high: Any) -> None:
    """Numbers and texts alike: precision 1 of 4, recall 1 of 2."""
    truth = [high if t else low for t in (0, 1, 0, 0, 0, 1, 0, 0)]
    said = [high if p else low for p in (1, 0, 0, 1, 0, 1, 0, 1)]
    measures = _run(
        {"y": truth, "p": said},
        {"prediction": "p"},
        ["precision", "recall", "f1", {"fbeta": {"beta": 2}}],
    )
    assert _one(measures, "precision")["value"] == 0.25
    assert _one(measures, "precision")["label"] == str(high)
    assert _one(measures, "recall")["value"] == 0.5
    assert _one(measures, "f1")["value"] == pytest.approx(1 / 3)
    assert _one(measures, "fbeta")["value"] == pytest.approx(0.4166666666666667)
    assert _one(measures, "fbeta")["params"] == {"beta": 2.0}


def test_log_loss_and_area_of_four_rows() -> None:
    """One confident mistake (0.99 for a negative) makes most of the loss."""
    measures = _run(
        {"y": [0, 1, 1, 0], "s": [0.1, 0.35, 0.7, 0.99]}, {"score": "s"}, ["log_loss", "roc_auc"]
    )
    assert _one(measures, "log_loss")["value"] == pytest.approx(1.5292569425208318, abs=1e-12)
    assert _one(measures, "roc_auc")["value"] == 0.5


def test_area_with_text_labels() -> None:
    """3 of the 4 pairs are won."""
    measures = _run(
        {"y": ["cat", "dog", "cat", "dog"], "s": [0.1, 0.35, 0.7, 0.99]},
        {"score": "s"},
        ["roc_auc"],
    )
    assert _one(measures, "roc_auc")["value"] == 0.75


def test_table_at_one_half() -> None:
    """Six rows at score >= 0.5: two of three found, two of three right."""
    spec_run = evalreport.run(
        {
            "evalreport": 1,
            "title": "six rows",
            "datasets": {"d": {"path": "d.csv", "target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["accuracy", "precision", "recall"],
        },
        frames={"d": {"y": [0, 1, 0, 1, 0, 1], "s": [0.3, 0.4, 0.7, 0.8, 0.4, 0.7]}},
    )
    assert spec_run.json["tables"][0]["counts"] == [[2, 1], [1, 2]]
    for metric in ("accuracy", "precision", "recall"):
        assert _one(spec_run.json["measures"], metric)["value"] == pytest.approx(2 / 3)


SWEEPS = [
    (
        [0, 1, 0, 1, 0, 1],
        [0.3, 0.55, 0.75, 0.8, 0.4, 0.7],
        [(0.5, 3, 1, 2, 0), (0.6, 2, 1, 2, 1), (0.72, 1, 1, 2, 2), (0.8, 1, 0, 3, 2)],
    ),
    (
        [1, 1, 0, 1, 1, 0, 0, 1, 0, 0],
        [0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01],
        [(0.72, 2, 1, 4, 3), (0.65, 4, 1, 4, 1)],
    ),
]


@pytest.mark.parametrize(("truth", "scores", "rows"), SWEEPS)
def test_threshold_sweep(
    truth: list[int], scores: list[float], rows: list[tuple[float, int, int, int, int]]
) -> None:
    """A score equal to the threshold is predicted positive."""
    run = evalreport.run(
        {
            "evalreport": 1,
            "title": "sweep",
            "datasets": {"d": {"path": "d.csv", "target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["recall", "fpr"],
            "thresholds": [row[0] for row in rows],
        },
        frames={"d": {"y": truth, "s": scores}},
    )
    for threshold, tp, fp, tn, fn in rows:
        table = next(t for t in run.json["tables"] if t["threshold"] == threshold)
        assert table["counts"] == [[tn, fp], [fn, tp]]
        recall = _one(run.json["measures"], "recall", threshold=threshold)
        fpr = _one(run.json["measures"], "fpr", threshold=threshold)
        assert recall["value"] == pytest.approx(tp / (tp + fn))
        assert fpr["value"] == pytest.approx(fp / (fp + tn))


def test_roc_corners_of_ten_rows() -> None:
    """Area 0.8; the curve has the six corners drawn in the text."""
    truth, scores, _ = SWEEPS[1]
    run = evalreport.run(
        {
            "evalreport": 1,
            "title": "ten rows",
            "datasets": {"d": {"path": "d.csv", "target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["roc_auc"],
        },
        frames={"d": {"y": truth, "s": scores}},
    )
    assert _one(run.json["measures"], "roc_auc")["value"] == pytest.approx(0.8)
    points = next(c for c in run.json["curves"] if c["kind"] == "roc")["points"]
    drawn = list(zip(points["fpr"], points["tpr"], strict=True))
    for corner in [(0.0, 0.4), (0.2, 0.4), (0.2, 0.8), (0.6, 0.8), (0.6, 1.0), (1.0, 1.0)]:
        assert any(p == pytest.approx(corner) for p in drawn), corner
    assert points["threshold"][0] is None


def test_losses_of_one_row() -> None:
    """Score 0.9 for a negative row."""
    measures = _run(
        {"y": [0], "s": [0.9]},
        {"score": "s"},
        ["brier", "log_loss"],
        dataset={"labels": ["0", "1"]},
    )
    assert _one(measures, "brier")["value"] == pytest.approx(0.81)
    assert _one(measures, "log_loss")["value"] == pytest.approx(2.302585092994046)


@pytest.mark.parametrize("labels", [("0", "1", "2"), ("cat", "dog", "foosa")])
def test_log_loss_of_three_classes(labels: tuple[str, str, str]) -> None:
    """Columns belong to classes by name."""
    rows = [(0.1, 0.8, 0.1), (0.9, 0.1, 0.0), (0.8, 0.1, 0.1), (0.3, 0.6, 0.1)]
    truth = [labels[k] for k in (1, 0, 2, 1)]
    columns: dict[str, list[Any]] = {"y": truth}
    for k in range(3):
        columns[f"p{k}"] = [row[k] for row in rows]
    measures = _run(columns, {"scores": {labels[k]: f"p{k}" for k in range(3)}}, ["log_loss"])
    assert _one(measures, "log_loss")["value"] == pytest.approx(0.785478695933018, abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "loss"),
    [
        ((0.10, 0.30, 0.60), 0.5108256237659907),
        ((0.05, 0.05, 0.90), 0.10536051565782628),
        ((0.55, 0.44, 0.01), 4.605170185988091),
    ],
)
def test_log_loss_falls_with_confidence_in_the_right_class(
    scores: tuple[float, float, float], loss: float
) -> None:
    """One row of class 3."""
    columns: dict[str, list[Any]] = {"y": ["3"]}
    for k in range(3):
        columns[f"p{k}"] = [scores[k]]
    measures = _run(
        columns,
        {"scores": {str(k + 1): f"p{k}" for k in range(3)}},
        ["log_loss"],
    )
    assert _one(measures, "log_loss")["value"] == pytest.approx(loss, abs=1e-12)


def test_five_folds_pooled_and_mean() -> None:
    """Correct of tested 11, 17, 16, 13 and 16 of 20: 0.73 both ways, in two records."""
    truth, said, fold = [], [], []
    for number, right in enumerate((11, 17, 16, 13, 16), start=1):
        for row in range(20):
            actual = "yes" if row % 2 else "no"
            other = "no" if row % 2 else "yes"
            truth.append(actual)
            said.append(actual if row < right else other)
            fold.append(str(number))
    measures = _run(
        {"y": truth, "p": said, "fold": fold},
        {"prediction": "p"},
        ["accuracy"],
        dataset={"fold": "fold"},
    )
    assert _one(measures, "accuracy", fold=None)["value"] == pytest.approx(0.73)
    mean = _one(measures, "accuracy", fold="mean")
    assert mean["value"] == pytest.approx(0.73)
    assert mean["table"] is None
    assert len(mean["tables"]) == 5
    assert [_one(measures, "accuracy", fold=str(k))["value"] for k in range(1, 6)] == [
        pytest.approx(v / 20) for v in (11, 17, 16, 13, 16)
    ]
