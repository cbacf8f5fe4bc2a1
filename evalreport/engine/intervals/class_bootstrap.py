"""Bootstrap of metrics over several columns of class scores: whole rows are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.canonical_rows import canonical_rows, codes_of
from evalreport.engine.intervals.jackknife import MOST_LEFT_OUT, Jackknife, finite
from evalreport.metrics.declare import Average, Metric
from evalreport.metrics.tables import ClassScores, ScoreTable
from evalreport.plan.task import Task
from evalreport.statistics import resampling

if TYPE_CHECKING:
    from evalreport.engine.intervals.measuring import Measuring

Floats = npt.NDArray[np.float64]

#: Rows times classes above which rows are not drawn.
MOST_CELLS = 2_000_000
_BATCH = 2_000_000


def class_replicates(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> Floats | None:
    """Replicates of a class average or of a metric of all class scores, shape (B,)."""
    drawn = _Drawn.of(measurer, task)
    if drawn is None:
        return None
    view = measurer.view
    rng = resampling.generator(
        measurer.settings.seed, view.dataset, view.model, str(task.where), "rows"
    )
    found = []
    for times in resampling.cluster_resamples(drawn.units, measurer.settings.resamples, rng):
        found += [drawn.values(task, metric, arguments, part) for part in drawn.batches(times)]
    return finite(np.concatenate(found))


def class_jackknife(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> Jackknife | None:
    """The same metric with one row or cluster left out; None where there are too many."""
    drawn = _Drawn.of(measurer, task)
    if drawn is None or drawn.units > MOST_LEFT_OUT:
        return None
    kept = 1 - np.eye(drawn.units, dtype=np.int64)
    found = [drawn.values(task, metric, arguments, part) for part in drawn.batches(kept)]
    return finite(np.concatenate(found)), np.ones(drawn.units)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The rows of a slice in canonical order, ready to be drawn by ``unit``."""

    labels: tuple[str, ...]
    columns: list[ScoreColumn]
    own: OwnScores
    weight: Floats
    unit: npt.NDArray[Any]

    @classmethod
    def of(cls, measurer: Measuring, task: Task) -> _Drawn | None:
        """The rows of a task; None where there are too many."""
        view, rows = measurer.view, measurer.tables.rows(task.where)
        size = len(view.labels)
        if view.class_scores is None or len(rows) * size > MOST_CELLS:
            return None
        scores, actual = view.class_scores[rows], view.actual[rows]
        weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
        cluster = None if view.cluster is None else view.cluster[0][rows]
        order, unit = canonical_rows(codes_of(actual, *scores.T), weight, cluster)
        scores, actual = scores[order], actual[order]
        return cls(
            view.labels,
            [ScoreColumn(scores[:, k]) for k in range(size)],
            OwnScores(scores, actual),
            weight[order],
            unit,
        )

    @property
    def units(self) -> int:
        """How many rows or clusters are drawn."""
        return int(self.unit.max()) + 1

    def batches(self, times: npt.NDArray[Any]) -> Iterator[Floats]:
        """The weight of each row, from how often each unit is drawn; shape (b, rows)."""
        step = max(1, _BATCH // max(1, len(self.unit)))
        for start in range(0, len(times), step):
            yield times[start : start + step][:, self.unit] * self.weight

    def values(
        self, task: Task, metric: Metric, arguments: Mapping[str, Any], times: Floats
    ) -> Floats:
        """The metric of drawn rows, shape (b,)."""
        return _values(task, metric, arguments, self.columns, self.own, times, self.labels)


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
