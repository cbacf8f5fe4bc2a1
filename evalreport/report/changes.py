"""When a course changed: alarms, points of change, what moved with it, charts in numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from evalreport.numbers import or_dash, p_text
from evalreport.report.columns import Column, across, left, right, table_of
from evalreport.report.model import Block, TableBlock
from evalreport.report.words import label_text, method_text
from evalreport.results.records import SHARES_MOVED, Change, ChartMark, Moved, Period

R = TypeVar("R")
SIGNAL = "◆"
#: Periods in the table of a chart, the newest ones.
MOST_PERIODS = 36
#: The chance of a change from which on a course has a line without an alarm, too.
EVEN = 0.5
WHAT_MOVED = {
    **{what: share.words for what, share in SHARES_MOVED.items()},
    "scores": "mean score",
    "calibration": "mean of outcome minus score",
}

#: A course with the words for its measure and its model.
Named = tuple[str, str, Period]


def changed_at(record: Period) -> int | None:
    """The place of the first period after the change; None where no alarm came."""
    change = record.change
    if change is None or change.alarm is None or change.since is None:
        return None
    return list(record.periods).index(change.since)


def change_words(record: Period) -> str:
    """The alarm and the point of change in a sentence; empty where no alarm came."""
    change = record.change
    if change is None or change.alarm is None:
        return ""
    since = "" if change.since is None else f", most likely change at {label_text(change.since)}"
    return f"Alarm in {label_text(change.alarm)}{since} (shaded)."


def change_blocks(courses: Sequence[Named]) -> list[Block]:
    """Alarm and point of change of each measure, what moved with it, and one chart in numbers."""
    charted = [(name, model, record) for name, model, record in courses if record.change]
    if not charted:
        return []
    shown = _worth_a_line(charted)
    length = next(one.change.run_length for _, _, one in charted if one.change)
    columns: list[Column[tuple[str, str, Change]]] = [
        left("metric", lambda line: line[0]),
        left("model", lambda line: line[1]),
        left("alarm", lambda line: _alarm(line[2])),
        left("changed with", lambda line: or_dash(line[2].since, label_text)),
        left("between", lambda line: _between(line[2])),
        right("before", lambda line: or_dash(line[2].before)),
        right("since", lambda line: or_dash(line[2].after)),
        right("chance of a change", lambda line: or_dash(line[2].probability, _chance)),
    ]
    lines = [(name, model, one.change) for name, model, one in shown if one.change]
    note = (
        f"Alarm: the first period in which the cumulative sum chart of the values, each against "
        f"all periods before it in standard errors of its own rows, crosses its limit. The limit "
        f"is such that {length:g} periods pass on average between two false alarms, however often "
        "is looked (Page 1954; self-starting, Hawkins 1987). Changed with: the first period after "
        "the most likely point of one change, with the periods it may be at 95 %; chance of a "
        "change: one half beforehand (Smith 1975)."
    )
    if len(shown) < len(charted):
        note += (
            f" {len(shown)} of {len(charted)} courses; the others have no alarm and a chance of a "
            "change below one half, and are in results.json."
        )
    blocks: list[Block] = [
        table_of(
            "When did it change?",
            lines,
            columns,
            note,
            strong=lambda line: line[2].alarm is not None,
        )
    ]
    alarmed = [one for one in charted if one[2].change and one[2].change.alarm is not None]
    if alarmed:
        blocks.append(_moved(*alarmed[0]))
    blocks.append(_chart(*(alarmed or charted)[0]))
    return blocks


def _worth_a_line(charted: Sequence[Named]) -> list[Named]:
    """Courses with an alarm or, beforehand as likely as not, a change; else the likeliest."""

    def chance(one: Named) -> float:
        change = one[2].change
        return 0.0 if change is None else change.probability or 0.0

    def alarmed(one: Named) -> bool:
        return one[2].change is not None and one[2].change.alarm is not None

    found = [one for one in charted if alarmed(one) or chance(one) >= EVEN]
    return found or [max(charted, key=chance)]


def _alarm(change: Change) -> str:
    return "none" if change.alarm is None else f"{label_text(change.alarm)} {SIGNAL}"


def _between(change: Change) -> str:
    if change.since is None:
        return "–"
    return f"{label_text(change.earliest or '')} to {label_text(change.latest or '')}"


def _chance(probability: float) -> str:
    """A chance with three digits; never printed as certain."""
    if probability > 0.999:
        return "> 0.999"
    return "< 0.001" if probability < 0.001 else f"{probability:.3f}"


def _moved(name: str, model: str, record: Period) -> TableBlock:
    """What else is not as it was before the change."""
    change = record.change
    assert change is not None
    columns: list[Column[Moved]] = [
        left("what", lambda one: WHAT_MOVED.get(one.what) or f"mix of {label_text(one.column)}"),
        right("before", lambda one: or_dash(one.before)),
        right("since", lambda one: or_dash(one.after)),
        left("test", lambda one: "not tested" if one.test is None else method_text(one.test)),
        right("statistic", lambda one: or_dash(one.statistic)),
        right("p", lambda one: or_dash(one.p_value, p_text)),
    ]
    note = (
        f"Periods before {label_text(str(change.since))} compared with later ones. "
        "p values are not corrected for their number, and the point of change was chosen on "
        "another measure of the same rows. What moved with a measure need not be the cause."
    )
    return table_of(f"What moved with it: {name}, {model}", change.moved, columns, note)


def _chart(name: str, model: str, record: Period) -> TableBlock:
    """The charts of one measure, period by period."""
    change = record.change
    assert change is not None
    columns: list[Column[tuple[str, ChartMark]]] = [
        left(str(record.every), lambda one: label_text(one[0])),
        *mark_columns(lambda one: one[1]),
    ]
    note = (
        f"z: against all periods before, in standard errors. EWMA: moving average with weight 0.2 "
        f"(Roberts 1959). Both charts have an in-control run length of {change.run_length:g} "
        f"periods; {SIGNAL} beyond the limit."
    )
    return table_of(
        f"Charts that look every time: {name}, {model}",
        zip(record.periods, change.marks, strict=True),
        columns,
        note,
        strong=lambda one: one[1].signal,
        newest=MOST_PERIODS,
        noun="periods",
    )


def mark_columns(mark_of: Callable[[R], ChartMark]) -> list[Column[R]]:
    """The charts with memory step by step, of records that have the marks of a step each."""
    heads = ("z", "EWMA", "its limit", "cumulative sum", "its limit")
    places = ((head, k) for k, head in enumerate(heads))
    return across(places, lambda k, one: _mark_cells(mark_of(one))[k])


def _mark_cells(mark: ChartMark) -> list[str]:
    numbers = (mark.z, mark.ewma, mark.ewma_limit, mark.cusum, mark.cusum_limit)
    texts = ["–" if one is None else f"{one:.2f}".replace("-", "−") for one in numbers]
    if mark.ewma is not None and mark.ewma_limit is not None and abs(mark.ewma) > mark.ewma_limit:
        texts[1] += f" {SIGNAL}"
    if mark.signal:
        texts[3] += f" {SIGNAL}"
    return texts
