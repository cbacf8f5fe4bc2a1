"""No interval depends on the order of the rows in the file, whatever is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import evalreport

pytestmark = pytest.mark.long_but_first


ROWS = 60
Columns = dict[str, list[Any]]


def two_classes(rng: np.random.Generator) -> Columns:
    actual = rng.integers(0, 2, ROWS)
    return {
        "y": actual.tolist(),
        "s": np.round(0.4 * actual + rng.random(ROWS), 1).tolist(),
        "t": np.round(0.2 * actual + rng.random(ROWS), 1).tolist(),
    }


def class_columns(rng: np.random.Generator) -> Columns:
    actual = rng.integers(0, 3, ROWS)
    raw = np.round(rng.random((ROWS, 3)) + np.eye(3)[actual], 1) + 0.1
    shares = np.round(raw / raw.sum(axis=1, keepdims=True) * 64)
    shares[:, 0] += 64 - shares.sum(axis=1)
    named: Columns = {
        name: (shares[:, k] / 64).tolist() for k, name in enumerate(("pa", "pb", "pc"))
    }
    return {"y": ["abc"[k] for k in actual], **named}


def label_sets(rng: np.random.Generator) -> Columns:
    columns: Columns = {}
    for name in "abc":
        actual = rng.integers(0, 2, ROWS)
        columns[name] = actual.tolist()
        columns[f"p{name}"] = np.round(
            np.clip(0.3 * actual + 0.7 * rng.random(ROWS), 0, 1), 1
        ).tolist()
    return columns


def dataset(kind: str) -> dict[str, Any]:
    return {"target": {"labels": {name: name for name in "abc"}} if kind == "label sets" else "y"}


def models(kind: str) -> dict[str, Any]:
    if kind == "two classes":
        return {"m": {"score": "s"}, "other": {"score": "t"}}
    return {"m": {"scores": {name: f"p{name}" for name in "abc"}}}


METRICS: dict[str, list[Any]] = {
    "two classes": ["recall", "f1", "mcc", "balanced_accuracy", "roc_auc", "average_precision",
                    "ks", "ece", "log_loss", "brier"],
    "class columns": ["f1", "balanced_accuracy", "roc_auc", "ece", "hand_till_auc", "log_loss",
                      "brier_scaled"],
    "label sets": ["recall", "f1", "roc_auc", "hamming_loss", "example_jaccard", "exact_match",
                   "ranking_loss"],
}  # fmt: skip
KINDS: dict[str, Callable[[np.random.Generator], Columns]] = {
    "two classes": two_classes, "class columns": class_columns, "label sets": label_sets,
}  # fmt: skip


def results(
    kind: str, design: str, order: np.ndarray[Any, Any], method: str | None
) -> list[dict[str, Any]]:
    """Every interval, test and value of a run on the rows in an order."""
    rng = np.random.default_rng(11)
    columns = KINDS[kind](rng)
    given = dataset(kind)
    if design in ("weight", "both"):
        columns["w"], given["weight"] = rng.choice([0.3, 1.1, 2.7], ROWS).tolist(), "w"
    if design in ("cluster", "both"):
        columns["k"], given["cluster"] = [f"k{n // 3}" for n in range(ROWS)], "k"
    asked = (
        {}
        if method is None
        else {
            "methods": {
                (next(iter(m)) if isinstance(m, dict) else m): method for m in METRICS[kind]
            }
        }
    )
    spec: dict[str, Any] = {
        "evalreport": 1,
        "title": "order",
        "datasets": {"d": given},
        "models": models(kind),
        "metrics": METRICS[kind],
        "averaging": ["none", "macro", "weighted"] + (["samples"] if kind == "label sets" else []),
        "confidence": {"resamples": 150, "seed": 9, **asked},
    }
    if kind == "two classes":
        spec["comparisons"] = {"reference": "other"}
    frame = {name: [column[n] for n in order] for name, column in columns.items()}
    found = evalreport.run(spec, frames={"d": frame}).json
    told = [
        {key: m[key] for key in ("model", "metric", "average", "label", "value", "interval")}
        for m in found["measures"]
    ]
    assert any(m["interval"] is not None for m in told)
    compared = [
        {key: c[key] for key in ("metric", "label", "difference", "interval", "p_value")}
        for c in found["comparisons"]
    ]
    return [_flat(record) for record in (*told, *compared)]


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record with its interval in keys of its own."""
    limits = record.pop("interval") or {}
    return {**record, **{f"interval {key}": value for key, value in limits.items()}}


@pytest.mark.parametrize("method", [None, "bootstrap_percentile", "bootstrap_bca"])
@pytest.mark.parametrize("design", ["plain", "weight", "cluster", "both"])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_another_order_give_the_same_intervals(
    kind: str, design: str, method: str | None
) -> None:
    first = results(kind, design, np.arange(ROWS), method)
    shuffled = np.random.default_rng(3).permutation(ROWS)
    second = results(kind, design, shuffled, method)
    assert len(first) == len(second)
    # sums of fractions may round in their last bit; another draw would differ in the third digit
    for one, other in zip(first, second, strict=True):
        assert one.keys() == other.keys()
        for key, value in one.items():
            near = isinstance(value, float) and isinstance(other[key], float)
            assert value == (
                pytest.approx(other[key], rel=1e-11, abs=1e-13) if near else other[key]
            )
