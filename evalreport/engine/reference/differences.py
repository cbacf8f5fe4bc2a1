"""Now minus then: the measures of a run against the same ones of an earlier run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalreport.engine.records import Measure
from evalreport.engine.reference.run import ReferenceRun, References
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Goal, Interval, Metric
from evalreport.metrics.recorded import estimate_of, exact_difference, series_key
from evalreport.spec.comparisons import Comparisons
from evalreport.statistics.multiplicity import adjust
from evalreport.statistics.separate_samples import Shift, shift

if TYPE_CHECKING:
    from evalreport.engine.working import Working

SAME_ROWS = "both runs read the same rows: a difference is no matter of chance"
WHY = "two runs: values, counts and intervals as recorded"
TESTS = "a test or method that is asked for needs the rows of both runs, which results do not hold"


def compared_with_run(working: Working, references: References) -> list[dict[str, Any]]:
    """Records of comparisons with an earlier run; none unless the spec asks for them.

    All rows, at the first threshold of each model, as models are compared.
    """
    asked = working.prepared.loaded.spec.comparisons
    run = references.of(asked.reference) if asked is not None else None
    if asked is None or run is None:
        return []
    found = [
        (measure, run.measures.get(series_key(measure.as_json())))
        for measure in working.measures
        if _is_compared(working, measure)
    ]
    shifts = [shift_from(working, measure, then, run) for measure, then in found]
    level = working.prepared.settings.level
    adjusted: dict[int, float | None] = {}
    for dataset in dict.fromkeys(measure.dataset for measure, _ in found):
        places = [i for i, (measure, _) in enumerate(found) if measure.dataset == dataset]
        of_these = adjust([_p_value(shifts[i]) for i in places], asked.correction)
        adjusted.update(zip(places, of_these, strict=True))
    return [
        _record(measure, then or {}, shifts[i], adjusted[i], asked, run, level)
        for i, (measure, then) in enumerate(found)
    ]


def _p_value(found: Shift | None) -> float | None:
    return None if found is None else found.p_value


def _is_compared(working: Working, measure: Measure) -> bool:
    if measure.where.subgroup or measure.where.fold or measure.indeterminate == "for":
        return False
    metric = find(measure.metric)
    if metric is None or metric.interval is Interval.NONE:
        return False
    if measure.threshold is None and measure.threshold_rule is None:
        return True
    first = working.first[measure.dataset, measure.model]
    return first is None or threshold_words(measure) == str(first)


def threshold_words(measure: Measure) -> str:
    """The threshold of a measure as the plan names it: its rule, else its number."""
    if measure.threshold_rule is not None:
        return measure.threshold_rule
    return "" if measure.threshold is None else f"{measure.threshold:g}"


def shift_from(
    working: Working, measure: Measure, then: Mapping[str, Any] | None, run: ReferenceRun
) -> Shift | None:
    """Now minus then; None where there is no difference to be told."""
    now, before = estimate_of(measure.as_json()), estimate_of(then or {})
    if now is None or before is None or then is None:
        return None
    found = replace(shift(now, before), difference=exact_difference(measure.as_json(), then))
    own = {one.dataset: one.sha256 for one in working.prepared.inputs}.get(measure.dataset)
    if own is not None and own == run.data.get(measure.dataset):
        return Shift(found.difference, reason=SAME_ROWS)
    return found


def why_none(measure: Measure, then: Mapping[str, Any] | None, run: ReferenceRun) -> str:
    """Why a measure has no difference from an earlier run."""
    if then is None:
        return f"run {run.name} does not have it"
    parts = [
        f"{word}: {str(state).replace('_', ' ')}, {reason}"
        for word, state, reason in (
            ("now", measure.state, measure.reason),
            ("then", then["state"], then.get("reason")),
        )
        if state != "value"
    ]
    return "; ".join(parts)


def _record(
    measure: Measure,
    then: Mapping[str, Any],
    found: Shift | None,
    p_adjusted: float | None,
    asked: Comparisons,
    run: ReferenceRun,
    level: float,
) -> dict[str, Any]:
    metric = find(measure.metric)
    assert metric is not None
    told = found if found is not None else Shift(0.0, reason=why_none(measure, then or None, run))
    difference = None if found is None else found.difference
    apart = told.beyond_chance is True if p_adjusted is None else p_adjusted < 1.0 - level
    method = {**asked.tests, **asked.methods}.get(measure.metric)
    notes = ["the rows of the two runs are taken as independent"] if told.interval else []
    if measure.exploratory or then.get("exploratory"):
        notes.append("conditional on the threshold, which was chosen on these rows")
    return {
        "dataset": measure.dataset,
        "subgroup": {},
        "fold": None,
        "threshold": measure.threshold,
        "threshold_rule": measure.threshold_rule,
        "reference_threshold": then.get("threshold"),
        "metric": measure.metric,
        "title": measure.title,
        "params": dict(measure.params),
        "average": measure.average,
        "label": measure.label,
        "model": measure.model,
        "reference": f"run {run.name}",
        "reference_dataset": None,
        "reference_run": run.name,
        "paired": False,
        "n": measure.n,
        "model_value": measure.value,
        "reference_value": then.get("value"),
        "reference_interval": then.get("interval"),
        "reference_numerator": then.get("numerator"),
        "reference_denominator": then.get("denominator"),
        "reference_n": then.get("n"),
        "difference": difference,
        "interval": interval_json(told),
        "interval_reason": told.reason,
        "test": told.test,
        "statistic": told.statistic,
        "df": None,
        "p_value": told.p_value,
        "p_adjusted": p_adjusted,
        "correction": asked.correction,
        "reason": None if told.p_value is not None else told.reason or "no test of this value",
        "why": WHY if method is None else f"{WHY}; {TESTS}",
        "better": better(metric, measure.value, then.get("value")),
        "told_apart": apart,
        **_non_inferior(metric, told, asked.margins.get(measure.metric)),
        "note": "; ".join(notes) or None,
    }


def interval_json(found: Shift) -> dict[str, Any] | None:
    """The interval of a difference as it stands in ``results.json``."""
    if found.interval is None:
        return None
    low, high = found.interval
    return {"level": found.level, "low": low, "high": high, "method": found.method}


def better(metric: Metric, now: float | None, then: float | None) -> str | None:
    """``model`` (now) or ``reference`` (then), by the metric's goal; None where neither is."""
    if now is None or then is None:
        return None
    loss = loss_of(metric, now, then)
    return None if not loss else "reference" if loss > 0 else "model"


def loss_of(metric: Metric, now: float, then: float) -> float | None:
    """How much worse now is than then; below 0 where better, None where neither is better."""
    if metric.goal is Goal.MAXIMIZE:
        return then - now
    if metric.goal is Goal.MINIMIZE:
        return now - then
    if metric.goal is Goal.TARGET and metric.best is not None:
        return abs(now - metric.best) - abs(then - metric.best)
    return None


def _non_inferior(metric: Metric, found: Shift, margin: float | None) -> dict[str, Any]:
    if margin is None:
        return {}
    shown: bool | None = None
    if found.interval is not None and metric.goal is Goal.MAXIMIZE:
        shown = found.interval.low > -margin
    elif found.interval is not None and metric.goal is Goal.MINIMIZE:
        shown = found.interval.high < margin
    return {"margin": margin, "non_inferior": shown}
