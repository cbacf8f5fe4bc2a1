"""Bootstrap of the difference of two models on the same rows.

Rows are drawn with both models' predictions, so that what they share stays shared.
Unweighted independent rows are drawn as one multinomial over the joint table actual x
prediction x prediction; metrics of scores, weighted rows and clusters by drawing rows
or clusters, whose scores stay sorted as they are. All metrics of a pair share the draws of
their kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.comparisons.pairs import Pair, Side, metric_of, ordered, row_by_row
from evalreport.engine.comparisons.result import Replicates, replicates_of
from evalreport.engine.counting.mirrored_scores import mirrored
from evalreport.engine.intervals.grouped_jackknife import GROUPS, groups_of
from evalreport.engine.metric_values import stacked_value
from evalreport.metrics.comparing import Family, family_of
from evalreport.metrics.declare import Average, Metric, Table
from evalreport.metrics.tables import ClassScores, ScoreTable
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import AT_THRESHOLD, Task
from evalreport.predict.view import LabelView
from evalreport.statistics import resampling

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


Floats = npt.NDArray[np.float64]
Stack = npt.NDArray[Any]
#: How much each row counts, in batches of shape (b, n); drawn where None.
Batches = Iterator[Floats] | None
Kept = dict[ComparisonTask, Replicates | str]
BothValues = dict[ComparisonTask, list[tuple[Stack, Stack]]]

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
        #: Of drawn rows, and of rows without each group.
        self._kept: dict[bool, Kept] = {False: {}, True: {}}
        self._planned: dict[bool, list[ComparisonTask]] = {False: [], True: []}

    @cached_property
    def _ordered(self) -> Pair:
        """The pair in an order of its own."""
        return ordered(self.pair)

    @cached_property
    def _each_row(self) -> Pair:
        """The same with an entry for each row, where it has kinds of rows."""
        return ordered(row_by_row(self.pair))

    def announce(self, task: ComparisonTask, *, drawn: bool, left_out: bool) -> None:
        """Tell of a comparison, so that it shares the draws, or the groups, of its kind."""
        self._planned[False] += [task] if drawn else []
        self._planned[True] += [task] if left_out else []

    def of(self, task: ComparisonTask, *, left_out: bool = False) -> Replicates | str:
        """Differences of the replicates, or why there are none.

        ``left_out``: of all rows but those of each group of the grouped jackknife, in turn.
        """
        kept = self._kept[left_out]
        if task not in kept:
            if task not in self._planned[left_out]:
                self._planned[left_out].append(task)
            self._run(_kind(task), kept, left_out=left_out)
        return kept[task]

    def _run(self, kind: str, kept: Kept, *, left_out: bool) -> None:
        tasks = [t for t in self._planned[left_out] if _kind(t) == kind and t not in kept]
        able = []
        for task in tasks:
            reason = self._refused(task, left_out=left_out)
            if reason is not None:
                kept[task] = reason
            else:
                able.append(task)
        if able:
            batches = self._without_groups() if left_out else None
            found = (self._tables if kind == "tables" else self._rows)(able, batches)
            for task, parts in found.items():
                first, second = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
                kept[task] = replicates_of(first, second)

    def _refused(self, task: ComparisonTask, *, left_out: bool) -> str | None:
        view = self.pair.model.view
        if task.task.table in AT_THRESHOLD and task.family is not Family.MEAN:
            if len(view.labels) > JOINT_CLASSES:
                return f"joint tables are drawn up to {JOINT_CLASSES} classes"
            for side, own in ((self.pair.model, task.task), (self.pair.reference, task.reference)):
                if bool(np.any(side.predicted(own) >= len(view.labels))):
                    return "an indeterminate prediction has no place in a table of these classes"
            by_rows = view.weight is not None or view.cluster is not None
        else:
            by_rows = True
            if task.task.table in AT_THRESHOLD and not self._has_losses(task):
                return "an indeterminate prediction has no place in a table of these classes"
        if by_rows and not left_out and self.pair.rows * self.settings.resamples > MOST_DRAWN:
            most = MOST_DRAWN // self.settings.resamples
            return f"rows are drawn up to {most:,} rows at {self.settings.resamples:,} resamples"
        return None

    def _has_losses(self, task: ComparisonTask) -> bool:
        one, two = self.pair.model.losses(task.task), self.pair.reference.losses(task.reference)
        return one is not None and two is not None

    def _rng(self, kind: str) -> np.random.Generator:
        model, reference = self.pair.model.view, self.pair.reference.view
        key = ("comparison", model.dataset, model.model, reference.model, kind + self._of)
        return resampling.generator(self.settings.seed, *key)

    # -- classification tables --------------------------------------------------------------

    def _without_groups(self) -> Iterator[Floats]:
        """How much each row weighs without each group of rows or clusters, in batches (b, n)."""
        view, rng = self._each_row.model.view, self._rng("groups")
        weight = np.ones(view.rows) if view.weight is None else view.weight
        if view.sample is not None:
            # the pair is in an order of its own, see pairs.ordered
            yield view.sample.without_groups(GROUPS, rng, np.arange(view.rows)) * weight
            return
        unit = _units_of(view)
        group = groups_of(int(unit.max()) + 1, rng)[unit]
        step = max(1, _BATCH // max(1, 2 * view.rows))
        for start in range(0, int(group.max()) + 1, step):
            parts = np.arange(start, min(start + step, int(group.max()) + 1))
            yield (group != parts[:, None]) * weight

    def _tables(self, tasks: list[ComparisonTask], batches: Batches) -> BothValues:
        """Every task has the first threshold of its model, so one joint table serves them all."""
        found: BothValues = {task: [] for task in tasks}
        functions = {
            task: (
                of_table(self.pair.model, task.task),
                of_table(self.pair.reference, task.reference),
            )
            for task in tasks
        }
        for first, second in self._stacks(tasks[0], batches):
            for task, (one, two) in functions.items():
                with np.errstate(divide="ignore", invalid="ignore"):
                    found[task].append((one(first), two(second)))
        return found

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

    # -- rows -------------------------------------------------------------------------------

    def _rows(self, tasks: list[ComparisonTask], batches: Batches) -> BothValues:
        found: BothValues = {task: [] for task in tasks}
        both = self._each_row
        sides = (DrawnRows(both.model), DrawnRows(both.reference))
        functions = {
            task: (sides[0].function(task.task), sides[1].function(task.reference))
            for task in tasks
        }
        for times in row_batches(both, self._rng("rows")) if batches is None else batches:
            for side in sides:
                side.draw(times)
            for task, (one, two) in functions.items():
                with np.errstate(divide="ignore", invalid="ignore"):
                    found[task].append((one(), two()))
        return found


def _kind(task: ComparisonTask) -> str:
    at_threshold = task.task.table in AT_THRESHOLD
    return "tables" if at_threshold and task.family is not Family.MEAN else "rows"


def of_table(side: Side, task: Task) -> Callable[[Stack], Stack]:
    """The metric of a task as a function of stacked tables, (B, K, K) to (B,)."""
    metric = metric_of(task)
    overall = metric.table is Table.MATRIX or (len(side.view.labels) > 2 and metric.scope == "all")
    average = Average(task.average) if task.average is not None else None
    if average is Average.MICRO and metric.for_classes is not None:
        average, overall = None, True
    index = None if overall or average is not None else side.class_index(task)
    return stacked_value(metric, side.arguments(task), average=average, index=index)


def _spread(drawn: Stack, cell: npt.NDArray[Any], size: int) -> Stack:
    """Joint cells added up into one model's K x K tables, shape (b, K, K)."""
    table = np.zeros((len(drawn), size * size))
    for column, target in enumerate(cell.tolist()):
        table[:, target] += drawn[:, column]
    return table.reshape(-1, size, size)


