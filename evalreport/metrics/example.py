"""What a metric looks like on a small table: for pages that explain it without any data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.sets_table import LabelSets
from evalreport.metrics.tables import ClassScores, Counts, Matrix, ScoreTable


def shown_formula(metric: Metric) -> str:
    """The declared formula, or the one that the metric's own arithmetic shows.

    >>> from evalreport.metrics.counts import precision
    >>> shown_formula(precision)
    'TP / (TP + FP)'
    """
    if metric.formula:
        return metric.formula
    return str(metric(_EXAMPLES[metric.table](), **_arguments(metric)).formula())


def _arguments(metric: Metric) -> dict[str, Any]:
    given = {"prevalence": 0.5} | ({metric.one_of[0]: 0.5} if metric.one_of else {})
    context = {
        "threshold": 0.5,
        "costs": {"false_negative": 5, "false_positive": 1},
        "parents": {},
        "highest": (5, 10),
    }
    return metric.arguments(given) | {name: context[name] for name in metric.context}


def _score_table() -> ScoreTable:
    return ScoreTable(np.array([0.75, 0.25]), np.array([2, 1]), np.array([1, 2]))


def _class_scores() -> ClassScores:
    one, scores, table = np.array([1, 1]), np.array([0.75, 0.25]), _score_table()
    pairs = {(0, 1): table, (1, 0): table}
    return ClassScores(("a", "b"), (table, table), scores, one, one, one, pairs)


def _label_sets() -> LabelSets:
    flags = np.array([[True, False], [False, True]])
    return LabelSets(("a", "b"), flags, flags, flags * 1.0)


_EXAMPLES: dict[Table, Callable[[], Any]] = {
    Table.COUNTS: lambda: Counts(tp=4, fp=1, fn=2, tn=3),
    Table.MATRIX: lambda: Matrix.from_counts([[3, 1], [2, 4]]),
    Table.SCORES: _score_table,
    Table.CLASS_SCORES: _class_scores,
    Table.LABEL_SETS: _label_sets,
}
