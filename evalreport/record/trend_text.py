"""A folder of runs in words, and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from evalreport.lines import one_line
from evalreport.record.diff_text import WORDS, name_text, place_text
from evalreport.record.trend import Course, CriterionCourse, PastRun, Point, Series
from evalreport.report.numbers import value_text
from evalreport.report.words import counted, visible
from evalreport.results.records import HELD, OUTCOMES
from evalreport.statistics.control_limits import rule

SCHEMA = "evalreport/history/1"
#: Outcomes that are always told, however few.
PLAIN = ("pass", "fail", "not_evaluated")


def history_text(course: Course, last: int | None = None) -> str:
    """The runs (or the ``last`` ones), oldest first, each with its headline measures.

    Then what calls for a look. Limits and counts rest on all runs, shown or not.
    """
    headlines: dict[int, list[str]] = {}
    for series in course.headlines:
        for point in series.points:
            headlines.setdefault(point.run, []).append(
                f"{series_name(series)}: {point_text(point)}"
            )
    lines = []
    first = _first(course, last)
    for index, run in enumerate(course.runs[first:], start=first):
        line = "" if run.line is None else f"  {visible(run.line)}"
        told = f"{run.when}  {visible(run.outcome):<7}  {run.name}{line}  {run_note(run)}"
        lines.append(told.rstrip())
        lines += [f"    {line}" for line in headlines.get(index, [])]
    return "\n".join(map(one_line, [*lines, *_calls(course)]))


def _first(course: Course, last: int | None) -> int:
    return 0 if last is None else max(0, len(course.runs) - last)


def run_note(run: PastRun) -> str:
    """Criteria of a run, or why they are not known."""
    if run.results is None:
        return visible(str(run.missing))
    outcomes = [entry["outcome"] for entry in run.results["acceptance"]]
    if not outcomes:
        return "no criteria"
    passed = sum(outcome in HELD for outcome in outcomes)
    told = f"{passed} of {counted(len(outcomes), 'criterion', 'criteria')} passed"
    return "; ".join([told, *dict.fromkeys(map(look_note, run.looks))])


def look_note(look: Mapping[str, Any]) -> str:
    """Which look a line of the history tells of, what it spent, and what stands."""
    planned, spent = look.get("planned"), look.get("spent")
    told = f"look {look.get('look')}" + (f" of {planned}" if planned else "")
    if isinstance(spent, float):
        told += f", {spent:.3g} spent"
    at = look.get("decided_at")
    since = f" since look {at}" if at is not None and at != look.get("look") else ""
    return f"{told}: criterion {look.get('criterion')} {WORDS[look.get('outcome')]}{since}"


def series_name(series: Series) -> str:
    """A measure with its place, in words, and its line of history where there are several."""
    return f"{_of_line(series.line)}{name_text(series.about)}, {place_text(series.about)}"


def _of_line(line: str | None) -> str:
    return "" if line is None else f"{visible(line)}: "


def point_text(point: Point) -> str:
    """A value with its interval, and a mark where it is out of control."""
    if point.estimate is None:
        return str(point.record["state"]).replace("_", " ")
    text = value_text(point.estimate.value)
    if point.estimate.low is not None and point.estimate.high is not None:
        text += f" ({value_text(point.estimate.low)} to {value_text(point.estimate.high)})"
    return f"{text} outside its control limits" if point.signal else text


def criterion_text(course: CriterionCourse) -> str:
    """A criterion with its place, in words."""
    about = {**course.about, "threshold": course.about.get("threshold_asked")}
    return f"{_of_line(course.line)}{visible(str(about['text']))}, {place_text(about)}"


def _calls(course: Course) -> Iterator[str]:
    newest = course.newest
    breaches = [c for c in course.criteria if c.breaches and course.now(c) is not None]
    signals = [
        s for s in course.series if s.points[-1].run == newest[s.line] and s.points[-1].signal
    ]
    if breaches or signals or course.problems:
        yield ""
    for criterion in breaches:
        times = f"{counted(criterion.breaches, 'run')} in a row"
        yield f"{WORDS[course.now(criterion)]} {times}: {criterion_text(criterion)}"
    overall = [s for s in signals if not s.about["subgroup"]]
    for series in overall:
        yield f"{series_name(series)}: {point_text(series.points[-1])}"
    if len(signals) > len(overall):
        yield f"outside their control limits in subgroups: {len(signals) - len(overall)} measures"
    for problem in course.problems:
        yield f"history: {visible(problem)}"


def history_data(course: Course, last: int | None = None) -> dict[str, Any]:
    """Runs (or the ``last`` ones), criteria and the measures of all rows, as plain data."""
    first = _first(course, last)
    return {
        "schema": SCHEMA,
        "rule": rule(),
        "problems": list(course.problems),
        "runs": [_run_data(run) for run in course.runs[first:]],
        "criteria": [
            {
                **({} if c.line is None else {"series": c.line}),
                **{k: c.about.get(k) for k in ("text", "dataset", "model", "subgroup")},
                "threshold": c.about.get("threshold_asked"),
                "outcomes": list(c.outcomes[first:]),
                "breaches_in_a_row": c.breaches,
            }
            for c in course.criteria
        ],
        "series": [
            _series_data(series, first)
            for series in course.series
            if not series.about["subgroup"] and series.about["fold"] in (None, "mean")
        ],
    }


def _run_data(run: PastRun) -> dict[str, Any]:
    criteria = Counter(e["outcome"] for e in (run.results or {}).get("acceptance", ()))
    return {
        "run": run.name,
        **({} if run.line is None else {"series": run.line}),
        "when": run.when,
        "outcome": run.outcome,
        "version": run.version,
        "data_sha256": run.data_sha256,
        **({"looks": list(run.looks)} if run.looks else {}),
        "missing": run.missing,
        "criteria": {name: criteria[name] for name in OUTCOMES if criteria[name] or name in PLAIN},
    }


def _series_data(series: Series, first: int) -> dict[str, Any]:
    names = ("dataset", "model", "fold", "metric", "params", "average", "label", "threshold_rule")
    return {
        **({} if series.line is None else {"series": series.line}),
        **{name: series.about[name] for name in names},
        "points": [_point_data(point, first) for point in series.points if point.run >= first],
    }


def _point_data(point: Point, first: int) -> Mapping[str, Any]:
    limits = point.limits
    return {
        "run": point.run - first,
        "state": point.record["state"],
        "value": point.record["value"],
        "threshold": point.record["threshold"],
        "interval": point.record["interval"],
        "centre": limits.centre,
        "low": limits.low,
        "high": limits.high,
        "chart": limits.chart,
        "reason": limits.reason,
        "signal": point.signal,
    }
