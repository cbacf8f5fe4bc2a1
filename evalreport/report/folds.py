"""Folds: a line for each, what was right of what was tested, their mean, all rows pooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalreport.report.contents import Contents, View, identity
from evalreport.report.marking import FLAT, flat_counts
from evalreport.report.model import Block, Column, Line, LineCell, Strip
from evalreport.report.numbers import count_text, value_text
from evalreport.report.sections import section
from evalreport.report.slices import wanted
from evalreport.report.strips import Row, flat_cells, measures_strip
from evalreport.report.training import repeat_blocks
from evalreport.report.words import counted, label_text
from evalreport.results.records import Measure, Table

MEAN = "mean"
#: Folds that stand with their numbers; the others are in results.json.
MOST_FOLDS = 40
#: Folds of further repeats that stand with their table.
MOST_TABLES = 200


@section(
    "folds",
    "Folds",
    of=(Measure,),
    intro="Each fold is a classification table laid flat; the mean over folds gives every fold "
    "the same weight, the pooled line every row. The interval of a mean allows for folds "
    "that share training rows; that of a pooled line leaves out the variation of training.",
)
def folds_section(contents: Contents) -> list[Block]:
    """Folds, then repeats of the whole cross-validation."""
    return [*fold_blocks(contents), *repeat_blocks(contents)]


def fold_blocks(contents: Contents) -> list[Block]:
    """Each view: its folds, all rows pooled, further repeats, and the mean over folds."""
    blocks: list[Block] = []
    for view in contents.views:
        first = contents.at_first(view)
        own = [
            m
            for m in contents.of_view(view)
            if m.fold is not None and not m.subgroup and first(m) and wanted(contents, m)
        ]
        if own:
            blocks += _of_view(contents, view, own)
    return blocks


def _of_view(contents: Contents, view: View, own: Sequence[Measure]) -> list[Block]:
    by_fold: dict[str, list[Measure]] = {}
    for m in own:
        by_fold.setdefault(str(m.fold), []).append(m)
    means = by_fold.pop(MEAN, [])
    known = {identity(m) for m in own}
    pooled = [m for m in contents.pooled(view) if identity(m) in known]
    wholes, further = _further(by_fold, pooled)
    folds = [name for name in by_fold if name not in wholes and name not in further]
    rows = [_row(contents, label_text(name), by_fold[name]) for name in folds[:MOST_FOLDS]]
    if pooled:
        words = "repeat 1, all rows pooled" if wholes else "all rows pooled"
        rows.append(_row(contents, words, pooled, "pooled"))
    rows += [_row(contents, f"{name}, all rows pooled", by_fold[name], name) for name in wholes]
    if means:
        words = f"mean of {counted(len(folds) + len(further), 'fold')}"
        rows.append(Row((words, ""), tuple(means), MEAN))
    mark = contents.mark(view)
    heads = [Column("fold", "left", "14%"), Column("right of tested", "left", "9%")]
    strips = measures_strip(
        contents,
        f"Folds, {mark.symbol} {mark.name}",
        rows,
        heads,
        flat=contents.is_binary(view),
        with_model=False,
        strong=lambda row: row.group in {MEAN, "pooled", *wholes},
    )
    strips = [_with_spread(contents, strip) for strip in strips] if means else strips
    tables = [by_fold[name][0].table for name in further]
    return [*strips, *_tables(contents, f"{mark.symbol} {mark.name}", further, tables)]


def _with_spread(contents: Contents, strip: Strip) -> Strip:
    """The strip with a line of standard deviations under its line of means."""
    mean = strip.lines[-1]
    numbers = [cell.number for cell in mean.cells if cell.number is not None]
    if any(contents.measure[number.measure].fold != MEAN for number in numbers):
        return strip
    cells = [LineCell("standard deviation of folds", head=True)]
    for cell in mean.cells[1:]:
        number = cell.number
        spread = None if number is None else contents.measure[number.measure].spread
        cells.append(LineCell("" if spread is None else value_text(spread), "right"))
    return replace(strip, lines=(*strip.lines, Line(tuple(cells))))


def _further(
    by_fold: dict[str, list[Measure]], pooled: Sequence[Measure]
) -> tuple[list[str], list[str]]:
    """Names of the repeats after the first, and of their folds."""
    repeats = next((m.repeats for m in pooled if m.repeats), None)
    if repeats is None:
        return [], []
    wholes = [f"repeat {k}" for k in range(2, len(repeats.values) + 1)]
    found = [name for name in wholes if name in by_fold]
    starts = tuple(f"{name} fold " for name in found)
    return found, [name for name in by_fold if starts and name.startswith(starts)]


def _row(contents: Contents, words: str, measures: Sequence[Measure], group: str = "") -> Row:
    table = contents.tables.get(str(measures[0].table))
    return Row((words, _right_of_tested(table)), tuple(measures), group or words)


def _right_of_tested(table: Table | None) -> str:
    """The rows on the diagonal of a table, of all its rows."""
    if table is None:
        return ""
    counts: Sequence[Sequence[Any]] | None = table.counts
    if counts is None:
        kept: Sequence[tuple[int, int, float]] = table.cells or ()
        right, tested = sum(n for i, j, n in kept if i == j), sum(n for _, _, n in kept)
    elif any(count is None for row in counts for count in row):
        return "?"
    else:
        right, tested = sum(row[k] for k, row in enumerate(counts)), sum(map(sum, counts))
    return f"{count_text(right)} of {count_text(tested)}"


def _tables(contents: Contents, name: str, folds: Sequence[str], ids: Sequence[Any]) -> list[Block]:
    """The tables of further repeats, laid flat: the mean is over them too."""
    lines = []
    for fold, table_id in list(zip(folds, ids, strict=True))[:MOST_TABLES]:
        table = contents.table_of(table_id)
        if table is None or flat_counts(table) is None:
            continue
        cells = [LineCell(label_text(fold), head=True), LineCell(_right_of_tested(table), "right")]
        cells += flat_cells(table, None, "middle") or []
        lines.append(Line((*cells, LineCell()), table=str(table_id)))
    if not lines:
        return []
    notes = ["Their numbers are in results.json and measures.csv."]
    if len(lines) < len(folds):
        notes.append(f"{len(lines)} of {len(folds)} folds.")
    columns = (
        Column("fold", "left", "20%"),
        Column("right of tested", "right", "12%"),
        *(Column(word, "right", "7%") for word in FLAT),
        Column("", "left"),
    )
    return [Strip(f"Folds of further repeats, {name}", columns, tuple(lines), tuple(notes), "many")]
