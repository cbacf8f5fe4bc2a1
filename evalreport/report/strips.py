"""Strips: classification tables laid flat, one a line, with the numbers that follow from each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from evalreport.numbers import count_text, level_text
from evalreport.report.cards import flat_cells, number_of
from evalreport.report.contents import Contents, identity, view_of
from evalreport.report.marking import flat_counts
from evalreport.report.model import CONTINUED, Head, Line, TableBlock
from evalreport.report.pieces import LineCell
from evalreport.report.words import group_text, method_text
from evalreport.results.identity import Quantity
from evalreport.results.records import Measure, Table

#: Lines of one strip; more are in results.json, and the strip says so.
MOST_LINES = 60
#: Numbers beside each other in one strip; fewer beside counts of more letters than this.
ACROSS, LONG_COUNT = 6, 13


@dataclass(frozen=True)
class Row:
    """What a line is about: its heads, and the measures on it."""

    heads: tuple[str, ...]
    measures: tuple[Measure, ...]
    group: str = ""
    #: The counts of one class against the others, read off the table of all classes; or of each.
    counts: Mapping[str, Any] | None = None


def metric_strip(
    contents: Contents, title: str, rows: Sequence[Row], heads: Sequence[str]
) -> TableBlock:
    """One metric over many slices: counts, fraction, value and interval."""
    shown = rows[:MOST_LINES]
    flat = all(_table(contents, r.measures[0]) is not None for r in shown)
    lines = []
    previous = None
    for k, row in enumerate(shown):
        place = "only" if len(shown) == 1 else {0: "first", len(shown) - 1: "last"}.get(k, "middle")
        lines.append(_metric_line(contents, row, flat, place, row.group != previous))
        previous = row.group
    level, method = _common(shown)
    numbers = ["n", *(contents.flat if flat else ()), "fraction", "value"]
    columns = _columns([*heads, "model"], [*numbers, f"{level} {method}".strip()])
    return TableBlock(title, columns, tuple(lines), _more(rows, shown), "one")


def _columns(words: Sequence[str], numbers: Sequence[str]) -> tuple[Head, ...]:
    """Columns of words, then those of numbers."""
    return (*map(Head, words), *(Head(name, "right") for name in numbers))


def _metric_line(contents: Contents, row: Row, flat: bool, place: str, rule: bool) -> Line:
    m = row.measures[0]
    number = number_of(contents, m, whisker=False)
    cells = [LineCell(h if rule or k else "", head=k == 0) for k, h in enumerate(row.heads)]
    if row.heads and not rule:
        cells[0] = LineCell("", head=False)
    n = count_text(m.n)
    cells += [LineCell(mark=contents.mark(view_of(m))), LineCell(n)]
    if flat:
        cells += flat_cells(contents, _table(contents, m), m, place) or []
    cells.append(LineCell(fraction_text(contents, m)))
    cells.append(LineCell(number=number, strong=True))
    cells.append(LineCell(number.interval, aside="" if number.interval else number.reason))
    return Line(tuple(cells), whole=True, table=number.table if flat else "", rule=rule)


def fraction_text(contents: Contents, m: Measure) -> str:
    """The fraction of a value where it is one of counts, not of a sum of fractions."""
    if m.numerator is None or m.denominator is None:
        return ""
    table = contents.table_of(m.table)
    rows = (table.counts if table is not None else None) or ()
    weighted = any(not float(c).is_integer() for row in rows for c in row if c is not None)
    if not weighted and not float(2 * m.numerator).is_integer():
        return ""
    return f"{count_text(m.numerator)} / {count_text(m.denominator)}"


def measures_strip(
    contents: Contents,
    caption: str,
    rows: Sequence[Row],
    heads: Sequence[str],
    *,
    flat: bool = True,
    with_model: bool = True,
    strong: Callable[[Row], bool] = lambda _: False,
    across: int = ACROSS,
    limits: bool = True,
    of_classes: bool = False,
) -> list[TableBlock]:
    """Several metrics over many slices: one flat table a line, and values beside it.

    With ``limits`` those of each value stand below it. Lines are ``of_classes`` where averages
    stand in the columns of their terms.
    """
    key = partial(_metric, contents, of_classes=of_classes)
    names: dict[Quantity, str] = {}
    for m in (m for row in rows for m in row.measures):
        names.setdefault(key(m), _column_title(contents, m, averaged=not of_classes))
    identities = list(names)
    strips: list[TableBlock] = []
    shown = rows[:MOST_LINES]
    # heads of cells stand over cells: tables of other shapes cannot be laid flat
    flat = flat and any(_table(contents, m) is not None for row in shown for m in row.measures)
    # where no counts of a table stand on the line, n does
    heads_of = dict.fromkeys(name for row in shown for name in row.counts or ())
    counted = not flat and bool(heads_of)
    of_cells = contents.flat if flat or set(heads_of) <= set(contents.flat) else tuple(heads_of)
    across = max(2, across - (len(of_cells) - 2) // 2) if of_cells != contents.flat else across
    with_n = not flat and not counted and not any("tested" in head for head in heads)
    longest = max((len(count_text(m.n)) for row in shown for m in row.measures), default=0)
    if flat and longest > LONG_COUNT:
        across = min(across, ACROSS // 2)
    for chosen in _even_parts(identities, across):
        lines = []
        previous = None
        for row in shown:
            by_identity = {key(m): m for m in row.measures}
            found = [by_identity.get(i) for i in chosen]
            # a line of metrics none of which applies says less than the annex
            if all(m is None or m.state == "not_applicable" for m in found):
                continue
            rule = row.group != previous
            line = _measures_line(
                contents,
                row,
                found,
                flat,
                of_cells if counted else (),
                with_model,
                rule,
                strong(row),
                limits,
            )
            if with_n:
                # a metric may leave rows out on which it is undefined
                n = LineCell(count_text(max(m.n for m in row.measures)))
                place = len(heads) + with_model
                line = replace(line, cells=(*line.cells[:place], n, *line.cells[place:]))
            lines.append(line)
            previous = row.group
        if not lines:
            continue
        model = ["model"] if with_model else []
        counts = of_cells if flat or counted else ("n",) if with_n else ()
        columns = _columns([*heads, *model], [*counts, *(names[i] for i in chosen)])
        part = caption + CONTINUED if strips else caption
        strips.append(TableBlock(part, columns, tuple(lines), _more(rows, shown), "many"))
    return strips


def tables_strip(
    contents: Contents,
    caption: str,
    rows: Sequence[tuple[tuple[str, ...], Table]],
    heads: Sequence[str],
    *,
    with_model: bool = True,
) -> list[TableBlock]:
    """Tables of two classes alone, one a line, where no number follows from them."""
    lines = []
    for texts, table in rows[:MOST_LINES]:
        laid = flat_cells(contents, table, None, "middle")
        if laid is None:
            continue
        cells = [LineCell(text, head=k == 0) for k, text in enumerate(texts)]
        if with_model:
            cells.append(LineCell(mark=contents.mark(view_of(table))))
        lines.append(Line((*cells, *laid), table=table.id))
    if not lines:
        return []
    columns = _columns([*heads, *(["model"] if with_model else [])], contents.flat)
    return [TableBlock(caption, columns, tuple(lines), _more(rows, rows[:MOST_LINES]), "many")]


def _even_parts(items: list[Quantity], most: int) -> list[list[Quantity]]:
    """Items in as few parts as hold at most ``most``, of sizes that differ by one at most."""
    parts = -(-len(items) // most)
    sizes = [len(items) // parts + (k < len(items) % parts) for k in range(parts)]
    starts = [sum(sizes[:k]) for k in range(parts)]
    return [items[s : s + n] for s, n in zip(starts, sizes, strict=True)]


def _measures_line(
    contents: Contents,
    row: Row,
    found: Sequence[Measure | None],
    flat: bool,
    counted: Sequence[str],
    with_model: bool,
    rule: bool,
    strong: bool,
    limits: bool,
) -> Line:
    first = next(m for m in found if m is not None)
    cells = [
        LineCell(h if rule or k else "", head=k == 0 and rule) for k, h in enumerate(row.heads)
    ]
    if with_model:
        cells.append(LineCell(mark=contents.mark(view_of(first))))
    table = _table(contents, first)
    laid = flat_cells(contents, table, None, "middle") if flat else None
    if laid is not None:
        cells += laid
    elif flat or counted:
        cells += _class_cells(row, counted or contents.flat)
    for m in found:
        number = None if m is None else number_of(contents, m, whisker=False, limits=limits)
        if number is not None and number.state != "value":
            number = replace(number, reason="")
        cells.append(LineCell(number=number))
    return Line(
        tuple(cells),
        table=str(first.table) if laid is not None else "",
        rule=rule,
        strong=strong,
        # which tables the counts of a class, or of all labels, are read off
        hook=("classes", _named_tables(first)) if row.counts and laid is None else (),
    )


def _named_tables(m: Measure) -> str:
    """The tables that a value is of by their names: one, or one for each label."""
    return m.table or " ".join(str(i) for i in m.tables or ())


def _class_cells(row: Row, names: Sequence[str]) -> list[LineCell]:
    """The counts of one class against the others; the table they are of stands elsewhere."""
    found = [(row.counts or {}).get(name, "") for name in names]
    return [LineCell(n if isinstance(n, str) else count_text(n)) for n in found]


def _metric(contents: Contents, m: Measure, *, of_classes: bool) -> Quantity:
    """The metric of a column, whatever class the line is of; of two classes each its own."""
    if of_classes:
        return identity(m)._replace(label=None, average=None)
    both = contents.names_class(m) and contents.is_binary((m.dataset, m.model))
    return identity(m) if both else identity(m)._replace(label=None)


def _column_title(contents: Contents, m: Measure, *, averaged: bool) -> str:
    """The head of a column: with the class where each has a column of its own."""
    both = contents.names_class(m) and contents.is_binary((m.dataset, m.model))
    return contents.title(m) if both else contents.heading(m, averaged=averaged)


def _table(contents: Contents, m: Measure) -> Table | None:
    """The table of a measure, if it can be laid flat."""
    table = contents.table_of(m.table)
    return table if table is not None and flat_counts(table) is not None else None


def _common(rows: Sequence[Row]) -> tuple[str, str]:
    """Level and method shared by the intervals of a strip."""
    intervals = [m.interval for r in rows for m in r.measures if m.interval]
    if not intervals:
        return "interval", ""
    levels = {i.level for i in intervals}
    methods = dict.fromkeys(method_text(i.method) for i in intervals)
    level = f"{level_text(intervals[0].level)} CI," if len(levels) == 1 else "interval,"
    return level, next(iter(methods)) if len(methods) == 1 else "methods in annex A"


def _more(rows: Sequence[Any], shown: Sequence[Any]) -> tuple[str, ...]:
    if len(shown) == len(rows):
        return ()
    return (f"{len(shown)} of {len(rows)} lines; the others are in results.json and measures.csv.",)


def slice_heads(subgroup: Mapping[str, str]) -> str:
    """The values of a subgroup, without the names of its columns."""
    return " · ".join(map(group_text, subgroup.values())) or "all rows"
