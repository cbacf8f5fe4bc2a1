"""The planner: what was asked and the facts of the data give a plan. Pure; reads nothing.

Everything that was asked for comes out as a task or as "skipped, because".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalreport.metrics.declare import Average, Kind, Metric, Table
from evalreport.plan.facts import Facts
from evalreport.plan.methods import choose
from evalreport.plan.task import (
    AT_THRESHOLD,
    EVERYTHING,
    MEAN_OF_FOLDS,
    Plan,
    Skipped,
    Slice,
    Task,
    ThresholdRequest,
)

#: Above so many classes there is no record per class; averages and totals stay.
RECORDS_PER_CLASS = 500
#: Above so many classes the area of every pair of classes is not computed.
PAIRED_CLASSES = 50

ZERO = ThresholdRequest(0.0)
HALF = ThresholdRequest(0.5)


@dataclass(frozen=True)
class MetricRequest:
    """A metric with the parameters the spec gives it."""

    metric: Metric
    params: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Requests:
    """What a spec asks to be measured, free of how it was written.

    ``averages`` is None where the spec leaves the default; ``none`` in it stands
    for one record per class. ``thresholds`` is empty for the default.
    """

    metrics: tuple[MetricRequest, ...]
    averages: tuple[str, ...] | None = None
    thresholds: tuple[ThresholdRequest, ...] = ()
    methods: Mapping[str, str] = field(default_factory=dict)
    costs: bool = False
    one_versus_rest: bool = False
    subgroups: tuple[tuple[str, ...], ...] = ()


def build_plan(requests: Requests, facts: Sequence[Facts]) -> Plan:
    """The plan of every dataset and model, in the order of ``facts``."""
    tasks: list[Task] = []
    skipped: list[Skipped] = []
    notes: list[str] = []
    for one in facts:
        for found in _planned(requests, one):
            if isinstance(found, Task):
                tasks.append(found)
            else:
                skipped.append(found)
        notes.extend(_notes(one))
    return Plan(tuple(tasks), tuple(skipped), tuple(notes))


def slices(requests: Requests, facts: Facts) -> tuple[Slice, ...]:
    """All rows, then each subgroup once, then each fold and the mean over folds."""
    found: dict[Slice, None] = {EVERYTHING: None}
    groups = facts.groups or {}
    for columns in requests.subgroups:
        for values in groups.get(columns, ()):
            found[Slice(tuple(zip(columns, values, strict=True)))] = None
    for fold in facts.folds:
        found[Slice(fold=fold)] = None
    if facts.folds:
        found[Slice(fold=MEAN_OF_FOLDS)] = None
    return tuple(found)


def thresholds(requests: Requests, facts: Facts) -> tuple[ThresholdRequest | None, ...]:
    """The thresholds that apply to a model; (None,) where its predictions are labels."""
    if facts.label_sets:
        from evalreport.plan.label_sets import set_thresholds

        return set_thresholds(requests.thresholds, facts)
    if not facts.has_scores or not facts.two_classes:
        return (None,)
    if requests.thresholds:
        return requests.thresholds
    return (ZERO,) if facts.source == "margin" else (HALF,)


def _planned(requests: Requests, facts: Facts) -> Iterator[Task | Skipped]:
    if facts.label_sets:
        from evalreport.plan.label_sets import planned_sets

        yield from planned_sets(requests, facts)
        return
    at = thresholds(requests, facts)
    for where in slices(requests, facts):
        for threshold in at:
            for request in requests.metrics:
                needs_threshold = _table(request.metric, facts).value in AT_THRESHOLD
                if needs_threshold or threshold is at[0]:
                    yield from _of_metric(
                        requests, facts, where, request, threshold if needs_threshold else None
                    )


def _of_metric(
    requests: Requests,
    facts: Facts,
    where: Slice,
    request: MetricRequest,
    threshold: ThresholdRequest | None,
) -> Iterator[Task | Skipped]:
    refusal = refused(request, requests, facts)
    if refusal is None and "highest" in request.metric.context and not where.subgroup:
        refusal = "it compares the groups of a column: declare subgroups"
    for average, label in _variants(request.metric, requests.averages, facts):
        for mode in _modes(request.metric, facts):
            task = _task(requests, facts, where, request, threshold, average, label, mode)
            if refusal is not None:
                yield Skipped(task, refusal)
            elif average is not None and not _averages(request.metric, average):
                if requests.averages is not None:
                    yield Skipped(task, _no_average(request.metric, average))
            else:
                yield task
    if (
        refusal is None
        and not facts.two_classes
        and _per_class(request.metric)
        and len(facts.labels) > RECORDS_PER_CLASS
        and "none" in (requests.averages or ("none",))
    ):
        task = _task(requests, facts, where, request, threshold, None, None, None)
        yield Skipped(
            task,
            f"one record per class is given up to {RECORDS_PER_CLASS} classes; "
            f"there are {len(facts.labels):,}",
            recorded=False,
        )


def _task(
    requests: Requests,
    facts: Facts,
    where: Slice,
    request: MetricRequest,
    threshold: ThresholdRequest | None,
    average: Average | None,
    label: str | None,
    mode: str | None,
) -> Task:
    metric = request.metric
    method, why = choose(metric, average, facts, requests.methods.get(metric.name))
    if where.fold == MEAN_OF_FOLDS:
        method, why = (
            ("nadeau_bengio", "folds share training rows")
            if facts.fold_sizes
            else (None, "sizes of the training sets are not known")
        )
    return Task(
        dataset=facts.dataset,
        model=facts.model,
        where=where,
        metric=metric.name,
        params=request.params,
        average=average.value if average is not None else None,
        label=label,
        threshold=threshold,
        table=_table(metric, facts).value,
        interval=method,
        why=why,
        indeterminate=mode,
    )


def _table(metric: Metric, facts: Facts) -> Table:
    """The table a metric needs here: some need another one for more than two classes."""
    if facts.two_classes:
        return metric.table
    return metric.classes_table or metric.table


def _per_class(metric: Metric) -> bool:
    return metric.scope == "class" and metric.table in (Table.COUNTS, Table.SCORES)


def _variants(
    metric: Metric, asked: tuple[str, ...] | None, facts: Facts
) -> Iterator[tuple[Average | None, str | None]]:
    """The records of one metric: (average, label) pairs in the order they are printed."""
    if metric.scope == "all" or metric.table not in (Table.COUNTS, Table.SCORES):
        yield None, None
        return
    if facts.two_classes:
        modes = asked if asked is not None else ("none",)
        if "none" in modes:
            yield None, facts.positive
    else:
        modes = asked if asked is not None else ("none", "macro")
        if "none" in modes and len(facts.labels) <= RECORDS_PER_CLASS:
            for label in facts.labels:
                yield None, label
    wanted = [mode for mode in modes if mode != "none"]
    overall = not facts.two_classes and metric.for_classes is not None
    if overall and Average.MICRO in metric.averages and "micro" not in wanted:
        wanted.append("micro")
    for mode in wanted:
        yield Average(mode), None


def _averages(metric: Metric, average: Average) -> bool:
    return average in metric.averages and average is not Average.SAMPLES


def _no_average(metric: Metric, average: Average) -> str:
    reason = metric.no_average or f"a {average.value} average of it is not defined"
    if average is Average.SAMPLES:
        reason = "the rows of this dataset have one label each, not sets of labels"
    return f"no {average.value} average of {metric.name}: {reason}"


def _modes(metric: Metric, facts: Facts) -> tuple[str | None, ...]:
    """With indeterminate labels every metric of their table is given for and against."""
    labels = facts.indeterminate if facts.source == "prediction" else ()
    if labels and _table(metric, facts) in (Table.COUNTS, Table.MATRIX):
        return ("for", "against")
    return (None,)


def refused(request: MetricRequest, requests: Requests, facts: Facts) -> str | None:
    """Why a model cannot give a metric, or None."""
    metric = request.metric
    table = _table(metric, facts)
    if "costs" in metric.context and not requests.costs:
        return "the spec declares no costs"
    if table is Table.LABEL_SETS:
        return "it needs sets of labels; this dataset has one label per row"
    if "threshold" in metric.context and facts.source == "prediction":
        return f"it needs a score; {facts.model} gives labels only"
    if table.value in AT_THRESHOLD:
        return _refused_at_threshold(metric, facts)
    if not facts.has_scores:
        return f"it needs scores; {facts.model} gives labels only"
    if metric.kind is Kind.MARGIN and facts.source != "margin":
        return f"it needs margins; {facts.model} gives scores"
    if metric.kind is Kind.PROBABILITY and not facts.probabilities:
        return _not_probabilities(facts)
    return _refused_classes(metric, table, facts)


def _refused_at_threshold(metric: Metric, facts: Facts) -> str | None:
    if "threshold" in metric.context:
        if not facts.two_classes:
            return "it needs a threshold, and there are more than two classes"
        if not facts.probabilities:
            return _not_probabilities(facts)
    if metric.two_classes_only and not facts.two_classes:
        return metric.two_classes_only
    return None


def _refused_classes(metric: Metric, table: Table, facts: Facts) -> str | None:
    if table is Table.CLASS_SCORES:
        if facts.source != "scores":
            return "it needs one score per class; the model gives one score"
        if metric.class_pairs and len(facts.labels) > PAIRED_CLASSES:
            return f"pairs of classes are compared up to {PAIRED_CLASSES} classes"
    if table is Table.SCORES and not facts.two_classes:
        if facts.source != "scores":
            return "it needs one score per class"
        if metric.two_classes_only or metric.scope == "all":
            return metric.two_classes_only or "it is defined for two classes"
    return None


def _not_probabilities(facts: Facts) -> str:
    if facts.source == "margin":
        return "margins are not probabilities"
    if facts.low is None or facts.high is None:
        return "there is no row with a score"
    return (
        f"scores from {facts.low:g} to {facts.high:g} are not probabilities: "
        "they would have to lie within 0 and 1"
    )


def _notes(facts: Facts) -> Iterator[str]:
    if facts.folds and facts.fold_sizes is None:
        yield (
            f"{facts.dataset}, {facts.model}: sizes of the training sets are not known, "
            "so means over folds have no interval"
        )
