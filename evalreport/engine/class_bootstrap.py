"""Bootstrap of metrics over several columns of class scores: whole rows are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.declare import Average, Metric
from evalreport.metrics.tables import ClassScores, ScoreTable
from evalreport.plan.task import Task
from evalreport.statistics import resampling

if TYPE_CHECKING:
    from evalreport.engine.measures import Measurer

Floats = npt.NDArray[np.float64]

#: Rows times classes above which rows are not drawn.
MOST_CELLS = 2_000_000
_BATCH = 2_000_000


def class_replicates(
    measurer: Measurer, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> Floats | None:
    """Replicates of a class average or of a metric of all class scores, shape (B,)."""
    view, where = measurer.view, task.where
    rows = measurer.tables.rows(where)
    size = len(view.labels)
    if view.class_scores is None or len(rows) * size > MOST_CELLS:
        return None
    columns = [ScoreColumn(view.class_scores[rows, k]) for k in range(size)]
    actual = view.actual[rows]
    own = OwnScores(view.class_scores[rows], actual)
    weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
    unit = np.arange(len(rows))
    if view.cluster is not None:
        _, unit = np.unique(view.cluster[0][rows], return_inverse=True)
    rng = resampling.generator(
        measurer.settings.seed, view.dataset, view.model, str(where), "rows"
    )
    found = []
    step = max(1, _BATCH // max(1, len(rows)))
    units = int(unit.max()) + 1
    for drawn in resampling.cluster_resamples(units, measurer.settings.resamples, rng):
        for start in range(0, len(drawn), step):
            times = drawn[start : start + step][:, unit] * weight
            found.append(_values(task, metric, arguments, columns, own, times, view.labels))
    values = np.concatenate(found)
    return np.where(np.isfinite(values), values, np.nan)


class ScoreColumn:
    """One column of scores in order, ready to be counted again."""

    def __init__(self, scores: Floats) -> None:
        self.order = np.argsort(-scores, kind="stable")
        ordered = scores[self.order]
        self.starts = np.concatenate([[0], np.nonzero(ordered[1:] != ordered[:-1])[0] + 1])
        self.scores = ordered[self.starts]

    def table(self, positive: npt.NDArray[np.bool_], times: Floats) -> ScoreTable:
        """The score table of drawn rows; ``times``: shape (b, rows)."""
        ordered = times[:, self.order]
        chosen = positive[self.order]
        return ScoreTable(
            self.scores,
            np.add.reduceat(ordered * chosen, self.starts, axis=1),
            np.add.reduceat(ordered * ~chosen, self.starts, axis=1),
        )


class OwnScores:
    """What each row's actual class was given: its score, and its rank among the columns.

    Ties count by their place in class order, as :class:`ClassScores` does.
    """

    def __init__(self, scores: Floats, actual: npt.NDArray[Any]) -> None:
        self.actual = actual
        self.size = scores.shape[1]
        own = scores[np.arange(len(actual)), actual]
        before = np.arange(self.size) < actual[:, None]
        ahead = (scores > own[:, None]) | ((scores == own[:, None]) & before)
        self.rank = ahead.sum(axis=1)
        self.order = np.argsort(own, kind="stable")
        ordered = own[self.order]
        self.starts = np.concatenate([[0], np.nonzero(ordered[1:] != ordered[:-1])[0] + 1])
        self.scores = ordered[self.starts]

    def weights(self, times: Floats) -> Floats:
        """The weight of each distinct score in drawn rows; ``times``: shape (b, rows)."""
        return np.asarray(np.add.reduceat(times[:, self.order], self.starts, axis=1))

    def ranks(self, times: Floats) -> Floats:
        """The weight of each rank in drawn rows, shape (b, K)."""
        return np.stack([times[:, self.rank == k].sum(axis=1) for k in range(self.size)], axis=-1)


def _values(
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    columns: list[ScoreColumn],
    own: OwnScores,
    times: Floats,
    labels: tuple[str, ...],
) -> Floats:
    size, actual = len(columns), own.actual
    per_class = [columns[k].table(actual == k, times) for k in range(size)]
    with np.errstate(divide="ignore", invalid="ignore"):
        if task.average is not None:
            each = np.stack([np.asarray(metric(t, **arguments).array()) for t in per_class])
            weights = np.ones_like(each)
            if Average(task.average) is Average.WEIGHTED:
                weights = np.stack([t.positive_total for t in per_class])
            usable = np.isfinite(each)
            total = np.where(usable, weights, 0).sum(axis=0)
            return np.asarray(np.where(usable, each * weights, 0).sum(axis=0) / total)
        pairs = {
            (i, j): columns[i].table(
                actual == i, times * ((actual == i) | (actual == j)).astype(np.float64)
            )
            for i in range(size)
            for j in range(size)
            if i != j
        }
        stacked = ClassScores(
            labels=labels,
            per_class=tuple(per_class),
            true_scores=own.scores,
            true_weights=own.weights(times),
            ranks=own.ranks(times),
            class_totals=np.stack([t.positive_total for t in per_class], axis=-1),
            pairs=pairs,
        )
        form = metric.for_classes or metric.function
        return np.broadcast_to(np.asarray(form(stacked, **arguments).array()), times.shape[:1])
