"""The curves of a report: exact points, fewer of them where there are very many scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evalreport.engine.counting.memory import MemoryTables
from evalreport.metrics import calibration_curve, curves
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.task import EVERYTHING

#: Above so many distinct scores neighbouring ones share a point of a curve.
MOST_POINTS = 2_000
#: The same where there is a curve for each of several classes.
MOST_CLASS_POINTS = 250
#: Above so many classes there are no curves per class.
CURVED_CLASSES = 10
#: Thresholds of the sweep table where scores lie within 0 and 1.
SWEEP = tuple(k / 20 for k in range(20, -1, -1))
#: Above so many distinct scores the sweep steps over quantiles of them.
SWEEP_ROWS = 25


def curve_records(
    tables: MemoryTables,
    new_id: Callable[[], str],
    thresholds: Sequence[float],
    probabilities: bool,
    level: float,
) -> list[dict[str, Any]]:
    """The curve records of one dataset and model, over all its rows."""
    view = tables.view
    found: list[dict[str, Any]] = []
    if view.has_score:
        label = view.labels[view.positive_index]
        table = tables.scores(EVERYTHING)
        kinds = _curves(table, probabilities, level, MOST_POINTS)
        kinds.append(("sweep", sweep(table, thresholds), False))
        found = [_record(new_id(), view, label, *kind) for kind in kinds]
    elif view.class_scores is not None and len(view.labels) <= CURVED_CLASSES:
        for k, label in enumerate(view.labels):
            table = tables.scores(EVERYTHING, k)
            for kind in _curves(table, probabilities, level, MOST_CLASS_POINTS):
                found.append(_record(new_id(), view, label, *kind))
    bins = getattr(view, "bins", None)
    return [record | {"bins": bins} for record in found] if bins else found


def _record(
    name: str, view: Any, label: str, kind: str, points: dict[str, list[Any]], thinned: bool
) -> dict[str, Any]:
    return {
        "id": name,
        "dataset": view.dataset,
        "model": view.model,
        "subgroup": {},
        "label": label,
        "kind": kind,
        "points": points,
        **({"thinned": True} if thinned else {}),
    }


def _curves(
    table: ScoreTable, probabilities: bool, level: float, at_most: int
) -> list[tuple[str, dict[str, list[Any]], bool]]:
    fewer, thinned = merged(table, at_most)
    found = [
        ("roc", curves.roc(fewer, drop_collinear=True), thinned),
        ("precision_recall", curves.precision_recall(fewer), thinned),
        ("gain", curves.gain(fewer), thinned),
        ("lift", curves.lift(fewer), thinned),
        ("score_distribution", curves.score_distribution(table), False),
    ]
    if probabilities:
        found += [
            ("calibration", calibration_curve.calibration(table, level=level), False),
            ("smoothed_calibration", calibration_curve.smoothed_calibration(fewer), thinned),
            ("decision", curves.decision(table), False),
            ("accuracy_coverage", curves.accuracy_coverage(fewer), thinned),
        ]
    return found


def merged(table: ScoreTable, at_most: int) -> tuple[ScoreTable, bool]:
    """The table with neighbouring scores joined until few are left, and whether any were.

    A joined entry keeps the lowest of its scores, so that every point of a curve
    made from it is a point of the full curve.
    """
    size = len(table.scores)
    if size <= at_most:
        return table, False
    rows = np.cumsum(table.positives + table.negatives)
    wanted = np.linspace(0, float(rows[-1]), at_most + 1)[1:]
    last = np.unique(np.searchsorted(rows, wanted, side="left").clip(0, size - 1))
    last = np.unique(np.append(last, size - 1))
    starts = np.concatenate([[0], last[:-1] + 1])
    return (
        ScoreTable(
            table.scores[last],
            np.add.reduceat(table.positives, starts),
            np.add.reduceat(table.negatives, starts),
        ),
        True,
    )


def sweep(table: ScoreTable, thresholds: Sequence[float]) -> dict[str, list[Any]]:
    """The sweep table: declared thresholds among steps over the range of the scores."""
    if not len(table.scores):
        return curves.threshold_sweep(table, [])
    low, high = float(table.scores[-1]), float(table.scores[0])
    if len(table.scores) <= SWEEP_ROWS:
        steps = [float(score) for score in table.scores]
    elif low >= 0 and high <= 1:
        steps = list(SWEEP)
    else:
        places = np.linspace(0, len(table.scores) - 1, 21).astype(int)
        steps = [float(score) for score in table.scores[places]]
    return curves.threshold_sweep(table, sorted({*steps, *thresholds}, reverse=True))
