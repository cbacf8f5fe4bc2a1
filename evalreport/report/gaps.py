"""Gaps between subgroups: the widest of each metric, and whether groups differ at all."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.report.cards import interval_text
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.contents import Contents, View, identity, view_of
from evalreport.report.leading import headline_identities
from evalreport.report.model import Block, TableBlock
from evalreport.report.numbers import count_text, difference_text, or_dash, p_text
from evalreport.report.pieces import LineCell
from evalreport.report.strips import slice_heads
from evalreport.report.words import label_text, subgroup_text, visible
from evalreport.report.worst import share_of_rows, stands_on_few, worst_of
from evalreport.results.identity import Quantity
from evalreport.results.records import Gap, Heterogeneity, Measure, WidestGap

MOST_LINES = 12
LARGEST = (
    "The data chose the two groups, so their gap is larger than the true one on average. Limits "
    "are simultaneous over all pairs (Bonferroni), the largest gap included: they are wide."
)
#: The comparison that is shown where several were made.
PREFERRED = ("rest", "the rest", "largest group", "all rows")


def gap_blocks(contents: Contents) -> list[Block]:
    """One table per grouping: the widest gap of each metric and model, and the test over groups."""
    found: dict[tuple[str, ...], dict[tuple[Quantity, View], list[Gap]]] = {}
    for gap in contents.of(Gap):
        view = view_of(gap)
        if contents.at_first(view)(gap) and _shown(contents, gap):
            own = found.setdefault(tuple(gap.columns), {})
            own.setdefault((_quantity(contents, gap), view), []).append(gap)
    tables: list[Block] = [_table(contents, columns, groups) for columns, groups in found.items()]
    return [*tables, *_largest(contents)]


def _largest(contents: Contents) -> list[Block]:
    """The largest gap between any two groups, of each metric and model it was asked for."""
    found = []
    for entry in contents.of(Heterogeneity):
        view = view_of(entry)
        shown = contents.at_first(view)(entry) and (contents.is_binary(view) or entry.label is None)
        if entry.widest is not None and shown:
            found.append((entry, entry.widest))
    if not found:
        return []

    def group(measure: str) -> str:
        return or_dash(contents.measure_of(measure), lambda m: slice_heads(m.subgroup))

    columns: list[Column[tuple[Heterogeneity, WidestGap]]] = [
        left("metric", lambda p: contents.heading(contents.measure_of(p[1].highest) or p[0])),
        left("model", lambda p: LineCell(mark=contents.mark(view_of(p[0])))),
        left("highest", lambda p: group(p[1].highest)),
        left("lowest", lambda p: group(p[1].lowest)),
        right("gap", lambda p: difference_text(p[1].gap)),
        right("limits", lambda p: interval_text(p[1].interval) or visible(p[1].reason or "–")),
        right("pairs", lambda p: count_text(p[1].pairs)),
    ]
    return [table_of("Largest gap between any two groups", found, columns, LARGEST, "gaps")]


def _quantity(contents: Contents, gap: Gap) -> Quantity:
    """What a gap is of: that of its measure, which says how indeterminate rows are counted."""
    return identity(contents.measure_of(gap.measure) or gap)


def _shown(contents: Contents, gap: Gap) -> bool:
    """Of groups, of two classes or over all of them, with a value and an interval to read."""
    if tuple(gap.columns) in contents.period_columns:
        # periods stand in an order, and have a section of their own
        return False
    binary = contents.is_binary((gap.dataset, gap.model))
    return (binary or gap.label is None) and gap.gap is not None


def _table(
    contents: Contents, columns: tuple[str, ...], groups: dict[tuple[Quantity, View], list[Gap]]
) -> TableBlock:
    name = " and ".join(label_text(c) for c in columns)
    first = headline_identities(contents, contents.views)
    keys = sorted(groups, key=lambda k: first.index(k[0]) if k[0] in first else len(first))
    widest = [_widest(contents, groups[key]) for key in keys]
    against = list(dict.fromkeys(map(against_words, widest[:MOST_LINES])))
    one = len(against) == 1
    against_column: Column[Gap] = left("against", lambda g: against_words(g).removeprefix("the "))
    shown: list[Column[Gap]] = [
        left("metric", lambda gap: contents.heading(contents.measure_of(gap.measure) or gap)),
        left("model", lambda gap: LineCell(mark=contents.mark(view_of(gap)))),
        left("widest gap: group", lambda gap: _group(contents, gap)),
        left("worst group", lambda gap: _worst_group(contents, gap)),
        *(() if one else (against_column,)),
        right("gap", lambda gap: or_dash(gap.gap, difference_text)),
        right("interval", lambda gap: interval_text(gap.gap_interval) or "–"),
        right("ratio", lambda gap: or_dash(gap.ratio)),
        right("groups differ, p", lambda gap: _test(contents, gap, columns)),
    ]
    note = "p is from one test over all groups, not corrected for the number of metrics."
    if any(_test(contents, gap, columns) == "–" for gap in widest[:MOST_LINES]):
        note += " –: no test was made."
    caption = f"Gaps by {name}, against {against[0]}" if one else f"Gaps by {name}"
    return table_of(caption, widest, shown, note, "gaps", most=MOST_LINES)


def against_words(gap: Gap) -> str:
    """What a group is held against."""
    text = visible(gap.against)
    if gap.against_subgroup:
        values = slice_heads(gap.against_subgroup)
        # a group that is a number is told from the value behind it
        alone = values[:1].isdigit()
        text += f": {subgroup_text(gap.against_subgroup) if alone else values}"
    return text if text.startswith(("all", "the")) else f"the {text}"


def _widest(contents: Contents, gaps: Sequence[Gap]) -> Gap:
    """The gap furthest from 0, of the comparison with the rest or the largest group.

    Groups of too few rows come into it where there are no others.
    """
    kinds = {g.against for g in gaps}
    kind = next((k for k in PREFERRED if k in kinds), None)
    own = [g for g in gaps if kind is None or g.against == kind]
    judged = [gap for gap in own if not _few(contents, gap)]
    return max(judged or own, key=lambda g: abs(g.gap or 0))


def _few(contents: Contents, gap: Gap) -> bool:
    """Whether the group of a gap has too few rows to judge."""
    m = contents.measure_of(gap.measure)
    return gap.few or (m is not None and stands_on_few(contents, m))


def _worst_group(contents: Contents, gap: Gap) -> str:
    """The group of the same columns in which the quantity is worst, unless all are alike."""
    groups = [
        m
        for m in contents.of_view(view_of(gap))
        if tuple(m.subgroup) == tuple(gap.columns)
        and m.fold is None
        and m.value is not None
        and identity(m) == _quantity(contents, gap)
        and (m.threshold, m.threshold_rule) == (gap.threshold, gap.threshold_rule)
    ]
    worst = worst_of(groups)
    if worst is None or all(m.value == worst.value for m in groups):
        return "–"
    return _with_counts(contents, worst, few=stands_on_few(contents, worst))


def _with_counts(contents: Contents, m: Measure, *, few: bool) -> str:
    """The group of a measure with the fraction that a share is, else with its rows."""
    counts = share_of_rows(contents, m) or f"n {count_text(m.n)}"
    return f"{slice_heads(m.subgroup)}, {counts}{', too few' if few else ''}"


def _group(contents: Contents, gap: Gap) -> str:
    """The group of a gap with its counts."""
    m = contents.measure_of(gap.measure)
    if m is None:
        return f"{slice_heads(gap.subgroup)}, n {count_text(gap.n)}"
    return _with_counts(contents, m, few=_few(contents, gap))


def _test(contents: Contents, gap: Gap, columns: tuple[str, ...]) -> str:
    """The p value of the test that all groups are alike, or a dash."""
    for entry in contents.of(Heterogeneity):
        same = (
            tuple(entry.columns) == columns
            and view_of(entry) == view_of(gap)
            and identity(entry) == identity(gap)
            and entry.threshold == gap.threshold
            and entry.threshold_rule == gap.threshold_rule
        )
        if same:
            return or_dash(entry.p_value, p_text)
    return "–"
