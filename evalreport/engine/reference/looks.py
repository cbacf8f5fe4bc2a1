"""Looks at criteria: this run's rows beside those of the looks before, each counted once.

Every record holds all that was counted so far, so that one look needs only the one before it
and history may be pruned. Rows are known by the period they are of, where the dataset has a
period column; by the digests of their ids, where runs keep those; else by the sha256 of the file
that they came in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isinf
from pathlib import Path
from typing import TYPE_CHECKING

from evalreport.engine.periods.changes import UNDATED
from evalreport.engine.reference.fresh_rows import fresh_rows, measure_of
from evalreport.engine.reference.run import RESULTS, ReferenceRun, read_reference
from evalreport.errors import Location
from evalreport.metrics.catalogue import find
from evalreport.metrics.estimates import estimate_of
from evalreport.results import records
from evalreport.results.records import Interval, LookBlock, Measure
from evalreport.spec.series import series_link
from evalreport.statistics.interval import Interval as Limits
from evalreport.statistics.interval import z_value
from evalreport.statistics.looks import (
    SEQUENCES,
    Block,
    Sofar,
    closing,
    endless_limits,
    outcome_of,
    planned_limits,
    planned_look,
    standing,
    together,
)
from evalreport.statistics.proportions import PROPORTION_METHODS

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

#: Why rows that come in after the last planned look decide nothing.
USED_UP = "the planned looks are used up: what came in since is not counted"

#: How limits are told that follow from an error spending function.
SPENT = {"obrien_fleming": "O'Brien-Fleming", "pocock": "Pocock"}


def look_before(runs: Path | None, series: str) -> ReferenceRun | None:
    """The newest run of a series in a folder of runs; None where there is none."""
    if runs is None or not (runs / series_link(series) / RESULTS).is_file():
        return None
    path = runs / series_link(series)
    return read_reference(path, Location(str(path)), previous=True)


def later_look(before: ReferenceRun | None, at: str) -> str | None:
    """What the data of the look before are of, where this run is a backfill of an earlier time."""
    return before.of if before is not None and before.of > at else None


def with_looks(
    state: RunState, judged: Sequence[records.Criterion], before: ReferenceRun | None
) -> tuple[list[records.Criterion], tuple[records.Look, ...] | None]:
    """The criteria with the outcomes of their looks, and the looks; None where none are asked.

    A backfill is no look.
    """
    asked = state.prepared.loaded.spec.looks
    if asked is None:
        return list(judged), None
    if state.later_look is not None:
        return list(judged), ()
    found: list[records.Criterion] = []
    looks: list[records.Look] = []
    for entry in judged:
        look = None
        if entry.reference is None and entry.required is not None and entry.measure is not None:
            look = _Looking(state, entry, look_at(state, entry), before).record()
        if look is not None:
            looks.append(look)
        found.append(entry if look is None else decided(entry, look))
    return found, tuple(looks)


def decided(entry: records.Criterion, look: records.Look) -> records.Criterion:
    """The criterion with what its look says: of rows that no look may count, nothing."""
    if look.reason == USED_UP:
        told = f"{USED_UP}; the last look came to: {look.outcome}"
        return replace(entry, observed=None, outcome="not_evaluated", look=look.look, reason=told)
    reason = look.reason
    if reason is None and look.decided_at not in (None, look.look):
        reason = f"decided at look {look.decided_at}"
    return replace(
        entry, observed=observed_of(entry.bound, look), outcome=look.outcome, look=look.look,
        reason=reason,
    )  # fmt: skip


def observed_of(bound: str, look: records.Look) -> float | None:
    """What is held against the requirement: the value so far, or a limit of this look."""
    if bound == "point" or look.interval is None:
        return look.value if bound == "point" else None
    return look.interval.low if bound == "lower" else look.interval.high


def look_at(state: RunState, entry: records.Criterion) -> records.Look:
    """The record of a look at a criterion, before anything is counted.

    How often is looked, and how rows that were counted are known again, follows from the spec.
    """
    spec, asked = state.prepared.loaded.spec, state.prepared.loaded.spec.looks
    assert asked is not None
    dataset = spec.datasets[str(entry.dataset)]
    kind = "row" if dataset.keep_rows else "file"
    return records.Look(
        criterion=entry.criterion,
        text=entry.text,
        dataset=str(entry.dataset),
        model=str(entry.model),
        subgroup=entry.subgroup,
        threshold_asked=entry.threshold_asked,
        measure=entry.measure,
        look=1,
        planned=asked.planned,
        spending=asked.rule,
        alpha=1.0 - state.prepared.settings.level,
        recognised_by=kind if dataset.period is None else "period",
        blocks=(),
        spent=None,
        boundary=None,
        rows=0,
        numerator=None,
        denominator=None,
        value=None,
        standard_error=None,
        interval=None,
        before=(),
        now=records.CONTINUE,
        outcome=records.CONTINUE,
        decided_at=None,
        previous=None,
    )


@dataclass(frozen=True)
class _Looking:
    """A look at one criterion."""

    state: RunState
    entry: records.Criterion
    look: records.Look
    run: ReferenceRun | None

    def record(self) -> records.Look | None:
        """The look; None where rows of a period are not told apart by the measures there are."""
        before = self._before()
        fresh, rows_seen = self._fresh(before)
        known = set() if before is None else {one.name for one in before.blocks}
        new = [one for one in fresh if one.name not in known]
        seen = tuple(one.name for one in fresh if one.name in known)
        if before is not None and (not new or before.look == before.planned):
            return replace(self._again(before, seen, used_up=bool(new)), rows_seen=rows_seen)
        look = replace(
            self.look, seen_before=seen, rows_seen=rows_seen, instead_of=self._instead_of(before)
        )
        if before is not None:
            look = replace(
                look,
                before=(*before.before, before.now),
                previous=None if self.run is None else self.run.name,
            )
        number, earlier = len(look.before) + 1, () if before is None else before.blocks
        blocks = (*earlier, *(replace(one, look=number) for one in new))
        return filled(replace(look, blocks=blocks), self.entry, self.state.measures)

    def _before(self) -> records.Look | None:
        """The look before at the same criterion, planned alike, whose rows are known alike."""
        looks = () if self.run is None else self.run.results.of(records.Look)
        if self.look.recognised_by == "row" and (self.run is None or self.run.counted is None):
            return None
        return next((one for one in looks if _key(one) == _key(self.look)), None)

    def _instead_of(self, before: records.Look | None) -> str | None:
        """The run whose looks at the same metric have another plan, criterion or rows."""
        if before is not None or self.run is None:
            return None if before is None else before.instead_of
        results, one = self.run.results, self.entry
        own = one.metric, one.dataset, one.model, dict(one.subgroup)
        for look in results.of(records.Look):
            metric = results.measure(look.measure).metric if look.measure is not None else None
            if (metric, look.dataset, look.model, dict(look.subgroup)) == own:
                return self.run.name
        return None

    def _again(self, before: records.Look, seen: tuple[str, ...], *, used_up: bool) -> records.Look:
        """Nothing to count: the look before, told once more."""
        return replace(
            before,
            criterion=self.entry.criterion,
            measure=self.entry.measure,
            seen_before=seen,
            previous=None if self.run is None else self.run.name,
            reason=USED_UP
            if used_up
            else "an earlier look has counted these rows: it is not a new look",
        )

    def _fresh(self, before: records.Look | None) -> tuple[list[LookBlock], int | None]:
        """The blocks that this run's file holds; where rows are known, how many were counted.

        Of a file whose rows are known the rows that no look has counted are a block.
        """
        found, kind = blocks_of(self.state, self.look), self.look.recognised_by
        counted = None if self.run is None else self.run.counted
        if kind != "row" or before is None or counted is None:
            return found, 0 if kind == "row" else None
        (whole,) = found
        fresh = fresh_rows(self.state, str(self.entry.dataset), counted)
        seen = int((~fresh).sum())
        if seen == 0 or any(one.name == whole.name for one in before.blocks):
            return found, seen
        measure = _measure_at(self.state.measures, self.look)
        own = measure_of(self.state, measure, fresh) if fresh.any() else None
        return [] if own is None else [_counted_block(whole.name, own)], seen


def blocks_of(state: RunState, look: records.Look) -> list[LookBlock]:
    """What the rows of this run add up to: a block of each period, or one of the file."""
    measure = _measure_at(state.measures, look)
    period = state.prepared.loaded.spec.datasets[look.dataset].period
    if period is None:
        (name,) = {one.sha256 for one in state.prepared.inputs if one.dataset == look.dataset} or {
            ""
        }
        return [_counted_block(str(name), measure)]
    key, column = measure.which.series, period.column
    own = dict(measure.subgroup)
    found = [
        _counted_block(str(m.subgroup[column]), m)
        for m in state.measures
        if column in m.subgroup
        and m.subgroup[column] != UNDATED
        and {k: v for k, v in m.subgroup.items() if k != column} == own
        and replace(m.which.series, subgroup=key.subgroup) == key
    ]
    return sorted(found, key=lambda one: one.name)


def _measure_at(measures: Sequence[Measure], look: records.Look) -> Measure:
    return next(one for one in measures if one.id == look.measure)


def filled(
    look: records.Look, entry: records.Criterion, measures: Sequence[Measure]
) -> records.Look | None:
    """The look with all that follows from its blocks and from what the looks before gave.

    With its limits, and the outcome that stands after it. None where the blocks give no value.
    """
    sofar = together([_block(one) for one in look.blocks])
    if sofar is None:
        return None
    look = replace(
        look, look=len(look.before) + 1, rows=sofar.rows, value=sofar.value,
        numerator=None if sofar.counts is None else sofar.counts[0],
        denominator=None if sofar.counts is None else sofar.counts[1],
        standard_error=sofar.standard_error,
    )  # fmt: skip
    limits, boundary, spent = _limits(look, entry, sofar, _share_method(measures, look))
    required, high = float(entry.required or 0.0), entry.direction == "at_least"
    given = None if limits is None else Limits(limits.low, limits.high)
    now = outcome_of(given, required, at_least=high)
    (outcome, at), reason = standing((*look.before, now)), None
    if look.look == look.planned and at is None:
        outcome = closing(sofar, given, required, entry.bound, at_least=high)
        at, reason = look.look, "the last planned look decides by the criterion's own bound"
    return replace(
        look, spent=spent, boundary=boundary, interval=limits, now=now, outcome=outcome,
        decided_at=at, reason=reason,
    )  # fmt: skip


def _share_method(measures: Sequence[Measure], look: records.Look) -> str:
    """The method of a share: that of the measure, where it is one for counts."""
    interval = _measure_at(measures, look).interval
    named = "" if interval is None else interval.method
    return named if named in PROPORTION_METHODS else "wilson"


def _limits(
    look: records.Look, entry: records.Criterion, sofar: Sofar, share: str
) -> tuple[Interval | None, float | None, float | None]:
    """The interval of a look, its boundary, and the error spent on both sides."""
    metric = find(entry.metric)
    within = (-inf, inf) if metric is None else metric.bounds
    if look.spending is None or look.planned is None:
        level = 1.0 - look.alpha
        found = endless_limits(sofar, level, float(entry.required or 0.0), within)
        name = SEQUENCES[0] if sofar.counts is not None else SEQUENCES[1]
        return None if found is None else Interval(level, *found, name), None, None
    sizes = tuple(
        sum(float(b.denominator or b.rows) for b in look.blocks if b.look <= k)
        for k in range(1, look.look + 1)
    )
    step = planned_look(sizes, look.planned, look.alpha / 2.0, look.spending)
    method = share if sofar.counts is not None else "normal"
    found = planned_limits(sofar, step, method, within)
    if found is None:
        return None, None, 2.0 * step.spent
    note = f"at the boundary of look {look.look} of {look.planned}, {SPENT[look.spending]} type"
    made = Interval(1.0 - 2.0 * step.nominal, *found, method, note=note)
    return made, None if isinf(step.boundary) else step.boundary, 2.0 * step.spent


def _key(one: records.Look) -> tuple[object, ...]:
    """What makes two looks those at the same criterion, planned alike, with rows known alike."""
    criterion = one.text, one.dataset, one.model, dict(one.subgroup), one.threshold_asked
    return (*criterion, one.planned, one.spending, one.recognised_by)


def _block(one: LookBlock) -> Block:
    return Block(one.rows, one.numerator, one.denominator, one.value, one.standard_error)


def _counted_block(name: str, measure: Measure) -> LookBlock:
    """What one block of rows adds: its counts where it is a share, else value and error."""
    estimate = estimate_of(measure)
    rows = measure.n
    if estimate is None:
        # no row of the class: nothing below the line of a share
        share = measure.denominator == 0
        counts = {"numerator": 0, "denominator": 0} if share else {}
        return LookBlock(name=name, look=1, rows=rows, **counts)
    if estimate.fraction is not None:
        top, bottom = estimate.fraction
        return LookBlock(name=name, look=1, rows=rows, numerator=top, denominator=bottom)
    error = None
    if estimate.low is not None and estimate.high is not None and estimate.level is not None:
        error = (estimate.high - estimate.low) / (2.0 * z_value(estimate.level))
    return LookBlock(name=name, look=1, rows=rows, value=estimate.value, standard_error=error)
