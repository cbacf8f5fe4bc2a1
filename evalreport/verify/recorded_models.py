"""Each dataset and model of results as the engine works on it, without rows.

The engine is given the tables of the results in place of rows
(:mod:`evalreport.verify.recorded_tables`), with what the spec in the results asks for.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from evalreport.engine.counting.set_tables import CELLS, SetTables
from evalreport.engine.intervals.missing_cases import Ranked
from evalreport.engine.label_sets.evaluation import SetMeasurer
from evalreport.engine.measures import Computed, Measurer, limits_by, not_applicable
from evalreport.engine.metric_values import Evaluated
from evalreport.engine.run import versions
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.declare import Kind, Table
from evalreport.metrics.formula import Infinite, Undefined, Value
from evalreport.metrics.tables import Counts
from evalreport.plan.build import build_plan
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.plan.inputs import Facts
from evalreport.plan.task import Skipped, Task, ThresholdRequest
from evalreport.predict.facts import facts_of, in_order
from evalreport.predict.schemes import DRAWN
from evalreport.predict.view import LabelView, View
from evalreport.results.identity import EVERYTHING, Slice, WhichNumber
from evalreport.results.lookup import Results
from evalreport.results.records import (
    ClassCount,
    Interval,
    LabelLedger,
    Measure,
    MissingRows,
    RowLedger,
)
from evalreport.results.records import Table as RecordedTable
from evalreport.spec.models import EstimatorModel, ScoresModel
from evalreport.verify.recorded_spec import RecordedSpec
from evalreport.verify.recorded_tables import (
    CLUSTERS,
    SINGLE_ROWS,
    STEPS,
    WEIGHTS,
    Absent,
    NotRecorded,
    RecordedLedger,
    RecordedSets,
    RecordedTables,
    RecordedView,
    refusing,
    source_of,
)

#: All rows of a further repeat, after the folds of the first and before its own.
FURTHER_REPEAT = re.compile(r"repeat \d+")
#: What is drawn by numpy, whose releases may draw differently.
OTHER_DRAWS = "it was drawn by another version of numpy"
LABEL_SETS = "sets of labels are not in the results"
NO_SPEC = "the spec in the results cannot be read by itself"
OF_FITS = "scores of the single fits are not in the results"
UNSCORED = "scores of the rows without a target are not in the results"


class RecordedMeasurer(Measurer):
    """The engine on recorded tables; ``unsettled``: why the last value has no worst and best."""

    unsettled: str | None = None

    def compute(self, task: Task) -> Computed:
        """The value with its interval. Raises NotRecorded."""
        if metric_named(task.metric).kind is Kind.MARGIN and self.view.source == "margin":
            raise NotRecorded("the length of the weights is not in the results")
        return super().compute(task)

    def announce(self, tasks: Sequence[Task]) -> None:
        # scores of the other of two classes are not there: nothing is shared with what measures it
        super().announce([task for task in tasks if not self._is_of_other(task)])

    def missing(self, where: Slice, threshold: float | None) -> MissingRows | None:
        """The rows of a slice that lack something, as its table tells."""
        assert isinstance(self.tables, RecordedTables)
        return self.tables.missing(where, threshold)

    def missing_scores(self, task: Task) -> Ranked | None:
        """The same as they are ranked; whose scores are not known leaves the extremes unsettled."""
        assert isinstance(self.tables, RecordedTables)
        missing = self.tables.missing(task.where, None)
        if missing is None:
            return None
        columns, targets = len(self.view.labels) > 2, sum(missing.without_target)
        if targets and not columns:
            self.unsettled = UNSCORED
            return None
        without, unknown = missing.without_prediction, targets + missing.without_both
        if unknown and not all(isinstance(count, int) for count in (*without, unknown)):
            return None
        own = float(without[self.class_index(task)])
        return Ranked(own, math.fsum(without) - own, np.empty(0), float(unknown))


class _Recorded(ABC):
    """A dataset and model of results, whatever its rows are labelled with, ready to be measured."""

    def __init__(
        self, results: Results, asked: RecordedSpec, labels: LabelLedger, rows: RowLedger
    ) -> None:
        self.asked, self.labels, self.rows = asked, labels, rows
        self.results = results_of(results, labels.dataset, labels.model)
        spec, own = asked.loaded.spec, asked.loaded.spec.datasets[labels.dataset]
        self.declared, self.dataset = spec.models[labels.model], own
        self.weighted = own.weight is not None or own.design is not None
        scheme = spec.cross_validation
        drawn = rows.predictions is not None and scheme is not None and scheme.scheme in DRAWN
        self.clustered = drawn or rows.clusters is not None or own.cluster is not None
        #: What is taken over of each measure that was made again, with the reasons, by its id.
        self.left_out: dict[str, dict[str, str]] = {}

    @property
    @abstractmethod
    def view(self) -> View:
        """The model as the engine sees it, without rows."""

    @property
    def _of_rows(self) -> dict[str, Any]:
        """What a view is told of the rows, whatever they are labelled with."""
        absent: Any = Absent(WEIGHTS if self.weighted else CLUSTERS)
        rows: Any = Absent(LABEL_SETS if self.labels.label_sets else SINGLE_ROWS)
        fits: Any = Absent(OF_FITS)
        return {
            "dataset": self.labels.dataset,
            "model": self.labels.model,
            "labels": self.labels.order,
            "row": rows,
            "weight": absent if self.weighted else None,
            "sample": absent if self.dataset.design is not None else None,
            "cluster": absent if self.clustered else None,
            "fold": (rows, self.folds) if self.folds else None,
            "fold_sizes": fits if isinstance(self.declared, EstimatorModel) else None,
            "ledger": RecordedLedger(
                self.rows.read, tuple((one.reason, one.count) for one in self.rows.excluded)
            ),
            "count": self.rows.predictions or self.rows.used,
            "of_classes": tuple(one.count for one in self.rows.classes),
        }

    @property
    @abstractmethod
    def of_labels(self) -> Mapping[str, RecordedModel]:
        """What is measured by itself: each label against its absence, or the model as a whole."""

    def own(self, label: str | None) -> RecordedModel:
        """What a value of a label is measured on; the first where it is of all of them."""
        return self.of_labels.get(label or "", next(iter(self.of_labels.values())))

    @cached_property
    def facts(self) -> Facts:
        """What the planner knows of it."""
        ordered = in_order(self.labels.order, [self.labels.declared])
        designed = None if self.dataset.design is None else self.dataset.design.kind
        known = facts_of(replace(self.view, sample=None, fold_sizes=None), ())
        # all that a plan takes from the sizes of training sets is whether they are known; folds
        # of one row each have no measures, and so no names here
        crossed = isinstance(self.declared, EstimatorModel) and self.declared.fit_on is None
        return replace(
            known,
            designed=designed,
            groups=self.groups,
            ordered=ordered,
            fold_sizes=dict.fromkeys(self.folds or ("",), (0, 0)) if crossed else None,
        )

    @cached_property
    def groups(self) -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """The values of each column or crossing of subgroups, in the order of the measures."""
        found = dict[tuple[str, ...], dict[tuple[str, ...], None]]()
        for columns in self.asked.requests.subgroups:
            found[columns] = {}
            # where no threshold was found, nothing was counted in a group that was measured
            for one in chain[RecordedTable | Measure](self.results.tables, self.results.measures):
                if set(one.subgroup) == set(columns):
                    values = tuple(one.subgroup[column] for column in columns)
                    found[columns][values] = None
        return {columns: tuple(values) for columns, values in found.items()}

    @cached_property
    def folds(self) -> tuple[str, ...]:
        """The folds that the rows are of, those of the first repeat where there are several."""
        return self._folds[0]

    @property
    def further_folds(self) -> Sequence[tuple[str, ...]]:
        """The folds of each further repeat."""
        return self._folds[1:]

    @cached_property
    def _folds(self) -> list[tuple[str, ...]]:
        """The folds of each repeat; the name of a further one stands before its folds."""
        found: list[tuple[str, ...]] = [()]
        for name in dict.fromkeys(t.fold for t in self.results.tables if t.fold is not None):
            if self.rows.repeats is not None and FURTHER_REPEAT.fullmatch(name):
                found.append(())
            else:
                found[-1] = (*found[-1], name)
        return found

    @property
    def settings(self) -> Settings:
        """Level, resamples, seed and costs."""
        return self.asked.settings

    @property
    def key(self) -> tuple[str, str]:
        """Dataset and model."""
        return self.labels.dataset, self.labels.model

    @cached_property
    def resolved(self) -> dict[ThresholdRequest, Resolved]:
        """The thresholds that the spec asks for, as results say that they were found.

        Raises NotRecorded.
        """
        stated = {one.rule or one.threshold: one for one in self.results.thresholds}
        found = {}
        for request in filter(None, thresholds_of(self.asked.requests, self.facts)):
            one = stated.get(request.text or request.number)
            if one is None:
                raise NotRecorded("the thresholds differ from those that the spec requests")
            found[request] = Resolved(one.threshold, one.reason, one.status == "exploratory")
        return found

    @cached_property
    def _planned(self) -> dict[WhichNumber, Task]:
        plan = build_plan(self.asked.requests, [self.facts])
        tasks = (*plan.tasks, *(one.record for one in plan.skipped))
        return {series_of(one): one for one in reversed(tasks)}

    @cached_property
    def _told(self) -> dict[WhichNumber, Measure]:
        return {one.which.series: one for one in reversed(self.results.measures)}

    def told(self, task: Task) -> Measure | None:
        """The measure of a task as it stands in the results; None where there is none."""
        return self._told.get(series_of(task))

    def task(self, one: Measure) -> Task:
        """The task that gave a measure. Raises NotRecorded where the spec asks for none."""
        if one.which.series not in self._planned:
            raise NotRecorded("it was not planned")
        return self._planned[one.which.series]


class RecordedModel(_Recorded):
    """One dataset and model of results, ready to be measured again."""

    @cached_property
    def tables(self) -> RecordedTables:
        """The recorded tables."""
        return self.tables_of(self.view)

    @cached_property
    def view(self) -> RecordedView:
        """The model as the engine sees it, without rows."""
        labels, tables = self.labels, self.results.tables
        steps = [one for one in self.results.curves if one.kind == STEPS]
        scores = [s for one in steps for s in one.points["threshold"] if s is not None]
        of_classes = isinstance(self.declared, ScoresModel) or bool(steps)
        source, order = source_of(labels, of_classes), labels.order
        two = len(order) <= 2 and labels.positive is not None
        rows: Any = Absent(SINGLE_ROWS)
        unknown: tuple[str, ...] = tuple(self.dataset.unknown or ())
        if self.dataset.table is not None and len(order) == 2:
            unknown = tuple(self.dataset.table.unknown(str(labels.positive)))
        whole = [t.counts or () for t in tables if t.where == Slice() and t.label is None]
        by_class = tuple(int(sum(n or 0 for n in row)) for counts in whole[:1] for row in counts)
        return RecordedView(
            **self._of_rows,
            source=source,
            positive=order.index(str(labels.positive)) if two else None,
            actual=rows,
            predicted=rows if source == "prediction" or labels.decided else None,
            class_scores=rows if source == "scores" else None,
            indeterminate=next((t.extra_columns for t in tables if t.extra_columns), ()),
            unknown=unknown,
            predictions=None if self.rows.predictions is None else by_class,
            reach=(min(scores), max(scores)) if scores else (None, None),
            cluster_count=self.rows.clusters,
            ties={one.threshold: one.rows for one in labels.ties},
        )

    def tables_of(self, view: LabelView, **good_for: bool) -> RecordedTables:
        """The recorded tables of a view; see :class:`RecordedTables` for what they are good for."""
        return RecordedTables(view, self.results, self.rows, weighted=self.weighted, **good_for)

    @cached_property
    def measurer(self) -> RecordedMeasurer:
        """The engine on the recorded tables."""
        tables = self.tables_of(self.view, of_values=True)
        return RecordedMeasurer(self.view, tables, self.settings, self.resolved)

    def limits(self, one: Measure, method: str) -> tuple[Interval | None, str | None]:
        """The limits of a measure by another method, or why it has none. Raises NotRecorded."""
        task = self.task(one)
        if (reason := self.unlimited(task)) is not None:
            raise NotRecorded(reason)
        return limits_by(self.measurer, task, self.facts, method)

    def unlimited(self, task: Task) -> str | None:
        """Why the limits of a task need more than the tables; None where they do not."""
        if self.weighted or self.clustered:
            return WEIGHTS if self.weighted else CLUSTERS
        of_scores = metric_named(task.metric).table in (Table.SCORES, Table.CLASS_SCORES)
        return OF_FITS if of_scores and self.folds else None

    @property
    def of_labels(self) -> Mapping[str, RecordedModel]:
        return {"": self}

    def weight_of(self, one: Measure | None) -> float:
        """The weight of the rows of a measure, by its table. Raises NotRecorded."""
        if one is None or one.table is None or one.weight is None:
            raise NotRecorded(WEIGHTS)
        return math.fsum(self.tables.as_counted(self.results.table(one.table)).cells.values())


def series_of(task: Task) -> WhichNumber:
    """The number that a task gives, in whatever run."""
    return not_applicable(Skipped(task, ""), "", None, 0).which.series


def same_draws(results: Results) -> bool:
    """Whether the numpy that made the results is the one that draws here."""
    return results.provenance.versions.get("numpy") == versions().get("numpy")


def as_evaluated(one: Measure) -> Evaluated:
    """The value of a measure as the engine holds it."""
    reason = one.reason or ""
    outcome = Infinite(reason) if one.state == "infinite" else Undefined(reason)
    return Evaluated(
        outcome if one.value is None else Value(one.value), one.formula, one.substituted,
        one.numerator, one.denominator, note=one.reason, left_out=tuple(one.left_out),
        missing=one.missing_bounds, reached=one.reached,
    )  # fmt: skip


class RecordedLabels(_Recorded):
    """One dataset and model whose rows have sets of labels, ready to be measured again.

    Each label against its absence is a model of two classes.
    """

    def __init__(
        self, results: Results, asked: RecordedSpec, labels: LabelLedger, rows: RowLedger
    ) -> None:
        super().__init__(results, asked, labels, rows)
        requests = asked.requests
        numbers = tuple(one for one in requests.thresholds if one.number is not None)
        asked = replace(asked, requests=replace(requests, thresholds=numbers))
        self._of_labels = {
            label: RecordedModel(own, asked, *_of_label(labels, rows, label, own.tables))
            for label in labels.order
            for own in (_narrowed(self.results, label),)
        }

    @property
    def of_labels(self) -> Mapping[str, RecordedModel]:
        return self._of_labels

    @cached_property
    def view(self) -> RecordedSets:
        """The model as the engine sees it, without rows."""
        views = [one.view for one in self.of_labels.values()]
        ends = [end for view in views for end in view.reach if end is not None]
        absent: Any = Absent(LABEL_SETS)
        return RecordedSets(
            **self._of_rows,
            source="prediction" if self.labels.operator is None else "scores",
            positive=None,
            actual_sets=absent,
            label_scores=None if self.labels.operator is None else absent,
            reach=(min(ends), max(ends)) if ends else (None, None),
        )

    @cached_property
    def tables(self) -> RecordedSetTables:
        """The tables of all labels."""
        return RecordedSetTables(self.view, {k: one.tables for k, one in self.of_labels.items()})

    @cached_property
    def measurer(self) -> RecordedSetMeasurer:
        """The engine on the recorded tables."""
        return RecordedSetMeasurer(self)


#: A dataset and model, of whatever kind.
Model = RecordedModel | RecordedLabels


class RecordedSetTables(SetTables):
    """What an average over labels asks of tables of sets: those of each label, and their sum."""

    def __init__(self, view: RecordedSets, of_labels: Mapping[str, RecordedTables]) -> None:
        super().__init__(view)
        self.of_labels = tuple(of_labels.values())

    def row_count(self, where: Slice) -> int:
        """The fewest rows that know a label. Raises NotRecorded."""
        return min(tables.row_count(where) for tables in self.of_labels)

    def class_rows(self, where: Slice) -> tuple[int, ...]:
        """The rows that have each label. Raises NotRecorded."""
        if any(one.view.rows != self.view.rows for one in self.of_labels):
            raise NotRecorded(LABEL_SETS)
        if where == EVERYTHING:
            return self.view.class_rows
        return tuple(one.class_rows(where)[one.view.positive_index] for one in self.of_labels)

    rows = kinds = refusing(SINGLE_ROWS)
    cluster_sizes = refusing(CLUSTERS)

    def sets(self, where: Slice, threshold: float | None) -> Any:
        """The cells of all labels together, which are all that is known of the sets."""
        return _Sets(self.counts(where, threshold))


class _Sets(Absent):
    """Sets of labels of which the cells alone are known."""

    def __init__(self, counts: Sequence[Counts]) -> None:
        super().__init__(LABEL_SETS)
        self._counts = counts

    def pooled(self) -> Counts:
        """The cells of all labels, added up."""
        cells = [[getattr(one, name).value for one in self._counts] for name in CELLS]
        whole = all(type(count) is int for cell in cells for count in cell)
        return Counts(*map(sum if whole else math.fsum, cells))


class RecordedSetMeasurer(SetMeasurer):
    """The engine on the recorded tables of each label."""

    def __init__(self, model: RecordedLabels) -> None:
        parents = model.asked.loaded.spec.hierarchy
        super().__init__(model.tables, model.settings, model.resolved, parents)
        self.of_labels = [one.measurer for one in model.of_labels.values()]


def results_of(results: Results, dataset: str, model: str) -> Results:
    """The results with what is of one dataset and model alone."""
    key = dataset, model
    parts: Any = {
        part: tuple(one for one in getattr(results, part) if (one.dataset, one.model) == key)
        for part in ("tables", "curves", "measures", "thresholds")
    }
    return replace(results, **parts)


def _narrowed(results: Results, label: str) -> Results:
    """The results with the tables, curves and measures of one label against its absence alone."""
    return replace(
        results,
        tables=tuple(replace(one, label=None) for one in results.tables if one.label == label),
        curves=tuple(one for one in results.curves if one.label == label),
        measures=tuple(one for one in results.measures if one.label == label),
    )


def _of_label(
    labels: LabelLedger, rows: RowLedger, label: str, tables: Sequence[RecordedTable]
) -> tuple[LabelLedger, RowLedger]:
    """The accounts of one label against its absence; ``tables``: of the rows that know it."""
    unknown = sum(one.count for one in rows.unknown if one.label == label)
    n = sum(one.count for one in rows.classes if one.label == label)
    whole = [one.counts[-1] for one in tables if one.where == EVERYTHING and one.counts]
    counted: Sequence[Any] = whole[0] if whole else ()
    if unknown and counted and all(type(count) is int for count in counted):
        n = sum(counted)  # of some rows that have the label no model says anything
    used, absent = rows.used - unknown, f"not {label}"
    return (
        replace(labels, label_sets=False, order=(absent, label), positive=label, declared=None),
        replace(
            rows, used=used, classes=(ClassCount(absent, used - n), ClassCount(label, n)),
            unknown=(),
        ),
    )  # fmt: skip
