"""Whole parts of results made again from other parts, by the engine that made them.

Gaps between subgroups follow from measures, criteria from measures and the spec, curves from
the scores of all rows, and so on: each part is made again from what the results hold, as far
as it does not need the rows, and held record by record against the one that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from evalreport.engine import curves as engine_curves
from evalreport.engine.across_views import cautions_of
from evalreport.engine.cautions.catalogue import catalogue
from evalreport.engine.comparisons.against_baselines import (
    CHANCE,
    PREVIOUS,
    by_chance,
    differences_of,
    judged_against,
    with_previous,
)
from evalreport.engine.comparisons.baselines import baseline_tables
from evalreport.engine.ledgers.sample_size import sample_sizes
from evalreport.engine.periods.changes import period_records
from evalreport.engine.reference.claims import claim_counts, claim_records
from evalreport.engine.reference.declared import declared_records
from evalreport.engine.run import (
    gap_records,
    heterogeneity_records,
    resolved,
    roc_of,
    studied_in,
    threshold_record,
    trivial_baselines,
)
from evalreport.metrics import curves
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.plan.everything import CURVED_CLASSES
from evalreport.predict.view import LabelView
from evalreport.results import records as r
from evalreport.results.identity import WhichNumber
from evalreport.verify import (
    accounts,
    failures,
    rebuild_criteria,
    rebuild_measures,
    rebuild_plan,
    rebuild_readers,
    rebuild_records,
)
from evalreport.verify.leaves import Made, Miscounted
from evalreport.verify.rebuild_comparisons import ON_ROWS, comparisons
from evalreport.verify.rebuild_measures import OF_ROWS
from evalreport.verify.recorded_models import Model
from evalreport.verify.recorded_state import Rebuild, RecordedState
from evalreport.verify.recorded_tables import EARLIER, STEPS, NotRecorded


def _periods(again: RecordedState) -> Iterable[r.Period | Made]:
    """Periods with their charts, and with what moved of the tables; all else needs the rows."""
    told = again.results.periods or ()
    made = period_records(again.state, lambda *_of: ()) or ()
    if len(told) != len(made):
        return made
    needs = {"change.moved": "how rows lie before a change and after it needs the rows"}
    return [Made(_with_moved(*both), needs) for both in zip(made, told, strict=True)]


def _with_moved(made: r.Period, told: r.Period) -> r.Period:
    if made.change is None or told.change is None:
        return made
    known = {one.what for one in made.change.moved}
    rows = [one for one in told.change.moved if one.what not in known]
    return replace(made, change=replace(made.change, moved=(*made.change.moved, *rows)))


def _thresholds(again: RecordedState) -> Iterator[r.Threshold | None]:
    """Thresholds as declared, and rules solved on the scores of the results."""
    for model in again.models:
        for request in thresholds_of(again.spec.requests, model.facts):
            if request is not None:
                state = replace(again.state, failures=[])
                found = resolved(state, model.view, request)
                made = threshold_record(model.view.dataset, model.view.model, request, found)
                # what the engine could not solve needs more than the results
                yield None if state.failures else made


def _curves(again: RecordedState) -> Iterator[Made]:
    """Every curve from the scores of the precision-recall curve of the same rows and class.

    Where that was thinned out, or rows have weights, the heights follow from the counts beside.
    """
    told, made = again.results.curves, dict[CurveKey, r.Curve | None]()
    failed = {(f.dataset, f.model) for f in again.results.failures if f.section == "curves"}
    for model in again.models:
        if model.key not in failed:
            made |= _curves_of(again, model)
    for place, one in enumerate(told, 1):
        # the numbers of curves that failed are missing
        name, found = one.id if failed else f"c{place}", made.pop(_curve_key(one), None)
        if found is None or one.subgroup:
            yield _by_own_counts(again, replace(one, id=name))
        else:
            ground = {f"points.{name}": OF_ROWS for name in ("threshold", "tp", "fp")}
            yield Made(replace(found, id=name), ground if one.kind == STEPS else {})
    yield from map(Made, made.values())


CurveKey = tuple[str, str, str | None, str]


def _curve_key(one: r.Curve) -> CurveKey:
    return one.dataset, one.model, one.label, one.kind


def _curves_of(again: RecordedState, model: Model) -> dict[CurveKey, r.Curve | None]:
    """The curves of a dataset and model; None where the scores are not known exactly.

    Raises Miscounted where a class that has scores has no curve of them.
    """
    found: dict[CurveKey, r.Curve | None] = {}
    told = again.results.curves
    for one in model.of_labels.values():
        facts = one.facts
        if model.labels.label_sets and not facts.has_scores:
            continue
        known = set(facts.unknown) <= {"tn"} and facts.designed is None and facts.rows > 0
        if facts.has_scores and known and len(facts.labels) <= CURVED_CLASSES:
            classes = {facts.positive} if facts.two_classes else set(facts.labels)
            if not classes <= {own.label for own in one.results.curves if own.kind == STEPS}:
                raise Miscounted(len(told), len(told) + 1)
        numbers = [own.number for own in one.resolved.values() if own.number is not None]
        made = partial(
            engine_curves.curve_records,
            new_id=str,
            thresholds=list(dict.fromkeys(numbers)),
            probabilities=facts.probabilities,
            level=again.spec.settings.level,
        )
        try:
            found |= {_curve_key(curve): curve for curve in made(one.tables)}
        except NotRecorded:
            rough = one.tables_of(one.view, rough=True)
            with suppress(NotRecorded):  # which curves there are needs no exact scores
                found |= {_curve_key(curve): None for curve in made(rough)}
    return found


#: Curves whose heights follow from the counts at each of their points.
BY_COUNTS: Mapping[str, Callable[[ScoreTable], dict[str, list[Any]]]] = {
    "roc": partial(curves.roc, drop_collinear=True),
    "precision_recall": curves.precision_recall,
    "gain": curves.gain,
    "lift": curves.lift,
}


def _by_own_counts(again: RecordedState, one: r.Curve) -> Made:
    """The heights of a curve, and the limits of its band, from the counts at each point."""
    points, steps = one.points, None
    own = again.any_model(one.dataset, one.model).own(one.label)
    left_out = {f"points.{name}": OF_ROWS for name in ("threshold", "tp", "fp", "rows")}
    left_out |= {f"sums.{name}": OF_ROWS for name in one.sums}
    if one.kind in BY_COUNTS and points.get("tp"):
        tp = points["tp"]
        fp = points.get("fp") or np.subtract(np.array(points["rows"]), np.array(tp)).tolist()
        skip = 0 if points["threshold"][0] is not None else 1
        pos, neg = (np.diff(np.array([0, *counts[skip:]])) for counts in (tp, fp))
        scores = np.array(points["threshold"][skip:], np.float64)
        points = BY_COUNTS[one.kind](ScoreTable(scores, pos, neg))
        of_class = (c for c in own.results.curves if c.label == one.label)
        steps = next((c for c in of_class if c.kind == STEPS), None)
    else:
        left_out |= {f"points.{name}": OF_ROWS for name in points}
        left_out["bins"] = OF_ROWS
    made = replace(one, points=points, band=None, thinned=(steps or one).thinned)
    made = engine_curves.with_band(made, own.view, again.spec.settings.level)
    if made.band is not None and made.band.method is not None:
        for end in ("low", "high"):
            left_out.pop(f"points.{made.band.of}_{end}", None)
    return Made(made, left_out)


def _against(again: RecordedState) -> Iterator[Made]:
    """Models beside baselines; what only the rows tell is taken over."""
    state, told, spec = again.state, again.results.against_baselines, again.spec.loaded.spec
    asked = spec.comparisons
    compared = asked is not None and asked.reference == spec.baselines.previous
    differences: Mapping[Any, r.Comparison | r.AgainstBaseline]
    if compared:
        differences = differences_of(state, again.results.comparisons)
    else:
        before = [one for one in told if one.baseline == PREVIOUS]
        differences = {(o.dataset, o.model, WhichNumber.of(o).quantity): o for o in before}
    guessed = {one.measure: one.baseline_value for one in told if one.baseline == CHANCE}
    unknown: dict[str, str] = {}

    def chance(view: LabelView, m: r.Measure) -> float | None:
        try:
            return by_chance(view, m)
        except NotRecorded as absent:
            unknown[m.id] = str(absent)
            # that there is a value does not depend on the weights
            plain = by_chance(replace(view, weight=None), m)
            return None if plain is None else guessed.get(m.id, plain)

    for one in judged_against(state, again.results.baselines, differences, chance):
        left_out = {}
        if one.baseline == CHANCE and one.measure in unknown:
            left_out = {"baseline_value": unknown[one.measure]}
        elif one.baseline == PREVIOUS and not compared:
            left_out = dict.fromkeys(("difference", "interval"), ON_ROWS)
        yield Made(one, left_out)


def _cautions(again: RecordedState) -> Iterator[r.Caution | None]:
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
        results.of(r.Period),
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


#: How each kind of record is made again.
REBUILT: Rebuild = {
    r.LabelLedger: accounts.labels,
    r.RowLedger: accounts.rows,
    r.Provenance: accounts.provenance,
    r.Characteristics: accounts.characteristics,
    r.Failure: failures.failures,
    r.Measure: rebuild_measures.measures,
    r.Comparison: comparisons,
    r.Impact: rebuild_records.impact,
    r.Look: rebuild_records.looks,
    r.ReaderMean: rebuild_readers.readers,
    r.ReaderDifference: rebuild_readers.reader_differences,
    r.ReaderAgreement: rebuild_readers.agreement,
    r.OmnibusTest: rebuild_records.omnibus_tests,
    r.Reclassification: rebuild_records.net_reclassification,
    r.ScorePairs: rebuild_records.score_pairs,
    r.Reference: lambda again: [Made(one, {"": EARLIER}) for one in again.references.records()],
    r.Drift: rebuild_records.drift,
    r.LearningCurve: rebuild_records.learning_curves,
    r.Plan: rebuild_plan.plan,
    r.Gap: lambda again: gap_records(again.state, studied_in(again.state)),
    r.Heterogeneity: lambda again: heterogeneity_records(again.state, studied_in(again.state)),
    r.SampleSize: lambda again: sample_sizes(
        again.results.measures, again.spec.loaded.spec.confidence.width
    ),
    r.Period: _periods,
    r.Declared: lambda again: declared_records(again.state) or (),
    r.Claim: lambda again: claim_records(again.state),
    r.ClaimCounts: lambda again: claim_counts(again.state, again.results.of(r.Claim)),
    r.Criterion: rebuild_criteria.criteria,
    r.Threshold: _thresholds,
    r.Table: rebuild_measures.tables,
    r.Curve: _curves,
    r.RocRelation: lambda again: roc_of(again.state),
    r.Baseline: lambda again: with_previous(again.state, trivial_baselines(again.state)),
    r.BaselineTable: lambda again: baseline_tables(
        again.state.prepared.views, again.state.prepared.settings
    ),
    r.AgainstBaseline: _against,
    r.Caution: _cautions,
}
