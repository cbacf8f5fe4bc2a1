"""Each dataset and model of results as the engine works on it, without rows.

The engine is given the tables of the results in place of rows
(:mod:`evalreport.verify.recorded_tables`), with what the spec in the results asks for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from evalreport.engine.intervals.missing_cases import Ranked
from evalreport.engine.intervals.missing_rows import Missing
from evalreport.engine.label_sets.evaluation import SetMeasurer
from evalreport.engine.measures import Measurer, limits_by
from evalreport.engine.metric_values import Evaluated
from evalreport.engine.run import versions
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Average, Kind, Table
from evalreport.metrics.formula import Infinite, Undefined, Value
from evalreport.metrics.tables import Counts
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.plan.inputs import Facts, Requests, needed_table
from evalreport.plan.methods import choose, stands_for
from evalreport.plan.task import Task, ThresholdRequest
from evalreport.plan.unknown import needs_unknown
from evalreport.predict.facts import facts_of, in_order
from evalreport.predict.schemes import DRAWN
from evalreport.predict.view import LabelView
from evalreport.results.identity import Slice
from evalreport.results.lookup import Results
from evalreport.results.records import (
    ClassCount,
    Interval,
    LabelLedger,
    Measure,
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

    def announce(self, tasks: Sequence[Task]) -> None:
        # scores of the other of two classes are not there: nothing is shared with what measures it
        super().announce([task for task in tasks if not self._is_of_other(task)])

    def missing(self, where: Slice, threshold: float | None) -> Missing | None:
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


class RecordedModel:
    """One dataset and model of results, ready to be measured again.

    Raises NotRecorded where nothing of it can be.
    """

    def __init__(
        self, results: Results, asked: RecordedSpec | None, labels: LabelLedger, rows: RowLedger
    ) -> None:
        if asked is None:
            raise NotRecorded(NO_SPEC)
        if labels.label_sets:
            raise NotRecorded(LABEL_SETS)
        self.asked, self.labels, self.rows = asked, labels, rows
        self.results = results_of(results, labels.dataset, labels.model)
        spec, own = asked.loaded.spec, asked.loaded.spec.datasets[labels.dataset]
        self.declared, self.dataset = spec.models[labels.model], own
        self.weighted = own.weight is not None or own.design is not None
        scheme = spec.cross_validation
        drawn = rows.predictions is not None and scheme is not None and scheme.scheme in DRAWN
        self.clustered = drawn or rows.clusters is not None or own.cluster is not None
        self.tables = self.tables_of(self.view)

    @property
    def key(self) -> tuple[str, str]:
        """Dataset and model."""
        return self.labels.dataset, self.labels.model

    @property
    def settings(self) -> Settings:
        """Level, resamples, seed and costs."""
        return self.asked.settings

    @cached_property
    def view(self) -> RecordedView:
        """The model as the engine sees it, without rows."""
        own, labels, tables = self.dataset, self.labels, self.results.tables
        steps = [one for one in self.results.curves if one.kind == STEPS]
        scores = [s for one in steps for s in one.points["threshold"] if s is not None]
        of_classes = isinstance(self.declared, ScoresModel) or bool(steps)
        source, order = source_of(labels, of_classes), labels.order
        two = len(order) <= 2 and labels.positive is not None
        absent: Any = Absent(WEIGHTS if self.weighted else CLUSTERS)
        rows: Any = Absent(SINGLE_ROWS)
        fits: Any = Absent(OF_FITS)
        unknown: tuple[str, ...] = tuple(own.unknown or ())
        if own.table is not None and len(order) == 2:
            unknown = tuple(own.table.unknown(str(labels.positive)))
        whole = [t.counts or () for t in tables if t.where == Slice() and t.label is None]
        by_class = tuple(int(sum(n or 0 for n in row)) for counts in whole[:1] for row in counts)
        return RecordedView(
            dataset=labels.dataset,
            model=labels.model,
            source=source,
            labels=order,
            positive=order.index(str(labels.positive)) if two else None,
            actual=rows,
            row=rows,
            predicted=rows if source == "prediction" or labels.decided else None,
            class_scores=rows if source == "scores" else None,
            weight=absent if self.weighted else None,
            sample=absent if own.design is not None else None,
            cluster=absent if self.clustered else None,
            indeterminate=next((t.extra_columns for t in tables if t.extra_columns), ()),
            fold=(rows, self.folds) if self.folds else None,
            fold_sizes=fits if isinstance(self.declared, EstimatorModel) else None,
            ledger=RecordedLedger(
                self.rows.read, tuple((one.reason, one.count) for one in self.rows.excluded)
            ),
            unknown=unknown,
            count=self.rows.predictions or self.rows.used,
            of_classes=tuple(one.count for one in self.rows.classes),
            predictions=None if self.rows.predictions is None else by_class,
            reach=(min(scores), max(scores)) if scores else (None, None),
            cluster_count=self.rows.clusters,
            ties={one.threshold: one.rows for one in labels.ties},
        )

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

    @cached_property
    def facts(self) -> Facts:
        """What the planner knows of it."""
        ordered = in_order(self.labels.order, [self.labels.declared])
        # what kind of sample was drawn is not in the results
        designed = None if self.dataset.design is None else "sampled"
        known = facts_of(replace(self.view, sample=None), ())
        return replace(known, designed=designed, groups=self.groups, ordered=ordered)

    @cached_property
    def groups(self) -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """The values of each column or crossing of subgroups, in the order of the measures."""
        found: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
        for columns in self.asked.requests.subgroups:
            # where no threshold was found, nothing was counted in a group that was measured
            for one in chain[RecordedTable | Measure](self.results.tables, self.results.measures):
                if set(one.subgroup) == set(columns):
                    values = tuple(one.subgroup[column] for column in columns)
                    found.setdefault(columns, {})[values] = None
        return {columns: tuple(values) for columns, values in found.items()}

    @cached_property
    def resolved(self) -> dict[ThresholdRequest, Resolved]:
        """The thresholds that the spec asks for, as they stand in the results."""
        return resolved_by(self.results, self.asked.requests, self.facts)

    def tables_of(self, view: LabelView, **good_for: bool) -> RecordedTables:
        """The recorded tables of a view; see :class:`RecordedTables` for what they are good for."""
        return RecordedTables(view, self.results, self.rows, weighted=self.weighted, **good_for)

    @cached_property
    def measurer(self) -> RecordedMeasurer:
        """The engine on the recorded tables."""
        tables = self.tables_of(self.view, of_values=True)
        return RecordedMeasurer(self.view, tables, self.settings, self.resolved)

    @property
    def rough(self) -> RecordedTables:
        """Tables with scores that are good for what kinds of numbers there are, not for these."""
        return self.tables_of(self.view, of_values=True, rough=True)

    def task(self, one: Measure) -> Task:
        """The task that gave a measure, planned as the spec and the facts say."""
        metric, facts = _metric(one), self.facts
        average = None if one.average is None else Average(one.average)
        methods, (same, _) = self.asked.requests.methods, stands_for(metric, average, facts)
        asked = methods.get(metric.name, methods.get(same.name))
        method, why = choose(metric, average, facts, asked)
        given = metric.arguments(dict(one.params))
        params = tuple(sorted((name, given[name]) for name in one.params))
        rule, number = one.threshold_rule, None if one.threshold_rule else one.threshold
        known = (own for own in self.resolved if (own.number, own.text) == (number, rule))
        threshold = None
        if rule is not None or number is not None:
            threshold = next(known, ThresholdRequest(number, rule))
        return Task(
            dataset=one.dataset,
            model=one.model,
            where=one.where,
            metric=one.metric,
            params=params,
            average=one.average,
            label=one.label,
            threshold=threshold,
            table=needed_table(metric, facts).value,
            interval=method,
            why=why,
            indeterminate=one.indeterminate,
            undefined=needs_unknown(
                metric,
                dict(params),
                facts.unknown,
                of_positive=one.label in (None, facts.positive),
                averaged=average is not None,
            ),
        )

    def limits(self, one: Measure, method: str) -> tuple[Interval | None, str | None]:
        """The limits of a measure by another method, or why it has none. Raises NotRecorded."""
        task = self.task(one)
        if (reason := self.unlimited(task)) is not None:
            raise NotRecorded(reason)
        return limits_by(self.measurer, task, self.facts, method)

    def value_of(self, task: Task) -> Evaluated:
        """The value of a task, without its interval. Raises NotRecorded."""
        self.refuse_lengths(task)
        return self.measurer.compute(replace(task, interval=None)).evaluated

    def refuse_lengths(self, of: Task) -> None:
        """Raise NotRecorded where a margin is measured in lengths of the weights."""
        if _metric(of).kind is Kind.MARGIN and self.view.source == "margin":
            raise NotRecorded("the length of the weights is not in the results")

    def unlimited(self, task: Task) -> str | None:
        """Why the limits of a task need more than the tables; None where they do not."""
        if self.weighted or self.clustered:
            return WEIGHTS if self.weighted else CLUSTERS
        of_scores = _metric(task).table in (Table.SCORES, Table.CLASS_SCORES)
        return OF_FITS if of_scores and self.folds else None

    def own(self, label: str | None) -> RecordedModel:  # noqa: ARG002 - of all classes alike
        """What a value of a class is measured on."""
        return self

    def weight_of(self, one: Measure | None) -> float:
        """The weight of the rows of a measure, by its table. Raises NotRecorded."""
        if one is None or one.table is None or one.weight is None:
            raise NotRecorded(WEIGHTS)
        return math.fsum(self.tables.as_counted(self.results.table(one.table)).cells.values())


def resolved_by(
    results: Results, requests: Requests, facts: Facts
) -> dict[ThresholdRequest, Resolved]:
    """The thresholds that are asked for as results say that they were found. Raises NotRecorded."""
    stated = {one.rule or one.threshold: one for one in results.thresholds}
    found = {}
    for request in filter(None, thresholds_of(requests, facts)):
        one = stated.get(request.text or request.number)
        if one is None:
            raise NotRecorded("the thresholds differ from those that the spec requests")
        found[request] = Resolved(one.threshold, one.reason, one.status == "exploratory")
    return found


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


class RecordedLabels:
    """One dataset and model whose rows have sets of labels, ready to be measured again.

    Each label against its absence is a model of two classes. Raises NotRecorded.
    """

    def __init__(
        self, results: Results, asked: RecordedSpec | None, labels: LabelLedger, rows: RowLedger
    ) -> None:
        self.labels, self.rows = labels, rows
        self.results = results_of(results, labels.dataset, labels.model)
        self.of_labels = {
            label: RecordedModel(
                _narrowed(results, labels, label), asked, *_of_label(labels, rows, label)
            )
            for label in labels.order
        }
        self.first = self.of_labels[labels.order[0]]
        self.asked, self.declared = self.first.asked, self.first.declared
        self.folds = self.first.folds

    @property
    def key(self) -> tuple[str, str]:
        """Dataset and model."""
        return self.labels.dataset, self.labels.model

    @cached_property
    def view(self) -> RecordedSets:
        """The model as the engine sees it, without rows."""
        views = [one.view for one in self.of_labels.values()]
        ends = [end for view in views for end in view.reach if end is not None]
        absent: Any = Absent(LABEL_SETS)
        return RecordedSets(
            dataset=self.labels.dataset,
            model=self.labels.model,
            source="prediction" if self.labels.operator is None else "scores",
            labels=self.labels.order,
            positive=None,
            row=absent,
            weight=views[0].weight,
            cluster=views[0].cluster,
            fold=views[0].fold,
            fold_sizes=views[0].fold_sizes,
            ledger=views[0].ledger,
            actual_sets=absent,
            label_scores=None if self.labels.operator is None else absent,
            count=self.rows.used,
            of_classes=tuple(one.count for one in self.rows.classes),
            reach=(min(ends), max(ends)) if ends else (None, None),
        )

    @cached_property
    def facts(self) -> Facts:
        """What the planner knows of it."""
        ordered = in_order(self.labels.order, [self.labels.declared])
        return replace(facts_of(self.view, ()), ordered=ordered, groups=self.first.groups)

    @cached_property
    def resolved(self) -> dict[ThresholdRequest, Resolved]:
        """The thresholds that the spec asks for, as they stand in the results."""
        return resolved_by(self.results, self.asked.requests, self.facts)

    @cached_property
    def tables(self) -> RecordedSetTables:
        """The tables of all labels."""
        return RecordedSetTables(self.view, {k: one.tables for k, one in self.of_labels.items()})

    @cached_property
    def measurer(self) -> RecordedSetMeasurer:
        """The engine on the recorded tables."""
        return RecordedSetMeasurer(self)

    def own(self, label: str | None) -> RecordedModel:
        """The model of a label against its absence; of the first one where there is none."""
        return self.first if label is None else self.of_labels[label]


#: A dataset and model, of whatever kind.
Model = RecordedModel | RecordedLabels


class RecordedSetTables:
    """What an average over labels asks of tables of sets: those of each label, and their sum."""

    def __init__(self, view: RecordedSets, of_labels: Mapping[str, RecordedTables]) -> None:
        self.view = view
        self.of_labels = list(of_labels.values())

    def row_count(self, where: Slice) -> int:
        """The fewest rows that know a label. Raises NotRecorded."""
        return min(tables.row_count(where) for tables in self.of_labels)

    def counts(self, where: Slice, threshold: float | None) -> list[Counts]:
        """The cells of each label against its absence. Raises NotRecorded."""
        return [tables.classification(where, threshold).binary() for tables in self.of_labels]

    def sets(self, where: Slice, threshold: float | None) -> _Sets:
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
        tables: Any = model.tables
        parents = model.first.asked.loaded.spec.hierarchy
        super().__init__(tables, model.first.settings, model.resolved, parents)
        self.recorded = [one.measurer for one in model.of_labels.values()]
        self.of_labels = [*self.recorded]

    @property
    def unsettled(self) -> str | None:
        """Why the last value of a label has no worst and best."""
        return next((one.unsettled for one in self.recorded if one.unsettled), None)

    @unsettled.setter
    def unsettled(self, reason: str | None) -> None:
        for one in self.recorded:
            one.unsettled = reason


#: The cells of counts, in their order.
CELLS = ("tp", "fp", "fn", "tn")


def results_of(
    results: Results, dataset: str, model: str, labels: Sequence[str | None] | None = None
) -> Results:
    """The results with what is of one dataset and model alone, or of one of its labels."""

    def own(part: str) -> tuple[Any, ...]:
        return tuple(
            one
            for one in getattr(results, part)
            if (one.dataset, one.model) == (dataset, model)
            and (labels is None or part == "thresholds" or one.label in labels)
        )

    parts: Any = {part: own(part) for part in ("tables", "curves", "measures", "thresholds")}
    return replace(results, **parts)


def _narrowed(results: Results, labels: LabelLedger, label: str) -> Results:
    """The results with the tables, curves and measures of one label against its absence alone."""
    found = results_of(results, labels.dataset, labels.model, [label])
    return replace(found, tables=tuple(replace(one, label=None) for one in found.tables))


def _of_label(labels: LabelLedger, rows: RowLedger, label: str) -> tuple[LabelLedger, RowLedger]:
    """The accounts of one label against its absence."""
    unknown = sum(one.count for one in rows.unknown if one.label == label)
    n = sum(one.count for one in rows.classes if one.label == label)
    used, absent = rows.used - unknown, f"not {label}"
    return (
        replace(labels, label_sets=False, order=(absent, label), positive=label, declared=None),
        replace(
            rows, used=used, classes=(ClassCount(absent, used - n), ClassCount(label, n)),
            unknown=(),
        ),
    )  # fmt: skip


def _metric(one: Measure | Task) -> Any:
    metric = find(one.metric)
    if metric is None:
        raise ValueError(f"there is no metric {one.metric!r}")
    return metric