def _by_first_row(codes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Clusters numbered by their first row, whatever their codes are."""
    _, first, unit = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[unit.reshape(-1)]


def _units_of(view: LabelView) -> npt.NDArray[np.intp]:
    """The number of the row, or of the cluster, of each row."""
    return np.arange(view.rows) if view.cluster is None else _by_first_row(view.cluster[0])


def row_batches(pair: Pair, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each row is drawn times its weight, in batches of shape (b, n).

    Clusters are drawn whole. Stratified, each true class keeps its number of rows. Of a
    sample drawn by a design, units are drawn within its strata.
    """
    view, settings = pair.model.view, pair.model.settings
    if view.sample is not None and view.weight is not None:
        # the pair is in an order of its own, see pairs.ordered
        in_order = np.arange(view.rows)
        for factors in view.sample.replicates(settings.resamples, rng, in_order):
            yield factors * view.weight
        return
    n = view.rows
    unit = _units_of(view)
    units = int(unit.max()) + 1
    strata = [np.arange(units)]
    if settings.stratify and view.cluster is None:
        strata = [np.nonzero(view.actual == k)[0] for k in np.unique(view.actual)]
    weight = np.ones(n) if view.weight is None else view.weight
    step = max(1, _BATCH // max(1, 2 * n))
    for start in range(0, settings.resamples, step):
        drawn = np.zeros((min(step, settings.resamples - start), units))
        for replicate in drawn:
            for members in strata:
                draw = partial(rng.integers, 0, len(members), len(members))
                replicate[members] = np.bincount(draw(), minlength=len(members))
        yield drawn[:, unit] * weight
