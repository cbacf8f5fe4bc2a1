"""The plan of a dataset whose rows have sets of labels: what is given, and for which labels.

A metric of the classification table or of scores is given for each label against its
absence, and as averages over the labels; a metric of label sets once. All these tasks
need the table of label sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evalreport.metrics.declare import Average, Metric, Table
from evalreport.metrics.interval_methods import BY_KIND, Kind
from evalreport.metrics.kinds import RESAMPLING, SANDWICH
from evalreport.plan.inputs import HALF, RECORDS_PER_CLASS, Facts, MetricRequest, Requests, slices
from evalreport.plan.methods import ASKED, choose, design_of
from evalreport.plan.refusals import no_groups, refused
from evalreport.plan.task import Skipped, Task, ThresholdRequest
from evalreport.results.identity import MEAN_OF_FOLDS, Slice

#: Up to so many labels averages are taken over, one by one.
MOST_LABELS = 5_000
#: Above so many labels no interval of an average over them is taken.
SMOOTH_LABELS = 500

RULE = "a rule chooses a threshold of one score; sets of labels take plain numbers"


@dataclass(frozen=True)
class _Place:
    """Where a task belongs: its slice and threshold, and which record of the metric it is."""

    where: Slice
    threshold: ThresholdRequest | None
    average: Average | None = None
    label: str | None = None


def set_thresholds(
    asked: Sequence[ThresholdRequest], facts: Facts
) -> tuple[ThresholdRequest | None, ...]:
    """The thresholds from which on a label is given; (None,) where the model gives sets."""
    if not facts.has_scores:
        return (None,)
    return tuple(t for t in asked if t.number is not None) or (HALF,)


def planned_sets(requests: Requests, facts: Facts) -> Iterator[Task | Skipped]:
    """Every task of one dataset and model with sets of labels, and what is skipped."""
    at = set_thresholds(requests.thresholds, facts)
    for where in slices(requests, facts):
        for threshold in at:
            for request in requests.metrics:
                needs = _needs_threshold(request.metric)
                if needs or threshold is at[0]:
                    place = _Place(where, threshold if needs else None)
                    yield from _of_metric(requests, facts, request, place)
    for rule in requests.thresholds:
        if rule.number is None:
            first = requests.metrics[0]
            task = _task(requests, facts, first, _Place(Slice(), rule))
            yield Skipped(task, f"{rule}: {RULE}", recorded=False)


def label_facts(facts: Facts, label: str) -> Facts:
    """What is known of one label against its absence: facts of two classes."""
    return replace(
        facts,
        source="score" if facts.has_scores else "prediction",
        labels=(f"not {label}", label),
        positive=label,
        label_sets=False,
    )


def _needs_threshold(metric: Metric) -> bool:
    if metric.table is Table.LABEL_SETS:
        return not metric.ranks_labels
    return metric.table in (Table.COUNTS, Table.MATRIX)


def _of_metric(
    requests: Requests, facts: Facts, request: MetricRequest, place: _Place
) -> Iterator[Task | Skipped]:
    metric = request.metric
    reason = _refused(request, requests, facts, place.where)
    if metric.table in (Table.LABEL_SETS, Table.CLASS_SCORES):
        task = _task(requests, facts, request, place)
        yield task if reason is None else Skipped(task, reason)
        return
    for average, label in _variants(requests, facts, metric):
        task = _task(requests, facts, request, replace(place, average=average, label=label))
        if reason is not None:
            yield Skipped(task, reason)
        elif average is not None and average not in metric.averages:
            if requests.averages is not None:
                yield Skipped(task, _no_average(metric, average))
        else:
            yield task
    if len(facts.labels) > RECORDS_PER_CLASS and "none" in (requests.averages or ("none",)):
        told = (
            f"one record per label is given up to {RECORDS_PER_CLASS} labels; "
            f"there are {len(facts.labels):,}"
        )
        yield Skipped(_task(requests, facts, request, place), told, recorded=False)


def _variants(
    requests: Requests, facts: Facts, metric: Metric
) -> Iterator[tuple[Average | None, str | None]]:
    """The records of a metric: each label, then the averages."""
    modes = requests.averages if requests.averages is not None else ("none", "macro")
    # What belongs to all classes together has no average: each label has two classes.
    each = "none" in modes or metric.scope == "all"
    if each and len(facts.labels) <= RECORDS_PER_CLASS:
        for label in facts.labels:
            yield None, label
    if metric.scope == "class":
        for mode in modes:
            if mode != "none":
                yield Average(mode), None


def _no_average(metric: Metric, average: Average) -> str:
    reason = metric.no_average or f"a {average.value} average of it is not defined"
    return f"no {average.value} average of {metric.name}: {reason}"


def _refused(request: MetricRequest, requests: Requests, facts: Facts, where: Slice) -> str | None:
    metric = request.metric
    if metric.table is Table.LABEL_SETS:
        if metric.ranks_labels and not facts.has_scores:
            return f"it needs a score for each label; {facts.model} gives sets of labels only"
        return None
    if metric.table is Table.CLASS_SCORES:
        return "it needs one class per row; these rows have sets of labels"
    if "highest" in metric.context and not where.subgroup:
        return no_groups(requests)
    if len(facts.labels) > MOST_LABELS:
        return f"labels are taken one by one up to {MOST_LABELS:,}"
    return refused(request, requests, label_facts(facts, facts.labels[0]), None)


def _task(requests: Requests, facts: Facts, request: MetricRequest, place: _Place) -> Task:
    method, why = _method(request.metric, facts, place, requests.methods.get(request.metric.name))
    if place.where.fold == MEAN_OF_FOLDS:
        method, why = (
            ("nadeau_bengio", "folds share training rows")
            if facts.fold_sizes
            else (None, "sizes of the training sets are not known")
        )
    return Task(
        dataset=facts.dataset,
        model=facts.model,
        where=place.where,
        metric=request.metric.name,
        params=request.params,
        average=place.average.value if place.average is not None else None,
        label=place.label,
        threshold=place.threshold,
        table=Table.LABEL_SETS.value,
        interval=method,
        why=why,
    )


def _method(
    metric: Metric, facts: Facts, place: _Place, asked: str | None
) -> tuple[str | None, str]:
    """The interval method of one record, and why."""
    if place.label is not None:
        return choose(metric, None, label_facts(facts, place.label), asked)
    if metric.no_interval or metric.table is Table.LABEL_SETS or place.average is Average.SAMPLES:
        return choose(metric, place.average, facts, asked)
    kind = Kind.OTHER if metric.table is Table.SCORES else Kind.LABELS
    own = BY_KIND[kind][design_of(facts)]
    if asked in RESAMPLING:
        return asked, ASKED
    if kind is Kind.LABELS and len(facts.labels) > SMOOTH_LABELS:
        return None, f"more than {SMOOTH_LABELS} labels"
    return (asked, ASKED) if asked in (*own, SANDWICH) else (own[0], kind.value)
