"""Sections of metrics: each table of counts once, large, and after it what is read off it.

With rows that lack a prediction or a target, measures stand between their worst and best case.
"""

from __future__ import annotations

import math

from evalreport.metrics.catalogue import find
from evalreport.metrics.comparing import same_number
from evalreport.report.cards import metric_blocks
from evalreport.report.contents import Contents, grouped
from evalreport.report.count_tables import abreast, count_table
from evalreport.report.marking import flat_counts
from evalreport.report.model import Block, Column, PlainTable, TableRow, Tables
from evalreport.report.numbers import count_text, value_text
from evalreport.report.sections import section
from evalreport.report.slices import wanted
from evalreport.report.strips import Row, metric_strip
from evalreport.report.words import listed
from evalreport.results.records import Cells, Fraction, Measure, OfCells, Table

MOST_LINES = 40
CELLS = "TN · FP · FN · TP"
RULE = (
    "Left out of every other number of this report. Worst and best case: each of these rows is "
    "taken to be of the class, and predicted as, moves the measure most; an interval is not "
    "widened by it."
)


def missing_blocks(contents: Contents) -> list[Block]:
    """One table of them on all rows at the first threshold; nothing without such rows."""
    found = [
        m
        for view in contents.views
        for m in contents.pooled(view)
        if m.missing_bounds and contents.at_first(view)(m)
    ]
    if not found:
        return []
    rows = tuple(row for m in found[:MOST_LINES] for row in _rows(contents, m))
    heads = (
        ("metric", "left"),
        ("model", "left"),
        ("complete rows", "right"),
        ("least", "right"),
        ("greatest", "right"),
    )
    lost = list(dict.fromkeys(_lost(contents, m) for m in found))
    note = f"{lost[0]} {RULE}" if len(lost) == 1 else RULE
    if len(found) > MOST_LINES:
        note += f" {MOST_LINES} of {len(found)} measures; the others are in results.json."
    title = "Worst and best case with the rows that lack a prediction or a target"
    return [PlainTable(title, tuple(Column(*h) for h in heads), rows, note, "gaps wraps")]


def _rows(contents: Contents, m: Measure) -> list[TableRow]:
    """A line for a measure, and below it the cells where no single fraction gives the value."""
    bounds = m.missing_bounds
    assert bounds is not None
    told = contents.title(m)
    name = contents.mark((m.dataset, m.model)).name
    sides = (bounds.low, bounds.high)
    own = "" if m.value is None else value_text(m.value)
    fractions = [_fraction(side) for side in sides if isinstance(side, Fraction)]
    if fractions:
        if m.numerator is not None:
            own = f"{count_text(m.numerator)} / {count_text(m.denominator)} = {own}"
        return [TableRow((told, name, own, *fractions))]
    values = (own, *(value_text(side.value) for side in sides))
    counts = [_cells(side.cells) for side in sides if isinstance(side, OfCells)]
    below = TableRow((CELLS, "", "", *counts), inner=True)
    return [TableRow((told, name, *values)), below]


def _cells(cells: Cells) -> str:
    return " · ".join(map(count_text, (cells.tn, cells.fp, cells.fn, cells.tp)))


def _fraction(side: Fraction) -> str:
    value = value_text(side.value)
    return f"{count_text(side.numerator)} / {count_text(side.denominator)} = {value}"


def _lost(contents: Contents, m: Measure) -> str:
    """How many rows lack what."""
    table = contents.table_of(m.table)
    if table is None or table.missing is None:
        return ""
    counts = (
        ("lack a prediction", math.fsum(table.missing.without_prediction)),
        ("lack a target", math.fsum(table.missing.without_target)),
        ("lack both", table.missing.without_both),
    )
    parts = [f"{count_text(count)} {what}" for what, count in counts if count]
    return f"{listed(parts)}." if parts else ""


