"""How limits of differences, ratios and gaps were made, why so, and how often such limits hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evalreport.report.citations import References
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.words import counted, prose
from evalreport.results.records import Comparison, Gap, Heterogeneity, Interval

#: Lines of the table, and reasons that are told on one line.
MOST_LINES, MOST_REASONS = 40, 2


def difference_blocks(contents: Contents, references: References) -> list[Block]:
    """A table with a line for each metric and kind of difference; none where none is told."""
    found: dict[tuple[str, str], list[Interval]] = {}
    for of, title, interval in _intervals(contents):
        found.setdefault((of, title), []).append(interval)
    if not found:
        return []
    rows = tuple(
        TableRow((title, of, _told(own, references)))
        for (of, title), own in list(found.items())[:MOST_LINES]
    )
    columns = (
        Column("metric", "left", "18%"),
        Column("limits of", "left", "20%"),
        Column("method, and why", "left", "62%"),
    )
    left = len(found) - len(rows)
    note = (
        f"{counted(left, 'further line')} left out: results.json has the reasons." if left else ""
    )
    return [PlainTable("Limits of differences", columns, rows, note, "methods")]


def _intervals(contents: Contents) -> Iterator[tuple[str, str, Interval]]:
    """Every interval whose method has a reason: what it is of, the metric, and the interval."""
    for c in contents.of(Comparison):
        title = contents.heading(c, averaged=False)
        if c.interval is not None and c.reference_run is None and c.fold is None:
            side = "two models" if c.paired else "two datasets"
            yield f"differences of {side}", title, _reasoned(c.interval, c.why)
        if c.ratio is not None and c.ratio.interval is not None:
            side = "two models" if c.paired else "two datasets"
            yield f"ratios of {side}", title, c.ratio.interval
    for gap in contents.of(Gap):
        title = contents.heading(gap, averaged=False)
        for what, interval in (("gaps", gap.gap_interval), ("ratios", gap.ratio_interval)):
            if interval is not None and interval.why:
                yield f"{what} of a group and {_against(gap)}", title, interval
    for entry in contents.of(Heterogeneity):
        interval = None if entry.widest is None else entry.widest.interval
        if interval is not None and interval.why:
            title = contents.heading(entry, averaged=False)
            yield "the largest gap of groups", title, interval


def _against(gap: Gap) -> str:
    return "all rows" if gap.against == "all rows" else "the largest group"


def _reasoned(interval: Interval, why: str | None) -> Interval:
    return interval if interval.why else replace(interval, why=why)


def _told(intervals: Sequence[Interval], references: References) -> str:
    """The methods of intervals with their reasons; the first of them where there are many."""
    by_reason: dict[tuple[str, str], None] = {}
    for interval in intervals:
        by_reason.setdefault((interval.method, prose(interval.why or "")))
    told = [
        references.methods([method]) + (f": {why}" if why else "")
        for method, why in list(by_reason)[:MOST_REASONS]
    ]
    left = len(by_reason) - len(told)
    return " / ".join([*told, *([f"and {left} more in results.json"] if left else [])])
