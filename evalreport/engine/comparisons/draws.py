"""Bootstrap of the difference of two models on the same rows.

Rows are drawn with both models' predictions, so that what they share stays shared.
Unweighted independent rows are drawn as one multinomial over the joint table actual x
prediction x prediction; metrics of scores, weighted rows and clusters by drawing rows
or clusters, whose scores stay sorted as they are. All metrics of a pair see the same draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.comparisons.pairs import Pair, Side, ordered, row_by_row
from evalreport.engine.comparisons.replicates import Replicates, replicates_of
from evalreport.engine.intervals.bootstrap import of_rows
from evalreport.engine.intervals.class_bootstrap import Columns, ScoreColumn
from evalreport.engine.intervals.grouped_jackknife import GROUPS, groups_of, lots
from evalreport.engine.intervals.jackknife import Units
from evalreport.engine.intervals.score_averages import average_of_both
from evalreport.engine.metric_values import stacked_value
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.declare import Average, Table
from evalreport.metrics.methods import Family, family_of
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import AT_THRESHOLD, Task
from evalreport.predict.view import LabelView
from evalreport.statistics import resampling

Values = Callable[[npt.NDArray[np.float64]], Any]


class _Rows:
    """One side of a pair, ready to be measured on any of its rows."""

    def __init__(self, side: Side) -> None:
        view = self.view = side.view
        self.side = side
        self.columns: Columns | ScoreColumn | None = None
        if len(view.labels) > 2 and view.class_scores is not None:
            self.columns = Columns(view.labels, view.class_scores, view.actual)
        elif view.score is not None:
            self.columns = ScoreColumn(view.score)

    def of(self, task: Task) -> Values:
        """The metric of a task by how much each row counts, (b, n) to (b,)."""
        side, metric, arguments = self.side, self.side.metric(task), self.side.arguments(task)
        losses = side.losses(task) if family_of(metric, task.average) is Family.MEAN else None
        if losses is not None:
            return lambda times: (times * losses).sum(axis=1) / times.sum(axis=1)
        columns, index = self.columns, None
        if isinstance(columns, Columns):
            if task.average is None and task.table != Table.CLASS_SCORES.value:
                index = side.class_index(task)
            return lambda times: columns.values(task, metric, arguments, times, index)
        assert columns is not None
        positive = self.view.actual == self.view.positive_index
        if task.average is not None:
            of_both = partial(average_of_both, metric, arguments, task.average)
            return lambda times: of_both(columns.table(positive, times))
        return lambda times: np.broadcast_to(
            metric(columns.table(positive, times), **arguments).array(), times.shape[:1]
        )


Codes = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Stack = npt.NDArray[Any]
#: How much each row counts, in batches of shape (b, n); drawn where None.
Batches = Iterator[Floats] | None

#: Classes up to which joint tables are drawn.
JOINT_CLASSES = 200
#: Rows times resamples up to which rows are drawn one by one.
MOST_DRAWN = 200_000_000
_BATCH = 4_000_000


class PairedDraws:
    """Replicates of differences for one pair of models."""

    def __init__(self, pair: Pair, of: str = "") -> None:
        self._of = of
        self.pair = pair
        self.settings = pair.model.settings
        self._kept: dict[tuple[ComparisonTask, bool], Replicates | str] = {}

    @cached_property
    def _ordered(self) -> Pair:
        """The pair in an order of its own."""
        return ordered(self.pair)

    @cached_property
    def _each_row(self) -> Pair:
        """The same with an entry for each row, where it has kinds of rows."""
        return ordered(row_by_row(self.pair))

    def of(self, task: ComparisonTask, *, left_out: bool = False) -> Replicates | str:
        """Differences of the replicates, or why there are none.

        ``left_out``: of all rows but those of each group of the grouped jackknife, in turn.
        """
        if (task, left_out) not in self._kept:
            self._kept[task, left_out] = self._made(task, left_out=left_out)
        return self._kept[task, left_out]

    def _made(self, task: ComparisonTask, *, left_out: bool) -> Replicates | str:
        reason = self._refused(task, left_out=left_out)
        if reason is not None:
            return reason
        batches = self._without_groups() if left_out else None
        if _is_of_tables(task):
            one = of_table(self.pair.model, task.task)
            two = of_table(self.pair.reference, task.reference)
            drawn = self._stacks(task, batches)
        else:
            model, reference = self._both_rows
            one, two = model.of(task.task), reference.of(task.reference)
            if batches is None:
                batches = row_batches(self._each_row, self._rng("rows"))
            # how much each row counts is the same for both models
            drawn = ((times, times) for times in batches)
        parts = []
        for first, second in drawn:
            with np.errstate(divide="ignore", invalid="ignore"):
                parts.append((one(first), two(second)))
        ends = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        return replicates_of(*ends)

    @cached_property
    def _both_rows(self) -> tuple[_Rows, _Rows]:
        return _Rows(self._each_row.model), _Rows(self._each_row.reference)

    def _refused(self, task: ComparisonTask, *, left_out: bool) -> str | None:
        view = self.pair.model.view
        if _is_of_tables(task):
            if len(view.labels) > JOINT_CLASSES:
                return f"joint tables are drawn up to {JOINT_CLASSES} classes"
            for side, own in ((self.pair.model, task.task), (self.pair.reference, task.reference)):
                if bool(np.any(side.predicted(own) >= len(view.labels))):
                    return "an indeterminate prediction has no place in a table of these classes"
            by_rows = view.weight is not None or view.cluster is not None
        else:
            by_rows = True
            losses = self.pair.model.losses(task.task), self.pair.reference.losses(task.reference)
            if task.task.table in AT_THRESHOLD and (losses[0] is None or losses[1] is None):
                return "an indeterminate prediction has no place in a table of these classes"
        if by_rows and not left_out and self.pair.rows * self.settings.resamples > MOST_DRAWN:
            most = MOST_DRAWN // self.settings.resamples
            return f"rows are drawn up to {most:,} rows at {self.settings.resamples:,} resamples"
        return None

    def _rng(self, kind: str) -> np.random.Generator:
        model, reference = self.pair.model.view, self.pair.reference.view
        key = ("comparison", model.dataset, model.model, reference.model, kind + self._of)
        return resampling.generator(self.settings.seed, *key)

    # -- classification tables --------------------------------------------------------------

    def _without_groups(self) -> Iterator[Floats]:
        """How much each row weighs without each group of rows or clusters, in batches (b, n)."""
        view, rng = self._each_row.model.view, lots(self.settings.seed)
        held = _held(view)
        if view.sample is not None:
            # the pair is in an order of its own, see pairs.ordered
            return of_rows(held, [view.sample.without_groups(GROUPS, rng, held.code)])
        group = groups_of(held.many, rng)
        return of_rows(held, [group != np.arange(int(group.max()) + 1)[:, None]])

    def _stacks(self, task: ComparisonTask, batches: Batches) -> Iterator[tuple[Stack, Stack]]:
        own = self.pair.model.view
        if batches is None and (own.weight is not None or own.cluster is not None):
            batches = row_batches(self._each_row, self._rng("table"))
        both = self._ordered if batches is None else self._each_row
        view = both.model.view
        size = len(view.labels)
        first, second = both.model.predicted(task.task), both.reference.predicted(task.reference)
        code = (view.actual.astype(np.int64) * size + first) * size + second
        cells, place = np.unique(code, return_inverse=True)
        place = place.reshape(-1)
        actual, rest = np.divmod(cells, size * size)
        left, right = np.divmod(rest, size)
        if batches is None:
            by_cell = self._cell_batches(place, actual, 2 * size * size)
        else:
            by_cell = (
                np.stack([np.bincount(place, row, len(cells)) for row in times])
                for times in batches
            )
        for drawn in by_cell:
            yield (
                _spread(drawn, actual * size + left, size),
                _spread(drawn, actual * size + right, size),
            )

    def _cell_batches(
        self, place: npt.NDArray[Any], actual: npt.NDArray[Any], width: int
    ) -> Iterator[Stack]:
        """Counts of the joint cells in each replicate, shape (b, cells)."""
        rng, cells = self._rng("table"), len(actual)
        counts = np.bincount(place, self._ordered.times, cells).astype(np.int64)
        strata = np.unique(actual) if self.settings.stratify else [None]
        step = max(1, _BATCH // max(cells, width))
        for start in range(0, self.settings.resamples, step):
            size = min(step, self.settings.resamples - start)
            drawn = np.zeros((size, cells))
            for stratum in strata:
                chosen = np.arange(cells) if stratum is None else np.nonzero(actual == stratum)[0]
                drawn[:, chosen] = resampling.multinomial_tables(counts[chosen], size, rng)
            yield drawn


def _is_of_tables(task: ComparisonTask) -> bool:
    return task.task.table in AT_THRESHOLD and task.family is not Family.MEAN


def of_table(side: Side, task: Task) -> Callable[[Stack], Stack]:
    """The metric of a task as a function of stacked tables, (B, K, K) to (B,)."""
    metric = metric_named(task.metric)
    overall = metric.table is Table.MATRIX or (len(side.view.labels) > 2 and metric.scope == "all")
    average = Average(task.average) if task.average is not None else None
    index = None if overall or average is not None else side.class_index(task)
    return stacked_value(metric, side.arguments(task), average=average, index=index)


def _spread(drawn: Stack, cell: npt.NDArray[Any], size: int) -> Stack:
    """Joint cells added up into one model's K x K tables, shape (b, K, K)."""
    table = np.zeros((len(drawn), size * size))
    for column, target in enumerate(cell.tolist()):
        table[:, target] += drawn[:, column]
    return table.reshape(-1, size, size)


