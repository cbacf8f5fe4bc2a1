"""A prepared spec to results: every task computed, everything accounted for."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from evalreport.engine.acceptance import judge
from evalreport.engine.comparisons.against_baselines import against_baselines, with_previous
from evalreport.engine.comparisons.baselines import baseline_records
from evalreport.engine.comparisons.reclassification import reclassification_records
from evalreport.engine.counting.set_tables import SetTables
from evalreport.engine.counting.tables_of import tables_of
from evalreport.engine.curves import curve_records
from evalreport.engine.evaluation import Evaluation, Evaluator
from evalreport.engine.further import cautions_of, comparisons_of
from evalreport.engine.groups.gaps import heterogeneity_tests, subgroup_gaps
from evalreport.engine.groups.impact_records import impact_records
from evalreport.engine.label_sets.evaluation import evaluate_sets, set_curves
from evalreport.engine.ledgers.characteristics import characteristics
from evalreport.engine.ledgers.labels_and_rows import label_record, row_record
from evalreport.engine.ledgers.sample_size import sample_sizes
from evalreport.engine.measures import Measurer
from evalreport.engine.periods.changes import period_records
from evalreport.engine.predicting import further_repeats, training_records
from evalreport.engine.prepared import InputData, Prepared, Step, silent
from evalreport.engine.reference.criteria import with_references
from evalreport.engine.reference.declared import declared_records
from evalreport.engine.reference.differences import compared_with_run
from evalreport.engine.reference.drift import drift_criteria, drift_records
from evalreport.engine.reference.run import References, read_references
from evalreport.engine.repeats import evaluate_repeats
from evalreport.engine.rules import rule_of
from evalreport.engine.thresholds import Resolved, solve
from evalreport.engine.working import Records, Working
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.plan.facts import Facts
from evalreport.plan.task import EVERYTHING, ThresholdRequest
from evalreport.predict.view import View
from evalreport.version import __version__

SCHEMA = "evalreport/results/1"

#: Libraries whose versions can change a number.
LIBRARIES = ("numpy", "scipy", "pandas", "duckdb", "scikit-learn")





def evaluate(
    prepared: Prepared,
    at: str,
    step: Step = silent,
    advance: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """The results of a prepared spec, as they stand in ``results.json``.

    ``at`` is the run's clock as text. ``step`` and ``advance`` report progress.
    """
    references = read_references(prepared.loaded)
    failures = [failure for one in prepared.predictions for failure in one.failures]
    working = Working(prepared, failures=failures)
    for view in prepared.views:
        working.tables[view.dataset, view.model] = tables_of(view)
    for view, facts in zip(prepared.views, prepared.facts, strict=True):
        _resolve_thresholds(working, view, facts)
    step("computing measures", len(prepared.plan.tasks))
    for view in prepared.views:
        working.evaluations.extend(_evaluated(working, view, advance))
    for evaluation in working.evaluations:
        evaluation.mark_few(prepared.loaded.spec.subgroup_minimum)
    step("drawing curves", None)
    curves = [
        record
        for view, facts in zip(prepared.views, prepared.facts, strict=True)
        for record in _curves_or_failure(working, view, facts)
    ]
    drift = working.records("drift", lambda: drift_records(working, references))
    acceptance = [*_judged(working, references), *drift_criteria(working, drift)]
    comparisons = [
        *working.records("comparisons", lambda: comparisons_of(working)),
        *working.records("comparisons", lambda: compared_with_run(working, references)),
    ]
    baselines = _baselines(working)
    working.against = working.records(
        "baselines", lambda: against_baselines(working, baselines, comparisons)
    )
    thresholds = _threshold_records(working)
    found = {
        **_described(working, at),
        "thresholds": thresholds,
        "tables": [t.as_json() for e in working.evaluations for t in e.tables],
        "measures": [m.as_json() for m in working.measures],
        "curves": curves,
        "comparisons": comparisons,
        "acceptance": acceptance,
        "cautions": cautions_of(working, comparisons, acceptance, thresholds, drift),
        **references.as_json(),
        **({"drift": drift} if prepared.loaded.spec.drift is not None else {}),
        **training_records(prepared.predictions),
        **_overlap_records(prepared),
        **_guarded_records(working),
        "baselines": baselines,
        "against_baselines": working.against,
    }
    failures = [*working.failures, *(f for e in working.evaluations for f in e.failures)]
    return {**found, "failures": failures}


def _described(working: Working, at: str) -> dict[str, Any]:
    """What the numbers are made of: the spec, where from, the plan, labels and rows."""
    prepared = working.prepared
    return {
        "schema": SCHEMA,
        "title": prepared.loaded.spec.title,
        "spec": prepared.loaded.resolved(),
        "provenance": provenance(prepared, at),
        "plan": _plan_record(prepared),
        "labels": [
            label_record(prepared.loaded.spec, view, _numbers(working, view))
            for view in prepared.views
        ],
        "rows": [row_record(view) for view in prepared.views],
        **({} if prepared.logo is None else {"logo": dict(prepared.logo)}),
    }


def _judged(working: Working, references: References) -> list[dict[str, Any]]:
    prepared = working.prepared
    judged = judge(
        prepared.criteria,
        working.measures,
        [(view.dataset, view.model) for view in prepared.views],
        {key: None if first is None else str(first) for key, first in working.first.items()},
    )
    return with_references(working, judged, references)


def _guarded_records(working: Working) -> dict[str, Any]:
    """Declared values, periods, subgroups and characteristics: each, or its failure."""
    prepared, nothing = working.prepared, dict[str, Any]()
    return {
        **working.guarded("declared", lambda: declared_records(working), nothing),
        **working.guarded("periods", lambda: period_records(working), nothing),
        **working.guarded("subgroups", lambda: _subgroup_records(working), nothing),
        **working.guarded("characteristics", lambda: characteristics(prepared), nothing),
        **working.guarded("comparisons", lambda: _reclassified(working), nothing),
        "sample_size": working.records(
            "sample size",
            lambda: sample_sizes(working.measures, prepared.loaded.spec.confidence.width),
        ),
    }


def _baselines(working: Working) -> Records:
    """What trivial predictions reach, and the previous model where the spec names one."""
    prepared = working.prepared
    trivial = working.records(
        "baselines",
        lambda: baseline_records(prepared.views, prepared.requests.metrics, prepared.settings),
    )
    return working.records("baselines", lambda: with_previous(working, trivial))


def _reclassified(working: Working) -> dict[str, Any]:
    """Net reclassification, only where the spec asks for it."""
    found = reclassification_records(working)
    return {"reclassification": found} if found else {}


def _overlap_records(prepared: Prepared) -> dict[str, Any]:
    """Rows shared with datasets learned from, where the spec names any; none shared counts."""
    found = [
        asdict(one) | {"models": list(one.models), "columns": list(one.columns)}
        for one in prepared.overlaps
    ]
    return {"training_overlap": found} if found else {}


def _subgroup_records(working: Working) -> dict[str, Any]:
    """Gaps between subgroups, tests of their differences, and impact ratios."""
    settings, spec = working.prepared.settings, working.prepared.loaded.spec
    if not spec.subgroups:
        return {}
    measures = working.measures
    return {
        "subgroup_gaps": subgroup_gaps(measures, settings.level, minimum=spec.subgroup_minimum),
        "heterogeneity": heterogeneity_tests(measures, settings.level),
        "impact": impact_records(working),
    }


def _evaluated(
    working: Working, view: View, advance: Callable[[], None]
) -> tuple[Evaluation, ...]:
    key = (view.dataset, view.model)
    tables = working.tables[key]
    if isinstance(tables, SetTables):
        return (_evaluated_sets(working, tables, advance),)
    measurer = Measurer(
        view, working.tables[key], working.prepared.settings, working.thresholds[key]
    )
    return evaluate_repeats(
        Evaluator(measurer, tables, working.numbering, working.first[key]),
        further_repeats(working.prepared.predictions, view),
        working.prepared.plan,
        advance,
        working.prepared.requests.one_versus_rest,
    )


def _evaluated_sets(
    working: Working, tables: SetTables, advance: Callable[[], None]
) -> Evaluation:
    key, prepared = (tables.view.dataset, tables.view.model), working.prepared
    return evaluate_sets(
        prepared.plan,
        tables,
        prepared.settings,
        working.thresholds[key],
        prepared.loaded.spec.hierarchy,
        working.numbering,
        working.first[key],
        advance,
    )


def _resolve_thresholds(working: Working, view: View, facts: Facts) -> None:
    key = (view.dataset, view.model)
    requests = thresholds_of(working.prepared.requests, facts)
    working.first[key] = requests[0]
    working.thresholds[key] = {
        request: _resolved(working, view, request) for request in requests if request is not None
    }


def _resolved(working: Working, view: View, request: ThresholdRequest) -> Resolved:
    if request.number is not None:
        return Resolved(request.number, exploratory=request.status == "exploratory")
    dataset = request.on or view.dataset
    tables = working.tables.get((dataset, view.model))
    if tables is None or not tables.view.has_score:
        return Resolved(None, f"{view.model} has no scores in {dataset} to choose a threshold on")
    # a threshold chosen on the rows it is judged on is exploratory whatever it is called
    exploratory = dataset == view.dataset or request.status == "exploratory"
    settings = working.prepared.settings
    costs = settings.two_class_costs(view.labels, view.positive_index) if settings.costs else {}
    return working.guarded(
        "thresholds",
        lambda: solve(rule_of(request.rule), tables.scores(EVERYTHING), costs, exploratory),
        Resolved(None, f"looking for {request.text} failed"),
        dataset=view.dataset,
        model=view.model,
    )


def _numbers(working: Working, view: View) -> list[float]:
    resolved = working.thresholds[view.dataset, view.model].values()
    return list(dict.fromkeys(r.number for r in resolved if r.number is not None))


def _curves_or_failure(working: Working, view: View, facts: Facts) -> list[dict[str, Any]]:
    return working.records(
        "curves",
        lambda: _curves(working, view, facts),
        dataset=view.dataset,
        model=view.model,
    )


def _curves(working: Working, view: View, facts: Facts) -> list[dict[str, Any]]:
    tables = working.tables[view.dataset, view.model]
    numbers, level = _numbers(working, view), working.prepared.settings.level
    if isinstance(tables, SetTables):
        return set_curves(tables, working.numbering.curve, numbers, facts.probabilities, level)
    return curve_records(tables, working.numbering.curve, numbers, facts.probabilities, level)


def _threshold_records(working: Working) -> list[dict[str, Any]]:
    return [
        {
            "dataset": dataset,
            "model": model,
            "threshold": resolved.number,
            "rule": request.text,
            "status": "exploratory" if resolved.exploratory else "declared",
            "reason": resolved.reason,
        }
        for (dataset, model), found in working.thresholds.items()
        for request, resolved in found.items()
    ]


def _plan_record(prepared: Prepared) -> dict[str, Any]:
    plan = prepared.plan
    skipped: dict[tuple[str, str, str, str], None] = {}
    for one in plan.skipped:
        task = one.record
        skipped[task.dataset, task.model, task.metric, one.reason] = None
    return {
        "sha256": plan.sha256,
        "tasks": len(plan.tasks),
        "skipped": [
            {"dataset": d, "model": m, "task": metric, "reason": reason}
            for d, m, metric, reason in skipped
        ],
        "notes": list(plan.notes),
        **({"counted": list(plan.counted)} if plan.counted else {}),
    }


def provenance(prepared: Prepared, at: str) -> dict[str, Any]:
    """Where the numbers come from: spec, inputs, plan, versions, seed, clock. No host, no user."""
    loaded = prepared.loaded
    return {
        "version": __version__,
        "at": at,
        "spec": {
            "name": loaded.path.name if loaded.path is not None else loaded.name,
            "sha256": loaded.sha256,
            "text": loaded.text,
            "overrides": list(loaded.overrides),
        },
        "inputs": [
            {
                "dataset": one.dataset,
                "name": one.name,
                "sha256": one.sha256,
                "bytes": one.bytes,
                "rows": one.rows,
                **({"sha256_of": "rows"} if one.sha256 and one.bytes is None else {}),
                **_files_of(one),
            }
            for one in prepared.inputs
        ],
        "plan_sha256": prepared.plan.sha256,
        "versions": versions(),
        "seed": prepared.settings.seed,
        "engine": {
            "name": prepared.engine,
            "reason": prepared.engine_reason,
            "asked": prepared.asked_engine,
        },
    }


def _files_of(one: InputData) -> dict[str, Any]:
    """Name, hash and size of each file, where a dataset is several."""
    if not one.files:
        return {}
    told = [{"name": name, "sha256": sha256, "bytes": size} for name, sha256, size in one.files]
    return {"files": told}


def versions() -> Mapping[str, str]:
    """Versions of Python and of the libraries behind the numbers."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
