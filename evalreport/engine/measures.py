"""Tasks to numbers: each task of the plan becomes one record with its interval."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from evalreport.engine.counting.classification import ClassificationTable
from evalreport.engine.counting.memory import MemoryTables, Tables
from evalreport.engine.counting.set_tables import tables_of
from evalreport.engine.intervals import missing_cases, pooled_ranks
from evalreport.engine.intervals.bootstrap import Bootstrap
from evalreport.engine.intervals.case import Case, ScoreCase, TableCase
from evalreport.engine.intervals.impact import Selection, highest, left_out
from evalreport.engine.intervals.methods import has_width
from evalreport.engine.intervals.missing_rows import lost_inside, missing_rows
from evalreport.engine.intervals.score_averages import average_of_scores
from evalreport.engine.intervals.score_intervals import class_score_interval, score_interval
from evalreport.engine.intervals.studied import of_value
from evalreport.engine.intervals.table_intervals import table_interval
from evalreport.engine.metric_values import (
    Evaluated,
    average,
    class_value,
    evaluated,
    overall_value,
)
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.declare import Average, Kind, Metric, Table
from evalreport.metrics.formula import Infinite, Undefined, Value
from evalreport.metrics.kinds import Design
from evalreport.metrics.methods import (
    CLASSICAL,
    DRAWN,
    TABLE_OF_CLUSTERS,
    TABLE_OF_WEIGHTS,
    interval_methods,
    method_title,
)
from evalreport.metrics.readings import as_read
from evalreport.metrics.tables import Matrix, ScoreTable
from evalreport.plan.inputs import Facts, MetricRequest
from evalreport.plan.methods import ASKED, choose
from evalreport.plan.task import Skipped, Task, ThresholdRequest
from evalreport.predict.view import LabelView, View
from evalreport.results.identity import Slice
from evalreport.results.records import Interval, Measure, MissingRows, Reached
from evalreport.statistics.proportions import PROPORTION_METHODS


@dataclass(frozen=True, eq=False)
class Computed:
    """A value with its interval, before it gets an id; ``dropped``: why it has none."""

    task: Task
    evaluated: Evaluated
    interval: Interval | None
    threshold: float | None = None
    exploratory: bool = False
    tables: tuple[str, ...] = ()
    dropped: str | None = None


Seen = TypeVar("Seen", bound=View)
Built = TypeVar("Built", bound=Tables[Any])


class TaskMeasurer(ABC, Generic[Seen, Built]):
    """What computes the tasks of one dataset and model from its tables."""

    def __init__(
        self,
        view: Seen,
        tables: Built,
        settings: Settings,
        thresholds: Mapping[ThresholdRequest, Resolved],
    ) -> None:
        self.view = view
        self.tables = tables
        self.settings = settings
        self.thresholds = thresholds

    @abstractmethod
    def announce(self, tasks: Sequence[Task]) -> None:
        """Tell which tasks will come, so that they can share what they need."""

    @abstractmethod
    def compute(self, task: Task) -> Computed:
        """The value and interval of one task."""

    def computed(self, task: Task) -> Computed:
        """The same, made once for the tables: comparisons ask for what measures asked for."""
        computed: Computed = self.tables.once(("computed", task), lambda: self.compute(task))
        return computed

    def studied(self, task: Task, interval: Interval) -> Interval:
        """The limits of a value with what such limits held in the coverage study."""
        return of_value(interval, task, self.tables)

    def metric_of(self, task: Task) -> Metric:
        """The metric of a task as it reads the scores of this model."""
        metric = metric_named(task.metric)
        return as_read(metric, self.view.source, self.margin_unit)

    @property
    def margin_unit(self) -> float:
        """What a margin is multiplied by to be the sum of the model's terms."""
        return 1.0

    def _threshold(self, task: Task) -> Resolved:
        if task.threshold is None:
            return Resolved(None)
        return self.thresholds[task.threshold]


