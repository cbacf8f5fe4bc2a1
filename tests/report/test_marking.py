"""Marks of cells follow from each metric's own arithmetic: NOTES of the design as a table."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from evalreport.metrics.catalogue import catalogue
from evalreport.report.formulas import formula_parts
from evalreport.report.marking import flat_marks, regions


def _value(metric, **more):
    """What marks depend on."""
    return SimpleNamespace(metric=metric, **({"params": {}, "threshold": None} | more))


@pytest.mark.parametrize(
    ("metric", "top", "framed"),
    [
        ("recall", "TP", "FN TP"),
        ("specificity", "TN", "TN FP"),
        ("precision", "TP", "FP TP"),
        ("npv", "TN", "TN FN"),
        ("accuracy", "TP TN", "TN FP FN TP"),
        ("error_rate", "FP FN", "TN FP FN TP"),
        ("f1", "TP", "FP FN TP"),
        ("balanced_accuracy", "TP TN", "TN FP FN TP"),
        ("lr_plus", "TP FP", "TN FP FN TP"),
        ("mcc", "TP TN FP FN", ""),
        ("kappa", "TP TN FP FN", "TN FP FN TP"),
        ("weighted_kappa", "TP TN FP FN", "TN FP FN TP"),
        ("no_information_rate", "", "TN FP FN TP"),
        ("roc_auc", "", ""),
        ("brier", "", ""),
    ],
)
def test_marks_of_two_classes(metric, top, framed):
    marked, sides = flat_marks(_value(metric))
    assert (marked, set(sides)) == (set(top.split()), set(framed.split()))


def test_f_beta_and_costs_mark_their_cells():
    assert flat_marks(_value("fbeta", params={"beta": 2.0}))[0] == {"TP"}
    assert flat_marks(_value("net_benefit", threshold=0.1))[0] == {"TP", "FP"}


def test_flat_marks_of_precision_frame_two_cells_apart():
    assert flat_marks(_value("precision")) == ({"TP"}, {"FP": "lr", "TP": "lr"})


OF_ONE_TABLE = [
    m.name for m in catalogue() if m.table.value == "counts" and m.name != "impact_ratio"
]


@pytest.mark.parametrize("metric", OF_ONE_TABLE)
def test_every_metric_of_counts_knows_its_region(metric):
    params = {"prevalence": 0.1} if "at_prevalence" in metric else {}
    given = {"threshold": 0.25, "costs": {"false_negative": 5, "false_positive": 1}}
    assert regions(metric, params, given), metric


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
