"""Claims: whether what somebody printed follows from the counts, by which method, or from which.

A printed number is reproduced where the number found here, rounded to as many digits, is the
printed one; a tie may be rounded either way. A claim with limits is reproduced by a method
where the value and both limits are. Where a source states its method only that one makes
the claim ``reproduced``; any other makes it ``other_method``. Methods that draw resamples are
not tried: their limits change with the draw.

A paper may print values of other counts than it states. Every table whose cells each differ
by no more than a few from the given one is held against the claims: first the values, for all
tables together, then the limits of those tables that are left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from evalreport.engine.acceptance import Criterion
from evalreport.engine.measures import Measurer, TaskMeasurer, limits_by
from evalreport.engine.reference.criteria import selected
from evalreport.metrics.catalogue import find, metric_named
from evalreport.metrics.declare import Average, Interval, Metric, Table
from evalreport.metrics.formula import Ratio
from evalreport.metrics.kinds import Design
from evalreport.metrics.methods import DRAWN, offered
from evalreport.metrics.tables import Counts, Matrix
from evalreport.plan.inputs import Facts
from evalreport.plan.label_sets import label_facts
from evalreport.plan.methods import design_of
from evalreport.plan.task import Task
from evalreport.results import records
from evalreport.results.records import Measure
from evalreport.spec.claims import Claim, ClaimCriterion
from evalreport.statistics.proportions import PROPORTION_METHODS

if TYPE_CHECKING:
    from evalreport.engine.run_state import Key, RunState

#: How far each cell may be from the given one.
REACH = 5
#: Tables that are named; where more fit, the claims do not tell which.
MOST_NAMED = 5
#: Of so many tables that have the printed values limits are still worked out.
MOST_WITH_VALUES = 2_000
#: Beyond half of the last digit: what binary fractions are off by.
SLACK = 1e-9

AnyMeasurer: TypeAlias = TaskMeasurer[Any, Any]
Four: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True)
class Printed:
    """A value and its limits as printed; shares times ``scale``."""

    value: Decimal
    low: Decimal | None
    high: Decimal | None
    scale: int

    @property
    def has_limits(self) -> bool:
        """Whether a limit is printed."""
        return self.low is not None or self.high is not None

    def value_is(self, number: float) -> bool:
        """Whether a number, rounded to the printed digits, is the printed value."""
        return bool(self.values_are(np.array([number]))[0])

    def values_are(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """The same for many numbers."""
        return same_digits(self.value, numbers * self.scale)

    def limits_are(self, low: float, high: float) -> bool:
        """Whether limits, rounded to the printed digits, are those that are printed."""
        pairs = ((self.low, low), (self.high, high))
        return all(
            text is None or bool(same_digits(text, np.array([found * self.scale]))[0])
            for text, found in pairs
        )

    def rounded(self, number: float) -> str:
        """A number with as many digits as the value is printed with."""
        places = max(-int(self.value.as_tuple().exponent), 0)
        return f"{number * self.scale:.{places}f}"


def same_digits(printed: Decimal, found: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Whether numbers round to the printed one; a tie may be rounded either way.

    >>> same_digits(Decimal("97.52"), np.array([97.5248, 97.512])).tolist()
    [True, False]
    """
    half = 0.5 * 10.0 ** int(printed.as_tuple().exponent)
    close: npt.NDArray[np.bool_] = np.abs(found - float(printed)) <= half * (1 + SLACK) + SLACK
    return close


