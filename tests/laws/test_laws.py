"""Laws that hold for every metric of the catalogue, through whole runs on random rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evalreport
from evalreport.metrics.catalogue import catalogue, metric_named
from evalreport.metrics.declare import Goal, Table

pytestmark = [pytest.mark.requirement("R8"), pytest.mark.requirement("R14")]

COSTS = {"false_negative": 5, "false_positive": 1}
QUICK = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def _asked() -> list[Any]:
    found: list[Any] = []
    for metric in catalogue():
        if metric.table is Table.LABEL_SETS or metric.name == "impact_ratio":
            continue
        params: dict[str, Any] = {p.name: 0.1 for p in metric.parameters if p.required}
        if metric.one_of:
            params[metric.one_of[0]] = 0.3
        found.append({metric.name: params} if params else metric.name)
    return found


ASKED = _asked()


def _measures(
    columns: dict[str, Any], model: dict[str, Any] | None = None, **more: Any
) -> dict[tuple[Any, ...], dict[str, Any]]:
    spec = {
        "evalreport": 1,
        "title": "laws",
        "datasets": {"d": {"target": "y", **more.pop("dataset", {})}},
        "models": {"m": model or {"score": "s"}},
        "metrics": ASKED,
        "costs": COSTS,
        "confidence": {"resamples": 10},
        **more,
    }
    json = evalreport.run(spec, frames={"d": columns}).json
    return {
        (m["metric"], repr(m["params"]), m["average"], m["label"], str(m["subgroup"])): m
        for m in json["measures"]
    }


rows = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([k / 8 for k in range(9)])),
    min_size=1,
    max_size=40,
)


def _columns(drawn: list[tuple[int, float]]) -> dict[str, Any]:
    return {"y": ["b" if y else "a" for y, _ in drawn], "s": [s for _, s in drawn]}


LABELS = {"labels": ["a", "b"]}


@pytest.mark.long
@QUICK
@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(drawn: list[tuple[int, float]], random: Any) -> None:
    shuffled = list(drawn)
    random.shuffle(shuffled)
    first = _measures(_columns(drawn), dataset=LABELS)
    second = _measures(_columns(shuffled), dataset=LABELS)
    for key, measure in first.items():
        assert second[key]["value"] == measure["value"], key
        assert second[key]["state"] == measure["state"], key
        assert second[key]["interval"] == measure["interval"], key


@pytest.mark.long
@QUICK
@given(rows)
def test_renaming_the_classes_changes_no_number(drawn: list[tuple[int, float]]) -> None:
    first = _measures(_columns(drawn), dataset=LABELS)
    renamed = {
        "y": [{"a": "x-ray", "b": "zebra"}[y] for y in _columns(drawn)["y"]],
        "s": [s for _, s in drawn],
    }
    second = _measures(renamed, dataset={"labels": ["x-ray", "zebra"]})
    for (metric, params, average, label, group), measure in first.items():
        twin = second[metric, params, average, "zebra" if label == "b" else label, group]
        assert twin["value"] == measure["value"], metric
        assert twin["interval"] == measure["interval"] or metric == "average_precision", metric


@pytest.mark.long
@QUICK
@given(rows)
def test_a_weight_of_two_is_a_row_twice(drawn: list[tuple[int, float]]) -> None:
    once = _columns(drawn)
    weighted = _measures({**once, "w": [2] * len(drawn)}, dataset={**LABELS, "weight": "w"})
    twice = _measures({k: v + v for k, v in once.items()}, dataset=LABELS)
    for key, measure in twice.items():
        if metric_named(key[0]).p_value:
            # a test of so many independent rows: a weight does not make more of them
            assert weighted[key]["state"] == "not_applicable", key
        elif measure["state"] == "value":
            assert weighted[key]["value"] == pytest.approx(measure["value"], rel=1e-9, abs=1e-12), (
                key
            )
        else:
            assert weighted[key]["state"] == measure["state"], key


@pytest.mark.long
@QUICK
@given(rows)
def test_values_lie_within_their_bounds_and_intervals_hold_them(
    drawn: list[tuple[int, float]],
) -> None:
    known = {metric.name: metric for metric in catalogue()}
    for measure in _measures(_columns(drawn), dataset=LABELS).values():
        low, high = known[measure["metric"]].bounds
        value = measure["value"]
        if measure["state"] != "value":
            assert value is None
            assert measure["reason"]
            continue
        assert math.isfinite(value)
        assert low - 1e-12 <= value <= high + 1e-12, measure["metric"]
        interval = measure["interval"]
        if interval is not None:
            assert interval["low"] <= interval["high"], measure["metric"]
            if not interval["method"].startswith("bootstrap"):
                slack = 1e-9 * max(1.0, abs(value))
                assert interval["low"] - slack <= value <= interval["high"] + slack, measure


@pytest.mark.parametrize(
    "metric", [m for m in catalogue() if m.table is not Table.LABEL_SETS], ids=lambda m: m.name
)
def test_a_perfect_prediction_gives_the_best_value(metric: Any) -> None:
    """Where a metric declares a best value, certain and right scores reach it."""
    if metric.best is None or math.isnan(metric.best) or metric.goal is Goal.TARGET:
        pytest.skip("no best value is declared")
    truth = ["a"] * 30 + ["b"] * 30
    certain = {"y": truth, "s": [0.0] * 30 + [1.0] * 30}
    asked = next(a for a in ASKED if a == metric.name or (isinstance(a, dict) and metric.name in a))
    spec = {
        "evalreport": 1,
        "title": "perfect",
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}},
        "metrics": [asked],
        "costs": COSTS,
        "confidence": {"resamples": 10},
    }
    for measure in evalreport.run(spec, frames={"d": certain}).json["measures"]:
        if measure["state"] == "not_applicable":
            continue
        if metric.name in ("gain", "lift", "partial_auc"):
            pytest.skip("its best value depends on the share that is asked for")
        if measure["state"] == "value":
            assert measure["value"] == pytest.approx(metric.best, abs=1e-9)


@QUICK
@given(rows, st.lists(st.sampled_from(["x", "y", "z"]), min_size=40, max_size=40))
def test_tables_of_disjoint_subgroups_add_up(
    drawn: list[tuple[int, float]], groups: list[str]
) -> None:
    spec = {
        "evalreport": 1,
        "title": "parts",
        "datasets": {"d": {"target": "y", **LABELS}},
        "models": {"m": {"score": "s"}},
        "metrics": ["accuracy"],
        "subgroups": ["g"],
    }
    columns = {**_columns(drawn), "g": groups[: len(drawn)]}
    tables = evalreport.run(spec, frames={"d": columns}).json["tables"]
    whole = np.array(tables[0]["counts"])
    parts = sum(np.array(t["counts"]) for t in tables[1:])
    assert (whole == parts).all()


three = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=40)


@QUICK
@given(three)
def test_micro_averages_over_all_classes_are_accuracy(drawn: list[tuple[str, str]]) -> None:
    spec = {
        "evalreport": 1,
        "title": "micro",
        "datasets": {"d": {"target": "y", "labels": ["a", "b", "c"]}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["accuracy", "recall", "precision", "f1"],
        "averaging": ["micro", "macro", "none"],
    }
    columns = {"y": [y for y, _ in drawn], "p": [p for _, p in drawn]}
    measures = evalreport.run(spec, frames={"d": columns}).json["measures"]
    micro = {m["metric"]: m["value"] for m in measures if m["average"] == "micro"}
    right = sum(y == p for y, p in drawn) / len(drawn)
    assert all(value == pytest.approx(right) for value in micro.values())


@QUICK
@given(three)
def test_macro_averages_skip_undefined_classes_and_count_them(drawn: list[tuple[str, str]]) -> None:
    spec = {
        "evalreport": 1,
        "title": "macro",
        "datasets": {"d": {"target": "y", "labels": ["a", "b", "c"]}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall", "precision", "f1", "jaccard"],
        "averaging": ["macro", "none"],
    }
    columns = {"y": [y for y, _ in drawn], "p": [p for _, p in drawn]}
    measures = evalreport.run(spec, frames={"d": columns}).json["measures"]
    for metric in ("recall", "precision", "f1", "jaccard"):
        each = [m for m in measures if m["metric"] == metric and m["average"] is None]
        defined = [m["value"] for m in each if m["state"] == "value"]
        macro = next(m for m in measures if m["metric"] == metric and m["average"] == "macro")
        if defined:
            assert macro["value"] == pytest.approx(math.fsum(defined) / len(defined))
            assert (macro["reason"] is None) == (len(defined) == 3)
        else:
            assert macro["state"] == "undefined"
