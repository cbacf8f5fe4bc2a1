"""Whole parts of results made again from other parts, by the engine that made them.

Gaps between subgroups follow from measures, criteria from measures and the spec, curves from
the scores of all rows, and so on: each part is made again from what the results hold, as far
as it does not need the rows, and held record by record against the one that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from evalreport.engine.acceptance import Criterion, judge
from evalreport.engine.across_views import cautions_of
from evalreport.engine.cautions.catalogue import catalogue
from evalreport.engine.comparisons.against_baselines import (
    PREVIOUS,
    against_baselines,
    with_previous,
)
from evalreport.engine.comparisons.baselines import baseline_records, baseline_tables
from evalreport.engine.comparisons.roc import roc_relations
from evalreport.engine.curves import curve_records
from evalreport.engine.evaluation import Evaluation
from evalreport.engine.groups.gaps import heterogeneity_tests, subgroup_gaps
from evalreport.engine.groups.studied_groups import StudiedGroups, studied_groups
from evalreport.engine.intervals.missing_rows import Missing
from evalreport.engine.ledgers.sample_size import sample_sizes
from evalreport.engine.periods.changes import period_records
from evalreport.engine.prepared import Prepared
from evalreport.engine.printed_table import PrintedTable
from evalreport.engine.read_and_plan import criteria_of
from evalreport.engine.readers.means import over_readers
from evalreport.engine.reference.claims import claim_criteria
from evalreport.engine.reference.declared import declared_records
from evalreport.engine.reference.drift import drift_criteria
from evalreport.engine.rules import rule_of
from evalreport.engine.run import plan_record
from evalreport.engine.run_state import RunState
from evalreport.engine.thresholds import Resolved, solve
from evalreport.engine.verification import not_passed, spoilt
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.plan.everything import nobody
from evalreport.plan.task import Plan, ThresholdRequest
from evalreport.plan.unknown import rule_needs_unknown
from evalreport.predict.overlap import Overlap
from evalreport.record.measured_again import NO_SPEC, RecordedModel, same
from evalreport.record.planned import is_settled, plan_again
from evalreport.record.recorded_spec import RecordedSpec, written_spec
from evalreport.record.recorded_tables import STEPS, NotRecorded
from evalreport.results import records as r
from evalreport.results.identity import EVERYTHING
from evalreport.results.lookup import Results
from evalreport.spec.load import LoadedSpec

R = TypeVar("R")


Placed = TypeVar("Placed", r.Measure, r.Table)


def in_asked_order(results: Results, crossings: Sequence[tuple[str, ...]]) -> Results:
    """The results with the columns of each subgroup in the order in which the spec crosses them.

    Results are written with the keys in the order of their names.
    """
    order = {frozenset(one): one for one in crossings if list(one) != sorted(one)}
    if not order:
        return results

    def placed(record: Placed) -> Placed:
        columns = order.get(frozenset(record.subgroup))
        if columns is None:
            return record
        return replace(record, subgroup={column: record.subgroup[column] for column in columns})

    return replace(
        results,
        measures=tuple(map(placed, results.measures)),
        tables=tuple(map(placed, results.tables)),
    )


@dataclass(frozen=True, eq=False)
class Remaker:
    """The results of a run as its engine works on them, without rows."""

    results: Results
    asked: RecordedSpec | None
    model_of: Callable[[str, str], RecordedModel]

    def part(self, kind: type[R]) -> Sequence[R | None]:
        """Every record of a kind again; None in place of one that needs the rows.

        Raises NotRecorded where the part as a whole does.
        """
        return tuple(REMADE[kind](self))

    @cached_property
    def spec(self) -> RecordedSpec:
        """The spec of the results. Raises NotRecorded."""
        if self.asked is None:
            raise NotRecorded(NO_SPEC)
        return self.asked

    @cached_property
    def written(self) -> LoadedSpec | None:
        """The spec in the order of its text; None where that cannot be read by itself."""
        return written_spec(self.results)

    @cached_property
    def plan(self) -> Plan:
        """The plan of the run, made from the spec again. Raises NotRecorded."""
        if self.written is None:
            raise NotRecorded(NO_SPEC)
        return plan_again(self.written.spec, self.models)

    @cached_property
    def models(self) -> tuple[RecordedModel, ...]:
        """Every dataset and model in the order of the run. Raises NotRecorded."""
        return tuple(self.model_of(one.dataset, one.model) for one in self.results.labels)

    @cached_property
    def state(self) -> RunState:
        """What the parts of a run share, as far as the results hold it. Raises NotRecorded."""
        asked, models = self.spec, self.models
        prepared = Prepared(
            loaded=asked.loaded,
            inputs=(),
            views=tuple(one.view for one in models),
            facts=tuple(one.facts for one in models),
            requests=asked.requests,
            settings=asked.settings,
            plan=Plan((), ()),
            criteria=criteria_of(asked.loaded),
            overlaps=tuple(map(_overlap, self.results.training_overlap)),
        )
        state = RunState(prepared)
        for one in models:
            key = (one.view.dataset, one.view.model)
            state.tables[key] = one.tables
            state.thresholds[key] = self._thresholds(one)
            state.first_threshold[key] = thresholds_of(asked.requests, one.facts)[0]
            measures = [m for m in self.results.measures if (m.dataset, m.model) == key]
            tables = [printed(t, one) for t in self.results.tables if (t.dataset, t.model) == key]
            state.evaluations.append(Evaluation(one.view, measures, tables))
        return state

    def _thresholds(self, model: RecordedModel) -> dict[ThresholdRequest, Resolved]:
        """The thresholds as the results say that they were found, by what the spec asks for."""
        stated = {(request.text or request.number): own for request, own in model.resolved.items()}
        requests = [
            one for one in thresholds_of(self.spec.requests, model.facts) if one is not None
        ]
        if any((one.text or one.number) not in stated for one in requests):
            raise NotRecorded("the thresholds are not those that the spec asks for")
        return {one: stated[one.text or one.number] for one in requests}


def _overlap(one: r.TrainingOverlap) -> Overlap:
    """What datasets share, as it was found by comparing their rows."""
    return Overlap(**{own.name: getattr(one, own.name) for own in fields(one)})


def printed(table: r.Table, model: RecordedModel) -> PrintedTable:
    """A table of the results as the engine prints it."""
    missing = table.missing
    lacking = None
    if missing is not None:
        parts = (missing.without_prediction, missing.without_target, missing.without_both)
        lacking = Missing(*parts)
    return PrintedTable(
        id=table.id,
        dataset=table.dataset,
        model=table.model,
        where=table.where,
        threshold=table.threshold,
        threshold_rule=table.threshold_rule,
        table=model.tables.as_counted(table),
        label=table.label,
        missing=lacking,
    )


# -- the parts ----------------------------------------------------------------------------------


def _plan(again: Remaker) -> Iterator[r.Plan | None]:
    """What is told of the plan, its hash among it; how rows were counted is not of the plan."""
    own = again.results.plan
    if not is_settled(again.plan, again.results):
        yield None
        return
    yield replace(plan_record(again.plan), counted=() if own is None else own.counted)


def _gaps(again: Remaker) -> Iterable[r.Gap]:
    spec = again.spec.loaded.spec
    if not spec.subgroups:
        return ()
    level = again.spec.settings.level
    return subgroup_gaps(
        again.results.measures,
        level,
        minimum=spec.subgroup_minimum,
        studied=_studied_groups(again),
    )


def _heterogeneity(again: Remaker) -> Iterable[r.Heterogeneity]:
    if not again.spec.loaded.spec.subgroups:
        return ()
    widest = again.spec.loaded.spec.largest_gap
    level = again.spec.settings.level
    measures, studied = again.results.measures, _studied_groups(again)
    return heterogeneity_tests(measures, level, widest=widest, studied=studied)


def _studied_groups(again: Remaker) -> StudiedGroups:
    found = again.results
    return studied_groups(found.measures, found.tables, again.spec.requests.methods)


def _widths(again: Remaker) -> Iterable[r.SampleSize]:
    return sample_sizes(again.results.measures, again.spec.loaded.spec.confidence.width)


def _periods(again: Remaker) -> Iterable[r.Period]:
    """Periods with their charts; what moved with a change is told by its own check."""
    told, made = again.results.periods or (), period_records(again.state, moved=False) or ()
    if len(told) != len(made):
        return made
    return tuple(_with_moved(one, other) for one, other in zip(made, told, strict=True))


def _with_moved(made: r.Period, told: r.Period) -> r.Period:
    if made.change is None or told.change is None:
        return made
    return replace(made, change=replace(made.change, moved=told.change.moved))


def _declared(again: Remaker) -> Iterable[r.Declared]:
    return declared_records(again.state) or ()


def _criteria(again: Remaker) -> Iterator[r.Criterion | None]:
    """Criteria with a value of their own; those against a reference are left out."""
    state, spec = again.state, again.spec.loaded.spec
    valued = [number for number, one in spec.criteria if one.required is not None]
    judged = judge(
        state.prepared.criteria,
        state.measures,
        [(view.dataset, view.model) for view in state.prepared.views],
        {
            key: None if first is None else str(first)
            for key, first in state.first_threshold.items()
        },
        spec.subgroup_minimum,
        state.prepared.positive_classes(),
        [nobody(one, spec) for _, one in spec.criteria if one.required is not None],
        partial(_told_limits, again.results.acceptance),
    )
    tables = [table for evaluation in state.evaluations for table in evaluation.tables]
    # looks go on with pooled readings
    means = again.results.of(r.ReaderMean) if spec.looks is None else ()
    made = [
        *(
            replace(one, criterion=valued[one.criterion - 1])
            for one in over_readers(not_passed(judged, spoilt(tables)), state.measures, means, ())
        ),
        *claim_criteria(state, again.results.of(r.Claim)),
        *drift_criteria(state, again.results.of(r.Drift)),
    ]
    made.sort(key=lambda one: one.criterion)
    waiting = iter(made)
    for one in again.results.acceptance:
        # those against a reference stand between the others, each with the difference beside it
        if one.reference is not None:
            yield None
            continue
        made_again = next(waiting, None)
        # what a criterion says at a look follows from all looks, which are checked by themselves
        yield None if one.look is not None else _counted(made_again, one)
    yield from waiting


def _told_limits(
    told: Sequence[r.Criterion], criterion: Criterion, measure: r.Measure
) -> r.Interval | str:
    """The limits that a criterion says by its own method; its check makes them again."""
    own = next((e for e in told if (e.text, e.measure) == (criterion.text(), measure.id)), None)
    if own is None:
        return "there is no such criterion"
    return own.limits or (own.reason or "").removeprefix("the measure has no interval: ")


def _counted(made: r.Criterion | None, one: r.Criterion) -> r.Criterion | None:
    """With the runs in a row that did not pass, which the history tells."""
    return None if made is None else replace(made, breaches_in_a_row=one.breaches_in_a_row)


def _thresholds(again: Remaker) -> Iterator[r.Threshold | None]:
    """Thresholds as declared, and rules solved on the scores of the results."""
    for model in again.models:
        for request in thresholds_of(again.spec.requests, model.facts):
            if request is not None:
                yield _threshold(again, model, request)


def _threshold(
    again: Remaker, model: RecordedModel, request: ThresholdRequest
) -> r.Threshold | None:
    view = model.view
    made = r.Threshold(
        dataset=view.dataset, model=view.model, threshold=request.number, rule=request.text,
        status="exploratory" if request.status == "exploratory" else "declared",
    )  # fmt: skip
    if request.number is not None:
        return made
    on = request.on or view.dataset
    settings = again.spec.settings
    costs = settings.two_class_costs(view.labels, view.positive_index) if settings.costs else {}
    try:
        tables = again.model_of(on, view.model).tables
        unknown = rule_needs_unknown(request.rule, (*tables.view.unknown, *view.unknown))
        if unknown is not None:
            return replace(made, threshold=None, status="declared", reason=unknown)
        scores = tables.scores(EVERYTHING)
    except NotRecorded:
        return None
    exploratory = on == view.dataset or request.status == "exploratory"
    found = solve(rule_of(request.rule), scores, costs, exploratory)
    status = "exploratory" if found.exploratory else "declared"
    return replace(made, threshold=found.number, status=status, reason=found.reason)


def _curves(again: Remaker) -> Iterator[r.Curve | None]:
    """Every curve from the scores of the precision-recall curve of the same rows and class."""
    made: dict[tuple[str, str, str | None, str], r.Curve] = {}
    for model in again.results.labels:
        made |= _curves_of(again, model.dataset, model.model)
    for one in again.results.curves:
        found = made.get((one.dataset, one.model, one.label, one.kind))
        yield None if found is None or one.subgroup else replace(found, id=one.id)
    there = {(one.dataset, one.model, one.label, one.kind) for one in again.results.curves}
    failed = {(f.dataset, f.model) for f in again.results.failures if f.section == "curves"}
    for key, found in made.items():
        if key not in there and key[:2] not in failed:
            yield found


def _curves_of(
    again: Remaker, dataset: str, name: str
) -> dict[tuple[str, str, str | None, str], r.Curve]:
    try:
        model = again.model_of(dataset, name)
        numbers = [own.number for own in model.resolved.values() if own.number is not None]
        at = list(dict.fromkeys(numbers))
        level = again.spec.settings.level
        made = curve_records(model.tables, lambda: "", at, model.probabilities, level)
    except NotRecorded:
        return {}
    return {(one.dataset, one.model, one.label, one.kind): one for one in made}


def _roc(again: Remaker) -> Iterable[r.RocRelation]:
    views = [model.view for model in again.models]
    tables = again.state.tables
    return roc_relations(views, lambda view: tables[view.dataset, view.model].scores(EVERYTHING))


def _baselines(again: Remaker) -> Iterable[r.Baseline]:
    prepared = again.state.prepared
    found = baseline_records(
        prepared.views, prepared.requests.metrics, prepared.settings, prepared.unordered
    )
    return with_previous(again.state, found)


def _baseline_tables(again: Remaker) -> Iterable[r.BaselineTable]:
    prepared = again.state.prepared
    return baseline_tables(prepared.views, prepared.settings)


def _against(again: Remaker) -> Iterator[r.AgainstBaseline | None]:
    """Models beside baselines; a previous model that nothing else compares needs the rows."""
    spec, results = again.spec.loaded.spec, again.results
    asked = spec.comparisons
    compared = asked is not None and asked.reference == spec.baselines.previous
    for one in against_baselines(again.state, results.baselines, results.comparisons):
        yield None if one.baseline == PREVIOUS and not compared else one


def _cautions(again: Remaker) -> Iterator[r.Caution | None]:
    """Every caution that follows from what the results hold, in the order of its code."""
    results, state = again.results, again.state
    state.against = list(results.against_baselines)
    failed: list[r.Failure] = []
    made = cautions_of(
        replace(state, failures=failed),
        list(results.comparisons),
        list(results.acceptance),
        list(results.thresholds),
        list(results.of(r.Drift)),
        list(results.roc_relations),
    )
    absent = {one.section.removeprefix("caution ") for one in failed}
    # what one that cannot be made again would leave out is not known either
    absent |= {one.code for one in catalogue() if not absent.isdisjoint(one.unless)}
    by_code: dict[str, Iterator[r.Caution]] = {}
    for code in {one.code for one in made} | {one.code for one in results.cautions}:
        by_code[code] = iter([one for one in made if one.code == code])
    for one in results.cautions:
        # one more than follows from here has its cause elsewhere: in rows, files, training
        yield None if one.code in absent else next(by_code[one.code], None)
    for code, rest in by_code.items():
        yield from () if code in absent else rest


#: How each kind of record that follows from others is made again.
REMADE: Mapping[type, Callable[[Remaker], Iterable[Any]]] = {
    r.Plan: _plan,
    r.Gap: _gaps,
    r.Heterogeneity: _heterogeneity,
    r.SampleSize: _widths,
    r.Period: _periods,
    r.Declared: _declared,
    r.Criterion: _criteria,
    r.Threshold: _thresholds,
    r.Curve: _curves,
    r.RocRelation: _roc,
    r.Baseline: _baselines,
    r.BaselineTable: _baseline_tables,
    r.AgainstBaseline: _against,
    r.Caution: _cautions,
}


OF_ROWS = "it is counted from rows; other numbers are held against it"


def ground_of(record: Any) -> frozenset[str]:
    """Numbers that others are made from, and so are not held by being made again."""
    steps = isinstance(record, r.Curve) and record.kind == STEPS
    return frozenset(["points.threshold", "points.tp", "points.fp"]) if steps else frozenset()


def unlike(record: Any, made: Any) -> Iterator[str]:
    """What a record says otherwise than the one that was made again."""
    for one in fields(record):
        own, other = getattr(record, one.name), getattr(made, one.name)
        if not same(own, other):
            yield f"{one.name} is {_shown(own)}, the other records give {_shown(other)}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."
