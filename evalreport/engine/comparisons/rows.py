"""A model's score metrics on drawn rows: nothing is sorted again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.comparisons.pairs import Side
from evalreport.engine.counting.mirrored_scores import mirrored
from evalreport.metrics.comparing import Family, family_of
from evalreport.metrics.declare import Average, Metric, Table
from evalreport.metrics.tables import ClassScores, ScoreTable
from evalreport.plan.task import Task

Floats = npt.NDArray[np.float64]
Values = Callable[[], Any]


class _Order:
    """One column of scores in order, ready to be counted again."""

    def __init__(self, scores: Floats) -> None:
        self.rows = np.argsort(-scores, kind="stable")
        ordered = scores[self.rows]
        self.starts = np.concatenate([[0], np.nonzero(ordered[1:] != ordered[:-1])[0] + 1])
        self.scores = ordered[self.starts]

    def table(self, positive: npt.NDArray[np.bool_], times: Floats) -> ScoreTable:
        """The score table of drawn rows; ``times``: shape (b, n)."""
        ordered, chosen = times[:, self.rows], positive[self.rows]
        return ScoreTable(
            self.scores,
            np.add.reduceat(ordered * chosen, self.starts, axis=1),
            np.add.reduceat(ordered * ~chosen, self.starts, axis=1),
        )


class DrawnRows:
    """Metrics of one side on the rows of the current :meth:`draw`."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.times: Floats = np.zeros((0, side.view.rows))
        self._orders: dict[int, _Order] = {}
        self._tables: dict[Any, ScoreTable] = {}

    def draw(self, times: Floats) -> None:
        """Take new rows; ``times``: how often each is drawn times its weight, shape (b, n)."""
        self.times = times
        self._tables = {}

    def function(self, task: Task) -> Values:
        """The metric of a task on whatever rows are drawn, as a call without arguments."""
        metric, arguments = self.side.metric(task), self.side.arguments(task)
        if family_of(metric, task.average) is Family.MEAN:
            losses = self.side.losses(task)
            if losses is not None:
                known = losses
                return lambda: (self.times * known).sum(axis=1) / self.times.sum(axis=1)
        if task.average is not None:
            return lambda: self._average(metric, arguments, Average(task.average))
        if task.table == Table.CLASS_SCORES.value:
            return lambda: self._of_class_scores(metric, arguments)
        index = self.side.class_index(task)
        return lambda: self._broadcast(metric(self._table(index), **arguments))

    def _broadcast(self, expression: Any) -> Any:
        return np.broadcast_to(np.asarray(expression.array(), np.float64), (len(self.times),))

    def _order(self, index: int) -> _Order:
        if index not in self._orders:
            view = self.side.view
            column = view.score if len(view.labels) <= 2 else view.class_scores[:, index]  # type: ignore[index]
            assert column is not None
            self._orders[index] = _Order(column)
        return self._orders[index]

    def _table(self, index: int) -> ScoreTable:
        if index not in self._tables:
            positive = self.side.view.actual == index
            self._tables[index] = self._order(index).table(positive, self.times)
        return self._tables[index]

    def _average(self, metric: Metric, arguments: dict[str, Any], average: Average) -> Any:
        view = self.side.view
        places = range(len(view.labels))
        if len(view.labels) > 2:
            tables = [self._table(k) for k in places]
        else:
            own = self._table(view.positive_index)
            tables = [
                own if k == view.positive_index else mirrored(own, metric.kind) for k in places
            ]
        each = np.stack([self._broadcast(metric(t, **arguments)) for t in tables])
        weights = np.ones_like(each)
        if average is Average.WEIGHTED:
            weights = np.stack([t.positive_total for t in tables])
        usable = np.isfinite(each)
        total = np.where(usable, weights, 0).sum(axis=0)
        return np.where(usable, each * weights, 0).sum(axis=0) / total

    def _of_class_scores(self, metric: Metric, arguments: dict[str, Any]) -> Any:
        view, size = self.side.view, len(self.side.view.labels)
        assert view.class_scores is not None
        own = view.class_scores[np.arange(view.rows), view.actual]
        true_scores, entry = np.unique(own, return_inverse=True)
        ahead = (view.class_scores > own[:, None]).sum(axis=1)
        before = np.arange(size) < view.actual[:, None]
        rank = ahead + ((view.class_scores == own[:, None]) & before).sum(axis=1)
        tables = tuple(self._table(k) for k in range(size))
        drawn = ClassScores(
            labels=view.labels,
            per_class=tables,
            true_scores=true_scores,
            true_weights=self._counted(entry.reshape(-1), len(true_scores)),
            ranks=self._counted(rank, size),
            class_totals=np.stack([t.positive_total for t in tables], axis=-1),
            pairs=self._pairs() if metric.class_pairs else {},
        )
        form = metric.for_classes or metric.function
        return self._broadcast(form(drawn, **arguments))

    def _counted(self, entry: npt.NDArray[Any], size: int) -> Floats:
        return np.stack([np.bincount(entry, row, size) for row in self.times])

    def _pairs(self) -> dict[tuple[int, int], ScoreTable]:
        actual, size = self.side.view.actual, len(self.side.view.labels)
        found = {}
        for i in range(size):
            for j in range(size):
                if i != j:
                    both = (actual == i) | (actual == j)
                    found[i, j] = self._order(i).table(actual == i, self.times * both)
        return found
