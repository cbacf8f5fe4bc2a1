"""When a course changed, again: charts and point of change from the measures of the periods.

What moved with it is worked out again for shares of the tables, actual and predicted; how
scores, calibration and subgroups lie before and after needs the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from evalreport.metrics.estimates import estimate_of
from evalreport.record.checks import Known
from evalreport.results.records import Change, Measure, Moved, Period
from evalreport.statistics import change as course
from evalreport.statistics.interval import z_value

_ROUNDING = 1e-9
#: The numbers of a change that are held.
CHANGE_HELD = ("change.marks", "change.probability", "change.before", "change.after")


def change_problems(record: Period, own: Sequence[Measure], known: Known) -> Iterator[str]:
    """What is told of a change and does not follow from the measures."""
    change = record.change
    if change is None:
        return
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
        if not _near(change.probability, point.probability):
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
        if not all(map(_near, told, expected)):
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
        if not _near(told, expected):
            yield f"the value {name} the change is {told!r}, its periods give {expected!r}"


def _moved(change: Change, own: Sequence[Measure], place: int, known: Known) -> Iterator[str]:
    for one in change.moved:
        if one.what not in ("prevalence", "predicted_prevalence"):
            continue
        for name, told, part in (
            ("before", one.before, own[:place]),
            ("after", one.after, own[place:]),
        ):
            expected = _share(one, part, known)
            if not _near(told, expected):
                yield f"{one.what} {name} the change is {told!r}, the tables give {expected!r}"


def _share(one: Moved, measures: Sequence[Measure], known: Known) -> float | None:
    x = n = 0.0
    for measure in measures:
        if measure.table is None:
            return None
        table = known.results.table(measure.table)
        if table.counts is None or table.positive is None:
            return None
        place = list(table.labels).index(table.positive)
        counts = [[float(cell or 0) for cell in row] for row in table.counts]
        n += sum(map(sum, counts))
        x += sum(counts[place]) if one.what == "prevalence" else sum(row[place] for row in counts)
    return x / n if n else None


def _near(told: float | None, expected: float | None) -> bool:
    if told is None or expected is None:
        return told is expected
    return math.isclose(told, expected, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
