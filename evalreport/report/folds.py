"""Folds: a chart, a line for each, right of tested, their mean, all rows pooled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalreport.numbers import count_text, level_text, value_text
from evalreport.report.cards import flat_cells, interval_text
from evalreport.report.charts.canvas import BESIDE, WHOLE, drawing, panel
from evalreport.report.charts.forest import FOLD_ROW, FoldRow, folds
from evalreport.report.contents import Contents, View, grouped, identity, view_of
from evalreport.report.findings import as_title, folds_finding
from evalreport.report.front_room import lines_of_room
from evalreport.report.leading import best_first
from evalreport.report.marking import flat_counts
from evalreport.report.model import Block, Chart, Charts, Head, Line, TableBlock
from evalreport.report.pieces import LineCell, Mark
from evalreport.report.sections import section
from evalreport.report.slices import front_groups, wanted
from evalreport.report.strips import Row, measures_strip
from evalreport.report.training import repeat_blocks
from evalreport.report.words import counted, label_text, listed, prose
from evalreport.report.worst import sign_of
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import Measure, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Folds that stand with their numbers; the others are in results.json.
MOST_FOLDS = 40
#: Folds of further repeats that stand with their table.
MOST_TABLES = 200
#: Lines that the chart of folds takes for each model.
LINES_OF_MODEL = 4
#: Models whose tables of further repeats stand beside each other.
ABREAST = 2

#: Metrics beside each other, without their limits.
ACROSS = 10
#: The further folds of a model by name, each with its table.
Further = tuple[Mark, dict[str, Any]]


@section(
    "folds",
    "Folds",
    of=(Measure,),
    intro="The mean over folds gives every fold the same weight, the pooled line every row. The "
    "interval of a mean allows for folds that share training rows; that of a pooled line ignores "
    "the variation of training.",
)
def folds_section(contents: Contents) -> list[Block]:
    """Folds, then repeats of the whole cross-validation."""
    return [*fold_blocks(contents), *repeat_blocks(contents)]


def fold_blocks(contents: Contents) -> list[Block]:
    """A chart of all folds; of each view its folds, all rows pooled, further repeats, the mean."""
    blocks: list[Block] = []
    further: list[Further] = []
    drawn = _of_folds(contents)
    for view in best_first(contents):
        own = [m for m in drawn if view_of(m) == view]
        if own:
            strips, tables = _of_view(contents, view, own)
            blocks += strips
            further.append((contents.mark(view), tables))
    charts = [] if _are_on_front(contents) else fold_charts(contents, drawn)
    return [*charts, *blocks, *_tables(contents, further)]


def front_folds(contents: Contents, *, beside: bool) -> list[Block]:
    """The chart of folds where it stands on the first page; ``beside`` its square chart."""
    on_front = _are_on_front(contents)
    return [*fold_charts(contents, _of_folds(contents), beside=beside)] if on_front else []


def _are_on_front(contents: Contents) -> bool:
    """Whether folds stand on the first page: it has room, and no groups to show there."""
    needed = LINES_OF_MODEL * len(contents.views)
    return lines_of_room(contents) >= needed and not front_groups(contents, beside=True)


def _of_folds(contents: Contents) -> list[Measure]:
    """What was measured in each fold at the first threshold, and the means, view by view."""
    return [
        m
        for view in best_first(contents)
        for m in contents.of_view(view)
        if m.fold is not None
        and not m.subgroup
        and contents.at_first(view)(m)
        and wanted(contents, m)
    ]


def _of_view(
    contents: Contents, view: View, own: Sequence[Measure]
) -> tuple[list[TableBlock], dict[str, Any]]:
    """The strips of a model, and the tables of its further repeats by fold."""
    by_fold: dict[str, list[Measure]] = {}
    for m in own:
        by_fold.setdefault(str(m.fold), []).append(m)
    means = by_fold.pop(MEAN_OF_FOLDS, [])
    known = {identity(m) for m in own}
    pooled = [m for m in contents.pooled(view) if identity(m) in known]
    wholes, further = _further(by_fold, pooled)
    folds = [name for name in by_fold if name not in wholes and name not in further]
    flat = contents.is_binary(view)
    rows = [_row(contents, label_text(name), by_fold[name]) for name in folds[:MOST_FOLDS]]
    if pooled:
        words = "repeat 1, pooled" if wholes else "all rows pooled"
        rows.append(_row(contents, words, pooled, "pooled"))
    rows += [_row(contents, f"{name}, pooled", by_fold[name], name) for name in wholes]
    if means:
        words = f"mean of {counted(len(folds) + len(further), 'fold')}"
        rows.append(Row((words, ""), tuple(means), MEAN_OF_FOLDS))
    mark = contents.mark(view)
    heads = ["fold", "right of tested"]
    if flat:
        # the four cells say it
        heads, rows = heads[:1], [replace(row, heads=row.heads[:1]) for row in rows]
    strips = measures_strip(
        contents,
        f"Folds, {mark.symbol} {mark.name}",
        rows,
        heads,
        flat=flat,
        with_model=False,
        strong=lambda row: row.group in {MEAN_OF_FOLDS, "pooled", *wholes},
        across=ACROSS,
        limits=False,
    )
    strips = [_with_spread(contents, strip) for strip in strips] if means else strips
    return strips, {name: by_fold[name][0].table for name in further}


def _with_spread(contents: Contents, strip: TableBlock) -> TableBlock:
    """The strip with the limits of its means, and standard deviations of the folds, below them."""
    own = [
        contents.measure[cell.number.measure]
        if isinstance(cell, LineCell) and cell.number is not None
        else None
        for cell in strip.lines[-1].cells[1:]
    ]
    means = [m for m in own if m is not None]
    if any(m.fold != MEAN_OF_FOLDS for m in means):
        return strip
    limits = [None if m is None else m.interval for m in own]
    levels = {one.level for one in limits if one is not None}
    level = f"{level_text(levels.pop())} limit" if len(levels) == 1 else "limit"
    below = [
        _below("SD of folds", [None if m is None else m.spread for m in own]),
        _below(f"lower {level}", [None if one is None else one.low for one in limits]),
        _below(f"upper {level}", [None if one is None else one.high for one in limits]),
    ]
    # a mean of fewer folds than its line says, or one without limits, says so
    notes = [
        f"{contents.title(m)}: {prose(why)}."
        for m in means
        if (why := m.reason or (m.interval_reason if any(limits) and m.interval is None else None))
    ]
    lines = (*strip.lines, *(line for line in below if line is not None))
    return replace(strip, lines=lines, notes=(*strip.notes, *notes))


def _below(head: str, values: Sequence[float | None]) -> Line | None:
    """A line of numbers of no record by themselves; None where there are none."""
    if all(value is None for value in values):
        return None
    cells = ("" if value is None else value_text(value) for value in values)
    return Line((LineCell(head, head=True), *(LineCell(text) for text in cells)))


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


def _tables(contents: Contents, further: Sequence[Further]) -> list[Block]:
    """The tables of further repeats, laid flat: the mean is over them too."""
    groups: list[list[Further]] = []
    for one in further:
        last = groups[-1] if groups else []
        if last and len(last) < ABREAST and list(last[0][1]) == list(one[1]):
            last.append(one)
        elif one[1]:
            groups.append([one])
    return [strip for group in groups for strip in _abreast(contents, group)]


def _abreast(contents: Contents, group: Sequence[Further]) -> list[Block]:
    """The same folds of several models, their tables beside each other."""
    folds = list(group[0][1])
    lines = []
    for fold in folds[:MOST_TABLES]:
        tables = [contents.table_of(tables[fold]) for _, tables in group]
        if any(table is None or flat_counts(table) is None for table in tables):
            continue
        cells = [LineCell(label_text(fold), head=True)]
        for table in tables:
            laid = tuple(
                (c.cell.upper(), c.text) for c in flat_cells(contents, table, None, "middle") or ()
            )
            cells.append(LineCell(_right_of_tested(table)))
            cells.append(LineCell(counts=laid, table="" if table is None else table.id))
        lines.append(Line(tuple(cells)))
    if not lines:
        return []
    notes = ["Their numbers are in results.json and measures.csv."]
    if len(lines) < len(folds):
        notes.append(f"{len(lines)} of {len(folds)} folds.")
    columns = [Head("fold")]
    for mark, _ in group:
        columns.append(Head(f"{mark.symbol} {mark.name}, right of tested"))
        columns.append(Head("its table"))
    return [
        TableBlock("Folds of further repeats", tuple(columns), tuple(lines), tuple(notes), "many")
    ]


#: Metrics of a chart, and folds of one model from which on they are worth a chart.
MOST_METRICS, FEWEST_FOLDS = 3, 3
#: Room for names and for numbers beside the axis, in points.
NAMES, NAMES_BESIDE, NUMBERS = 150.0, 112.0, 110.0


def fold_charts(
    contents: Contents, measures: Sequence[Measure], *, beside: bool = False
) -> list[Charts]:
    """The chart of the shares that are better the higher they are; none where there are none.

    ``measures`` are those of single folds, and of their mean. ``beside``: as wide as what stands
    beside the square chart of the first page.
    """
    rows: list[FoldRow] = []
    titles: list[str] = []
    for same in grouped(measures).values():
        made = [row for view in best_first(contents) if (row := _fold_row(contents, view, same))]
        told = [x for row in made for x in (*row.values, row.low, row.high) if x is not None]
        shares = told and min(told) >= 0 and max(told) <= 1
        if shares and sign_of(same[0].metric) > 0 and len(titles) < MOST_METRICS:
            rows += made
            titles.append(contents.title(same[0]))
    if not rows:
        return []
    low = min(min(*row.values, row.low or 1.0) for row in rows)
    wide, names = (BESIDE, NAMES_BESIDE) if beside else (WHOLE, NAMES)

    def draw(figure: Figure) -> None:
        axes = panel(figure, names, 24, wide - names - NUMBERS, FOLD_ROW * len(rows))
        axes.set_xlim(max(0.0, low - 0.03), 1.0)
        folds(axes, rows, names)

    caption = f"{listed(titles)} by fold, and mean over folds"
    number = max(len(row.values) for row in rows)
    aside = (
        f"Dots are the values of {counted(number, 'fold')}; the diamond is their mean, the bar its "
        "interval, which allows for folds that share training rows."
    )
    if beside:
        aside = f"Dots: {counted(number, 'fold')}; diamond and bar: mean and its interval."
    said = "; ".join(f"{row.name}: mean {row.said}" for row in rows)
    chart = Chart(
        drawing(draw, wide, FOLD_ROW * len(rows) + 34), f"{caption}. {said}.", caption, aside,
        wide=not beside, finding="" if beside else as_title(folds_finding(rows)), name="folds",
    )  # fmt: skip
    return [Charts((chart,), "beside" if beside else "")]


def _fold_row(contents: Contents, view: View, same: Sequence[Measure]) -> FoldRow | None:
    own = [m for m in same if (m.dataset, m.model) == view]
    folds = [m for m in own if m.fold != MEAN_OF_FOLDS and not _is_whole_repeat(str(m.fold))]
    values = [m.value for m in folds if m.value is not None]
    average = next((m for m in own if m.fold == MEAN_OF_FOLDS and m.value is not None), None)
    if average is None or average.value is None or len(values) < FEWEST_FOLDS:
        return None
    interval = average.interval
    limits = interval_text(interval, average.value)
    return FoldRow(
        f"{contents.title(average)}, {contents.mark(view).name}",
        contents.models.index(view[1]),
        tuple(values),
        average.value,
        None if interval is None else interval.low,
        None if interval is None else interval.high,
        f"{value_text(average.value)} ({limits})" if limits else value_text(average.value),
    )


def _is_whole_repeat(fold: str) -> bool:
    """Whether a name is that of all folds of a repeat: ``repeat 2``, not ``repeat 2 fold 1``."""
    return re.fullmatch(r"repeat \d+", fold) is not None
