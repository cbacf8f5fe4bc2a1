"""One dataset and model with sets of labels, from its plan to its records.

Its numbers are of one label, averages over labels, or means over rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.set_tables import SetTables
from evalreport.engine.curves import curve_records
from evalreport.engine.evaluation import Evaluation, Evaluator, Numbering, Rows, rows_of
from evalreport.engine.intervals import grouped_jackknife
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.label_sets.bootstrap import (
    RowMean,
    SetBootstrap,
    delta_interval,
    row_mean_interval,
)
from evalreport.engine.measures import Computed, Measurer, TaskMeasurer
from evalreport.engine.metric_values import Evaluated, average, class_value, evaluated
from evalreport.engine.printed_table import PrintedTable
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.declare import Average, Interval, Metric, Table
from evalreport.metrics.formula import Ratio, Undefined, Value
from evalreport.metrics.methods import DELTA_T, SANDWICH_T, SHARE_OF_CLUSTERS
from evalreport.metrics.sets_table import LabelSets, samples_average, samples_values, undefined_rows
from evalreport.metrics.tables import pooled
from evalreport.plan.everything import CURVED_CLASSES
from evalreport.plan.inputs import RECORDS_PER_CLASS
from evalreport.plan.task import Plan, Skipped, Task, ThresholdRequest
from evalreport.predict.label_sets import SetView
from evalreport.results import records
from evalreport.results.identity import MEAN_OF_FOLDS, Slice
from evalreport.results.records import Curve

Result = tuple[Evaluated, records.Interval | str | None]

#: Interval methods that take an average as a smooth function of the cells.
SMOOTH = frozenset({"delta", "sandwich", "cluster_robust", DELTA_T, SANDWICH_T, SHARE_OF_CLUSTERS})
#: Why a cost per pair of classes has no meaning for sets.
NO_COSTS = (
    "costs are given for pairs of classes: sets of labels take false_negative and false_positive"
)


class SetMeasurer(TaskMeasurer[SetView, SetTables]):
    """Computes the tasks of one dataset and model whose rows have sets of labels.

    ``parents``: the parent of each label that has one.
    """

    def __init__(
        self,
        tables: SetTables,
        settings: Settings,
        thresholds: Mapping[ThresholdRequest, Resolved],
        parents: Mapping[str, str],
    ) -> None:
        super().__init__(tables.view, tables, settings, thresholds)
        self.draws = SetBootstrap(tables, settings)
        self.parents = {k: v for k, v in parents.items() if k in tables.view.labels}
        self.of_labels = [Measurer(one.view, one, settings, thresholds) for one in tables.of_labels]

    def announce(self, tasks: Sequence[Task]) -> None:
        for label, measurer in zip(self.view.labels, self.of_labels, strict=True):
            measurer.announce([_of_two_classes(task) for task in tasks if task.label == label])

    def compute(self, task: Task) -> Computed:
        metric = self.metric_of(task)
        if task.label is not None:
            if "costs" in metric.context and not self.settings.outcome_costs:
                return Computed(task, Evaluated(Undefined(NO_COSTS), metric.name, ""), None)
            index = self.view.labels.index(task.label)
            found = self.of_labels[index].compute(_of_two_classes(task))
            return replace(found, task=task)
        resolved = self._threshold(task)
        none = self._no_tree(metric)
        if none is None and self.tables.row_count(task.where) == 0:
            none = Evaluated(Undefined("there is no row"), metric.formula or metric.name, "0 / 0")
        if none is not None:
            return Computed(task, none, None, resolved.number, resolved.exploratory)
        value, limits = self._of_all_labels(task, metric, resolved.number)
        interval, dropped = (None, limits) if isinstance(limits, str) else (limits, None)
        at = resolved.number, resolved.exploratory
        return Computed(task, value, interval, *at, dropped=dropped)

    def _no_tree(self, metric: Metric) -> Evaluated | None:
        """What a metric of the tree of labels gives where the hierarchy is not one of them."""
        if "parents" not in metric.context:
            return None
        strange = dict.fromkeys(p for p in self.parents.values() if p not in self.view.labels)
        if self.parents and not strange:
            return None
        what = "names no parent of a label"
        if strange:
            what = f"names parents that are no labels of these rows: {', '.join(strange)}"
        return Evaluated(Undefined(f"the hierarchy {what}"), metric.formula or metric.name, "")

    def studied(self, task: Task, interval: records.Interval) -> records.Interval:
        if task.label is None:
            return super().studied(task, interval)
        own = self.of_labels[self.view.labels.index(task.label)]
        return own.studied(_of_two_classes(task), interval)

    def _of_all_labels(self, task: Task, metric: Metric, threshold: float | None) -> Result:
        arguments = metric.arguments(dict(task.params))
        if task.average is None:
            return self._of_sets(task, metric, self._with_parents(metric, arguments), threshold)
        kind = Average(task.average)
        if kind is Average.SAMPLES:
            return self._of_samples(task, metric, arguments, threshold)
        if metric.table is Table.SCORES:
            return self._of_score_average(task, metric, arguments, kind)
        return self._of_count_average(task, metric, arguments, kind, threshold)

    def _with_parents(self, metric: Metric, arguments: dict[str, Any]) -> dict[str, Any]:
        return {**arguments, "parents": self.parents} if "parents" in metric.context else arguments

    # -- means over rows ------------------------------------------------------------------

    def _of_sets(
        self, task: Task, metric: Metric, arguments: Mapping[str, Any], threshold: float | None
    ) -> Result:
        # Rankings of labels need no threshold; which sets it would give does not matter.
        at = 0.0 if task.threshold is None else threshold
        sets = self.tables.sets(task.where, at)
        whole = sets.complete
        assert metric.row_values is not None
        value = evaluated(metric, metric(whole, **arguments), None)
        values = sets.of_complete(metric.row_values(whole, **arguments))
        return self._with_interval(task, metric, sets, values, value)

    def _of_samples(
        self, task: Task, metric: Metric, arguments: Mapping[str, Any], threshold: float | None
    ) -> Result:
        sets = self.tables.sets(task.where, threshold)
        whole = sets.complete
        reason = f"{metric.name} is undefined for every row"
        expression: Ratio = samples_average(metric, whole, arguments)
        value = replace(
            evaluated(metric, expression, None),
            outcome=expression.outcome(reason),
            formula=expression.formula(),
        )
        values = sets.of_complete(samples_values(metric, whole, arguments))
        return self._with_interval(task, metric, sets, values, value)

    def _with_interval(
        self,
        task: Task,
        metric: Metric,
        sets: LabelSets,
        values: npt.NDArray[np.float64],
        value: Evaluated,
    ) -> Result:
        """The value with its interval, saying how many rows have no value."""
        left_out = _left_out(sets, values)
        if left_out is not None:
            value = replace(value, note=left_out, rows=sets.count(np.isfinite(values)))
        if not isinstance(value.outcome, Value) or task.interval is None:
            return value, None
        share = metric.interval is Interval.PROPORTION and task.average is None
        number = value.outcome.number
        clusters = self._clusters(task)
        mean = RowMean(number, values, metric.bounds, sets.times, clusters, share, sets.often)
        level = self.settings.level
        return value, row_mean_interval(mean, task.interval, level, self.draws, task.where)

    def _clusters(self, task: Task) -> npt.NDArray[np.int64] | None:
        """The cluster of each row of a slice, numbered from 0; None without clusters."""
        if self.view.cluster is None:
            return None
        inside = self.view.cluster[0][self.tables.rows(task.where)]
        return np.unique(inside, return_inverse=True)[1].astype(np.int64)

    # -- averages over labels -------------------------------------------------------------

    def _of_count_average(
        self,
        task: Task,
        metric: Metric,
        arguments: Mapping[str, Any],
        kind: Average,
        threshold: float | None,
    ) -> Result:
        labels, where = self.view.labels, task.where
        if kind is Average.MICRO:
            pooled = self.tables.sets(where, threshold).pooled()
            value = evaluated(metric, metric(pooled, **arguments), None)
        else:
            counts = self.tables.counts(where, threshold)
            values = [
                class_value(metric, one, arguments, label)
                for one, label in zip(counts, labels, strict=True)
            ]
            value = average(kind, labels, values, [one.positives.exact() for one in counts])
        if not isinstance(value.outcome, Value) or task.interval is None:
            return value, None
        if task.interval in SMOOTH:
            found = delta_interval(
                self.tables.sets(where, threshold),
                self.tables.counts(where, threshold),
                self._clusters(task),
                metric,
                arguments,
                kind,
                value.outcome.number,
                self.settings.level,
                task.interval,
            )
            return value, found
        drawn = self.draws.of_counts(where, threshold, metric, arguments, kind)
        jackknife = None
        if task.interval == "bootstrap_bca":
            jackknife = self.draws.jackknife(where, threshold, metric, arguments, kind)
        number, level = value.outcome.number, self.settings.level
        return value, from_replicates(drawn, number, level, task.interval, jackknife)

    def _of_score_average(
        self, task: Task, metric: Metric, arguments: Mapping[str, Any], kind: Average
    ) -> Result:
        labels = self.view.labels
        own = [tables.scores(task.where) for tables in self.tables.of_labels]
        if kind is Average.MICRO:
            value = evaluated(metric, metric(pooled(own), **arguments), None)
        else:
            values = [
                evaluated(metric, metric(table, **arguments), label)
                for table, label in zip(own, labels, strict=True)
            ]
            value = average(kind, labels, values, [table.positive_total.item() for table in own])
        if not isinstance(value.outcome, Value) or task.interval is None:
            return value, None
        number, level = value.outcome.number, self.settings.level
        if task.interval == grouped_jackknife.METHOD:
            left = self.draws.scores_without_groups(task.where, metric, arguments, kind)
            return value, grouped_jackknife.interval(left, number, level, metric.bounds)
        drawn = self.draws.of_scores(task.where, metric, arguments, kind)
        return value, from_replicates(drawn, number, level, task.interval)


def _left_out(sets: LabelSets, values: npt.NDArray[np.float64]) -> str | None:
    """How many rows a mean leaves out: those that do not know every label, and those without one.

    None where it leaves none out.
    """
    rows, gone = sets.count(np.ones(len(values), bool)), ~np.isfinite(values)
    partly = np.zeros(len(gone), np.bool_)
    if sets.known is not None:
        partly = np.asarray(~sets.known.all(axis=1), np.bool_)
    found = []
    if partly.any():
        found.append(f"{sets.count(partly)} of {rows} rows do not know every label")
    if (gone & ~partly).any():
        own = sets if sets.known is None else sets.complete
        weight = (
            f", weight {undefined_rows(own, values[~partly]):g}" if own.times is not None else ""
        )
        left = rows - sets.count(partly)
        found.append(f"undefined for {sets.count(gone & ~partly)} of {left} rows{weight}")
    return f"{'; '.join(found)}, left out of the mean" if found else None


def _of_two_classes(task: Task) -> Task:
    """A task of one label as the task of a view with two classes."""
    metric = metric_named(task.metric)
    return replace(task, table=metric.table.value)


class SetEvaluator(Evaluator[SetView, SetTables]):
    """Runs the tasks of a view with sets of labels.

    A value of one label stands beside the table of that label against its absence; any
    other value beside the tables of all labels, named in ``tables``.
    """

    def __init__(
        self, measurer: SetMeasurer, numbering: Numbering, first: ThresholdRequest | None
    ) -> None:
        super().__init__(measurer, numbering, first)
        self._label: str | None = None
        self._ids: dict[tuple[Slice, float | None, str], str] = {}

    def _used(self, task: Task, where: Slice) -> Rows:
        """The rows that know the label, or those that know every label for means over rows."""
        known = self.view.known
        if known is None:
            return super()._used(task, where)
        if task.label is not None:
            tables = self.tables.of_labels[self.view.labels.index(task.label)]
            return rows_of(tables, tables.kinds(where))
        kinds = self.tables.kinds(where)
        metric = metric_named(task.metric)
        if metric.table is Table.LABEL_SETS or task.average == Average.SAMPLES.value:
            kinds = kinds[known[kinds].all(axis=1)]
        return rows_of(self.tables, kinds)

    def _task(self, task: Task, parts: Sequence[Evaluator[Any, Any]]) -> None:
        self._label = task.label
        super()._task(task, parts)
        self._beside(task)

    def _skip(self, skipped: Skipped) -> None:
        self._label = skipped.record.label
        before = len(self.result.measures)
        super()._skip(skipped)
        if len(self.result.measures) > before:
            self._beside(skipped.record)

    def _beside(self, task: Task) -> None:
        """Name the tables that the last record stands beside, where they are several."""
        if task.label is not None:
            return
        slices = [task.where]
        if task.where.fold == MEAN_OF_FOLDS:
            assert self.view.fold is not None
            slices = [Slice(fold=name) for name in self.view.fold[1]]
        request = self._request(task)
        labels = self.view.labels if len(self.view.labels) <= RECORDS_PER_CLASS else ()
        ids = [self._of_label(where, request, label) for where in slices for label in labels]
        measure = self.result.measures[-1]
        self.result.measures[-1] = replace(measure, tables=tuple(ids))

    def _table(self, where: Slice, request: ThresholdRequest | None) -> str | None:
        return None if self._label is None else self._of_label(where, request, self._label)

    def _of_label(self, where: Slice, request: ThresholdRequest | None, label: str) -> str:
        """Id of the table of one label against its absence."""
        threshold = None if request is None else self.measurer.thresholds[request].number
        key = (where, threshold, label)
        if key not in self._ids:
            self._ids[key] = self.numbering.table()
            of_label = self.tables.of_labels[self.view.labels.index(label)]
            self.result.tables.append(
                PrintedTable(
                    id=self._ids[key],
                    dataset=self.view.dataset,
                    model=self.view.model,
                    where=where,
                    threshold=threshold,
                    threshold_rule=None,
                    table=of_label.classification(where, threshold),
                    label=label,
                )
            )
        return self._ids[key]


def evaluate_sets(
    plan: Plan,
    measurer: SetMeasurer,
    numbering: Numbering,
    first: ThresholdRequest | None,
    step: Callable[[], None] = lambda: None,
) -> Evaluation:
    """The records of one dataset and model with sets of labels."""
    return SetEvaluator(measurer, numbering, first).run(plan, step)


def set_curves(
    tables: SetTables,
    new_id: Callable[[], str],
    thresholds: list[float],
    probabilities: bool,
    level: float,
) -> list[Curve]:
    """The curves of each label's scores, where there are scores and few labels."""
    if tables.view.label_scores is None or len(tables.view.labels) > CURVED_CLASSES:
        return []
    return [
        record
        for one in tables.of_labels
        for record in curve_records(one, new_id, thresholds, probabilities, level)
    ]
