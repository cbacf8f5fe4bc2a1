"""Selection rates, scoring rates and impact ratios of groups, each beside its counts."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.report.cards import interval_text
from evalreport.report.columns import plain_table
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, Line, TableBlock, Text
from evalreport.report.numbers import count_text, p_text, share_text, value_text
from evalreport.report.strips import slice_heads
from evalreport.report.words import condition_text, counted, label_text, listed, prose
from evalreport.results.records import Impact, ImpactCategory, UnknownBounds

MOST_LINES = 40
MOST_TABLES = 12
#: With these a note begins that explains a sign, for all models alike.
SIGNS = "*†‡"
RULE = (
    "Impact ratio: the group's rate over the highest one. The data chose the highest, and the "
    "interval (log method) and p (Fisher's exact test) take it as given."
)
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
    blocks: list[Block] = [Text(f"{RULE}{UNKNOWN if unknown else ''}{told}", "small")]
    for records in found.values():
        blocks += _blocks(contents, records)
    return blocks


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
    unknown = records[0].unknown > 0
    heads = [
        ("group", "left"),
        ("selected / n", "right"),
        ("of all rows", "right"),
        ("rate", "right"),
        ("impact ratio", "right"),
        ("interval", "right"),
        ("p", "right"),
        *((("rate if unknown", "right"), ("ratio if unknown", "right")) if unknown else ()),
    ]
    rows: list[Line] = []
    notes: dict[str, None] = {}
    for record in records:
        shown = record.categories[:MOST_LINES]
        rows.append(Line((_of(contents, record), *[""] * (len(heads) - 1)), head=True))
        rows += [Line(_row(c, unknown), inner=True) for c in shown]
        name = contents.mark((record.dataset, record.model)).name
        for note in _notes(record, shown):
            of_all = len(records) == 1 or note[0] in SIGNS
            notes[note if of_all else f"{name}: {note}"] = None
    columns = tuple(Column(*h) for h in heads)
    return plain_table(_title(records[0]), columns, tuple(rows), " ".join(notes), "gaps")


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
