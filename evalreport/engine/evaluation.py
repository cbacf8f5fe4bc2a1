"""One dataset and model, from its plan to its records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.classification import DENSE_LABELS
from evalreport.engine.counting.memory import MemoryTables, Tables
from evalreport.engine.folds import fold_interval, mean_over_folds, spread
from evalreport.engine.guarding import guarded
from evalreport.engine.measures import (
    Built,
    Computed,
    Measurer,
    Seen,
    TaskMeasurer,
    as_measure,
    not_applicable,
)
from evalreport.engine.metric_values import Evaluated
from evalreport.engine.printed_table import PrintedTable
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import metric_named
from evalreport.plan.inputs import default_threshold
from evalreport.plan.task import Plan, Skipped, Task, ThresholdRequest
from evalreport.predict.view import LabelView, View
from evalreport.results.identity import EVERYTHING, MEAN_OF_FOLDS, Slice
from evalreport.results.records import Failure, Interval, Measure


@dataclass
class Numbering:
    """Ids of records, counted up in the order they are made."""

    measures: int = 0
    tables: int = 0
    curves: int = 0

    def measure(self) -> str:
        """The next measure's id."""
        self.measures += 1
        return f"m{self.measures}"

    def table(self) -> str:
        """The next table's id."""
        self.tables += 1
        return f"t{self.tables}"

    def curve(self) -> str:
        """The next curve's id."""
        self.curves += 1
        return f"c{self.curves}"


@dataclass
class Evaluation:
    """The records of one dataset and model."""

    view: View
    measures: list[Measure] = field(default_factory=list)
    tables: list[PrintedTable] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def mark_few(self, minimum: int) -> None:
        """Mark measures of subgroups with fewer rows than ``minimum``: no numbers to trust."""
        self.measures = [
            replace(m, few=True) if m.where.subgroup and m.n < minimum else m for m in self.measures
        ]


class Rows(NamedTuple):
    """How many rows a number is of, and their weight where rows have weights."""

    n: int
    weight: float | None


def rows_of(tables: Tables[Any], kinds: npt.NDArray[np.intp]) -> Rows:
    """The rows, or rows of each kind, at some places of the view of tables."""
    view = tables.view
    n = len(kinds) if view.times is None else int(view.times[kinds].sum())
    return Rows(n, None if view.weight is None else view.total_weight(kinds))


class Evaluator(ABC, Generic[Seen, Built]):
    """Runs the tasks of one dataset and model in the order of the plan."""

    def __init__(
        self,
        measurer: TaskMeasurer[Seen, Built],
        numbering: Numbering,
        first: ThresholdRequest | None,
    ) -> None:
        self.measurer = measurer
        self.tables = measurer.tables
        self.numbering = numbering
        self.first = first
        self.view = measurer.view
        self.result = Evaluation(self.view)
        self._computed: dict[tuple[Any, ...], Computed] = {}

    def run(
        self,
        plan: Plan,
        step: Callable[[], None] = lambda: None,
        one_versus_rest: bool = False,
        means: bool = True,
    ) -> Evaluation:
        """Every task and every recorded refusal of this dataset and model.

        A task that fails unexpectedly is recorded as failed; the others go on. Means over
        folds wait for :meth:`mean_over` unless ``means``.
        """
        own = [t for t in plan.tasks if self._mine(t)]
        self.measurer.announce(own)
        for entry in self._in_order(plan):
            if isinstance(entry, Task):
                if means or entry.where.fold != MEAN_OF_FOLDS:
                    self._guarded(entry)
            elif entry.recorded:
                self._skip(entry)
            step()
        if one_versus_rest and 2 < len(self.view.labels) <= DENSE_LABELS:
            self._tables_against_the_rest()
        return self.result

    def mean_over(self, plan: Plan, parts: Sequence[Evaluator[Any, Any]]) -> None:
        """The means of the plan over the folds of several evaluators, of this dataset and model."""
        for task in plan.tasks:
            if self._mine(task) and task.where.fold == MEAN_OF_FOLDS:
                self._guarded(task, parts)

    def _guarded(self, task: Task, parts: Sequence[Evaluator[Any, Any]] = ()) -> None:
        guarded(
            self.result.failures,
            task.section(),
            lambda: self._task(task, parts or (self,)),
            None,
            dataset=task.dataset,
            model=task.model,
        )

    def _tables_against_the_rest(self) -> None:
        whole = [t for t in self.result.tables if t.where == Slice()]
        for record in whole[:1]:
            for index, label in enumerate(self.view.labels):
                self.result.tables.append(
                    replace(
                        record,
                        id=self.numbering.table(),
                        table=record.table.against_the_rest(index),
                        label=label,
                        missing=None,
                    )
                )

    def _mine(self, task: Task) -> bool:
        return task.dataset == self.view.dataset and task.model == self.view.model

    def _in_order(self, plan: Plan) -> Iterator[Task | Skipped]:
        yield from (t for t in plan.tasks if self._mine(t))
        yield from (s for s in plan.skipped if self._mine(s.record))

    def _task(self, task: Task, parts: Sequence[Evaluator[Any, Any]]) -> None:
        if task.where.fold == MEAN_OF_FOLDS:
            self._mean_of_folds(task, parts)
            return
        computed = self._compute(task)
        if computed.interval is not None:
            computed = replace(computed, interval=self._studied(task, computed.interval))
        if task.where.fold is not None:
            self._computed[_identity(task, task.where.fold)] = computed
        table = self._table(task.where, self._request(task))
        used = self._used(task, task.where)
        own = computed.evaluated.rows
        n = used.n if own is None else own
        self.result.measures.append(
            as_measure(computed, self.numbering.measure(), table, n, used.weight)
        )

    def _compute(self, task: Task) -> Computed:
        return self.measurer.computed(task)

    def _studied(self, task: Task, interval: Interval) -> Interval:
        return self.measurer.studied(task, interval)

    def _skip(self, skipped: Skipped) -> None:
        task = skipped.record
        if task.where.fold == MEAN_OF_FOLDS:
            return
        table = self._table(task.where, self._request(task))
        n = self._used(task, task.where).n
        self.result.measures.append(not_applicable(skipped, self.numbering.measure(), table, n))

    def _mean_of_folds(self, task: Task, parts: Sequence[Evaluator[Any, Any]]) -> None:
        request = self._request(task)
        names: list[str] = []
        values: list[Evaluated] = []
        ids: list[str | None] = []
        sizes: dict[str, tuple[int, int]] = {}
        for part in parts:
            assert part.view.fold is not None
            sizes |= part.view.fold_sizes or {}
            for name in part.view.fold[1]:
                names.append(name)
                values.append(part._fold_twin(task, name).evaluated)
                ids.append(part._table(Slice(fold=name), request))
        value = mean_over_folds(names, values)
        level = self.measurer.settings.level
        bounds = metric_named(task.metric).range_of(len(self.view.labels))
        interval = fold_interval(values, sizes, level, bounds)
        resolved = self.measurer.thresholds.get(request) if request is not None else None
        computed = Computed(
            task,
            value,
            None if isinstance(interval, str) else interval,
            resolved.number if resolved is not None else None,
            resolved.exploratory if resolved is not None else False,
            dropped=interval if isinstance(interval, str) else None,
        )
        used = self._used(task, Slice())
        measure = as_measure(computed, self.numbering.measure(), None, used.n, used.weight)
        self.result.measures.append(replace(measure, tables=tuple(ids), spread=spread(values)))

    def _fold_twin(self, task: Task, fold: str) -> Computed:
        return self._computed[_identity(task, fold)]

    def _request(self, task: Task) -> ThresholdRequest | None:
        return task.threshold if task.threshold is not None else self.first

    def _used(self, task: Task, where: Slice) -> Rows:  # noqa: ARG002 - as for all tasks here
        """The rows that a task of a slice uses."""
        return self.tables.once(("used", where), lambda: self._rows_of(where))

    def _rows_of(self, where: Slice) -> Rows:
        n, weight = self.tables.row_count(where), None
        if self.view.weight is not None:
            if where == EVERYTHING:
                weight = self.view.whole_weight
            else:
                weight = self.view.total_weight(self.tables.kinds(where))
        return Rows(n, weight)

    @abstractmethod
    def _table(self, where: Slice, request: ThresholdRequest | None) -> str | None:
        """Id of the classification table a number is printed beside."""