class Measurer(TaskMeasurer[LabelView, MemoryTables]):
    """Computes the tasks of one dataset and model whose rows are of one class each."""

    def __init__(
        self,
        view: LabelView,
        tables: MemoryTables,
        settings: Settings,
        thresholds: Mapping[ThresholdRequest, Resolved],
    ) -> None:
        super().__init__(view, tables, settings, thresholds)
        self.bootstrap = Bootstrap(tables, settings)
        self._groups: dict[tuple[str, ...], dict[Slice, None]] = {}
        self._others: dict[bool, Measurer] = {}

    def announce(self, tasks: Sequence[Task]) -> None:
        # which slices are groups of one column
        for task in tasks:
            if self._is_of_other(task):
                self._other(task).announce([task])
                continue
            if "highest" in self.metric_of(task).context:
                columns = tuple(column for column, _ in task.where.subgroup)
                self._groups.setdefault(columns, {})[task.where] = None

    def compute(self, task: Task) -> Computed:
        """The value and interval of one task."""
        resolved = self._threshold(task)
        metric = self.metric_of(task)
        formula, reason, substituted = metric.formula or metric.name, task.undefined, ""
        if reason is None and task.threshold is not None and resolved.number is None:
            reason = resolved.reason or "there is no such threshold"
        if reason is None and self.tables.row_count(task.where) == 0:
            reason, substituted = "there is no row", "0 / 0"
        if reason is None and self._is_of_other(task):
            return self._other(task).compute(task)
        if reason is None and metric.ranks_rows and self._is_constant(task):
            reason = pooled_ranks.CONSTANT
        if reason is not None:
            none = Evaluated(Undefined(reason), formula, substituted)
            return Computed(task, none, None, resolved.number, resolved.exploratory)
        kinds: dict[str, Callable[[Task, float | None], tuple[Evaluated, Interval | str | None]]]
        kinds = {
            Table.COUNTS.value: self._of_table,
            Table.MATRIX.value: self._of_table,
            Table.SCORES.value: self._of_scores,
            Table.CLASS_SCORES.value: self._of_class_scores,
        }
        value, found = kinds[task.table](task, resolved.number)
        interval, dropped = self._kept(task, resolved, found)
        return Computed(
            task, value, interval, resolved.number, resolved.exploratory, dropped=dropped
        )

    def _kept(
        self, task: Task, resolved: Resolved, found: Interval | str | None
    ) -> tuple[Interval | None, str | None]:
        """The interval that was found, or why it is not given."""
        if found is None or isinstance(found, str):
            return None, found
        if not _has_width(found):
            return None, NO_VARIANCE
        if self._is_highest(task, resolved.number):
            return None, IS_HIGHEST
        interval, dropped = self._of_one_scale(task, found)
        if interval is not None and task.why == ASKED:
            interval = _as_asked(interval, self.metric_of(task), self.view)
        if interval is not None and resolved.exploratory:
            interval = interval.noted(CONDITIONAL)
        return interval, dropped

    def _is_constant(self, task: Task) -> bool:
        """Whether the scores that the task ranks are those of a model that is constant."""
        several = self.view.class_scores is not None and task.label is None
        columns = range(len(self.view.labels)) if several else (self.column(task),)
        return all(pooled_ranks.is_constant(self, index) for index in columns)

    def _of_one_scale(self, task: Task, interval: Interval) -> tuple[Interval | None, str | None]:
        """The interval, unless scores of several fits were ranked together for it; and why."""
        per_class = task.table == Table.SCORES.value and task.average is None
        own = self.column(task) if per_class else None
        return pooled_ranks.kept(self, task, self.metric_of(task), interval, own)

    def missing(self, where: Slice, threshold: float | None) -> MissingRows | None:
        """The rows of a slice that lack something; None where there are none."""
        return missing_rows(self.view, where, threshold)

    def missing_scores(self, task: Task) -> missing_cases.Ranked | None:
        """What the rows of a slice lack that ranks them; None for none, or where none can tell."""
        found = lost_inside(self.view, task.where)
        if found is None:
            return None
        return missing_cases.ranked(*found, self.class_index(task), len(self.view.labels) > 2)

    # -- classification table -------------------------------------------------------------

    def _of_table(
        self, task: Task, threshold: float | None
    ) -> tuple[Evaluated, Interval | str | None]:
        metric, arguments = self.metric_of(task), self.arguments(task, threshold)
        reason = self._takes_no_part(task, threshold) if "highest" in metric.context else None
        if reason is not None:
            return Evaluated(Undefined(reason), metric.formula or metric.name, ""), None
        table = self.tables.classification(task.where, threshold)
        if any(count < 0 for count in table.cells.values()):
            return Evaluated(Undefined(NEGATIVE), metric.formula or metric.name, ""), None
        matrix = table.matrix(task.indeterminate)
        value = self._table_value(task, metric, arguments, table, matrix)
        case = TableCase(self, task, metric, arguments, value, table, matrix, threshold)
        interval: Interval | str | None = None
        one_sided = isinstance(value.outcome, Infinite) and (
            task.interval in (*metric.score_limits, TABLE_OF_CLUSTERS, TABLE_OF_WEIGHTS)
        )
        if task.interval is not None and (isinstance(value.outcome, Value) or one_sided):
            interval = table_interval(case)
        return missing_cases.of_table(case), interval

    def _table_value(
        self,
        task: Task,
        metric: Metric,
        arguments: Mapping[str, Any],
        table: ClassificationTable,
        matrix: Matrix,
    ) -> Evaluated:
        kind = Average(task.average) if task.average is not None else None
        if kind is Average.MICRO:
            if metric.for_classes is not None:
                return overall_value(metric, matrix, arguments)
            return evaluated(metric, metric(matrix.pooled(), **arguments), None)
        if kind is not None:
            values = [
                class_value(metric, matrix.one_versus_rest(k), arguments, label)
                for k, label in enumerate(table.labels)
            ]
            return average(kind, table.labels, values, matrix.row_totals)
        if metric.table is Table.MATRIX or (table.size > 2 and metric.scope == "all"):
            return overall_value(metric, matrix, arguments)
        index = self.class_index(task)
        label = table.labels[index]
        return class_value(metric, matrix.one_versus_rest(index), arguments, label)

    # -- scores ---------------------------------------------------------------------------

    def _of_scores(
        self, task: Task, threshold: float | None
    ) -> tuple[Evaluated, Interval | str | None]:
        metric, arguments = self.metric_of(task), self.arguments(task, threshold)
        if task.average is not None:
            return average_of_scores(self, task, metric, arguments)
        index = self.column(task)
        table = self.tables.scores(task.where, index)
        label = self.view.labels[self.class_index(task)]
        value = evaluated(metric, metric(table, **arguments), label)
        case = ScoreCase(self, task, metric, arguments, value, table, index)
        interval: Interval | str | None = None
        if isinstance(value.outcome, Value) and task.interval is not None:
            interval = score_interval(case)
        value = _where_reached(metric, table, value)
        return missing_cases.of_scores(replace(case, value=value)), interval

    def _of_class_scores(
        self, task: Task, threshold: float | None
    ) -> tuple[Evaluated, Interval | str | None]:
        metric, arguments = self.metric_of(task), self.arguments(task, threshold)
        table = self.tables.class_scores(task.where, metric.class_pairs)
        form = metric.for_classes or metric.function
        value = evaluated(metric, form(table, **arguments), None)
        interval: Interval | str | None = None
        if isinstance(value.outcome, Value) and task.interval is not None:
            interval = class_score_interval(Case(self, task, metric, arguments, value))
        return value, interval

    # -- small things ---------------------------------------------------------------------

    def class_index(self, task: Task) -> int:
        """Code of the class that a task's value belongs to."""
        if task.label is not None:
            return self.view.labels.index(task.label)
        return self.view.positive_index

    def _is_of_other(self, task: Task) -> bool:
        """Whether scores are of one of two classes and the value is of the other."""
        two = len(self.view.labels) == 2 and task.table == Table.SCORES.value
        return two and task.label is not None and self.class_index(task) != self.view.positive_index

    def _other(self, task: Task) -> Measurer:
        """What measures the other of two classes: the same rows, scored for it."""
        complement = self.metric_of(task).kind is Kind.PROBABILITY and self.view.source != "margin"
        if complement not in self._others:
            view = self.view.of_other_class(complement)
            self._others[complement] = Measurer(
                view, tables_of(view), self.settings, self.thresholds
            )
        return self._others[complement]

    def column(self, task: Task) -> int | None:
        """Column of the class scores; None where there is one score."""
        if len(self.view.labels) <= 2:
            return None
        return self.class_index(task)

    def arguments(self, task: Task, threshold: float | None) -> dict[str, Any]:
        """What the metric of a task is called with beside its table."""
        metric = self.metric_of(task)
        arguments = metric.arguments(dict(task.params))
        if "highest" in metric.context:
            top = self.highest(task, threshold)
            arguments["highest"] = (top.selected, top.n) if top is not None else (0, 0)
        if "threshold" in metric.context:
            arguments["threshold"] = threshold
        if "costs" in metric.context:
            arguments["costs"] = self._costs()
        return arguments

    @property
    def margin_unit(self) -> float:
        return self.view.margin_unit

    def _is_highest(self, task: Task, threshold: float | None) -> bool:
        """Whether a group is compared with the highest rate, which is its own."""
        if "highest" not in self.metric_of(task).context:
            return False
        top = self.highest(task, threshold)
        return top is not None and top.group == task.where.subgroup

    def highest(self, task: Task, threshold: float | None) -> Selection | None:
        """The group with the highest selection rate among those of the task's columns."""
        return highest(self._selections(task, threshold), self.settings.impact)

    def _takes_no_part(self, task: Task, threshold: float | None) -> str | None:
        """Why a group has no impact ratio of its own, or None."""
        found = self._selections(task, threshold)
        own = next(s for s in found if s.group == task.where.subgroup)
        # without a row the rate itself is undefined, which the metric says
        return left_out(own, found, self.settings.impact) if own.n > 0 else None

    def _selections(self, task: Task, threshold: float | None) -> list[Selection]:
        columns = tuple(column for column, _ in task.where.subgroup)
        found = []
        for where in self._groups.get(columns, ()):
            cells = self.tables.classification(where, threshold).binary(task.indeterminate)
            selected, rows = cells.predicted_positives.exact(), cells.n.exact()
            found.append(Selection(where.subgroup, selected, rows))
        return found

    def _costs(self) -> Any:
        labels = self.view.labels
        if len(labels) > 2:
            return self.settings.class_costs(labels)
        return self.settings.two_class_costs(labels, self.view.positive_index)


