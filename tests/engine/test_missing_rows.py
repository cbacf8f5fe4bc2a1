"""Worst and best case with the rows that lack a prediction or a target: against every filling."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import jsonschema
import pytest

import evalreport
from evalreport.engine.schema import results_schema
from evalreport.record.recompute import recompute
from evalreport.report.build import build
from evalreport.report.contents import Contents
from evalreport.report.count_tables import count_table
from evalreport.report.model import PlainTable

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
    assert "missing_bounds" not in of(results, "f1", label="c")
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
    table = count_table(Contents(results), results["tables"][0])
    assert [c.label for c in table.columns] == ["no", "yes", "total", "none"]
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
    extremes = [b for b in section.blocks if isinstance(b, PlainTable)][-1]
    lines = {row.cells[0]: row.cells[2:] for row in extremes.rows}
    assert lines["Recall"] == ("2 / 3 = 0.667", "2 / 7 = 0.286", "6 / 7 = 0.857")
    assert "3 lack a prediction, 2 lack a target and 1 lack both." in extremes.note
