"""Worst and best case with the rows that lack a prediction or a target: against every filling."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import jsonschema
import pytest
from plain_results import build, records_of
from sklearn.metrics import roc_auc_score

import evalreport
from evalreport.report.contents import Contents
from evalreport.report.count_tables import count_table
from evalreport.report.model import TableBlock
from evalreport.results.codec import results_schema
from evalreport.verify.recompute import recompute

METRICS = ["accuracy", "recall", "specificity", "precision", "npv", "prevalence",
           "predicted_prevalence", "detection_rate", "fpr"]  # fmt: skip


def run(rows: dict[str, list[Any]], model: dict[str, Any], **more: Any) -> dict[str, Any]:
    spec = {
        "evalreport": 1,
        "title": "missing",
        "datasets": {"d": {"target": "y", "missing": "exclude", **more.pop("dataset", {})}},
        "models": {"m": model},
        "metrics": METRICS,
        **more,
    }
    given = {name: [None if v == "" else v for v in values] for name, values in rows.items()}
    return evalreport.run(spec, frames={"d": given}).json


def of(results: dict[str, Any], metric: str, **place: Any) -> dict[str, Any]:
    wanted = {"subgroup": {}, "fold": None, **place}
    return next(
        m for m in results["measures"]
        if m["metric"] == metric and all(m.get(k) == v for k, v in wanted.items())
    )  # fmt: skip


TWO = {
    "y": ["yes", "yes", "yes", "no", "no", "yes", "no", "yes", "", "", ""],
    "p": ["yes", "yes", "no", "no", "yes", "", "", "", "yes", "no", ""],
    "g": ["a", "b", "a", "b", "a", "a", "a", "b", "b", "b", "a"],
}


def fillings(rows: dict[str, list[Any]], classes: list[str]) -> Any:
    """Every way of filling in what is missing."""
    gaps = [(c, k) for c in ("y", "p") for k, v in enumerate(rows[c]) if v == ""]
    for values in itertools.product(classes, repeat=len(gaps)):
        filled = copy.deepcopy(rows)
        for (column, k), value in zip(gaps, values, strict=True):
            filled[column][k] = value
        yield list(zip(filled["y"], filled["p"], strict=True))


def shares(pairs: list[tuple[str, str]]) -> dict[str, float | None]:
    cell = {(a, b): pairs.count((a, b)) for a in ("yes", "no") for b in ("yes", "no")}
    tp, fn, fp, tn = (cell[k] for k in (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")))
    n = tp + fn + fp + tn
    parts = {
        "accuracy": (tp + tn, n), "recall": (tp, tp + fn), "specificity": (tn, tn + fp),
        "precision": (tp, tp + fp), "npv": (tn, tn + fn), "prevalence": (tp + fn, n),
        "predicted_prevalence": (tp + fp, n), "detection_rate": (tp, n), "fpr": (fp, fp + tn),
    }  # fmt: skip
    return {name: x / d if d else None for name, (x, d) in parts.items()}


def test_the_bounds_are_the_extremes_of_every_filling() -> None:
    results = run(TWO, {"prediction": "p"})
    every = [shares(pairs) for pairs in fillings(TWO, ["yes", "no"])]
    for metric in METRICS:
        bounds = of(results, metric)["missing_bounds"]
        values = [v for one in every if (v := one[metric]) is not None]
        assert bounds["low"]["value"] == pytest.approx(min(values)), metric
        assert bounds["high"]["value"] == pytest.approx(max(values)), metric
    table = next(t for t in results["tables"] if not t["subgroup"])
    assert table["missing"] == {
        "without_prediction": [1, 2], "without_target": [1, 1], "without_both": 1,
    }  # fmt: skip
    jsonschema.validate(results, results_schema())
    assert recompute(results).problems == ()


def test_recall_with_missing_predictions_by_hand() -> None:
    recall = of(run(TWO, {"prediction": "p"}), "recall")
    # 2 of 3; worst: 2 positives missed, one predicted "no" and the row without both as well
    assert recall["missing_bounds"]["low"] == {"value": 2 / 7, "numerator": 2, "denominator": 7}
    assert recall["missing_bounds"]["high"] == {"value": 6 / 7, "numerator": 6, "denominator": 7}


def test_scores_are_held_against_the_threshold_and_groups_have_their_own_rows() -> None:
    rows = {
        "y": ["yes", "yes", "no", "no", "yes", "", "no", ""],
        "s": [0.9, 0.2, 0.3, 0.8, None, 0.7, None, 0.1],
        "g": ["a", "a", "a", "b", "b", "b", "a", "c"],
    }
    results = run(rows, {"score": "s"}, subgroups=["g"])
    recall = of(results, "recall")["missing_bounds"]
    # 1 of 2; the positive without a score; 0.7 may be of a positive that is found, 0.1 missed
    assert (recall["low"]["numerator"], recall["low"]["denominator"]) == (1, 4)
    assert (recall["high"]["numerator"], recall["high"]["denominator"]) == (3, 4)
    in_a = of(results, "specificity", subgroup={"g": "a"})
    # 1 of 1, and one negative without a score
    assert in_a["missing_bounds"]["low"] == {"value": 0.5, "numerator": 1, "denominator": 2}
    assert in_a["missing_bounds"]["high"]["value"] == 1.0
    tables = {t["subgroup"].get("g"): t.get("missing") for t in results["tables"]}
    assert tables["b"] == {
        "without_prediction": [0, 1], "without_target": [0, 1], "without_both": 0,
    }  # fmt: skip
    assert recompute(results).problems == ()


def test_more_classes_and_one_against_the_rest() -> None:
    rows = {"y": ["a", "b", "c", "a", "b", "", "c"], "p": ["a", "b", "a", "c", "", "a", ""]}
    results = run(rows, {"prediction": "p"}, metrics=["accuracy", "recall", "f1"],
                  averaging=["none", "macro", "micro"])  # fmt: skip
    every = list(fillings(rows, ["a", "b", "c"]))
    right = [sum(a == b for a, b in pairs) / 7 for pairs in every]
    accuracy = of(results, "accuracy", average="micro")["missing_bounds"]
    assert (accuracy["low"]["value"], accuracy["high"]["value"]) == (min(right), max(right))
    of_c = [
        sum((a, b) == ("c", "c") for a, b in pairs) / sum(a == "c" for a, _ in pairs)
        for pairs in every
    ]
    recall = of(results, "recall", label="c")["missing_bounds"]
    assert (recall["low"]["value"], recall["high"]["value"]) == (min(of_c), max(of_c))
    assert "missing_bounds" not in of(results, "recall", average="macro")
    f1 = [
        2 * sum((a, b) == ("c", "c") for a, b in pairs)
        / sum((a == "c") + (b == "c") for a, b in pairs)
        for pairs in every
    ]  # fmt: skip
    bounds = of(results, "f1", label="c")["missing_bounds"]
    assert (bounds["low"]["value"], bounds["high"]["value"]) == (min(f1), max(f1))
    assert recompute(results).problems == ()


@pytest.mark.parametrize("mode", ["for", "against"])
def test_with_indeterminate_predictions(mode: str) -> None:
    rows = {
        "y": ["yes", "yes", "no", "no", "", "", "yes"],
        "p": ["yes", "?", "no", "?", "?", "yes", ""],
    }
    results = run(rows, {"prediction": "p"}, dataset={"indeterminate": ["?"]})
    every = []
    for pairs in fillings(rows, ["yes", "no"]):
        other = {"yes": "no", "no": "yes"}
        every.append(
            shares([(a, (a if mode == "for" else other[a]) if b == "?" else b) for a, b in pairs])
        )
    for metric in METRICS:
        bounds = of(results, metric, indeterminate=mode)["missing_bounds"]
        values = [v for one in every if (v := one[metric]) is not None]
        assert bounds["low"]["value"] == pytest.approx(min(values)), metric
        assert bounds["high"]["value"] == pytest.approx(max(values)), metric
    assert recompute(results).problems == ()


def test_weights_are_summed_and_rows_without_one_left_out() -> None:
    rows = {
        "y": ["yes", "yes", "no", "yes", "", "yes"],
        "p": ["yes", "no", "no", "", "no", ""],
        "w": [1.5, 0.5, 2.0, 3.0, 0.25, None],
    }
    results = run(rows, {"prediction": "p"}, dataset={"weight": "w"})
    recall = of(results, "recall")["missing_bounds"]
    assert recall["low"]["numerator"] == 1.5
    assert recall["low"]["denominator"] == 1.5 + 0.5 + 3.0 + 0.25
    assert recompute(results).problems == ()


def test_complete_rows_have_no_bounds() -> None:
    complete = {name: values[:5] for name, values in TWO.items()}
    results = run(complete, {"prediction": "p"})
    assert all("missing_bounds" not in m for m in results["measures"])
    assert all("missing" not in t for t in results["tables"])


@pytest.mark.parametrize("side", ["low", "high"])
@pytest.mark.parametrize("part", ["value", "numerator", "denominator"])
def test_a_changed_bound_is_found(side: str, part: str) -> None:
    results = copy.deepcopy(run(TWO, {"prediction": "p"}))
    assert recompute(results).problems == ()
    recall = of(results, "recall")
    recall["missing_bounds"][side][part] += 0.25
    assert any(recall["id"] in str(p) for p in recompute(results).problems)


def test_the_report_shows_the_rows_beside_the_table_and_the_extremes_with_their_counts() -> None:
    results = run(TWO, {"prediction": "p"})
    records = records_of(results)
    table = count_table(Contents(records), records.tables[0])
    assert [c.label for c in table.columns] == ["no", "yes", "total", "no prediction"]
    assert [(r.label, [c.text for c in r.cells]) for r in table.rows] == [
        ("no", ["1", "1", "2", "1"]),
        ("yes", ["1", "2", "3", "2"]),
        ("total", ["2", "3", "5", "3"]),
        ("unknown", ["1", "1", "2", "1"]),
    ]
    # apart from the counts of the table, for whoever reads them off the page
    assert all(r.cells[-1].total for r in table.rows)
    assert table.columns[-1].total
    assert table.rows[-1].total
    section = next(s for s in build(results).sections if s.id == "measures")
    extremes = [b for b in section.blocks if isinstance(b, TableBlock)][-1]
    lines = {row.cells[0]: row.cells[2:] for row in extremes.lines}
    assert lines["Recall"] == ("2 / 3 = 0.667", "2 / 7 = 0.286", "6 / 7 = 0.857")
    assert "3 rows lack a prediction, 2 lack a target and 1 lacks both." in extremes.notes[0]


OTHERS = ["f1", "youden_j", "balanced_accuracy", "balanced_error_rate", "mcc", "kappa",
          "weighted_kappa", "jaccard", "g_mean", "lr_minus", "markedness", "net_benefit",
          "expected_cost", "fowlkes_mallows", "no_information_rate",
          "accuracy_p_value"]  # fmt: skip


def others(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Measures that are no shares of rows, from their definitions; those defined."""
    tp, fn, fp, tn = (
        pairs.count(pair) for pair in (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
    )
    p, n, called, not_called, rows = tp + fn, fp + tn, tp + fp, fn + tn, len(pairs)
    found = {
        "jaccard": tp / (tp + fp + fn) if tp + fp + fn else None,
        "f1": 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None,
        "net_benefit": (tp - fp) / rows,
        "expected_cost": (5 * fn + fp) / rows,
        "no_information_rate": max(p, n) / rows,
    }
    if p and n:
        found |= {
            "youden_j": tp / p - fp / n,
            "balanced_accuracy": (tp / p + tn / n) / 2,
            "balanced_error_rate": (fn / p + fp / n) / 2,
            "g_mean": (tp / p * tn / n) ** 0.5,
            "lr_minus": (fn / p) / (tn / n) if tn else None,
        }
    if called and not_called:
        found["markedness"] = tp / called - fn / not_called
    if called and p:
        found["fowlkes_mallows"] = (tp / called * tp / p) ** 0.5
    if p and n and called and not_called:
        found["mcc"] = (tp * tn - fp * fn) / (p * n * called * not_called) ** 0.5
    chance = p * called + n * not_called
    if rows * rows != chance:
        found["kappa"] = found["weighted_kappa"] = (rows * (tp + tn) - chance) / (
            rows * rows - chance
        )
    return {name: value for name, value in found.items() if value is not None}


def test_extremes_of_other_measures_are_those_of_every_filling() -> None:
    results = run(
        TWO, {"prediction": "p"}, metrics=[m for m in OTHERS if m != "net_benefit"],
        costs={"false_negative": 5, "false_positive": 1},
    )  # fmt: skip
    every = [others(pairs) for pairs in fillings(TWO, ["yes", "no"])]
    for metric in OTHERS:
        if metric in ("net_benefit", "accuracy_p_value"):
            continue
        bounds = of(results, metric)["missing_bounds"]
        values = [one[metric] for one in every if metric in one]
        assert bounds["low"]["value"] == pytest.approx(min(values)), metric
        assert bounds["high"]["value"] == pytest.approx(max(values)), metric
    assert "missing_bounds" not in of(results, "accuracy_p_value")
    jsonschema.validate(results, results_schema())
    assert recompute(results).problems == ()


def test_extremes_tell_their_cells() -> None:
    rows = {"y": ["yes", "yes", "no", "no", "no"], "p": ["yes", "no", "no", "no", ""]}
    results = run(rows, {"prediction": "p"}, metrics=["f1", "lr_plus"])
    f1 = of(results, "f1")["missing_bounds"]
    # TP 1, FN 1; the negative without a prediction is a false alarm or not: 2/4 or 2/3
    assert f1["low"] == {"value": 0.5, "cells": {"tp": 1, "fn": 1, "fp": 1, "tn": 2}}
    assert f1["high"] == {"value": 2 / 3, "cells": {"tp": 1, "fn": 1, "fp": 0, "tn": 3}}
    assert "missing_bounds" not in of(results, "lr_plus")  # infinite itself: 1/2 over 0/2
    assert recompute(results).problems == ()


def test_halves_find_what_lies_between_the_corners() -> None:
    # 40 rows without anything: prevalence is nearest to a half where some are of each class
    rows = {"y": ["yes"] * 30 + ["no"] * 30 + [""] * 40, "p": ["yes", "no"] * 30 + [""] * 40}
    results = run(rows, {"prediction": "p"}, metrics=["no_information_rate"])
    bounds = of(results, "no_information_rate")["missing_bounds"]
    assert (bounds["low"]["value"], bounds["high"]["value"]) == (0.5, 0.7)


def areas(rows: dict[str, list[Any]]) -> list[float]:
    """The area for every class of a row without one, with missing scores above or below all."""
    found = []
    free = [k for k, v in enumerate(rows["y"]) if v == ""]
    silent = [k for k, v in enumerate(rows["s"]) if v is None]
    for classes in itertools.product(["yes", "no"], repeat=len(free)):
        for ends in itertools.product([-9.0, 9.0], repeat=len(silent)):
            y, s = list(rows["y"]), list(rows["s"])
            for k, c in zip(free, classes, strict=True):
                y[k] = c
            for k, e in zip(silent, ends, strict=True):
                s[k] = e
            found.append(roc_auc_score([c == "yes" for c in y], s))
    return found


@pytest.mark.parametrize(
    ("y", "s"),
    [
        (["yes", "no", "yes", "no", "yes", "no"], [0.9, 0.4, 0.3, 0.2, None, None]),
        (["yes", "no", "yes", "no", "", "", ""], [0.9, 0.4, 0.3, 0.2, 0.35, 0.9, 0.1]),
        (["yes", "no", "no", "no", "", "", ""], [0.9, 0.4, 0.3, 0.2, None, None, None]),
        (
            ["yes", "no", "yes", "no", "", "", "", "yes", "no", ""],
            [0.8, 0.5, 0.5, 0.2, 0.5, 0.5, 0.6, None, None, None],
        ),
    ],
)
def test_extremes_of_the_area_are_those_of_every_filling(y: list[str], s: list[Any]) -> None:
    results = run({"y": y, "s": s}, {"score": "s"}, metrics=["roc_auc", "gini", "mann_whitney_u"])
    every = areas({"y": y, "s": s})
    bounds = of(results, "roc_auc")["missing_bounds"]
    assert bounds["low"]["value"] == pytest.approx(min(every))
    assert bounds["high"]["value"] == pytest.approx(max(every))
    gini = of(results, "gini")["missing_bounds"]
    assert gini["low"]["value"] == pytest.approx(2 * min(every) - 1)
    assert "missing_bounds" not in of(results, "mann_whitney_u")
    jsonschema.validate(results, results_schema())
    assert recompute(results).problems == ()


def test_the_area_of_one_class_against_the_rest_and_of_weighted_rows() -> None:
    rows: dict[str, list[Any]] = {
        "y": ["a", "b", "c", "a", "b", "", "c"],
        "pa": [0.6, 0.3, 0.2, 0.5, 0.2, 0.4, None],
        "pb": [0.3, 0.4, 0.3, 0.3, 0.6, 0.4, None],
        "pc": [0.1, 0.3, 0.5, 0.2, 0.2, 0.2, None],
    }
    model = {"scores": {name: f"p{name}" for name in "abc"}}
    found = of(run(rows, model, metrics=["roc_auc"]), "roc_auc", label="a")
    # 2 and 3 rows, all pairs won; a negative without scores and a row of no known class:
    # at worst they rank wrongly, 6 pairs of 2 x 5 or 3 x 4
    assert found["missing_bounds"]["low"]["value"] == pytest.approx(6 / 12)
    assert found["missing_bounds"]["high"]["value"] == 1.0
    weighted = {"y": ["yes", "no", "yes"], "s": [0.7, 0.2, None], "w": [1.5, 2.0, 0.5]}
    results = run(weighted, {"score": "s"}, metrics=["roc_auc"], dataset={"weight": "w"})
    bounds = of(results, "roc_auc")["missing_bounds"]
    assert (bounds["low"]["value"], bounds["high"]["value"]) == (pytest.approx(3 / 4), 1.0)
    assert recompute(results).problems == ()


@pytest.mark.parametrize("metric", ["f1", "kappa", "youden_j", "roc_auc"])
@pytest.mark.parametrize("side", ["low", "high"])
def test_a_changed_extreme_is_found(metric: str, side: str) -> None:
    rows = {"y": ["yes", "no", "yes", "no", "yes", ""], "s": [0.9, 0.6, 0.3, 0.2, None, None]}
    results = run(rows, {"score": "s"}, metrics=[metric])
    assert recompute(results).problems == ()
    of(results, metric)["missing_bounds"][side]["value"] += 0.01
    assert any("missing_bounds" in str(p) for p in recompute(results).problems)


def test_the_report_shows_the_cells_of_the_extremes() -> None:
    results = run(TWO, {"prediction": "p"}, metrics=["f1"])
    section = next(s for s in build(results).sections if s.id == "measures")
    extremes = [b for b in section.blocks if isinstance(b, TableBlock)][-1]
    values, cells = (row.cells for row in extremes.lines)
    assert values[2:] == ("0.667", "0.333", "0.857")
    assert cells == ("TN · FP · FN · TP", "", "", "1 · 3 · 5 · 2", "3 · 1 · 1 · 6")
