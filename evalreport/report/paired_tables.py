"""The rows on which two models differ: the counts that a paired difference and its test are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalreport.report.columns import plain_table
from evalreport.report.contents import View
from evalreport.report.model import Block, Column, Line
from evalreport.report.numbers import count_text, difference_text
from evalreport.report.words import label_text
from evalreport.results.records import Calls, Comparison, JointTable

#: Lines of the table; results.json has all.
MOST_LINES = 24
NOTE = (
    "Rows that the metric counts for both models, for the first or the second alone, and for "
    "neither. Only rows that count for one alone decide the difference and its test."
)


class _Counts(NamedTuple):
    """Rows that count for both models, for one only, and for neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def line(self) -> tuple[str, ...]:
        """The four counts and their sum, then the difference with the counts put in."""
        rows = sum(self)
        worked = f"({count_text(self.first)} − {count_text(self.second)}) / {count_text(rows)}"
        value = difference_text((self.first - self.second) / rows) if rows else "undefined"
        return (*map(count_text, (*self, rows)), f"{worked} = {value}")

    @property
    def turned(self) -> _Counts:
        """The same rows counted the other way round: those that do not count."""
        return _Counts(*reversed(self))


def paired_tables(entries: Sequence[tuple[Comparison, str, str]]) -> list[Block]:
    """A line for each paired table of some comparisons, given with their title and pair."""
    known: set[tuple[View, View, _Counts]] = set()
    lines: list[Line] = []
    # shares of the rows of a class first: the calls of precision are the same rows
    for entry, title, pair in sorted(entries, key=lambda one: one[0].joint_table is None):
        view = (entry.dataset, entry.model)
        other = (entry.reference_dataset or entry.dataset, entry.reference)
        for what, counts in _counted(entry, title):
            if (view, other, counts) not in known:
                known |= {(view, other, counts), (view, other, counts.turned)}
                lines.append(Line((what, pair, *counts.line)))
    if not lines:
        return []
    columns = (
        Column("metric"),
        Column("models"),
        Column("both", "right"),
        Column("first only", "right"),
        Column("second only", "right"),
        Column("neither", "right"),
        Column("rows", "right"),
        Column("difference", "right"),
    )
    left = len(lines) - MOST_LINES
    note = NOTE + (f" {left} more tables are in results.json." if left > 0 else "")
    shown = tuple(lines[:MOST_LINES])
    return [plain_table("The rows on which two models differ", columns, shown, note, "paired")]


def _counted(entry: Comparison, title: str) -> Iterator[tuple[str, _Counts]]:
    """The paired tables of a comparison with what is counted in each."""
    if entry.joint_table is not None:
        yield title, _of_table(entry.joint_table)
    elif entry.joint_calls is not None:
        called = label_text(entry.label) if entry.label is not None else "positive"
        calls = entry.joint_calls
        yield f"Called {called}, of actual {called}", _of_calls(calls.actual_positive)
        yield f"Called {called}, of the others", _of_calls(calls.actual_negative)


def _of_table(joint: JointTable) -> _Counts:
    return _Counts(joint.n11, joint.n10, joint.n01, joint.n00)


def _of_calls(calls: Calls) -> _Counts:
    return _Counts(calls.both, calls.first_only, calls.second_only, calls.neither)
