"""Looks: how often criteria were judged while rows came in, what was spent, what was decided."""

from __future__ import annotations

from evalreport.numbers import count_text, level_text, or_dash, p_text
from evalreport.report.cards import interval_text
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.contents import Contents
from evalreport.report.criteria import requirement_text
from evalreport.report.model import Block, TableBlock, Text
from evalreport.report.sections import section
from evalreport.report.words import OUTCOME_MARKS, counted, label_text, method_text, prose, visible
from evalreport.results.records import Criterion, Look, LookBlock

RULES = {"obrien_fleming": "O'Brien-Fleming type", "pocock": "Pocock type"}
#: How a row that a look has counted is known again.
KNOWN_BY = {"period": "by its period", "row": "by its id", "file": "by the hash of its file"}
#: Blocks of rows listed below, the newest ones.
MOST_BLOCKS = 36


@section("looks", "Looks at the criteria", short="Looks", of=(Look,))
def look_blocks(contents: Contents) -> list[Block]:
    """Every look of this run, then the blocks of rows that it rests on."""
    entries = contents.of(Look)
    if not entries:
        return []
    blocks: list[Block] = [Text(_intro(entries[0]))]
    columns: list[Column[Look]] = [
        left("criterion", lambda one: _criterion(contents, one)),
        left("model", lambda one: label_text(one.model)),
        left("look", look_words),
        right("rows so far", lambda one: count_text(one.rows)),
        left("value so far", _value),
        left("interval", _interval),
        left(
            "error spent",
            lambda one: or_dash(one.spent, lambda p: f"{p_text(p)} of {p_text(one.alpha)}"),
        ),
        left("before", _before),
        left("outcome", _outcome),
    ]
    blocks.append(table_of("Looks at the criteria", entries, columns, _note(entries)))
    return [*blocks, _rows_so_far(contents, entries[0])]


def _intro(one: Look) -> str:
    level = level_text(1.0 - one.alpha)
    if one.planned is None:
        return (
            f"The criteria are judged again with every run, on all rows so far. The intervals are "
            f"confidence sequences: with {level} they are valid at all looks together, "
            "however many there are. A criterion passes or fails once the whole interval lies on "
            "one side of what it requires, and continues until then."
        )
    rule = RULES.get(str(one.spending), "")
    return (
        f"The criteria are judged at {one.planned} planned looks, on all rows so far. The error of "
        f"{p_text(one.alpha)} is spent over them by a function of the {rule} (Lan and DeMets "
        f"1983), half on each side; the interval is the usual one at the level of the "
        "look's boundary, so that the intervals of all looks are valid together. A criterion "
        "passes or fails once the whole interval lies on one side of what it requires; the last "
        "look decides by the bound that the criterion names."
    )


def looked_words(contents: Contents, entry: Criterion) -> str:
    """Which look an outcome is of, in words; empty where it is of none."""
    if entry.look is None:
        return ""
    own = (entry.criterion, entry.measure)
    found = (one for one in contents.of(Look) if (one.criterion, one.measure) == own)
    return next((look_words(one) for one in found), "")


def look_words(one: Look) -> str:
    """Which look it is, in words: look 3 of 12."""
    return f"look {one.look}" if one.planned is None else f"look {one.look} of {one.planned}"


def _criterion(contents: Contents, one: Look) -> str:
    """The number of a criterion, its measure and what it requires."""
    measure = contents.measure_of(one.measure)
    place = f" ({measure.id})" if measure is not None else ""
    return f"{one.criterion}. {_title(contents, one)}{place} {_required(contents, one)}"


def _title(contents: Contents, one: Look) -> str:
    measure = contents.measure_of(one.measure)
    return visible(one.text) if measure is None else contents.title(measure)


def _value(one: Look) -> str:
    counts = ""
    if one.numerator is not None and one.denominator is not None:
        counts = f" ({count_text(one.numerator)} of {count_text(one.denominator)})"
    return f"{or_dash(one.value)}{counts}"


def _before(one: Look) -> str:
    """What the looks before came to."""
    told = [f"{label}: {one.before.count(name)}" for name, label in _SAID if name in one.before]
    return ", ".join(told) or "–"


def _outcome(one: Look) -> str:
    outcome = OUTCOME_MARKS[one.outcome]
    if one.decided_at is not None and one.decided_at != one.look:
        outcome += f", decided at look {one.decided_at}"
    return f"{outcome}; {prose(one.reason)}" if one.reason else outcome


_SAID = (("pass", "passed"), ("fail", "failed"), ("continue", "continued"))


def _required(contents: Contents, one: Look) -> str:
    for entry in contents.of(Criterion):
        if (entry.criterion, entry.measure) == (one.criterion, one.measure):
            return requirement_text(entry)
    return ""


def _interval(one: Look) -> str:
    if one.interval is None:
        return "none yet: too little may be spent"
    return f"{interval_text(one.interval)}, {method_text(one.interval.method)}"


def _note(entries: tuple[Look, ...]) -> str:
    one = entries[0]
    known = KNOWN_BY[one.recognised_by]
    text = (
        f"Each row is counted once, at the first look that had it; it is recognised {known}. "
        "The metrics of the other sections are those of this run's rows alone."
    )
    if one.recognised_by == "file":
        text += (
            " Rows of an earlier file that are also in another are not recognised: name a "
            "period column where files overlap."
        )
    if one.interval is not None and one.interval.note:
        note, level = prose(one.interval.note), f"{one.interval.level:.6g}"
        text += f" Intervals are those {note}, level {level}."
    return text


def _rows_so_far(contents: Contents, one: Look) -> TableBlock:
    by_period = one.recognised_by == "period"
    columns: list[Column[LookBlock]] = [
        left("period" if by_period else "file (sha256)",
             lambda block: label_text(block.name if by_period else block.name[:12])),
        left("counted at", lambda block: f"look {block.look}"),
        right("rows", lambda block: count_text(block.rows)),
        right("value", _block_value),
    ]  # fmt: skip
    seen = counted(len(one.seen_before), "block")
    note = f"{seen} of this run's file had been counted before." if one.seen_before else ""
    caption = f"Rows so far, {_title(contents, one)}"
    return table_of(caption, one.blocks, columns, note, newest=MOST_BLOCKS, noun="blocks")


def _block_value(block: LookBlock) -> str:
    top, bottom = block.numerator, block.denominator
    if top is not None and bottom is not None:
        return f"{count_text(top)} of {count_text(bottom)}"
    return or_dash(block.value)
