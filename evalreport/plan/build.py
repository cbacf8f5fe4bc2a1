"""The planner: what was asked and the facts of the data give a plan. Pure; reads nothing.

Everything that was asked for comes out as a task or as "skipped, because".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evalreport.metrics.declare import Average, Metric, Table
from evalreport.metrics.methods import OF_FOLDS
from evalreport.plan.inputs import (
    MANY_GROUPS,
    RECORDS_PER_CLASS,
    Facts,
    MetricRequest,
    Requests,
    default_threshold,
    needed_table,
    slices,
)
from evalreport.plan.label_sets import (
    OF_SETS,
    RULE,
    label_facts,
    refused_of_sets,
    set_thresholds,
    set_variants,
)
from evalreport.plan.methods import choose, stands_for
from evalreport.plan.refusals import no_groups, refused
from evalreport.plan.task import AT_THRESHOLD, Place, Plan, Skipped, Task, ThresholdRequest
from evalreport.plan.unknown import needs_unknown
from evalreport.results.identity import MEAN_OF_FOLDS, Slice


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
    notes.extend(_many_groups(requests, facts, tasks))
    return Plan(tuple(tasks), tuple(skipped), tuple(notes))


def thresholds(requests: Requests, facts: Facts) -> tuple[ThresholdRequest | None, ...]:
    """The thresholds that apply to a model; None stands for labels of its own."""
    if facts.label_sets:
        return set_thresholds(requests.thresholds, facts)
    if not facts.has_scores or not facts.two_classes:
        return (None,)
    if facts.decided:
        return (None, *requests.thresholds)
    return requests.thresholds or (ThresholdRequest(default_threshold(facts.source)),)


def _planned(requests: Requests, facts: Facts) -> Iterator[Task | Skipped]:
    at = thresholds(requests, facts)
    for where in slices(requests, facts):
        for threshold in at:
            for request in requests.metrics:
                needed = _needs_threshold(request.metric, facts)
                if needed or threshold is at[0]:
                    place = Place(where, threshold if needed else None)
                    yield from _of_metric(requests, facts, request, place)
    for rule in requests.thresholds if facts.label_sets else ():
        if rule.number is None:
            task = _task(requests, facts, requests.metrics[0], Place(Slice(), rule))
            yield Skipped(task, f"{rule}: {RULE}", recorded=False)


def _needs_threshold(metric: Metric, facts: Facts) -> bool:
    if facts.label_sets and metric.table is Table.LABEL_SETS:
        return not metric.ranks_labels
    return needed_table(metric, facts).value in AT_THRESHOLD


def _of_metric(
    requests: Requests, facts: Facts, request: MetricRequest, place: Place
) -> Iterator[Task | Skipped]:
    metric, refusal = request.metric, _refused(request, requests, facts, place)
    variants = set_variants if facts.label_sets else _variants
    for average, label in variants(metric, requests.averages, facts):
        for mode in _modes(metric, facts):
            own = replace(place, average=average, label=label, indeterminate=mode)
            task = _task(requests, facts, request, own)
            none = refusal or _not_of_other(metric, facts, label) or _no_price(metric, facts, mode)
            if none is not None:
                yield Skipped(task, none)
            elif average is not None and not _averages(metric, average, facts):
                if requests.averages is not None:
                    yield Skipped(task, _no_average(metric, average, facts))
            else:
                yield task
    many = len(facts.labels) > RECORDS_PER_CLASS and "none" in (requests.averages or ("none",))
    if many and _of_each_class(metric, facts) and (refusal is None or facts.label_sets):
        one, more = ("label", "labels") if facts.label_sets else ("class", "classes")
        yield Skipped(
            _task(requests, facts, request, place),
            f"one record per {one} is given up to {RECORDS_PER_CLASS} {more}; "
            f"there are {len(facts.labels):,}",
            recorded=False,
        )


def _refused(request: MetricRequest, requests: Requests, facts: Facts, place: Place) -> str | None:
    if facts.label_sets:
        return refused_of_sets(request, requests, facts, place.where)
    refusal = refused(request, requests, facts, place.threshold)
    if refusal is None and "highest" in request.metric.context and not place.where.subgroup:
        return no_groups(requests)
    return refusal


def _not_of_other(metric: Metric, facts: Facts, label: str | None) -> str | None:
    """Why the other of two classes has no value of its own, or None."""
    if not facts.two_classes or label in (None, facts.positive):
        return None
    if {"threshold", "highest"} & set(metric.context):
        return f"it belongs to the positive class, {facts.positive}"
    return None


def _task(requests: Requests, facts: Facts, request: MetricRequest, place: Place) -> Task:
    metric, average = request.metric, place.average
    method, why = _method(requests, facts, metric, place)
    return Task(
        dataset=facts.dataset,
        model=facts.model,
        where=place.where,
        metric=metric.name,
        params=request.params,
        average=average.value if average is not None else None,
        label=place.label,
        threshold=place.threshold,
        table=(Table.LABEL_SETS if facts.label_sets else needed_table(metric, facts)).value,
        interval=method,
        why=why,
        indeterminate=place.indeterminate,
        undefined=needs_unknown(
            metric,
            dict(request.params),
            facts.unknown,
            of_positive=place.label in (None, facts.positive),
            averaged=average is not None,
        ),
    )


def _method(
    requests: Requests, facts: Facts, metric: Metric, place: Place
) -> tuple[str | None, str]:
    if place.where.fold == MEAN_OF_FOLDS:
        if facts.fold_sizes:
            return OF_FOLDS, "folds share training rows"
        return None, "sizes of the training sets are not known"
    methods = requests.methods
    if facts.label_sets and place.label is not None:
        facts = label_facts(facts, place.label)
    same, _ = stands_for(metric, place.average, facts)
    asked = methods.get(metric.name, methods.get(same.name))
    return choose(metric, place.average, facts, asked)


def _of_each_class(metric: Metric, facts: Facts) -> bool:
    """Whether there would be a record for each of several classes, or of several labels."""
    if facts.label_sets:
        return metric.table not in OF_SETS
    known = metric.scope == "class" and metric.table in (Table.COUNTS, Table.SCORES)
    return known and not facts.two_classes


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
        if asked is not None and "none" in modes:
            # written out, none stands for both classes; by default the positive one speaks
            yield from ((None, label) for label in facts.labels if label != facts.positive)
        yield from ((Average(mode), None) for mode in modes if mode != "none")
        return
    modes = asked if asked is not None else ("none", "macro")
    # what the metric is of all classes together leads: micro accuracy is the share that is right
    overall = metric.of_all_together
    if overall:
        yield Average.MICRO, None
    if "none" in modes and len(facts.labels) <= RECORDS_PER_CLASS:
        yield from ((None, label) for label in facts.labels)
    averages = (Average(mode) for mode in modes if mode != "none")
    yield from ((one, None) for one in averages if not (overall and one is Average.MICRO))


def _averages(metric: Metric, average: Average, facts: Facts) -> bool:
    if _pools_two(metric, average, facts):
        return False
    return average in metric.averages and (facts.label_sets or average is not Average.SAMPLES)


def _pools_two(metric: Metric, average: Average, facts: Facts) -> bool:
    """Whether the one score of two classes would be pooled with itself."""
    return average is Average.MICRO and metric.table is Table.SCORES and facts.two_classes


def _no_average(metric: Metric, average: Average, facts: Facts) -> str:
    reason = metric.no_average or "none is defined"
    if average is Average.SAMPLES and not facts.label_sets:
        reason = "the rows of this dataset have one label each, not sets of labels"
    elif average in metric.averages and _pools_two(metric, average, facts):
        reason = "two classes have one score, which would be pooled with itself"
    return f"no {average.value} average of {metric.title}: {reason}"


def _modes(metric: Metric, facts: Facts) -> tuple[str | None, ...]:
    """With indeterminate labels every metric of their table is given for and against."""
    labels = facts.indeterminate if facts.source == "prediction" or facts.decided else ()
    if labels and needed_table(metric, facts) in (Table.COUNTS, Table.MATRIX):
        return ("for", "against")
    return (None,)


def _no_price(metric: Metric, facts: Facts, mode: str | None) -> str | None:
    """Why a metric of costs has no value where results are indeterminate, or None."""
    if mode is None or "costs" not in metric.context or facts.two_classes:
        return None
    return "an indeterminate result is none of several classes, and has no price"


def _notes(facts: Facts) -> Iterator[str]:
    if facts.folds and facts.fold_sizes is None:
        yield (
            f"{facts.dataset}, {facts.model}: sizes of the training sets are not known, "
            "so means over folds have no interval"
        )


def _many_groups(
    requests: Requests, facts: Sequence[Facts], tasks: Sequence[Task]
) -> Iterator[str]:
    """Columns and crossings with so many groups that they make most of the work."""
    for columns in requests.subgroups:
        if requests.periods.intersection(columns):
            continue
        for dataset in dict.fromkeys(one.dataset for one in facts):
            groups = {
                values
                for one in facts
                if one.dataset == dataset
                for values in (one.groups or {}).get(columns, ())
            }
            if len(groups) >= MANY_GROUPS:
                own = sum(
                    t.dataset == dataset and tuple(c for c, _ in t.where.subgroup) == columns
                    for t in tasks
                )
                yield (
                    f"{dataset}: {' and '.join(columns)} makes {len(groups):,} groups and "
                    f"{own:,} of the {len(tasks):,} tasks"
                )
