"""Runs in words: measures, criteria and looks, attempts, values over runs, and their changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.numbers import limits_text, value_text
from evalreport.report.changes import WHAT_MOVED
from evalreport.report.pages import stamp
from evalreport.report.pieces import LineCell
from evalreport.report.words import (
    OUTCOME_WORDS,
    counted,
    label_text,
    measure_title,
    subgroup_text,
    visible,
)
from evalreport.results.changes import MeasureChange
from evalreport.results.course import CriterionCourse, Past, Point, Series
from evalreport.results.history import LookLine
from evalreport.results.records import HELD, Measure, Moved

#: What an attempt came to nothing by, by its exit status.
STATUS_WORDS = {
    2: "the spec or the command is wrong",
    3: "the data are wrong",
    4: "files, limits or rendering",
}
#: What moved is named beside a change below this p value: chance alone seldom moves it so far.
MOVED = 0.01
WORSE, BETTER = "◆", "◇"


def outcome_word(outcome: str | None) -> str:
    """An outcome in words; None where there is no criterion."""
    return "absent" if outcome is None else OUTCOME_WORDS[outcome]


def status_text(status: int | None) -> str:
    """The exit status of an attempt and what it stands for.

    >>> status_text(3)
    'status 3: the data are wrong'
    """
    why = STATUS_WORDS.get(status or 0)
    return f"status {status}" + (f": {why}" if why else "")


def look_text(look: LookLine) -> str:
    """Which look a line of the history records, what it spent, and what is decided."""
    text = f"look {look.look}" + (f" of {look.planned}" if look.planned else "")
    if isinstance(look.spent, float):
        text += f", {look.spent:.3g} spent"
    at = look.decided_at
    since = f" since look {at}" if at is not None and at != look.look else ""
    return f"{text}: criterion {look.criterion} {outcome_word(look.outcome)}{since}"


def outcome_stamp(outcome: str | None, aside: str = "") -> LineCell:
    """The outcome of a criterion as it is drawn; a dash where there is none."""
    if outcome is None:
        return LineCell("–", aside=aside)
    kind = "pass" if outcome in HELD else outcome
    kind = kind if kind in ("pass", "continue", "not_evaluated") else "fail"
    return stamp(kind, outcome_word(outcome), aside)


def name_text(record: Measure | MeasureChange) -> str:
    """A measure by its title and class."""
    title = visible(measure_title(record))
    return f"{title} of {label_text(record.label)}" if record.label is not None else title


def measure_place(record: Measure | MeasureChange) -> str:
    """Dataset, model, subgroup, fold and threshold of a measure, in words.

    A threshold is named by its rule, else by its number.
    """
    at = record.threshold_rule
    if at is None and record.threshold is not None:
        at = f"{record.threshold:g}"
    return place_text(record, at)


def place_text(record: Any, at: str | None = None) -> str:
    """Dataset, model, subgroup and fold of a record, those that it has, and a threshold."""
    parts = [label_text(record.dataset), label_text(record.model)]
    if subgroup := getattr(record, "subgroup", None):
        parts.append(subgroup_text(subgroup))
    if (fold := getattr(record, "fold", None)) is not None:
        parts.append(f"fold {label_text(fold)}")
    return ", ".join([*parts, f"threshold {visible(at)}"] if at else parts)


def note(one: Past) -> str:
    """What its data are of, its criteria or how it ended, and why more is not known."""
    as_of = [] if one.entry.as_of is None else [f"data as of {visible(one.entry.as_of)}"]
    ended = one.entry.attempt
    if ended is not None:
        return "; ".join([f"ended with {status_text(ended.status)}", *as_of])
    return "; ".join([*as_of, *_criteria(one)])


def _criteria(run: Past) -> list[str]:
    """How many criteria of a run passed, its looks, and why it is not there."""
    outcomes = [entry.outcome for entry in run.acceptance]
    passed = sum(outcome in HELD for outcome in outcomes)
    of = f"{passed} of {counted(len(outcomes), 'criterion', 'criteria')} passed"
    looks = dict.fromkeys(map(look_text, run.entry.looks))
    notes = [of, *looks] if outcomes else [] if run.title is None else ["no criteria"]
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
    return f"{_of_line(course.line)}{visible(about.text)}, {place_text(about, about.asked_at)}"


def value_cell(point: Point) -> LineCell:
    """A value with its interval, and a mark where it is out of control."""
    value, limits = point.value, point.record.interval
    if value is None:
        return LineCell(point.record.state.replace("_", " "))
    interval = "" if limits is None else limits_text(limits.low, limits.high, value)
    mark = f" {BETTER if point.better else WORSE}" if point.limits.signal else ""
    strong = point.limits.signal and not point.better
    return LineCell(f"{value_text(value)}{mark}", aside=interval, strong=strong)
