"""Bootstrap of metrics over several columns of class scores: whole rows are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.canonical_rows import canonical_rows, codes_of
from evalreport.engine.intervals import grouped_jackknife
from evalreport.engine.intervals.jackknife import MOST_LEFT_OUT, Jackknife, finite
from evalreport.metrics.declare import Average, Metric
from evalreport.metrics.tables import ClassScores, ScoreTable, pooled
from evalreport.plan.task import Task
from evalreport.results.identity import Slice
from evalreport.statistics import resampling

if TYPE_CHECKING:
    from evalreport.engine.intervals.case import Case
    from evalreport.engine.intervals.measuring import Measuring

Floats = npt.NDArray[np.float64]
ByClass = tuple[Floats, Floats]

_BATCH = 2_000_000


def class_replicates(
    measurer: Measuring, task: Task, metric: Metric, arguments: Mapping[str, Any]
) -> Floats | None:
    """Replicates of a class average or of a metric of all class scores, shape (B,)."""
    drawn = _Drawn.of(measurer, task)
    if drawn is None:
        return None
    rng = _rng(measurer, task, "rows")
    found = []
    resamples = measurer.settings.resamples
    sample = measurer.view.sample
    if sample is not None:
        rows = measurer.tables.rows(task.where)
        for factors in sample.replicates(resamples, rng, _canonical(measurer)):
            weights = factors[:, rows][:, drawn.order] * drawn.weight
            found.append(drawn.values(task, metric, arguments, weights))
        return finite(np.concatenate(found))
    if measurer.settings.stratify and measurer.view.cluster is None:
        times_of_units = resampling.stratified_resamples(drawn.strata, resamples, rng)
    else:
        times_of_units = resampling.cluster_resamples(drawn.units, resamples, rng)
    for times in times_of_units:
        found += [drawn.values(task, metric, arguments, part) for part in drawn.batches(times)]
    return finite(np.concatenate(found))


def _canonical(measurer: Measuring) -> npt.NDArray[Any]:
    """Places of all rows of the sample in an order that follows from what they hold."""
    view = measurer.view
    assert view.class_scores is not None
    assert view.sample is not None
    assert view.weight is not None
    return np.lexsort([view.actual, view.sample.stratum, view.weight, *view.class_scores.T])


def class_jackknife(case: Case) -> Jackknife | None:
    """The same metric with one row or cluster left out, or groups of them where they are many."""
    drawn = _Drawn.of(case.measurer, case.task)
    if drawn is None:
        return None
    if drawn.units > MOST_LEFT_OUT:
        values = _without_groups(case)
        return values, np.ones(len(values))
    kept = 1 - np.eye(drawn.units, dtype=np.int64)
    task, metric, arguments = case.task, case.metric, case.arguments
    found = [drawn.values(task, metric, arguments, part) for part in drawn.batches(kept)]
    return finite(np.concatenate(found)), np.ones(drawn.units)


def class_left_out(case: Case) -> Floats | None:
    """The same metric without each of the groups of the grouped jackknife."""
    measurer, task = case.measurer, case.task
    if measurer.view.class_scores is None:
        return None
    if task.average in (None, Average.MICRO.value):
        return _without_groups(case)

    def of_classes() -> ByClass:
        parts = [
            _of_classes(case.metric, case.arguments, drawn, times)
            for drawn, times in _each_left_out(case)
        ]
        return np.concatenate([e for e, _ in parts], -1), np.concatenate([s for _, s in parts], -1)

    shared = measurer.bootstrap.shared(task, of_classes)
    return finite(averaged(*shared, Average(task.average)))


def _without_groups(case: Case) -> Floats:
    found = [
        drawn.values(case.task, case.metric, case.arguments, times)
        for drawn, times in _each_left_out(case)
    ]
    return finite(np.concatenate(found))


def _each_left_out(case: Case) -> Iterator[tuple[_Drawn, Floats]]:
    """What is drawn, and how much of each is left without each group of rows or clusters."""
    measurer, task = case.measurer, case.task
    view, rng = measurer.view, _rng(measurer, task, "groups")
    if view.weight is None and view.cluster is None and view.sample is None:
        kinds = _Drawn.of_kinds(measurer, task)
        parts = grouped_jackknife.parts_of_kinds(kinds.weight.astype(np.int64), rng)
        if parts is not None:
            yield from ((kinds, (kinds.weight - part)[None]) for part in parts)
            return
    drawn = _Drawn.of(measurer, task)
    assert drawn is not None
    if view.sample is not None:
        rows = measurer.tables.rows(task.where)
        groups = view.sample.without_groups(grouped_jackknife.GROUPS, rng, _canonical(measurer))
        yield from ((drawn, (own[rows][drawn.order] * drawn.weight)[None]) for own in groups)
        return
    for kept in _kept(grouped_jackknife.groups_of(drawn.units, rng)):
        yield from ((drawn, times) for times in drawn.batches(kept))


def _kept(group: npt.NDArray[np.intp]) -> Iterator[npt.NDArray[np.int64]]:
    """Which units are kept without each group in turn, shape (1, units)."""
    return ((group != g).astype(np.int64)[None] for g in range(int(group.max()) + 1))


def _rng(measurer: Measuring, task: Task, what: str) -> np.random.Generator:
    view = measurer.view
    return resampling.generator(
        measurer.settings.seed, view.dataset, view.model, str(task.where), what
    )


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The rows of a slice in canonical order, ready to be drawn by ``unit``."""

    labels: tuple[str, ...]
    columns: list[ScoreColumn]
    own: OwnScores
    weight: Floats
    unit: npt.NDArray[Any]
    order: npt.NDArray[np.intp]

    @classmethod
    def of(cls, measurer: Measuring, task: Task) -> _Drawn | None:
        """The rows of a task; None without scores. Kept for the next task on the same rows."""
        if measurer.view.class_scores is None:
            return None
        return cls._once(measurer, (task.where, "rows"), lambda: cls._counted(measurer, task))

    @classmethod
    def of_kinds(cls, measurer: Measuring, task: Task) -> _Drawn:
        """The kinds of rows of a task that differ; ``weight``: how many rows are of each."""
        return cls._once(measurer, (task.where, "kinds"), lambda: cls._alike(measurer, task))

    @classmethod
    def _once(
        cls, measurer: Measuring, key: tuple[Slice, str], make: Callable[[], _Drawn]
    ) -> _Drawn:
        kept = measurer.bootstrap.of_columns
        if key not in kept:
            kept.clear()
            kept[key] = make()
        found = kept[key]
        assert isinstance(found, cls)
        return found

    @classmethod
    def _alike(cls, measurer: Measuring, task: Task) -> _Drawn:
        view, kinds = measurer.view, measurer.tables.kinds(task.where)
        assert view.class_scores is not None
        scores, actual = view.class_scores[kinds], view.actual[kinds]
        times = None if view.times is None else view.times[kinds]
        code = codes_of(actual, *scores.T)
        _, first = np.unique(code, return_index=True)
        counted = np.bincount(code, times).astype(np.float64)
        scores, actual = scores[first], actual[first]
        columns = [ScoreColumn(scores[:, k]) for k in range(len(view.labels))]
        own, places = OwnScores(scores, actual), np.arange(len(first))
        return cls(view.labels, columns, own, counted, places, places)

    @classmethod
    def _counted(cls, measurer: Measuring, task: Task) -> _Drawn:
        view = measurer.view
        assert view.class_scores is not None
        rows, size = measurer.tables.rows(task.where), len(view.labels)
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
            order,
        )

    @property
    def units(self) -> int:
        """How many rows or clusters are drawn."""
        return int(self.unit.max()) + 1

    @property
    def strata(self) -> list[npt.NDArray[np.intp]]:
        """The rows of each class, where rows are drawn one by one."""
        return [np.flatnonzero(self.own.actual == k) for k in np.unique(self.own.actual)]

    def batches(self, times: npt.NDArray[Any]) -> Iterator[Floats]:
        """The weight of each row, from how often each unit is drawn; shape (b, rows)."""
        step = max(1, _BATCH // max(1, len(self.unit)))
        for start in range(0, len(times), step):
            yield times[start : start + step][:, self.unit] * self.weight

    def values(
        self, task: Task, metric: Metric, arguments: Mapping[str, Any], times: Floats
    ) -> Floats:
        """The metric of drawn rows, shape (b,)."""
        return _values(task, metric, arguments, self, times)


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


def _of_classes(
    metric: Metric, arguments: Mapping[str, Any], drawn: _Drawn, times: Floats
) -> ByClass:
    """The metric of each class in drawn rows, and its actual rows; both of shape (K, b)."""
    each, support = [], []
    for k, column in enumerate(drawn.columns):
        table = column.table(drawn.own.actual == k, times)
        with np.errstate(divide="ignore", invalid="ignore"):
            each.append(np.asarray(metric(table, **arguments).array(), np.float64))
        support.append(np.asarray(table.positive_total, np.float64))
    return np.stack(each), np.stack(support)


def _of_pooled(
    metric: Metric, arguments: Mapping[str, Any], drawn: _Drawn, times: Floats
) -> Floats:
    """The metric of the scores of all classes together in drawn rows, shape (b,)."""
    tables = [c.table(drawn.own.actual == k, times) for k, c in enumerate(drawn.columns)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(metric(pooled(tables), **arguments).array(), np.float64)


def averaged(each: Floats, support: Floats, kind: Average) -> Floats:
    """The average over classes, the first axis, of what is defined."""
    usable = np.isfinite(each)
    weights = np.where(usable, support if kind is Average.WEIGHTED else 1.0, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = weights.sum(axis=0)
        return np.asarray(np.where(usable, each * weights, 0).sum(axis=0) / total)


def _values(
    task: Task,
    metric: Metric,
    arguments: Mapping[str, Any],
    drawn: _Drawn,
    times: Floats,
) -> Floats:
    if task.average == Average.MICRO.value:
        return _of_pooled(metric, arguments, drawn, times)
    if task.average is not None:
        return averaged(*_of_classes(metric, arguments, drawn, times), Average(task.average))
    columns, own = drawn.columns, drawn.own
    size, actual = len(columns), own.actual
    per_class = [columns[k].table(actual == k, times) for k in range(size)]
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = {
            (i, j): columns[i].table(
                actual == i, times * ((actual == i) | (actual == j)).astype(np.float64)
            )
            for i in range(size)
            for j in range(size)
            if i != j and metric.class_pairs
        }
        stacked = ClassScores(
            labels=drawn.labels,
            per_class=tuple(per_class),
            true_scores=own.scores,
            true_weights=own.weights(times),
            ranks=own.ranks(times),
            class_totals=np.stack([t.positive_total for t in per_class], axis=-1),
            pairs=pairs,
        )
        form = metric.for_classes or metric.function
        return np.broadcast_to(np.asarray(form(stacked, **arguments).array()), times.shape[:1])
