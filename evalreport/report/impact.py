"""Selection rates, scoring rates and impact ratios of groups, each beside its counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evalreport.metrics.methods import method_title
from evalreport.report.cards import interval_text
from evalreport.report.columns import Column, grouped_table, left, right
from evalreport.report.contents import Contents
from evalreport.report.model import Block, TableBlock, Text
from evalreport.report.numbers import count_text, or_dash, p_text, share_text, value_text
from evalreport.report.strips import slice_heads
from evalreport.report.words import condition_text, counted, label_text, listed, prose
from evalreport.results.records import DISAGREE, Impact, ImpactCategory, Rates, UnknownBounds

MOST_LINES = 40
MOST_TABLES = 12
#: With these a note begins that explains a sign, for all models alike.
SIGNS = "*†‡"
RULE = "Impact ratio: the group's rate over the highest one."
CHOSEN = " The data chose the highest, and {} take it as given."
UNKNOWN = (
    " Rate and ratio if unknown: from none to all of the rows of unknown category selected, were "
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
    for record in shown[:MOST_TABLES]:
        key = (record.kind, tuple(record.columns), record.unknown > 0)
        found.setdefault(key, []).append(record)
    if not found:
        return []
    left = len(shown) - MOST_TABLES
    told = f" {MOST_TABLES} of {len(shown)} tables; the others are in results.json." * (left > 0)
    unknown = any(record.unknown > 0 for record in contents.of(Impact))
    rule = f"{RULE}{_method(shown)}{UNKNOWN if unknown else ''}{told}"
    blocks: list[Block] = [Text(rule, "small")]
    for records in found.values():
        blocks += _blocks(contents, records)
    return blocks


def _method(shown: Sequence[Impact]) -> str:
    """By which methods limits and tests are, where there are any."""
    every = [category for record in shown for category in record.categories]
    limits = dict.fromkeys(c.interval.method for c in every if c.interval is not None)
    tests = dict.fromkeys(c.test for c in every if c.test is not None)
    parts = [f"the interval ({method_title(name)})" for name in limits]
    parts += [f"p ({method_title(name)} test)" for name in tests]
    return CHOSEN.format(listed(parts)) if parts else ""


def _blocks(contents: Contents, records: Sequence[Impact]) -> list[Block]:
    """The table of models with rates, one below the other, and what was not computed."""
    counted_ones = [record for record in records if record.categories]
    blocks: list[Block] = [_table(contents, counted_ones)] if counted_ones else []
    for record in records:
        if not record.categories:
            told = f"{_title(record)}, {_of(contents, record)}"
            blocks.append(Text(f"{told}: not computed, {prose(record.reason or '')}.", "small"))
    return blocks


def _table(contents: Contents, records: Sequence[Impact]) -> TableBlock:
    columns: list[Column[ImpactCategory]] = [
        left("group", _group),
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
            right("rate if unknown", lambda c: _bounds(c.bounds, lambda end: end.selection_rate)),
            right("ratio if unknown", lambda c: _bounds(c.bounds, lambda end: end.impact_ratio)),
        ]
    notes: dict[str, None] = {}
    for record in records:
        name = contents.mark((record.dataset, record.model)).name
        for note in _notes(record, record.categories[:MOST_LINES]):
            of_all = len(records) == 1 or note[0] in SIGNS
            notes[note if of_all else f"{name}: {note}"] = None
    groups = ((_of(contents, record), record.categories[:MOST_LINES]) for record in records)
    return grouped_table(_title(records[0]), groups, columns, " ".join(notes), "gaps")


def _title(record: Impact) -> str:
    columns = " and ".join(label_text(c) for c in record.columns)
    what = "Scoring" if record.kind == "scoring" else "Selection"
    return f"{what} rates and impact ratios by {columns}"


def _of(contents: Contents, record: Impact) -> str:
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


def _group(category: ImpactCategory) -> str:
    """A group with the signs of the notes that are about it."""
    name = slice_heads(category.subgroup) + (", unknown" if category.unknown else "")
    marks = ("†" if category.under_two_percent else "") + ("‡" if category.small else "")
    return f"{name} {marks}".strip()


def _bounds(bounds: UnknownBounds | None, of: Callable[[Rates], float | None]) -> str:
    """What a rate or ratio could be if none, or all, of the unknown rows were of this group."""
    if not bounds:
        return "–"
    return " to ".join(or_dash(of(end)) for end in (bounds.not_selected, bounds.selected))


def _notes(record: Impact, shown: Sequence[ImpactCategory]) -> list[str]:
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
    if len(shown) < len(record.categories):
        parts.append(
            f"{len(shown)} of {len(record.categories)} lines; the others are in results.json."
        )
    return parts


def _sentence(words: str) -> str:
    text = prose(words)
    return text[:1].upper() + text[1:] + "."
