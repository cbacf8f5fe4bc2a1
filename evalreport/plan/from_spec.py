"""What a spec asks for, as the planner and the engine are given it."""

from __future__ import annotations

from typing import Any

from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Metric
from evalreport.plan.inputs import MetricRequest, Requests
from evalreport.plan.task import ThresholdRequest
from evalreport.spec.acceptance import WhichNumber
from evalreport.spec.costs import TwoClassCosts
from evalreport.spec.model import Spec
from evalreport.spec.thresholds import Threshold


def requests_of(spec: Spec) -> Requests:
    """The requests of a spec; what acceptance needs and nobody asked for is added."""
    return Requests(
        metrics=_metrics(spec),
        averages=tuple(spec.averaging) if spec.averaging is not None else None,
        thresholds=_thresholds(spec),
        methods=dict(spec.confidence.method_of),
        costs=spec.costs is not None,
        outcome_costs=isinstance(spec.costs, TwoClassCosts),
        one_versus_rest=spec.one_versus_rest,
        subgroups=_subgroups(spec),
        periods=frozenset(
            dataset.period.column for dataset in spec.datasets.values() if dataset.period
        ),
    )


def _metrics(spec: Spec) -> tuple[MetricRequest, ...]:
    found: dict[tuple[str, tuple[tuple[str, Any], ...]], MetricRequest] = {}
    wanted = [*spec.metrics, *(number.metric for number in spec.numbers)]
    for asked in wanted:
        metric = asked.metric
        for params in _expanded(metric, dict(asked.params), spec.prevalence):
            key = (metric.name, tuple(sorted(params.items())))
            found.setdefault(key, MetricRequest(metric, key[1]))
    # a list of prevalences asks by itself for every metric that needs one
    for metric in catalogue() if spec.prevalence else ():
        for params in _expanded(metric, {}, spec.prevalence) if metric.of_spec else ():
            at = tuple(params.items())
            found.setdefault((metric.name, at), MetricRequest(metric, at))
    return tuple(found.values())


def _expanded(
    metric: Metric, params: dict[str, Any], prevalence: tuple[float, ...]
) -> list[dict[str, Any]]:
    listed = metric.of_spec
    if listed is None or listed.name in params:
        return [params]
    return [{**params, listed.name: share} for share in prevalence]


def _thresholds(spec: Spec) -> tuple[ThresholdRequest, ...]:
    asked = [request_of(threshold) for threshold in spec.thresholds or ()]
    for criterion in spec.numbers:
        if isinstance(criterion.threshold, Threshold):
            more = request_of(criterion.threshold)
            if asked and more not in asked:
                asked.append(more)
    return tuple(dict.fromkeys(asked))


def request_of(threshold: Threshold) -> ThresholdRequest:
    """A threshold of the spec as the plan names it."""
    if threshold.value is not None:
        return ThresholdRequest(threshold.value, status=threshold.status)
    return ThresholdRequest(
        None, threshold.text, rule=threshold, on=threshold.on, status=threshold.status
    )


def _subgroups(spec: Spec) -> tuple[tuple[str, ...], ...]:
    wanted = list(spec.crossings)
    periods = (dataset.period for dataset in spec.datasets.values())
    wanted += [(period.column,) for period in periods if period is not None]
    for criterion in spec.numbers:
        if isinstance(criterion.subgroup, dict) or hasattr(criterion.subgroup, "items"):
            columns = tuple(criterion.subgroup)  # type: ignore[arg-type]
            if not any(set(columns) == set(known) for known in wanted):
                wanted.append(columns)
    return tuple(dict.fromkeys(wanted))


def costs_of(spec: Spec) -> Any:
    """Costs as the engine takes them: by kind of mistake, or actual -> predicted -> cost."""
    if spec.costs is None:
        return None
    if isinstance(spec.costs, TwoClassCosts):
        return spec.costs.model_dump()
    return {actual: dict(row) for actual, row in spec.costs.items()}


def threshold_text(criterion: WhichNumber) -> str | None:
    """The threshold a criterion names, in words; None for the first."""
    choice = criterion.threshold
    if choice is None:
        return None
    return choice if isinstance(choice, str) else str(request_of(choice))
