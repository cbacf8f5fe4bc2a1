"""The first page with every criterion, and the section of cautions, classes and rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalreport.report.cards import flat_cells, number_of, outcome_cell
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
from evalreport.report.model import (
    Block,
    Head,
    Line,
    Note,
    Notes,
    TableBlock,
)
from evalreport.report.numbers import count_text, value_text
from evalreport.report.page_one import page_one
from evalreport.report.pieces import LineCell
from evalreport.report.results_table import criteria_in
from evalreport.report.sections import section
from evalreport.report.words import (
    label_text,
    listed,
    prose,
)
from evalreport.results.records import (
    HELD,
    Caution,
    Criterion,
    RocRelation,
    rank_of,
)

MOST_CAUTIONS, MOST_ALIKE, LONGEST_CAUTION = 40, 3, 600
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


def cautions(contents: Contents) -> Notes:
    """Every caution, warnings first; alike ones one after the other."""
    entries = sorted(contents.of(Caution), key=lambda c: c.severity != "warning")
    groups: dict[tuple[str, str], list[Caution]] = {}
    for entry in entries:
        groups.setdefault((entry.severity, entry.code), []).append(entry)
    items: list[Note] = []
    for (severity, code), same in list(groups.items())[:MOST_CAUTIONS]:
        said = dict.fromkeys(_shortened(_said(contents, c)) for c in same)
        shown = list(said)[: MOST_ALIKE if len(said) > MOST_ALIKE + 1 else None]
        if len(said) > len(shown):
            shown.append(f"{len(said) - len(shown)} more like these are in results.json")
        title = prose(same[0].title)
        anchor = f"caution-{len(items) + 1}"
        whose, headline = _whose(contents, same), ""
        if len(same) == 1:
            headline = prose(same[0].headline)
        items.append(Note(severity, code, title, tuple(shown), anchor, whose, headline))
    return Notes("Cautions", tuple(items))


def _whose(contents: Contents, same: Sequence[Caution]) -> str:
    """The models of these cautions, where they are some of several."""
    names = list(dict.fromkeys(name for c in same for name in c.models or (c.model,)))
    if None in names or len(contents.models) < 2:
        return ""
    return listed([label_text(name) for name in names]) if len(names) < len(contents.models) else ""


def _said(contents: Contents, caution: Caution) -> str:
    """The message, with the name of its model where there are several and it begins otherwise."""
    message = prose(caution.message).rstrip(".")
    dataset, model = caution.dataset, caution.model
    if len(contents.views) < 2 or dataset is None or message.startswith(f"{model}:"):
        return message
    if model is not None:
        return f"{contents.mark((dataset, model)).name}: {message}"
    return f"{label_text(dataset)}: {message}" if len(contents.datasets) > 1 else message


def _shortened(text: str) -> str:
    """A message cut between words where it would fill the page."""
    if len(text) <= LONGEST_CAUTION:
        return text
    return text[:LONGEST_CAUTION].rsplit(" ", 1)[0] + " … (the whole is in results.json)"
