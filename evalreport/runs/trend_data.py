"""The course of runs as plain data, for ``history --json``."""

from __future__ import annotations

from collections import Counter
from typing import Any

from evalreport.results.codec import encode
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import OUTCOMES
from evalreport.runs.trend import Course, Past, Point, Series
from evalreport.statistics.control_limits import rule

SCHEMA = "evalreport/history/1"
#: Outcomes that are always counted, however few.
PLAIN = ("pass", "fail", "not_evaluated")
#: What is listed of the record of a measure.
LISTED = (
    "dataset", "model", "fold", "metric", "params", "average", "label", "threshold_rule"
)  # fmt: skip


def history_data(course: Course, last: int | None = None) -> dict[str, Any]:
    """Runs (or the ``last`` ones), criteria and the measures of all rows, as plain data."""
    runs, tried = course.last(last)
    first = len(course.runs) - len(runs)
    return {
        "schema": SCHEMA,
        "rule": rule(),
        "problems": list(course.problems),
        "runs": [_run_data(run) for run in runs],
        "attempts": [_attempt_data(one) for one in tried],
        "criteria": [
            {
                **_known(series=c.line),
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
            _series_data(series, first)
            for series in course.series
            if not series.about.subgroup and series.about.fold in (None, MEAN_OF_FOLDS)
        ],
    }


def _known(**fields: object) -> dict[str, Any]:
    """Those of some fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def _attempt_data(one: Past) -> dict[str, Any]:
    entry = one.entry
    return {
        **_known(series=one.line),
        "when": entry.when,
        **_known(as_of=entry.as_of),
        "status": None if entry.attempt is None else entry.attempt.status,
    }


def _run_data(run: Past) -> dict[str, Any]:
    criteria = Counter(one.outcome for one in run.found.acceptance)
    entry = run.entry
    return {
        "run": run.name,
        **_known(series=run.line),
        "when": entry.when,
        **_known(as_of=entry.as_of),
        "outcome": entry.outcome or "",
        "version": entry.version,
        "data_sha256": entry.data_sha256 or "",
        **_known(looks=[encode(look) for look in entry.looks]),
        "missing": run.missing,
        "criteria": {name: criteria[name] for name in OUTCOMES if criteria[name] or name in PLAIN},
    }


def _series_data(series: Series, first: int) -> dict[str, Any]:
    about = encode(series.about)
    return {
        **_known(series=series.line),
        **{name: about[name] for name in LISTED},
        "points": [
            _point_data(point, first) for point in series.points if point.run.place >= first
        ],
        "change": _change_data(series, first),
    }


def _change_data(series: Series, first: int) -> dict[str, Any] | None:
    """The charts of a course; runs by name, as the change may be in one that is not listed."""
    if series.change is None:
        return None
    marks = [
        {"run": step.run.place - first, **encode(mark)}
        for step, mark in zip(series.steps, series.change.marks, strict=True)
        if step.run.place >= first
    ]
    return {**encode(series.change), "better": series.better, "marks": marks}


def _point_data(point: Point, first: int) -> dict[str, Any]:
    record = point.record
    return {
        "run": point.run.place - first,
        "state": record.state,
        "value": record.value,
        "threshold": record.threshold,
        "interval": None if record.interval is None else encode(record.interval),
        **encode(point.limits),
        "better": point.better,
    }