@dataclass(frozen=True)
class Held:
    """A claim as a condition on TP, FN, FP and TN.

    ``other``: it is of the negative class. ``limits_left_out``: only its value is held.
    """

    number: int
    metric: Metric
    arguments: Mapping[str, Any]
    other: bool
    printed: Printed
    level: float
    method: str | None
    limits_left_out: bool = False

    def of(self, tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        """The metric of four cells, or of arrays of them, as arithmetic."""
        if self.metric.table is Table.MATRIX:
            return self.metric(Matrix.from_counts([[tn, fp], [fn, tp]]), **self.arguments)
        if self.other:
            tp, fn, fp, tn = tn, fp, fn, tp
        return self.metric(Counts(tp=tp, fp=fp, fn=fn, tn=tn), **self.arguments)

    def methods(self, cells: Four) -> set[str]:
        """The methods by which the limits are the printed ones."""
        found = self.of(*cells)
        if not isinstance(found, Ratio):
            return set()
        top, bottom = float(found.top.exact()), float(found.bottom.exact())
        known = {
            name: partial(function, top, bottom, self.level)
            for name, function in PROPORTION_METHODS.items()
        }
        if self.metric.limits is not None:
            four = (cells[3], cells[2], cells[1], cells[0]) if self.other else cells
            known["mercaldo"] = partial(self.metric.limits, *four, level=self.level)
        return {
            name
            for name, limits_of in known.items()
            if self.method in (None, name)
            and (limits := limits_of()) is not None
            and self.printed.limits_are(*limits)
        }


@dataclass(frozen=True)
class Near:
    """How many tables were looked at, how many fit, and the nearest of those if they are few."""

    within: int
    searched: int
    found: int | None
    nearest: tuple[Four, ...] = ()


def neighbouring(cells: Four, claims: Sequence[Held]) -> Near:
    """The tables within ``REACH`` of each cell that reproduce all claims at once.

    Claims that state no method have to be reproduced by one method together. ``found`` is None
    where too many tables have the printed values for their limits to be worked out.
    """
    ranges = [np.arange(max(cell - REACH, 0), cell + REACH + 1) for cell in cells]
    grid = [axis.ravel() for axis in np.meshgrid(*ranges, indexing="ij")]
    fits = np.ones(len(grid[0]), np.bool_)
    with np.errstate(all="ignore"):
        for claim in claims:
            values = np.asarray(claim.of(*grid).array(), np.float64)
            fits &= np.isfinite(values) & claim.printed.values_are(values)
    places = np.flatnonzero(fits)
    with_limits = [c for c in claims if c.printed.has_limits and not c.limits_left_out]
    if len(places) > MOST_WITH_VALUES and with_limits:
        return Near(REACH, len(fits), None)
    kept = [
        four for place in places.tolist() if _all_limits(four := _four(grid, place), with_limits)
    ]
    kept.sort(key=lambda four: (sum(abs(a - b) for a, b in zip(four, cells, strict=True)), four))
    few = len(kept) <= MOST_NAMED
    return Near(REACH, len(fits), len(kept), tuple(kept) if few else ())


def _four(grid: Sequence[npt.NDArray[Any]], place: int) -> Four:
    tp, fn, fp, tn = (int(axis[place]) for axis in grid)
    return tp, fn, fp, tn


def _all_limits(four: Four, claims: Sequence[Held]) -> bool:
    shared: set[str] | None = None
    for claim in claims:
        found = claim.methods(four)
        if not found:
            return False
        if claim.method is None:
            shared = found if shared is None else shared & found
            if not shared:
                return False
    return True


REPRODUCED, OTHER, NOT_REPRODUCIBLE = "reproduced", "other_method", "not_reproducible"


def claim_records(state: RunState) -> list[records.Claim]:
    """Every claim on every number that it means, with its verdict."""
    by_id = {m.id: m for m in state.measures}
    return [
        _record(state, number, one, entry, by_id.get(entry.measure or ""))
        for number, one in enumerate(state.prepared.loaded.spec.claims, start=1)
        for entry in selected(state, one)
    ]


def printed_of(claim: Claim) -> Printed:
    """The numbers of a claim as printed, and by how much shares were multiplied for them."""
    texts = (claim.value, claim.low, claim.high)
    value, low, high = (None if text is None else Decimal(text) for text in texts)
    assert value is not None
    return Printed(value, low, high, 100 if claim.unit == "percent" else 1)


def _record(
    state: RunState,
    number: int,
    asked: Claim,
    entry: records.Criterion,
    measure: Measure | None,
) -> records.Claim:
    printed = printed_of(asked)
    value = None if measure is None or measure.state != "value" else measure.value
    tried: dict[str, records.Interval | None] = {}
    if measure is not None and value is not None and printed.has_limits:
        tried = _tried(state, asked, measure)
    by = tuple(
        name
        for name, limits in tried.items()
        if limits is not None and printed.limits_are(limits.low, limits.high)
    )
    same = value is not None and printed.value_is(value)
    outcome, reason = _verdict(asked, printed, same, by, entry.reason, value)
    method = asked.method if asked.method in by else next(iter(by), None)
    shown = (
        method
        or asked.method
        or (None if measure is None or measure.interval is None else measure.interval.method)
    )
    return records.Claim(
        claim=number,
        metric=asked.metric.name,
        params=dict(asked.metric.params),
        average=None if measure is None else measure.average,
        label=None if measure is None else measure.label,
        dataset=entry.dataset,
        model=entry.model,
        subgroup=entry.subgroup,
        threshold=entry.threshold,
        threshold_asked=entry.threshold_asked,
        measure=entry.measure,
        value=asked.value,
        low=asked.low,
        high=asked.high,
        unit=asked.unit,
        level=asked.level,
        method=asked.method,
        source=asked.source,
        observed=value,
        interval=tried.get(shown or "") if tried else None,
        outcome=outcome,
        value_reproduced=None if value is None else same,
        by=method if same and outcome in (REPRODUCED, OTHER) else None,
        also_by=tuple(name for name in by if name != method) if same else (),
        tried=tuple(tried),
        reason=reason,
    )


def _verdict(
    asked: Claim,
    printed: Printed,
    same: bool,
    by: Sequence[str],
    why: str | None,
    value: float | None,
) -> tuple[str, str | None]:
    """The outcome of a claim, and the reason where it is not reproduced."""
    if value is None:
        return "not_evaluated", why or "there is no such value"
    if not same:
        found = printed.rounded(value)
        return NOT_REPRODUCIBLE, f"the counts give {found}, the claim prints {asked.value}"
    if not printed.has_limits:
        return REPRODUCED, None
    if asked.method in by or (by and asked.method is None):
        return REPRODUCED, None
    if by:
        return OTHER, f"its limits are by {by[0]}, but the claim states {asked.method}"
    return NOT_REPRODUCIBLE, "the value follows from the counts, its limits by no method"


def _tried(state: RunState, asked: Claim, measure: Measure) -> dict[str, records.Interval | None]:
    """The limits of a measure by every method that is declared for its metric and draws nothing."""
    found_again = again_of(state, measure, asked.level)
    metric = find(measure.metric)
    if found_again is None or metric is None:
        return {}
    measurer, task, facts = found_again
    average = None if task.average is None else Average(task.average)
    found: dict[str, records.Interval | None] = {}
    designs = (design_of(facts), Design.ROWS)
    known = (offered(metric, average, own, two_classes=facts.two_classes) for own in designs)
    for method in dict.fromkeys(chain.from_iterable(known)):
        if method in DRAWN:
            continue
        computed = measurer.compute(replace(task, interval=method, why=""))
        limits = computed.interval
        if limits is not None and limits.method == method:
            found[method] = replace(limits, why=None)
    return found


def again_of(
    state: RunState, measure: Measure, level: float | None = None
) -> tuple[AnyMeasurer, Task, Facts] | None:
    """What makes a measure again, with its task and facts; None where that is not known.

    Of sets of labels at the level of the report alone.
    """
    key = (measure.dataset, measure.model)
    task, facts = _task(state, measure), _facts(state, key)
    if task is None or (facts.label_sets and level is not None):
        return None
    if facts.label_sets:
        own = facts if task.label is None else label_facts(facts, task.label)
        return state.set_measurers[key], task, own
    settings, tables = state.prepared.settings, state.tables[key]
    settings = settings if level is None else replace(settings, level=level)
    measurer = Measurer(tables.view, tables, settings, state.thresholds[key])
    planned = [one for one in state.prepared.plan.tasks if (one.dataset, one.model) == key]
    measurer.announce([one for one in planned if "highest" in metric_named(one.metric).context])
    return measurer, task, facts


def _facts(state: RunState, key: Key) -> Facts:
    return next(f for f in state.prepared.facts if (f.dataset, f.model) == key)


def limits_of(state: RunState, criterion: Criterion, measure: Measure) -> records.Interval | str:
    """The limits of a measure by the method that a criterion names, or why there are none."""
    found = again_of(state, measure)
    if found is None or criterion.method is None:
        return "the value is not one that was planned"
    measurer, task, facts = found
    limits, reason = limits_by(measurer, task, facts, criterion.method)
    return limits if limits is not None else reason or "it gives no limits"


def _task(state: RunState, measure: Measure) -> Task | None:
    """The task of the plan that a measure is the outcome of."""
    for task in state.prepared.plan.tasks:
        if (
            (task.dataset, task.model, task.metric)
            == (measure.dataset, measure.model, measure.metric)
            and task.where == measure.where
            and dict(task.params) == dict(measure.params)
            and (task.average, task.indeterminate) == (measure.average, measure.indeterminate)
            and task.label in (None, measure.label)
            and _at(state, task) == (measure.threshold, measure.threshold_rule)
        ):
            return task
    return None


def _at(state: RunState, task: Task) -> tuple[float | None, str | None]:
    if task.threshold is None:
        return None, None
    resolved = state.thresholds[task.dataset, task.model].get(task.threshold)
    return (None if resolved is None else resolved.number), task.threshold.text


def claim_counts(state: RunState, claims: Sequence[records.Claim]) -> list[records.ClaimCounts]:
    """Where claims on one table are not all reproduced: the nearby tables that do reproduce all."""
    spec_claims = state.prepared.loaded.spec.claims
    tables = {t.id: t.record() for e in state.evaluations for t in e.tables}
    by_id = {m.id: m for m in state.measures}
    own: dict[str, list[records.Claim]] = {}
    for claim in claims:
        place = by_id[claim.measure].table if claim.measure in by_id else None
        if place is not None:
            own.setdefault(place, []).append(claim)
    found = []
    for name, entries in own.items():
        table = tables[name]
        cells = _cells(table)
        if cells is None or all(one.outcome == REPRODUCED for one in entries):
            continue
        held = [
            one
            for entry in entries
            if (one := _held(entry, spec_claims[entry.claim - 1], table)) is not None
        ]
        if not held:
            continue
        near = neighbouring(cells, held)
        found.append(
            records.ClaimCounts(
                dataset=table.dataset,
                model=table.model,
                table=name,
                claims=tuple(one.number for one in held),
                by_value_only=tuple(one.number for one in held if one.limits_left_out),
                within=near.within,
                searched=near.searched,
                found=near.found,
                nearest=tuple(
                    records.Cells(tp=tp, fn=fn, fp=fp, tn=tn) for tp, fn, fp, tn in near.nearest
                ),
            )
        )
    return found


def _cells(table: records.Table) -> tuple[int, int, int, int] | None:
    """TP, FN, FP, TN of a whole table of two classes; None for any other."""
    counts = table.counts
    if counts is None or len(table.labels) != 2 or table.positive is None or table.extra_columns:
        return None
    if not all(isinstance(cell, int) for row in counts for cell in row):
        return None
    p = list(table.labels).index(table.positive)
    tp, fn, fp, tn = counts[p][p], counts[p][1 - p], counts[1 - p][p], counts[1 - p][1 - p]
    assert tp is not None and fn is not None and fp is not None and tn is not None  # noqa: PT018
    return int(tp), int(fn), int(fp), int(tn)


def _held(entry: records.Claim, asked: Claim, table: records.Table) -> Held | None:
    """A claim as a condition on the four cells; None where it is no function of them alone."""
    metric = find(entry.metric)
    if metric is None or metric.context or metric.table.value not in ("counts", "matrix"):
        return None
    if entry.average is not None:
        return None
    other = entry.label not in (None, table.positive)
    return Held(
        entry.claim,
        metric,
        metric.arguments(dict(entry.params)),
        other,
        printed_of(asked),
        asked.level,
        asked.method,
        limits_left_out=metric.interval is not Interval.PROPORTION and asked.low is not None,
    )


def claim_criteria(state: RunState, claims: Sequence[records.Claim]) -> list[records.Criterion]:
    """The outcome of every claim as a criterion, where the spec asks for that."""
    return [
        _criterion(number, one)
        for number, asked in enumerate(state.prepared.loaded.spec.acceptance, start=1)
        if isinstance(asked, ClaimCriterion)
        for one in claims
    ]


def _criterion(number: int, one: records.Claim) -> records.Criterion:
    return records.Criterion(
        criterion=number,
        text=f"claim {one.claim}: {one.metric} {_as_printed(one)} is reproduced",
        metric=one.metric,
        params=one.params,
        dataset=one.dataset,
        model=one.model,
        subgroup=one.subgroup,
        threshold=one.threshold,
        threshold_asked=one.threshold_asked,
        measure=one.measure,
        bound="point",
        required=None,
        observed=one.observed,
        outcome=one.outcome,
        reason=one.reason,
        claim=one.claim,
    )


def _as_printed(one: records.Claim) -> str:
    sign = " %" if one.unit == "percent" else ""
    if one.low is None or one.high is None:
        return f"{one.value}{sign}"
    return f"{one.value} ({one.low} to {one.high}){sign}"
