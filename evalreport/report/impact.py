"""Selection rates, scoring rates and impact ratios of groups, each beside its counts."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.report.cards import interval_text
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow, Text
from evalreport.report.numbers import count_text, p_text, share_text, value_text
from evalreport.report.strips import slice_heads
from evalreport.report.words import condition_text, counted, label_text, listed, prose
from evalreport.results.records import Impact, ImpactCategory, UnknownBounds

MOST_LINES = 40
MOST_TABLES = 12
RULE = (
    "Impact ratio: the group's rate over the highest one. The data chose the highest, and the "
    "interval (log method) and p (Fisher's exact test) take it as given."
)
UNKNOWN = (
    " Rate and ratio if unknown: from none to all of the rows of unknown category selected, were "
    "all of them of that group."
)


def impact_blocks(contents: Contents) -> list[Block]:
    """A table for each model, column or crossing, and kind of rate, at the first threshold."""
    blocks: list[Block] = []
    for view in contents.views:
        own = [i for i in contents.of(Impact) if (i.dataset, i.model) == view]
        first = contents.at_first(view)
        chosen = [record for record in own if record.kind == "scoring" or first(record)]
        blocks += [_block(contents, record) for record in chosen]
    if not blocks:
        return []
    left = len(blocks) - MOST_TABLES
    told = f" {MOST_TABLES} of {len(blocks)} tables; the others are in results.json." * (left > 0)
    unknown = any(record.unknown > 0 for record in contents.of(Impact))
    return [Text(f"{RULE}{UNKNOWN if unknown else ''}{told}", "small"), *blocks[:MOST_TABLES]]


def _block(contents: Contents, record: Impact) -> Block:
    title = _title(contents, record)
    if not record.categories:
        return Text(f"{title}: not computed, {prose(record.reason or '')}.", "small")
    unknown = record.unknown > 0
    shown = record.categories[:MOST_LINES]
    rows = tuple(TableRow(_row(c, unknown)) for c in shown)
    heads = [
        ("group", "left", "20%" if unknown else "26%"),
        ("selected / n", "right", "11%"),
        ("of all rows", "right", "9%"),
        ("rate", "right", "8%"),
        ("impact ratio", "right", "11%"),
        ("interval", "right", "15%"),
        ("p", "right", "7%" if unknown else "20%"),
        *(
            (("rate if unknown", "right", "10%"), ("ratio if unknown", "right", "9%"))
            if unknown
            else ()
        ),
    ]
    return PlainTable(title, tuple(Column(*h) for h in heads), rows, _note(record, shown), "gaps")


def _title(contents: Contents, record: Impact) -> str:
    view = (record.dataset, record.model)
    mark = contents.mark(view)
    columns = " and ".join(label_text(c) for c in record.columns)
    if record.kind == "scoring":
        median = record.median
        at = "" if median is None else f" {value_text(median)}"
        told = f"Scoring rates and impact ratios by {columns}: scored above the median{at}"
    else:
        told = f"Selection rates and impact ratios by {columns}: predicted "
        told += label_text(record.label)
        if record.threshold is not None:
            told += f", {condition_text(record.threshold, contents.operator(view))}"
    return f"{told}, {mark.symbol} {mark.name}"


def _row(category: ImpactCategory, unknown: bool) -> tuple[str, ...]:
    fraction = f"{count_text(category.selected)} / {count_text(category.n)}"
    rate, ratio = category.selection_rate, category.impact_ratio
    told = "–" if ratio is None else value_text(ratio)
    if category.below_four_fifths:
        told += " *"
    name = slice_heads(category.subgroup)
    if category.unknown:
        name += ", unknown"
    marks = ("†" if category.under_two_percent else "") + ("‡" if category.small else "")
    p = category.p_value
    return (
        f"{name} {marks}".strip(),
        fraction,
        share_text(category.share_of_rows, 1) if category.share_of_rows else "–",
        "–" if rate is None else value_text(rate),
        told,
        "highest" if category.highest else interval_text(category.interval) or "–",
        "–" if p is None else p_text(p),
        *(_bounds(category.bounds) if unknown else ()),
    )


def _bounds(bounds: UnknownBounds | None) -> tuple[str, str]:
    """What the rate and the ratio could be if all unknown rows were of this group."""
    if not bounds:
        return "–", "–"
    ends = (bounds.not_selected, bounds.selected)
    return _range([one.selection_rate for one in ends]), _range([one.impact_ratio for one in ends])


def _range(ends: Sequence[float | None]) -> str:
    return " to ".join("–" if value is None else value_text(value) for value in ends)


def _note(record: Impact, shown: Sequence[ImpactCategory]) -> str:
    top = next((c for c in shown if c.highest), None)
    parts = []
    if top is not None:
        parts.append(
            f"The highest rate is that of {slice_heads(top.subgroup)}, "
            f"{count_text(top.selected)} / {count_text(top.n)}."
        )
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
    left = [c for c in shown if c.reason and not c.unknown]
    if left:
        names = listed([slice_heads(c.subgroup) for c in left])
        parts.append(f"Without a ratio: {names}: {prose(left[0].reason)}.")
    if len(shown) < len(record.categories):
        parts.append(
            f"{len(shown)} of {len(record.categories)} lines; the others are in results.json."
        )
    return " ".join(parts)


def _sentence(words: str) -> str:
    text = prose(words)
    return text[:1].upper() + text[1:] + "."