def _where_reached(metric: Metric, table: ScoreTable, value: Evaluated) -> Evaluated:
    """The value with the threshold where it is reached, and the table there."""
    if metric.reached is None or not isinstance(value.outcome, Value):
        return value
    threshold = metric.reached(table)
    found = table.counts_at(threshold)
    cells = {name: getattr(found, name).value for name in ("tp", "fp", "fn", "tn")}
    return replace(value, reached=Reached(threshold, **cells))


#: Why a value has no interval whose limits would be the value itself.
#: A group beside itself.
IS_HIGHEST = "the group has the highest rate, so its ratio is 1 by definition"
NO_VARIANCE = "nothing varies in these rows: limits would be the value itself"
NEGATIVE = "an estimated cell of the table is negative: the labels are too few to correct the proxy"
CONDITIONAL = "conditional on the threshold, which was chosen on these rows"


def _has_width(interval: Interval) -> bool:
    """Whether limits say anything; Wald's of a share of 0 or 1 are what the method is known for."""
    return interval.method in PROPORTION_METHODS or has_width(interval)


def _as_asked(interval: Interval, metric: Metric, view: LabelView) -> Interval:
    """A method for independent rows that was asked for is kept, and what it passes over said."""
    weighted, clustered = view.weight is not None, view.cluster is not None
    design = Design.of(weighted=weighted, clustered=clustered, designed=view.sample is not None)
    if interval.method in interval_methods(metric, [design]):
        return interval
    passed = ["clusters are ignored"] if clustered else []
    passed += ["weights are taken as numbers of rows"] if weighted else []
    return interval.noted(f"as requested: {', '.join(passed)}") if passed else interval


