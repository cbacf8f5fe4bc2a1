"""The chart of a measure over its runs: values, control limits, what is required, changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from evalreport.runs.trend import Course, PastRun, Point, RunsChange, Series
from evalreport.runs.trend_words import BETTER, WORSE, change_text, days, series_name, value_cell
from evalreport.report.columns import plain_table
from evalreport.report.changes import MARK_HEADS, mark_row
from evalreport.report.charts.canvas import HALF, drawing, panel
from evalreport.report.charts.course import CHANGED, IMPROVED, Stop
from evalreport.report.charts.course import course as draw_course
from evalreport.report.model import Chart, TableBlock, Line
from evalreport.report.numbers import required_text, value_text
from evalreport.report.pages import columns
from evalreport.report.words import visible
from evalreport.statistics.control_limits import rule
from evalreport.statistics.course import RUN_LENGTH

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Pages show no more runs than this, the newest.
MOST_RUNS = 104
HEIGHT = 150.0
HOW = (
    "Dots are values, the lines through them confidence intervals; the band shows the control "
    f"limits. A filled diamond lies outside ({WORSE}), an open one outside on the better side "
    f"({BETTER}). The dashed line is what a criterion requires; runs since a change are shaded. "
    f"{rule()}"
)


MEMORY = (
    "z: each run against all before it, in standard errors of its own rows; its moving average "
    f"(EWMA) and cumulative sum (CUSUM), with limits that let {RUN_LENGTH:g} runs pass on average "
    "between two false alarms. A run on a data file that was there before has none."
)


def trend_chart(series: Series, course: Course) -> Chart | None:
    """The chart of a measure; None where it never has a value."""
    first = max(0, len(course.runs) - MOST_RUNS)
    runs = course.runs[first:]
    points = {p.run - first: p for p in series.points if p.run >= first}
    if not any(p.estimate for p in points.values()):
        return None
    required = _required(series, course.runs)
    change = course.change(series)
    told = None if change is None or change.change.alarm is None else change.change.since
    since = next((k for k, run in enumerate(course.runs) if run.name == told), None)
    paint = partial(
        _draw,
        stops=[_stop(day, points.get(k)) for k, day in enumerate(days(runs))],
        required=required,
        changed=None if since is None else max(since - first, 0),
        changed_colour=IMPROVED if change is not None and change.better else CHANGED,
    )
    name, finding = series_name(series), change_text(course, series)
    asked = "" if required is None else f" Required: {required_text(required)}."
    return Chart(
        drawing(paint, HALF, HEIGHT),
        f"{name}. {_said(list(points.values()), len(runs))}{asked}",
        name,
        asked.strip(),
        (_values(points, runs, change, first),),
        finding=finding[:1].upper() + finding[1:],
    )


def _draw(
    figure: Figure,
    stops: Sequence[Stop],
    required: float | None,
    changed: int | None,
    changed_colour: str,
) -> None:
    # the word for the line of what is required is right of it
    axes = panel(figure, 34, 20, HALF - 34 - (8 if required is None else 34), HEIGHT - 26)
    draw_course(axes, stops, required=required, changed=changed, changed_colour=changed_colour)


def _stop(name: str, point: Point | None) -> Stop:
    """What is drawn of a run; a run without the measure leaves its place empty."""
    if point is None or point.estimate is None:
        return Stop(name, None)
    own, limits = point.estimate, point.limits
    return Stop(
        name, own.value, own.low, own.high, limits.centre, limits.low, limits.high,
        point.signal, point.better is True,
    )  # fmt: skip


def _said(points: Sequence[Point], runs: int) -> str:
    values = [p.estimate.value for p in points if p.estimate is not None]
    out = sum(point.signal for point in points)
    return (
        f"In {len(values)} of {runs} runs: from {value_text(values[0])} to "
        f"{value_text(values[-1])}, between {value_text(min(values))} and "
        f"{value_text(max(values))}; {out} outside the control limits."
    )


def _required(series: Series, runs: Sequence[PastRun]) -> float | None:
    """What the newest run that has a measure asks of it."""
    newest = runs[series.points[-1].run].results
    asked = (
        one.required
        for one in (newest.acceptance if newest is not None else ())
        if one.measure == series.about.id and one.reference is None and one.claim is None
    )
    return next(asked, None)


def _values(
    points: Mapping[int, Point], runs: Sequence[PastRun], change: RunsChange | None, first: int
) -> TableBlock:
    """The values of a chart with the control limits of each, and the charts with memory."""
    steps = () if change is None else zip(change.places, change.change.marks, strict=True)
    marks = {place - first: one for place, one in steps}
    rows = []
    for place, point in points.items():
        limits, value, mark = point.limits, value_cell(point), marks.get(place)
        band = visible(limits.reason or "")
        if limits.low is not None and limits.high is not None:
            band = f"{value_text(limits.low)} to {value_text(limits.high)} ({limits.chart} chart)"
        cells: tuple[str, ...] = (runs[place].entry.time, value.text, value.aside, band)
        if marks:
            cells += ("–",) * len(MARK_HEADS) if mark is None else mark_row("", mark)[1:]
        rows.append(Line(cells, strong=value.strong or (mark is not None and mark.signal)))
    heads = columns("run", "value", "interval", "control limits", right=("value",))
    return plain_table(
        "Values" + (" and control charts with memory" if marks else ""),
        (*heads, *MARK_HEADS) if marks else heads,
        tuple(rows),
        MEMORY if marks else "",
    )
