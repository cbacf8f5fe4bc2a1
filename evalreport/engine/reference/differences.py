"""Now minus then: the measures of a run against the same ones of an earlier run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evalreport.engine.comparisons.records import judged
from evalreport.engine.reference.run import ReferenceRun, References
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Interval
from evalreport.metrics.estimates import different_classes, estimate_of, exact_difference
from evalreport.results import records
from evalreport.results.records import Comparison, Measure
from evalreport.spec.comparisons import Comparisons
from evalreport.statistics.multiplicity import Adjusted, adjust_families, corrected_family
from evalreport.statistics.separate_samples import Shift, shift

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

SAME_ROWS = "both runs read the same rows: a difference is not a matter of chance"
SEPARATE = "the rows of the two runs are treated as independent"
CHOSEN = "conditional on the threshold, which was chosen on these rows"
WHY = "two runs: values, counts and intervals as recorded"
TESTS = "a requested test or method needs the rows of both runs, which results do not contain"


def compared_with_run(state: RunState, references: References) -> list[Comparison]:
    """Records of comparisons with an earlier run; none unless the spec asks for them.

    All rows, at the first threshold of each model, as models are compared.
    """
    asked = state.prepared.loaded.spec.comparisons
    run = references.of(asked.reference) if asked is not None else None
    if asked is None or run is None:
        return []
    found = [
        (measure, run.measures.get(measure.which.series))
        for measure in state.measures
        if _is_compared(state, measure)
    ]
    shifts = [shift_from(state, measure, then, run) for measure, then in found]
    level = state.prepared.settings.level
    families = [m.dataset if asked.family == "dataset" else "" for m, _ in found]
    adjusted = adjust_families([_p_value(one) for one in shifts], families, asked.correction)
    return [
        difference_record(measure, then, shifts[i], adjusted[i], asked, run.name, level)
        for i, (measure, then) in enumerate(found)
    ]


def _p_value(found: Shift | None) -> float | None:
    return None if found is None else found.p_value


def _is_compared(state: RunState, measure: Measure) -> bool:
    if measure.where.subgroup or measure.where.fold or measure.indeterminate == "for":
        return False
    metric = find(measure.metric)
    if metric is None or metric.interval is Interval.NONE:
        return False
    if measure.threshold is None and measure.threshold_rule is None:
        return True
    first = state.first_threshold[measure.dataset, measure.model]
    return first is None or threshold_words(measure) == str(first)


def threshold_words(measure: Measure) -> str:
    """The threshold of a measure as the plan names it: its rule, else its number."""
    if measure.threshold_rule is not None:
        return measure.threshold_rule
    return "" if measure.threshold is None else f"{measure.threshold:g}"


def shift_from(
    state: RunState, measure: Measure, then: Measure | None, run: ReferenceRun
) -> Shift | None:
    """Now minus then; None where there is no difference to be told."""
    if then is None or different_classes(("now", measure.left_out), ("then", then.left_out)):
        return None
    now, before = estimate_of(measure), estimate_of(then)
    if now is None or before is None:
        return None
    found = replace(shift(now, before), difference=exact_difference(measure, then))
    own = {one.dataset: one.sha256 for one in state.prepared.inputs}.get(measure.dataset)
    if own is not None and own == run.data.get(measure.dataset):
        return Shift(found.difference, reason=SAME_ROWS)
    return found


def why_none(measure: Measure, then: Measure | None, run: str) -> str:
    """Why a measure has no difference from an earlier run."""
    if then is None:
        return f"run {run} does not have it"
    parts = [
        f"{word}: {state.replace('_', ' ')}, {reason}"
        for word, state, reason in (
            ("now", measure.state, measure.reason),
            ("then", then.state, then.reason),
        )
        if state != "value"
    ]
    apart = different_classes(("now", measure.left_out), ("then", then.left_out))
    return "; ".join(parts) or apart or ""


def difference_record(
    measure: Measure,
    then: Measure | None,
    found: Shift | None,
    adjusted: Adjusted,
    asked: Comparisons,
    run: str,
    level: float,
) -> Comparison:
    """The record of a measure now and then; ``run``: the name of the earlier run."""
    metric = find(measure.metric)
    assert metric is not None
    told = found if found is not None else Shift(0.0, reason=why_none(measure, then, run))
    method = {**asked.tests, **asked.methods}.get(measure.metric)
    notes = [SEPARATE] if told.interval else []
    exploratory = measure.exploratory or (then is not None and then.exploratory)
    if exploratory:
        notes.append(CHOSEN)
    family, tests = corrected_family(adjusted, asked.correction, asked.family)
    record = Comparison(
        dataset=measure.dataset,
        subgroup={},
        fold=None,
        threshold=measure.threshold,
        threshold_rule=measure.threshold_rule,
        reference_threshold=None if then is None else then.threshold,
        metric=measure.metric,
        title=measure.title,
        params=measure.params,
        average=measure.average,
        label=measure.label,
        model=measure.model,
        reference=f"run {run}",
        reference_run=run,
        paired=False,
        n=measure.n,
        model_value=measure.value,
        reference_value=None if then is None else then.value,
        reference_interval=None if then is None else then.interval,
        reference_numerator=None if then is None else then.numerator,
        reference_denominator=None if then is None else then.denominator,
        reference_n=None if then is None else then.n,
        difference=None if found is None else found.difference,
        interval=interval_of(told),
        interval_reason=told.reason,
        test=told.test,
        statistic=told.statistic,
        p_value=told.p_value,
        p_adjusted=adjusted.p_value,
        correction=asked.correction,
        family=family,
        family_tests=tests,
        reason=None if told.p_value is not None else told.reason or "no test of this value",
        why=WHY if method is None else f"{WHY}; {TESTS}",
        margin=asked.margins.get(measure.metric),
        exploratory=exploratory or None,
        note="; ".join(notes) or None,
    )
    return judged(record, metric, level)


def interval_of(found: Shift) -> records.Interval | None:
    """The interval of a difference as it stands in the results."""
    if found.interval is None or found.level is None:
        return None
    low, high = found.interval
    return records.Interval(found.level, low, high, str(found.method))
