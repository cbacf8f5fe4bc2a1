"""Criteria against a reference: no worse than a model, a dataset or an earlier run, by a margin.

The difference is model minus reference. A metric that should be high passes where it
is at least minus the margin, one that should be low where it is at most the margin,
one with a best value where it is not further from it by more than the margin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from evalreport.engine.acceptance import FAIL, NOT_EVALUATED, PASS, Criterion, judge, of_nobody
from evalreport.engine.reference.differences import (
    interval_of,
    shift_from,
    threshold_words,
    why_none,
)
from evalreport.engine.reference.run import ReferenceRun, References
from evalreport.metrics.declare import Goal, Metric
from evalreport.metrics.estimates import different_classes, exact_difference, loss_of
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.from_spec import threshold_text
from evalreport.plan.task import Task
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.results.records import Interval, Measure
from evalreport.spec.acceptance import Criterion as AskedCriterion
from evalreport.spec.acceptance import Declared
from evalreport.spec.claims import Claim
from evalreport.spec.comparisons import DatasetReference

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState


#: Earlier runs that an outcome holds: three years of months, a month of days.
MOST_EARLIER = 36


@dataclass(frozen=True)
class Against:
    """A difference from a reference: its value, its interval, or the reason for none."""

    difference: float | None
    reference_value: float | None = None
    interval: Interval | None = None
    reason: str | None = None


#: What compares a measure with the reference of a criterion.
AgainstReference = Callable[["RunState", AskedCriterion, Measure, References], Against]


def with_references(
    state: RunState,
    judged: Sequence[records.Criterion],
    references: References,
    before: ReferenceRun | None = None,
    against: AgainstReference | None = None,
) -> list[records.Criterion]:
    """All outcomes in the order of the spec: those judged, and those against a reference.

    Where there is a run ``before`` in the series, or the spec refers to the previous run, each
    outcome has those of the runs before it, and how many in a row have not passed. ``against``:
    who compares a measure with the reference.
    """
    asked = state.prepared.loaded.spec.criteria
    valued = [number for number, one in asked if one.required is not None]
    found = [replace(entry, criterion=valued[entry.criterion - 1]) for entry in judged]
    for number, one in asked:
        if one.reference is not None:
            compare = against or against_reference
            work = partial(_outcomes, state, number, one, references, compare)
            found += state.records(f"criterion {number}", work)
    found.sort(key=lambda entry: entry.criterion)
    previous = before or references.previous
    return found if previous is None else _continued(found, state.measures, previous)


def selected(state: RunState, asked: AskedCriterion | Declared | Claim) -> list[records.Criterion]:
    """The records that a criterion or declared value means, as acceptance chooses them.

    A criterion leaves out subgroups of too few rows; a declared value is shown beside any.
    """
    return judge(
        [_criterion(asked)],
        state.measures,
        [(view.dataset, view.model) for view in state.prepared.views],
        {key: None if one is None else str(one) for key, one in state.first_threshold.items()},
        state.prepared.loaded.spec.subgroup_minimum if isinstance(asked, AskedCriterion) else 0,
        state.prepared.positive_classes(),
    )


def _criterion(asked: AskedCriterion | Declared | Claim) -> Criterion:
    """Which numbers are meant, as a criterion that any of them meets."""
    subgroup: Any = {} if asked.subgroup is None else asked.subgroup
    return Criterion(
        metric=asked.metric.metric,
        params=dict(asked.metric.params),
        at_least=float("-inf"),
        dataset=asked.dataset,
        model=asked.model,
        threshold=threshold_text(asked),
        subgroup=subgroup if isinstance(subgroup, str) else dict(subgroup),
        average=None if asked.average == "none" else asked.average,
        label=asked.label,
    )


def _outcomes(
    state: RunState,
    number: int,
    asked: AskedCriterion,
    references: References,
    compare: AgainstReference,
) -> list[records.Criterion]:
    by_id = {m.id: m for m in state.measures}
    metric, margin = asked.metric.metric, asked.margin or 0.0
    found: list[records.Criterion] = []
    entries = [entry for entry in selected(state, asked) if not _is_itself(asked, entry)]
    if not entries:
        name = _name(asked, references)
        entries = [of_nobody(number, _criterion(asked), f"there is nothing but the {name}")]
    for entry in entries:
        measure = by_id.get(entry.measure or "")
        against = Against(None, reason=entry.reason)
        if measure is not None and entry.outcome != NOT_EVALUATED:
            against = compare(state, asked, measure, references)
        observed, required, outcome, reason = _held(metric, margin, asked.bound, measure, against)
        found.append(
            replace(
                entry,
                criterion=number,
                text=text_of(asked, references),
                bound=asked.bound,
                direction="at_most" if metric.goal is not Goal.MAXIMIZE else "at_least",
                required=required,
                observed=observed,
                outcome=outcome,
                reason=reason,
                reference=_name(asked, references),
                reference_value=against.reference_value,
                margin=margin,
                difference=against.difference,
                interval=against.interval,
            )
        )
    return found


def _is_itself(asked: AskedCriterion, entry: records.Criterion) -> bool:
    if isinstance(asked.reference, DatasetReference):
        return entry.dataset == asked.reference.dataset
    return entry.model == asked.reference


def _name(asked: AskedCriterion, references: References) -> str:
    run = references.of(asked.reference)
    if run is not None:
        return f"run {run.name}"
    if isinstance(asked.reference, DatasetReference):
        return f"dataset {asked.reference.dataset}"
    return f"model {asked.reference}"


def text_of(asked: AskedCriterion, references: References) -> str:
    """A criterion against a reference in words."""
    word = {"point": "", "lower": "lower limit of ", "upper": "upper limit of "}[asked.bound]
    average = f"{asked.average} " if asked.average not in (None, "none") else ""
    label = f" of {asked.label}" if asked.label is not None else ""
    run = references.of(asked.reference)
    # an earlier run is another one each week; the criterion stays the same
    name = (
        ("the previous run" if run.previous else "the reference run")
        if run
        else _name(asked, references)
    )
    margin = f" by more than {asked.margin:g}" if asked.margin else ""
    return f"{word}{average}{asked.metric.name}{label} no worse than {name}{margin}"


def against_reference(
    state: RunState,
    asked: AskedCriterion,
    measure: Measure,
    references: References,
    compared: Callable[[RunState, AskedCriterion, Measure], records.Comparison | None]
    | None = None,
) -> Against:
    """The difference of a measure from its reference; ``compared`` gives its limits."""
    run = references.of(asked.reference)
    if run is not None:
        return _against_run(state, measure, run)
    twin = _twin(state, asked, measure)
    if twin is None:
        return Against(None, reason=f"{_name(asked, references)} does not have it")
    if twin.value is None or measure.value is None:
        return Against(None, reason=f"{_name(asked, references)}: {twin.state}, {twin.reason}")
    name = _name(asked, references)
    apart = different_classes((measure.model, measure.left_out), (name, twin.left_out))
    if apart is not None:
        return Against(None, reason=apart)
    difference = exact_difference(measure, twin)
    if asked.bound == "point":
        return Against(difference, twin.value)
    if measure.where.subgroup:
        reason = "differences from a model or dataset have intervals for all rows only"
        return Against(difference, twin.value, None, reason)
    record = (compared or _compared)(state, asked, measure)
    if record is None:
        return Against(difference, twin.value, None, "the two are not compared")
    return Against(difference, twin.value, record.interval, record.interval_reason)


def _against_run(state: RunState, measure: Measure, run: ReferenceRun) -> Against:
    then = run.measures.get(measure.which.series)
    found = shift_from(state, measure, then, run)
    if found is None or then is None:
        return Against(None, reason=why_none(measure, then, run.name))
    return Against(found.difference, then.value, interval_of(found), found.reason)


def _twin(state: RunState, asked: AskedCriterion, measure: Measure) -> Measure | None:
    own = measure.which.series
    if isinstance(asked.reference, DatasetReference):
        key = replace(own, dataset=asked.reference.dataset)
    else:
        key = replace(own, model=str(asked.reference))
    return next((m for m in state.measures if m.which.series == key), None)


def _compared(
    state: RunState, asked: AskedCriterion, measure: Measure
) -> records.Comparison | None:
    """The comparison of this one number with its reference, made as the spec makes them."""
    of_dataset = isinstance(asked.reference, DatasetReference)
    wanted = state.prepared.loaded.spec.comparisons
    request = ComparisonRequest(
        reference=None if of_dataset else str(asked.reference),
        reference_dataset=asked.reference.dataset
        if isinstance(asked.reference, DatasetReference)
        else None,
        tests={} if wanted is None else dict(wanted.tests),
        methods={} if wanted is None else dict(wanted.methods),
        classical=state.prepared.loaded.spec.confidence.classical,
    )
    tasks = [task for task in state.prepared.plan.tasks if _same_number(task, measure)]
    planned = plan_comparisons(request, tasks, state.prepared.facts).tasks
    own = [
        one
        for one in planned
        if (one.task.dataset, one.task.model) == (measure.dataset, measure.model)
    ]
    from evalreport.engine.comparisons.records import compare

    found = compare(request, state.tables, state.thresholds, own, state.prepared.settings)
    return next((one for one in found if one.fold is None), None)


def _same_number(task: Task, measure: Measure) -> bool:
    at = "" if task.threshold is None else str(task.threshold)
    return (
        task.where == EVERYTHING
        and (task.metric, dict(task.params)) == (measure.metric, dict(measure.params))
        and (task.average, task.label) == (measure.average, measure.label)
        and at == threshold_words(measure)
        and task.indeterminate == measure.indeterminate
    )


def _held(
    metric: Metric, margin: float, bound: str, measure: Measure | None, against: Against
) -> tuple[float | None, float, str, str | None]:
    """Observed, required, outcome and reason."""
    high = metric.goal is Goal.MAXIMIZE
    required = -margin if high else margin
    if measure is None or against.difference is None or measure.value is None:
        return None, required, NOT_EVALUATED, against.reason
    if metric.goal is Goal.DESCRIBE:
        return None, required, NOT_EVALUATED, f"of {metric.name} neither more nor less is better"
    if bound != "point":
        if against.interval is None:
            reason = f"the difference has no interval: {against.reason}"
            return None, required, NOT_EVALUATED, reason
        if metric.goal is Goal.TARGET:
            reason = "a distance from the best value has no interval; bound: point"
            return None, required, NOT_EVALUATED, reason
        observed = against.interval.low if bound == "lower" else against.interval.high
    elif metric.goal is Goal.TARGET and against.reference_value is not None:
        observed = loss_of(metric, measure.value, against.reference_value) or 0.0
    else:
        observed = against.difference
    passed = observed >= required if high else observed <= required
    return observed, required, PASS if passed else FAIL, None


def _continued(
    found: Sequence[records.Criterion],
    measures: Sequence[records.Measure],
    previous: ReferenceRun,
) -> list[records.Criterion]:
    """Outcomes after those of the runs before them, of which each run holds all.

    A criterion goes on where its words are the same; else, as where the limit that it requires was
    changed, where it is of the same number of the same rows.
    """
    before = {_asked(one): one for one in previous.results.acceptance}
    said = {_asked(entry) for entry in found}
    of_number = {
        _number(one, previous.results.measures): one
        for asked, one in before.items()
        if asked not in said and one.measure is not None
    }
    return [
        _after(
            entry, before.get(_asked(entry)) or of_number.get(_number(entry, measures)), previous
        )
        for entry in found
    ]


def _number(one: records.Criterion, measures: Sequence[records.Measure]) -> tuple[Any, ...]:
    """The number that a criterion judges, and on which side."""
    series = next((m.which.series for m in measures if m.id == one.measure), None)
    return series, one.bound, one.direction, one.reference, one.readers, one.look


def _after(
    entry: records.Criterion, before: records.Criterion | None, previous: ReferenceRun
) -> records.Criterion:
    """An outcome with those before it, and how many runs in a row, with this one, did not pass."""
    count = 0
    if before is None:
        return replace(entry, breaches_in_a_row=0 if entry.outcome == PASS else 1)
    if entry.outcome != PASS:
        count = 1
        if before.outcome != PASS:
            count += 1 if before.breaches_in_a_row is None else before.breaches_in_a_row
    earlier = (*before.earlier, _earlier(before, previous))[-MOST_EARLIER:]
    return replace(entry, breaches_in_a_row=count, earlier=earlier)


def _earlier(entry: records.Criterion, run: ReferenceRun) -> records.EarlierOutcome:
    """What a run recorded of a criterion, with the value that it judged."""
    measure = next((m for m in run.results.measures if m.id == entry.measure), None)
    limits = None if measure is None else measure.interval
    return records.EarlierOutcome(
        run=run.name,
        of=run.of,
        value=None if measure is None else measure.value,
        low=None if limits is None else limits.low,
        high=None if limits is None else limits.high,
        observed=entry.observed,
        required=entry.required,
        outcome=entry.outcome,
    )


def _asked(one: records.Criterion) -> tuple[Any, ...]:
    """What makes the outcomes of two runs those of the same criterion."""
    subgroup = tuple(one.subgroup.items())
    return one.text, one.dataset, one.model, subgroup, one.threshold_asked