def as_measure(
    computed: Computed, name: str, table: str | None, n: int, weight: float | None
) -> Measure:
    """The record of a computed task."""
    task, value = computed.task, computed.evaluated
    metric = metric_named(task.metric)
    state, number, reason = state_of(value)
    return Measure(
        **_identity(task, metric, name),
        threshold=computed.threshold if task.threshold is not None else None,
        state=state,
        value=number,
        reason=reason,
        left_out=value.left_out if state == "value" else (),
        interval=_explained(computed.interval, task),
        n=n,
        table=table,
        formula=value.formula,
        substituted=value.substituted,
        numerator=value.numerator,
        denominator=value.denominator,
        exploratory=computed.exploratory,
        weight=weight,
        missing_bounds=value.missing,
        reached=value.reached,
        interval_reason=_no_interval(computed) if state in ("value", "infinite") else None,
    )


def limits_by(
    measurer: TaskMeasurer[Any, Any], task: Task, facts: Facts, method: str
) -> tuple[Interval | None, str | None]:
    """The limits of the value of a task by a method that is asked for; or why there are none."""
    metric = metric_named(task.metric)
    average = None if task.average is None else Average(task.average)
    chosen, why = choose(metric, average, facts, method)
    if method not in (chosen, CLASSICAL):
        return None, f"{method_title(method)} is not a method of such a value"
    computed = measurer.compute(replace(task, interval=chosen, why=why))
    made = as_measure(computed, "", None, 0, None)
    return made.interval, made.interval_reason


