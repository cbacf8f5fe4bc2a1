"""The course of every measure over periods again, from the measures in results.json alone.

Values must be those of the measures, control limits and tests of shares of rows
follow from their counts, limits of other values from the values before them.

Charts and point of change are worked out from the measures of the periods. What moved with it is
worked out again for shares of the tables, actual and predicted; how scores, calibration and
subgroups lie before and after needs the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from evalreport.metrics.estimates import estimate_of
from evalreport.record.checks import OF_THE_SPEC, Finding, Known, checks, held
from evalreport.results.records import SHARES_MOVED, Change, ControlLimits, Measure, Moved, Period
from evalreport.statistics import change as course
from evalreport.statistics.control_limits import MINIMUM
from evalreport.statistics.course import first_alarm
from evalreport.statistics.interval import z_value

_ROUNDING = 1e-9
#: The numbers of a change that are held.
CHANGE_HELD = ("change.marks", "change.probability", "change.before", "change.after")


def change_problems(
    record: Period, change: Change, own: Sequence[Measure], known: Known
) -> Iterator[str]:
    """What is told of the change of a course and does not follow from the measures."""
    places = [k for k, m in enumerate(own) if m.state == "value"]
    values = [own[k] for k in places]
    counts = _counts(values)
    periods = course.of_shares(counts) if counts is not None else _normal(values)
    if len(change.marks) != len(own) or len(places) < 2:
        yield "its charts have another number of periods than its measures"
        return
    z = course.self_starting(periods) if counts is None else course.self_starting_shares(counts)
    yield from _marks(change, places, z)
    signals = [name for name, mark in zip(record.periods, change.marks, strict=True) if mark.signal]
    if change.alarm != (signals[0] if signals else None):
        yield f"its alarm is in {change.alarm}, its chart signals in {signals or 'none'}"
    point = (
        course.change_of_shares(counts, change.level)
        if counts is not None
        else course.change_of_values(periods, change.level)
    )
    if point is not None:
        names = [record.periods[places[k]] for k in (point.index, point.low, point.high)]
        if [change.since, change.earliest, change.latest] != names:
            yield f"it changed in {change.since}, its periods give {names[0]}"
        if not _close(change.probability, point.probability):
            yield f"the chance of a change is {change.probability!r}, not {point.probability!r}"
        yield from _sides(change, counts, periods, point.index)
        yield from _moved(change, own, places[point.index], known)


def _counts(values: Sequence[Measure]) -> list[tuple[float, float]] | None:
    """The counts of shares; None where any is none."""
    shares = [e.fraction for m in values if (e := estimate_of(m)) is not None and e.fraction]
    return [(float(x), float(n)) for x, n in shares] if len(shares) == len(values) else None


def _normal(values: Sequence[Measure]) -> tuple[course.Period, ...]:
    found = []
    for measure in values:
        interval = measure.interval
        if interval is None or measure.value is None:
            raise ValueError(f"{measure.id} has no interval, so that it cannot be charted")
        error = (interval.high - interval.low) / (2.0 * z_value(interval.level))
        found.append(course.Period(float(measure.value), error**2))
    return tuple(found)


def _marks(change: Change, places: Sequence[int], z: Sequence[float | None]) -> Iterator[str]:
    charts = zip(
        places, z, course.ewma(z, change.run_length), course.cusum(z, change.run_length),
        strict=True,
    )  # fmt: skip
    for place, value, average, sums in charts:
        mark = change.marks[place]
        if value is None or average is None or sums is None:
            expected: tuple[float | None, ...] = (None, None, None, None, None)
            signal = False
        else:
            expected = (value, average.statistic, average.limit, sums.statistic, sums.limit)
            signal = sums.signal
        told = (mark.z, mark.ewma, mark.ewma_limit, mark.cusum, mark.cusum_limit)
        if not all(map(_close, told, expected)):
            yield f"its charts in period {place + 1} are not as its values give"
        if mark.signal is not signal:
            yield f"whether its chart signals in period {place + 1} is not as its values give"


def _sides(
    change: Change,
    counts: Sequence[tuple[float, float]] | None,
    periods: Sequence[course.Period],
    index: int,
) -> Iterator[str]:
    for name, told, part in (
        ("before", change.before, slice(None, index)),
        ("after", change.after, slice(index, None)),
    ):
        if counts is not None:
            expected = sum(x for x, _ in counts[part]) / sum(n for _, n in counts[part])
        else:
            own = periods[part]
            total = math.fsum(one.value / one.variance for one in own)
            expected = total / math.fsum(1.0 / one.variance for one in own)
        if not _close(told, expected):
            yield f"the value {name} the change is {told!r}, its periods give {expected!r}"


def _moved(change: Change, own: Sequence[Measure], place: int, known: Known) -> Iterator[str]:
    for one in change.moved:
        if one.what not in SHARES_MOVED:
            continue
        for name, told, part in (
            ("before", one.before, own[:place]),
            ("after", one.after, own[place:]),
        ):
            expected = _share(one, part, known)
            if not _close(told, expected):
                yield f"{one.what} {name} the change is {told!r}, the tables give {expected!r}"


def _share(one: Moved, measures: Sequence[Measure], known: Known) -> float | None:
    x = n = 0.0
    by_actual = SHARES_MOVED[one.what].axis == 1
    for measure in measures:
        if measure.table is None:
            return None
        table = known.results.table(measure.table)
        if table.counts is None or table.positive is None:
            return None
        place = list(table.labels).index(table.positive)
        counts = [[float(cell or 0) for cell in row] for row in table.counts]
        n += sum(map(sum, counts))
        x += sum(counts[place]) if by_actual else sum(row[place] for row in counts)
    return x / n if n else None


def _close(told: float | None, expected: float | None) -> bool:
    if told is None or expected is None:
        return told is expected
    return math.isclose(told, expected, rel_tol=_ROUNDING, abs_tol=_ROUNDING)


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
        yield from change_problems(record, record.change, own, known)


def _limits(own: Sequence[Measure], limits: Sequence[ControlLimits]) -> Iterator[str]:
    before: list[Measure] = []
    frozen = False
    valued = [m for m in own if m.state == "value"]
    alarm = first_alarm([one for m in valued if (one := estimate_of(m)) is not None])
    late = {m.id for m in valued[max(alarm[0], MINIMUM) :]} if alarm else set[str]()
    for measure, told in zip(own, limits, strict=bool(limits)):
        expected = None
        if alarm is not None and not frozen and measure.id in late:
            frozen, before = True, valued[: max(alarm[1], MINIMUM)]
        if told.chart == "p":
            expected = _share_limits(measure, before)
        elif told.chart is not None:
            expected = _value_limits([_value(m) for m in before])
        if expected is not None:
            yield from _held(measure, told, expected)
        frozen = frozen or told.signal
        if measure.state == "value" and not frozen:
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
