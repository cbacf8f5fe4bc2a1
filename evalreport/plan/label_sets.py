"""What the plan of a dataset whose rows have sets of labels has otherwise, and for which labels.

A metric of the classification table or of scores is given for each label against its
absence, and as averages over the labels; a metric of label sets once. All these tasks
need the table of label sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evalreport.metrics.declare import Average, Metric, Table
from evalreport.plan.inputs import HALF, RECORDS_PER_CLASS, Facts, MetricRequest, Requests
from evalreport.plan.refusals import no_groups, refused
from evalreport.plan.task import ThresholdRequest
from evalreport.results.identity import Slice

#: Up to so many labels averages are taken over, one by one.
MOST_LABELS = 5_000

#: Tables of metrics that have one record, of all labels together.
OF_SETS = (Table.LABEL_SETS, Table.CLASS_SCORES)
RULE = "a rule chooses a threshold of one score; sets of labels take plain numbers"


def set_thresholds(
    asked: Sequence[ThresholdRequest], facts: Facts
) -> tuple[ThresholdRequest | None, ...]:
    """The thresholds from which on a label is given; (None,) where the model gives sets."""
    if not facts.has_scores:
        return (None,)
    return tuple(t for t in asked if t.number is not None) or (HALF,)


def label_facts(facts: Facts, label: str) -> Facts:
    """What is known of one label against its absence: facts of two classes."""
    return replace(
        facts,
        source="score" if facts.has_scores else "prediction",
        labels=(f"not {label}", label),
        positive=label,
        label_sets=False,
    )


def set_variants(
    metric: Metric, averages: Sequence[str] | None, facts: Facts
) -> Iterator[tuple[Average | None, str | None]]:
    """The records of a metric: each label, then the averages; of whole sets there is one."""
    if metric.table in OF_SETS:
        yield None, None
        return
    modes = averages if averages is not None else ("none", "macro")
    # What belongs to all classes together has no average: each label has two classes.
    each = "none" in modes or metric.scope == "all"
    if each and len(facts.labels) <= RECORDS_PER_CLASS:
        for label in facts.labels:
            yield None, label
    if metric.scope == "class":
        for mode in modes:
            if mode != "none":
                yield Average(mode), None


def refused_of_sets(
    request: MetricRequest, requests: Requests, facts: Facts, where: Slice
) -> str | None:
    """Why a model of sets of labels cannot give a metric, or None."""
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
