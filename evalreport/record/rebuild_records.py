"""Records again from what stands beside their numbers: counts, covariances, blocks, ratings.

Impact of selection, looks, readers, tests of all models, net reclassification: each by the
function of the engine that filled it, from the parts that need the rows and are taken over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.comparisons.omnibus import tested
from evalreport.engine.comparisons.reclassification import WALD, filled
from evalreport.engine.groups.impact_records import with_categories
from evalreport.engine.intervals.impact import Selection, selection
from evalreport.engine.readers.agreement import coefficient, reader_pair
from evalreport.engine.readers.means import (
    independent_limits,
    with_difference,
    with_margin,
    with_mean,
)
from evalreport.engine.readers.placing import FOUND
from evalreport.engine.reference.looks import counted_block, share_method, so_far
from evalreport.engine.reference.looks import judged as judged_look
from evalreport.record.leaves import Made
from evalreport.record.recorded_tables import WEIGHTS
from evalreport.results import records as r
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.statistics.reclassification import net_reclassification
from evalreport.statistics.tail import normal_two_sided

if TYPE_CHECKING:
    from evalreport.record.rebuild_measures import RecordedModel
    from evalreport.record.recorded_state import RecordedState


def impact(again: RecordedState) -> Iterator[Made]:
    """Rates of every category: of scores from their own counts, else from the tables."""
    models = {(one.view.dataset, one.view.model): one for one in again.models}
    for one in again.results.of(r.Impact):
        model, left_out, found = models[one.dataset, one.model], {}, []
        positive = model.view.positive_index
        for own in one.categories:
            group = _crossed(again, own.subgroup)
            if one.kind == "selection":
                cells = model.tables.classification(Slice(group), one.threshold)
                found.append(selection(cells, group, positive))
            else:
                found.append(Selection(group, own.selected, own.n, own.rows))
        if one.kind != "selection":
            names = ("selected", "n", "rows")
            left_out = {f"categories.{name}": ABOVE for name in names} | {"median": ABOVE}
        if model.weighted:
            left_out = {**left_out, "categories.rows": WEIGHTS}
            found = [
                replace(s, rows=own.rows) for s, own in zip(found, one.categories, strict=True)
            ]
        share = again.spec.settings.impact.smallest_share
        header = replace(one, smallest_share=share, label=model.facts.positive)
        if one.categories:
            ids = [_table_of(model, one, own) for own in one.categories]
            header = with_categories(header, found, ids, model.facts, again.spec.settings)
        yield Made(header, left_out)


ABOVE = "who scores above the median is counted from rows"


def _table_of(model: RecordedModel, one: r.Impact, own: r.ImpactCategory) -> str | None:
    """The table that the rates of a category stand beside; none of scores."""
    key = (dict(own.subgroup), None, None, one.threshold, one.threshold_rule)
    for t in model.results.tables if one.kind == "selection" else ():
        if (dict(t.subgroup), t.fold, t.label, t.threshold, t.threshold_rule) == key:
            return t.id
    return None


def _crossed(again: RecordedState, subgroup: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A group with its columns in the order in which the spec crosses them."""
    for columns in again.spec.requests.subgroups:
        if set(columns) == set(subgroup):
            return tuple((column, subgroup[column]) for column in columns)
    return tuple(subgroup.items())


def looks(again: RecordedState) -> Iterator[Made]:
    """Every look from its blocks; blocks of this run from its measures."""
    criteria = [one for one in again.results.acceptance if one.look is not None]
    asked, level = again.spec.loaded.spec.looks, again.spec.settings.level
    for one in again.results.of(r.Look):
        entry = next((own for own in criteria if is_of(one, own)), None)
        blocks = [_counted_block(again, one, block) for block in one.blocks]
        sofar = so_far(blocks)
        if entry is None or sofar is None or asked is None:
            raise ValueError("a look has no criterion, or its blocks give no value")
        planned = replace(
            one, criterion=entry.criterion, measure=entry.measure, planned=asked.planned,
            spending=asked.rule,
            alpha=1.0 - level, blocks=tuple(blocks), rows=sofar.rows, value=sofar.value,
            numerator=None if sofar.counts is None else sofar.counts[0],
            denominator=None if sofar.counts is None else sofar.counts[1],
            standard_error=sofar.standard_error,
            # each look before gave one outcome, and a block is counted once
            look=len(one.before) + 1,
            seen_before=tuple(n for n in one.seen_before if n in {b.name for b in one.blocks}),
        )  # fmt: skip
        there = again.results.has_measure(one.measure)
        measure = again.results.measure(str(one.measure)) if there else None
        made = judged_look(planned, entry, sofar, share_method(measure))
        before = "blocks of earlier looks were counted by the runs before"
        left_out = {"blocks": before, "rows_seen": before, "reason": before}
        yield Made(replace(made, reason=one.reason), left_out)


