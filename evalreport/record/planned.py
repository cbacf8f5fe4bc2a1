"""The plan again from the spec and the facts in the results; the measures held against it.

A plan is a pure function of what was asked for and of facts about the data, and most of these
facts stand in the results: labels, groups, folds, the range of the scores. Where they do, the
plan is made again, with its hash; and every task of it has to be a measure or a failure, in the
order of the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from evalreport.data.design import group_names
from evalreport.data.labels import order_labels
from evalreport.engine.measures import shown_params
from evalreport.plan.build import build_plan
from evalreport.plan.criteria import criteria_words
from evalreport.plan.everything import CURVED_CLASSES, with_everything
from evalreport.plan.from_spec import metric_named, requests_of
from evalreport.plan.inputs import Facts
from evalreport.plan.task import Plan, Task
from evalreport.record.measured_again import RecordedModel
from evalreport.record.recorded_tables import NotRecorded
from evalreport.results.identity import MEAN_OF_FOLDS, WhichNumber, frozen_params, frozen_subgroup
from evalreport.results.lookup import Results
from evalreport.results.records import Measure
from evalreport.spec.model import Spec
from evalreport.spec.models import HistoryModel

#: The engine whose plans have no facts of their own; those of others are held where they agree.
MEMORY = "memory"


def plan_again(written: Spec, models: Sequence[RecordedModel]) -> Plan:
    """The plan of a spec for what the results tell of its data.

    Raises NotRecorded where a plan needs what is not in the results.
    """
    facts, requests = [_facts(one) for one in models], requests_of(written)
    everything = with_everything(build_plan(requests, facts), written, requests, facts)
    return replace(everything, criteria=criteria_words(written))


def _facts(model: RecordedModel) -> Facts:
    """What the planner knew of a dataset and model. Raises NotRecorded."""
    results, facts = model.results, model.facts
    own = [c for c in results.curves if (c.dataset, c.model) == (facts.dataset, facts.model)]
    if facts.source != "prediction" and (facts.low is None or any(c.bins for c in own)):
        raise NotRecorded("the range of the scores is not in the results")
    if facts.source == "prediction" and len(facts.labels) > CURVED_CLASSES:
        raise NotRecorded("there are no curves that tell whether there were scores")
    if facts.designed:
        raise NotRecorded("what kind of sample was drawn is not in the results")
    groups = {
        columns: in_order(columns, values, asked_bins(model))
        for columns, values in (facts.groups or {}).items()
    }
    # All that a plan takes from the sizes of training sets is whether they are known. Folds of
    # one row each have no measures, and so no names here.
    sizes = dict.fromkeys(facts.folds or ("",), (0, 0)) if model.crossed else None
    everywhere = {columns: groups.get(columns, ()) for columns in model.asked.requests.subgroups}
    return replace(facts, groups=everywhere, fold_sizes=sizes)


def is_settled(plan: Plan, results: Results) -> bool:
    """Whether a plan that was made again is the one to hold results against.

    Where rows are counted where they lie, a plan may have facts that are not in the results.
    """
    engine = results.provenance.engine
    return plan.sha256 == results.provenance.plan_sha256 or (
        engine is not None and engine.name == MEMORY
    )


def asked_bins(model: RecordedModel) -> frozenset[str]:
    """The columns of numbers that the spec puts into intervals."""
    return frozenset(model.asked.loaded.spec.bins)


def in_order(
    columns: Sequence[str], values: Sequence[tuple[str, ...]], binned: frozenset[str]
) -> tuple[tuple[str, ...], ...]:
    """Groups by the names of their values: as numbers where all are, those without any last.

    Intervals go by where they begin, which the order of their names does not tell; they are
    left as they stand.
    """
    if binned & set(columns):
        return tuple(values)
    # text that reads like the name for no value is a value like any other
    for order in (order_labels, group_names):
        places = [
            {name: place for place, name in enumerate(order({one[number] for one in values}))}
            for number in range(len(columns))
        ]
        found = tuple(sorted(values, key=partial(_place, places)))
        if found == tuple(values):
            break
    return found


def _place(places: Sequence[Mapping[str, int]], values: Sequence[str]) -> list[int]:
    return [place[value] for place, value in zip(places, values, strict=True)]


# -- the measures against the plan --------------------------------------------------------------


def measure_problems(results: Results, plan: Plan) -> Iterator[str]:
    """Tasks without a measure or a failure, measures without a task, and those out of order."""
    for rows in results.rows:
        own = (rows.dataset, rows.model)
        # further repeats have records of their own, by the tasks of the first
        whole = rows.repeats is not None
        wanted = [_key(t) for t in _tasks(results, plan, own) if not (whole and t.where.fold)]
        there = [
            _key_of(m)
            for m in results.measures
            if (m.dataset, m.model) == own and not (whole and m.fold)
        ]
        if wanted != there:
            yield from _apart(wanted, there, own)


def _tasks(results: Results, plan: Plan, own: tuple[str, str]) -> Iterator[Task]:
    """What has a measure: tasks that did not fail, then what is recorded as not applicable."""
    failed = {(f.dataset, f.model, f.section) for f in results.failures}
    for task in plan.tasks:
        if (task.dataset, task.model) == own and (*own, failure_of(task)) not in failed:
            yield task
    for one in plan.skipped:
        task = one.record
        if (task.dataset, task.model) == own and one.recorded and task.where.fold != MEAN_OF_FOLDS:
            yield task


def failure_of(task: Task) -> str:
    """How a failure calls the task that failed."""
    return f"{task.name()} ({task.where})"


def _key(task: Task) -> WhichNumber:
    at = task.threshold
    return WhichNumber(
        task.dataset,
        task.model,
        task.metric,
        frozen_params(shown_params(metric_named(task.metric), task)),
        task.average,
        task.label,
        frozen_subgroup(dict(task.where.subgroup)),
        task.where.fold,
        None if at is None or at.text is not None else at.number,
        None if at is None else at.text,
        task.indeterminate,
    )


def _key_of(measure: Measure) -> WhichNumber:
    return measure.which.series


def _apart(
    wanted: list[WhichNumber], there: list[WhichNumber], own: tuple[str, str]
) -> Iterator[str]:
    """What the measures of a dataset and model are otherwise than planned."""
    asked, found = set(wanted), set(there)
    for one in dict.fromkeys(wanted):
        if one not in found:
            yield f"{_named(one)} was planned, and is neither measured nor recorded as failed"
    for one in dict.fromkeys(there):
        if one not in asked:
            yield f"{_named(one)} was not planned"
    if asked == found:
        yield f"the measures of {', '.join(own)} are not in the order of the plan"


def _named(one: WhichNumber) -> str:
    where = ", ".join(f"{column} {value}" for column, value in one.subgroup) or one.fold or ""
    told = f"{one.metric} of {one.dataset}, {one.model}"
    return f"{told} ({where})" if where else told


def place_of_measures(results: Results) -> Iterator[str]:
    """Measures whose table is of other rows or another threshold."""
    for one in results.measures:
        if one.table is None or not results.has_table(one.table):
            continue
        table = results.table(one.table)
        pairs = [(table.where, one.where), (table.dataset, one.dataset), (table.model, one.model)]
        if one.threshold is not None:
            pairs.append((table.threshold, one.threshold))
        if any(own != other for own, other in pairs):
            yield f"{one.id} is of other rows or another threshold than its table {table.id}"


# -- datasets and models ------------------------------------------------------------------------


def place_problems(results: Results, spec: Spec) -> Iterator[str]:
    """Datasets and models in another order than the spec names them, too few or too many."""
    wanted = [
        (dataset, name)
        for dataset in spec.datasets
        for name, model in spec.models.items()
        if dataset in spec.datasets_of(name) and not isinstance(model, HistoryModel)
    ]
    for part, records in (("labels", results.labels), ("rows", results.rows)):
        there = [(one.dataset, one.model) for one in records]
        if there != wanted:
            yield f"{part}: they are of {_pairs(there)}, the spec names {_pairs(wanted)}"


def _pairs(found: Iterable[tuple[str, str]]) -> str:
    return "; ".join(", ".join(pair) for pair in found)
