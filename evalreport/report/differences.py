"""How limits of differences, ratios and gaps were made, and how often such limits hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalreport.report.citations import References
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.words import counted
from evalreport.results.records import Comparison, Gap, Heterogeneity, Interval

#: Lines of the table.
MOST_LINES = 40
HELD = (
    "In brackets: how many of 100 such limits held in the coverage study, in the cells nearest to "
    "the rows that are compared."
)


def difference_blocks(contents: Contents, references: References) -> list[Block]:
    """A table with a line for each method and kind of difference; none where none is told."""
    found: dict[tuple[str, str], list[Interval]] = {}
    for of, title, interval in _intervals(contents):
        found.setdefault((of, title), []).append(interval)
    if not found:
        return []
    lines: dict[tuple[str, str], list[str]] = {}
    studied = False
    for (of, title), own in found.items():
        told, held = _told(own, references)
        studied = studied or bool(held)
        lines.setdefault((of, told), []).append(f"{title} ({held})" if held else title)
    kinds = list(dict.fromkeys(of for of, _ in lines))
    one = len(kinds) == 1
    rows = tuple(
        TableRow((", ".join(titles), *(() if one else (of,)), told))
        for (of, told), titles in list(lines.items())[:MOST_LINES]
    )
    columns = (
        Column("metric"),
        *(() if one else (Column("limits of"),)),
        Column("method"),
    )
    left = len(lines) - len(rows)
    notes = [HELD] if studied else []
    if left:
        notes.append(f"{counted(left, 'further line')} left out: results.json has the methods.")
    caption = f"Limits of {kinds[0]}" if one else "Limits of differences"
    return [PlainTable(caption, columns, rows, " ".join(notes), "methods differences")]


def _intervals(contents: Contents) -> Iterator[tuple[str, str, Interval]]:
    """Every interval that is told: what it is of, the metric, and the interval."""
    for c in contents.of(Comparison):
        title = contents.heading(c, averaged=False)
        if c.interval is not None and c.reference_run is None and c.fold is None:
            side = "two models" if c.paired else "two datasets"
            yield f"differences of {side}", title, c.interval
        if c.ratio is not None and c.ratio.interval is not None:
            side = "two models" if c.paired else "two datasets"
            yield f"ratios of {side}", title, c.ratio.interval
    for gap in contents.of(Gap):
        title = contents.heading(contents.measure_of(gap.measure) or gap, averaged=False)
        for what, interval in (("gaps", gap.gap_interval), ("ratios", gap.ratio_interval)):
            if interval is not None and interval.study:
                yield f"{what} of groups, against {_against(gap)}", title, interval
    for entry in contents.of(Heterogeneity):
        widest = entry.widest
        interval = None if widest is None else widest.interval
        if widest is not None and interval is not None and interval.study:
            own = contents.measure_of(widest.highest) or entry
            title = contents.heading(own, averaged=False)
            yield "the largest gap of groups", title, interval


def _against(gap: Gap) -> str:
    return "all rows" if gap.against == "all rows" else "the largest"


def _told(intervals: Sequence[Interval], references: References) -> tuple[str, str]:
    """The methods of intervals; and the least and most that they held in the coverage study."""
    methods = dict.fromkeys(interval.method for interval in intervals)
    held = [share for interval in intervals if interval.study for share in interval.study[:2]]
    text = f"{100 * min(held):.1f} to {100 * max(held):.1f}" if held else ""
    return references.methods(methods), text
