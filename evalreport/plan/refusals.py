"""Why a model cannot give a metric: said in the plan, and in the record that stands for it."""

from __future__ import annotations

from evalreport.metrics.declare import Kind, Metric, Table
from evalreport.plan.inputs import Facts, MetricRequest, Requests, needed_table
from evalreport.plan.task import AT_THRESHOLD, ThresholdRequest

#: Why ranks of scores, and curves, are not given with a proxy.
NO_RANKS = "a proxy corrects tables and means over rows, not the ranks of scores"
#: Why a metric that counts by the distance of two classes is not given.
NO_ORDER = "it needs the order of the classes, which texts do not have: declare `labels` in order"
#: Why costs of the outcomes of two classes are not those of more.
TWO_CLASS_COSTS = (
    "costs of false negatives and false positives are of two classes: {actual: {predicted: cost}}"
)
#: Why p values are not given of rows that are not so many independent ones.
NO_WEIGHTED_P = "its p value is of independent rows that weigh 1, and these have weights"
NO_CLUSTERED_P = "its p value is of independent rows, and these are in clusters"
#: Above so many classes the area of every pair of classes is not computed.
PAIRED_CLASSES = 50


def refused(
    request: MetricRequest, requests: Requests, facts: Facts, threshold: ThresholdRequest | None
) -> str | None:
    """Why a model cannot give a metric, or None."""
    metric = request.metric
    table = needed_table(metric, facts)
    if (reason := _refused_of_any_table(metric, requests, facts)) is not None:
        return reason
    if table is Table.LABEL_SETS:
        return "it needs sets of labels; this dataset has one label per row"
    if "threshold" in metric.context and facts.source == "prediction":
        return f"it needs a score; {facts.model} gives labels only"
    if "threshold" in metric.context and facts.decided and threshold is None:
        return f"it needs a threshold; {facts.model} decides by labels of its own"
    if facts.designed == "proxy" and metric.ranks_rows:
        return NO_RANKS
    if table.value in AT_THRESHOLD:
        return _refused_at_threshold(metric, facts)
    if not facts.has_scores:
        return f"it needs scores; {facts.model} gives labels only"
    if metric.kind is Kind.MARGIN and facts.source != "margin":
        return f"it needs margins; {facts.model} gives scores"
    # Of a margin a metric of probabilities reads the confidence, sigmoid(margin).
    read = facts.probabilities or (
        facts.source == "margin" and table is Table.SCORES and not facts.decided
    )
    if metric.kind is Kind.PROBABILITY and not read:
        return _not_probabilities(facts)
    return _refused_classes(metric, table, facts)


def _refused_of_any_table(metric: Metric, requests: Requests, facts: Facts) -> str | None:
    if metric.p_value and (facts.weighted or facts.clustered):
        return NO_CLUSTERED_P if facts.clustered else NO_WEIGHTED_P
    if "costs" not in metric.context:
        return None
    if not requests.costs:
        return "the spec declares no costs"
    return TWO_CLASS_COSTS if requests.outcome_costs and not facts.two_classes else None


def no_groups(requests: Requests) -> str:
    """Why all rows together have no value of a metric that compares the groups of a column."""
    if requests.subgroups:
        return "it compares the groups of a column; all rows together are none"
    return "it compares the groups of a column: declare subgroups"


def _refused_at_threshold(metric: Metric, facts: Facts) -> str | None:
    if "threshold" in metric.context:
        if not facts.two_classes:
            return "it needs a threshold, and there are more than two classes"
        if not facts.probabilities:
            return _not_probabilities(facts)
    if metric.two_classes_only and not facts.two_classes:
        return metric.two_classes_only
    if metric.ordered_classes and not (facts.two_classes or facts.ordered):
        return NO_ORDER
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
