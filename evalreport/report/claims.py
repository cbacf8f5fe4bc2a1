"""Claims: what somebody printed, what the counts give, and which counts would give it."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.numbers import count_text, or_dash
from evalreport.report.cards import interval_text, judged_title
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.contents import Contents
from evalreport.report.marking import flat_counts
from evalreport.report.model import Block, TableBlock
from evalreport.report.sections import section
from evalreport.report.words import (
    OUTCOME_MARKS,
    counted,
    label_text,
    listed,
    method_text,
    prose,
    visible,
)
from evalreport.results.records import Claim, ClaimCounts

VERDICTS = {**OUTCOME_MARKS, "other_method": "✗ reproduced by another method"}
MOST_LINES = 60


@section(
    "claims",
    "Claims checked",
    short="Claims",
    of=(Claim, ClaimCounts),
    intro="Whether printed values and limits follow from the counts, to the digits as printed.",
)
def claim_blocks(contents: Contents) -> list[Block]:
    """Every claim with its verdict, then the counts that would reproduce all of a table."""
    entries = contents.of(Claim)
    if not entries:
        return []
    columns: list[Column[Claim]] = [
        left("claim", lambda one: f"{one.claim}. {judged_title(contents, one)}"),
        left("model", lambda one: label_text(one.model or "–")),
        right("printed", _printed),
        left("stated method", lambda one: or_dash(one.method, method_text)),
        left("source", lambda one: prose(one.source or "not stated")),
        right("from the counts", _given),
        left("verdict", _verdict),
        left("by", _by),
    ]
    made = table_of(
        "Claims checked", entries, columns, _note(entries), most=MOST_LINES, noun="claims"
    )
    blocks: list[Block] = [made]
    found = contents.of(ClaimCounts)
    if found:
        blocks.append(_counts(contents, found))
    return blocks


def _given(entry: Claim) -> str:
    """What the counts give."""
    limits = f" {interval_text(entry.interval)}" if entry.interval else ""
    return or_dash(entry.observed) + limits


def _verdict(entry: Claim) -> str:
    return VERDICTS[entry.outcome] + (f": {prose(entry.reason)}" if entry.reason else "")


def _by(entry: Claim) -> str:
    """The methods that reproduce it."""
    names = [entry.by, *entry.also_by] if entry.by else []
    return listed([method_text(str(name)) for name in names]) if names else "–"


def _printed(entry: Claim) -> str:
    sign = " %" if entry.unit == "percent" else ""
    if entry.low is None and entry.high is None:
        return visible(f"{entry.value}{sign}")
    low, high = entry.low or "?", entry.high or "?"
    level = f", {entry.level * 100:g} %"
    return visible(f"{entry.value} ({low} to {high}){sign}{level}")


def _note(entries: Sequence[Claim]) -> str:
    """What is tried, and how many claims there are."""
    held = sum(entry.outcome == "reproduced" for entry in entries)
    tried = list(dict.fromkeys(name for entry in entries for name in entry.tried))
    text = f"{count_text(held)} of {counted(len(entries), 'claim')} reproduced."
    if tried:
        text += f" Tried for limits: {listed([method_text(name) for name in tried])}."
    return f"{text} Methods that draw resamples are not tried: their limits change with the draw."


def _counts(contents: Contents, found: Sequence[ClaimCounts]) -> TableBlock:
    """Of each table whose claims are not all reproduced: the counts that would reproduce all."""
    columns: list[Column[ClaimCounts]] = [
        left("table", lambda one: f"{one.table}, {label_text(one.dataset)}"),
        left("claims", lambda one: listed([str(number) for number in one.claims])),
        left("its counts", lambda one: _own(contents, one)),
        left("counts that reproduce all these claims at once", _nearest),
    ]
    note = (
        "TP, FN, FP, TN. The search covers tables whose cells each differ by at most "
        f"{count_text(found[0].within)}. "
        "Counts that fit need not be the right ones."
    )
    only = [str(n) for entry in found for n in entry.by_value_only]
    if only:
        note += f" Of claim {listed(only)} only the value was compared with them."
    return table_of("Counts that would reproduce the claims", found, columns, note)


def _own(contents: Contents, entry: ClaimCounts) -> str:
    table = contents.table_of(entry.table)
    cells = None if table is None or table.positive is None else flat_counts(table)
    if cells is None:
        return "–"
    return ", ".join(count_text(cells[name]) for name in ("TP", "FN", "FP", "TN"))


def _nearest(entry: ClaimCounts) -> str:
    if entry.found is None:
        return "too many have the printed values to list"
    if not entry.found:
        return "none"
    told = [
        f"{', '.join(map(count_text, (cells.tp, cells.fn, cells.fp, cells.tn)))} ("
        f"{count_text(cells.tp + cells.fn)} and "
        f"{count_text(cells.fp + cells.tn)} rows)"
        for cells in entry.nearest
    ]
    return "; ".join(told) if told else f"{count_text(entry.found)} tables, too many to list"
