"""Gaps between subgroups: the widest of each metric, and whether groups differ at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.report.cards import interval_text
from evalreport.report.contents import Contents, Record, identity
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, difference_text, p_text, value_text
from evalreport.report.strips import slice_heads
from evalreport.report.words import label_text, measure_title, visible

MOST_LINES = 12
#: The comparison that is shown where several were made.
PREFERRED = ("rest", "the rest", "largest group", "all rows")


def gap_blocks(contents: Contents) -> list[Block]:
    """One table per grouping: the widest gap of each metric and model, and the test over groups."""
    found: dict[tuple[str, ...], dict[tuple[Any, ...], list[Record]]] = {}
    for gap in contents.many("subgroup_gaps"):
        view = (gap["dataset"], gap["model"])
        if contents.at_first(view)(gap) and _shown(contents, gap):
            own = found.setdefault(tuple(gap["columns"]), {})
            own.setdefault((*identity(gap), *view), []).append(gap)
    return [_table(contents, columns, groups) for columns, groups in found.items()]


def _shown(contents: Contents, gap: Record) -> bool:
    """Of groups, of two classes or over all of them, with a value and an interval to read."""
    if tuple(gap["columns"]) in contents.period_columns:
        # periods stand in an order, and have a section of their own
        return False
    binary = contents.is_binary((gap["dataset"], gap["model"]))
    return (binary or gap.get("label") is None) and gap.get("gap") is not None


def _table(
    contents: Contents, columns: tuple[str, ...], groups: dict[tuple[Any, ...], list[Record]]
) -> PlainTable:
    name = " and ".join(label_text(c) for c in columns)
    ranked = sorted(groups.values(), key=lambda gaps: not _judged(contents, gaps))
    widest = [_widest(gaps) for gaps in ranked[:MOST_LINES]]
    against = list(dict.fromkeys(_against(gap) for gap in widest))
    one = len(against) == 1
    rows = tuple(TableRow(_row(contents, gap, columns, one)) for gap in widest)
    heads = (
        ("metric", "left", "20%" if one else "17%"),
        ("model", "left", "11%" if one else "9%"),
        ("widest gap: group", "left", "28%" if one else "21%"),
        *(() if one else (("against", "left", "20%"),)),
        ("gap", "right", "8%" if one else "7%"),
        ("interval", "right", "16%" if one else "13%"),
        ("ratio", "right", "7%" if one else "6%"),
        ("groups differ, p", "right", "10%" if one else "7%"),
    )
    note = "p is of one test over all groups and is not corrected for the number of metrics."
    if len(groups) > MOST_LINES:
        note += f" {MOST_LINES} of {len(groups)} lines; the others are in results.json."
    if any(row.cells[-1] == "–" for row in rows):
        note += " –: no test was made."
    if any(gap.get("few") for gap in widest):
        note += " * A group of few rows."
    caption = f"Gaps by {name}, against {against[0]}" if one else f"Gaps by {name}"
    return PlainTable(caption, tuple(Column(*h) for h in heads), rows, note, "gaps")


def _against(gap: Record) -> str:
    """What a group is held against."""
    text = visible(str(gap.get("against")))
    if gap.get("against_subgroup"):
        text += f": {slice_heads(gap['against_subgroup'])}"
    return text if text.startswith(("all", "the")) else f"the {text}"


def _judged(contents: Contents, gaps: Sequence[Record]) -> bool:
    """Whether the metric is one that a criterion is about."""
    metrics = {c.get("metric") for c in contents.many("acceptance")}
    return any(g["metric"] in metrics for g in gaps)


def _widest(gaps: Sequence[Record]) -> Record:
    """The gap furthest from 0, of the comparison with the rest or the largest group."""
    kinds = {str(g.get("against")) for g in gaps}
    kind = next((k for k in PREFERRED if k in kinds), None)
    own = [g for g in gaps if kind is None or g.get("against") == kind]
    return max(own, key=lambda g: abs(g["gap"]))


def _row(contents: Contents, gap: Record, columns: tuple[str, ...], one: bool) -> tuple[str, ...]:
    group = slice_heads(gap["subgroup"]) + f", n {count_text(gap['n'])}"
    ratio = "–" if gap.get("ratio") is None else value_text(gap["ratio"])
    return (
        measure_title({**_titled(contents, gap), "params": gap.get("params")}),
        contents.mark((gap["dataset"], gap["model"])).name,
        group + (" *" if gap.get("few") else ""),
        *(() if one else (_against(gap),)),
        difference_text(gap["gap"]),
        interval_text(gap.get("gap_interval")) or "–",
        ratio,
        _test(contents, gap, columns),
    )


def _titled(contents: Contents, gap: Record) -> Record:
    return contents.measure.get(str(gap.get("measure"))) or gap


def _test(contents: Contents, gap: Record, columns: tuple[str, ...]) -> str:
    """The p value of the test that all groups are alike, or a dash."""
    for entry in contents.many("heterogeneity"):
        same = (
            tuple(entry["columns"]) == columns
            and (entry["dataset"], entry["model"]) == (gap["dataset"], gap["model"])
            and identity(entry) == identity(gap)
            and entry.get("threshold") == gap.get("threshold")
            and entry.get("threshold_rule") == gap.get("threshold_rule")
        )
        if same:
            return "–" if entry.get("p_value") is None else p_text(entry["p_value"])
    return "–"
