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
    level = state.prepared.settings.level
    plan = _Plan(asked.planned, asked.rule, 1.0 - level)
    found: list[records.Criterion] = []
    looks: list[records.Look] = []
    for entry in judged:
        look = None
        if entry.reference is None and entry.required is not None and entry.measure is not None:
            look = _Looking(state, entry, plan, before).record()
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


@dataclass(frozen=True)
class _Plan:
    """How often is looked: ``planned`` times by a spending ``rule``, or without end."""

    planned: int | None
    rule: str | None
    alpha: float


@dataclass(frozen=True)
class _Looking:
    """A look at one criterion."""

    state: RunState
    entry: records.Criterion
    plan: _Plan
    run: ReferenceRun | None

    def record(self) -> records.Look | None:
        """The look; None where rows of a period are not told apart by the measures there are."""
        kind = self._kind()
        before = self._before(kind)
        fresh, rows_seen = self._fresh(kind, before)
        known = set() if before is None else {one.name for one in before.blocks}
        new = [one for one in fresh if one.name not in known]
        seen = tuple(one.name for one in fresh if one.name in known)
        if before is not None and (not new or before.look == before.planned):
            return replace(self._again(before, seen, used_up=bool(new)), rows_seen=rows_seen)
        number = 1 if before is None else before.look + 1
        blocks = (
            *(() if before is None else before.blocks),
            *(replace(one, look=number) for one in new),
        )
        sofar = so_far(blocks)
        if sofar is None:
            return None
        made = self._looked(number, blocks, seen, kind, sofar, before)
        return replace(made, rows_seen=rows_seen)

    def _kind(self) -> str:
        """How rows that were counted are known again."""
        dataset = self.state.prepared.loaded.spec.datasets[str(self.entry.dataset)]
        if dataset.period is not None:
            return "period"
        return "row" if dataset.keep_rows else "file"

    def _before(self, kind: str) -> records.Look | None:
        """The look before at the same criterion, planned alike, whose rows are known alike."""
        wanted = (*_key(self.entry), self.plan.planned, self.plan.rule, kind)
        looks = () if self.run is None else self.run.results.of(records.Look)
        if kind == "row" and (self.run is None or self.run.counted is None):
            return None
        own = ((o, (*_key(o), o.planned, o.spending, o.recognised_by)) for o in looks)
        return next((o for o, key in own if key == wanted), None)

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

    def _fresh(self, kind: str, before: records.Look | None) -> tuple[list[LookBlock], int | None]:
        """The blocks that this run's file holds; where rows are known, how many were counted."""
        prepared = self.state.prepared
        dataset = prepared.loaded.spec.datasets[str(self.entry.dataset)]
        by_id = {m.id: m for m in self.state.measures}
        measure = by_id[str(self.entry.measure)]
        column = None if dataset.period is None else dataset.period.column
        if column is None:
            (name,) = {o.sha256 for o in prepared.inputs if o.dataset == self.entry.dataset} or {""}
            return self._of_file(str(name), measure, kind, before)
        key = measure.which.series
        own = dict(measure.subgroup)
        found = [
            counted_block(str(m.subgroup[column]), m)
            for m in self.state.measures
            if column in m.subgroup
            and m.subgroup[column] != UNDATED
            and {k: v for k, v in m.subgroup.items() if k != column} == own
            and replace(m.which.series, subgroup=key.subgroup) == key
        ]
        return sorted(found, key=lambda one: one.name), None

    def _of_file(
        self, name: str, measure: Measure, kind: str, before: records.Look | None
    ) -> tuple[list[LookBlock], int | None]:
        """The file as one block, or those of its rows that no look has counted."""
        counted = None if self.run is None else self.run.counted
        if kind == "file" or before is None or counted is None:
            return [counted_block(name, measure)], 0 if kind == "row" else None
        fresh = fresh_rows(self.state, str(self.entry.dataset), counted)
        seen = int((~fresh).sum())
        if seen == 0 or any(one.name == name for one in before.blocks):
            return [counted_block(name, measure)], seen
        own = measure_of(self.state, measure, fresh) if fresh.any() else None
        return [] if own is None else [counted_block(name, own)], seen

    def _looked(
        self,
        number: int,
        blocks: tuple[LookBlock, ...],
        seen: tuple[str, ...],
        kind: str,
        sofar: Sofar,
        before: records.Look | None,
    ) -> records.Look:
        entry, plan = self.entry, self.plan
        made = records.Look(
            criterion=entry.criterion,
            text=entry.text,
            dataset=str(entry.dataset),
            model=str(entry.model),
            subgroup=entry.subgroup,
            threshold_asked=entry.threshold_asked,
            measure=entry.measure,
            look=number,
            planned=plan.planned,
            spending=plan.rule,
            alpha=plan.alpha,
            recognised_by=kind,
            blocks=blocks,
            seen_before=seen,
            spent=None,
            boundary=None,
            rows=sofar.rows,
            numerator=None if sofar.counts is None else sofar.counts[0],
            denominator=None if sofar.counts is None else sofar.counts[1],
            value=sofar.value,
            standard_error=sofar.standard_error,
            interval=None,
            before=() if before is None else (*before.before, before.now),
            now=records.CONTINUE,
            outcome=records.CONTINUE,
            decided_at=None,
            previous=None if before is None or self.run is None else self.run.name,
        )
        by_id = {m.id: m for m in self.state.measures}
        return judged(made, entry, sofar, share_method(by_id[str(entry.measure)]))


def share_method(measure: Measure | None) -> str:
    """The method of a share: that of the measure, where it is one for counts."""
    interval = None if measure is None else measure.interval
    named = "" if interval is None else interval.method
    return named if named in PROPORTION_METHODS else "wilson"


def judged(look: records.Look, entry: records.Criterion, sofar: Sofar, method: str) -> records.Look:
    """The look with its limits, and the outcome that stands after it.

    ``sofar``: all its blocks together; ``method``: of a share, for counts.
    """
    limits, boundary, spent = _limits(look, entry, sofar, method)
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


def so_far(blocks: Sequence[LookBlock]) -> Sofar | None:
    """Blocks together; None where they give no value."""
    return together([_block(one) for one in blocks])


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


def _key(one: records.Criterion | records.Look) -> tuple[object, ...]:
    return one.text, one.dataset, one.model, dict(one.subgroup), one.threshold_asked


def _block(one: LookBlock) -> Block:
    return Block(one.rows, one.numerator, one.denominator, one.value, one.standard_error)


def counted_block(name: str, measure: Measure) -> LookBlock:
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
