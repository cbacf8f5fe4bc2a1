"""The section on periods of time: a chart per measure, tests of a change, a line per period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from evalreport.numbers import count_text, or_dash, p_text, required_text, value_text
from evalreport.report.cards import interval_text
from evalreport.report.changes import change_blocks, change_words, changed_at
from evalreport.report.charts.canvas import HALF, WHOLE, beside, drawing
from evalreport.report.charts.course import Stop, stop_of
from evalreport.report.charts.course import course as draw_course
from evalreport.report.columns import Column, across, left, right, table_of
from evalreport.report.contents import Contents, View
from evalreport.report.model import Block, Chart, Charts, TableBlock, Text
from evalreport.report.pieces import LineCell
from evalreport.report.sections import section
from evalreport.report.slices import period_strips, wanted
from evalreport.report.words import label_text, listed, lower_first, method_text, prose, visible
from evalreport.results.identity import EVERYTHING
from evalreport.results.records import ControlLimits, Measure, Period

if TYPE_CHECKING:
    pass

MOST_CHARTS = 4
#: Charts that share a picture.
ABREAST = 2
#: Measures whose change over the periods is tested on the page.
MOST_LINES = 24
#: Periods in the table below a chart, the newest ones.
MOST_PERIODS = 36


#: Measures beside each other in a table of control limits.
ACROSS = 5
OUTSIDE = "◆"
NO_LIMITS = ControlLimits(None, None, None, None, None, signal=False)


@dataclass(frozen=True)
class Course:
    """One measure over periods: its record in ``periods``, and its measures in their order."""

    record: Period
    measures: tuple[Measure, ...]

    @property
    def view(self) -> View:
        """Dataset and model."""
        return (self.record.dataset, self.record.model)

    @property
    def limits(self) -> Sequence[ControlLimits]:
        """Control limits of each period; empty ones in older results."""
        return self.record.limits or [NO_LIMITS] * len(self.measures)

    @property
    def values(self) -> list[float]:
        """The values that are known, in the order of the periods."""
        return [m.value for m in self.measures if m.value is not None]

    @property
    def names(self) -> list[str]:
        """The periods."""
        return [label_text(name) for name in self.record.periods]


@section("periods", "Course over time", short="Time", of=(Period,))
def period_blocks(contents: Contents) -> list[Block]:
    """What is drawn, charts, the tests, then every period with its tables laid flat."""
    courses = _courses(contents)
    if not courses:
        return []
    blocks: list[Block] = [Text(_intro(courses))]
    known = [c for c in courses if any(m.value is not None for m in c.measures)]
    drawn = known[:MOST_CHARTS]
    blocks += [
        Charts((_chart(contents, drawn[k : k + ABREAST]),)) for k in range(0, len(drawn), ABREAST)
    ]
    if len(courses) > len(drawn):
        blocks.append(Text(f"{len(drawn)} of {len(courses)} measures are drawn.", "small"))
    blocks.append(_tests(contents, courses))
    named = [(_name(contents, c), contents.mark(c.view).name, c.record) for c in courses]
    blocks += change_blocks(named[:MOST_LINES])
    blocks += _limit_tables(contents, drawn)
    return [*blocks, *period_strips(contents)]


def _courses(contents: Contents) -> list[Course]:
    """The courses at the first threshold, those under a criterion first."""
    found = []
    for record in contents.of(Period):
        measures = tuple(contents.measure[i] for i in record.measures if i in contents.measure)
        if len(measures) != len(record.measures) or not measures:
            continue
        view = (record.dataset, record.model)
        if contents.at_first(view)(measures[0]) and wanted(contents, measures[0]):
            found.append(Course(record, measures))
    return sorted(found, key=lambda course: _required(contents, course) is None)


def _required(contents: Contents, course: Course) -> float | None:
    """What a criterion asks of the value itself: of each period, else of all rows."""
    whole = _whole(contents, course)
    measures = (*reversed(course.measures), *([whole] if whole is not None else []))
    limits = (limit for m in measures for limit in contents.required(m))
    return next(map(float, limits), None)


def _whole(contents: Contents, course: Course) -> Measure | None:
    """The same measure of all rows."""
    wanted_one = course.measures[0].which.on(EVERYTHING)
    return next((m for m in contents.pooled(course.view) if m.which == wanted_one), None)


def _intro(courses: Sequence[Course]) -> str:
    first = courses[0].record
    every = first.every
    return (
        f"Rows are sorted by the dates in “{visible(first.column)}” into {every}s; those "
        f"that have rows are shown in order, equally spaced. Dots with whiskers are values with "
        "their intervals. The band shows the control limits and, dashed, its centre: where a "
        "value lies if nothing has changed since the periods before it, from five of them on "
        "(shares of rows: "
        "three standard errors around their pooled share; other values: three times their mean "
        "moving range over 1.128 around their mean). A diamond lies outside; from the first on, "
        "the band stays that of the periods before it, and from the first at which the moving "
        "average or the cumulative sum passes its limit, that of the periods before the most "
        "likely change. A line of long dashes shows what a criterion requires."
    )


def _name(contents: Contents, course: Course) -> str:
    m = course.measures[0]
    return contents.title(m)


def _chart(contents: Contents, courses: Sequence[Course]) -> Chart:
    """One measure over time, or two abreast."""
    panels, captions, said, asides, findings = [], [], [], [], []
    for one in courses:
        stops = list(map(stop_of, one.names, one.measures, one.limits))
        title = _name(contents, one)
        required = _required(contents, one)
        place = contents.models.index(one.view[1])
        panels.append(
            partial(draw_course, stops=stops, title=title, required=[required] * len(stops),
                    place=place, changed=changed_at(one.record))
        )  # fmt: skip
        caption = f"{title} by {one.record.every}, {contents.mark(one.view).name}"
        asked = "" if required is None else f" Required: {required_text(required)}."
        captions.append(caption)
        said.append(f"{caption}. {_said(one, stops)}{asked}")
        told = change_words(one.record)
        asides.append(" ".join(x for x in (asked.strip(), told) if x))
        findings.append(f"{title}: {_finding(one)}")
    sides = ("Left: ", "Right: ") if len(courses) == ABREAST else ("",)
    beneath = [side + aside for side, aside in zip(sides, asides, strict=True) if aside]
    return Chart(
        drawing(beside(panels, 36, 20, 70), HALF if len(panels) == 1 else WHOLE, 150),
        " ".join(said),
        "; ".join(captions),
        " ".join(beneath),
        tuple(_table(one, caption) for one, caption in zip(courses, captions, strict=True)),
        wide=len(courses) == ABREAST,
        finding="; ".join(findings),
        name="course",
    )


def _said(course: Course, stops: Sequence[Stop]) -> str:
    """The chart in a sentence or two."""
    known = [(s.name, s.value) for s in stops if s.value is not None]
    low = min(known, key=lambda pair: pair[1])
    high = max(known, key=lambda pair: pair[1])
    return (
        f"From {value_text(known[0][1])} in {known[0][0]} to {value_text(known[-1][1])} in "
        f"{known[-1][0]}; lowest {value_text(low[1])} in {low[0]}, highest {value_text(high[1])} "
        f"in {high[0]}. {_signals(course)} {_tested(course)}"
    )


def _finding(course: Course) -> str:
    """How the value changed where a chart raised an alarm, else which periods lie outside."""
    change = course.record.change
    if change is None or None in (change.alarm, change.since, change.before, change.after):
        return lower_first(_signals(course).rstrip("."))
    before, after = change.before or 0.0, change.after or 0.0
    went = "fell" if after < before else "rose"
    return (
        f"{went} in {label_text(change.since)}, from {value_text(before)} to {value_text(after)}; "
        f"alarm in {label_text(change.alarm)}"
    )


def _signals(course: Course) -> str:
    if all(limits.low is None for limits in course.limits):
        reasons = [limits.reason for limits in course.limits if limits.reason]
        return f"No control limits: {prose(reasons[-1])}." if reasons else "No control limits."
    pairs = zip(course.names, course.limits, strict=True)
    out = [name for name, limits in pairs if limits.signal]
    return f"Outside the control limits: {listed(out)}." if out else "Within the control limits."


def _tested(course: Course) -> str:
    record = course.record
    if record.change_p_value is None or record.trend_p_value is None:
        return f"Not tested: {prose(record.reason or 'no test')}."
    return (
        f"Any change: p {p_text(record.change_p_value)}; trend, {_direction(record)}: "
        f"p {p_text(record.trend_p_value)}."
    )


def _direction(record: Period) -> str:
    statistic = record.trend_statistic or 0.0
    return "rising" if statistic > 0 else "falling" if statistic < 0 else "level"


def _table(course: Course, title: str) -> TableBlock:
    columns: list[Column[tuple[str, Measure, ControlLimits]]] = [
        left(str(course.record.every), lambda line: line[0]),
        right("n", lambda line: count_text(line[1].n)),
        right("value", lambda line: _value(line[1])),
        right("interval", lambda line: interval_text(line[1].interval) or "–"),
        right("control limits", lambda line: _band(line[2])),
    ]
    lines = list(zip(course.names, course.measures, course.limits, strict=True))
    return table_of(
        title,
        lines,
        columns,
        strong=lambda line: line[2].signal,
        newest=MOST_PERIODS,
        noun="periods",
    )


def _value(m: Measure) -> str:
    return m.state.replace("_", " ") if m.value is None else value_text(m.value)


def _band(limits: ControlLimits) -> str:
    if limits.low is None or limits.high is None:
        return "–"
    text = f"{value_text(limits.low)} to {value_text(limits.high)}"
    return f"{text} {OUTSIDE}" if limits.signal else text


def _limit_tables(contents: Contents, courses: Sequence[Course]) -> list[Block]:
    """The control limits of the drawn measures: a line per period, the measures of a model."""
    limited = [c for c in courses if any(one.low is not None for one in c.limits)]
    found: list[Block] = []
    for view in dict.fromkeys(course.view for course in limited):
        own = [course for course in limited if course.view == view]
        found += [_limit_table(contents, own[k : k + ACROSS]) for k in range(0, len(own), ACROSS)]
    return found


def _limit_table(contents: Contents, courses: Sequence[Course]) -> TableBlock:
    names = sorted(dict.fromkeys(name for course in courses for name in course.names))
    bands = [dict(zip(course.names, map(_band, course.limits), strict=True)) for course in courses]
    shown = [n for n in names if {own.get(n, "–") for own in bands} != {"–"}]
    every, model = courses[0].record.every, contents.mark(courses[0].view).name
    columns: list[Column[str]] = [left(str(every), str)]
    columns += across(
        ((_name(contents, course), own) for course, own in zip(courses, bands, strict=True)),
        lambda own, period: own.get(period, "–"),
    )
    note = f"{OUTSIDE} the value is outside; the first periods have no limits."
    return table_of(
        f"Control limits by {every}, {model}",
        shown,
        columns,
        note,
        newest=MOST_PERIODS,
        noun="periods",
    )


def _tests(contents: Contents, courses: Sequence[Course]) -> TableBlock:
    """Of every measure: first and last value, periods out of control, and the two tests."""
    shown = courses[:MOST_LINES]
    columns: list[Column[Course]] = [
        left("metric", lambda course: _name(contents, course)),
        left("model", lambda course: LineCell(mark=contents.mark(course.view))),
        right("first", lambda course: or_dash(next(iter(course.values), None))),
        right("last", lambda course: or_dash(next(reversed(course.values), None))),
        right("out of control", _out_of_control),
        left("any change", lambda course: method_text(course.record.change_test or "not tested")),
        right("p", lambda course: or_dash(course.record.change_p_value, p_text)),
        left("trend", _trend),
        right("p", lambda course: or_dash(course.record.trend_p_value, p_text)),
    ]
    note = (
        "p values are not corrected for the number of measures. Any change: all periods share "
        "one value. Trend: a steady rise or fall over the periods."
    )
    reasons = dict.fromkeys(
        prose(c.record.reason) for c in shown if not c.record.change_test and c.record.reason
    )
    if reasons:
        note += f" Not tested: {'; '.join(reasons)}."
    return table_of("Has it changed?", courses, columns, note, most=MOST_LINES, noun="measures")


def _out_of_control(course: Course) -> str:
    limited = any(limits.low is not None for limits in course.limits)
    return str(sum(limits.signal for limits in course.limits)) if limited else "no limits"


def _trend(course: Course) -> str:
    test = course.record.trend_test
    return f"{_direction(course.record)}, {method_text(test)}" if test else "–"