def is_of(look: r.Look, one: r.Criterion) -> bool:
    """Whether a look is the one that a criterion was judged at."""
    key = (one.text, one.dataset, one.model, dict(one.subgroup), one.threshold_asked)
    own = (look.text, look.dataset, look.model, dict(look.subgroup), look.threshold_asked)
    return key == own and (one.look, one.outcome) == (look.look, look.outcome)


def _counted_block(again: RecordedState, look: r.Look, block: r.LookBlock) -> r.LookBlock:
    """A block that this run counted, from its measure; others stand in the runs before."""
    if not again.results.has_measure(look.measure) or block.name in look.seen_before:
        return block
    whole = again.results.measure(str(look.measure))
    files = {own.sha256 for own in again.results.provenance.inputs if own.dataset == look.dataset}
    own = whole if block.name in files or None in files else None
    if look.recognised_by == "period":
        groups = set(whole.subgroup.items())
        own = next(
            (
                one
                for one in again.results.measures_of(metric=whole.metric, fold=None)
                if [v for _, v in set(one.subgroup.items()) - groups] == [block.name]
                and groups <= set(one.subgroup.items())
                and one.which.on(EVERYTHING).series == whole.which.on(EVERYTHING).series
            ),
            None,
        )
    if own is None or block.look != look.look:
        return block
    counted = replace(counted_block(block.name, own), look=block.look)
    if not look.rows_seen:
        return counted
    # a block of the rows that were new cannot hold more than the measure of all rows
    names = ("rows", "numerator", "denominator")
    pairs = ((getattr(block, name) or 0, getattr(own, "n" if name == "rows" else name) or 0)
             for name in names)  # fmt: skip
    return block if all(part <= of for part, of in pairs) else counted


OF_READERS = "which reader read which case is not in the results"


def readers(again: RecordedState) -> Iterator[Made]:
    """The mean over readers from their values and covariances, and each from its counts."""
    level = again.spec.settings.level
    for one in again.results.of(r.ReaderMean):
        ground = ("cases", "readings", "clusters", "covariance", "readers.positives",
                  "readers.negatives", "readers.cells")  # fmt: skip
        left_out = dict.fromkeys(ground, OF_READERS)
        valued = [own for own in one.readers if own.value is not None]
        if [len(row) for row in one.covariance] != [len(valued)] * len(valued):
            raise ValueError("covariance is not one row and column for each reader with a value")
        readers = []
        for own in one.readers:
            made = _reader(one, own)
            if made.value is not None and one.clusters is None:
                place = valued.index(own)
                variance = max(one.covariance[place][place], 0.0)
                limits = independent_limits(made, one.metric, variance, level)
                made = replace(made, interval=limits)
            readers.append(made)
        if any(own.cells is None for own in one.readers):
            left_out["readers.value"] = OF_READERS
        if one.clusters is not None:
            left_out["readers.interval"] = OF_READERS
        empty = replace(
            one, readers=tuple(readers), value=None, between=None, variance=None,
            same_modality=None, standard_error=None, df=None, interval=None, reason=None,
        )  # fmt: skip
        yield Made(with_mean(empty, level), left_out)


def _reader(one: r.ReaderMean, own: r.ReaderValue) -> r.ReaderValue:
    """The value of a reader by the four cells; that of an area is taken over."""
    if own.cells is None or own.value is None:
        return own
    cells = own.cells
    right, wrong = (cells.tp, cells.fn) if one.metric == FOUND else (cells.tn, cells.fp)
    return replace(own, value=right / (right + wrong) if right + wrong else None)


def reader_differences(again: RecordedState) -> Iterator[Made]:
    """Differences from the values and covariances of both models and those between them."""
    level, asked = again.spec.settings.level, again.spec.loaded.spec.comparisons
    margins = {} if asked is None else dict(asked.margins)
    empty: dict[str, Any] = dict.fromkeys(
        ("difference", "between", "variance", "same_reader", "same_modality", "neither",
         "standard_error", "df", "interval", "test", "statistic", "p_value", "better", "reason")
    )  # fmt: skip
    for one in again.results.of(r.ReaderDifference):
        made, sides = replace(one, **empty, told_apart=False), []
        for model, at in ((one.model, one.threshold), (one.reference, one.reference_threshold)):
            key = (one.dataset, one.metric, one.label, model, at)
            sides.append(_mean_of(again, key))
        if not one.readers:
            yield Made(replace(made, reason=one.reason))
            continue
        values = [{own.reader: own.value for own in side.readers} for side in sides]
        first, second = (tuple(float(own[n] or 0.0) for n in one.readers) for own in values)
        made = replace(made, values=first, reference_values=second)
        blocks = [_covariances(side, one.readers) for side in sides]
        cross = np.array(one.cross)
        matrix = np.block([[blocks[0], cross], [cross.T, blocks[1]]])
        made = with_difference(made, matrix, level)
        yield Made(with_margin(made, margins.get(one.metric)), {"cross": OF_READERS})


