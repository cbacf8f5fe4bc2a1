"""The chart of a measure over its runs: values, control limits, what is required, changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalreport.report.changes import mark_columns
from evalreport.report.charts.canvas import HALF, drawing, panel
from evalreport.report.charts.course import CHANGED, IMPROVED, Stop, stop_of
from evalreport.report.charts.course import course as draw_course
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.model import Chart, TableBlock
from evalreport.report.numbers import required_text, value_text
from evalreport.report.run_words import BETTER, WORSE, change_text, series_name, value_cell
from evalreport.report.words import visible
from evalreport.results.course import Course, Past, Point, Series
from evalreport.results.records import ChartMark, ControlLimits
from evalreport.statistics.change import RUN_LENGTH
from evalreport.statistics.control_limits import rule

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Pages show no more runs than this, the newest.
MOST_RUNS = 104
HEIGHT = 150.0
#: Days that fit below the axis.
NAMES = 4
HOW = (
    "Dots are values, the lines through them confidence intervals; the band shows the control "
    f"limits. A filled diamond lies outside ({WORSE}), an open one outside on the better side "
    f"({BETTER}). The dashed line is what a criterion requires; runs since a change are shaded. "
    f"{rule()}"
)
#: A run, and what the charts with memory have of it.
Step = tuple[Point, ChartMark]
NO_MARK = ChartMark(None, None, None, None, None, signal=False)
MEMORY = (
    "z: each run against all before it, in standard errors of its own rows; its moving average "
    f"(EWMA) and cumulative sum (CUSUM), with limits that let {RUN_LENGTH:g} runs pass on average "
    "between two false alarms. A run on a data file that was there before has none."
)


def trend_chart(series: Series, course: Course) -> Chart | None:
    """The chart of a measure over the runs of its line; None where it never has a value."""
    places = [k for k, run in enumerate(course.runs) if run.line == series.line][-MOST_RUNS:]
    points = {p.run.place: p for p in series.points if p.run.place in places}
    values = [p.value for p in points.values() if p.value is not None]
    if not values:
        return None
    required, since = _required(series), None
    if series.changed is not None:
        since = next(
            (p.run.place for p in series.steps if p.run.name == series.changed.since), None
        )
    stops = [_stop(course.runs[k], points.get(k)) for k in places]
    changed = None if since is None else sum(place < since for place in places)
    colour = IMPROVED if series.better else CHANGED

    def paint(figure: Figure) -> None:
        # right of it are the word for the line of what is required, and half of the last day
        axes = panel(figure, 34, 20, HALF - 68, HEIGHT - 26)
        draw_course(
            axes,
            stops,
            required=[required] * len(stops),
            changed=changed,
            names=NAMES,
            changed_colour=colour,
        )

    name, finding = series_name(series), change_text(series)
    limit = "" if required is None else f" Required: {required_text(required)}."
    out = sum(point.limits.signal for point in points.values())
    text = (
        f"In {len(values)} of {len(places)} runs: from {value_text(values[0])} to "
        f"{value_text(values[-1])}, between {value_text(min(values))} and "
        f"{value_text(max(values))}; {out} outside the control limits."
    )
    return Chart(
        drawing(paint, HALF, HEIGHT),
        f"{name}. {text}{limit}",
        name,
        limit.strip(),
        (_values(list(points.values()), series),),
        finding=finding[:1].upper() + finding[1:],
    )


def _stop(run: Past, point: Point | None) -> Stop:
    """What is drawn of a run; a run without the measure leaves its place empty."""
    day = visible(run.day)
    if point is None:
        return Stop(day, None)
    return stop_of(day, point.record, point.limits, better=point.better is True)


def _required(series: Series) -> float | None:
    """What the newest run that has a measure requires of it."""
    found = (
        one.required
        for one in series.points[-1].run.acceptance
        if one.measure == series.about.id and one.reference is None and one.claim is None
    )
    return next(found, None)


def _values(points: Sequence[Point], series: Series) -> TableBlock:
    """The values of a chart with the control limits of each, and the charts with memory."""
    columns: list[Column[Step]] = [
        left("run", lambda step: step[0].run.entry.time),
        right("value", lambda step: value_cell(step[0]).text),
        left("interval", lambda step: value_cell(step[0]).aside),
        left("control limits", lambda step: _band(step[0].limits)),
    ]
    if series.change is None:
        unmarked = [(point, NO_MARK) for point in points]
        return table_of("Values", unmarked, columns, strong=_is_strong)
    steps = zip(series.steps, series.change.marks, strict=True)
    marks = {step.run.place: mark for step, mark in steps}
    columns += mark_columns(lambda step: step[1])
    records = [(point, marks.get(point.run.place, NO_MARK)) for point in points]
    title = "Values and control charts with memory"
    return table_of(title, records, columns, MEMORY, strong=_is_strong)


def _band(limits: ControlLimits) -> str:
    if limits.low is None or limits.high is None:
        return visible(limits.reason or "")
    return f"{value_text(limits.low)} to {value_text(limits.high)} ({limits.chart} chart)"


def _is_strong(step: Step) -> bool:
    return value_cell(step[0]).strong or step[1].signal
