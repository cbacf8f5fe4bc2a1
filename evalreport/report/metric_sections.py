"""Sections of metrics: each table of counts once, large, and after it what is read off it."""

from __future__ import annotations

from evalreport.report.cards import metric_blocks
from evalreport.report.contents import Contents, grouped
from evalreport.report.count_tables import abreast, count_table
from evalreport.report.missing import missing_blocks
from evalreport.report.model import Block, Tables
from evalreport.report.slices import wanted
from evalreport.report.strips import Row, metric_strip
from evalreport.results.records import Measure

#: Views beyond which a metric is a strip of models instead of cards side by side.
CARDS_ABREAST = 4


def measures_section(contents: Contents) -> list[Block]:
    """Metrics of the table at the first threshold; their extremes where rows lack something."""
    blocks = _metrics(contents, scores=False)
    return [*blocks, *missing_blocks(contents)] if blocks else []


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
    if len(contents.views) > CARDS_ABREAST:
        several = [m for m in chosen if _classes(contents, m) > 2]
        return [*_large_tables(contents, several), *_model_strips(contents, chosen)]
    return [*_large_tables(contents, chosen), *metric_blocks(contents, chosen)]


def _large_tables(contents: Contents, chosen: list[Measure]) -> list[Tables]:
    """The tables of all classes that these measures are read off."""
    ids = dict.fromkeys(m.table for m in chosen if m.table in contents.tables)
    tables = [contents.tables[i] for i in ids]
    whole = [count_table(contents, t) for t in tables if t.label is None]
    return abreast(whole, large=True)


def _classes(contents: Contents, m: Measure) -> int:
    table = contents.table_of(m.table)
    return len(table.labels) if table is not None else 0


def _model_strips(contents: Contents, chosen: list[Measure]) -> list[Block]:
    """A line for each model, where there are too many for cards."""
    return [
        metric_strip(contents, contents.title(same[0]), [Row((), (m,), m.id) for m in same], [])
        for same in grouped(chosen).values()
    ]