def _held(view: LabelView) -> Units:
    """The rows of a pair, each by its place; what is drawn is each row, or each cluster.

    Of a sample the rows, whose units its design tells.
    """
    places = np.arange(view.rows)
    weight = np.ones(view.rows) if view.weight is None else view.weight
    if view.cluster is None or view.sample is not None:
        return Units(places, weight, places)
    # clusters are numbered by their first row, whatever their codes are
    _, first, unit = np.unique(view.cluster[0], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return Units(places, weight, rank[unit.reshape(-1)])


def row_batches(pair: Pair, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each row is drawn times its weight, in batches of shape (b, n).

    Clusters are drawn whole. Stratified, each true class keeps its number of rows. Of a
    sample drawn by a design, units are drawn within its strata.
    """
    view, settings = pair.model.view, pair.model.settings
    held = _held(view)
    if view.sample is not None:
        # the pair is in an order of its own, see pairs.ordered
        times = view.sample.replicates(settings.resamples, rng, held.code)
    else:
        strata = [np.arange(held.many)]
        if settings.stratify and view.cluster is None:
            strata = [np.nonzero(view.actual == k)[0] for k in np.unique(view.actual)]
        times = _each_drawn(strata, settings.resamples, held, rng)
    yield from of_rows(held, times)


def _each_drawn(
    strata: Sequence[Codes], resamples: int, held: Units, rng: np.random.Generator
) -> Iterator[Floats]:
    """How often each row or cluster is drawn, in batches of shape (b, units)."""
    step = max(1, _BATCH // max(1, 2 * len(held.code)))
    for start in range(0, resamples, step):
        drawn = np.zeros((min(step, resamples - start), held.many))
        for replicate in drawn:
            for members in strata:
                places = rng.integers(0, len(members), len(members))
                replicate[members] = np.bincount(places, minlength=len(members))
        yield drawn
