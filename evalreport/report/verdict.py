"""The first page with every criterion, and the section of cautions, classes and rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalreport.numbers import count_text, value_text
from evalreport.report.cards import flat_cells, number_of, outcome_cell
from evalreport.report.cautions import cautions
from evalreport.report.contents import Contents
from evalreport.report.criteria import (
    criterion_title,
    held_text,
    requirement_text,
)
from evalreport.report.leading import front_views
from evalreport.report.ledgers import ledgers
from evalreport.report.looks import looked_words
from evalreport.report.marking import flat_counts
from evalreport.report.model import Block, Head, Line, TableBlock
from evalreport.report.page_one import page_one
from evalreport.report.pieces import LineCell
from evalreport.report.results_table import criteria_in
from evalreport.report.sections import section
from evalreport.report.words import label_text, prose
from evalreport.results.records import (
    HELD,
    Caution,
    Criterion,
    RocRelation,
    rank_of,
)

#: Criteria below which their table is kept on one page.
FEW = 16


@section("verdict", "Verdict", of=(Criterion, RocRelation), run_on=False)
def verdict_blocks(contents: Contents) -> list[Block]:
    """The first page; after it criteria of which its table does not say all."""
    blocks = page_one(contents, cautions(contents).items)
    views = front_views(contents)
    # without a model there is no table of results that could say anything of a criterion
    told = criteria_in(contents, views) if views else []
    left = [c for c in contents.of(Criterion) if not any(c is one for one in told)]
    return [*blocks, _criteria(contents, left, some=bool(told))] if left else blocks


@section("cautions", "Cautions, classes and rows", short="Cautions", of=(Caution,))
def caution_blocks(contents: Contents) -> list[Block]:
    """Every caution in full, what the labels mean, and where the rows went."""
    notes = cautions(contents)
    return [*([notes] if notes.items else []), ledgers(contents)]


def _criteria(contents: Contents, chosen: Sequence[Criterion], *, some: bool) -> TableBlock:
    """These criteria, the gravest first; ``some``: the table of results says all of others."""
    entries = sorted(chosen, key=lambda c: rank_of(c.outcome))
    flat = any(_flat(contents, c) for c in entries)
    columns = [Head("criterion")]
    columns.append(Head("model"))
    if flat:
        columns += [Head(name, "right") for name in contents.flat]
    else:
        columns.append(Head("n", "right"))
    columns += [
        Head("value", "right"),
        Head("judged by", "right"),
        Head("required", "right"),
        Head("axis"),
        Head("outcome"),
    ]
    caption = "Acceptance criteria"
    if some:
        caption += " that the results above do not show in full"
    axis = "The upright line on an axis is what that row requires"
    rows = [_criterion(contents, c, flat) for c in entries]
    cells = [cell for row in rows for cell in row.cells if isinstance(cell, LineCell)]
    if not any(cell.whisker for cell in cells):  # nothing is drawn where nothing has a value
        axis = ""
        columns = [*columns[:-2], columns[-1]]
        rows = [replace(row, cells=(*row.cells[:-2], row.cells[-1])) for row in rows]
    # few stay on one page
    style = "acc kept" if len(rows) < FEW else "acc"
    return TableBlock(caption, tuple(columns), tuple(rows), style=style, axis=axis)


def _flat(contents: Contents, entry: Criterion) -> bool:
    m = contents.measure_of(entry.measure)
    table = contents.table_of(m.table) if m else None
    return table is not None and flat_counts(table) is not None


def _criterion(contents: Contents, entry: Criterion, flat: bool) -> Line:
    m = contents.measure_of(entry.measure)
    table = contents.table_of(m.table) if m else None
    cells = [LineCell(criterion_title(contents, entry), head=True)]
    if entry.model is not None and entry.dataset is not None:
        cells.append(LineCell(mark=contents.mark((entry.dataset, entry.model))))
    else:
        cells.append(LineCell(label_text(entry.model) if entry.model else "–"))
    laid = flat_cells(contents, table, m, "only")
    if flat:
        cells += laid if laid is not None else [LineCell()] * 4
    else:
        cells.append(LineCell(count_text(m.n) if m is not None else ""))
    number = number_of(contents, m, criterion=entry) if m else None
    observed = entry.observed
    plain = value_text(observed) if m is None and observed is not None else ""
    mean = contents.mean_over_readers(m) if m is not None and entry.readers else None
    if mean is not None and mean.value is not None:
        number, plain = None, value_text(mean.value)
    cells.append(LineCell(plain, number=number))
    cells += [LineCell(held_text(entry)), LineCell(requirement_text(entry))]
    outcome = entry.outcome
    reason = prose(entry.reason or "")
    breaches = entry.breaches_in_a_row or 0
    if breaches > 1:
        reason = f"{reason}{'; ' if reason else ''}{breaches} runs in a row"
    looked = looked_words(contents, entry)
    if looked:
        reason = f"{looked}{'; ' if reason else ''}{reason}"
    cells.append(LineCell(whisker=None if number is None else number.whisker))
    cells.append(outcome_cell(outcome, looked if outcome in HELD else reason))
    return Line(tuple(cells), whole=True, table=table.id if table is not None and laid else "")
