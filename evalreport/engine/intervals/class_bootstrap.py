"""Bootstrap of metrics over several columns of class scores: whole rows are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.canonical_rows import canonical_rows, codes_of
from evalreport.engine.intervals import grouped_jackknife
from evalreport.engine.intervals.bootstrap import Draws, of_rows
from evalreport.engine.intervals.jackknife import MOST_LEFT_OUT, Jackknife, Units, finite
from evalreport.metrics.declare import Average, Metric
from evalreport.metrics.tables import ClassScores, ScoreTable, pooled
from evalreport.plan.task import Task

if TYPE_CHECKING:
    from evalreport.engine.intervals.case import Case
    from evalreport.engine.intervals.measuring import Measuring

Floats = npt.NDArray[np.float64]


def class_replicates(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> Floats | None:
    """Replicates of a class average or of a metric of all class scores, shape (B,)."""
    if measurer.view.class_scores is None:
        return None
    (held, scores), draws = _held(measurer, task), measurer.bootstrap
    drawn = draws.drawn(_to_be_drawn(measurer, held), scores.actual, draws.rng(task.where, "rows"))
    return _values(scores.values(task, metric, arguments, part) for part in drawn)


def class_draws(case: Case) -> Draws | None:
    """The same of drawn rows or clusters, or without some; None without scores of each class."""
    if case.measurer.view.class_scores is None:
        return None
    of = case.measurer, case.task, case.metric, case.arguments
    replicates = partial(class_replicates, *of)
    return Draws(replicates, partial(_jackknife, case), partial(_left_out, case))


def _jackknife(case: Case) -> Jackknife:
    """The same metric with one row or cluster left out, or groups of them where they are many."""
    held, scores = _held(case.measurer, case.task)
    if held.many > MOST_LEFT_OUT:
        values = _left_out(case)
        return values, np.ones(len(values))
    kept = of_rows(held, [1 - np.eye(held.many, dtype=np.int64)])
    task, metric, arguments = case.task, case.metric, case.arguments
    values = _values(scores.values(task, metric, arguments, part) for part in kept)
    return values, np.ones(held.many)


def _left_out(case: Case) -> Floats:
    """The same metric without each of the groups of the grouped jackknife."""
    return _values(
        scores.values(case.task, case.metric, case.arguments, times)
        for scores, times in _each_left_out(case)
    )


def _values(parts: Iterable[Floats]) -> Floats:
    return finite(np.concatenate(list(parts)))


def _each_left_out(case: Case) -> Iterator[tuple[Columns, Floats]]:
    """What is drawn, and how much of each is left without each group of rows or clusters."""
    measurer, task = case.measurer, case.task
    view, rng = measurer.view, grouped_jackknife.lots(measurer.settings.seed)
    if view.weight is None and view.cluster is None and view.sample is None:
        kinds, rows = _alike(measurer, task)
        parts = grouped_jackknife.parts_of_kinds(rows, rng)
        if parts is not None:
            yield from ((kinds, (rows - part).astype(np.float64)[None]) for part in parts)
            return
    held, scores = _held(measurer, task)
    kept = measurer.bootstrap.without_groups(_to_be_drawn(measurer, held), rng)
    yield from ((scores, part) for part in kept)


def _alike(measurer: Measuring, task: Task) -> tuple[Columns, npt.NDArray[np.int64]]:
    """The kinds of rows of a task that differ, and how many rows are of each."""
    view, kinds = measurer.view, measurer.tables.kinds(task.where)
    assert view.class_scores is not None
    scores, actual = view.class_scores[kinds], view.actual[kinds]
    times = None if view.times is None else view.times[kinds]
    code = codes_of(actual, *scores.T)
    _, first = np.unique(code, return_index=True)
    rows = np.bincount(code, times).astype(np.int64)
    return Columns(view.labels, scores[first], actual[first]), rows


def _held(measurer: Measuring, task: Task) -> tuple[Units, Columns]:
    """The rows of a task in canonical order, each by its place, and their scores of each class."""
    view, rows = measurer.view, measurer.tables.rows(task.where)
    assert view.class_scores is not None
    weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
    cluster = None if view.cluster is None else view.cluster[0][rows]
    code = codes_of(view.actual[rows], *view.class_scores[rows].T)
    order, unit = canonical_rows(code, weight, cluster)
    rows = rows[order]
    scores = Columns(view.labels, view.class_scores[rows], view.actual[rows])
    return Units(rows, weight[order], unit), scores


def _to_be_drawn(measurer: Measuring, held: Units) -> Units:
    """The same rows by what is drawn of them: of a sample its units, by the place of each row."""
    return held if measurer.view.sample is None else held._replace(unit=held.code)


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
        if len(self.starts) == len(self.order):  # no ties: nothing has to be added up
            own = ordered * chosen
            return ScoreTable(self.scores, own, ordered - own)
        return ScoreTable(
            self.scores,
            np.add.reduceat(ordered * chosen, self.starts, axis=1),
            np.add.reduceat(ordered * ~chosen, self.starts, axis=1),
        )


class Columns:
    """Rows with a score of each class, ready to be counted again as often as they are drawn."""

    def __init__(self, labels: tuple[str, ...], scores: Floats, actual: npt.NDArray[Any]) -> None:
        self.labels, self.actual, self.size = labels, actual, len(labels)
        self.columns = [ScoreColumn(scores[:, k]) for k in range(self.size)]
        # what the actual class was given; ties count by their place in class order
        own = scores[np.arange(len(actual)), actual]
        before = np.arange(self.size) < actual[:, None]
        ahead = (scores > own[:, None]) | ((scores == own[:, None]) & before)
        self._own, self._rank = ScoreColumn(own), ahead.sum(axis=1)

    def values(
        self,
        task: Task,
        metric: Metric,
        arguments: Mapping[str, Any],
        times: Floats,
        index: int | None = None,
    ) -> Floats:
        """A class average, or a metric of class ``index`` or of all class scores; shape (b,).

        ``times``: how much each row counts, shape (b, rows).
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            if index is not None:
                found = metric(self._table(index, times), **arguments)
            elif task.average is None:
                form = metric.for_classes or metric.function
                found = form(self._all_scores(times, pairs=metric.class_pairs), **arguments)
            else:
                tables = [self._table(k, times) for k in range(self.size)]
                return average_of(tables, metric, arguments, Average(task.average))
            return np.broadcast_to(np.asarray(found.array(), np.float64), times.shape[:1])

    def _table(self, k: int, times: Floats) -> ScoreTable:
        return self.columns[k].table(self.actual == k, times)

    def _all_scores(self, times: Floats, *, pairs: bool) -> ClassScores:
        per_class = tuple(self._table(k, times) for k in range(self.size))
        is_of = [self.actual == k for k in range(self.size)]
        ranks = [times[:, self._rank == k].sum(axis=1) for k in range(self.size)]
        everyone = self._own.table(np.ones(len(self.actual), np.bool_), times)
        return ClassScores(
            labels=self.labels,
            per_class=per_class,
            true_scores=everyone.scores,
            true_weights=everyone.positives,
            ranks=np.stack(ranks, axis=-1),
            class_totals=np.stack([t.positive_total for t in per_class], axis=-1),
            pairs={
                (i, j): self._table(i, times * (is_of[i] | is_of[j]))
                for i, j in (permutations(range(self.size), 2) if pairs else ())
            },
        )


def average_of(
    tables: list[ScoreTable], metric: Metric, arguments: Mapping[str, Any], kind: Average
) -> Floats:
    """The average of a metric of stacked tables of the classes, shape (b,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind is Average.MICRO:
            of_all = np.asarray(metric(pooled(tables), **arguments).array(), np.float64)
            return np.broadcast_to(of_all, tables[0].positives.shape[:1])
        each = np.stack([np.asarray(metric(t, **arguments).array(), np.float64) for t in tables])
        support = np.stack([np.asarray(t.positive_total, np.float64) for t in tables])
        usable = np.isfinite(each)
        weights = np.where(usable, support if kind is Average.WEIGHTED else 1.0, 0.0)
        total = weights.sum(axis=0)
        return np.asarray(np.where(usable, each * weights, 0).sum(axis=0) / total)
