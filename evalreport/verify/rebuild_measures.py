"""Measures again from recorded tables, by the engine itself: value, formula and interval.

The engine is given the tables of the results in place of rows
(:mod:`evalreport.verify.recorded_tables`), with what the spec in the results asks for, and
computes each number by its metric's declaration and its interval by the planned method.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from itertools import chain, takewhile
from types import SimpleNamespace
from typing import Any

import numpy as np

from evalreport.engine.counting.classification import ClassificationTable
from evalreport.engine.folds import mean_over_folds, spread
from evalreport.engine.intervals.missing_cases import Ranked
from evalreport.engine.intervals.missing_rows import Missing
from evalreport.engine.label_sets.evaluation import SetMeasurer
from evalreport.engine.measures import Computed, Measurer, as_measure, limits_by, not_applicable
from evalreport.engine.metric_values import Evaluated
from evalreport.engine.run import versions
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Average, Kind, Table
from evalreport.metrics.formula import Undefined, Value
from evalreport.metrics.tables import Counts
from evalreport.plan.inputs import Facts, needed_table
from evalreport.plan.methods import choose, stands_for
from evalreport.plan.task import Skipped, Task, ThresholdRequest
from evalreport.plan.unknown import needs_unknown
from evalreport.predict.facts import facts_of, in_order
from evalreport.predict.outcome import repeat_summary
from evalreport.predict.schemes import DRAWN
from evalreport.predict.view import LabelView
from evalreport.results.identity import MEAN_OF_FOLDS, REPEATS_SHARE_ROWS, Slice
from evalreport.results.lookup import Results
from evalreport.results.records import (
    ClassCount,
    Interval,
    LabelLedger,
    Measure,
    MissingBounds,
    OfCells,
    RowLedger,
    Summary,
)
from evalreport.results.records import Table as RecordedTable
from evalreport.spec.models import EstimatorModel, ScoresModel
from evalreport.verify.leaves import Made
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
#: Limits of other draws lie within this over the root of their number, in widths of the interval:
#: six standard errors of the difference of two such points of a normal distribution.
DRAWS_APART = 5.8
LABEL_SETS = "sets of labels are not in the results"
NO_SPEC = "the spec in the results cannot be read by itself"
OF_FITS = "scores of the single fits are not in the results"


UNSCORED = "scores of the rows without a target are not in the results"
SIZES = "sizes of the training sets are not in the results"


class RecordedMeasurer(Measurer):
    """The engine on recorded tables; ``unsettled``: why the last value has no worst and best."""

    unsettled: str | None = None

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
        self.tables = RecordedTables(self.view, self.results, rows, weighted=self.weighted)

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

    def as_counted(self, table: RecordedTable) -> ClassificationTable:
        """A table of the results, as the engine counts it."""
        return self.tables.as_counted(table)

    @cached_property
    def folds(self) -> tuple[str, ...]:
        """The folds that the rows are of, those of the first repeat where there are several."""
        found = dict.fromkeys(t.fold for t in self.results.tables if t.fold is not None)
        if self.rows.repeats is None:
            return tuple(found)
        return tuple(takewhile(lambda name: FURTHER_REPEAT.fullmatch(name) is None, found))

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
        """The thresholds as they stand in the results."""
        return {
            ThresholdRequest(None if one.rule else one.threshold, one.rule): Resolved(
                one.threshold, one.reason, one.status == "exploratory"
            )
            for one in self.results.thresholds
        }

    @cached_property
    def measurer(self) -> RecordedMeasurer:
        """The engine on the recorded tables; groups of impact ratios are announced to it."""
        tables = RecordedTables(
            self.view, self.results, self.rows, weighted=self.weighted, of_values=True
        )
        found = RecordedMeasurer(self.view, tables, self.settings, self.resolved)
        ratios = [one for one in self.results.measures if "highest" in _metric(one).context]
        found.announce([self.task(one) for one in ratios if one.state != "not_applicable"])
        return found

    @property
    def rough(self) -> RecordedTables:
        """Tables with scores that are good for what kinds of numbers there are, not for these."""
        return RecordedTables(
            self.view, self.results, self.rows, weighted=self.weighted, of_values=True, rough=True
        )

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
        if self.weighted or self.clustered:
            raise NotRecorded(WEIGHTS if self.weighted else CLUSTERS)
        task = self.task(one)
        if task.table in (Table.SCORES.value, Table.CLASS_SCORES.value) and self.folds:
            raise NotRecorded(OF_FITS)
        return limits_by(self.measurer, task, self.facts, method)

    def value_of(self, task: Task) -> Evaluated:
        """The value of a task, without its interval. Raises NotRecorded."""
        self._refuse_lengths(task)
        return self.measurer.compute(replace(task, interval=None)).evaluated

    def _refuse_lengths(self, of: Measure | Task) -> None:
        if _metric(of).kind is Kind.MARGIN and self.view.source == "margin":
            raise NotRecorded("the length of the weights is not in the results")

    def again(self, one: Measure) -> Made:
        """The measure from the recorded tables. Raises NotRecorded."""
        self._refuse_lengths(one)
        left_out: dict[str, str] = {}
        n, weight = self._rows_of(one, left_out)
        few = bool(one.subgroup) and n < self.asked.loaded.spec.subgroup_minimum
        if one.state == "not_applicable":
            left_out["reason"] = "it is planned: verify --rerun makes it again"
            skipped = Skipped(self.task(one), one.reason or "a reason")
            made = not_applicable(skipped, one.id, one.table, n)
            return Made(replace(made, few=few, tables=one.tables), left_out)
        computed, reason = self._of_folds(one) if one.fold == MEAN_OF_FOLDS else self._value(one)
        made = as_measure(computed, one.id, one.table, computed.evaluated.rows or n, weight)
        if reason is not None:
            interval = at_level(one.interval, self.settings.level, reason, left_out)
            made = replace(made, interval=interval, interval_reason=one.interval_reason)
        if self.weighted and one.table is not None and made.substituted != one.substituted:
            # the sums of weights that a curve tells are rounded otherwise
            scores = self.task(one).table == Table.SCORES.value
            made = replace(made, substituted=one.substituted) if scores else made
        if self.measurer.unsettled is not None:
            bounds = _as_fractions(one.missing_bounds, self.measurer.unsettled, left_out)
            made = replace(made, missing_bounds=bounds)
        apart = spread(self._fold_values(one)[1]) if one.fold == MEAN_OF_FOLDS else None
        made = replace(
            made, few=few, table=self._table_of(one), tables=one.tables, spread=apart,
            repeats=self._repeats(one),
        )  # fmt: skip
        return Made(made, left_out)

    def beside(self, one: Measure, reason: str) -> Made:
        """What is known of a measure whose value needs more than the tables: its rows."""
        known: dict[str, str] = {}
        n, weight = self._rows_of(one, known)
        few = bool(one.subgroup) and n < self.asked.loaded.spec.subgroup_minimum
        interval = at_level(one.interval, self.settings.level, reason, known)
        held = ("n", "weight", "few", "interval", "table")
        left_out = {own.name: reason for own in fields(one) if own.name not in held} | known
        title = _metric(one).title
        made = replace(one, n=n, weight=weight, few=few, interval=interval, title=title)
        return Made(replace(made, table=self._table_of(one)), left_out)

    def _value(self, one: Measure) -> tuple[Computed, str | None]:
        """The value with its interval, or why that needs more than the tables."""
        task, reason = self.task(one), None
        if self.rows.repeats and one.fold not in (None, *self.folds):
            task = replace(task, interval=None, why=REPEATS_SHARE_ROWS)
        elif self.weighted or self.clustered:
            reason = WEIGHTS if self.weighted else CLUSTERS
        elif task.table in (Table.SCORES.value, Table.CLASS_SCORES.value) and self.folds:
            reason = OF_FITS
        self.measurer.unsettled = None
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            if reason is None:
                try:
                    return self._drawn(one, self.measurer.compute(task))
                except NotRecorded as absent:
                    reason = str(absent)
            return self.measurer.compute(replace(task, interval=None)), reason

    def _drawn(self, one: Measure, computed: Computed) -> tuple[Computed, str | None]:
        """What another numpy drew may differ from what this one draws, by as much as draws do."""
        own, other = one.interval, computed.interval
        if same_draws(self.results):
            return computed, None
        if own is None or other is None or not own.resamples or own.method != other.method:
            return computed, None
        room = DRAWS_APART / math.sqrt(own.resamples) * (other.high - other.low)
        apart = max(abs(own.low - other.low), abs(own.high - other.high))
        return computed, OTHER_DRAWS if apart <= room else None

    def _table_of(self, one: Measure) -> str | None:
        """The table beside a measure: of its rows, at its threshold where it has one."""
        at = (one.threshold, one.threshold_rule)
        found = [
            table.id
            for table in self.results.tables
            if table.label is None
            and table.where == one.where
            and (one.threshold is None or (table.threshold, table.threshold_rule) == at)
        ]
        if one.table in found or (one.table is None and one.state != "value"):
            return one.table
        return found[0] if found else None

    def _rows_of(self, one: Measure, left_out: dict[str, str]) -> tuple[int, float | None]:
        """Rows and weight of a measure, or those that it states where no table tells them."""
        n, weight = one.n, one.weight
        try:
            n = self.tables.rows_known(Slice() if one.fold == MEAN_OF_FOLDS else one.where)
        except NotRecorded as absent:
            left_out["n"] = str(absent)
        if not self.weighted:
            return n, None
        table = next((table for table in self.results.tables if table.id == one.table), None)
        if table is None or weight is None:
            left_out["weight"] = WEIGHTS
        else:
            weight = math.fsum(self.tables.as_counted(table).cells.values())
        return n, weight

    def _of_folds(self, one: Measure) -> tuple[Computed, str]:
        """The mean over the folds, whose interval needs more than their values."""
        task = self.task(one)
        at = self.resolved[task.threshold] if task.threshold in self.resolved else Resolved(None)
        value = mean_over_folds(*self._fold_values(one))
        return Computed(task, value, None, at.number, at.exploratory), SIZES

    def _fold_values(self, one: Measure) -> tuple[list[str], list[Evaluated]]:
        """The folds that a mean is over, with their values. Raises NotRecorded."""
        listed = [self.results.table(name).fold for name in one.tables or () if name]
        names = list(dict.fromkeys(name for name in listed if name)) or list(self.folds)
        if not listed and self.rows.repeats:
            raise NotRecorded("which folds it is the mean of is not in the results")
        found = [self.results.number(one.which.on(Slice(fold=name))) for name in names]
        if any(measure is None for measure in found):
            raise NotRecorded("a fold of it is not in the results")
        values = [as_evaluated(measure) for measure in found if measure is not None]
        return names, values

    def _repeats(self, one: Measure) -> Summary | None:
        """The summary of the repeats: this is the first, the others are measures of their own."""
        if (self.rows.repeats or 1) < 2 or one.fold is not None or one.subgroup:
            return None
        others = [
            self.results.number(one.which.on(Slice(fold=f"repeat {k}")))
            for k in range(2, (self.rows.repeats or 1) + 1)
        ]
        return repeat_summary([one.value, *(None if m is None else m.value for m in others)])


def same_draws(results: Results) -> bool:
    """Whether the numpy that made the results is the one that draws here."""
    return results.provenance.versions.get("numpy") == versions().get("numpy")


def at_level(
    interval: Interval | None, level: float, reason: str, left_out: dict[str, str]
) -> Interval | None:
    """Limits that are taken over, at the level of the spec."""
    if interval is None:
        return None
    left_out |= {f"interval.{own.name}": reason for own in fields(interval) if own.name != "level"}
    return replace(interval, level=level)


def _as_fractions(
    bounds: MissingBounds | None, reason: str, left_out: dict[str, str]
) -> MissingBounds | None:
    """Extremes that are taken over, each the quotient of its fraction."""
    if bounds is None or isinstance(bounds.low, OfCells) or isinstance(bounds.high, OfCells):
        return bounds
    sides = [
        replace(own, value=own.numerator / own.denominator) for own in (bounds.low, bounds.high)
    ]
    for side in ("low", "high"):
        for name in ("numerator", "denominator"):
            left_out[f"missing_bounds.{side}.{name}"] = reason
    return MissingBounds(*sides)


def as_evaluated(one: Measure) -> Evaluated:
    """The value of a measure as the engine holds it."""
    outcome = Undefined(one.reason or "") if one.value is None else Value(one.value)
    return Evaluated(
        outcome, one.formula, one.substituted, one.numerator, one.denominator,
        left_out=tuple(one.left_out or ()),
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
        self.folds, self.resolved = self.first.folds, self.first.resolved

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

    def as_counted(self, table: RecordedTable) -> ClassificationTable:
        """A table of a label against its absence, as the engine counts it."""
        tables = self.of_labels[str(table.label)].tables
        return tables.as_counted(replace(table, label=None))

    def again(self, one: Measure) -> Made:
        """The measure of a label, or of all together, from the tables. Raises NotRecorded."""
        if one.label is not None:
            return self.of_labels[one.label].again(one)
        if one.average in (None, Average.SAMPLES.value) or one.fold == MEAN_OF_FOLDS:
            raise NotRecorded(LABEL_SETS)
        first = self.first
        if one.state == "not_applicable":
            raise NotRecorded(LABEL_SETS)
        tables: Any = AveragedTables(first.view, {k: m.tables for k, m in self.of_labels.items()})
        if not {"costs", "highest"}.isdisjoint(_metric(one).context) or not tables.row_count(
            one.where
        ):
            raise NotRecorded(LABEL_SETS)
        measurer = SetMeasurer(tables, first.settings, first.resolved, {})
        found = measurer.compute(replace(first.task(one), undefined=None, interval=None))
        made = as_measure(found, one.id, None, one.n, one.weight)
        left_out = {"n": LABEL_SETS, "weight": LABEL_SETS}
        interval = at_level(one.interval, first.settings.level, LABEL_SETS, left_out)
        made = replace(
            made, interval=interval, interval_reason=one.interval_reason, few=one.few,
            tables=one.tables,
        )  # fmt: skip
        return Made(made, left_out)

    def beside(self, one: Measure, reason: str) -> Made:
        """A measure whose value needs more than the tables."""
        if one.label is not None:
            return self.of_labels[one.label].beside(one, reason)
        known: dict[str, str] = {}
        level = self.first.settings.level
        interval = at_level(one.interval, level, reason, known)
        left_out = {own.name: reason for own in fields(one) if own.name != "interval"} | known
        title = _metric(one).title
        return Made(replace(one, interval=interval, table=None, title=title), left_out)


#: A dataset and model, of whatever kind.
Model = RecordedModel | RecordedLabels


class AveragedTables:
    """What an average over labels asks of tables of sets: those of each label, and their sum."""

    def __init__(self, view: LabelView, of_labels: Mapping[str, RecordedTables]) -> None:
        self.view: Any = replace(view, labels=tuple(of_labels))
        self.of_labels = list(of_labels.values())

    def row_count(self, where: Slice) -> int:
        """The fewest rows that know a label. Raises NotRecorded."""
        return min(tables.row_count(where) for tables in self.of_labels)

    def counts(self, where: Slice, threshold: float | None) -> list[Counts]:
        """The cells of each label against its absence. Raises NotRecorded."""
        return [tables.classification(where, threshold).binary() for tables in self.of_labels]

    def sets(self, where: Slice, threshold: float | None) -> Any:
        """The cells of all labels together, which are all that is known of the sets."""
        counts = self.counts(where, threshold)
        cells = [[getattr(one, name).value for one in counts] for name in CELLS]
        whole = all(type(count) is int for cell in cells for count in cell)
        return SimpleNamespace(pooled=lambda: Counts(*map(sum if whole else math.fsum, cells)))


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
