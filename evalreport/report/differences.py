"""How limits of differences, ratios and gaps were made, and how often such limits hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evalreport.report.citations import References
from evalreport.report.columns import Column, left, table_of
from evalreport.report.contents import Contents
from evalreport.report.model import Block
from evalreport.report.words import counted
from evalreport.results.records import Comparison, Gap, Heterogeneity, Interval

#: Lines of the table.
MOST_LINES = 40


def difference_blocks(contents: Contents, references: References) -> list[Block]:
    """A table with a line for each method and kind of difference; none where none is told."""
    found: dict[tuple[str, str], list[Interval]] = {}
    for of, title, interval in _intervals(contents):
        found.setdefault((of, title), []).append(interval)
    if not found:
        return []
    lines: dict[tuple[str, str], dict[str, list[Interval]]] = {}
    for (of, title), own in found.items():
        methods = references.methods(dict.fromkeys(one.method for one in own))
        lines.setdefault((of, methods), {})[title] = own
    kinds = list(dict.fromkeys(of for of, _ in lines))
    one = len(kinds) == 1
    columns: list[Column[tuple[tuple[str, str], dict[str, list[Interval]]]]] = [
        left("metric", lambda line: ", ".join(line[1])),
        *(() if one else (left("limits of", lambda line: line[0][0]),)),
        left("method", lambda line: line[0][1] + _held(line[1].values())),
    ]
    rows = list(lines.items())[:MOST_LINES]
    more = len(lines) - len(rows)
    note = (
        f"{counted(more, 'further line')} left out: results.json has the methods." if more else ""
    )
    caption = f"Limits of {kinds[0]}" if one else "Limits of differences"
    return [table_of(caption, rows, columns, note, "methods differences")]


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
                yield f"{what} of groups", title, interval
    for entry in contents.of(Heterogeneity):
        widest = entry.widest
        interval = None if widest is None else widest.interval
        if widest is not None and interval is not None and interval.study:
            own = contents.measure_of(widest.highest) or entry
            title = contents.heading(own, averaged=False)
            yield "the largest gap of groups", title, interval


def _held(groups: Iterable[Sequence[Interval]]) -> str:
    """The least and the most of 100 such limits that held, where the least is too few."""
    told = [one for own in groups for one in own]
    shares = [x for one in told if one.study and one.is_rarely_held for x in one.study[:2]]
    return f"; covers {100 * min(shares):.1f} to {100 * max(shares):.1f} %" if shares else ""
