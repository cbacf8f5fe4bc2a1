"""Sections of metrics: of the classification table, and of the scores."""

from __future__ import annotations

from evalreport.report.cards import CLASSES_IN_CARD, metric_blocks
from evalreport.report.contents import Contents, Record, grouped
from evalreport.report.count_tables import abreast, count_table
from evalreport.report.missing import missing_blocks
from evalreport.report.model import Block, MetricPair
from evalreport.report.slices import wanted
from evalreport.report.strips import Row, metric_strip
from evalreport.report.words import measure_title

#: Views beyond which a metric is a strip of models instead of cards side by side.
CARDS_ABREAST = 4


def measures_section(contents: Contents) -> list[Block]:
    """Metrics of the table at the first threshold; their extremes where rows lack something."""
    blocks = _metrics(contents, scores=False)
    return [*blocks, *missing_blocks(contents)] if blocks else []


def scores_section(contents: Contents) -> list[Block]:
    """Metrics of the scores."""
    return _metrics(contents, scores=True)


def _metrics(contents: Contents, scores: bool) -> list[Block]:
    chosen = [
        m
        for view in contents.views
        for m in contents.pooled(view)
        if wanted(contents, m) and contents.is_of_scores(m) == scores
    ]
    if not chosen:
        return []
    large = [m for m in chosen if _classes(contents, m) > CLASSES_IN_CARD]
    blocks: list[Block] = []
    if large:
        ids = dict.fromkeys(str(m["table"]) for m in large if m.get("table") in contents.tables)
        blocks += abreast([count_table(contents, contents.tables[i]) for i in ids])
    if len(contents.views) > CARDS_ABREAST:
        return [*blocks, *_model_strips(contents, chosen)]
    metrics = metric_blocks(contents, chosen)
    if len(contents.views) == 1:
        return [
            *blocks,
            *(MetricPair(tuple(metrics[k : k + 2])) for k in range(0, len(metrics), 2)),
        ]
    return [*blocks, *metrics]


def _classes(contents: Contents, m: Record) -> int:
    table = contents.tables.get(str(m.get("table")))
    return len(table["labels"]) if table is not None else 0


def _model_strips(contents: Contents, chosen: list[Record]) -> list[Block]:
    """A line for each model, where there are too many for cards."""
    return [
        metric_strip(
            contents, measure_title(same[0]), [Row((), (m,), str(m["id"])) for m in same], []
        )
        for same in grouped(chosen).values()
    ]
