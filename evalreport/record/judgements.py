"""Judgements on measures again: criteria, declared values, gaps of subgroups, baselines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.record.checks import OF_THE_SPEC, Apart, Finding, Known, Unchecked, checks, held
from evalreport.record.looks import look_of
from evalreport.record.measured_again import same
from evalreport.record.recorded_tables import NotRecorded
from evalreport.results.identity import WhichNumber
from evalreport.results.records import (
    CLAIMED,
    AgainstBaseline,
    Criterion,
    Declared,
    Gap,
    Interval,
    Measure,
    ReaderDifference,
    ReaderMean,
)

_ROUNDING = 1e-9
REFERENCE = "the difference from the reference is compared on rows, or with an earlier run"


@checks(
    Criterion,
    lambda r, _: f"criterion {r.criterion} ({r.text})",
    holds=("observed", "look", "limits"),
    unless={
        "criterion": OF_THE_SPEC,
        "params": OF_THE_SPEC,
        "required": OF_THE_SPEC,
        "threshold": OF_THE_SPEC,
        "margin": OF_THE_SPEC,
        "claim": OF_THE_SPEC,
        "reference_value": REFERENCE,
        "difference": REFERENCE,
        "interval": REFERENCE,
        "look": "it is the number of the look, which is checked by itself",
        "breaches_in_a_row": "the outcomes of earlier runs are not in the results",
    },
)
def criterion(record: Criterion, known: Known) -> list[Finding] | Unchecked:
    """What is observed is what the measure says, and the outcome follows from it."""
    if record.measure is None:
        return Unchecked("it is about no measure: its limit is on drift, or nothing was measured")
    if record.outcome in CLAIMED:
        return Unchecked("a claim is judged by every declared method: verify --rerun does it again")
    measure = known.results.measure(record.measure)
    found: list[Finding] = []
    if record.look is not None:
        return list(_of_look(record, known))
    if record.readers:
        return [*_of_readers(record, measure, known), *_outcome(record, measure)]
    if record.reference is None and record.observed is not None:
        expected = _observed(record, measure)
        if expected is None or not _near(record.observed, expected):
            found.append(f"observed is {record.observed!r}, its measure says {expected!r}")
    if record.reference is None:
        found.append(held("observed"))
    if record.limits is not None:
        found.append(_limits_again(record.limits, measure, known))
    return [*found, *_outcome(record, measure)]


def _limits_again(limits: Interval, measure: Measure, known: Known) -> Finding:
    """The limits by the method that a criterion names, from the recorded table."""
    try:
        again = known.model(measure.dataset, measure.model).limits(measure, limits.method)
    except NotRecorded as absent:
        return Apart(str(absent), frozenset(["limits"]))
    if again is None or not same(replace(again, why=limits.why), limits):
        return f"limits are {limits}, the recorded tables give {again}"
    return held("limits")


def _of_look(record: Criterion, known: Known) -> Iterator[Finding]:
    """What is observed is what its look says; the look is checked by itself."""
    yield held("observed", "look")
    own = look_of(record, known)
    if own is None or own.look != record.look:
        yield "there is no such look"
        return
    limits = own.interval
    expected = own.value
    if record.bound != "point":
        expected = None if limits is None else limits.low
        if record.bound == "upper" and limits is not None:
            expected = limits.high
    if record.observed != expected:
        yield f"observed is {record.observed!r}, its look says {expected!r}"


def _of_readers(record: Criterion, measure: Measure, known: Known) -> Iterator[Finding]:
    """What is observed is what the mean over readers, or the difference of two, says."""
    yield held("observed")
    own: ReaderMean | ReaderDifference | None
    if record.reference is None:
        own = next((one for one in known.results.of(ReaderMean) if one.is_over(measure)), None)
        value = None if own is None else own.value
    else:
        at = (measure.dataset, measure.model, measure.metric, measure.threshold)
        own = next(
            (
                one
                for one in known.results.of(ReaderDifference)
                if (one.dataset, one.model, one.metric, one.threshold) == at
                and f"model {one.reference}" == record.reference
            ),
            None,
        )
        value = None if own is None else own.difference
    if own is None:
        yield "there is no mean over readers of its measure"
        return
    if record.bound != "point":
        limits = own.interval
        value = None if limits is None else limits.low if record.bound == "lower" else limits.high
    if record.observed != value:
        yield f"observed is {record.observed!r}, the mean over readers says {value!r}"


def _observed(record: Criterion, measure: Measure) -> float | None:
    if record.bound == "point":
        return math.inf if measure.state == "infinite" else measure.value
    limits = record.limits or measure.interval
    if limits is None:
        return None
    return limits.low if record.bound == "lower" else limits.high


def _outcome(record: Criterion, measure: Measure) -> Iterator[str]:
    # an infinite value or limit stands in no record
    infinite = math.inf if _observed(record, measure) == math.inf else None
    observed = infinite if record.observed is None else record.observed
    if observed is None or record.required is None:
        if record.outcome != "not_evaluated":
            yield f"outcome is {record.outcome}, and nothing was observed"
        return
    reached = observed >= record.required
    kept = observed <= record.required
    expected = "pass" if (reached if record.direction == "at_least" else kept) else "fail"
    if record.outcome in ("pass", "fail") and record.outcome != expected:
        yield f"outcome is {record.outcome}, {observed!r} observed makes it {expected}"


@checks(
    Declared,
    lambda r, _: f"declared value {r.declared} ({r.metric})",
    holds=("measured", "difference"),
    unless={
        "declared": OF_THE_SPEC,
        "params": OF_THE_SPEC,
        "threshold": OF_THE_SPEC,
        "value": OF_THE_SPEC,
        "interval": OF_THE_SPEC,
        "p_value": OF_THE_SPEC,
    },
)
def declared(record: Declared, known: Known) -> list[Finding] | Unchecked:
    """The measured value is that of the measure; difference and whether it is within follow."""
    if record.measure is None:
        return Unchecked("nothing was measured to hold the declared value against")
    measure = known.results.measure(record.measure)
    return [*_against(record, measure), held("measured", "difference")]


def _against(record: Declared, measure: Measure) -> Iterator[str]:
    if record.measured != measure.value:
        yield f"measured is {record.measured!r}, its measure says {measure.value!r}"
    if record.measured is not None and record.difference is not None:
        expected = record.measured - record.value
        if not _near(record.difference, expected):
            yield f"difference is {record.difference!r}, the two values give {expected!r}"
    if measure.interval is not None:
        inside = measure.interval.low <= record.value <= measure.interval.high
        if record.within is not inside:
            yield f"within is {record.within!r}, the interval of the measure says {inside!r}"


@checks(
    Gap,
    lambda r, _: f"gap of {r.measure} against {r.against_measure}",
    holds=("value", "n", "against_value", "against_n", "gap", "ratio"),
    unless={
        "params": OF_THE_SPEC,
        "threshold": OF_THE_SPEC,
        "gap_interval": OF_THE_SPEC,
        "ratio_interval": OF_THE_SPEC,
    },
)
def gap(record: Gap, known: Known) -> Iterator[Finding]:
    """Values and rows are those of the two measures; gap and ratio follow from them."""
    pairs = (
        ("value", record.value, record.n, known.results.measure(record.measure)),
        ("against_value", record.against_value, record.against_n,
         known.results.measure(record.against_measure)),
    )  # fmt: skip
    for name, value, n, measure in pairs:
        if value != measure.value or n != measure.n:
            told = f"{measure.value!r} of {measure.n} rows"
            yield f"{name} is {value!r} of {n} rows, its measure says {told}"
    yield held("value", "n", "against_value", "against_n", "gap", "ratio")
    one, two = record.value, record.against_value
    left_out = {frozenset(measure.left_out) for *_, measure in pairs}
    difference = None if one is None or two is None or len(left_out) > 1 else one - two
    metric = find(record.metric)
    no_ratio = difference is None or not two or metric is None or metric.bounds[0] < 0
    ratio = None if no_ratio or one is None or not two else one / two
    for name, stated, expected in (("gap", record.gap, difference), ("ratio", record.ratio, ratio)):
        same = stated is None if expected is None else stated is not None
        if not same or (stated is not None and not _near(stated, expected or 0.0)):
            yield f"{name} is {stated!r}, the two values give {expected!r}"


def _near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=_ROUNDING)


@checks(
    AgainstBaseline,
    lambda r, _: f"{r.model} against {r.baseline}, {r.metric}",
    holds=("value", "baseline_value", "interval"),
    unless={"params": OF_THE_SPEC, "difference": "the two models are compared row by row"},
)
def against_baseline(record: AgainstBaseline, known: Known) -> Iterator[Finding]:
    """Values are those of the measure and the baseline; the outcome is what the interval says."""
    measure = known.results.measure(record.measure)
    if record.value != measure.value:
        yield f"value is {record.value!r}, its measure says {measure.value!r}"
    yield from _baseline_value(record, known)
    yield held("value")
    interval, against = record.interval, record.baseline_value
    if record.baseline != "previous":
        yield held("interval.low", "interval.high")
    if record.baseline == "previous":
        against = 0.0
    elif interval is not None and _limits(interval) != _limits(measure.interval):
        yield "the interval is not that of its measure"
    if record.outcome == "not_judged":
        return
    if interval is None:
        yield f"outcome is {record.outcome}, and there is no interval"
        return
    above, below = interval.low > against, interval.high < against
    if record.goal == "minimize":
        above, below = below, above
    expected = "better" if above else "worse" if below else "not_shown"
    if record.outcome != expected:
        yield f"outcome is {record.outcome}, the interval says {expected}"


def _baseline_value(record: AgainstBaseline, known: Known) -> Iterator[Finding]:
    """That of guessing has no record of its own: it is made again from the class shares."""
    if record.baseline == "chance":
        return
    key = (record.dataset, record.baseline, WhichNumber.of(record).quantity)
    if record.baseline_value != known.baselines.get(key):
        yield f"the value of the baseline is {record.baseline_value!r}, its own record differs"
    yield held("baseline_value")


def _limits(interval: Interval | None) -> tuple[Any, Any]:
    return (None, None) if interval is None else (interval.low, interval.high)
