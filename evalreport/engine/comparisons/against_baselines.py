"""Whether each model is better than each baseline, as far as an interval shows it.

The value of a trivial baseline is set against the interval of the model's own value;
the previous model is compared row by row, by the interval of the difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evalreport.metrics.declare import Goal
from evalreport.metrics.estimates import different_classes
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.from_spec import metric_named
from evalreport.predict.baselines import BASELINES, CHEAPEST
from evalreport.results.identity import EVERYTHING, Quantity, WhichNumber
from evalreport.results.records import AgainstBaseline, Baseline, Comparison, Interval, Measure

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

#: The name of the baseline that is a model of the spec.
PREVIOUS = "previous"
BETTER, WORSE, NOT_SHOWN, NOT_JUDGED = "better", "worse", "not_shown", "not_judged"

_WEIGHTED = "rows are weighted, and the baseline takes no weights"
_AT_BEST = "the baseline reaches the best possible value, so this metric alone tells nothing"
_NO_INTERVAL = "there is no interval"


def with_previous(state: RunState, baselines: Sequence[Baseline]) -> list[Baseline]:
    """The records of baselines, with the values of the previous model among them."""
    previous = state.prepared.loaded.spec.baselines.previous
    found = list(baselines)
    if previous is None:
        return found
    for key, first in state.first_threshold.items():
        if key[1] != previous:
            continue
        threshold = state.thresholds[key][first].number if first is not None else None
        found += [
            Baseline(
                dataset=m.dataset,
                baseline=PREVIOUS,
                model=previous,
                metric=m.metric,
                params=m.params,
                average=m.average,
                label=m.label,
                value=m.value,
                left_out=m.left_out,
                n=m.n,
                note=f"the previous model is {previous}",
            )
            for m in _pooled(state, *key)
            if m.threshold in (None, threshold)
        ]
    return found


def against_baselines(
    state: RunState, baselines: Sequence[Baseline], comparisons: Sequence[Comparison]
) -> list[AgainstBaseline]:
    """One record per model, baseline and metric with a direction, in the order of the run."""
    against = {(b.dataset, b.baseline, WhichNumber.of(b).quantity): b for b in baselines}
    weighted = {(v.dataset, v.model) for v in state.prepared.views if v.weight is not None}
    differences = _differences(state, comparisons)
    found: list[AgainstBaseline] = []
    for dataset, model in state.first_threshold:
        for m in _first_measures(state, dataset, model):
            quantity = m.which.quantity
            for name in (*BASELINES, CHEAPEST, PREVIOUS):
                baseline = against.get((dataset, name, quantity))
                if baseline is None or baseline.value is None or baseline.model == model:
                    continue
                if name == PREVIOUS:
                    difference = differences.get((dataset, model, quantity))
                    found.append(_beside_previous(m, baseline, difference))
                else:
                    found.append(_beside_trivial(m, baseline, (dataset, model) in weighted))
    return found


def _pooled(state: RunState, dataset: str, model: str) -> Iterator[Measure]:
    for m in state.measures:
        own = (m.dataset, m.model, m.where) == (dataset, model, EVERYTHING)
        if own and m.indeterminate is None and m.state == "value" and m.value is not None:
            yield m


def _first_measures(state: RunState, dataset: str, model: str) -> Iterator[Measure]:
    """Values of all rows at the first threshold whose metric says what is better."""
    first = state.first_threshold[dataset, model]
    resolved = None if first is None else state.thresholds[dataset, model][first]
    number = None if resolved is None else resolved.number
    for m in _pooled(state, dataset, model):
        directed = metric_named(m.metric).goal in (Goal.MAXIMIZE, Goal.MINIMIZE)
        if directed and m.threshold in (None, number):
            yield m


def _differences(
    state: RunState, comparisons: Sequence[Comparison]
) -> dict[tuple[str, str, Quantity], Comparison]:
    """Differences from the previous model, those that the spec compares anyway or others."""
    spec = state.prepared.loaded.spec
    previous = spec.baselines.previous
    if previous is None:
        return {}
    asked = spec.comparisons
    if asked is not None and asked.reference == previous:
        own = comparisons
    else:
        request = ComparisonRequest(previous)
        planned = plan_comparisons(request, state.prepared.plan.tasks, state.prepared.facts)
        from evalreport.engine.comparisons.records import compare

        own = compare(
            request, state.tables, state.thresholds, planned.tasks, state.prepared.settings
        )
    found: dict[tuple[str, str, Quantity], Comparison] = {}
    for c in own:
        if not c.subgroup and c.fold is None:
            found.setdefault((c.dataset, c.model, c.which.quantity), c)
    return found


def _beside_trivial(m: Measure, baseline: Baseline, weighted: bool) -> AgainstBaseline:
    metric, value = metric_named(m.metric), baseline.value
    assert value is not None
    apart = different_classes((m.model, m.left_out), ("the baseline", baseline.left_out))
    if apart is not None:
        return _record(m, baseline, m.interval, None, NOT_JUDGED, apart)
    if value == metric.best:
        return _record(m, baseline, m.interval, None, NOT_JUDGED, _AT_BEST)
    if weighted:
        return _record(m, baseline, m.interval, None, NOT_JUDGED, _WEIGHTED)
    if m.interval is None:
        return _record(m, baseline, None, None, NOT_JUDGED, _NO_INTERVAL)
    return _record(m, baseline, m.interval, None, _outcome(m.interval, value, metric.goal), None)


def _beside_previous(
    m: Measure, baseline: Baseline, difference: Comparison | None
) -> AgainstBaseline:
    interval = None if difference is None else difference.interval
    shown = None if difference is None else difference.difference
    if interval is None:
        reason = None if difference is None else difference.interval_reason
        return _record(m, baseline, None, shown, NOT_JUDGED, reason or _NO_INTERVAL)
    outcome = _outcome(interval, 0.0, metric_named(m.metric).goal)
    return _record(m, baseline, interval, shown, outcome, None)


def _outcome(interval: Interval, value: float, goal: Goal) -> str:
    """On which side of the baseline's value the interval lies."""
    above, below = interval.low > value, interval.high < value
    if goal is Goal.MINIMIZE:
        above, below = below, above
    return BETTER if above else WORSE if below else NOT_SHOWN


def _record(
    m: Measure,
    baseline: Baseline,
    interval: Interval | None,
    difference: float | None,
    outcome: str,
    reason: str | None,
) -> AgainstBaseline:
    assert m.value is not None
    assert baseline.value is not None
    return AgainstBaseline(
        dataset=m.dataset,
        model=m.model,
        baseline=baseline.baseline,
        previous=baseline.model,
        metric=m.metric,
        title=m.title,
        params=m.params,
        average=m.average,
        label=m.label,
        measure=m.id,
        value=m.value,
        baseline_value=baseline.value,
        difference=difference,
        interval=interval,
        goal=metric_named(m.metric).goal.value,
        outcome=outcome,
        reason=reason,
    )
