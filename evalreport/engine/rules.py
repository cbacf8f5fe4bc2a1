"""Threshold rules of the spec in the engine's terms."""

from __future__ import annotations

from evalreport.engine.thresholds import Rule
from evalreport.metrics.catalogue import metric_named
from evalreport.spec.metric_requests import RuleMetric
from evalreport.spec.thresholds import Threshold


def rule_of(threshold: Threshold) -> Rule:
    """The rule that a threshold of the spec stands for."""
    best = None
    if threshold.goal is not None:
        word, asked = threshold.goal
        best = _best(asked, upwards=word == "maximize")
    if threshold.limit is not None:
        limit, reach = threshold.limit
        return Rule(
            kind="limit",
            metric=metric_named(reach.metric.name),
            params=dict(reach.metric.params),
            at_least=limit == "at_least",
            value=reach.value,
            then=best,
        )
    if threshold.top is not None:
        kind = "top_share" if isinstance(threshold.top, float) else "top_count"
        return Rule(kind=kind, value=float(threshold.top))
    assert best is not None
    return best


def _best(asked: RuleMetric, upwards: bool) -> Rule:
    if asked.is_corner:
        return Rule(kind="corner")
    return Rule(
        kind="best",
        metric=metric_named(asked.name),
        params=dict(asked.params),
        upwards=upwards,
    )
