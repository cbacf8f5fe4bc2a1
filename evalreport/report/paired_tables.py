"""The rows on which two models differ: the counts that a paired difference and its test are of.

Of weighted rows none are recorded, which the section says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalreport.metrics.catalogue import find
from evalreport.metrics.kinds import Interval
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.contents import Contents, View, view_of
from evalreport.report.model import Block, Text
from evalreport.report.numbers import count_text, difference_text
from evalreport.report.words import label_text
from evalreport.results.records import Calls, Comparison, JointTable

#: Lines of the table; results.json has all.
MOST_LINES = 24
NOTE = (
    "Rows that the metric counts for both models, for the first or the second alone, and for "
    "neither. Only rows that count for one alone decide the difference and its test."
)

WEIGHTED = (
    "Rows are weighted: the weights of the rows on which two models differ are not recorded. "
    "The table of each model has its own."
)


class _Counts(NamedTuple):
    """Rows that count for both models, for one only, and for neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def worked(self) -> str:
        """The difference with the counts put in."""
        rows = sum(self)
        worked = f"({count_text(self.first)} − {count_text(self.second)}) / {count_text(rows)}"
        value = difference_text((self.first - self.second) / rows) if rows else "undefined"
        return f"{worked} = {value}"

    @property
    def turned(self) -> _Counts:
        """The same rows counted the other way round: those that do not count."""
        return _Counts(*reversed(self))


#: What is counted, of which models, and the counts.
_Pair = tuple[str, str, _Counts]


def paired_tables(
    contents: Contents, entries: Sequence[tuple[Comparison, str, str]]
) -> list[Block]:
    """A line for each paired table of some comparisons, given with their title and pair."""
    known: set[tuple[View, View, _Counts]] = set()
    found: list[_Pair] = []
    # shares of the rows of a class first: the calls of precision are the same rows
    for entry, title, pair in sorted(entries, key=lambda one: one[0].joint_table is None):
        view = (entry.dataset, entry.model)
        other = (entry.reference_dataset or entry.dataset, entry.reference)
        for what, counts in _counted(entry, title):
            if (view, other, counts) not in known:
                known |= {(view, other, counts), (view, other, counts.turned)}
                found.append((what, pair, counts))
    columns: list[Column[_Pair]] = [
        left("metric", lambda one: one[0]),
        left("models", lambda one: one[1]),
        right("both", lambda one: count_text(one[2].both)),
        right("first only", lambda one: count_text(one[2].first)),
        right("second only", lambda one: count_text(one[2].second)),
        right("neither", lambda one: count_text(one[2].neither)),
        right("rows", lambda one: count_text(sum(one[2]))),
        right("difference", lambda one: one[2].worked),
    ]
    title = "The rows on which two models differ"
    made = table_of(title, found, columns, NOTE, "paired", most=MOST_LINES, noun="tables")
    blocks: list[Block] = [made] if found else []
    lacking = any(_is_weighted_share(contents, entry) for entry, _, _ in entries)
    return [*blocks, Text(WEIGHTED, "small")] if lacking else blocks


def _is_weighted_share(contents: Contents, entry: Comparison) -> bool:
    """Whether two shares of the same weighted rows are compared."""
    declared = find(entry.metric)
    share = declared is not None and declared.interval is Interval.PROPORTION
    return share and entry.paired and contents.is_weighted(view_of(entry))


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
