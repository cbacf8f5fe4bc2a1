"""Whether each model is better than guessing and than the previous model, as intervals show it.

A model is judged against guessing on one summary, and its costs against the one answer that
costs least: any useful threshold gives up some metric to a guess. The previous model is
compared on every metric, row by row, by the interval of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.declare import Goal, Kind, Metric, Table
from evalreport.metrics.declare import Interval as Family
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.predict.baselines import CHEAPEST
from evalreport.predict.view import LabelView
from evalreport.results.identity import (
    EVERYTHING,
    MEAN_OF_FOLDS,
    Quantity,
    Slice,
    WhichNumber,
)
from evalreport.results.records import AgainstBaseline, Baseline, Comparison, Interval, Measure

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

#: The name of the baseline that is a model of the spec, and that of answers that know nothing.
PREVIOUS, CHANCE = "previous", "chance"
BETTER, WORSE, NOT_SHOWN, NOT_JUDGED = "better", "worse", "not_shown", "not_judged"

_WEIGHTED = "rows are weighted, and the baseline takes no weights"
_AT_BEST = "the baseline reaches the best possible value, so this metric alone shows nothing"
_NO_INTERVAL = "there is no interval"


def with_previous(state: RunState, baselines: Sequence[Baseline]) -> list[Baseline]:
    """The records of baselines, with the values of the previous model among them."""
    previous = state.prepared.loaded.spec.baselines.previous
    found = list(baselines)
    if previous is None:
        return found
    for key in state.first_threshold:
        if key[1] != previous:
            continue
        found += [
            Baseline(
                **_number_of(m),
                baseline=PREVIOUS,
                model=previous,
                left_out=m.left_out,
                n=m.n,
                note=f"the previous model is {previous}",
            )
            for m in _pooled(state, *key)
            if m.threshold in (None, state.first_number(key))
        ]
    return found


def _number_of(m: Measure) -> dict[str, Any]:
    """Which number a measure is, and the number itself."""
    names = ("dataset", "metric", "params", "average", "label", "value")
    return {name: getattr(m, name) for name in names}


#: What is known of a difference from the previous model.
Shown = Comparison | AgainstBaseline


def by_chance(view: LabelView, m: Measure) -> float | None:
    """What guessing gets by the class shares, weighted where rows are; None for single classes."""
    two = len(view.labels) <= 2
    if m.left_out or m.average not in ((None,) if two else (None, "macro")):
        return None
    if not two and m.label is not None:
        return None
    counts = view.classes_of_rows if view.weight is None else view.class_weights
    total = math.fsum(counts)
    own = view.labels.index(m.label) if m.label in view.labels else None
    return metric_named(m.metric).by_chance([count / total for count in counts], own)


def judged_against(
    state: RunState,
    baselines: Sequence[Baseline],
    differences: Mapping[tuple[str, str, Quantity], Shown],
    chance: Callable[[LabelView, Measure], float | None] = by_chance,
) -> list[AgainstBaseline]:
    """One record per model and what it is judged against, in the order of the run.

    By the ``differences`` from the previous model, and what guessing gets by ``chance``.
    """
    known = {(b.dataset, b.baseline, WhichNumber.of(b).quantity): b for b in baselines}
    found: list[AgainstBaseline] = []
    views = {(view.dataset, view.model): view for view in state.prepared.views}
    means = _means_of_ranks(state)
    for dataset, model in state.first_threshold:
        view = views[dataset, model]
        measures = list(_first_measures(state, dataset, model))
        if isinstance(view, LabelView) and not view.unknown:
            summaries = [means.get((dataset, model, m.which.quantity), m) for m in measures]
            found += _beside_chance(view, summaries, chance)
        for m in measures:
            quantity = m.which.quantity
            cheapest = known.get((dataset, CHEAPEST, quantity))
            priced = "costs" in metric_named(m.metric).context
            if priced and cheapest is not None and cheapest.value is not None:
                refused = None if view.weight is None else _WEIGHTED
                found.append(_beside(m, CHEAPEST, cheapest.value, refused))
            previous = known.get((dataset, PREVIOUS, quantity))
            if previous is not None and previous.model != model:
                difference = differences.get((dataset, model, quantity))
                found.append(_beside_previous(m, previous, difference))
    return found


def _pooled(state: RunState, dataset: str, model: str) -> Iterator[Measure]:
    for m in state.measures:
        own = (m.dataset, m.model, m.where) == (dataset, model, EVERYTHING)
        if own and m.indeterminate is None and m.state == "value" and m.value is not None:
            yield m


def _first_measures(state: RunState, dataset: str, model: str) -> Iterator[Measure]:
    """Values of all rows at the first threshold whose metric says what is better."""
    number = state.first_number((dataset, model))
    for m in _pooled(state, dataset, model):
        directed = metric_named(m.metric).goal in (Goal.MAXIMIZE, Goal.MINIMIZE)
        if directed and m.threshold in (None, number):
            yield m


def _means_of_ranks(state: RunState) -> dict[tuple[str, str, Quantity], Measure]:
    """Means over folds of what ranks rows: scores of several fits are not on one scale."""
    return {
        (m.dataset, m.model, m.which.quantity): m
        for m in state.measures
        if m.where == Slice(fold=MEAN_OF_FOLDS)
        and m.value is not None
        and metric_named(m.metric).ranks_rows
    }


def differences_of(
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


def _beside_chance(
    view: LabelView,
    measures: Sequence[Measure],
    chance: Callable[[LabelView, Measure], float | None],
) -> Iterator[AgainstBaseline]:
    """The model's summary beside what answers that know nothing of a row get."""
    known = [(m, value) for m in measures if (value := chance(view, m)) is not None]
    if not known:
        return
    m, value = min(
        known, key=lambda one: (one[0].interval is None, _rank(metric_named(one[0].metric)))
    )
    yield _beside(m, CHANCE, value)


