"""The course of runs as plain data, for ``history --json``."""

from __future__ import annotations

from collections import Counter
from typing import Any

from evalreport.results.codec import encode
from evalreport.results.course import Course, CriterionCourse, Past, Point, Series
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import OUTCOMES
from evalreport.statistics.control_limits import rule

SCHEMA = "evalreport/history/1"
#: Outcomes that are always counted, however few.
PLAIN = ("pass", "fail", "not_evaluated")
#: What is listed of the line of a run, and of the record of a measure.
OF_RUN = ("run", "when", "as_of", "outcome", "version", "data_sha256", "looks")
OF_MEASURE = (
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
        "criteria": [_criterion_data(one, first) for one in course.criteria],
        "series": [
            _series_data(series, first)
            for series in course.series
            if not series.about.subgroup and series.about.fold in (None, MEAN_OF_FOLDS)
        ],
    }


def _of_series(one: Past | Series | CriterionCourse) -> dict[str, Any]:
    """The series of something, where the folder has several."""
    return {"series": one.line} if one.line else {}


def _of_line(one: Past, *names: str) -> dict[str, Any]:
    """What the line of a run, or of an attempt, says of these names."""
    line = encode(one.entry)
    return {**_of_series(one), **{name: line[name] for name in names if name in line}}


def _attempt_data(one: Past) -> dict[str, Any]:
    status = None if one.entry.attempt is None else one.entry.attempt.status
    return {**_of_line(one, "when", "as_of"), "status": status}


def _run_data(run: Past) -> dict[str, Any]:
    criteria = Counter(one.outcome for one in run.acceptance)
    return {
        "outcome": "",
        "data_sha256": "",
        **_of_line(run, *OF_RUN),
        "missing": run.missing,
        "criteria": {name: criteria[name] for name in OUTCOMES if criteria[name] or name in PLAIN},
    }


def _criterion_data(one: CriterionCourse, first: int) -> dict[str, Any]:
    about = one.about
    return {
        **_of_series(one),
        "text": about.text,
        "dataset": about.dataset,
        "model": about.model,
        "subgroup": dict(about.subgroup),
        "threshold": about.asked_at,
        "outcomes": list(one.outcomes[first:]),
        "breaches_in_a_row": one.breaches,
    }


def _series_data(series: Series, first: int) -> dict[str, Any]:
    about = encode(series.about)
    return {
        **_of_series(series),
        **{name: about[name] for name in OF_MEASURE},
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
