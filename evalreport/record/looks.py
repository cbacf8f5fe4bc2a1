"""Looks at criteria again: totals of the blocks, boundary, interval, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evalreport.metrics.catalogue import find
from evalreport.record.checks import OF_THE_SPEC, Finding, Known, checks, held
from evalreport.results.records import Criterion, Interval, Look, LookBlock, Measure
from evalreport.statistics.interval import Interval as Limits
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

_ROUNDING = 1e-9


@checks(
    Look,
    lambda r, _: f"look {r.look} at criterion {r.criterion} ({r.text})",
    holds=("rows", "numerator", "denominator", "value", "standard_error", "boundary", "spent",
           "interval", "criterion", "look"),
    unless={
        "blocks": "blocks of earlier looks were counted by the runs before",
        "rows_seen": "which rows were counted before is known by their digests alone",
        "planned": OF_THE_SPEC,
        "alpha": OF_THE_SPEC,
        "decided_at": "it follows from the outcomes of all looks",
    },
)  # fmt: skip
def look(record: Look, known: Known) -> Iterator[Finding]:
    """What does not follow from the blocks, and blocks that are not as this run's measures say."""
    criterion = _criterion(record, known)
    if criterion is None:
        yield "there is no such criterion"
        return
    yield held("rows", "numerator", "denominator", "value", "standard_error", "criterion", "look")
    yield held("interval.level", "interval.low", "interval.high", "decided_at")
    if record.planned is not None:
        yield held("boundary", "spent")
    names = [one.name for one in record.blocks]
    if len(set(names)) < len(names):
        yield "a block is counted twice"
    if not set(record.seen_before) <= set(names):
        yield "it names blocks as seen before that were never counted"
    yield from _counts(record, known)
    sofar = together([_block(one) for one in record.blocks])
    if sofar is None:
        yield "its blocks give no value"
        return
    yield from _totals(record, sofar)
    yield from _limits(record, criterion, sofar)
    yield from _outcome(record, criterion, sofar)


def _criterion(record: Look, known: Known) -> Criterion | None:
    return next(
        (
            one
            for one in known.results.acceptance
            if one.look is not None
            and (one.criterion, one.dataset, one.model, dict(one.subgroup))
            == (record.criterion, record.dataset, record.model, dict(record.subgroup))
            and one.threshold_asked == record.threshold_asked
        ),
        None,
    )


def look_of(record: Criterion, known: Known) -> Look | None:
    """The look that an outcome comes from."""
    found = known.results.of(Look)
    return next((one for one in found if _criterion(one, known) == record), None)


def _counts(record: Look, known: Known) -> Iterator[str]:
    """Blocks that this run counted against its measures; others stand in the runs before."""
    if record.measure is None:
        return
    whole = known.results.measure(record.measure)
    files = {
        one.sha256 or "" for one in known.results.provenance.inputs if one.dataset == record.dataset
    }
    for block in record.blocks:
        if block.look != record.look or block.name in record.seen_before:
            continue
        if record.recognised_by != "period":
            measure = whole if block.name in files else None
        else:
            measure = _of_period(block, whole, known)
        if measure is None:
            continue
        if record.rows_seen:
            yield from _of_some_rows(block, measure)
            continue
        if block.rows != measure.n:
            yield f"{block.name} has {block.rows} rows, its measure says {measure.n}"
        if block.denominator and (block.numerator, block.denominator) != (
            measure.numerator,
            measure.denominator,
        ):
            yield f"{block.name} has other counts than its measure"
        if block.value is not None and block.value != measure.value:
            yield f"{block.name} is {block.value!r}, its measure says {measure.value!r}"


def _of_some_rows(block: LookBlock, whole: Measure) -> Iterator[str]:
    """A block of the rows that were new cannot hold more than the measure of all rows."""
    pairs = (
        (block.rows, whole.n),
        (block.numerator, whole.numerator),
        (block.denominator, whole.denominator),
    )
    if any(own is not None and of is not None and own > of for own, of in pairs):
        yield f"{block.name} holds more than its measure"


