"""Marks of cells follow from each metric's own arithmetic: NOTES of the design as a table."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from evalreport.metrics.catalogue import catalogue
from evalreport.report.formulas import formula_parts
from evalreport.report.marking import Shape, flat_marks, regions, table_marks

TN, FP, FN, TP = (0, 0), (0, 1), (1, 0), (1, 1)
NEGATIVE, POSITIVE, LEFT, RIGHT, ALL = (0, 2), (1, 2), (2, 0), (2, 1), (2, 2)


def _value(metric, **more):
    """What marks depend on."""
    plain = {"params": {}, "average": None, "label": None, "threshold": None}
    return SimpleNamespace(metric=metric, **(plain | more))


def _marks(metric, **params):
    marks = table_marks(_value(metric, params=params), Shape(2, index=1))
    return dict(marks.top), set(marks.frames)


@pytest.mark.parametrize(
    ("metric", "top", "framed"),
    [
        ("recall", {TP: ""}, {FN, TP}),
        ("specificity", {TN: ""}, {TN, FP}),
        ("precision", {TP: ""}, {FP, TP}),
        ("npv", {TN: ""}, {TN, FN}),
        ("accuracy", {TP: "", TN: ""}, {TN, FP, FN, TP}),
        ("error_rate", {FP: "", FN: ""}, {TN, FP, FN, TP}),
        ("f1", {TP: "×2"}, {FP, FN, TP}),
        ("balanced_accuracy", {TP: "", TN: ""}, {TN, FP, FN, TP}),
        ("lr_plus", {TP: "", FP: ""}, {TN, FP, FN, TP}),
        ("mcc", {TP: "", TN: "", FP: "−", FN: "−"}, {NEGATIVE, POSITIVE, LEFT, RIGHT}),
        ("roc_auc", {}, {NEGATIVE, POSITIVE}),
        ("brier", {}, {ALL}),
        ("log_loss", {}, {ALL}),
    ],
)
def test_marks_of_two_classes(metric, top, framed):
    assert _marks(metric) == (top, framed)


def test_f_beta_weighs_its_cells():
    """5 TP / (5 TP + FP + 4 FN): a missed row counts four times below the line."""
    assert _marks("fbeta", beta=2.0) == ({TP: "×5"}, {FP, FN, TP})
    marks = table_marks(_value("fbeta", params={"beta": 2.0}), Shape(2, index=1))
    assert marks.prices == {FN: "×4"}
    assert table_marks(_value("f1"), Shape(2, index=1)).prices == {}


def test_balanced_accuracy_has_one_frame_per_class():
    frames = table_marks(_value("balanced_accuracy"), Shape(2, index=1)).frames
    assert frames == {TN: "tbl", FP: "trb", FN: "tbl", TP: "trb"}


def test_macro_recall_frames_rows_and_macro_precision_columns():
    recall = table_marks(_value("recall", average="macro"), Shape(3))
    precision = table_marks(_value("precision", average="macro"), Shape(3))
    assert set(recall.top) == set(precision.top) == {(0, 0), (1, 1), (2, 2)}
    assert recall.frames[1, 1] == "tb"
    assert precision.frames[1, 1] == "rl"


def test_one_class_of_three():
    marks = table_marks(_value("precision", label="b"), Shape(3, index=1))
    assert set(marks.top) == {(1, 1)}
    assert set(marks.frames) == {(0, 1), (1, 1), (2, 1)}


def test_flat_marks_of_precision_frame_two_cells_apart():
    assert flat_marks(_value("precision")) == ({"TP": ""}, {"FP": "lr", "TP": "lr"})


OF_ONE_TABLE = [
    m.name for m in catalogue() if m.table.value == "counts" and m.name != "impact_ratio"
]


@pytest.mark.parametrize("metric", OF_ONE_TABLE)
def test_every_metric_of_counts_knows_its_region(metric):
    params = {"prevalence": 0.1} if "at_prevalence" in metric else {}
    given = {"threshold": 0.25, "costs": {"false_negative": 5, "false_positive": 1}}
    assert regions(metric, params, False, given), metric


@pytest.mark.parametrize(
    ("threshold", "weight"), [(0.1, "−×0.111"), (0.25, "−×0.333"), (0.5, "−"), (0.9, "−×9")]
)
def test_the_weight_of_net_benefit_is_the_odds_of_its_own_threshold(threshold, weight):
    marks = table_marks(_value("net_benefit", threshold=threshold), Shape(2, index=1))
    # odds by hand: 0.1 / 0.9, 0.25 / 0.75, 0.5 / 0.5, 0.9 / 0.1
    assert marks.top == {TP: "", FP: weight}


def test_prices_stand_in_the_cells_of_an_expected_cost():
    costs = {"false_negative": 10.0, "false_positive": 1.0, "true_negative": 0.0}
    m = _value("expected_cost")
    marks = table_marks(m, Shape(2, index=1), costs)
    assert marks.prices == {TN: "×0", FP: "×1", FN: "×10", TP: "×0"}
    assert set(marks.top) == {FP, FN}
    # the positive class may stand first
    first = table_marks(m, Shape(2, index=0), costs)
    assert first.prices == {TP: "×0", FP: "×10", FN: "×1", TN: "×0"}


def test_prices_of_more_classes_stand_in_every_cell():
    prices = [[0, 1, 9], [2, 0, 3], [4, 5, 0]]
    marks = table_marks(_value("expected_cost"), Shape(3), prices)
    assert marks.prices[0, 2] == "×9"
    assert marks.prices[2, 2] == "×0"
    assert set(marks.top) == {(i, j) for i in range(3) for j in range(3) if i != j}


def test_a_formula_and_its_numbers_carry_the_same_marks():
    for left, right in (
        ("TP / (TP + FP)", "87 / (87 + 10)"),
        ("(TP / (TP + FN) + TN / (TN + FP)) / 2", "(1 / (1 + 2) + 3 / (3 + 4)) / 2"),
        ("(TP / (TP + FN)) / (FP / (FP + TN))", "(8 / (8 + 2)) / (2 / (2 + 8))"),
        ("(won + 0.5 * tied) / (P * N)", "(3 + 0.5 * 0) / (2 * 2)"),
    ):
        marks = [[p.mark for p in formula_parts(text)] for text in (left, right)]
        assert marks[0] == marks[1]
        assert marks[0].count("top") == marks[0].count("bottom") > 0


def test_the_parts_of_a_formula_are_the_formula():
    text = "(TP * TN - FP * FN) / sqrt((TP + FP) * (TP + FN))"
    assert (
        "".join(p.text for p in formula_parts(text)) == "(TP·TN − FP·FN) / √((TP + FP)·(TP + FN))"
    )
