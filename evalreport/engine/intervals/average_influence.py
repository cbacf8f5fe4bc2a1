"""The variance of an average over classes on large samples, without resampling.

The influence of a row on the average is the sum of its influences on the classes, each
by the weight of its class; a row also moves the weights of a weighted average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.declare import Average, Kind, Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.task import Task
from evalreport.statistics.exact_sums import exact_sum

if TYPE_CHECKING:
    from evalreport.engine.intervals.measuring import Measuring

Slopes = Mapping[int, tuple[Any, Any]]


def average_variance(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    tables: Sequence[ScoreTable],
    values: Sequence[Evaluated],
) -> float | None:
    """Variance of independent unweighted rows; None where the influence is not known.

    ``tables`` and ``values`` are those of the classes; undefined classes are left out.
    """
    if metric.influence is None:
        return None
    known = {k: v.outcome.number for k, v in enumerate(values) if isinstance(v.outcome, Value)}
    support = {k: float(tables[k].positive_total) for k in known}
    if not known or any(not float(tables[k].negative_total) for k in known):
        return None
    weighted = task.average == Average.WEIGHTED.value
    total = sum(support.values())
    share = {k: support[k] / total if weighted else 1 / len(known) for k in known}
    mean = sum(share[k] * known[k] for k in known)
    moved = {k: (known[k] - mean) / total if weighted else 0.0 for k in known}
    slopes = {k: metric.influence(tables[k], **arguments) for k in known}
    if any(slope is None for slope in slopes.values()):
        return None
    if len(tables) == 2:
        return _of_mirrored(measurer, metric, tables, slopes, share, moved)
    return _of_columns(measurer, task, tables, slopes, share, moved)


def pooled_variance(
    measurer: Measuring,
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    together: ScoreTable,
) -> float | None:
    """Variance of a metric of the pooled scores of all classes, by independent unweighted rows.

    A row stands in the pooled table once for each class: its influences are added up before
    they are squared.
    """
    slopes = None if metric.influence is None else metric.influence(together, **arguments)
    if slopes is None:
        return None
    classes = range(len(measurer.view.labels))
    still = dict.fromkeys(classes, 0.0)
    each: Slopes = dict.fromkeys(classes, slopes)
    once = dict.fromkeys(classes, 1.0)
    return _of_columns(measurer, task, [together] * len(classes), each, once, still)


def _of_columns(
    measurer: Measuring,
    task: Task,
    tables: Sequence[ScoreTable],
    slopes: Slopes,
    share: dict[int, float],
    moved: dict[int, float],
) -> float:
    """One column of scores per class: the influences of each row are added up."""
    view, rows = measurer.view, measurer.tables.kinds(task.where)
    assert view.class_scores is not None
    actual = view.actual[rows]
    influence = np.zeros(len(rows))
    for k, part in share.items():
        of_positive, of_negative = slopes[k]
        entry = np.searchsorted(-tables[k].scores, -view.class_scores[rows, k])
        own = actual == k
        influence += part * np.where(own, of_positive[entry], of_negative[entry])
        influence += np.where(own, moved[k], 0.0)
    return exact_sum(influence**2, None if view.times is None else view.times[rows])


def _of_mirrored(
    measurer: Measuring,
    metric: Metric,
    tables: Sequence[ScoreTable],
    slopes: Slopes,
    share: dict[int, float],
    moved: dict[int, float],
) -> float:
    """One score of two classes: both influences belong to the same entry of one table."""
    k = measurer.view.positive_index
    own, other = tables[k], tables[1 - k]
    turned = 1.0 - own.scores if metric.kind is Kind.PROBABILITY else -own.scores
    entry = np.searchsorted(-other.scores, -turned)
    nothing = np.zeros(len(own.scores)), np.zeros(len(own.scores))
    first, second = slopes.get(k, nothing), slopes.get(1 - k)
    second = (nothing[0][: len(other.scores)],) * 2 if second is None else second
    of_positive: Any = share.get(k, 0.0) * first[0] + share.get(1 - k, 0.0) * second[1][entry]
    of_negative: Any = share.get(k, 0.0) * first[1] + share.get(1 - k, 0.0) * second[0][entry]
    of_positive = of_positive + moved.get(k, 0.0)
    of_negative = of_negative + moved.get(1 - k, 0.0)
    return float(np.sum(own.positives * of_positive**2) + np.sum(own.negatives * of_negative**2))