class LabelEvaluator(Evaluator[LabelView, MemoryTables]):
    """Runs the tasks of a view of rows of one class each."""

    def __init__(
        self, measurer: Measurer, numbering: Numbering, first: ThresholdRequest | None
    ) -> None:
        super().__init__(measurer, numbering, first)
        self.measurer: Measurer = measurer
        self._table_ids: dict[tuple[Slice, float | None, str | None], str] = {}

    def on(self, view: LabelView) -> LabelEvaluator:
        """The same of other rows, or other folds, at the same thresholds; numbers go on."""
        own = self.measurer
        measurer = Measurer(view, MemoryTables(view), own.settings, own.thresholds)
        return LabelEvaluator(measurer, self.numbering, self.first)

    def tables_at_thresholds(self) -> None:
        """A table of all rows at every threshold that was asked for, whether a number needs it.

        Metrics of scores need none, and who asks for thresholds wants to see their counts.
        """
        for request in self.measurer.thresholds:
            self._table(Slice(), request)

    def _request(self, task: Task) -> ThresholdRequest | None:
        """The threshold of a task's table; one of scores stands beside the first with a solution.

        Where no rule has one the usual threshold takes its place: no number goes without counts.
        """
        if task.threshold is not None or self.first is None or not self.view.has_score:
            return super()._request(task)
        found = self.measurer.thresholds
        usual = ThresholdRequest(default_threshold(self.view.source))
        return next((one for one in found if found[one].number is not None), usual)

    def _table(self, where: Slice, request: ThresholdRequest | None) -> str | None:
        threshold = None
        if request is not None and self.view.has_score:
            resolved = self.measurer.thresholds.get(request, Resolved(request.number))
            if resolved.number is None:
                return None
            threshold = resolved.number
        rule = request.text if request is not None else None
        key = (where, threshold, rule)
        if key not in self._table_ids:
            self._table_ids[key] = self.numbering.table()
            self.result.tables.append(
                PrintedTable(
                    id=self._table_ids[key],
                    dataset=self.view.dataset,
                    model=self.view.model,
                    where=where,
                    threshold=threshold,
                    threshold_rule=rule,
                    table=self.tables.classification(where, threshold),
                    missing=self.measurer.missing(where, threshold),
                    unknown=self.view.unknown_places,
                )
            )
        return self._table_ids[key]


def _identity(task: Task, fold: str) -> tuple[Any, ...]:
    """What the values of one number in several folds have in common, with the fold."""
    return (
        fold,
        task.metric,
        task.params,
        task.average,
        task.label,
        task.threshold,
        task.indeterminate,
    )