#: What stands in lines below the cards of several classes.
FURTHER = (
    "Further averages. Micro averages and weighted recall are the accuracy, macro recall is the "
    "balanced accuracy; averages of accuracy count true negatives"
)
#: Views beyond which a metric is a strip of models instead of cards side by side.
CARDS_ABREAST = 4


@section(
    "measures", "Metrics of the classification table", short="Table metrics", of=(Measure, Table)
)
def measures_section(contents: Contents) -> list[Block]:
    """Metrics of the table at the first threshold; their extremes where rows lack something."""
    blocks = _metrics(contents, scores=False)
    return [*blocks, *missing_blocks(contents)] if blocks else []


@section(
    "scores",
    "Metrics of the scores",
    short="Score metrics",
    of=(Measure,),
    intro="They use every score, not one threshold; a table beside one holds the predicted labels "
    "of the same rows.",
)
def scores_section(contents: Contents) -> list[Block]:
    """Metrics of the scores."""
    return _metrics(contents, scores=True)


def without_tables_of(blocks: list[Block], others: list[Block]) -> list[Block]:
    """Blocks of metrics that follow others in one section: tables stand in it once."""
    shown = {t.table for b in others if isinstance(b, Tables) for t in b.tables}
    return [
        b
        for b in blocks
        if not (isinstance(b, Tables) and b.large and {t.table for t in b.tables} <= shown)
    ]


def _metrics(contents: Contents, scores: bool) -> list[Block]:
    chosen = [
        m
        for view in contents.views
        for m in contents.pooled(view)
        if wanted(contents, m) and contents.is_of_scores(m) == scores
    ]
    if not chosen:
        return []
    further = [m for m in chosen if _repeats(contents, m)]
    own = [m for m in chosen if m not in further]
    # a report of nothing but such averages has their cards
    if not own:
        return _cards_or_strips(contents, chosen)
    return [*_cards_or_strips(contents, own), *_further(contents, further)]


def _repeats(contents: Contents, m: Measure) -> bool:
    """Whether an average over several classes says what another measure of its model says.

    It is the same number as one (micro averages and weighted recall are accuracy), or one of a
    metric that has a form for several classes, as accuracy has, and says less than that form.
    """
    view, declared = (m.dataset, m.model), find(m.metric)
    if m.average is None or declared is None or contents.words.is_plain(m):
        return False
    if contents.is_binary(view) or contents.has_sets(view):
        return False
    if declared.for_classes is not None:
        return True
    same, _ = same_number(declared, m.average, two_classes=False)
    return same is not declared and any(one.metric == same.name for one in contents.pooled(view))


def _further(contents: Contents, measures: list[Measure]) -> list[Block]:
    """A line for each of these averages: they say little beside the cards."""
    if not measures:
        return []
    rows = [
        Row((contents.title(m),), (m,), contents.title(m))
        for same in grouped(measures).values()
        for m in same
    ]
    return [metric_strip(contents, FURTHER, rows, [Column("average")])]


def _cards_or_strips(contents: Contents, chosen: list[Measure]) -> list[Block]:
    if len(contents.views) > CARDS_ABREAST:
        return [*_large_tables(contents, chosen), *_model_strips(contents, chosen)]
    return [*_large_tables(contents, chosen), *metric_blocks(contents, chosen)]


def _large_tables(contents: Contents, chosen: list[Measure]) -> list[Tables]:
    """The tables of all classes that these measures are read off, and that no card lays flat."""
    ids = dict.fromkeys(m.table for m in chosen if m.table in contents.tables)
    tables = [contents.tables[i] for i in ids]
    whole = [t for t in tables if t.label is None and flat_counts(t) is None]
    return abreast([count_table(contents, t) for t in whole], large=True)


def _model_strips(contents: Contents, chosen: list[Measure]) -> list[Block]:
    """A line for each model, where there are too many for cards."""
    return [
        metric_strip(contents, contents.title(same[0]), [Row((), (m,), m.id) for m in same], [])
        for same in grouped(chosen).values()
    ]
