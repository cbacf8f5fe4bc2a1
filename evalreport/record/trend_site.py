"""The pages of a history as plain values: what a template draws, with nothing to compute.

The course of a measure is a drawing like those of reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evalreport.record.naming import OUTCOME_WORDS
from evalreport.record.trend import (
    Course,
    PastAttempt,
    PastRun,
    Point,
    Series,
)
from evalreport.record.trend_text import (
    alarm_text,
    attempt_note,
    attempts_by_place,
    change_text,
    criterion_text,
    headline_texts,
    point_text,
    run_note,
    series_name,
    since_newest,
)
from evalreport.report.charts.canvas import drawing, panel, with_own_names
from evalreport.report.charts.course import Stop
from evalreport.report.charts.course import course as draw_course
from evalreport.report.model import Drawing
from evalreport.report.numbers import limits_text, value_text
from evalreport.report.words import counted, label_text, subgroup_text, visible
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.statistics.control_limits import rule
from evalreport.statistics.course import RUN_LENGTH
from evalreport.statistics.separate_samples import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Size of a chart, in points.
WIDTH, HEIGHT = 360.0, 150.0


@dataclass(frozen=True)
class TrendChart:
    """The course of a measure, drawn, and the same in words."""

    drawing: Drawing
    words: str


def trend_chart(
    series: Series,
    runs: tuple[PastRun, ...],
    title: str,
    required: float | None = None,
    changed: int | None = None,
) -> TrendChart | None:
    """The chart of a measure; None where it never has a value.

    ``required`` is what a criterion asks of it, ``changed`` the place of the first run after a
    change.
    """
    points = [(p, p.estimate) for p in series.points if p.estimate is not None]
    if not points:
        return None
    own = {point.run: (point, estimate) for point, estimate in points}
    stops = [_stop(run.time[:10], *own.get(k, (None, None))) for k, run in enumerate(runs)]

    def draw(figure: Figure) -> None:
        # the word for the line of what is required stands right of it
        axes = panel(figure, 40, 22, WIDTH - 40 - (8 if required is None else 34), HEIGHT - 22 - 6)
        draw_course(axes, stops, required=required, changed=changed)

    return TrendChart(drawing(draw, WIDTH, HEIGHT), _words(title, points, runs))


def _stop(name: str, point: Point | None, estimate: Estimate | None) -> Stop:
    """What is drawn of a run; a run without the measure leaves its place empty."""
    if point is None or estimate is None:
        return Stop(name, None)
    limits = point.limits
    return Stop(
        name, estimate.value, estimate.low, estimate.high, limits.centre, limits.low, limits.high,
        point.signal,
    )  # fmt: skip


def _words(title: str, points: Sequence[tuple[Point, Estimate]], runs: tuple[PastRun, ...]) -> str:
    values = [own.value for _, own in points]
    out = sum(point.signal for point, _ in points)
    return (
        f"{title} in {len(points)} of {len(runs)} runs: from {value_text(values[0])} to "
        f"{value_text(values[-1])}, between {value_text(min(values))} and "
        f"{value_text(max(values))}; {out} outside the control limits."
    )


#: Pages show no more runs than this, the newest.
MOST_RUNS = 104
#: The first page lists no more measures than this that lie outside their limits.
MOST_SIGNALS = 12
#: How outcomes of runs and criteria are marked beside their words; a circle for any other.
SYMBOLS = {
    "pass": "✓",
    "passed": "✓",
    "fail": "✗",
    "failed": "✗",
    "reproduced": "✓",
    "other_method": "✗",
    "not_reproducible": "✗",
}

#: The address of a run's file as seen from the pages; None where there is none.
Link = Callable[[PastRun, str], str | None]
Place = tuple[str, ...]


def site_pages(course: Course, link: Link, version: str) -> dict[str, dict[str, Any]]:
    """The values of every page by file name: ``index.html``, ``criteria.html``, ``trends-N.html``.

    Names of datasets, models and labels stand in the pages and never in their names.
    """
    groups: dict[Place, list[Series]] = {}
    for series in course.series:
        if series.about.fold in (None, MEAN_OF_FOLDS):
            groups.setdefault(_place(series), []).append(series)
    names = {place: f"trends-{number}.html" for number, place in enumerate(groups, start=1)}
    shared = {
        "title": _title(course),
        "version": version,
        "rule": rule(),
        "run_length": f"{RUN_LENGTH:g}",
        "runs": len(course.runs),
        "has_changes": sum(run.results is not None for run in course.runs) > 1,
        "trends": [
            {"href": names[place], "text": ", ".join(place), "signals": _signals(groups[place])}
            for place in groups
        ],
    }
    pages = {
        "index.html": {**shared, "page": "index", **_index(course, link)},
        "criteria.html": {**shared, "page": "criteria", **_criteria(course, link)},
    }
    for place, of_place in groups.items():
        charts = [_chart(one, course, link, f"c{k}") for k, one in enumerate(of_place)]
        pages[names[place]] = {
            **shared,
            "page": "trends",
            "heading": ", ".join(place),
            "charts": charts,
        }
    return pages


def _place(series: Series) -> Place:
    about = series.about
    return (
        *(() if series.line is None else (label_text(series.line),)),
        label_text(about.dataset),
        label_text(about.model),
        subgroup_text(about.subgroup),
    )


def _title(course: Course) -> str:
    newest = next((run.results for run in reversed(course.runs) if run.results), None)
    return visible(newest.title) if newest else "Runs"


def _signals(series: list[Series]) -> int:
    """How many measures are outside their limits in their newest run."""
    return sum(one.points[-1].signal for one in series)


def _index(course: Course, link: Link) -> dict[str, Any]:
    newest = course.newest
    signals = [
        {"text": series_name(s), "value": point_text(s.points[-1])}
        for s in course.series
        if s.points[-1].run == newest[s.line] and s.points[-1].signal and not s.about.subgroup
    ]
    breaches = [
        f"{criterion_text(c)}: {OUTCOME_WORDS[course.now(c)]} {counted(c.breaches, 'run')} in a row"
        for c in course.criteria
        if c.breaches and course.now(c) is not None
    ]
    several = course.several
    headlines = () if several else course.headlines
    columns = [(series_name(s), {p.run: _point(p) for p in s.points}) for s in headlines]
    measures = headline_texts(course) if several else {}
    first = max(0, len(course.runs) - MOST_RUNS)
    tried = attempts_by_place(course, first)
    shown: Mapping[str, Any] | None = None
    rows: list[Mapping[str, Any]] = [_attempt(one) for one in tried.get(first, [])]
    for index, run in enumerate(course.runs[first:], start=first):
        values = [own.get(index, _told("–")) for _, own in columns]
        shown = {**_run(run, link), "values": values, "measures": measures.get(index, [])}
        rows.append(shown)
        rows += map(_attempt, tried.get(index + 1, []))
    return {
        "newest": shown,
        "several": several,
        "columns": [name for name, _ in columns],
        # of an attempt one cell stands for all that a run has to tell
        "width": 2 + len(columns) + several,
        "rows": rows[::-1],
        "attempts": sum(len(own) for own in tried.values()),
        "tried": since_newest(course),
        "signals": signals[:MOST_SIGNALS],
        "more_signals": max(0, len(signals) - MOST_SIGNALS),
        "breaches": breaches,
        "changes": [text for one in course.headlines if (text := change_text(course, one))],
        "problems": [visible(problem) for problem in course.problems],
        "cut": first,
    }


def _point(point: Point) -> dict[str, Any]:
    """A value, its interval, and whether it is out of control."""
    if point.estimate is None:
        return _told(point.record.state.replace("_", " "))
    own = point.estimate
    interval = ""
    if own.low is not None and own.high is not None:
        interval = limits_text(own.low, own.high, own.value)
    return _told(value_text(own.value), interval, point.signal)


def _told(text: str, interval: str = "", signal: bool = False) -> dict[str, Any]:
    """What stands in a cell of the table of runs; a template takes nothing that is not there."""
    return {"text": text, "interval": interval, "signal": signal}


def _run(run: PastRun, link: Link) -> dict[str, Any]:
    return {
        "attempt": False,
        "line": visible(run.line or ""),
        "name": run.name,
        "when": run.when,
        "day": run.when[:10],
        "time": run.when[11:].replace("Z", " UTC"),
        "outcome": visible(run.outcome),
        "symbol": SYMBOLS.get(run.outcome, "○"),
        "note": run_note(run),
        "report": link(run, "report.html"),
        "results": link(run, "results.json"),
    }


def _attempt(one: PastAttempt) -> dict[str, Any]:
    """An attempt that came to nothing, as a row among the runs."""
    return {
        "attempt": True,
        "line": visible(one.line or ""),
        "day": one.when[:10],
        "time": one.when[11:].replace("Z", " UTC"),
        "outcome": "no run",
        "symbol": "✗",
        "note": attempt_note(one),
    }


def _criteria(course: Course, link: Link) -> dict[str, Any]:
    shown = range(len(course.runs) - 1, max(0, len(course.runs) - MOST_RUNS) - 1, -1)
    return {
        "heads": [
            {"when": course.runs[i].time[:10], "report": link(course.runs[i], "report.html")}
            for i in shown
        ],
        "criteria": [
            {
                "text": criterion_text(c),
                "breaches": c.breaches,
                "outcomes": [
                    {
                        "outcome": c.outcomes[i] or "none",
                        "word": OUTCOME_WORDS[c.outcomes[i]],
                        "symbol": SYMBOLS.get(str(c.outcomes[i]), "○"),
                    }
                    for i in shown
                ],
            }
            for c in course.criteria
        ],
    }


def _chart(series: Series, course: Course, link: Link, id_: str) -> dict[str, Any]:
    """What a page shows of a measure; ``id_`` begins the ids of its drawing."""
    name, runs = series_name(series), course.runs
    first = max(0, len(runs) - MOST_RUNS)
    recent = Series(
        series.about,
        tuple(
            Point(p.run - first, p.record, p.estimate, p.limits)
            for p in series.points
            if p.run >= first
        ),
        series.line,
    )
    change = course.change(series)
    since = None if change is None or change.alarm is None else change.since
    changed = None if since is None else max(since - first, 0)
    chart = trend_chart(recent, runs[first:], name, _required(series, runs), changed)
    return {
        "name": name,
        "chart": None
        if chart is None
        else replace(chart, drawing=with_own_names(chart.drawing, id_)),
        "rows": [_row(point, runs[first:], link) for point in recent.points],
        "change": alarm_text(course, series),
        "marks": _marks(course, series, first),
    }


def _required(series: Series, runs: Sequence[PastRun]) -> float | None:
    """What the newest run that has a measure asks of it."""
    newest = runs[series.points[-1].run].results
    asked = [
        one.required
        for one in (newest.acceptance if newest is not None else ())
        if one.measure == series.about.id and one.reference is None and one.claim is None
    ]
    return asked[0] if asked else None


def _marks(course: Course, series: Series, first: int) -> list[dict[str, Any]]:
    """The charts that carry the past along, one line for each run that is a step."""
    change = course.change(series)
    if change is None:
        return []

    def text(value: float | None) -> str:
        return "" if value is None else f"{value:.2f}"

    return [
        {
            "when": course.runs[place].time,
            "z": text(one.z),
            "ewma": text(one.ewma),
            "ewma_limit": text(one.ewma_limit),
            "cusum": text(one.cusum),
            "cusum_limit": text(one.cusum_limit),
            "signal": one.signal,
        }
        for place, one in change.marks
        if place >= first
    ]


def _row(point: Point, runs: tuple[PastRun, ...], link: Link) -> Mapping[str, Any]:
    limits, estimate = point.limits, point.estimate
    band = limits.reason or ""
    if limits.low is not None and limits.high is not None:
        band = f"{value_text(limits.low)} to {value_text(limits.high)} ({limits.chart} chart)"
    interval = ""
    if estimate is not None and estimate.low is not None and estimate.high is not None:
        interval = limits_text(estimate.low, estimate.high, estimate.value)
    return {
        "when": runs[point.run].time,
        "report": link(runs[point.run], "report.html"),
        "value": point.record.state.replace("_", " ")
        if estimate is None
        else value_text(estimate.value),
        "interval": interval,
        "limits": visible(band),
        "signal": point.signal,
    }
