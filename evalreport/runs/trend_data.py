"""The course of runs as plain data, for ``history --json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evalreport.runs.trend import NOTHING, Course, PastAttempt, PastRun, Point, Series
from evalreport.results.codec import encode
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import OUTCOMES
from evalreport.statistics.control_limits import rule

SCHEMA = "evalreport/history/1"
#: Outcomes that are always counted, however few.
PLAIN = ("pass", "fail", "not_evaluated")


def history_data(course: Course, last: int | None = None) -> dict[str, Any]:
    """Runs (or the ``last`` ones), criteria and the measures of all rows, as plain data."""
    first = 0 if last is None else max(0, len(course.runs) - last)
    return {
        "schema": SCHEMA,
        "rule": rule(),
        "problems": list(course.problems),
        "runs": [_run_data(run) for run in course.runs[first:]],
        "attempts": [_attempt_data(one) for one in course.tried(first)],
        "criteria": [
            {
                **({} if c.line is None else {"series": c.line}),
                "text": c.about.text,
                "dataset": c.about.dataset,
                "model": c.about.model,
                "subgroup": dict(c.about.subgroup),
                "threshold": c.about.asked_at,
                "outcomes": list(c.outcomes[first:]),
                "breaches_in_a_row": c.breaches,
            }
            for c in course.criteria
        ],
        "series": [
            _series_data(series, course, first)
            for series in course.series
            if not series.about.subgroup and series.about.fold in (None, MEAN_OF_FOLDS)
        ],
    }


def _attempt_data(one: PastAttempt) -> dict[str, Any]:
    entry = one.entry
    return {
        **({} if one.line is None else {"series": one.line}),
        "when": entry.when,
        **({} if entry.as_of is None else {"as_of": entry.as_of}),
        "status": None if entry.attempt is None else entry.attempt.status,
    }


def _run_data(run: PastRun) -> dict[str, Any]:
    criteria = Counter(one.outcome for one in (run.results or NOTHING).acceptance)
    entry = run.entry
    return {
        "run": run.name,
        **({} if run.line is None else {"series": run.line}),
        "when": entry.when,
        **({} if entry.as_of is None else {"as_of": entry.as_of}),
        "outcome": entry.outcome or "",
        "version": entry.version,
        "data_sha256": entry.data_sha256 or "",
        **({"looks": [encode(look) for look in entry.looks]} if entry.looks else {}),
        "missing": run.missing,
        "criteria": {name: criteria[name] for name in OUTCOMES if criteria[name] or name in PLAIN},
    }


def _series_data(series: Series, course: Course, first: int) -> dict[str, Any]:
    about = series.about
    return {
        **({} if series.line is None else {"series": series.line}),
        "dataset": about.dataset,
        "model": about.model,
        "fold": about.fold,
        "metric": about.metric,
        "params": dict(about.params),
        "average": about.average,
        "label": about.label,
        "threshold_rule": about.threshold_rule,
        "points": [_point_data(point, first) for point in series.points if point.run >= first],
        "change": _change_data(series, course, first),
    }


def _change_data(series: Series, course: Course, first: int) -> dict[str, Any] | None:
    """The charts of a course; runs by name, as the change may be in one that is not listed."""
    found = course.change(series)
    if found is None:
        return None
    marks = zip(found.places, found.change.marks, strict=True)
    return {
        **encode(found.change),
        "better": found.better,
        "marks": [{"run": place - first, **encode(one)} for place, one in marks if place >= first],
    }


def _point_data(point: Point, first: int) -> Mapping[str, Any]:
    limits, record = point.limits, point.record
    return {
        "run": point.run - first,
        "state": record.state,
        "value": record.value,
        "threshold": record.threshold,
        "interval": None if record.interval is None else encode(record.interval),
        "centre": limits.centre,
        "low": limits.low,
        "high": limits.high,
        "chart": limits.chart,
        "reason": limits.reason,
        "signal": point.signal,
        "better": point.better,
    }
