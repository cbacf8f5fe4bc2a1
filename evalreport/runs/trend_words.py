"""The course of runs in words: runs and attempts, measures, values, changes, criteria."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.report.changes import WHAT_MOVED
from evalreport.report.numbers import limits_text, value_text
from evalreport.report.pieces import LineCell
from evalreport.report.words import counted, visible
from evalreport.results.records import HELD, Moved
from evalreport.runs.naming import (
    look_text,
    measure_place,
    name_text,
    place_text,
    status_text,
    threshold_text,
)
from evalreport.runs.trend import CriterionCourse, Past, Point, Series

#: What moved is named beside a change below this p value: chance alone seldom moves it so far.
MOVED = 0.01
WORSE, BETTER = "◆", "◇"


def note(one: Past) -> str:
    """What its data are of, its criteria or how it ended, and why more is not known."""
    as_of = [] if one.entry.as_of is None else [f"data as of {visible(one.entry.as_of)}"]
    ended = one.entry.attempt
    if ended is not None:
        return "; ".join([f"ended with {status_text(ended.status)}", *as_of])
    return "; ".join([*as_of, *_criteria(one)])


def _criteria(run: Past) -> list[str]:
    """How many criteria of a run passed, its looks, and why it is not there."""
    outcomes = [entry.outcome for entry in run.found.acceptance]
    passed = sum(outcome in HELD for outcome in outcomes)
    of = f"{passed} of {counted(len(outcomes), 'criterion', 'criteria')} passed"
    looks = dict.fromkeys(map(look_text, run.entry.looks))
    notes = [of, *looks] if outcomes else [] if run.results is None else ["no criteria"]
    return [*notes, *([] if run.missing is None else [visible(run.missing)])]


def since_newest(attempts: Sequence[Past]) -> str:
    """The attempts that came to nothing since the newest run of their series."""
    last = attempts[-1]
    return (
        f"{_of_line(last.line)}{counted(len(attempts), 'attempt')} since the newest run produced "
        f"no report, the last of {last.entry.when[:10]}: {note(last)}"
    )


def series_name(series: Series) -> str:
    """A measure with its place, in words, and its line of history where there are several."""
    return f"{_of_line(series.line)}{name_text(series.about)}, {measure_place(series.about)}"


def _of_line(line: str | None) -> str:
    return "" if line is None else f"{visible(line)}: "


def outside_text(point: Point) -> str:
    """A value outside its control limits, with its interval."""
    value = value_cell(point)
    interval = f" ({value.aside})" if value.aside else ""
    side = " on the better side" if point.better else ""
    return f"{value.text.rstrip(f' {WORSE}{BETTER}')}{interval}, outside its control limits{side}"


def change_text(series: Series) -> str:
    """When a measure changed, from where to where, and what moved with it; empty without an alarm.

    The alarm is that of the cumulative sum.
    """
    change = series.changed
    if change is None:
        return ""
    day = {step.run.name: step.run.day for step in series.steps}
    word = "detected" if series.better else "alarm"
    text = f"{word} in the run of {day[str(change.alarm)]}"
    before, after = change.before, change.after
    if change.since is not None and before is not None and after is not None:
        verb = "rose" if after > before else "fell"
        since = f"with the run of {day[change.since]}"
        if change.earliest != change.latest:
            since += f" ({day[str(change.earliest)]} to {day[str(change.latest)]})"
        text = f"{verb} {since} from {value_text(before)} to {value_text(after)}; {text}"
    seldom = [one for one in change.moved if one.p_value is not None and one.p_value < MOVED]
    return f"{text}; also moved: {', '.join(map(_moved_text, seldom))}" if seldom else text


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


def value_cell(point: Point) -> LineCell:
    """A value with its interval, and a mark where it is out of control."""
    found = point.estimate
    if found is None:
        return LineCell(point.record.state.replace("_", " "))
    interval = ""
    if found.low is not None and found.high is not None:
        interval = limits_text(found.low, found.high, found.value)
    mark = f" {BETTER if point.better else WORSE}" if point.signal else ""
    strong = point.signal and not point.better
    return LineCell(f"{value_text(found.value)}{mark}", aside=interval, strong=strong)