def _of_period(block: LookBlock, whole: Measure, known: Known) -> Measure | None:
    own = set(whole.subgroup.items())
    for one in known.results.measures_of(metric=whole.metric, fold=None):
        more = set(one.subgroup.items()) - own
        if (
            own <= set(one.subgroup.items())
            and [value for _, value in more] == [block.name]
            and (one.dataset, one.model, one.label, one.average, one.params, one.threshold)
            == (whole.dataset, whole.model, whole.label, whole.average, whole.params,
                whole.threshold)
        ):  # fmt: skip
            return one
    return None


def _totals(record: Look, sofar: Sofar) -> Iterator[str]:
    told = (record.numerator, record.denominator)
    if told != (sofar.counts or (None, None)):
        yield f"its counts are {told}, its blocks give {sofar.counts}"
    pairs = (
        ("rows", record.rows, sofar.rows),
        ("value", record.value, sofar.value),
        ("standard_error", record.standard_error, sofar.standard_error),
    )
    for name, stated, expected in pairs:
        if not _near(stated, expected):
            yield f"{name} is {stated!r}, its blocks give {expected!r}"


def _limits(record: Look, criterion: Criterion, sofar: Sofar) -> Iterator[str]:
    metric = find(criterion.metric)
    within = (-math.inf, math.inf) if metric is None else metric.bounds
    stated = record.interval
    if record.planned is None or record.spending is None:
        level = 1.0 - record.alpha
        found = endless_limits(sofar, level, float(criterion.required or 0.0), within)
        method = SEQUENCES[0] if sofar.counts is not None else SEQUENCES[1]
    else:
        sizes = tuple(
            sum(float(b.denominator or b.rows) for b in record.blocks if b.look <= k)
            for k in range(1, record.look + 1)
        )
        step = planned_look(sizes, record.planned, record.alpha / 2.0, record.spending)
        boundary = None if math.isinf(step.boundary) else step.boundary
        if not _near(record.boundary, boundary):
            yield f"boundary is {record.boundary!r}, the spending function gives {boundary!r}"
        if not _near(record.spent, 2.0 * step.spent):
            yield f"spent is {record.spent!r}, the spending function gives {2.0 * step.spent!r}"
        level = 1.0 - 2.0 * step.nominal
        share = stated.method if stated and stated.method in PROPORTION_METHODS else "wilson"
        method = share if sofar.counts is not None else "normal"
        found = planned_limits(sofar, step, method, within)
    yield from _interval(stated, found, level, method)


def _interval(
    stated: Interval | None, found: Limits | None, level: float, method: str
) -> Iterator[str]:
    if (stated is None) is not (found is None):
        yield "it has an interval where its boundary gives none, or none where there is one"
    elif stated is not None and found is not None:
        if stated.method != method:
            yield f"the method of its interval is {stated.method}, its counts give {method}"
        for name, told, expected in (
            ("level", stated.level, level),
            ("low", stated.low, found.low),
            ("high", stated.high, found.high),
        ):
            if not _near(told, expected):
                yield f"interval.{name} is {told!r}, {method} gives {expected!r}"


def _outcome(record: Look, criterion: Criterion, sofar: Sofar) -> Iterator[str]:
    high, required = criterion.direction == "at_least", float(criterion.required or 0.0)
    stated = record.interval
    limits = None if stated is None else Limits(stated.low, stated.high)
    now = outcome_of(limits, required, at_least=high)
    if record.now != now:
        yield f"now is {record.now}, its interval gives {now}"
    if len(record.before) != record.look - 1:
        yield f"it is look {record.look} and tells {len(record.before)} before it"
    outcome, at = standing((*record.before, now))
    if record.look == record.planned and at is None:
        outcome = closing(sofar, limits, required, criterion.bound, at_least=high)
        at = record.look
    if (record.outcome, record.decided_at) != (outcome, at):
        yield f"outcome is {record.outcome} at look {record.decided_at}, its looks give {outcome}"
    if criterion.outcome != record.outcome:
        yield f"the criterion is said to {criterion.outcome}, the look gives {record.outcome}"


def _block(one: LookBlock) -> Block:
    return Block(one.rows, one.numerator, one.denominator, one.value, one.standard_error)


def _near(told: float | None, expected: float | None) -> bool:
    if told is None or expected is None:
        return told is expected
    return math.isclose(told, expected, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
