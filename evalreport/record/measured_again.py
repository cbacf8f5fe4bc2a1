"""Measures again from recorded tables, by the engine itself: value, formula and interval.

The engine is given the tables of the results in place of rows
(:mod:`evalreport.record.recorded_tables`), with what the spec in the results asks for, and
computes each number by its metric's declaration and its interval by the planned method.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from itertools import chain, takewhile
from typing import Any

import numpy as np

from evalreport.engine.measures import Computed, Measurer, as_measure, limits_by
from evalreport.engine.run import versions
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Average, Kind, Table
from evalreport.plan.inputs import Facts, needed_table
from evalreport.plan.methods import choose, stands_for
from evalreport.plan.task import Task, ThresholdRequest
from evalreport.plan.unknown import needs_unknown
from evalreport.predict.facts import in_order
from evalreport.predict.schemes import DRAWN
from evalreport.record.recorded_spec import RecordedSpec
from evalreport.record.recorded_tables import (
    CLUSTERS,
    SINGLE_ROWS,
    STEPS,
    WEIGHTS,
    Absent,
    NotRecorded,
    RecordedLedger,
    RecordedTables,
    RecordedView,
    source_of,
)
from evalreport.results.identity import MEAN_OF_FOLDS, REPEATS_SHARE_ROWS, Slice
from evalreport.results.lookup import Results
from evalreport.results.records import Interval, LabelLedger, Measure, RowLedger
from evalreport.results.records import Table as RecordedTable
from evalreport.spec.models import EstimatorModel

#: Another order of the same sums, or another processor, moves no more than this.
CLOSE = 1e-9
#: All rows of a further repeat, after the folds of the first and before its own.
FURTHER_REPEAT = re.compile(r"repeat \d+")
#: What is drawn by numpy, whose releases may draw differently.
OTHER_DRAWS = "it was drawn by another version of numpy"
LABEL_SETS = "sets of labels are not in the results"
NO_SPEC = "the spec in the results cannot be read by itself"
OF_FITS = "scores of the single fits are not in the results"


@dataclass(frozen=True)
class Again:
    """A measure computed again; ``interval_reason`` says why its interval was not."""

    measure: Measure
    interval_reason: str | None


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
        self.results, self.asked, self.labels, self.rows = results, asked, labels, rows
        dataset = asked.loaded.spec.datasets[labels.dataset]
        designed = dataset.design is not None
        self.weighted = dataset.weight is not None or designed
        scheme = asked.loaded.spec.cross_validation
        drawn = rows.predictions is not None and scheme is not None and scheme.scheme in DRAWN
        self.clustered = drawn or rows.clusters is not None or dataset.cluster is not None
        self.designed = "sampled" if designed else None
        self.tables = RecordedTables(self.view, results, rows, weighted=self.weighted)

    @property
    def settings(self) -> Settings:
        """Level, resamples, seed and costs."""
        return self.asked.settings

    @cached_property
    def view(self) -> RecordedView:
        """The model as the engine sees it, without rows."""
        labels = self.labels.order
        two = len(labels) <= 2 and self.labels.positive is not None
        absent: Any = Absent(WEIGHTS if self.weighted else CLUSTERS)
        rows: Any = Absent(SINGLE_ROWS)
        fits: Any = Absent(OF_FITS)
        left_out = tuple((one.reason, one.count) for one in self.rows.excluded)
        return RecordedView(
            dataset=self.labels.dataset,
            model=self.labels.model,
            source=self.source,
            labels=labels,
            positive=labels.index(str(self.labels.positive)) if two else None,
            actual=rows,
            row=rows,
            predicted=rows if self.source == "prediction" or self.labels.decided else None,
            class_scores=rows if self.source == "scores" else None,
            weight=absent if self.weighted else None,
            sample=absent if self.designed else None,
            cluster=absent if self.clustered else None,
            indeterminate=self._indeterminate,
            fold=(rows, self.folds) if self.folds else None,
            fold_sizes=fits if self.trained else None,
            ledger=RecordedLedger(self.rows.read, left_out),
            unknown=self._unknown,
            of_classes=tuple(one.count for one in self.rows.classes),
            predictions=None if self.rows.predictions is None else self._predictions,
        )

    @property
    def _predictions(self) -> tuple[int, ...]:
        """Predictions of rows of each class, by a table of them all; empty without one."""
        own = (self.labels.dataset, self.labels.model)
        for one in self.results.tables:
            if (one.dataset, one.model) == own and one.where == Slice() and one.label is None:
                return tuple(int(sum(count or 0 for count in row)) for row in one.counts or ())
        return ()

    @property
    def crossed(self) -> bool:
        """Whether it was trained in folds, and not once on rows of their own."""
        own = self.asked.loaded.spec.models[self.labels.model]
        return isinstance(own, EstimatorModel) and own.fit_on is None

    @property
    def trained(self) -> bool:
        """Whether the model was trained in the run."""
        return isinstance(self.asked.loaded.spec.models[self.labels.model], EstimatorModel)

    @cached_property
    def _unknown(self) -> tuple[str, ...]:
        """The cells of the table of two classes that nobody counted."""
        dataset = self.asked.loaded.spec.datasets[self.labels.dataset]
        if dataset.table is not None and len(self.labels.order) == 2:
            return tuple(dataset.table.unknown(str(self.labels.positive)))
        return tuple(dataset.unknown or ())

    @cached_property
    def source(self) -> str:
        """What the model gives: labels, scores, margins."""
        own = (self.labels.dataset, self.labels.model)
        curved = any(c.kind == STEPS and (c.dataset, c.model) == own for c in self.results.curves)
        return source_of(self.labels, curved)

    @cached_property
    def folds(self) -> tuple[str, ...]:
        """The folds that the rows are of, those of the first repeat where there are several."""
        own = (self.labels.dataset, self.labels.model)
        names = (t.fold for t in self.results.tables if (t.dataset, t.model) == own)
        found = dict.fromkeys(name for name in names if name is not None)
        if self.rows.repeats is None:
            return tuple(found)
        return tuple(takewhile(lambda name: FURTHER_REPEAT.fullmatch(name) is None, found))

    @cached_property
    def _indeterminate(self) -> tuple[str, ...]:
        own = (self.labels.dataset, self.labels.model)
        tables = (t for t in self.results.tables if (t.dataset, t.model) == own)
        return next((t.extra_columns for t in tables if t.extra_columns), ())

    @cached_property
    def facts(self) -> Facts:
        """What the planner knows of it."""
        labels = self.labels
        return Facts(
            dataset=labels.dataset,
            model=labels.model,
            source=self.source,
            decided=labels.decided,
            labels=labels.order,
            positive=labels.positive,
            rows=self.tables.row_count(Slice()),
            weighted=self.weighted,
            clustered=self.clustered,
            indeterminate=self._indeterminate,
            designed=self.designed,
            folds=self.folds,
            low=self._range[0],
            high=self._range[1],
            groups=self.groups,
            unknown=self._unknown,
            ordered=in_order(labels.order, [labels.declared]),
        )

    @cached_property
    def groups(self) -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """The values of each column or crossing of subgroups, in the order of the measures."""
        own = (self.labels.dataset, self.labels.model)
        found: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
        for columns in self.asked.requests.subgroups:
            # where no threshold was found, nothing was counted in a group that was measured
            for one in chain[RecordedTable | Measure](self.results.tables, self.results.measures):
                if (one.dataset, one.model) == own and set(one.subgroup) == set(columns):
                    values = tuple(one.subgroup[column] for column in columns)
                    found.setdefault(columns, {})[values] = None
        return {columns: tuple(values) for columns, values in found.items()}

    @cached_property
    def _range(self) -> tuple[float | None, float | None]:
        """The lowest and the highest score, as far as curves hold them."""
        own = (self.labels.dataset, self.labels.model)
        found = [
            score
            for curve in self.results.curves
            if curve.kind == STEPS and (curve.dataset, curve.model) == own
            for score in curve.points["threshold"]
            if score is not None
        ]
        return (min(found), max(found)) if found else (None, None)

    @property
    def probabilities(self) -> bool:
        """Whether the scores can be probabilities."""
        return self.facts.probabilities

    @cached_property
    def resolved(self) -> dict[ThresholdRequest, Resolved]:
        """The thresholds as they stand in the results."""
        own = (self.labels.dataset, self.labels.model)
        return {
            ThresholdRequest(None if one.rule else one.threshold, one.rule): Resolved(
                one.threshold, one.reason, one.status == "exploratory"
            )
            for one in self.results.thresholds
            if (one.dataset, one.model) == own
        }

    @cached_property
    def measurer(self) -> Measurer:
        """The engine on the recorded tables; groups of impact ratios are announced to it."""
        found = Measurer(self.view, self.tables, self.settings, self.resolved)
        own = (self.labels.dataset, self.labels.model)
        ratios = [
            one
            for one in self.results.measures
            if (one.dataset, one.model) == own and "highest" in _metric(one).context
        ]
        found.announce([self.task(one) for one in ratios if one.state != "not_applicable"])
        return found

    def task(self, one: Measure) -> Task:
        """The task that gave a measure, planned as the spec and the facts say."""
        metric, facts = _metric(one), self.facts
        average = None if one.average is None else Average(one.average)
        methods, (same, _) = self.asked.requests.methods, stands_for(metric, average, facts)
        asked = methods.get(metric.name, methods.get(same.name))
        method, why = choose(metric, average, facts, asked)
        given = metric.arguments(dict(one.params))
        params = tuple(sorted((name, given[name]) for name in one.params))
        threshold = None
        if one.threshold is not None or one.threshold_rule is not None:
            rule = one.threshold_rule
            threshold = ThresholdRequest(None if rule else one.threshold, rule)
        return Task(
            dataset=one.dataset,
            model=one.model,
            where=self._in_order(one.where),
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

    def limits(self, one: Measure, method: str) -> Interval | None:
        """The limits of a measure by another method. Raises NotRecorded."""
        if self.weighted or self.clustered:
            raise NotRecorded(WEIGHTS if self.weighted else CLUSTERS)
        task = self.task(one)
        if task.table in (Table.SCORES.value, Table.CLASS_SCORES.value) and self.folds:
            raise NotRecorded(OF_FITS)
        return limits_by(self.measurer, task, self.facts, method)[0]

    def _in_order(self, where: Slice) -> Slice:
        """The slice with its columns as the spec crosses them, which seeds what is drawn."""
        own = dict(where.subgroup)
        for columns in self.asked.requests.subgroups:
            if set(columns) == set(own):
                return Slice(tuple((column, own[column]) for column in columns), where.fold)
        return where

    def again(self, one: Measure) -> Again:
        """The measure from the recorded tables. Raises NotRecorded."""
        if one.fold == MEAN_OF_FOLDS or one.state == "not_applicable":
            raise NotRecorded(SINGLE_ROWS)
        metric = _metric(one)
        if metric.kind is Kind.MARGIN and self.source == "margin":
            raise NotRecorded("the length of the weights is not in the results")
        task, reason = self.task(one), None
        if self.rows.repeats and one.fold is not None and one.interval_reason == REPEATS_SHARE_ROWS:
            task = replace(task, interval=None, why=REPEATS_SHARE_ROWS)
        if self.weighted or self.clustered:
            reason = WEIGHTS if self.weighted else CLUSTERS
        elif task.table in (Table.SCORES.value, Table.CLASS_SCORES.value) and self.folds:
            reason = OF_FITS
        if reason is None:
            try:
                return Again(self._measured(one, task), None)
            except NotRecorded as absent:
                reason = str(absent)
        return Again(self._measured(one, replace(task, interval=None)), reason)

    def _measured(self, one: Measure, task: Task) -> Measure:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            computed: Computed = self.measurer.compute(task)
        return as_measure(computed, one.id, one.table, one.n, one.weight)


#: Fields that are compared, beside the interval.
COMPARED = ("state", "value", "reason", "numerator", "denominator", "formula", "substituted",
            "title", "reached")  # fmt: skip


def differences(
    one: Measure, again: Again, recorded_numpy: str | None
) -> tuple[list[str], str | None]:
    """What is not as it comes out again, and why the interval was not looked at, if so."""
    pairs = [(name, getattr(one, name), getattr(again.measure, name)) for name in COMPARED]
    found = [
        f"{name} is {own!r}, the recorded tables give {other!r}"
        for name, own, other in pairs
        if not same(own, other)
    ]
    if again.interval_reason is not None:
        return found, again.interval_reason
    told, own = one.interval, again.measure.interval
    if same(told, own) and one.interval_reason == again.measure.interval_reason:
        return found, None
    drawn = any(limits is not None and limits.resamples is not None for limits in (told, own))
    if drawn and recorded_numpy != versions().get("numpy"):
        return found, OTHER_DRAWS
    return [*found, *_interval_differences(one, again.measure)], None


def _interval_differences(one: Measure, other: Measure) -> list[str]:
    if one.interval is None or other.interval is None:
        told = (one.interval, one.interval_reason), (other.interval, other.interval_reason)
        return [f"the interval is {told[0]!r}, the recorded tables give {told[1]!r}"]
    words = {"low": "the lower limit", "high": "the upper limit"}
    return [
        f"{words.get(own.name, f'{own.name} of the interval')} is "
        f"{getattr(one.interval, own.name)!r}, the recorded tables give "
        f"{getattr(other.interval, own.name)!r}"
        for own in fields(one.interval)
        if not same(getattr(one.interval, own.name), getattr(other.interval, own.name))
    ]


def same(one: Any, other: Any) -> bool:
    """Whether two parts of records are equal, floats to within the rounding of their sums."""
    if one is other:
        return True
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, float) or isinstance(other, float):
        numbers = all(isinstance(value, (int, float)) for value in (one, other))
        return numbers and math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-12)
    if is_dataclass(one) and type(one) is type(other):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one == other)


def _metric(one: Measure) -> Any:
    metric = find(one.metric)
    if metric is None:
        raise ValueError(f"there is no metric {one.metric!r}")
    return metric
