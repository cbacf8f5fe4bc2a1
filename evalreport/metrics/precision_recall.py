"""Areas under the precision-recall curve: step sum, trapezoid, and exact interpolation.

The three differ: straight lines between points of a precision-recall curve are
too optimistic (Davis and Goadrich 2006). The step sum is the one to report.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evalreport.metrics import chance, influence
from evalreport.metrics.declare import ALL_AVERAGES, CLASS_MEANS, Interval, metric
from evalreport.metrics.formula import Ratio, ratio
from evalreport.metrics.tables import ScoreTable

DAVIS = "Davis J., Goadrich M. The relationship between precision-recall and ROC curves. ICML 2006"
NO_ACTUAL = "no row is actually {label}"


@metric(
    title="Average precision",
    aliases=("ap", "average_precision_score"),
    averages=ALL_AVERAGES,
    interval=Interval.RANKED,
    undefined=NO_ACTUAL,
    use="to summarise the precision-recall curve of a rare class; chance is its prevalence",
    avoid="across samples of different prevalence",
    influence=influence.average_precision,
    chance=chance.own_share,
    reference="Manning C. et al. Introduction to Information Retrieval, 2008, section 8.4",
)
def average_precision(s: ScoreTable) -> Ratio:
    """Precision at each score, weighted by the share of positives that the score adds.

    A sum of steps, without interpolation.

    >>> scores = np.array([0.8, 0.4, 0.35, 0.1])
    >>> s = ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))
    >>> average_precision(s).outcome()
    Value(0.8333333333333333)
    """
    steps = s.positives * _precision(s, 0.0)
    return ratio(s.cell("sum(positives added * precision)", steps), s.actual_positives)


@metric(
    title="PR AUC (trapezoid)",
    aliases=("auprc", "auc_pr"),
    averages=CLASS_MEANS,
    interval=Interval.RANKED,
    undefined=NO_ACTUAL,
    use="to agree with tools that join the precision-recall points by straight lines",
    avoid="as the summary of choice: straight lines are too optimistic; prefer average precision",
    influence=influence.pr_auc,
    reference=DAVIS,
)
def pr_auc(s: ScoreTable) -> Ratio:
    """The area under straight lines through the points of the precision-recall curve.

    The curve starts at recall 0 with precision 1. Where all rows have one and the
    same score there is no curve but one point; its precision, the prevalence, is
    then the area.

    >>> scores = np.array([0.8, 0.4, 0.35, 0.1])
    >>> s = ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))
    >>> round(pr_auc(s).outcome().number, 4)
    0.7917
    """
    held = ((s.positives + s.negatives) > 0).sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        prevalence = np.true_divide(s.positive_total, s.total)[..., None]
    start = np.where(held > 1, 1.0, prevalence)
    precision = _precision(s, start)
    before = np.concatenate([start, precision[..., :-1]], axis=-1)[..., : precision.shape[-1]]
    steps = s.positives * (precision + before) / 2
    return ratio(s.cell("sum(positives added * mean precision)", steps), s.actual_positives)


@metric(
    title="PR AUC (interpolated)",
    averages=CLASS_MEANS,
    undefined=NO_ACTUAL,
    use="for the area of the precision-recall curve that the ROC curve implies",
    avoid="beside a step sum or a trapezoid without saying which is which",
    reference=f"{DAVIS}; Keilwagen J. et al. PLoS ONE 9, 2014",
)
def pr_auc_interpolated(s: ScoreTable) -> Ratio:
    """The area under the curve that straight lines of the ROC curve become, integrated exactly.

    Between two points true and false positives grow in proportion, so precision
    is a hyperbola of recall (Keilwagen et al. 2014); the first piece is flat.

    >>> s = ScoreTable(np.array([0.5]), np.array([2]), np.array([3]))
    >>> pr_auc_interpolated(s).outcome()
    Value(0.4)
    """
    return ratio(s.cell("sum(area between points)", _hyperbolas(s)), s.actual_positives)


def _hyperbolas(s: ScoreTable) -> Any:
    """Integral of TP / (TP + FP) over TP, between each point of the curve and the one before."""
    dt, df = s.positives, s.negatives
    tp, fp = s.true_positives - dt, s.false_positives - df
    added = np.where(dt + df > 0, dt + df, 1)
    share = dt / added
    lean = fp * share - tp * (df / added)
    growth = np.log1p(np.divide(dt + df, tp + fp, out=np.zeros(dt.shape), where=tp + fp > 0))
    return dt * share - lean * share * growth


def _precision(s: ScoreTable, where_none: Any) -> Any:
    """Precision at each score; ``where_none`` where no row is predicted positive yet."""
    predicted = s.true_positives + s.false_positives
    found = np.array(np.broadcast_to(where_none, predicted.shape), dtype=np.float64)
    return np.divide(s.true_positives, predicted, out=found, where=predicted > 0)
