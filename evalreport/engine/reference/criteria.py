"""Criteria against a reference: no worse than a model, a dataset or an earlier run, by a margin.

The difference is model minus reference. A metric that should be high passes where it
is at least minus the margin, one that should be low where it is at most the margin,
one with a best value where it is not further from it by more than the margin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from evalreport.engine.acceptance import FAIL, NOT_EVALUATED, PASS, Criterion, judge
from evalreport.engine.records import Measure
from evalreport.engine.reference.differences import (
    interval_json,
    loss_of,
    shift_from,
    threshold_words,
    why_none,
)
from evalreport.engine.reference.run import ReferenceRun, References
from evalreport.metrics.declare import Goal, Metric
from evalreport.metrics.recorded import exact_difference, series_key
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.requests import threshold_text
from evalreport.plan.task import EVERYTHING, Task
from evalreport.spec.acceptance import Criterion as AskedCriterion
from evalreport.spec.acceptance import Declared
from evalreport.spec.comparisons import DatasetReference

if TYPE_CHECKING:
    from evalreport.engine.working import Working


@dataclass(frozen=True)
class Against:
    """A difference from a reference: its value, its interval, or the reason for none."""

    difference: float | None
    reference_value: float | None = None
    interval: Mapping[str, Any] | None = None
    reason: str | None = None


def with_references(
    working: Working, judged: Sequence[Mapping[str, Any]], references: References
) -> list[dict[str, Any]]:
    """All outcomes in the order of the spec: those judged, and those against a reference.

    Where the spec refers to the previous run, each outcome tells how many runs in a
    row have not passed.
    """
    asked = working.prepared.loaded.spec.acceptance
    valued = [number for number, one in enumerate(asked, start=1) if one.required is not None]
    found = [{**entry, "criterion": valued[entry["criterion"] - 1]} for entry in judged]
    for number, one in enumerate(asked, start=1):
        if one.reference is not None:
            work = partial(_outcomes, working, number, one, references)
            found += working.records(f"criterion {number}", work)
    found.sort(key=lambda entry: entry["criterion"])
    previous = references.previous
    return found if previous is None else [_counted(entry, previous) for entry in found]


def selected(working: Working, asked: AskedCriterion | Declared) -> list[dict[str, Any]]:
    """The records that a criterion or declared value means, as acceptance chooses them."""
    subgroup: Any = {} if asked.subgroup is None else asked.subgroup
    criterion = Criterion(
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
    return judge(
        [criterion],
        working.measures,
        [(view.dataset, view.model) for view in working.prepared.views],
        {key: None if one is None else str(one) for key, one in working.first.items()},
    )


def _outcomes(
    working: Working, number: int, asked: AskedCriterion, references: References
) -> list[dict[str, Any]]:
    by_id = {m.id: m for m in working.measures}
    metric, margin = asked.metric.metric, asked.margin or 0.0
    found: list[dict[str, Any]] = []
    for entry in selected(working, asked):
        if _is_itself(asked, entry):
            continue
        measure = by_id.get(entry["measure"])
        against = Against(None, reason=entry["reason"])
        if measure is not None and entry["outcome"] != NOT_EVALUATED:
            against = _against(working, asked, measure, references)
        observed, required, outcome, reason = _held(metric, margin, asked.bound, measure, against)
        found.append({
            **entry,
            "criterion": number,
            "text": _text(asked, references),
            "bound": asked.bound,
            "direction": "at_most" if metric.goal is not Goal.MAXIMIZE else "at_least",
            "required": required,
            "observed": observed,
            "outcome": outcome,
            "reason": reason,
            "reference": _name(asked, references),
            "reference_value": against.reference_value,
            "margin": margin,
            "difference": against.difference,
            "interval": against.interval,
        })
    return found


def _is_itself(asked: AskedCriterion, entry: Mapping[str, Any]) -> bool:
    if isinstance(asked.reference, DatasetReference):
        return bool(entry["dataset"] == asked.reference.dataset)
    return bool(entry["model"] == asked.reference)


def _name(asked: AskedCriterion, references: References) -> str:
    run = references.of(asked.reference)
    if run is not None:
        return f"run {run.name}"
    if isinstance(asked.reference, DatasetReference):
        return f"dataset {asked.reference.dataset}"
    return f"model {asked.reference}"


def _text(asked: AskedCriterion, references: References) -> str:
    word = {"point": "", "lower": "lower limit of ", "upper": "upper limit of "}[asked.bound]
    average = f"{asked.average} " if asked.average not in (None, "none") else ""
    label = f" of {asked.label}" if asked.label is not None else ""
    run = references.of(asked.reference)
    # an earlier run is another one each week; the criterion stays the same
    name = ("the previous run" if run.previous else "the reference run") if run else _name(
        asked, references
    )
    margin = f" by more than {asked.margin:g}" if asked.margin else ""
    return f"{word}{average}{asked.metric.name}{label} no worse than {name}{margin}"


def _against(
    working: Working, asked: AskedCriterion, measure: Measure, references: References
) -> Against:
    run = references.of(asked.reference)
    if run is not None:
        return _against_run(working, measure, run)
    twin = _twin(working, asked, measure)
    if twin is None:
        return Against(None, reason=f"{_name(asked, references)} does not have it")
    if twin.value is None or measure.value is None:
        return Against(None, reason=f"{_name(asked, references)}: {twin.state}, {twin.reason}")
    difference = exact_difference(measure.as_json(), twin.as_json())
    if asked.bound == "point":
        return Against(difference, twin.value)
    if measure.where.subgroup:
        reason = "differences from a model or dataset have intervals for all rows only"
        return Against(difference, twin.value, None, reason)
    record = _compared(working, asked, measure)
    if record is None:
        return Against(difference, twin.value, None, "the two are not compared")
    return Against(difference, twin.value, record["interval"], record["interval_reason"])


def _against_run(working: Working, measure: Measure, run: ReferenceRun) -> Against:
    then = run.measures.get(series_key(measure.as_json()))
    found = shift_from(working, measure, then, run)
    if found is None or then is None:
        return Against(None, reason=why_none(measure, then, run))
    return Against(found.difference, then["value"], interval_json(found), found.reason)


def _twin(working: Working, asked: AskedCriterion, measure: Measure) -> Measure | None:
    change = {"dataset": asked.reference.dataset} if isinstance(
        asked.reference, DatasetReference
    ) else {"model": asked.reference}
    key = series_key({**measure.as_json(), **change})
    return next((m for m in working.measures if series_key(m.as_json()) == key), None)


def _compared(
    working: Working, asked: AskedCriterion, measure: Measure
) -> Mapping[str, Any] | None:
    """The comparison of this one number with its reference, made as the spec makes them."""
    of_dataset = isinstance(asked.reference, DatasetReference)
    wanted = working.prepared.loaded.spec.comparisons
    request = ComparisonRequest(
        reference=None if of_dataset else str(asked.reference),
        reference_dataset=asked.reference.dataset
        if isinstance(asked.reference, DatasetReference)
        else None,
        tests={} if wanted is None else dict(wanted.tests),
        methods={} if wanted is None else dict(wanted.methods),
    )
    tasks = [task for task in working.prepared.plan.tasks if _same_number(task, measure)]
    planned = plan_comparisons(request, tasks, working.prepared.facts).tasks
    own = [
        one for one in planned
        if (one.task.dataset, one.task.model) == (measure.dataset, measure.model)
    ]
    from evalreport.engine.comparisons.records import compare

    records = compare(
        request, working.tables, working.thresholds, own, working.prepared.settings
    )
    return next((record for record in records if record["fold"] is None), None)


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
        observed = float(against.interval["low" if bound == "lower" else "high"])
    elif metric.goal is Goal.TARGET and against.reference_value is not None:
        observed = loss_of(metric, measure.value, against.reference_value) or 0.0
    else:
        observed = against.difference
    passed = observed >= required if high else observed <= required
    return observed, required, PASS if passed else FAIL, None


def _counted(entry: dict[str, Any], previous: ReferenceRun) -> dict[str, Any]:
    """The outcome with the number of runs in a row, this one included, that did not pass."""
    names = ("text", "dataset", "model", "subgroup", "threshold_asked")
    if entry["outcome"] == PASS:
        return {**entry, "breaches_in_a_row": 0}
    before = next(
        (
            one
            for one in previous.results["acceptance"]
            if all(one.get(name) == entry.get(name) for name in names)
        ),
        None,
    )
    count = 0
    if before is not None and before["outcome"] != PASS:
        count = before.get("breaches_in_a_row", 1)
    return {**entry, "breaches_in_a_row": count + 1}
