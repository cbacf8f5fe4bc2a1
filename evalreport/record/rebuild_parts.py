"""Whole parts of results made again from other parts, by the engine that made them.

Gaps between subgroups follow from measures, criteria from measures and the spec, curves from
the scores of all rows, and so on: each part is made again from what the results hold, as far
as it does not need the rows, and held record by record against the one that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from evalreport.engine import curves as engine_curves
from evalreport.engine.acceptance import Criterion
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
from evalreport.engine.comparisons.baselines import baseline_records, baseline_tables
from evalreport.engine.groups.gaps import heterogeneity_tests, subgroup_gaps
from evalreport.engine.groups.studied_groups import StudiedGroups, studied_groups
from evalreport.engine.ledgers.sample_size import sample_sizes
from evalreport.engine.periods.changes import period_records
from evalreport.engine.periods.charts import moved_tables
from evalreport.engine.readers.means import over_readers
from evalreport.engine.reference.claims import claim_criteria
from evalreport.engine.reference.declared import declared_records
from evalreport.engine.reference.drift import drift_criteria
from evalreport.engine.reference.looks import decided
from evalreport.engine.run import judged, resolved, roc_of, threshold_record
from evalreport.engine.verification import not_passed, spoilt
from evalreport.metrics import curves
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.predict.view import LabelView
from evalreport.record import accounts, failures, rebuild_plan, rebuild_records
from evalreport.record.leaves import Made
from evalreport.record.rebuild_comparisons import ON_ROWS, comparisons
from evalreport.record.rebuild_measures import RecordedLabels
from evalreport.record.recorded_state import Rebuild, RecordedState
from evalreport.record.recorded_tables import STEPS, NotRecorded
from evalreport.results import records as r
from evalreport.results.identity import WhichNumber
from evalreport.results.lookup import Results


def _gaps(again: RecordedState) -> Iterable[r.Gap]:
    spec = again.spec.loaded.spec
    return subgroup_gaps(*_of_groups(again), minimum=spec.subgroup_minimum, studied=_studied(again))


def _heterogeneity(again: RecordedState) -> Iterable[r.Heterogeneity]:
    widest = again.spec.loaded.spec.largest_gap
    return heterogeneity_tests(*_of_groups(again), widest=widest, studied=_studied(again))


def _of_groups(again: RecordedState) -> tuple[Sequence[r.Measure], float]:
    """The measures, where the spec asks for subgroups, and the level."""
    asked = bool(again.spec.loaded.spec.subgroups)
    return again.results.measures if asked else (), again.spec.settings.level


def _studied(again: RecordedState) -> StudiedGroups:
    found = again.results
    return studied_groups(found.measures, found.tables, again.spec.requests.methods)


def _periods(again: RecordedState) -> Iterable[r.Period | Made]:
    """Periods with their charts; what moved with a change is told by its own check."""
    told, made = again.results.periods or (), period_records(again.state, moved=False) or ()
    if len(told) != len(made):
        return made
    pairs = zip(made, told, strict=True)
    needs = {"change.moved": "how rows lie before a change and after it needs the rows"}
    return tuple(Made(_with_moved(again.results, one, own), needs) for one, own in pairs)


def _with_moved(results: Results, made: r.Period, told: r.Period) -> r.Period:
    if made.change is None or told.change is None:
        return made
    # shares of the tables follow from them; all else that moved needs the rows
    names, since = list(told.periods), made.change.since
    shares: dict[str, r.Moved] = {}
    if made.change.alarm is not None and since in names:
        own = [results.measure(name).table for name in made.measures]
        tables = [results.table(name) if name else None for name in own]
        place = names.index(since)
        shares = {one.what: one for one in moved_tables(tables[:place], tables[place:])}
    moved = tuple(shares.get(one.what, one) for one in told.change.moved)
    return replace(made, change=replace(made.change, moved=moved))


def _criteria(again: RecordedState) -> Iterator[r.Criterion | Made | None]:
    """Criteria with a value of their own; those against a reference are left out."""
    state, spec = again.state, again.spec.loaded.spec
    valued = [number for number, one in spec.criteria if one.required is not None]
    limits = _Limits(again)
    tables = [table for evaluation in state.evaluations for table in evaluation.tables]
    # looks go on with pooled readings
    means = again.results.of(r.ReaderMean) if spec.looks is None else ()
    made = [
        *(
            replace(one, criterion=valued[one.criterion - 1])
            for one in over_readers(
                not_passed(judged(state, limits), spoilt(tables)), state.measures, means, ()
            )
        ),
        *claim_criteria(state, again.results.of(r.Claim)),
        *drift_criteria(state, again.results.of(r.Drift)),
    ]
    made.sort(key=lambda one: one.criterion)
    waiting = iter(made)
    for one in again.results.acceptance:
        # those against a reference stand between the others, each with the difference beside it
        if one.reference is not None:
            yield _of_difference(again, one) if one.readers else None
            continue
        own = next(waiting, None)
        if own is not None and one.look is not None:
            # what it says at a look follows from that
            looks = [look for look in again.results.of(r.Look) if rebuild_records.is_of(look, one)]
            own = decided(own, looks[0])
        if own is None:
            yield None
            continue
        # runs in a row that did not pass are told by the history
        own = replace(own, breaches_in_a_row=one.breaches_in_a_row, earlier=one.earlier)
        needs = limits.lacking.get((one.text, one.measure))
        yield Made(own, {} if needs is None else {"limits": needs})
    yield from waiting


@dataclass(frozen=True)
class _Limits:
    """Limits by the methods that criteria name, made again or, with the reason, as they are told.

    ``lacking``: why those of a criterion on a measure are taken over.
    """

    again: RecordedState
    lacking: dict[tuple[str, str | None], str] = field(default_factory=dict)

    def __call__(self, criterion: Criterion, measure: r.Measure) -> r.Interval | str:
        """The limits of a measure by the method of a criterion, or why there are none."""
        try:
            model = self.again.model_of(measure.dataset, measure.model)
            limits, reason = model.limits(measure, str(criterion.method))
        except NotRecorded as absent:
            text = criterion.text()
            told = self.again.results.acceptance
            own = next((e for e in told if (e.text, e.measure) == (text, measure.id)), None)
            self.lacking[text, measure.id] = str(absent)
            if own is None:
                return "there is no such criterion"
            return own.limits or (own.reason or "").removeprefix("the measure has no interval: ")
        return limits if limits is not None else reason or "it gives none"


def _of_difference(again: RecordedState, one: r.Criterion) -> Made:
    """A criterion on the difference of two models over their readers."""
    results = again.results
    empty = replace(one, observed=None, difference=None, interval=None, readers=False)
    (made,) = over_readers(
        [empty], results.measures, results.of(r.ReaderMean), results.of(r.ReaderDifference)
    )
    needs = "the difference from the reference is compared on rows, or with an earlier run"
    return Made(made, {"reference_value": needs, "required": needs, "margin": needs})


def _thresholds(again: RecordedState) -> Iterator[r.Threshold | None]:
    """Thresholds as declared, and rules solved on the scores of the results."""
    for model in again.models:
        for request in thresholds_of(again.spec.requests, model.facts):
            if request is not None:
                state = replace(again.ground, failures=[])
                found = resolved(state, model.view, request)
                made = threshold_record(model.view.dataset, model.view.model, request, found)
                # what the engine could not solve needs more than the results
                yield None if state.failures else made


def _measures(again: RecordedState) -> Iterator[Made]:
    """Every measure from the recorded tables."""
    for one in again.results.measures:
        try:
            model = again.any_model(one.dataset, one.model)
        except NotRecorded as absent:
            yield Made(one, {"": str(absent)})
            continue
        try:
            yield model.again(one)
        except NotRecorded as absent:
            yield model.beside(one, str(absent))


def _curves(again: RecordedState) -> Iterator[Made]:
    """Every curve from the scores of the precision-recall curve of the same rows and class.

    Where that was thinned out, or rows have weights, the heights follow from the counts beside.
    """
    made: dict[CurveKey, r.Curve] = {}
    for model in again.results.labels:
        made |= _curves_of(again, model.dataset, model.model)
    failed = {(f.dataset, f.model) for f in again.results.failures if f.section == "curves"}
    for place, one in enumerate(again.results.curves, 1):
        # the numbers of curves that failed are missing
        name, found = one.id if failed else f"c{place}", made.get(_curve_key(one))
        if found is None or one.subgroup:
            yield _by_own_counts(again, one, name)
        else:
            ground = {f"points.{name}": OF_ROWS for name in ("threshold", "tp", "fp")}
            yield Made(replace(found, id=name), ground if one.kind == STEPS else {})
    there = set(map(_curve_key, again.results.curves))
    for key, found in made.items():
        if key not in there and key[:2] not in failed:
            yield Made(found)


CurveKey = tuple[str, str, str | None, str]


def _curve_key(one: r.Curve) -> CurveKey:
    return one.dataset, one.model, one.label, one.kind


def _curves_of(again: RecordedState, dataset: str, name: str) -> dict[CurveKey, r.Curve]:
    found: dict[CurveKey, r.Curve] = {}
    try:
        model = again.any_model(dataset, name)
    except NotRecorded:
        return found
    labels = isinstance(model, RecordedLabels)
    for one in model.of_labels.values() if isinstance(model, RecordedLabels) else [model]:
        numbers = [own.number for own in one.resolved.values() if own.number is not None]
        at, level = list(dict.fromkeys(numbers)), again.spec.settings.level
        if labels and not one.results.curves:
            continue
        try:
            made = engine_curves.curve_records(
                one.tables, lambda: "", at, one.facts.probabilities, level
            )
        except NotRecorded:
            continue
        found |= {_curve_key(curve): curve for curve in made}
    return found


#: Why the points of curves are taken over.
OF_ROWS = "it is counted from rows; other numbers are held against it"
#: Curves whose heights follow from the counts at each of their points.
BY_COUNTS: Mapping[str, Callable[[ScoreTable], dict[str, list[Any]]]] = {
    "roc": partial(curves.roc, drop_collinear=True),
    "precision_recall": curves.precision_recall,
    "gain": curves.gain,
    "lift": curves.lift,
}


#: Curves that are thinned out where that of precision and recall is.
THINNED = ("roc", "precision_recall", "gain", "lift")


def _by_own_counts(again: RecordedState, one: r.Curve, name: str) -> Made:
    """The heights of a curve, and the limits of its band, from the counts at each point."""
    points, ground = one.points, ("threshold", "tp", "fp", "rows")
    left_out = {f"points.{name}": OF_ROWS for name in (*ground, "standard_error")}
    level = None if again.asked is None else again.asked.settings.level
    band = one.band if one.band is None or level is None else replace(one.band, level=level)
    limited = any(name.endswith(("_low", "_high")) for name in points)
    if band is not None and band.method is None and (limited or not band.reason):
        band = replace(band, method=curves.BAND_METHODS[band.of])
    made: dict[str, Any] = dict(points)
    if one.kind in BY_COUNTS and points.get("tp"):
        tp = points["tp"]
        fp = (
            points["fp"]
            if "fp" in points
            else np.subtract(np.array(points["rows"]), np.array(tp)).tolist()
        )
        skip = 0 if points["threshold"][0] is not None else 1
        parts = [np.diff(np.array([0, *counts[skip:]])) for counts in (tp, fp)]
        scores = np.array(points["threshold"][skip:], np.float64)
        made = BY_COUNTS[one.kind](ScoreTable(scores, *parts))
    else:
        left_out |= {f"points.{name}": OF_ROWS for name in points}
        left_out["bins"] = OF_ROWS
    if band is not None and band.method is not None:
        made = curves.with_band(one.kind, made, band.level)
        for end in ("low", "high"):
            left_out.pop(f"points.{band.of}_{end}", None)
    steps = [own.thinned for own in again.results.curves
             if _curve_key(own) == _curve_key(replace(one, kind=STEPS))]  # fmt: skip
    thinned = steps[0] if steps and one.kind in THINNED else one.thinned
    thinned = thinned and _may_be_thinned(again, one)
    return Made(replace(one, id=name, points=made, band=band, thinned=thinned), left_out)


def _may_be_thinned(again: RecordedState, one: r.Curve) -> bool:
    """Whether there are more rows than a curve has points."""
    rows = again.rows.get((one.dataset, one.model))
    labels = [own for own in again.results.labels if own.dataset == one.dataset]
    two = any(own.model == one.model and len(own.order) <= 2 for own in labels)
    most = engine_curves.MOST_POINTS if two else engine_curves.MOST_CLASS_POINTS
    return rows is None or (rows.predictions or rows.used) > most


def _baselines(again: RecordedState) -> Iterable[r.Baseline]:
    prepared = again.state.prepared
    found = baseline_records(
        prepared.views, prepared.requests.metrics, prepared.settings, prepared.unordered
    )
    return with_previous(again.state, found)


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
            return guessed.get(m.id)

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
    r.Measure: _measures,
    r.Comparison: comparisons,
    r.Impact: rebuild_records.impact,
    r.Look: rebuild_records.looks,
    r.ReaderMean: rebuild_records.readers,
    r.ReaderDifference: rebuild_records.reader_differences,
    r.ReaderAgreement: rebuild_records.agreement,
    r.OmnibusTest: rebuild_records.omnibus,
    r.Reclassification: rebuild_records.reclassification,
    r.ScorePairs: rebuild_records.score_pairs,
    r.Plan: rebuild_plan.plan,
    r.Gap: _gaps,
    r.Heterogeneity: _heterogeneity,
    r.SampleSize: lambda again: sample_sizes(
        again.results.measures, again.spec.loaded.spec.confidence.width
    ),
    r.Period: _periods,
    r.Declared: lambda again: declared_records(again.state) or (),
    r.Criterion: _criteria,
    r.Threshold: _thresholds,
    r.Curve: _curves,
    r.RocRelation: lambda again: roc_of(again.state),
    r.Baseline: _baselines,
    r.BaselineTable: lambda again: baseline_tables(
        again.state.prepared.views, again.state.prepared.settings
    ),
    r.AgainstBaseline: _against,
    r.Caution: _cautions,
}
