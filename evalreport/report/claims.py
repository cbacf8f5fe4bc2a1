"""Claims: what somebody printed, what the counts give, and which counts would give it."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.report.cards import interval_text
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, value_text
from evalreport.report.sections import section
from evalreport.report.words import (
    counted,
    label_text,
    listed,
    method_text,
    prose,
    subgroup_text,
    visible,
)
from evalreport.results.records import Claim, ClaimCounts

VERDICTS = {
    "reproduced": "✓ reproduced",
    "other_method": "✗ reproduced by another method",
    "not_reproducible": "✗ not reproducible",
    "not_evaluated": "○ not evaluated",
}
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
    rows = tuple(_row(contents, entry) for entry in entries[:MOST_LINES])
    heads = (
        ("claim", "left"), ("model", "left"), ("printed", "right"), ("stated method", "left"),
        ("source", "left"), ("from the counts", "right"), ("verdict", "left"), ("by", "left"),
    )  # fmt: skip
    columns = tuple(Column(head, side) for head, side in heads)
    blocks: list[Block] = [PlainTable("Claims checked", columns, rows, _note(entries))]
    found = contents.of(ClaimCounts)
    if found:
        blocks.append(_counts(contents, found))
    return blocks


def _row(contents: Contents, entry: Claim) -> TableRow:
    m = contents.measure_of(entry.measure)
    title = contents.heading(m or entry)
    if entry.subgroup:
        title += f", {subgroup_text(entry.subgroup)}"
    observed = entry.observed
    given = "–" if observed is None else value_text(observed)
    if entry.interval:
        given += f" {interval_text(entry.interval)}"
    verdict = VERDICTS[entry.outcome]
    if entry.reason:
        verdict += f": {prose(entry.reason)}"
    names = [entry.by, *entry.also_by] if entry.by else []
    by = [method_text(str(name)) for name in names]
    place = f" ({m.id})" if m else ""
    return TableRow(
        (
            f"{entry.claim}. {title}{place}",
            label_text(entry.model or "–"),
            _printed(entry),
            "–" if entry.method is None else method_text(entry.method),
            prose(entry.source or "not said"),
            given,
            verdict,
            listed(by) if by else "–",
        )
    )


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
    text += " Methods that draw resamples are not tried: their limits change with the draw."
    if len(entries) > MOST_LINES:
        text += f" {count_text(len(entries) - MOST_LINES)} more stand in results.json."
    return text


def _counts(contents: Contents, found: Sequence[ClaimCounts]) -> PlainTable:
    """Of each table whose claims are not all reproduced: the counts that would reproduce all."""
    rows = tuple(
        TableRow(
            (
                f"{entry.table}, {label_text(entry.dataset)}",
                listed([str(number) for number in entry.claims]),
                _own(contents, entry),
                _nearest(entry),
            )
        )
        for entry in found
    )
    heads = ("table", "claims", "its counts", "counts that reproduce all these claims at once")
    note = (
        "TP, FN, FP, TN. Tables were looked at whose cells each differ by no more than "
        f"{count_text(found[0].within)}. "
        "That counts fit does not say that they are the right ones."
    )
    only = [str(n) for entry in found for n in entry.by_value_only]
    if only:
        note += f" Of claim {listed(only)} only the value was held against them."
    columns = tuple(Column(head) for head in heads)
    return PlainTable("Counts that would reproduce the claims", columns, rows, note)


def _own(contents: Contents, entry: ClaimCounts) -> str:
    table = contents.table_of(entry.table)
    if table is None or table.counts is None or table.positive is None:
        return "–"
    counts, p = table.counts, table.labels.index(table.positive)
    cells = (counts[p][p], counts[p][1 - p], counts[1 - p][p], counts[1 - p][1 - p])
    return ", ".join(count_text(cell) for cell in cells)


def _nearest(entry: ClaimCounts) -> str:
    if entry.found is None:
        return "too many have the printed values to tell"
    if not entry.found:
        return "none"
    told = [
        f"{', '.join(map(count_text, (cells.tp, cells.fn, cells.fp, cells.tn)))} ("
        f"{count_text(cells.tp + cells.fn)} and "
        f"{count_text(cells.fp + cells.tn)} rows)"
        for cells in entry.nearest
    ]
    return "; ".join(told) if told else f"{count_text(entry.found)} tables, too many to tell"
