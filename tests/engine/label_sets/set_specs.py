"""Specs and rows with sets of labels, for the tests beside this file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evalreport.api import run
from evalreport.metrics.sets_table import Flags

LABELS = ("a", "b", "c")
AT = "2026-11-21T12:00:00Z"

SETS = ("exact_match", "hamming_loss", "example_jaccard", "alpha_evaluation")
RANKINGS = ("one_error", "coverage_error", "ranking_loss", "label_ranking_average_precision")
#: Four rows whose values are worked out by hand in the tests.
ACTUAL = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]], bool)
GIVEN = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 0, 0]], bool)


def columns(prefix: str, values: Any, labels: Sequence[str] = LABELS) -> dict[str, list[Any]]:
    """One column per label."""
    table = np.asarray(values)
    number = float if table.dtype.kind == "f" else int
    return {f"{prefix}_{x}": [number(v) for v in table[:, k]] for k, x in enumerate(labels)}


def named(prefix: str, labels: Sequence[str] = LABELS) -> dict[str, str]:
    """Which column holds each label."""
    return {x: f"{prefix}_{x}" for x in labels}


def results(
    frame: Mapping[str, Sequence[Any]],
    models: Mapping[str, Any],
    metrics: Sequence[Any],
    labels: Sequence[str] = LABELS,
    dataset: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Mapping[str, Any]:
    """The results of a spec on rows whose truth stands in 0/1 columns ``y_<label>``."""
    target = {"labels": named("y", labels)}
    return run(
        {
            "evalreport": 1,
            "datasets": {"d": {"target": target, **(dataset or {})}},
            "models": dict(models),
            "metrics": list(metrics),
            "confidence": {"resamples": 200},
            **spec,
        },
        frames={"d": dict(frame)},
        at=AT,
    ).json


def of_sets(actual: Flags, given: Flags, metrics: Sequence[Any], **spec: Any) -> Mapping[str, Any]:
    """The results of a model that gives sets in 0/1 columns."""
    frame = {**columns("y", actual.astype(int)), **columns("p", given.astype(int))}
    extra = spec.pop("frame", {})
    models = {"m": {"prediction": {"labels": named("p")}}}
    return results({**frame, **extra}, models, metrics, **spec)


def of_scores(actual: Flags, scores: Any, metrics: Sequence[Any], **spec: Any) -> Mapping[str, Any]:
    """The results of a model that gives a score for each label."""
    labels = spec.pop("labels", LABELS)
    frame = {**columns("y", actual.astype(int), labels), **columns("s", scores, labels)}
    extra = spec.pop("frame", {})
    models = {"m": {"scores": named("s", labels)}}
    return results({**frame, **extra}, models, metrics, labels, **spec)


def measure(found: Mapping[str, Any], metric: str, **place: Any) -> Mapping[str, Any]:
    """The one measure of a metric at a place; of all rows and pooled unless said otherwise."""
    wanted = {"subgroup": {}, "fold": None, "average": None, "label": None, **place}
    (one,) = [
        m
        for m in found["measures"]
        if m["metric"] == metric and all(m[key] == value for key, value in wanted.items())
    ]
    return one


def many_rows(
    rows: int = 300, labels: int = 5, seed: int = 3
) -> tuple[Flags, np.ndarray[Any, np.dtype[np.float64]]]:
    """Rows whose labels depend on each other, with scores that tell something; some empty."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(rows, 1))
    hidden = common + rng.normal(size=(rows, labels))
    actual = hidden > np.linspace(0.2, 1.6, labels)
    scores = 1 / (1 + np.exp(-(hidden + rng.normal(size=hidden.shape) - 0.7)))
    return actual, np.round(scores, 2)
