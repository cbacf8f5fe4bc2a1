"""Gaps between subgroups, whether they differ at all, their selection rates and impact ratios."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evalreport.metrics.methods import method_title
from evalreport.numbers import (
    count_text,
    difference_text,
    or_dash,
    p_text,
    share_text,
    value_text,
)
from evalreport.report.cards import interval_text
from evalreport.report.columns import Column, grouped_table, left, left_out, right, table_of
from evalreport.report.contents import Contents, View, identity, view_of
from evalreport.report.leading import best_first, headline_identities
from evalreport.report.model import Block, TableBlock, Text
from evalreport.report.pieces import LineCell
from evalreport.report.strips import slice_heads
from evalreport.report.words import (
    column_text,
    condition_text,
    counted,
    label_text,
    listed,
    prose,
    subgroup_text,
    visible,
)
from evalreport.report.worst import share_of_rows, stands_on_few, worst_of
from evalreport.results.identity import Quantity
from evalreport.results.records import (
    DISAGREE,
    OFTEN_HELD,
    Gap,
    Heterogeneity,
    Impact,
    ImpactCategory,
    Interval,
    Measure,
    Rates,
    UnknownBounds,
    WidestGap,
)

MOST_LINES = 12
LARGEST = (
    "The data chose the two groups, so their gap is larger than the true one on average. Limits "
    "are simultaneous over all pairs (Bonferroni), the largest gap included: they are wide."
)
#: The sign of limits that held too rarely in the coverage study, and what it says.
RARELY = "†"
COVERS = f"{RARELY} Such limits held in fewer than {100 * OFTEN_HELD:g} % of the samples studied."
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
        right("limits", lambda p: _limits(p[1].interval) or visible(p[1].reason or "–")),
        right("pairs", lambda p: count_text(p[1].pairs)),
    ]
    note = LARGEST + _covers(widest.interval for _, widest in found)
    return [table_of("Largest gap between any two groups", found, columns, note, "gaps")]


def _limits(interval: Interval | None) -> str:
    """The limits of a gap, with a sign where such limits held too rarely."""
    rarely = interval is not None and interval.is_rarely_held
    return f"{interval_text(interval)} {RARELY}" if rarely else interval_text(interval)


def _covers(intervals: Iterable[Interval | None]) -> str:
    """What the sign of limits says, where any of these has it."""
    return f" {COVERS}" if any(one and one.is_rarely_held for one in intervals) else ""


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
    name = " and ".join(map(column_text, columns))
    first = headline_identities(contents, contents.views)
    order = best_first(contents)
    keys = sorted(groups, key=lambda key: order.index(key[1]))
    keys.sort(key=lambda key: first.index(key[0]) if key[0] in first else len(first))
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
        right("interval", lambda gap: _limits(gap.gap_interval) or "–"),
        right("ratio", lambda gap: or_dash(gap.ratio)),
        right("groups differ, p", lambda gap: _test(contents, gap, columns)),
    ]
    note = (
        "p is from one test over all groups, not corrected for the number of metrics; the interval "
        "is of one gap, which was chosen because it is wide, and may leave out 0 where p is large."
    )
    if any(_few(contents, gap) for key in keys for gap in groups[key]):
        note += " The widest gap is that of a group with rows enough to judge, where there is one."
    if any(_test(contents, gap, columns) == "–" for gap in widest[:MOST_LINES]):
        note += " –: no test was made."
    note += _covers(gap.gap_interval for gap in widest[:MOST_LINES])
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
    at = (view_of(gap), identity(gap), gap.threshold, gap.threshold_rule, columns)
    return or_dash(contents.group_tests.get(at), p_text)


MOST_RATED = 40
MOST_RATE_TABLES = 12
#: With these a note begins that explains a sign, for all models alike.
SIGNS = "*†‡"
RULE = "Impact ratio: the group's rate over the highest one."
CHOSEN = "The data chose the highest, and {} take it as given."
UNKNOWN = (
    "Rate and ratio if unknown: from none to all of the rows of unknown category selected, were "
    "all of them of that group."
)


def impact_blocks(contents: Contents) -> list[Block]:
    """A table for each column or crossing and kind of rate, with all models in it."""
    found: dict[tuple[str, tuple[str, ...], bool], list[Impact]] = {}
    shown: list[Impact] = []
    for view in contents.views:
        own = [i for i in contents.of(Impact) if (i.dataset, i.model) == view]
        first = contents.at_first(view)
        shown += [record for record in own if record.kind == "scoring" or first(record)]
    for record in shown[:MOST_RATE_TABLES]:
        key = (record.kind, tuple(record.columns), record.unknown > 0)
        found.setdefault(key, []).append(record)
    if not found:
        return []
    unknown = any(record.unknown > 0 for record in contents.of(Impact))
    told = (
        RULE,
        _method(shown),
        UNKNOWN if unknown else "",
        left_out(MOST_RATE_TABLES, len(shown), "tables"),
    )
    blocks: list[Block] = [Text(" ".join(filter(None, told)), "small")]
    for records in found.values():
        blocks += _rate_blocks(contents, records)
    return blocks


def _method(shown: Sequence[Impact]) -> str:
    """By which methods limits and tests are, where there are any."""
    every = [category for record in shown for category in record.categories]
    limits = dict.fromkeys(c.interval.method for c in every if c.interval is not None)
    tests = dict.fromkeys(c.test for c in every if c.test is not None)
    parts = [f"the interval ({method_title(name)})" for name in limits]
    parts += [f"p ({method_title(name)} test)" for name in tests]
    return CHOSEN.format(listed(parts)) if parts else ""


def _rate_blocks(contents: Contents, records: Sequence[Impact]) -> list[Block]:
    """The table of models with rates, one below the other, and what was not computed."""
    counted_ones = [record for record in records if record.categories]
    blocks: list[Block] = [_rates(contents, counted_ones)] if counted_ones else []
    for record in records:
        if not record.categories:
            told = f"{_rate_title(record)}, {_model_and_rate(contents, record)}"
            blocks.append(Text(f"{told}: not computed, {prose(record.reason or '')}.", "small"))
    return blocks


def _rates(contents: Contents, records: Sequence[Impact]) -> TableBlock:
    columns: list[Column[ImpactCategory]] = [
        left("group", _rated_group),
        right("selected / n", lambda c: f"{count_text(c.selected)} / {count_text(c.n)}"),
        right("of all rows", lambda c: share_text(c.share_of_rows, 1) if c.share_of_rows else "–"),
        right("rate", lambda c: or_dash(c.selection_rate)),
        right(
            "impact ratio",
            lambda c: or_dash(c.impact_ratio) + (" *" if c.below_four_fifths else ""),
        ),
        right("interval", lambda c: "highest" if c.highest else interval_text(c.interval) or "–"),
        right("p", lambda c: or_dash(c.p_value, p_text)),
    ]
    if records[0].unknown > 0:
        columns += [
            right(
                "rate if unknown",
                lambda c: _range_if_unknown(c.bounds, lambda end: end.selection_rate),
            ),
            right(
                "ratio if unknown",
                lambda c: _range_if_unknown(c.bounds, lambda end: end.impact_ratio),
            ),
        ]
    notes: dict[str, None] = {}
    for record in records:
        name = contents.mark((record.dataset, record.model)).name
        for note in _rate_notes(record, record.categories[:MOST_RATED]):
            of_all = len(records) == 1 or note[0] in SIGNS
            notes[note if of_all else f"{name}: {note}"] = None
    groups = (
        (_model_and_rate(contents, record), record.categories[:MOST_RATED]) for record in records
    )
    return grouped_table(_rate_title(records[0]), groups, columns, " ".join(notes))


def _rate_title(record: Impact) -> str:
    columns = " and ".join(map(column_text, record.columns))
    what = "Scoring" if record.kind == "scoring" else "Selection"
    return f"{what} rates and impact ratios by {columns}"


def _model_and_rate(contents: Contents, record: Impact) -> str:
    """The model, and what is counted as selected."""
    view = (record.dataset, record.model)
    mark = contents.mark(view)
    if record.kind == "scoring":
        at = "" if record.median is None else f" {value_text(record.median)}"
        told = f"scored above the median{at}"
    else:
        told = f"predicted {label_text(record.label)}"
        if record.threshold is not None:
            told += f", {condition_text(record.threshold, contents.operator(view))}"
    return f"{mark.symbol} {mark.name}, {told}"


def _rated_group(category: ImpactCategory) -> str:
    """A group with the signs of the notes that are about it."""
    name = slice_heads(category.subgroup) + (", unknown" if category.unknown else "")
    marks = ("†" if category.under_two_percent else "") + ("‡" if category.small else "")
    return f"{name} {marks}".strip()


def _range_if_unknown(bounds: UnknownBounds | None, of: Callable[[Rates], float | None]) -> str:
    """What a rate or ratio could be if none, or all, of the unknown rows were of this group."""
    if not bounds:
        return "–"
    return " to ".join(or_dash(of(end)) for end in (bounds.not_selected, bounds.selected))


def _rate_notes(record: Impact, shown: Sequence[ImpactCategory]) -> list[str]:
    parts = []
    if record.interval_reason:
        parts.append(_sentence(record.interval_reason))
    if any(c.below_four_fifths for c in shown):
        parts.append("* Below four fifths.")
    if any(c.under_two_percent for c in shown):
        parts.append("† Fewer than 2 % of the rows.")
    if any(c.small for c in shown):
        parts.append("‡ Fewer than 30 rows: a few of them can turn the ratio.")
    if record.unknown > 0:
        parts.append(
            f"{counted(record.unknown, 'row')} of unknown category: counted, without a rate."
        )
    apart = [slice_heads(c.subgroup) for c in shown if c.methods_disagree]
    if apart:
        parts.append(f"{_sentence(DISAGREE)[:-1]}: {listed(apart)}.")
    left = [c for c in shown if c.reason and not c.unknown]
    if left:
        names = listed([slice_heads(c.subgroup) for c in left])
        parts.append(f"Without a ratio: {names}: {prose(left[0].reason)}.")
    return [*parts, *filter(None, [left_out(len(shown), len(record.categories), "lines")])]


def _sentence(words: str) -> str:
    text = prose(words)
    return text[:1].upper() + text[1:] + "."
