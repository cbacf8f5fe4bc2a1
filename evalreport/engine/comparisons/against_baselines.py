"""Whether each model is better than each baseline, as far as an interval shows it.

The value of a trivial baseline is set against the interval of the model's own value;
the previous model is compared row by row, by the interval of the difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalreport.engine.records import Measure
from evalreport.metrics.declare import Goal
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.requests import metric_named
from evalreport.plan.task import EVERYTHING
from evalreport.predict.baselines import BASELINES

if TYPE_CHECKING:
    from evalreport.engine.working import Working

Records = list[dict[str, Any]]

#: The name of the baseline that is a model of the spec.
PREVIOUS = "previous"
BETTER, WORSE, NOT_SHOWN, NOT_JUDGED = "better", "worse", "not_shown", "not_judged"

_WEIGHTED = "rows are weighted, and the baseline takes no weights"
_AT_BEST = "the baseline reaches the best possible value, so this metric alone tells nothing"
_NO_INTERVAL = "there is no interval"


def with_previous(working: Working, baselines: Records) -> Records:
    """The records of baselines, with the values of the previous model among them."""
    previous = working.prepared.loaded.spec.baselines.previous
    found = list(baselines)
    if previous is None:
        return found
    for key, first in working.first.items():
        if key[1] != previous:
            continue
        threshold = working.thresholds[key][first].number if first is not None else None
        found += [
            {
                "dataset": m.dataset,
                "baseline": PREVIOUS,
                "model": previous,
                "metric": m.metric,
                "params": dict(m.params),
                "average": m.average,
                "label": m.label,
                "value": m.value,
                "n": m.n,
                "note": f"the previous model is {previous}",
            }
            for m in _pooled(working, *key)
            if m.threshold in (None, threshold)
        ]
    return found


def against_baselines(
    working: Working, baselines: Sequence[Mapping[str, Any]], comparisons: Records
) -> Records:
    """One record per model, baseline and metric with a direction, in the order of the run."""
    against = {
        (r["dataset"], r["baseline"], _key(r["metric"], r["params"], r["average"], r["label"])): r
        for r in baselines
    }
    weighted = {(v.dataset, v.model) for v in working.prepared.views if v.weight is not None}
    differences = _differences(working, comparisons)
    found: Records = []
    for dataset, model in working.first:
        for m in _first_measures(working, dataset, model):
            key = _key(m.metric, m.params, m.average, m.label)
            for name in (*BASELINES, PREVIOUS):
                record = against.get((dataset, name, key))
                if record is None or record["value"] is None or record.get("model") == model:
                    continue
                if name == PREVIOUS:
                    difference = differences.get((model, key, dataset))
                    found.append(_beside_previous(m, record, difference))
                else:
                    found.append(_beside_trivial(m, record, (dataset, model) in weighted))
    return found


def _pooled(working: Working, dataset: str, model: str) -> Iterator[Measure]:
    for m in working.measures:
        own = (m.dataset, m.model, m.where) == (dataset, model, EVERYTHING)
        if own and m.indeterminate is None and m.state == "value" and m.value is not None:
            yield m


def _first_measures(working: Working, dataset: str, model: str) -> Iterator[Measure]:
    """Values of all rows at the first threshold whose metric says what is better."""
    first = working.first[dataset, model]
    resolved = None if first is None else working.thresholds[dataset, model][first]
    number = None if resolved is None else resolved.number
    for m in _pooled(working, dataset, model):
        directed = metric_named(m.metric).goal in (Goal.MAXIMIZE, Goal.MINIMIZE)
        if directed and m.threshold in (None, number):
            yield m


def _key(metric: str, params: Mapping[str, Any], average: Any, label: Any) -> tuple[Any, ...]:
    return metric, tuple(sorted((k, str(v)) for k, v in params.items())), average, label


def _differences(working: Working, comparisons: Records) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Differences from the previous model, those that the spec compares anyway or others."""
    spec = working.prepared.loaded.spec
    previous = spec.baselines.previous
    if previous is None:
        return {}
    asked = spec.comparisons
    if asked is not None and asked.reference == previous:
        own = comparisons
    else:
        request = ComparisonRequest(previous)
        planned = plan_comparisons(request, working.prepared.plan.tasks, working.prepared.facts)
        from evalreport.engine.comparisons.records import compare

        own = compare(
            request, working.tables, working.thresholds, planned.tasks, working.prepared.settings
        )
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for c in own:
        if not c["subgroup"] and c["fold"] is None:
            key = _key(c["metric"], c["params"], c["average"], c["label"])
            found.setdefault((c["model"], key, c["dataset"]), c)
    return found


def _beside_trivial(m: Measure, baseline: Mapping[str, Any], weighted: bool) -> dict[str, Any]:
    metric, value = metric_named(m.metric), baseline["value"]
    reason = None
    if value == metric.best:
        reason = _AT_BEST
    elif weighted:
        reason = _WEIGHTED
    elif m.interval is None:
        reason = _NO_INTERVAL
    interval = None if m.interval is None else m.interval.as_json()
    outcome = NOT_JUDGED if reason else _outcome(interval, value, metric.goal)
    return _record(m, baseline, interval, None, outcome, reason)


def _beside_previous(
    m: Measure, baseline: Mapping[str, Any], difference: Mapping[str, Any] | None
) -> dict[str, Any]:
    interval = None if difference is None else difference["interval"]
    shown = None if difference is None else difference["difference"]
    if interval is None:
        return _record(m, baseline, None, shown, NOT_JUDGED, _NO_INTERVAL)
    outcome = _outcome(interval, 0.0, metric_named(m.metric).goal)
    return _record(m, baseline, interval, shown, outcome, None)


def _outcome(interval: Mapping[str, Any] | None, value: float, goal: Goal) -> str:
    """On which side of the baseline's value the interval lies."""
    assert interval is not None
    above, below = interval["low"] > value, interval["high"] < value
    if goal is Goal.MINIMIZE:
        above, below = below, above
    return BETTER if above else WORSE if below else NOT_SHOWN


def _record(
    m: Measure,
    baseline: Mapping[str, Any],
    interval: Mapping[str, Any] | None,
    difference: float | None,
    outcome: str,
    reason: str | None,
) -> dict[str, Any]:
    return {
        "dataset": m.dataset,
        "model": m.model,
        "baseline": baseline["baseline"],
        "previous": baseline.get("model"),
        "metric": m.metric,
        "title": m.title,
        "params": dict(m.params),
        "average": m.average,
        "label": m.label,
        "measure": m.id,
        "value": m.value,
        "baseline_value": baseline["value"],
        "difference": difference,
        "interval": None if interval is None else dict(interval),
        "goal": metric_named(m.metric).goal.value,
        "outcome": outcome,
        "reason": reason,
    }