def _explained(interval: Interval | None, task: Task) -> Interval | None:
    """The interval with the reason why its method was planned."""
    if interval is None:
        return None
    return replace(interval, why=interval.why or task.why)


def _no_interval(computed: Computed) -> str | None:
    """Why a value has no interval; None where it has one."""
    task = computed.task
    if computed.interval is not None:
        return None
    if computed.dropped is not None:
        return computed.dropped
    if task.interval is None:
        return task.why
    none = f"{method_title(task.interval)} gives no limits"
    if isinstance(computed.evaluated.outcome, Infinite):
        return f"{none} for an infinite value"
    if task.interval in DRAWN:
        return f"{none}: resamples are all equal, or too few are usable"
    return f"{none} on this table"


def shown_params(metric: Metric, asked: Task | MetricRequest) -> dict[str, Any]:
    """The parameters of what was asked for; where none was given, the defaults."""
    if asked.params:
        return dict(asked.params)
    given = metric.arguments({})
    return {name: value for name, value in given.items() if value is not None}


def state_of(value: Evaluated) -> tuple[str, float | None, str | None]:
    """State, number and reason of a value, as they stand in a record."""
    outcome = value.outcome
    if isinstance(outcome, Value):
        return "value", outcome.number, value.note
    if isinstance(outcome, Infinite):
        return "infinite", None, outcome.reason
    return "undefined", None, outcome.reason


def _identity(task: Task, metric: Metric, name: str) -> dict[str, Any]:
    """What a record says of which number it is, whether or not there is one."""
    return {
        "id": name,
        "dataset": task.dataset,
        "model": task.model,
        "subgroup": dict(task.where.subgroup),
        "fold": task.where.fold,
        "metric": task.metric,
        "title": metric.title,
        "params": shown_params(metric, task),
        "average": task.average,
        "label": task.label,
        "threshold_rule": task.threshold.text if task.threshold is not None else None,
        "indeterminate": task.indeterminate,
    }


def not_applicable(skipped: Skipped, name: str, table: str | None, n: int) -> Measure:
    """The record of something a model cannot give."""
    task = skipped.record
    metric = metric_named(task.metric)
    return Measure(
        **_identity(task, metric, name),
        threshold=task.threshold.number if task.threshold is not None else None,
        state="not_applicable",
        value=None,
        reason=skipped.reason,
        interval=None,
        n=n,
        table=table,
        formula=metric.formula or metric.name,
        substituted="",
    )
