"""Records again from what stands beside their numbers: counts, covariances, blocks, bins.

Impact of selection, looks, tests of all models, net reclassification, drift, learning curves: each
by the function of the engine that filled it, from the parts that need the rows and are taken over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.comparisons import omnibus, reclassification
from evalreport.engine.comparisons.score_pairs import planned_pairs
from evalreport.engine.groups.impact_records import counted as counted_rates
from evalreport.engine.groups.impact_records import filled as filled_rates
from evalreport.engine.groups.impact_records import groups_of, planned_impact
from evalreport.engine.intervals.impact import Selection, median
from evalreport.engine.reference.drift import counted as shifted
from evalreport.engine.reference.drift import is_weighted, of_bins, of_categories, planned_drift
from evalreport.engine.reference.looks import blocks_of, filled, look_at
from evalreport.metrics.methods import WALD
from evalreport.predict.outcome import repeat_summary
from evalreport.results import records as r
from evalreport.results.identity import EVERYTHING
from evalreport.spec.models import EstimatorModel
from evalreport.statistics.reclassification import Reclassification as Reclassified
from evalreport.statistics.reclassification import net_reclassification as reclassified
from evalreport.statistics.tail import normal_two_sided
from evalreport.verify.leaves import Made, same
from evalreport.verify.recorded_tables import WEIGHTS as OF_WEIGHTS
from evalreport.verify.recorded_tables import NotRecorded

if TYPE_CHECKING:
    from evalreport.verify.recorded_state import RecordedState


def impact(again: RecordedState) -> Iterator[Made]:
    """Rates of every category, those of scores from their own counts."""
    state, planned = again.state, list(planned_impact(again.state))
    counted, unknown = ("median", "categories"), dict[str, Any](rows=None)
    for bare, told in zip(planned, again.counted(r.Impact, planned, counted), strict=True):
        model = again.model_of(bare.dataset, bare.model)
        if bare.kind == "selection":
            made = counted_rates(state, bare)
            if model.weighted:
                rates = tuple(replace(own, **unknown) for own in made.categories)
                made = replace(made, categories=rates)
            yield Made(made, {"categories.rows": OF_WEIGHTS} if model.weighted else {})
            continue
        middle = told.median
        with suppress(NotRecorded):
            middle = median(model.tables.scores(EVERYTHING))
        groups = [] if middle is None else groups_of(state, bare)
        counts = [
            Selection(where.subgroup, own.selected, own.n, own.rows)
            for where, own in zip(groups, told.categories, strict=True)
        ]
        made = filled_rates(state, replace(bare, median=middle), counts)
        names = ("median", "categories.selected", "categories.n", "categories.rows")
        yield Made(made, dict.fromkeys(names, ABOVE))


ABOVE = "who scores above the median is counted from rows"


def looks(again: RecordedState) -> Iterator[Made]:
    """Every look from its blocks; blocks of this run from its measures."""
    state = again.state
    counted = ("blocks", "seen_before", "rows_seen", "before", "previous", "instead_of")
    criteria = [one for one in again.results.acceptance if one.look is not None]
    planned = [look_at(state, one) for one in criteria]
    found = again.counted(r.Look, planned, (*counted, "reason"))
    for one, entry in zip(found, criteria, strict=True):
        fresh = {block.name: block for block in blocks_of(state, one)}
        blocks = tuple(_counted_block(one, block, fresh.get(block.name)) for block in one.blocks)
        # each look before gave one outcome, and a block is counted once
        seen = tuple(n for n in one.seen_before if n in {block.name for block in blocks})
        made = filled(replace(one, blocks=blocks, seen_before=seen), entry, state.measures)
        if made is None:
            raise ValueError("the blocks of a look give no value")
        before = "blocks of earlier looks were counted by the runs before"
        left_out = dict.fromkeys(("blocks", "rows_seen", "reason"), before)
        yield Made(replace(made, reason=one.reason), left_out)


def _counted_block(look: r.Look, block: r.LookBlock, own: r.LookBlock | None) -> r.LookBlock:
    """A block that this run counted, from its measures; others stand in the runs before."""
    if own is None or block.name in look.seen_before or block.look != len(look.before) + 1:
        return block
    # a block of the rows that were new cannot hold more than the measure of all rows
    names = ("rows", "numerator", "denominator")
    less = all((getattr(block, name) or 0) <= (getattr(own, name) or 0) for name in names)
    return block if look.rows_seen and less else replace(own, look=block.look)


SHARED = "which rows the models share is not in the results"


def omnibus_tests(again: RecordedState) -> Iterator[Made]:
    """One test of all models from the counts, covariances or ranks beside it.

    The values are those of the measures where all models use the same rows, and those of the
    totals.
    """
    counted = ("n", "values", "totals", "rows_by_models", "covariance", "rank_sums", "ties",
    )  # fmt: skip
    _ = again.plan
    tasks = omnibus.planned_tests(again.state)
    sides = [omnibus.sides_of(again.state, task) for task in tasks]
    planned = map(omnibus.planned_record, tasks, sides)
    found = again.counted(r.OmnibusTest, planned, (*counted, "reason"))
    for task, one, own in zip(tasks, found, sides, strict=True):
        settled, problems, made = set[str](), list[str](), one
        if not again.partly_used(task.dataset, one.models):
            told = [again.model_of(own.dataset, own.model).told(own) for own in task.tasks]
            values = tuple(None if own is None else own.value for own in told)
            made = replace(one, n=own[0].view.rows, values=values)
            settled |= {"n", "values"}
        if one.totals and (rows := sum(one.rows_by_models or ())):
            shares = tuple(total / rows for total in one.totals)
            if not same(one.values, shares):
                problems.append(f"values are {one.values}, the totals give {shares}")
            settled |= {"values"}
        left_out = {name: SHARED for name in counted if name not in settled}
        yield Made(omnibus.filled(made, own), left_out, tuple(problems))


_OF_VARIANCE = ("interval", "events.interval", "nonevents.interval", "statistic", "note")


def net_reclassification(again: RecordedState) -> Iterator[Made]:
    """Net reclassification from the rows that moved; its limits where rows are independent."""
    level, planned = again.spec.settings.level, reclassification.planned_records(again.state)
    moves = [f"{name}.{own}" for name in ("events", "nonevents") for own in ("n", "up", "down")]
    stated = again.results.of(r.Reclassification)
    found = again.counted(r.Reclassification, planned, ("rows", *moves, "note", "reason"))
    for one, told in zip(found, stated, strict=True):
        left_out, made = dict.fromkeys(("rows", *moves), SHARED), one
        if one.events is not None and one.nonevents is not None:
            view = again.model_of(one.dataset, one.model).view
            method = reclassification.method_of(view)
            if method != WALD:
                left_out |= dict.fromkeys(_OF_VARIANCE, SHARED)
            rows = one.rows
            if view.weight is None:
                del left_out["rows"]
                rows = int(one.events.n + one.nonevents.n)
            moved = _moved(told, level, weighted=method != WALD)
            label = view.labels[view.positive_index]
            made = replace(one, rows=rows, label=label, reason=None)
            made = reclassification.filled(made, moved, level, method)
        yield Made(made, left_out)


def _moved(told: Any, level: float, *, weighted: bool) -> Reclassified:
    """What follows from the rows that moved; of weighted or clustered ones limits and z stand."""
    sides = (True, told.events), (False, told.nonevents)
    positive, move, weight = zip(
        *((event, to, count) for event, own in sides
          for to, count in ((1.0, own.up), (-1.0, own.down), (0.0, own.n - own.up - own.down))),
        strict=True,
    )  # fmt: skip
    times = np.ones(len(weight), np.int64) if weighted else np.array(weight, np.int64)
    found = reclassified(
        np.repeat(positive, times), np.repeat(move, times), level,
        weight=weight if weighted else None,
    )  # fmt: skip
    if found is None:
        raise ValueError("there are rows of one class only")
    if not weighted:
        return found
    return replace(
        found,
        events=replace(found.events, interval=told.events.interval),
        nonevents=replace(found.nonevents, interval=told.nonevents.interval),
        interval=told.interval,
        statistic=told.statistic,
        p_value=None if told.statistic is None else normal_two_sided(told.statistic),
    )


# -- both scores of two models --------------------------------------------------------------------


def score_pairs(again: RecordedState) -> Iterator[Made]:
    """Thresholds are those of the models; rows are those of the paired tables of shares."""
    reason = "both scores of a row are not in the results"
    _ = again.plan
    there = {(one.dataset, one.model, one.reference) for one in again.results.of(r.ScorePairs)}
    planned = [
        one
        for one in planned_pairs(again.state)
        if (one.dataset, one.model, one.reference) in there or _are_paired(again, one)
    ]
    for one in again.counted(r.ScorePairs, planned, ("bins", "positives", "negatives")):
        left_out, problems = {"bins": reason}, list[str]()
        for metric, name, cells in (
            ("recall", "positives", one.positives),
            ("specificity", "negatives", one.negatives),
        ):
            left_out |= {f"{name}.{side}_scores": reason for side in ("model", "reference")}
            counted, joint = _right_of(one.calls(cells), metric), _joint_of(again, one, metric)
            if joint is None:
                left_out[f"{name}.rows"] = reason
            elif counted != joint:
                problems.append(f"{name} are {counted}, the paired table of {metric} is {joint}")
        yield Made(one, left_out, tuple(problems))


def _are_paired(again: RecordedState, pairs: r.ScorePairs) -> bool:
    """Whether two models have the same classes, scores of a finite range and rows in common."""
    names = pairs.model, pairs.reference
    one, two = (again.model_of(pairs.dataset, name) for name in names)
    ranges = [(own.facts.high or 0.0) - (own.facts.low or 0.0) for own in (one, two)]
    finite = all(map(math.isfinite, ranges))
    shared = one.rows.used + two.rows.used > one.rows.read
    return finite and shared and one.view.labels == two.view.labels


def _right_of(calls: r.Calls, metric: str) -> r.JointTable:
    """Calls as rows that each model gets right: positives that are found, or negatives passed."""
    if metric == "recall":
        return r.JointTable(calls.both, calls.first_only, calls.second_only, calls.neither)
    return r.JointTable(calls.neither, calls.second_only, calls.first_only, calls.both)


def _joint_of(again: RecordedState, pairs: r.ScorePairs, metric: str) -> r.JointTable | None:
    """The paired table of a share of the class, of all rows at the same thresholds."""
    key = (pairs.dataset, pairs.model, pairs.reference, metric)
    at = (pairs.threshold, pairs.reference_threshold)
    for one in again.results.of(r.Comparison):
        same = (one.dataset, one.model, one.reference, one.metric) == key
        same &= (one.threshold, one.reference_threshold) == at and one.label in (None, pairs.label)
        whole = one.fold is None and not one.subgroup and one.average is None
        if same and whole and one.joint_table is not None:
            return one.joint_table
    return None


# -- what has moved, and training -----------------------------------------------------------------

OF_COLUMNS = "the values of both datasets need the rows"


def drift(again: RecordedState) -> Iterator[Made]:
    """Labels and scores from those of both datasets; from their bins columns, and all of a run."""
    state, references, asked = again.state, again.references, again.spec.loaded.spec.drift
    run = None if asked is None else references.of(asked.reference)
    planned = list(planned_drift(state, references))
    fields_found = [own.name for own in fields(r.Drift) if own.name not in _PLACE]
    for bare, one in zip(planned, again.counted(r.Drift, planned, fields_found), strict=True):
        if bare.of != "column" and run is None:
            yield Made(shifted(state, references, bare))
            continue
        weighted, left_out = is_weighted(state, one.dataset), ["bins"]
        names = [own for own in one.bins if isinstance(own, r.DriftCategory)]
        found = of_bins(one.bins, weighted) if one.bins else {}
        if names:
            then = {own.name: own.reference for own in names}
            found = of_categories(then, {own.name: own.rows for own in names}, weighted)
        else:
            left_out += ["ks", "statistic", "p_value"]
        yield Made(replace(one, **found), dict.fromkeys(left_out, OF_COLUMNS))


#: Where a record of drift stands.
_PLACE = ("dataset", "reference", "of", "model", "label", "column")


def learning_curves(again: RecordedState) -> Iterator[Made]:
    """A curve of each model that is trained here; each summary from its values."""
    spec, asked = again.spec.loaded.spec, again.spec.loaded.spec.learning_curve
    failed = {(f.dataset, f.model) for f in again.results.failures if f.section == "learning_curve"}
    named = {(one.dataset, one.model) for one in again.results.of(r.LearningCurve)}
    planned = [
        r.LearningCurve(one.dataset, one.model, asked.repeats, (), ())
        for one in again.results.labels
        if asked is not None
        and isinstance(spec.models.get(one.model), EstimatorModel)
        and ((one.dataset, one.model) in named or (one.dataset, one.model) not in failed)
    ]
    why = "models are trained for it"
    for one in again.counted(r.LearningCurve, planned, ("notes", "points")):
        sizes = () if asked is None else asked.sizes
        points = tuple(
            replace(own, size=size, test=_summaries(own.test), train=_summaries(own.train))
            for size, own in zip(sizes, one.points, strict=True)
        )
        values = {f"{side}.{name}.values" for own in points
                  for side in ("test", "train") for name in own.test}  # fmt: skip
        left_out = {f"points.{path}": why for path in ("train_rows", "counts", *values)}
        yield Made(replace(one, points=points), left_out)


def _summaries(told: Mapping[str, r.Summary]) -> dict[str, r.Summary]:
    return {name: repeat_summary(one.values) for name, one in told.items()}
