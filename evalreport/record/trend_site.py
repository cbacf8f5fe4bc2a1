"""The pages of a history as plain values: what a template draws, with nothing to compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evalreport.record.naming import OUTCOME_WORDS
from evalreport.record.trend import Course, PastRun, Point, Series
from evalreport.record.trend_change import change_of_series
from evalreport.record.trend_chart import trend_chart
from evalreport.record.trend_text import (
    change_text,
    criterion_text,
    point_text,
    run_note,
    series_name,
)
from evalreport.report.numbers import value_text
from evalreport.report.words import counted, label_text, subgroup_text, visible
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.statistics.control_limits import rule
from evalreport.statistics.course import RUN_LENGTH

#: Pages show no more runs than this, the newest.
MOST_RUNS = 104
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
        charts = [_chart(one, course, link) for one in of_place]
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
    headlines = [(series_name(s), {p.run: _point(p) for p in s.points}) for s in course.headlines]
    rows = [
        {
            **_run(run, link),
            "values": [own.get(index, {"text": "–"}) for _, own in headlines],
        }
        for index, run in enumerate(course.runs)
    ]
    return {
        "newest": rows[-1] if rows else None,
        "columns": [name for name, _ in headlines],
        "rows": rows[::-1][:MOST_RUNS],
        "signals": signals,
        "breaches": breaches,
        "changes": [text for one in course.headlines if (text := change_text(course, one))],
        "problems": [visible(problem) for problem in course.problems],
        "cut": max(0, len(rows) - MOST_RUNS),
    }


def _point(point: Point) -> dict[str, Any]:
    """A value, its interval, and whether it is out of control."""
    if point.estimate is None:
        return {"text": point.record.state.replace("_", " ")}
    own = point.estimate
    interval = ""
    if own.low is not None and own.high is not None:
        interval = f"{value_text(own.low)} to {value_text(own.high)}"
    return {"text": value_text(own.value), "interval": interval, "signal": point.signal}


def _run(run: PastRun, link: Link) -> dict[str, Any]:
    return {
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


def _criteria(course: Course, link: Link) -> dict[str, Any]:
    shown = range(max(0, len(course.runs) - MOST_RUNS), len(course.runs))
    return {
        "heads": [
            {"when": course.runs[i].when[:10], "report": link(course.runs[i], "report.html")}
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


def _chart(series: Series, course: Course, link: Link) -> dict[str, Any]:
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
    return {
        "name": name,
        "chart": trend_chart(recent, runs[first:], name),
        "rows": [_row(point, runs[first:], link) for point in recent.points],
        "change": change_text(course, series),
        "marks": _marks(series, runs, first),
    }


def _marks(series: Series, runs: tuple[PastRun, ...], first: int) -> list[dict[str, Any]]:
    """The charts that carry the past along, one line for each run that is a step."""
    change = change_of_series(series, runs)
    if change is None:
        return []

    def text(value: float | None) -> str:
        return "" if value is None else f"{value:.2f}"

    return [
        {
            "when": runs[place].when,
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
        interval = f"{value_text(estimate.low)} to {value_text(estimate.high)}"
    return {
        "when": runs[point.run].when,
        "report": link(runs[point.run], "report.html"),
        "value": point.record.state.replace("_", " ")
        if estimate is None
        else value_text(estimate.value),
        "interval": interval,
        "limits": visible(band),
        "signal": point.signal,
    }
