"""The course of every measure over periods again, from the measures in results.json alone.

Values must be those of the measures, control limits and tests of shares of rows
follow from their counts, limits of other values from the values before them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from evalreport.record.checks import OF_THE_SPEC, Finding, Known, checks, held
from evalreport.record.recompute_changes import CHANGE_HELD, change_problems
from evalreport.results.records import ControlLimits, Measure, Period

TOLERANCE = 1e-9


@checks(
    Period,
    lambda _, place: f"periods, record {place + 1}",
    holds=("values", "change_statistic", "trend_statistic", *CHANGE_HELD),
    unless={
        "params": OF_THE_SPEC,
        "threshold": OF_THE_SPEC,
        "limits": OF_THE_SPEC,
        "change_df": OF_THE_SPEC,
        "change_p_value": OF_THE_SPEC,
        "trend_p_value": OF_THE_SPEC,
        "change.run_length": "limits of charts are worked out for it",
        "change.level": OF_THE_SPEC,
        "change.moved": "how rows lie before a change and after it needs the rows",
    },
)
def period(record: Period, known: Known) -> Iterator[Finding]:
    """What is not as the measures say."""
    yield held("values")
    own = [known.results.measure(name) for name in record.measures]
    if record.values != tuple(m.value for m in own):
        yield "its values are not those of its measures"
    column = record.column
    if record.periods != tuple(m.subgroup[column] for m in own):
        yield "its periods are not those of its measures"
    if list(record.periods) != sorted(set(record.periods)):
        yield "its periods are not in order"
    yield from _limits(own, record.limits)
    yield from _tests(record, [m for m in own if m.state == "value"])
    if record.change is not None:
        yield held(*CHANGE_HELD)
        yield from change_problems(record, own, known)


def _limits(own: Sequence[Measure], limits: Sequence[ControlLimits]) -> Iterator[str]:
    before: list[Measure] = []
    for measure, told in zip(own, limits, strict=bool(limits)):
        expected = None
        if told.chart == "p":
            expected = _share_limits(measure, before)
        elif told.chart is not None:
            expected = _value_limits([_value(m) for m in before])
        if expected is not None:
            yield from _held(measure, told, expected)
        if measure.state == "value":
            before.append(measure)


def _held(
    measure: Measure, told: ControlLimits, expected: tuple[float, float, float]
) -> Iterator[str]:
    centre, low, high = expected
    if told.centre is None or told.low is None or told.high is None:
        yield f"the control limits of {measure.id} have a chart and no numbers"
        return
    place = f"of {measure.id}"
    if not _near(told.centre, centre):
        yield f"the centre {place} is {told.centre!r}, the periods before give {centre!r}"
    # limits may be cut where the values of a metric end, and then lie further in
    if not (_near(told.low, low) or told.low > low) or not (
        _near(told.high, high) or told.high < high
    ):
        yield f"the control limits {place} are wider than the periods before give"
    if told.signal is not (not told.low <= _value(measure) <= told.high):
        yield f"whether {measure.id} is outside its control limits is not as they say"


def _share_limits(measure: Measure, before: Sequence[Measure]) -> tuple[float, float, float]:
    counts = [_fraction(m) for m in before]
    pooled = Fraction(sum(top for top, _ in counts), sum(bottom for _, bottom in counts))
    half = 3.0 * math.sqrt(pooled * (1 - pooled) / _fraction(measure)[1])
    return float(pooled), max(float(pooled) - half, 0.0), min(float(pooled) + half, 1.0)


def _value_limits(values: Sequence[float]) -> tuple[float, float, float]:
    centre = sum(map(Fraction, values)) / len(values)
    moving = sum(abs(Fraction(b) - Fraction(a)) for a, b in pairwise(values)) / (len(values) - 1)
    half = 3.0 * float(moving) * math.sqrt(math.pi) / 2.0
    return float(centre), float(centre) - half, float(centre) + half


def _tests(record: Period, own: Sequence[Measure]) -> Iterator[str]:
    statistics = (record.change_statistic, record.trend_statistic)
    if record.change_test is None and statistics != (None, None):
        yield "it has statistics of tests of shares, and no test is named"
    if record.change_test != "chi_square":
        return
    pairs = [_fraction(m) for m in own]
    hits, rows = (sum(pair[k] for pair in pairs) for k in (0, 1))
    p = Fraction(hits, rows)
    spread = p * (1 - p)
    change = sum((x - n * p) ** 2 / (n * spread) for x, n in pairs)
    if not _near(record.change_statistic, float(change)):
        yield f"its test of a change gives {float(change)!r}, not {record.change_statistic!r}"
    score = sum(t * (x - n * p) for t, (x, n) in enumerate(pairs))
    first, second = (sum(n * t**power for t, (_, n) in enumerate(pairs)) for power in (1, 2))
    trend = float(score) / math.sqrt(spread * (second - Fraction(first * first, rows)))
    if not _near(record.trend_statistic, trend):
        yield f"its test of a trend gives {trend!r}, not {record.trend_statistic!r}"


def _value(measure: Measure) -> float:
    if measure.value is None:
        raise ValueError(f"{measure.id} has no value")
    return float(measure.value)


def _fraction(measure: Measure) -> tuple[int, int]:
    if measure.numerator is None or measure.denominator is None:
        raise ValueError(f"{measure.id} is no fraction")
    return int(measure.numerator), int(measure.denominator)


def _near(told: float | None, expected: float) -> bool:
    return told is not None and abs(float(told) - expected) <= TOLERANCE * max(1.0, abs(expected))
