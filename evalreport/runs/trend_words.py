"""The course of runs in words: runs and attempts, measures, values, changes, criteria."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from evalreport.runs.naming import (
    look_text,
    name_text,
    place_text,
    status_text,
    threshold_text,
)
from evalreport.runs.trend import (
    Course,
    CriterionCourse,
    PastAttempt,
    PastRun,
    Point,
    Series,
)
from evalreport.report.changes import WHAT_MOVED
from evalreport.report.numbers import limits_text, value_text
from evalreport.report.pieces import LineCell
from evalreport.report.words import counted, visible
from evalreport.results.records import HELD, Moved

#: What moved is named beside a change below this p value: chance alone seldom moves it so far.
MOVED = 0.01
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WORSE, BETTER = "◆", "◇"


def attempt_note(one: PastAttempt) -> str:
    """How an attempt ended, and what its data were to be of."""
    ended = one.entry.attempt
    told = f"ended with {status_text(None if ended is None else ended.status)}"
    return "; ".join([told, *_as_of(one)])


def _as_of(one: PastRun | PastAttempt) -> list[str]:
    as_of = one.entry.as_of
    return [] if as_of is None else [f"data as of {visible(as_of)}"]


def since_newest(course: Course) -> list[str]:
    """Of each line of history the attempts that came to nothing since its newest run."""
    since: dict[str | None, list[PastAttempt]] = {}
    for one in course.attempts:
        if one.after:
            since.setdefault(one.line, []).append(one)
    return [
        f"{_of_line(line)}{counted(len(own), 'attempt')} since the newest run came to nothing, the "
        f"last of {own[-1].entry.when[:10]}: {attempt_note(own[-1])}"
        for line, own in since.items()
    ]


def run_note(run: PastRun) -> str:
    """What its data are of, its criteria, or why they are not known."""
    return "; ".join([*_as_of(run), _criteria_note(run)])


def _criteria_note(run: PastRun) -> str:
    if run.results is None:
        return visible(str(run.missing))
    outcomes = [entry.outcome for entry in run.results.acceptance]
    gone = [] if run.missing is None else [visible(run.missing)]
    if not outcomes:
        return "; ".join(["no criteria", *gone])
    passed = sum(outcome in HELD for outcome in outcomes)
    told = f"{passed} of {counted(len(outcomes), 'criterion', 'criteria')} passed"
    return "; ".join([told, *dict.fromkeys(map(look_text, run.entry.looks)), *gone])


def series_name(series: Series) -> str:
    """A measure with its place, in words, and its line of history where there are several."""
    return f"{_of_line(series.line)}{name_text(series.about)}, {measure_place(series)}"


def measure_place(series: Series) -> str:
    """Dataset, model, subgroup, fold and threshold of a measure, in words."""
    about = series.about
    at = threshold_text(about.threshold_rule, about.threshold)
    return place_text(about.dataset, about.model, about.subgroup, about.fold, at)


def _of_line(line: str | None) -> str:
    return "" if line is None else f"{visible(line)}: "


def point_text(point: Point) -> str:
    """A value with its interval, and whether it is out of control."""
    value = value_cell(point)
    interval = f" ({value.aside})" if value.aside else ""
    side = " on the better side" if point.better else ""
    out = f", outside its control limits{side}" if point.signal else ""
    return f"{value.text.removesuffix(_sign(point))}{interval}{out}"


def change_text(series: Series) -> str:
    """When a measure changed, from where to where, and what moved with it; empty without an alarm.

    The alarm is that of the cumulative sum.
    """
    change = series.changed
    if change is None:
        return ""
    day = {step.run.name: step.run.entry.time[:10] for step in series.steps}
    word = "detected" if series.better else "alarm"
    told = f"{word} in the run of {day[str(change.alarm)]}"
    before, after = change.before, change.after
    if change.since is not None and before is not None and after is not None:
        verb = "rose" if after > before else "fell"
        since = f"with the run of {day[change.since]}"
        if change.earliest != change.latest:
            since += f" ({day[str(change.earliest)]} to {day[str(change.latest)]})"
        told = f"{verb} {since} from {value_text(before)} to {value_text(after)}; {told}"
    seldom = [one for one in change.moved if one.p_value is not None and one.p_value < MOVED]
    return f"{told}; also moved: {', '.join(map(_moved_text, seldom))}" if seldom else told


def _moved_text(one: Moved) -> str:
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


def days(runs: Sequence[PastRun]) -> list[str]:
    """The days of runs as they are below an axis: with the year where there are several."""
    several = len({run.entry.time[:4] for run in runs}) > 1
    return [_day_text(run.entry.time[:10], year=several) for run in runs]


def _day_text(day: str, *, year: bool) -> str:
    r"""A day by the name of its month, never broken; what is none as it is.

    >>> _day_text("2026-11-09", year=False), _day_text("2026-11-09", year=True)
    ('9\xa0Nov', '9\xa0Nov\xa026')
    """
    try:
        read = date.fromisoformat(day)
    except ValueError:
        return visible(day)
    words = (str(read.day), MONTHS[read.month - 1], *([f"{read.year % 100:02}"] if year else []))
    return "\xa0".join(words)


def value_cell(point: Point) -> LineCell:
    """A value with its interval, and a mark where it is out of control."""
    if point.estimate is None:
        return LineCell(point.record.state.replace("_", " "))
    text = f"{value_text(point.estimate.value)}{_sign(point)}"
    return LineCell(text, aside=_interval(point), strong=point.signal and not point.better)


def _sign(point: Point) -> str:
    return f" {BETTER if point.better else WORSE}" if point.signal else ""


def _interval(point: Point) -> str:
    own = point.estimate
    if own is None or own.low is None or own.high is None:
        return ""
    return limits_text(own.low, own.high, own.value)
