"""Where KS is reached and how ROC curves lie: right ones pass, every changed field is found."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.verify.recompute import recompute
from evalreport.verify.recorded_tables import NO_CURVE, THINNED


def made(seed: int, rows: int = 120, digits: int = 1, **dataset: str) -> dict[str, Any]:
    """Three models with many ties; some scores missing, so that totals differ."""
    random = np.random.default_rng(seed)
    ill = random.random(rows) < 0.4
    frame: dict[str, Any] = {
        "y": np.where(ill, "ill", "well").tolist(),
        "w": random.choice([0.1, 0.2, 0.3, 0.7], rows).tolist(),
    }
    for name, strength in (("a", 1.0), ("b", 0.7), ("c", -0.8)):
        frame[name] = (random.normal(size=rows) + strength * ill).round(digits).tolist()
    frame["c"][:7] = [None] * 7
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "missing": "exclude", **dataset}},
        "positive": {"label": "ill"},
        "models": {name: {"score": name} for name in "abc"},
        "metrics": ["ks", "roc_auc"],
    }
    return dict(evalreport.run(spec, frames={"d": frame}).json)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return made(3)


@pytest.mark.parametrize("dataset", [{}, {"weight": "w"}])
@pytest.mark.parametrize("seed", range(6))
def test_right_ones_are_found_right(seed: int, dataset: dict[str, str]) -> None:
    found = recompute(made(seed, **dataset))
    assert found.problems == ()
    assert bool(found.numbers["roc_relations"]) is not bool(dataset)


def _measure(results: dict[str, Any]) -> dict[str, Any]:
    return next(m for m in results["measures"] if m["metric"] == "ks" and m["model"] == "a")


def _set(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        record[name] = value(record[name]) if callable(value) else value

    return change


def _shift(record: dict[str, Any]) -> None:
    """One row moved from each class: margins as before, another distance."""
    at = record["reached"]
    record["reached"] = {**at, "tp": at["tp"] - 1, "fn": at["fn"] + 1}


def _scaled(record: dict[str, Any]) -> None:
    """Twice the rows: the value stays."""
    at = record["reached"]
    doubled = {name: 2 * at[name] for name in ("tp", "fp", "fn", "tn")}
    record["reached"] = {**at, **doubled}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_shift, "reached.tp is"),
        (_scaled, "reached.tp is"),
        (
            _set("reached", lambda at: {**at, "threshold": at["threshold"] + 0.05}),
            "reached.threshold",
        ),
        (_set("reached", lambda at: {**at, "threshold": 99.0}), "reached.threshold is 99.0"),
        (_set("reached", lambda at: {**at, "tp": 0, "fn": 0}), "reached.tp is 0"),
        (_set("value", lambda value: value + 0.01), ": value is "),
    ],
)
def test_another_threshold_or_table_where_ks_is_reached_is_found(
    results: dict[str, Any], change: Callable[[dict[str, Any]], None], told: str
) -> None:
    changed = copy.deepcopy(results)
    change(_measure(changed))
    assert any(told in problem.what for problem in recompute(changed).problems)


def _relation(results: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(r for r in results["roc_relations"] if r["relation"] == kind)


def test_the_case_holds_curves_that_cross_and_curves_that_do_not(results: dict[str, Any]) -> None:
    assert {r["relation"] for r in results["roc_relations"]} >= {"cross", "above"}
    assert _relation(results, "cross")["crossing_count"] >= 2


@pytest.mark.parametrize(
    ("kind", "change", "told"),
    [
        ("above", _set("relation", "below"), "relation is 'below', the other records give 'above'"),
        ("above", _set("relation", "equal"), "relation is 'equal'"),
        ("cross", _set("relation", "above"), "relation is 'above', the other records give 'cross'"),
        ("above", _set("first", "c"), "first is 'c'"),
        ("cross", _set("crossing_count", lambda n: n + 1), "crossing_count is"),
        (
            "cross",
            _set("crossings", lambda own: [{"fpr": 0.5, "tpr": 0.5}, *own[1:]]),
            "crossings.fpr is 0.5",
        ),
        ("cross", _set("crossings", lambda own: [*own, own[-1]]), "crossings is "),
        ("above", _set("first_leads", lambda o: {**o, "by": o["by"] / 2}), "first_leads.by is"),
        ("above", _set("first_leads", lambda o: {**o, "fpr": 0.99}), "first_leads.fpr is 0.99"),
        ("cross", _set("second_leads", {"by": 0.0, "fpr": 0.0}), "second_leads.by is 0.0"),
        ("above", _set("relation", None), "relation is None"),
    ],
)
def test_another_relation_is_found(
    results: dict[str, Any], kind: str, change: Callable[[dict[str, Any]], None], told: str
) -> None:
    changed = copy.deepcopy(results)
    change(_relation(changed, kind))
    assert any(told in problem.what for problem in recompute(changed).problems)


def test_where_a_curve_is_not_whole_it_is_said(results: dict[str, Any]) -> None:
    thinned = recompute(made(3, rows=2_400, digits=9))
    assert thinned.problems == ()
    assert {reason for field, reason in thinned.left_out if "roc_relations" in field} == {THINNED}
    gone = recompute({**results, "curves": []})
    assert {reason for field, reason in gone.left_out if "roc_relations" in field} == {NO_CURVE}


def test_a_curve_that_only_says_that_points_were_left_out_is_found(
    results: dict[str, Any],
) -> None:
    said = copy.deepcopy(results)
    next(c for c in said["curves"] if c["kind"] == "roc")["thinned"] = True
    assert any("thinned is True" in problem.what for problem in recompute(said).problems)
