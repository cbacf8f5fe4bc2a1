"""Measures and tables again, by the engine's evaluation of each dataset and model.

The engine carries out the plan on the recorded tables: every task becomes a measure, with its id,
its table, its rows and its interval. What needs more than the tables is taken over from the
measure that is there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.evaluation import (
    Evaluation,
    Evaluator,
    LabelEvaluator,
    Numbering,
    Rows,
)
from evalreport.engine.label_sets.evaluation import SetEvaluator
from evalreport.engine.measures import Computed
from evalreport.engine.metric_values import Evaluated
from evalreport.engine.printed_table import PrintedTable
from evalreport.engine.repeats import evaluate_repeats
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.declare import Table
from evalreport.metrics.formula import Undefined
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.plan.task import Plan, Skipped, Task, ThresholdRequest
from evalreport.predict.view import LabelView
from evalreport.results import records as r
from evalreport.results.identity import MEAN_OF_FOLDS, Slice
from evalreport.verify.leaves import Made, Miscounted
from evalreport.verify.recorded_models import (
    LABEL_SETS,
    OTHER_DRAWS,
    Model,
    RecordedLabels,
    RecordedMeasurer,
    as_evaluated,
    results_of,
    same_draws,
)
from evalreport.verify.recorded_tables import SINGLE_ROWS, NotRecorded

if TYPE_CHECKING:
    from evalreport.verify.recorded_state import RecordedState

#: Limits of other draws lie within this over the root of their number, in widths of the interval:
#: six standard errors of the difference of two such points of a normal distribution.
DRAWS_APART = 5.8
SIZES = "sizes of the training sets are not in the results"
#: Stand for the sizes of the folds: that there are some is known, not how large they are.
SOME_SIZES = {"": (2, 1)}
#: Why counts and points are taken over.
OF_ROWS = "it is counted from rows; other numbers are compared with it"
OF_TABLES = dict.fromkeys(("counts", "cells", "missing", "sampled_rows"), OF_ROWS)


class _Recorded(Evaluator[Any, Any]):
    """An evaluation that takes over what cannot be computed without rows."""

    measurer: Any

    def __init__(
        self, measurer: Any, numbering: Numbering, first: ThresholdRequest | None, model: Model
    ) -> None:
        super().__init__(measurer, numbering, first)
        self.model = model
        self._left_out: dict[str, str] = {}
        if self.view.fold_sizes is not None:
            self.view = replace(self.view, fold_sizes=SOME_SIZES)

    def _guarded(self, task: Task, parts: Sequence[Evaluator[Any, Any]] = ()) -> None:
        self._task(task, parts or (self,))

    def _task(self, task: Task, parts: Sequence[Evaluator[Any, Any]]) -> None:
        self._left_out = {}
        super()._task(task, parts)
        made, told = self.result.measures[-1], self.model.told(task)
        if told is not None:
            self.result.measures[-1] = self._with_told(task, made, told)
        self.model.left_out[made.id] = self._left_out

    def _skip(self, skipped: Skipped) -> None:
        self._left_out = {}
        super()._skip(skipped)
        if self.result.measures:
            self.model.left_out.setdefault(self.result.measures[-1].id, self._left_out)

    def _with_told(self, task: Task, made: r.Measure, told: r.Measure) -> r.Measure:
        """The measure, with what its tables do not settle as it stands there."""
        model, left_out = self.model.own(task.label), self._left_out
        of_scores = metric_named(task.metric).table is Table.SCORES
        if model.weighted and (of_scores or self._is_of_sets(task)):
            # the sums of weights that curves or tables of labels tell are rounded otherwise
            made = replace(made, substituted=told.substituted)
        unsettled = self._of_one(task).unsettled
        if unsettled is not None:
            bounds = _as_fractions(told.missing_bounds, unsettled, left_out)
            made = replace(made, missing_bounds=bounds)
        if task.where.fold == MEAN_OF_FOLDS and made.interval is not None:
            made = replace(made, interval=self._limits(told, SIZES))
        if model.view.unknown and made.interval is not None and told.interval is not None:
            # samples of the study are told apart by all rows, which are not known
            self._left_out |= {f"interval.{name}": SINGLE_ROWS for name in ("held", "held_most")}
            made = replace(made, interval=made.interval.with_study(told.interval.study))
        return made

    def _limits(
        self, told: r.Measure | None, reason: str, method: str | None = None
    ) -> r.Interval | None:
        """Limits that are taken over, at the level of the spec and by the ``method`` planned."""
        interval = None if told is None else told.interval
        if interval is None:
            return None
        known = ("level", "method") if method else ("level",)
        names = (own.name for own in fields(interval) if own.name not in known)
        self._left_out |= {f"interval.{name}": reason for name in names}
        level = self.measurer.settings.level
        return replace(interval, level=level, method=method or interval.method)

    def _studied(self, task: Task, interval: r.Interval) -> r.Interval:
        """The limits with what such limits held, which is taken over where no table tells rows."""
        names = [f"interval.{name}" for name in ("held", "held_most", "held_cell")]
        try:
            found = super()._studied(task, interval)
        except NotRecorded as absent:
            told = self.model.told(task)
            own = None if told is None or told.interval is None else told.interval.study
            self._left_out |= dict.fromkeys(names, str(absent))
            return interval.with_study(own)
        for name in names:
            self._left_out.pop(name, None)
        return found

    def _compute(self, task: Task) -> Computed:
        """The value with its interval, or what of it is taken over, with the reason."""
        told, own = self.model.told(task), self.model.own(task.label)
        reason = LABEL_SETS if self._is_of_sets(task) else own.unlimited(task)
        self._of_one(task).unsettled = None
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            if reason is None or task.interval is None:
                try:
                    found: Computed = self.measurer.compute(task)
                    reason = self._drawn_otherwise(told, found)
                    if reason is None:
                        return found
                except NotRecorded as absent:
                    reason = str(absent)
            try:
                found = self.measurer.compute(replace(task, interval=None))
            except NotRecorded as absent:
                found = self._taken_over(task, told, str(absent))
        dropped = None if told is None else told.interval_reason
        interval = self._limits(told, reason, task.interval)
        return replace(found, task=task, interval=interval, dropped=dropped)

    def _taken_over(self, task: Task, told: r.Measure | None, reason: str) -> Computed:
        """A value that needs more than the tables."""
        self._left_out |= {own.name: reason for own in fields(r.Measure) if own.name not in _HELD}
        resolved = self.measurer._threshold(task)
        value = Evaluated(Undefined(""), "", "") if told is None else as_evaluated(told)
        if told is not None and self._is_of_sets(task):
            # rows without a value are left out of a mean over rows
            self._left_out["n"], value = reason, replace(value, rows=told.n)
        return Computed(task, value, None, resolved.number, resolved.exploratory)

    def _of_one(self, task: Task) -> RecordedMeasurer:
        """What measures a task: of sets of labels the measurer of its label."""
        of_sets = isinstance(self.model, RecordedLabels)
        found: RecordedMeasurer = self.model.own(task.label).measurer if of_sets else self.measurer
        return found

    def _is_of_sets(self, task: Task) -> bool:
        """Whether a value is of all labels of the rows together."""
        return task.label is None and isinstance(self.model, RecordedLabels)

    def _drawn_otherwise(self, told: r.Measure | None, found: Computed) -> str | None:
        """What another numpy drew may differ from what this one draws, by as much as draws do."""
        own, other = None if told is None else told.interval, found.interval
        if own is None or other is None or not own.resamples or own.method != other.method:
            return None
        if same_draws(self.model.results):
            return None
        room = DRAWS_APART / math.sqrt(own.resamples) * (other.high - other.low)
        apart = max(abs(own.low - other.low), abs(own.high - other.high))
        return OTHER_DRAWS if apart <= room else None

    def _used(self, task: Task, where: Slice) -> Rows:
        """Rows and weight of a task, or those that its measure states where no table tells them."""
        told, model = self.model.told(task), self.model.own(task.label)
        n, weight = (0, None) if told is None else (told.n, told.weight)
        try:
            if self._is_of_sets(task) and self.model.rows.unknown:
                raise NotRecorded(LABEL_SETS)
            n = model.tables.rows_known(where)
        except NotRecorded as absent:
            self._left_out["n"] = str(absent)
        if not model.weighted:
            return Rows(n, None)
        try:
            return Rows(n, model.weight_of(told))
        except NotRecorded as absent:
            self._left_out["weight"] = str(absent)
        return Rows(n, weight)


#: What is held of a measure whose value needs more than the tables.
_HELD = ("n", "weight", "few", "interval", "table")


class RecordedEvaluator(_Recorded, LabelEvaluator):
    """The evaluation of rows of one class each."""

    def _table(self, where: Slice, request: ThresholdRequest | None) -> str | None:
        with suppress(NotRecorded):  # one that is not there is missing where tables are counted
            return super()._table(where, request)
        return None

    def on(self, view: LabelView) -> LabelEvaluator:
        tables: Any = self.model.own(None).tables_of(view, of_values=True)
        measurer = RecordedMeasurer(view, tables, self.measurer.settings, self.measurer.thresholds)
        return RecordedEvaluator(measurer, self.numbering, self.first, self.model)


class RecordedSetEvaluator(_Recorded, SetEvaluator):
    """The evaluation of rows with sets of labels."""

    def _of_label(self, where: Slice, request: ThresholdRequest | None, label: str) -> str:
        with suppress(NotRecorded):
            return super()._of_label(where, request, label)
        return ""


def _as_fractions(
    bounds: r.MissingBounds | None, reason: str, left_out: dict[str, str]
) -> r.MissingBounds | None:
    """Extremes that are taken over, each the quotient of its fraction."""
    if bounds is None or isinstance(bounds.low, r.OfCells) or isinstance(bounds.high, r.OfCells):
        return bounds
    sides = [
        replace(own, value=own.numerator / own.denominator) for own in (bounds.low, bounds.high)
    ]
    for side in ("low", "high"):
        for name in ("numerator", "denominator"):
            left_out[f"missing_bounds.{side}.{name}"] = reason
    return r.MissingBounds(*sides)


# -- all datasets and models --------------------------------------------------------------------


@dataclass(frozen=True)
class Again:
    """All measures and tables of results again, in the order of the run."""

    measures: tuple[Made, ...]
    tables: tuple[PrintedTable, ...]


def evaluated(again: RecordedState) -> Again:
    """Every dataset and model again, by the plan or, where that is not settled, as it was told."""
    numbering, measures, tables = Numbering(), list[Made](), list[PrintedTable]()
    minimum = again.spec.loaded.spec.subgroup_minimum
    for labels in again.results.labels:
        key = labels.dataset, labels.model
        try:
            model = again.any_model(*key)
            found = _evaluations(again, model, numbering)
        except NotRecorded as absent:
            reason = {"": str(absent)}
            measures += [Made(one, reason) for one in results_of(again.results, *key).measures]
            continue
        for one in found:
            one.mark_few(minimum)
            measures += [Made(own, model.left_out.get(own.id, {})) for own in one.measures]
            tables += one.tables
    return Again(tuple(measures), tuple(tables))


def _evaluations(again: RecordedState, model: Model, numbering: Numbering) -> Sequence[Evaluation]:
    plan = _to_measure(again, model)
    first = thresholds_of(again.spec.requests, model.facts)[0]
    if isinstance(model, RecordedLabels):
        return (RecordedSetEvaluator(model.measurer, numbering, first, model).run(plan),)
    evaluator = RecordedEvaluator(model.measurer, numbering, first, model)
    views = [replace(model.view, fold=(model.view.row, names)) for names in model.further_folds]
    one_versus_rest = again.spec.requests.one_versus_rest
    return evaluate_repeats(evaluator, tuple(views), plan, one_versus_rest=one_versus_rest)


def _to_measure(again: RecordedState, model: Model) -> Plan:
    """What is planned and did not fail; where the plan is not settled, what was measured."""
    failed = {(f.dataset, f.model, f.section) for f in again.results.failures}
    plan, folds = again.settled, (None, *model.folds, MEAN_OF_FOLDS)
    if plan is not None:
        tasks = (t for t in plan.tasks if (t.dataset, t.model, t.section()) not in failed)
        return replace(plan, tasks=tuple(tasks))
    measured, skipped = list[Task](), list[Skipped]()
    for one in (own for own in model.results.measures if own.fold in folds):
        task = model.task(one)
        if one.state == "not_applicable":
            skipped.append(Skipped(task, one.reason or ""))
        else:
            measured.append(task)
    return Plan(tuple(measured), tuple(skipped))


def measures(again: RecordedState) -> Iterator[Made]:
    """Every measure; those that are not there, or not planned, the part on the plan tells."""
    made = {one.record.which.series: one for one in again.evaluated.measures}
    for one in again.results.measures:
        found = made.get(one.which.series, Made(one, {"": NOT_PLANNED}))
        yield found if again.same_version else _by_named_method(again, one, found)


def _by_named_method(again: RecordedState, one: r.Measure, made: Made) -> Made:
    """The measure with limits by the method that it names, where another one was planned."""
    own, planned = one.interval, made.record.interval
    if own is None or planned is None or own.method == planned.method:
        return made
    with suppress(NotRecorded):
        limits, _ = again.model_of(one.dataset, one.model).limits(one, own.method)
        if limits is not None:
            record = replace(made.record, interval=replace(limits, why=own.why))
            return replace(made, record=record)
    return made


NOT_PLANNED = "it was not planned"


def tables(again: RecordedState) -> Iterator[Made]:
    """Tables are what is counted from rows; those of a class against the rest follow from them."""
    told, made = again.results.tables, again.evaluated.tables
    if len(told) != len(made):
        raise Miscounted(len(told), len(made))
    for table in made:
        sets = again.any_model(table.dataset, table.model).facts.label_sets
        yield Made(table.record(), OF_TABLES if table.label is None or sets else {})
