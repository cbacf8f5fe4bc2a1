"""Values declared elsewhere, beside the measured ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evalreport.engine.records import Measure
from evalreport.engine.reference.criteria import selected
from evalreport.metrics.recorded import estimate_of
from evalreport.spec.acceptance import Declared
from evalreport.statistics.tail import binomial_greater, binomial_less

if TYPE_CHECKING:
    from evalreport.engine.working import Working


def declared_records(working: Working) -> dict[str, Any]:
    """The part of ``results.json`` with every declared value; nothing where there is none."""
    asked = working.prepared.loaded.spec.declared
    by_id = {m.id: m for m in working.measures}
    found = [
        _record(number, one, entry, by_id.get(entry["measure"]))
        for number, one in enumerate(asked, start=1)
        for entry in selected(working, one)
    ]
    return {"declared": found} if asked else {}


def _record(
    number: int, asked: Declared, entry: Mapping[str, Any], measure: Measure | None
) -> dict[str, Any]:
    value = None if measure is None else measure.value
    interval = None if measure is None or measure.interval is None else measure.interval
    return {
        "declared": number,
        "metric": asked.metric.name,
        "params": dict(asked.metric.params),
        "average": None if measure is None else measure.average,
        "label": None if measure is None else measure.label,
        "dataset": entry["dataset"],
        "model": entry["model"],
        "subgroup": entry["subgroup"],
        "threshold": entry["threshold"],
        "threshold_asked": entry["threshold_asked"],
        "measure": entry["measure"],
        "value": asked.value,
        "source": asked.source,
        "measured": value,
        "interval": None if interval is None else interval.as_json(),
        "difference": None if value is None else value - asked.value,
        "within": None if interval is None else interval.low <= asked.value <= interval.high,
        **_test(asked.value, measure),
        "reason": entry["reason"],
    }


def _test(declared: float, measure: Measure | None) -> dict[str, Any]:
    """Two-sided exact binomial test of a share of independent rows: twice the smaller tail."""
    estimate = None if measure is None else estimate_of(measure.as_json())
    if estimate is None or estimate.fraction is None or not 0.0 <= declared <= 1.0:
        return {"test": None, "p_value": None}
    tails = [tail(*estimate.fraction, declared) for tail in (binomial_greater, binomial_less)]
    return {"test": "binomial_exact", "p_value": min(1.0, 2.0 * min(tails))}
