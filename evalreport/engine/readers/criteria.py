"""Criteria on what several readers say: held against the mean over them, not pooled readings.

A limit of pooled readings allows for the cases alone. Where readers are declared, a criterion on
recall, specificity or the area under the ROC curve of all rows is therefore judged by the mean
over the readers with its interval, and one against another model by the difference of the two
means; subgroups and all other metrics have pooled values only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalreport.engine.acceptance import FAIL, NOT_EVALUATED, PASS
from evalreport.results.records import Criterion, Measure, ReaderDifference, ReaderMean


def over_readers(
    judged: Sequence[Criterion],
    measures: Sequence[Measure],
    means: Sequence[ReaderMean],
    differences: Sequence[ReaderDifference],
) -> list[Criterion]:
    """The outcomes, those on a measure that has a mean over readers judged by that."""
    by_id = {m.id: m for m in measures}
    return [_judged(one, by_id.get(one.measure or ""), means, differences) for one in judged]


def _judged(
    entry: Criterion,
    measure: Measure | None,
    means: Sequence[ReaderMean],
    differences: Sequence[ReaderDifference],
) -> Criterion:
    if measure is None:
        return entry
    own = next((one for one in means if one.is_over(measure)), None)
    if own is None:
        return entry
    if entry.reference is None:
        return _by_limit(entry, own)
    difference = next(
        (one for one in differences if _is_against(one, measure, entry.reference)), None
    )
    return entry if difference is None else _by_limit(entry, difference)


def _is_against(one: ReaderDifference, measure: Measure, reference: str) -> bool:
    return (
        (one.dataset, one.model, one.metric) == (measure.dataset, measure.model, measure.metric)
        and f"model {one.reference}" == reference
        and one.threshold == measure.threshold
    )


def _by_limit(entry: Criterion, own: ReaderMean | ReaderDifference) -> Criterion:
    """The same criterion with what the mean, or the difference of two, gives for it."""
    is_mean = isinstance(own, ReaderMean)
    value = own.value if isinstance(own, ReaderMean) else own.difference
    limits = own.interval
    observed, reason = value, None
    if entry.bound != "point":
        observed = None if limits is None else limits.low if entry.bound == "lower" else limits.high
    if observed is None:
        reason = f"the mean over readers has no interval: {own.reason}" if own.reason else None
    outcome = NOT_EVALUATED
    if observed is not None and entry.required is not None:
        high = entry.direction == "at_least"
        met = observed >= entry.required if high else observed <= entry.required
        outcome = PASS if met else FAIL
    found = replace(entry, observed=observed, outcome=outcome, reason=reason, readers=True)
    if is_mean:
        return found
    return replace(found, difference=value, interval=limits)
