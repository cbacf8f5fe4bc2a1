"""A prepared spec to results: every task computed, everything accounted for.

Parts that few specs ask for are loaded where they are asked for.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from evalreport.engine.acceptance import Limits, judge
from evalreport.engine.across_views import cautions_of, comparisons_of
from evalreport.engine.calendar import period_columns
from evalreport.engine.comparisons.against_baselines import (
    differences_of,
    judged_against,
    with_previous,
)
from evalreport.engine.comparisons.baselines import baseline_records, baseline_tables
from evalreport.engine.counting.set_tables import SetTables, tables_of
from evalreport.engine.curves import curve_records
from evalreport.engine.due import Due
from evalreport.engine.evaluation import Evaluation, LabelEvaluator
from evalreport.engine.finite import finite
from evalreport.engine.groups.gaps import heterogeneity_tests, subgroup_gaps
from evalreport.engine.groups.impact_records import impact_records
from evalreport.engine.groups.studied_groups import StudiedGroups, studied_groups
from evalreport.engine.ledgers.characteristics import characteristics
from evalreport.engine.ledgers.labels_and_rows import label_record, row_record
from evalreport.engine.ledgers.sample_size import sample_sizes
from evalreport.engine.measures import Measurer
from evalreport.engine.predicting import further_repeats, training_records
from evalreport.engine.prepared import Prepared, Step, silent
from evalreport.engine.reference.claims import (
    claim_counts,
    claim_criteria,
    claim_records,
    limits_of,
)
from evalreport.engine.reference.criteria import with_references
from evalreport.engine.reference.declared import declared_records
from evalreport.engine.reference.differences import compared_with_run
from evalreport.engine.reference.run import ReferenceRun, References, read_references
from evalreport.engine.repeats import evaluate_repeats
from evalreport.engine.rules import rule_of
from evalreport.engine.run_state import RunState
from evalreport.engine.thresholds import Resolved, solve
from evalreport.engine.verification import not_passed, spoilt
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.plan.everything import nobody
from evalreport.plan.inputs import Facts
from evalreport.plan.task import Plan as Planned
from evalreport.plan.task import ThresholdRequest
from evalreport.plan.unknown import rule_needs_unknown
from evalreport.predict.overlap import Overlap
from evalreport.predict.view import View
from evalreport.results.history import HistoryLine
from evalreport.results.identity import EVERYTHING
from evalreport.results.lookup import Results
from evalreport.results.records import (
    Baseline,
    CountingEngine,
    Criterion,
    Curve,
    Drift,
    Gap,
    Heterogeneity,
    Period,
    Plan,
    PlannedRequests,
    Provenance,
    RocRelation,
    SkippedTask,
    SpecFile,
    Threshold,
    TrainingOverlap,
)
from evalreport.spec.comparisons import DatasetReference
from evalreport.version import __version__

#: Libraries whose versions can change a number.
LIBRARIES = ("numpy", "scipy", "pandas", "duckdb", "scikit-learn")


# Scores near the ends of the range of doubles leave it when they are squared or subtracted:
# what has no number then says so as undefined, and no library needs to warn of it.
@np.errstate(over="ignore", under="ignore", invalid="ignore")
def evaluate(
    prepared: Prepared,
    at: str,
    step: Step = silent,
    advance: Callable[[], None] = lambda: None,
    clock: str = "given",
    before: ReferenceRun | None = None,
    earlier: Sequence[HistoryLine] = (),
    preceding: ReferenceRun | None = None,
) -> Results:
    """The results of a prepared spec.

    ``at`` is the run's clock as text, and ``clock`` whether that was ``given`` or ``read``
    off the computer. ``step`` and ``advance`` report progress. ``before`` is the run whose
    looks this one goes on with, ``earlier`` are those that stand in its series, ``preceding`` is
    the last of these before this one in time.
    """
    references = read_references(prepared.loaded)
    failures = [*(failure for one in prepared.predictions for failure in one.failures)]
    state = RunState(prepared, failures=failures, due=_due(prepared, at, earlier))
    for view in prepared.views:
        tables = tables_of(view)
        if isinstance(tables, SetTables):
            state.set_tables[view.dataset, view.model] = tables
        else:
            state.tables[view.dataset, view.model] = tables
    for view, facts in zip(prepared.views, prepared.facts, strict=True):
        _resolve_thresholds(state, view, facts)
    step("computing measures", len(prepared.plan.tasks))
    for view in prepared.views:
        state.evaluations.extend(_evaluated(state, view, advance))
    for evaluation in state.evaluations:
        evaluation.mark_few(prepared.loaded.spec.subgroup_minimum)
    step("drawing curves", None)
    curves = [
        record
        for view, facts in zip(prepared.views, prepared.facts, strict=True)
        for record in _curves_or_failure(state, view, facts)
    ]
    drift = state.records("drift", lambda: _drift(state, references))
    claims = tuple(state.records("claims", lambda: claim_records(state)))
    readers = state.guarded("readers", lambda: _reader_records(state), dict[str, Any]())
    judged: Sequence[Criterion] = _over_readers(
        state, _judged(state, references, preceding), readers
    )
    looks = None
    if prepared.loaded.spec.looks is not None:
        from evalreport.engine.reference.looks import later_look, with_looks

        state.later_look = later_look(before, prepared.loaded.spec.as_of or at)
        judged, looks = with_looks(state, judged, before)
    state.looks = looks or ()
    acceptance = [
        *judged,
        *claim_criteria(state, claims),
        *_drift_criteria(state, drift),
    ]
    acceptance.sort(key=lambda entry: entry.criterion)
    comparisons = [
        *state.records("comparisons", lambda: comparisons_of(state)),
        *state.records("comparisons", lambda: compared_with_run(state, references)),
    ]
    baselines = _baselines(state)
    state.against = state.records(
        "baselines", lambda: judged_against(state, baselines, differences_of(state, comparisons))
    )
    thresholds = _threshold_records(state)
    roc = state.records("curves", lambda: roc_of(state))
    periods = state.guarded("periods", lambda: _periods(state), None)
    cautions = cautions_of(state, comparisons, acceptance, thresholds, drift, roc, periods or ())
    guarded = {**_guarded_records(state), **readers}
    found = Results(
        **_described(state, at, clock),
        thresholds=tuple(thresholds),
        tables=tuple(t.record() for e in state.evaluations for t in e.tables),
        measures=tuple(state.measures),
        curves=tuple(curves),
        roc_relations=tuple(roc),
        comparisons=tuple(comparisons),
        acceptance=tuple(acceptance),
        claims=claims if prepared.loaded.spec.claims else None,
        claim_counts=tuple(state.records("claims", lambda: claim_counts(state, claims))),
        looks=looks,
        cautions=tuple(cautions),
        periods=periods,
        references=references.records(),
        drift=tuple(drift) if prepared.loaded.spec.drift is not None else None,
        training_overlap=tuple(_overlap(one) for one in prepared.overlaps),
        baselines=tuple(baselines),
        baseline_tables=tuple(
            state.records("baselines", lambda: baseline_tables(prepared.views, prepared.settings))
        ),
        against_baselines=tuple(state.against),
        **guarded,
        failures=(*state.failures, *(f for e in state.evaluations for f in e.failures)),
    )
    return finite(found)


def _due(prepared: Prepared, at: str, earlier: Sequence[HistoryLine]) -> Due | None:
    """The run in its series, where its spec says how often one is due."""
    spec = prepared.loaded.spec
    if spec.cadence is None:
        return None
    judged = {view.dataset for view in prepared.views}
    if spec.drift is not None and isinstance(spec.drift.reference, DatasetReference):
        judged.discard(spec.drift.reference.dataset)
    files = {one.dataset: one.sha256 for one in prepared.inputs if one.sha256 is not None}
    delivered = {name: digest for name, digest in files.items() if name in judged}
    return Due(spec.cadence, spec.as_of or at, delivered, tuple(earlier))


def _described(state: RunState, at: str, clock: str) -> dict[str, Any]:
    """What the numbers are made of: the spec, where from, the plan, labels and rows."""
    prepared = state.prepared
    trained = training_records(prepared.predictions)
    return {
        "title": prepared.loaded.spec.title,
        "spec": prepared.loaded.resolved(),
        "provenance": provenance(prepared, at, clock),
        "plan": plan_record(prepared.plan),
        "labels": tuple(
            label_record(prepared.loaded.spec, view, _numbers(state, view))
            for view in prepared.views
        ),
        "rows": tuple(
            row_record(
                prepared.loaded.spec, view, 1 + len(further_repeats(prepared.predictions, view))
            )
            for view in prepared.views
        ),
        "logo": prepared.logo,
        "learning_curves": trained.learning_curves,
        "histories": trained.histories,
        "tuning": trained.tuning,
    }


def _judged(
    state: RunState, references: References, preceding: ReferenceRun | None
) -> list[Criterion]:
    own = judged(state, partial(limits_of, state))
    tables = [table for evaluation in state.evaluations for table in evaluation.tables]
    return not_passed(with_references(state, own, references, preceding), spoilt(tables))


def judged(state: RunState, limits: Limits) -> list[Criterion]:
    """Criteria with a value of their own; ``limits`` by the methods that some of them name."""
    prepared, spec = state.prepared, state.prepared.loaded.spec
    return judge(
        prepared.criteria,
        state.measures,
        [(view.dataset, view.model) for view in prepared.views],
        {
            key: None if first is None else str(first)
            for key, first in state.first_threshold.items()
        },
        prepared.loaded.spec.subgroup_minimum,
        prepared.positive_classes(),
        [nobody(one, spec) for _, one in spec.criteria if one.required is not None],
        limits,
    )


def _guarded_records(state: RunState) -> dict[str, Any]:
    """Declared values, subgroups and characteristics: each, or its failure."""
    prepared, nothing = state.prepared, dict[str, Any]()
    width = prepared.loaded.spec.confidence.width
    compared = prepared.loaded.spec.comparisons is not None
    return {
        "declared": state.guarded("declared", lambda: declared_records(state), None),
        **state.guarded("subgroups", lambda: _subgroup_records(state), nothing),
        "characteristics": state.guarded(
            "characteristics", lambda: characteristics(prepared), None
        ),
        **(_beside_comparisons(state) if compared else nothing),
        "sample_size": tuple(
            state.records("sample size", lambda: sample_sizes(state.measures, width))
        ),
    }


def _beside_comparisons(state: RunState) -> dict[str, Any]:
    """Tests of all models together, how rows move between classes of two, and both scores."""
    from evalreport.engine.comparisons.omnibus import omnibus_records
    from evalreport.engine.comparisons.reclassification import reclassification_records
    from evalreport.engine.comparisons.score_pairs import score_pairs

    return {
        "omnibus": tuple(state.records("comparisons", lambda: omnibus_records(state))),
        "reclassification": tuple(
            state.records("comparisons", lambda: reclassification_records(state))
        ),
        "score_pairs": tuple(state.records("comparisons", lambda: score_pairs(state))),
    }


def _drift(state: RunState, references: References) -> list[Drift]:
    """How far data have moved, where the spec asks for it."""
    if state.prepared.loaded.spec.drift is None:
        return []
    from evalreport.engine.reference.drift import drift_records

    return drift_records(state, references)


def _drift_criteria(state: RunState, drift: Sequence[Drift]) -> list[Criterion]:
    """What drift was judged by."""
    if state.prepared.loaded.spec.drift is None:
        return []
    from evalreport.engine.reference.drift import drift_criteria

    return drift_criteria(state, drift)


def _periods(state: RunState) -> tuple[Period, ...] | None:
    """Every measure over time; None without periods."""
    if not period_columns(state.prepared.loaded.spec):
        return None
    from evalreport.engine.periods.changes import period_records

    return period_records(state)


def _baselines(state: RunState) -> list[Baseline]:
    """What trivial predictions reach, and the previous model where the spec names one."""
    trivial = state.records("baselines", lambda: trivial_baselines(state))
    return state.records("baselines", lambda: with_previous(state, trivial))


def trivial_baselines(state: RunState) -> list[Baseline]:
    """What predictions reach that know nothing of a row."""
    own = state.prepared
    return baseline_records(own.views, own.requests.metrics, own.settings, own.unordered)


def _overlap(one: Overlap) -> TrainingOverlap:
    """Rows shared with a dataset learned from; none shared counts too."""
    return TrainingOverlap(
        dataset=one.dataset,
        other=one.other,
        use=one.use,
        models=one.models,
        by=one.by,
        columns=one.columns,
        rows=one.rows,
        of=one.of,
        reason=one.reason,
    )


def _reader_records(state: RunState) -> dict[str, Any]:
    """What readers of the same cases give, where a dataset has readers."""
    if all(one.reading is None for one in state.prepared.loaded.spec.datasets.values()):
        return {}
    from evalreport.engine.readers.agreement import agreement_records
    from evalreport.engine.readers.means import difference_records, mean_records
    from evalreport.engine.readers.placing import studies

    found, level = studies(state), state.prepared.settings.level
    means = mean_records(found, level)
    return {
        "readers": tuple(means),
        "reader_differences": tuple(difference_records(state, found, means, level)),
        "reader_agreement": tuple(one for s in found for one in agreement_records(s, level)),
    }


def _over_readers(
    state: RunState, judged: list[Criterion], readers: dict[str, Any]
) -> list[Criterion]:
    """Criteria by the mean over readers where there is one; looks go on with pooled readings."""
    if not readers.get("readers") or state.prepared.loaded.spec.looks is not None:
        return judged
    from evalreport.engine.readers.means import over_readers

    means, differences = readers["readers"], readers["reader_differences"]
    return over_readers(judged, state.measures, means, differences)


def _subgroup_records(state: RunState) -> dict[str, Any]:
    """Gaps between subgroups, tests of their differences, and impact ratios."""
    if not state.prepared.loaded.spec.subgroups:
        return {}
    studied = studied_in(state)
    return {
        "subgroup_gaps": tuple(gap_records(state, studied)),
        "heterogeneity": tuple(heterogeneity_records(state, studied)),
        "impact": tuple(impact_records(state)),
    }


def studied_in(state: RunState) -> StudiedGroups:
    """What the coverage study drew like the subgroups of a run."""
    tables = [table.record() for one in state.evaluations for table in one.tables]
    own = state.prepared
    return studied_groups(state.measures, tables, own.requests.methods, own.dependent)


def gap_records(state: RunState, studied: StudiedGroups) -> list[Gap]:
    """Every subgroup beside all rows and the largest one, where the spec asks for subgroups."""
    own, spec = state.prepared, state.prepared.loaded.spec
    return subgroup_gaps(
        state.measures if spec.subgroups else (),
        own.settings.level,
        minimum=spec.subgroup_minimum,
        studied=studied,
        dependent=own.dependent,
    )


def heterogeneity_records(state: RunState, studied: StudiedGroups) -> list[Heterogeneity]:
    """Whether subgroups differ at all, where the spec asks for them."""
    own, spec = state.prepared, state.prepared.loaded.spec
    return heterogeneity_tests(
        state.measures if spec.subgroups else (),
        own.settings.level,
        widest=spec.largest_gap,
        studied=studied,
        dependent=own.dependent,
    )


def _evaluated(state: RunState, view: View, advance: Callable[[], None]) -> tuple[Evaluation, ...]:
    key = (view.dataset, view.model)
    if key in state.set_tables:
        return (_evaluated_sets(state, state.set_tables[key], advance),)
    tables = state.tables[key]
    measurer = Measurer(tables.view, tables, state.prepared.settings, state.thresholds[key])
    return evaluate_repeats(
        LabelEvaluator(measurer, state.numbering, state.first_threshold[key]),
        further_repeats(state.prepared.predictions, tables.view),
        state.prepared.plan,
        advance,
        state.prepared.requests.one_versus_rest,
    )


def _evaluated_sets(state: RunState, tables: SetTables, advance: Callable[[], None]) -> Evaluation:
    from evalreport.engine.label_sets.evaluation import SetMeasurer, evaluate_sets

    key, prepared = (tables.view.dataset, tables.view.model), state.prepared
    hierarchy = prepared.loaded.spec.hierarchy
    measurer = SetMeasurer(tables, prepared.settings, state.thresholds[key], hierarchy)
    state.set_measurers[key] = measurer
    first = state.first_threshold[key]
    return evaluate_sets(prepared.plan, measurer, state.numbering, first, advance)


def _resolve_thresholds(state: RunState, view: View, facts: Facts) -> None:
    key = (view.dataset, view.model)
    requests = thresholds_of(state.prepared.requests, facts)
    state.first_threshold[key] = requests[0]
    state.thresholds[key] = {
        request: resolved(state, view, request) for request in requests if request is not None
    }


def resolved(state: RunState, view: View, request: ThresholdRequest) -> Resolved:
    """A threshold as declared, or by its rule on the scores of its dataset."""
    if request.number is not None:
        return Resolved(request.number, exploratory=request.status == "exploratory")
    dataset = request.on or view.dataset
    tables = state.tables.get((dataset, view.model))
    if tables is None or not tables.view.has_score:
        return Resolved(None, f"{view.model} has no scores in {dataset} to choose a threshold on")
    reason = rule_needs_unknown(request.rule, (*tables.view.unknown, *view.unknown))
    if reason is not None:
        return Resolved(None, reason)
    # a threshold chosen on the rows it is judged on is exploratory whatever it is called
    exploratory = dataset == view.dataset or request.status == "exploratory"
    settings = state.prepared.settings
    costs = settings.two_class_costs(view.labels, view.positive_index) if settings.costs else {}
    return state.guarded(
        "thresholds",
        lambda: solve(rule_of(request.rule), tables.scores(EVERYTHING), costs, exploratory),
        Resolved(None, f"looking for {request.text} failed"),
        dataset=view.dataset,
        model=view.model,
    )


def _numbers(state: RunState, view: View) -> list[float]:
    resolved = state.thresholds[view.dataset, view.model].values()
    return list(dict.fromkeys(r.number for r in resolved if r.number is not None))


def _curves_or_failure(state: RunState, view: View, facts: Facts) -> list[Curve]:
    return state.records(
        "curves",
        lambda: _curves(state, view, facts),
        dataset=view.dataset,
        model=view.model,
    )


def _curves(state: RunState, view: View, facts: Facts) -> list[Curve]:
    key = (view.dataset, view.model)
    numbers, level = _numbers(state, view), state.prepared.settings.level
    if key in state.set_tables:
        from evalreport.engine.label_sets.evaluation import set_curves

        of_sets = state.set_tables[key]
        return set_curves(of_sets, state.numbering.curve, numbers, facts.probabilities, level)
    return curve_records(
        state.tables[key], state.numbering.curve, numbers, facts.probabilities, level
    )


def roc_of(state: RunState) -> list[RocRelation]:
    """How the ROC curves of every two models lie."""
    from evalreport.engine.comparisons.roc import roc_relations

    def scores(view: View) -> ScoreTable:
        return state.tables[view.dataset, view.model].scores(EVERYTHING)

    return roc_relations(state.prepared.views, scores)


def _threshold_records(state: RunState) -> list[Threshold]:
    return [
        threshold_record(*key, request, own)
        for key, found in state.thresholds.items()
        for request, own in found.items()
    ]


def threshold_record(
    dataset: str, model: str, request: ThresholdRequest, found: Resolved
) -> Threshold:
    """The record of a threshold as it was found."""
    return Threshold(
        dataset=dataset,
        model=model,
        threshold=found.number,
        rule=request.text,
        status="exploratory" if found.exploratory else "declared",
        reason=found.reason,
    )


def plan_record(plan: Planned) -> Plan:
    """What the results tell of a plan: its hash, how much is done, what is left out and why."""
    skipped: dict[SkippedTask, None] = {}
    for one in plan.skipped:
        own = one.record
        skipped[SkippedTask(own.dataset, own.model, own.metric, one.reason)] = None
    for request in plan.left_out:
        told = f"{request.part.replace('_', ' ')}: {request.what}"
        skipped[SkippedTask(request.dataset, request.model, told, request.reason or "")] = None
    counts = Counter(request.part for request in plan.planned)
    counts["comparison"] += len(plan.comparisons)
    counts = +counts
    return Plan(
        sha256=plan.sha256,
        tasks=len(plan.tasks),
        skipped=tuple(skipped),
        planned=tuple(PlannedRequests(part, count) for part, count in counts.items()),
        notes=tuple(plan.notes),
    )


def provenance(prepared: Prepared, at: str, clock: str = "given") -> Provenance:
    """Where the numbers come from: spec, inputs, plan, versions, seed, clock. No host, no user."""
    loaded = prepared.loaded
    return Provenance(
        version=__version__,
        at=at,
        clock=clock,
        spec=SpecFile(
            name=loaded.name,
            sha256=loaded.sha256,
            text=loaded.text,
            overrides=loaded.overrides_shown,
        ),
        inputs=prepared.inputs,
        plan_sha256=prepared.plan.sha256,
        versions=versions(),
        seed=prepared.settings.seed,
        engine=CountingEngine(prepared.engine, prepared.engine_reason, prepared.asked_engine),
        models=prepared.identities,
        protocol=prepared.protocol,
    )


def versions() -> Mapping[str, str]:
    """Versions of Python and of the libraries behind the numbers."""
    return {"python": platform.python_version(), **_library_versions()}


@cache
def _library_versions() -> Mapping[str, str]:
    """Read once in a process: the metadata of each library is a file that is parsed."""
    found = {}
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
