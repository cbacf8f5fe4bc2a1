"""Threshold rules of the spec in the engine's terms."""

from __future__ import annotations

from functools import partial

from evalreport.engine.counting.tables_of import tables_of
from evalreport.engine.guarding import guarded
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved, Rule, solve
from evalreport.plan.build import thresholds
from evalreport.plan.from_spec import metric_named
from evalreport.plan.inputs import Facts, Requests
from evalreport.predict.view import LabelView
from evalreport.results.identity import EVERYTHING
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


def numbers_at(
    view: LabelView, requests: Requests, facts: Facts, settings: Settings
) -> list[float]:
    """Every threshold of a model that follows from its own scores, as far as there is one."""
    table = tables_of(view).scores(EVERYTHING)
    costs = settings.two_class_costs(view.labels, view.positive_index) if settings.costs else {}
    found: list[float] = []
    for request in thresholds(requests, facts):
        if request is None:
            continue
        number = request.number
        if number is None and request.on in (None, view.dataset):
            work = partial(solve, rule_of(request.rule), table, costs, True)
            # a rule that fails is told where the threshold itself is asked for
            number = guarded([], "thresholds", work, Resolved(None)).number
        found += [] if number is None else [number]
    return found


def _best(asked: RuleMetric, upwards: bool) -> Rule:
    if asked.is_corner:
        return Rule(kind="corner")
    return Rule(
        kind="best",
        metric=metric_named(asked.name),
        params=dict(asked.params),
        upwards=upwards,
    )
