"""Whether what is said of models and baselines follows from the numbers beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalreport.record.checks import OF_THE_SPEC, Finding, Known, checks, held
from evalreport.results.identity import WhichNumber
from evalreport.results.records import AgainstBaseline, Interval


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
    if record.baseline_value != _value(record, known):
        yield f"the value of the baseline is {record.baseline_value!r}, its own record differs"
    yield held("value", "baseline_value")
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


def _value(record: AgainstBaseline, known: Known) -> float | None:
    key = (record.dataset, record.baseline, WhichNumber.of(record).quantity)
    return known.baselines.get(key)


def _limits(interval: Interval | None) -> tuple[Any, Any]:
    return (None, None) if interval is None else (interval.low, interval.high)
