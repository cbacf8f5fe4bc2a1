"""Values declared elsewhere, beside the measured ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalreport.engine.reference.criteria import selected
from evalreport.metrics.estimates import estimate_of
from evalreport.results import records
from evalreport.results.records import Measure
from evalreport.spec.acceptance import Declared
from evalreport.statistics.tail import binomial_greater, binomial_less

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState


def declared_records(state: RunState) -> tuple[records.Declared, ...] | None:
    """Every declared value; None where there is none."""
    asked = state.prepared.loaded.spec.declared
    if not asked:
        return None
    by_id = {m.id: m for m in state.measures}
    return tuple(
        _record(number, one, entry, by_id.get(entry.measure or ""))
        for number, one in enumerate(asked, start=1)
        for entry in selected(state, one)
    )


def _record(
    number: int, asked: Declared, entry: records.Criterion, measure: Measure | None
) -> records.Declared:
    value = None if measure is None else measure.value
    interval = None if measure is None else measure.interval
    test, p_value = _test(asked.value, measure)
    return records.Declared(
        declared=number,
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
        source=asked.source,
        measured=value,
        interval=interval,
        difference=None if value is None else value - asked.value,
        within=None if interval is None else interval.low <= asked.value <= interval.high,
        test=test,
        p_value=p_value,
        reason=entry.reason,
    )


def _test(declared: float, measure: Measure | None) -> tuple[str | None, float | None]:
    """Two-sided exact binomial test of a share of independent rows: twice the smaller tail."""
    estimate = None if measure is None else estimate_of(measure)
    if estimate is None or estimate.fraction is None or not 0.0 <= declared <= 1.0:
        return None, None
    tails = [tail(*estimate.fraction, declared) for tail in (binomial_greater, binomial_less)]
    return "binomial_exact", min(1.0, 2.0 * min(tails))