def _mean_of(again: RecordedState, key: tuple[Any, ...]) -> r.ReaderMean:
    for one in again.results.of(r.ReaderMean):
        if (one.dataset, one.metric, one.label, one.model, one.threshold) == key:
            return one
    raise ValueError("there is no record of the readers of one of the models")


def _covariances(side: r.ReaderMean, names: Sequence[str]) -> Any:
    own = [one.reader for one in side.readers if one.value is not None]
    places = [own.index(name) for name in names]
    return np.array(side.covariance)[np.ix_(places, places)]


def agreement(again: RecordedState) -> Iterator[Made]:
    """Coefficients and kappas from how many readers put how many cases where."""
    level = again.spec.settings.level
    for one in again.results.of(r.ReaderAgreement):
        counts = np.array([kind.counts for kind in one.ratings], np.int64)
        table = np.repeat(counts, [kind.cases for kind in one.ratings], axis=0)
        made = replace(
            one,
            coefficients=tuple(coefficient(own.name, table, level) for own in one.coefficients),
            pairs=tuple(
                reader_pair(own.first, own.second, np.array(own.counts), level) for own in one.pairs
            ),
        )
        yield Made(made, dict.fromkeys(("ratings", "pairs.counts"), OF_READERS))


SHARED = "which rows the models share is not in the results"


def omnibus(again: RecordedState) -> Iterator[Made]:
    """One test of all models from the counts, covariances or ranks beside it."""
    ground = ("n", "values", "totals", "rows_by_models", "covariance", "rank_sums", "ties",
              "thresholds", "params")  # fmt: skip
    for one in again.results.of(r.OmnibusTest):
        found = (one.totals, one.covariance, one.rank_sums)
        empty = replace(one, statistic=None, df=None, p_value=None, reason=None)
        made = one if found == (None, None, None) else tested(empty)
        yield Made(made, dict.fromkeys(ground, SHARED))


def reclassification(again: RecordedState) -> Iterator[Made]:
    """Net reclassification from the rows that moved; its limits where rows are independent."""
    level = again.spec.settings.level
    ground = ("rows", *(f"{name}.{own}" for name in ("events", "nonevents") for own in _MOVES))
    for one in again.results.of(r.Reclassification):
        left_out, made = dict.fromkeys((*ground, "threshold", "reference_threshold"), SHARED), one
        if one.events is not None and one.nonevents is not None:
            made = _moved_again(one, one.events, one.nonevents, level)
            method = WALD if one.interval is None else one.interval.method
            if method != WALD:
                left_out |= dict.fromkeys(_OF_VARIANCE, SHARED)
        yield Made(made, left_out)


_MOVES = ("n", "up", "down")
_OF_VARIANCE = ("interval", "events.interval", "nonevents.interval", "statistic")


def _moved_again(
    one: r.Reclassification, events: r.Moves, nonevents: r.Moves, level: float
) -> r.Reclassification:
    """Of independent rows all of it; of others the nets, and p by the statistic that is there."""
    positive, move, weight = [], [], []
    for is_event, own in ((True, events), (False, nonevents)):
        positive += [is_event] * 3
        move += [1.0, -1.0, 0.0]
        weight += [own.up, own.down, own.n - own.up - own.down]
    if one.interval is None or one.interval.method == WALD:
        times = np.array(weight, np.int64)
        found = net_reclassification(np.repeat(positive, times), np.repeat(move, times), level)
        return one if found is None else filled(one, found, level, WALD)
    found = net_reclassification(positive, move, level, weight=weight)
    if found is None:
        raise ValueError("there are rows of one class only")
    return replace(
        one,
        net=found.net,
        events=replace(events, net=found.events.net),
        nonevents=replace(nonevents, net=found.nonevents.net),
        p_value=None if one.statistic is None else normal_two_sided(one.statistic),
    )


# -- both scores of two models --------------------------------------------------------------------


def score_pairs(again: RecordedState) -> Iterator[Made]:
    """Thresholds are those of the models; rows are those of the paired tables of shares."""
    reason = "both scores of a row are not in the results"
    for one in again.results.of(r.ScorePairs):
        left_out, problems = {"bins": reason}, [*_unknown_thresholds(again, one)]
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


def _unknown_thresholds(again: RecordedState, one: r.ScorePairs) -> Iterator[str]:
    for name, number, model in (
        ("threshold", one.threshold, one.model),
        ("reference_threshold", one.reference_threshold, one.reference),
    ):
        own = again.thresholds.get((one.dataset, model), set())
        if number not in {at for at, _ in own}:
            yield f"{name} is {number!r}, which is none of those of {model}"


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