def _rank(metric: Metric) -> int:
    """Which metric judges a model: AUC, a bounded loss of probabilities, one of a table.

    Precision, which is above the prevalence where the model knows anything, comes last.
    """
    if metric.interval is Family.AUC:
        return 0
    if metric.kind is Kind.PROBABILITY and math.isfinite(metric.bounds[1] - metric.bounds[0]):
        return 1
    if metric.interval is Family.PROPORTION:
        return 4
    return 2 if metric.table in (Table.COUNTS, Table.MATRIX) else 3


def _beside(m: Measure, name: str, value: float, refused: str | None = None) -> AgainstBaseline:
    """The model's interval beside a value that is known; ``refused``: why it is not judged."""
    metric = metric_named(m.metric)
    if value == metric.best:
        refused = _AT_BEST
    elif m.interval is None:
        refused = _NO_INTERVAL
    if refused is not None or m.interval is None:
        return _record(m, name, value, m.interval, NOT_JUDGED, reason=refused)
    return _record(m, name, value, m.interval, _outcome(m.interval, value, metric.goal))


def _beside_previous(m: Measure, previous: Baseline, difference: Shown | None) -> AgainstBaseline:
    interval = None if difference is None else difference.interval
    assert previous.value is not None
    if interval is None:
        told = isinstance(difference, AgainstBaseline)
        reason = getattr(difference, "reason" if told else "interval_reason", None)
        made = _record(m, PREVIOUS, previous.value, None, NOT_JUDGED, reason=reason or _NO_INTERVAL)
    else:
        outcome = _outcome(interval, 0.0, metric_named(m.metric).goal)
        made = _record(m, PREVIOUS, previous.value, interval, outcome)
    shown = None if difference is None else difference.difference
    return replace(made, previous=previous.model, difference=shown)


def _outcome(interval: Interval, value: float, goal: Goal) -> str:
    """On which side of the baseline's value the interval lies."""
    above, below = interval.low > value, interval.high < value
    if goal is Goal.MINIMIZE:
        above, below = below, above
    return BETTER if above else WORSE if below else NOT_SHOWN


def _record(
    m: Measure,
    name: str,
    value: float,
    interval: Interval | None,
    outcome: str,
    *,
    reason: str | None = None,
) -> AgainstBaseline:
    assert m.value is not None
    return AgainstBaseline(
        **_number_of(m),
        model=m.model,
        baseline=name,
        title=m.title,
        measure=m.id,
        baseline_value=value,
        interval=interval,
        goal=metric_named(m.metric).goal.value,
        outcome=outcome,
        reason=reason,
    )
