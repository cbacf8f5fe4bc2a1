"""A folder of runs in words, and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from evalreport.lines import one_line
from evalreport.record.naming import (
    OUTCOME_WORDS,
    name_text,
    place_text,
    status_text,
    threshold_text,
)
from evalreport.record.trend import (
    NOTHING,
    Course,
    CriterionCourse,
    PastAttempt,
    PastRun,
    Point,
    Series,
)
from evalreport.report.changes import WHAT_MOVED
from evalreport.report.numbers import limits_text, value_text
from evalreport.report.words import counted, visible
from evalreport.results.codec import encode
from evalreport.results.history import LookTold
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import HELD, OUTCOMES, Moved
from evalreport.statistics.control_limits import rule

SCHEMA = "evalreport/history/1"
#: What moved is named beside an alarm below this p value.
MOVED = 0.01
#: Outcomes that are always told, however few.
PLAIN = ("pass", "fail", "not_evaluated")


def history_text(course: Course, last: int | None = None) -> str:
    """The runs (or the ``last`` ones), oldest first, each with its headline measures.

    Then what calls for a look. Limits and counts rest on all runs, shown or not.
    """
    headlines = headline_texts(course)
    first = _first(course, last)
    tried = attempts_by_place(course, first)
    lines = [attempt_line(one) for one in tried.get(first, [])]
    for index, run in enumerate(course.runs[first:], start=first):
        line = "" if run.line is None else f"  {visible(run.line)}"
        told = f"{run.when}  {visible(run.outcome):<7}  {run.name}{line}  {run_note(run)}"
        lines.append(told.rstrip())
        lines += [f"    {line}" for line in headlines.get(index, [])]
        lines += [attempt_line(one) for one in tried.get(index + 1, [])]
    return "\n".join(map(one_line, [*lines, *_calls(course)]))


def _first(course: Course, last: int | None) -> int:
    return 0 if last is None else max(0, len(course.runs) - last)


def headline_texts(course: Course) -> Mapping[int, list[str]]:
    """The headline measures of each run in words, by its place; the run says its series."""
    found: dict[int, list[str]] = {}
    for series in course.headlines:
        name = measure_name(series)
        for point in series.points:
            found.setdefault(point.run, []).append(f"{name}: {point_text(point)}")
    return found


def attempts_by_place(course: Course, first: int) -> Mapping[int, list[PastAttempt]]:
    """The attempts by how many runs stand before each; before the first run shown none."""
    found: dict[int, list[PastAttempt]] = {}
    for one in course.attempts:
        if one.place > first or not first:
            found.setdefault(one.place, []).append(one)
    return found


def attempt_line(one: PastAttempt) -> str:
    """An attempt that came to nothing, laid out as a run is."""
    line = "" if one.line is None else f"  {visible(one.line)}"
    return f"{one.when}  no run {line}  {attempt_note(one)}"


def attempt_note(one: PastAttempt) -> str:
    """How an attempt ended, and what its data were to be of."""
    return "; ".join([f"ended with {status_text(one.status)}", *_as_of(one)])


def _as_of(one: PastRun | PastAttempt) -> list[str]:
    return [] if one.as_of is None else [f"data as of {visible(one.as_of)}"]


def since_newest(course: Course) -> list[str]:
    """Of each line of history the attempts that came to nothing since its newest run."""
    since: dict[str | None, list[PastAttempt]] = {}
    for one in course.attempts:
        if one.after:
            since.setdefault(one.line, []).append(one)
    return [
        f"{_of_line(line)}{counted(len(own), 'attempt')} since the newest run came to nothing, the "
        f"last of {own[-1].when[:10]}: {attempt_note(own[-1])}"
        for line, own in since.items()
    ]


def run_note(run: PastRun) -> str:
    """What its data are of, its criteria, or why they are not known."""
    return "; ".join([*_as_of(run), _criteria_note(run)])


def _criteria_note(run: PastRun) -> str:
    if run.results is None:
        return visible(str(run.missing))
    outcomes = [entry.outcome for entry in run.results.acceptance]
    if not outcomes:
        return "no criteria" if run.missing is None else f"no criteria; {visible(run.missing)}"
    passed = sum(outcome in HELD for outcome in outcomes)
    told = f"{passed} of {counted(len(outcomes), 'criterion', 'criteria')} passed"
    gone = [] if run.missing is None else [visible(run.missing)]
    return "; ".join([told, *dict.fromkeys(map(look_note, run.looks)), *gone])


def look_note(look: LookTold) -> str:
    """Which look a line of the history tells of, what it spent, and what stands."""
    told = f"look {look.look}" + (f" of {look.planned}" if look.planned else "")
    if isinstance(look.spent, float):
        told += f", {look.spent:.3g} spent"
    at = look.decided_at
    since = f" since look {at}" if at is not None and at != look.look else ""
    return f"{told}: criterion {look.criterion} {OUTCOME_WORDS[look.outcome]}{since}"


def series_name(series: Series) -> str:
    """A measure with its place, in words, and its line of history where there are several."""
    return f"{_of_line(series.line)}{measure_name(series)}"


def measure_name(series: Series) -> str:
    """A measure with its place, in words."""
    about = series.about
    at = threshold_text(about.threshold_rule, about.threshold)
    place = place_text(about.dataset, about.model, about.subgroup, about.fold, at)
    return f"{name_text(about)}, {place}"


def _of_line(line: str | None) -> str:
    return "" if line is None else f"{visible(line)}: "


def point_text(point: Point) -> str:
    """A value with its interval, and a mark where it is out of control."""
    if point.estimate is None:
        return point.record.state.replace("_", " ")
    text = value_text(point.estimate.value)
    if point.estimate.low is not None and point.estimate.high is not None:
        limits = limits_text(point.estimate.low, point.estimate.high, point.estimate.value)
        text += f" ({limits})"
    return f"{text} outside its control limits" if point.signal else text


def change_text(course: Course, series: Series) -> str:
    """The name of a measure, and when it changed; empty without an alarm."""
    told = alarm_text(course, series)
    return f"{series_name(series)}: {told}" if told else ""


def alarm_text(course: Course, series: Series) -> str:
    """The alarm of the cumulative sum and the point of change in words; empty without an alarm."""
    change = course.change(series)
    if change is None or change.alarm is None:
        return ""
    told = f"alarm in the run of {_day(course, change.alarm)}"
    if change.since is not None:
        told += f", changed most likely with that of {_day(course, change.since)}"
        if change.earliest != change.latest:
            told += f" ({_day(course, change.earliest)} to {_day(course, change.latest)})"
    if change.before is not None and change.after is not None:
        told += f": {value_text(change.before)} before, {value_text(change.after)} since"
    moved = [moved_text(one) for one in change.moved if clearly_moved(one)]
    return f"{told}; with it moved {', '.join(moved)}" if moved else told


def _day(course: Course, place: int | None) -> str:
    return "" if place is None else course.runs[place].time[:10]


def clearly_moved(one: Moved) -> bool:
    """Whether chance alone seldom moves it so far."""
    return one.p_value is not None and one.p_value < MOVED


def moved_text(one: Moved) -> str:
    """What moved, from where to where."""
    what = WHAT_MOVED[one.what] if one.column is None else f"the mix of {visible(one.column)}"
    if one.before is None or one.after is None:
        return what
    return f"{what} ({value_text(one.before)} to {value_text(one.after)})"


def criterion_text(course: CriterionCourse) -> str:
    """A criterion with its place, in words."""
    about = course.about
    at = threshold_text(None, about.asked_at)
    place = place_text(about.dataset, about.model, about.subgroup, at=at)
    return f"{_of_line(course.line)}{visible(about.text)}, {place}"


def _calls(course: Course) -> Iterator[str]:
    newest = course.newest
    breaches = [c for c in course.criteria if c.breaches and course.now(c) is not None]
    signals = [
        s for s in course.series if s.points[-1].run == newest[s.line] and s.points[-1].signal
    ]
    changes = [text for one in course.headlines if (text := change_text(course, one))]
    tried = since_newest(course)
    if breaches or signals or changes or tried or course.problems:
        yield ""
    yield from tried
    for criterion in breaches:
        times = f"{counted(criterion.breaches, 'run')} in a row"
        yield f"{OUTCOME_WORDS[course.now(criterion)]} {times}: {criterion_text(criterion)}"
    yield from changes
    overall = [s for s in signals if not s.about.subgroup]
    for series in overall:
        yield f"{series_name(series)}: {point_text(series.points[-1])}"
    if len(signals) > len(overall):
        yield f"outside their control limits in subgroups: {len(signals) - len(overall)} measures"
    for problem in course.problems:
        yield f"history: {visible(problem)}"


def history_data(course: Course, last: int | None = None) -> dict[str, Any]:
    """Runs (or the ``last`` ones), criteria and the measures of all rows, as plain data."""
    first = _first(course, last)
    tried = attempts_by_place(course, first)
    return {
        "schema": SCHEMA,
        "rule": rule(),
        "problems": list(course.problems),
        "runs": [_run_data(run) for run in course.runs[first:]],
        "attempts": [_attempt_data(one) for place in sorted(tried) for one in tried[place]],
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
    return {
        **({} if one.line is None else {"series": one.line}),
        "when": one.when,
        **({} if one.as_of is None else {"as_of": one.as_of}),
        "status": one.status,
    }


def _run_data(run: PastRun) -> dict[str, Any]:
    criteria = Counter(entry.outcome for entry in (run.results or NOTHING).acceptance)
    return {
        "run": run.name,
        **({} if run.line is None else {"series": run.line}),
        "when": run.when,
        **({} if run.as_of is None else {"as_of": run.as_of}),
        "outcome": run.outcome,
        "version": run.version,
        "data_sha256": run.data_sha256,
        **({"looks": [encode(look) for look in run.looks]} if run.looks else {}),
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
    """The charts of a course; runs by name, since the change may be in one that is not listed."""
    change = course.change(series)
    if change is None:
        return None

    def name(place: int | None) -> str | None:
        return None if place is None else course.runs[place].name

    return {
        "run_length": change.run_length,
        "alarm": name(change.alarm),
        "since": name(change.since),
        "earliest": name(change.earliest),
        "latest": name(change.latest),
        "level": change.level,
        "probability": change.probability,
        "before": change.before,
        "after": change.after,
        "marks": [{"run": k - first, **encode(one)} for k, one in change.marks if k >= first],
        "moved": [encode(one) for one in change.moved],
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
    }
