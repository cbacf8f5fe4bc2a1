"""Sections of metrics: each table of counts once, large, and after it what is read off it.

With rows that lack a prediction or a target, measures stand between their worst and best case.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from evalreport.numbers import count_text, value_text
from evalreport.report.cards import metric_blocks
from evalreport.report.classes import class_lines, joined_class_blocks, label_tables, top_confusions
from evalreport.report.columns import Column, left, left_out, right, table_of
from evalreport.report.contents import Contents, grouped, view_of
from evalreport.report.count_tables import MOST_WHOLE, abreast, count_table
from evalreport.report.leading import best_first
from evalreport.report.marking import flat_counts
from evalreport.report.model import Block, Charts, Line, MetricBlock, TableBlock, TablePair, Tables
from evalreport.report.sections import section
from evalreport.report.slices import wanted
from evalreport.report.strips import Row, metric_strip, tables_strip
from evalreport.report.words import label_text, listed, rows_text
from evalreport.results.records import Fraction, Measure, MissingBounds, OfCells, Table

MOST_LINES = 40
CELLS = "TN · FP · FN · TP"
#: A measure, or the line of the cells below it.
_Bounded = tuple[Measure, bool]
RULE = (
    "Excluded from every other number of this report. Worst and best case: what each of these rows "
    "lacks is filled in with what moves the measure most; intervals are not widened."
)


def missing_blocks(contents: Contents) -> list[Block]:
    """One table of them on all rows at the first threshold; nothing without such rows."""
    found = [
        m
        for view in best_first(contents)
        for m in contents.pooled(view)
        if m.missing_bounds and contents.at_first(view)(m)
    ]
    if not found:
        return []
    columns: list[Column[_Bounded]] = [
        left("metric", lambda one: CELLS if one[1] else contents.title(one[0])),
        left("model", lambda one: "" if one[1] else contents.mark(view_of(one[0])).name),
        right("complete rows", lambda one: "" if one[1] else _complete(one[0])),
        right("least", lambda one: _bound(one, lambda bounds: bounds.low)),
        right("greatest", lambda one: _bound(one, lambda bounds: bounds.high)),
    ]
    rows = [(m, below) for m in found[:MOST_LINES] for below in (False, True)[: 2 - _divides(m)]]
    lost = list(dict.fromkeys(_lost(contents, m) for m in found))
    more = left_out(MOST_LINES, len(found), "measures")
    note = " ".join(filter(None, [*(lost if len(lost) == 1 else ()), RULE, more]))
    title = "Worst and best case with the rows that lack a prediction or a target"
    return [
        table_of(
            title,
            rows,
            columns,
            note,
            "gaps wraps",
            row=lambda one, cells: Line(cells, inner=one[1]),
        )
    ]


def _divides(m: Measure) -> bool:
    """Whether a single fraction gives the value; the cells of others stand below it."""
    return m.missing_bounds is not None and isinstance(m.missing_bounds.low, Fraction)


def _complete(m: Measure) -> str:
    """The value of the complete rows."""
    own = "" if m.value is None else value_text(m.value)
    if m.numerator is None or not _divides(m):
        return own
    return f"{count_text(m.numerator)} / {count_text(m.denominator)} = {own}"


def _bound(one: _Bounded, of: Callable[[MissingBounds], Fraction | OfCells]) -> str:
    """The least or greatest value, or the cells that give it."""
    m, below = one
    assert m.missing_bounds is not None
    side = of(m.missing_bounds)
    if isinstance(side, Fraction):
        value = value_text(side.value)
        return f"{count_text(side.numerator)} / {count_text(side.denominator)} = {value}"
    cells = side.cells
    if below:
        return " · ".join(map(count_text, (cells.tn, cells.fp, cells.fn, cells.tp)))
    return value_text(side.value)


def _lost(contents: Contents, m: Measure) -> str:
    """How many rows lack what."""
    table = contents.table_of(m.table)
    if table is None or table.missing is None:
        return ""
    counts = (
        ("a prediction", math.fsum(table.missing.without_prediction)),
        ("a target", math.fsum(table.missing.without_target)),
        ("both", table.missing.without_both),
    )
    parts = [(count, f"lack{'s' * (count == 1)} {what}") for what, count in counts if count]
    said = [f"{count_text(n) if k else rows_text(n)} {what}" for k, (n, what) in enumerate(parts)]
    return f"{listed(said)}." if said else ""


#: Views beyond which a metric is a strip of models instead of cards side by side.
CARDS_ABREAST = 4
TABLES_OF_LABELS = "The table of each label, laid flat"


@section(
    "measures", "Metrics of the classification table", short="Table metrics", of=(Measure, Table)
)
def measures_section(contents: Contents) -> list[Block]:
    """Metrics of the table at the first threshold; their extremes where rows lack something.

    Values of classes and their averages stand in lines, those of the scores with them.
    """
    return metric_blocks_with(contents, scores=None, classes=False)


@section(
    "scores",
    "Metrics of the scores",
    short="Score metrics",
    of=(Measure,),
    intro="They use every score, not one threshold. The table beside each shows the predicted "
    "labels of the same rows.",
)
def scores_section(contents: Contents) -> list[Block]:
    """Metrics of the scores."""
    return _metrics(contents, scores=True)


def metric_blocks_with(
    contents: Contents, scores: Sequence[Block] | None, *, classes: bool
) -> list[Block]:
    """Metrics of the table, then those of the scores under a heading, then classes, where asked.

    Beside several classes those of the scores follow at once: one table heads the cards of both.
    """
    blocks = _metrics(contents, scores=False)
    if scores is not None and (of_scores := _metrics(contents, scores=True)):
        binary = any(contents.is_binary(view) for view in contents.views)
        between = scores if blocks and binary else ()
        # tables stand in the section once
        blocks = [
            *blocks,
            *between,
            *(b for b in of_scores if isinstance(b, MetricBlock) or b not in blocks),
        ]
    joined = joined_class_blocks(contents) if classes else []
    # confusions of few classes follow the tables that they are of
    first = [block for block in joined[:1] if isinstance(block, TablePair)]
    lines = [block for view in best_first(contents) for block in class_lines(contents, view)]
    rest = joined[len(first) :]
    # tables of several classes and all that is read off them take most of a page: the plot of
    # classes leads, where there is room for it on the page before
    plots = [] if any(map(contents.has_sets, contents.views)) else _plots(rest)
    rest = [block for block in rest if block not in plots]
    blocks = [*plots, *blocks, *first, *lines, *rest]
    return [*blocks, *missing_blocks(contents)] if blocks else []


def _plots(blocks: Sequence[Block]) -> list[Block]:
    """The plots of a metric of every class."""
    return [b for b in blocks if isinstance(b, Charts) and b.charts[0].name == "classes"]


def _metrics(contents: Contents, scores: bool) -> list[Block]:
    chosen = [
        m
        for view in best_first(contents)
        for m in contents.pooled(view)
        if wanted(contents, m)
        and contents.is_of_scores(m) == scores
        and (contents.is_binary(view) or not m.average or contents.words.is_plain(m))
    ]
    if not chosen:
        return []
    made = _model_strips if len(contents.views) > CARDS_ABREAST else metric_blocks
    return [*_large_tables(contents, chosen), *made(contents, chosen)]


def _large_tables(contents: Contents, chosen: list[Measure]) -> list[Block]:
    """The tables that these measures are read off and that no card lays flat.

    On paper they stand on each page with cards of theirs, so that there are few enough classes.
    """
    ids = dict.fromkeys(m.table for m in chosen if m.table in contents.tables)
    tables = [contents.tables[i] for i in ids]
    whole = [t for t in tables if t.label is None and flat_counts(t) is None]
    few = [t for t in whole if len(t.labels) <= MOST_WHOLE]
    counts = [count_table(contents, table) for table in few]
    found = abreast(counts, large=True)
    if len(few) == 1 == len(contents.views) and "classes" in contents.sections:
        confusions = top_confusions(few[0], contents.orientation(few[0].dataset))
        aside = confusions if isinstance(confusions, TableBlock) else None
        found = [Tables(tuple(counts), 2, large=True, aside=aside)]
    views = list(dict.fromkeys(view_of(m) for m in chosen))
    sets = [v for v in views if contents.has_sets(v) and len(contents.classes(v)) <= MOST_WHOLE]
    labels = [((label_text(t.label),), t) for v in sets for t in label_tables(contents, v)]
    strips = tables_strip(contents, TABLES_OF_LABELS, labels, ["label"])
    return [*found, *(replace(strip, style=f"{strip.style} heads") for strip in strips)]


def _model_strips(contents: Contents, chosen: list[Measure]) -> list[Block]:
    """A line for each model, where there are too many for cards."""
    return [
        metric_strip(contents, contents.title(same[0]), [Row((), (m,), m.id) for m in same], [])
        for same in grouped(chosen).values()
    ]
