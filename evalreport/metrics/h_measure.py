"""The H-measure: expected misclassification loss over a distribution of costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from evalreport.metrics.declare import CLASS_MEANS, Parameter, metric
from evalreport.metrics.formula import Cell, Expression, ratio
from evalreport.metrics.recalibration import stretches
from evalreport.metrics.tables import ScoreTable


@metric(
    title="H-measure",
    averages=CLASS_MEANS,
    undefined="only one class occurs",
    parameters=(
        Parameter(
            "alpha",
            float,
            optional=True,
            low=0.0,
            open_low=True,
            high=1e6,
            meaning="first parameter of the costs, default 1 + share of positives",
        ),
        Parameter(
            "beta",
            float,
            optional=True,
            low=0.0,
            open_low=True,
            high=1e6,
            meaning="second parameter, default 1 + share of negatives",
        ),
    ),
    use="as an alternative to ROC AUC that weighs costs equally for every classifier",
    avoid="without its two parameters: they are part of the measure",
    reference="Hand D. Machine Learning 77, 2009; Hand D., Anagnostopoulos C. Pattern Recognition "
    "Letters 40, 2014",
)
def h_measure(
    s: ScoreTable, *, alpha: float | None = None, beta: float | None = None
) -> Expression:
    """How much of the expected loss of the best constant answer the scores save.

    The cost c of a false positive (that of a false negative is 1 - c) follows a
    beta distribution. For each c the best threshold is taken: a group of rows of
    the ROC curve's convex hull is predicted positive while its share of positives
    is above c.

    >>> scores = np.array([0.9, 0.1])
    >>> h_measure(ScoreTable(scores, np.array([1, 0]), np.array([0, 1]))).outcome()
    Value(1.0)
    >>> h_measure(ScoreTable(np.array([0.5]), np.array([1]), np.array([1]))).outcome()
    Value(0.0)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        positive = np.true_divide(s.positive_total, s.total)
    first = np.broadcast_to(1 + positive if alpha is None else alpha, positive.shape)
    second = np.broadcast_to(2 - positive if beta is None else beta, positive.shape)
    if not s.stacked:
        return _saved(*_losses(s.positives, s.negatives, float(first), float(second)))
    tables = zip(s.positives, s.negatives, first, second, strict=True)
    found = np.array([_losses(*table) for table in tables]).reshape(-1, 2)
    return _saved(found[:, 0], found[:, 1])


def _saved(loss: Any, constant: Any) -> Expression:
    return 1 - ratio(Cell("expected loss", loss), Cell("loss of the best constant", constant))


def _losses(positives: Any, negatives: Any, alpha: float, beta: float) -> tuple[float, float]:
    """Expected loss of the scores and of the best constant answer, in rows."""
    p, n = float(positives.sum()), float(negatives.sum())
    if p == 0 or n == 0:
        return 0.0, 0.0
    _, _, hull_p, hull_n = stretches(positives, negatives)
    constant = _expected(np.array([p]), np.array([n]), alpha, beta)
    if len(hull_p) == 1:  # no threshold is better than a constant answer
        return constant, constant
    return _expected(hull_p, hull_n, alpha, beta), constant


def _expected(positives: Any, negatives: Any, alpha: float, beta: float) -> float:
    """Expected loss when each group is predicted positive at costs below its share of positives."""
    from scipy.special import betainc, betaincc

    turn = positives / (positives + negatives)
    mean = alpha / (alpha + beta)
    false_alarms = negatives * mean * betainc(alpha + 1, beta, turn)
    misses = positives * (1 - mean) * betaincc(alpha, beta + 1, turn)
    return float(np.sum(false_alarms + misses))
