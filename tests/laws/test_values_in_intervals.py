"""A value lies within its limits, or the record says why it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ready_specs import CONFIGS, results_of

import evalreport

#: What of a record lies in which of its intervals.
PAIRS = (
    ("value", "interval"),
    ("difference", "interval"),
    ("gap", "gap_interval"),
    ("ratio", "ratio_interval"),
    ("impact_ratio", "interval"),
)


def records(part: Any) -> Iterator[dict[str, Any]]:
    """Every record of results.json, however deep."""
    if isinstance(part, dict):
        yield part
        for inner in part.values():
            yield from records(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from records(inner)


def outside(results: dict[str, Any]) -> tuple[int, list[str]]:
    """How many values were held against limits, and those outside of which nothing is said."""
    held, found = 0, []
    for record in records(results):
        for name, limits in PAIRS:
            value, interval = record.get(name), record.get(limits)
            if not isinstance(interval, dict) or not isinstance(value, (int, float)):
                continue
            if name == "value" and "difference" in record and "reference" in record:
                continue  # the interval is of the difference
            if record.get("baseline") is not None and record.get("difference") is not None:
                continue
            held += 1
            slack = 1e-9 * max(1.0, abs(value))
            inside = interval["low"] - slack <= value <= interval["high"] + slack
            if not inside and "outside" not in str(interval.get("note")):
                found.append(f"{record.get('id')} {record.get('metric')} {name} {value} {interval}")
    for curve in results.get("curves", ()):
        points = curve["points"]
        if not isinstance(points.get("observed_low"), list):
            continue  # other curves, and accepted reports, which keep the number of points
        for low, value, high in zip(
            points.get("observed_low", ()),
            points.get("observed", ()),
            points.get("observed_high", ()),
            strict=False,
        ):
            held += 1
            if low is not None and not low - 1e-9 <= value <= high + 1e-9:
                found.append(f"{curve['id']} calibration {low} {value} {high}")
    return held, found


@pytest.mark.long_but_first
@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_in_ready_specs(path: Path) -> None:
    held, found = outside(results_of(path))
    assert held > 5
    assert found == []


def frame(seed: int, rows: int, classes: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    says = np.where(rng.random(rows) < 0.75, y, rng.integers(0, classes, rows)).astype(str)
    says = says.astype(object)
    says[rng.random(rows) < 0.2] = "unsure"
    return {
        "y": y.astype(str).tolist(),
        "p": says.tolist(),
        "s": np.clip((y == classes - 1) * 0.4 + rng.random(rows) * 0.6, 0, 1).round(2).tolist(),
        "w": (1 + 9 * rng.integers(0, 2, rows) * (says == "1")).tolist(),
        "k": rng.integers(0, max(2, rows // 4), rows).tolist(),
        "g": rng.choice(["a", "b", "c"], rows, p=[0.6, 0.35, 0.05]).tolist(),
    }


DESIGNS: list[dict[str, Any]] = [
    {},
    {"weight": "w"},
    {"cluster": "k"},
    {"weight": "w", "cluster": "k"},
]
METRICS = [
    "accuracy",
    "recall",
    "specificity",
    "precision",
    "npv",
    "f1",
    "mcc",
    "kappa",
    "youden_j",
    "balanced_accuracy",
    "lr_plus",
    "lr_minus",
    "diagnostic_odds_ratio",
    "impact_ratio",
    {"ppv_at_prevalence": {"prevalence": 0.1}},
    "roc_auc",
    "average_precision",
    "brier",
    "log_loss",
    "ks",
]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: "-".join(d) or "plain")
@pytest.mark.parametrize(("seed", "rows", "classes"), [(1, 12, 2), (2, 60, 2), (3, 40, 3)])
def test_in_generated_reports(design: dict[str, Any], seed: int, rows: int, classes: int) -> None:
    models: dict[str, Any] = {"says": {"prediction": "p"}}
    if classes == 2:
        models["scores"] = {"score": "s"}
    results = evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": {"d": {"target": "y", "indeterminate": ["unsure"], **design}},
            "models": models,
            "metrics": METRICS,
            "averaging": ["none", "macro", "micro"],
            "subgroups": ["g"],
            "thresholds": [0.5, {"maximize": "youden_j"}],
            "confidence": {"resamples": 100},
        },
        frames={"d": frame(seed, rows, classes)},
    ).json
    held, found = outside(results)
    assert held > 50
    assert found == []
