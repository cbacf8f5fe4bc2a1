"""Ranks across different fits: when the interval of a pooled area, or the like, is kept.

Out-of-fold scores come from as many fits as there are folds, and each fit has a scale of its
own: the one that was trained without a positive row scores all rows a little lower. A metric
that holds rows of one fold against rows of another takes such shifts for mistakes. At the
extreme, leave-one-out of a model that knows nothing has an area of 0 where the truth is 0.5
(Parker B., Guenter S., Bedo J. BMC Bioinformatics 8, 2007; Airola A. et al. Computational
Statistics and Data Analysis 55, 2011). Within a fold there is one scale. So limits of a
pooled value stand only where those of the pooled area under the ROC curve hold the mean area
within folds, which estimates the same: the share of pairs that are ranked rightly. Other
metrics of ranks follow from the same order of the rows, but their mean over small folds has
another expectation, so the area speaks for them. Subgroups share the fits, so all rows speak
for them too; few of their rows are in any one fold.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalreport.metrics.declare import Metric
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.task import Task
from evalreport.predict.view import LabelView
from evalreport.results import records
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.statistics import delong
from evalreport.statistics.interval import Interval
from evalreport.statistics.proportions import wilson_n_eff

if TYPE_CHECKING:
    from evalreport.engine.intervals.measuring import Measuring

#: How every reason begins, by which a caution finds what it is about.
ONE_SCALE = "scores of different fits are not on one scale"


def fits_of(view: LabelView) -> int:
    """How many fits the scores of a view come from; 1 where they are not out of fold."""
    if view.fold is not None:
        return len(view.fold[1])
    return len(view.fold_sizes or ()) or 1


#: Why ranks of single rows that a constant model was fitted without are no value.
CONSTANT = (
    "the model is constant: the score of each left-out row follows from its own class, so their "
    "ranks show nothing about the model"
)


def is_constant(measurer: Measuring, index: int | None) -> bool:
    """Whether scores of single left-out rows come from a model that is constant.

    Fitted without a positive row it has seen one fewer, so it scores that row lower than it does a
    negative one: there are two scores, one for each class, in the wrong order. That is seen of a
    file with a fold for each row, too; two or three rows may have such scores by chance.
    """
    if not 4 <= fits_of(measurer.view) == measurer.view.rows:
        return False
    pooled = measurer.tables.scores(EVERYTHING, index)
    positive, negative = np.flatnonzero(pooled.positives), np.flatnonzero(pooled.negatives)
    alone = len(positive) == len(negative) == 1
    return alone and bool(pooled.scores[positive[0]] < pooled.scores[negative[0]])


def kept(
    measurer: Measuring, task: Task, metric: Metric, interval: records.Interval, own: int | None
) -> tuple[records.Interval | None, str | None]:
    """The interval of a pooled value, with a note, or None and why it is not given.

    ``own``: column of the class scores; None where there is one score, or for all classes.
    """
    view = measurer.view
    fits = fits_of(view)
    if fits < 2 or task.where.fold is not None or not metric.ranks_rows:
        return interval, None
    if view.fold is None:
        return None, f"{ONE_SCALE}: each of the {fits} fits scored a single row"
    several = view.class_scores is not None and own is None
    for index in range(len(view.labels)) if several else (own,):
        pooled = measurer.tables.scores(EVERYTHING, index)
        limits = _limits(pooled, measurer.settings.level)
        within = _within_folds(measurer, index)
        if within is None:
            return None, f"{ONE_SCALE}: none of the {fits} folds has both classes"
        if limits is not None and not limits.low <= within <= limits.high:
            area = delong.auc(pooled.positives, pooled.negatives)
            return None, (
                f"{ONE_SCALE}: ranked together the area under the ROC curve is {area:.4g}, "
                f"within folds {within:.4g} on average"
            )
    text = f"scores of {fits} fits are ranked together"
    return interval.noted(text), None


def _limits(table: ScoreTable, level: float) -> Interval | None:
    """Limits of the pooled area; without a variance those of its independent pairs."""
    found = delong.area_of(table.positives, table.negatives)
    if found is None:
        return None
    limits = delong.delong_logit(found, level)
    if limits is not None and limits.low < limits.high:
        return limits
    pairs = min(float(table.positive_total), float(table.negative_total))
    return wilson_n_eff(found.area, pairs, level)


def _within_folds(measurer: Measuring, index: int | None) -> float | None:
    """The mean area over the folds that hold both classes; None where none does."""
    assert measurer.view.fold is not None
    found = []
    for name in measurer.view.fold[1]:
        where = Slice((), name)
        if measurer.tables.row_count(where):
            table = measurer.tables.scores(where, index)
            area = delong.auc(table.positives, table.negatives)
            found += [] if area is None else [area]
    return math.fsum(found) / len(found) if found else None
