"""Table one: the used rows, column by column and class by class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from evalreport.numbers import (
    count_text,
    measured_places,
    measured_text,
    or_dash,
    share_text,
)
from evalreport.report.columns import Column, across, left, table_of
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Line, TableBlock
from evalreport.report.pieces import LineCell
from evalreport.report.sections import section
from evalreport.report.words import label_text, listed
from evalreport.results.records import (
    CategoryGroup,
    Characteristics,
    ClassRows,
    DescribedColumn,
    NumberGroup,
)

MOST_CLASSES = 6
MOST_COLUMNS = 40
NOTE = "Numbers: sample standard deviation; quartiles by linear interpolation. Rows are counted."


class _Row(NamedTuple):
    """A name with a cell for all rows and for those of each class; ``head`` and ``inner`` ones."""

    name: str
    cells: Sequence[str]
    head: bool = False
    inner: bool = False
    strong: bool = False


@section(
    "characteristics", "Characteristics by class", short="Characteristics", of=(Characteristics,)
)
def characteristics_blocks(contents: Contents) -> list[Block]:
    """A table for each dataset and set of used rows."""
    return [_table(contents, record) for record in contents.of(Characteristics)]


def _table(contents: Contents, record: Characteristics) -> TableBlock:
    classes = record.classes[:MOST_CLASSES]
    shown = [None, *(c.label for c in classes)]
    heads = ["all rows", *(label_text(c.label) for c in classes)]
    columns: list[Column[_Row]] = [left("characteristic", lambda row: row.name)]
    columns += across(zip(heads, range(len(heads)), strict=True), lambda k, row: row.cells[k])
    rows = [_counts(record, classes), _shares(contents, record, classes)]
    for column in record.columns[:MOST_COLUMNS]:
        groups = {g.label: g for g in column.groups}
        rows += _lines(column, [groups[label] for label in shown])
    models = [label_text(m) for m in record.models]
    whose = "" if len(models) == len(contents.models) else f", {listed(models)}"
    caption = f"Characteristics of the used rows, {label_text(record.dataset)}{whose}"
    return table_of(caption, rows, columns, _left_out(record), "one-table", row=_line)


def _line(row: _Row, cells: tuple[str | LineCell, ...]) -> Line:
    return Line(cells, strong=row.strong, head=row.head, inner=row.inner)


def _left_out(record: Characteristics) -> str:
    """What the table does not hold, and where that is."""
    told = [
        f"{most} of {held} {what}"
        for what, held, most in (
            ("classes", len(record.classes), MOST_CLASSES),
            ("columns", len(record.columns), MOST_COLUMNS),
        )
        if held > most
    ]
    return f"{NOTE} {' and '.join(told)}; the others are in results.json." if told else NOTE


def _counts(record: Characteristics, classes: Sequence[ClassRows]) -> _Row:
    counts = [record.rows, *(c.rows for c in classes)]
    return _Row("rows", list(map(count_text, counts)), strong=True)


def _shares(contents: Contents, record: Characteristics, classes: Sequence[ClassRows]) -> _Row:
    """The share of the rows that each class has, and whether the sampling fixed it."""
    datasets = contents.spec.get("datasets") or {}
    sampling = (datasets.get(record.dataset) or {}).get("sampling")
    name = "share, fixed by the sampling" if sampling == "case_control" else "share of rows"
    rows = record.rows
    return _Row(name, [share_text(own, rows) for own in (rows, *(c.rows for c in classes))])


def _lines(
    column: DescribedColumn, groups: Sequence[NumberGroup | CategoryGroup]
) -> Iterator[_Row]:
    yield _Row(label_text(column.column), [""] * len(groups), head=True)
    yield from _of_numbers([group for group in groups if isinstance(group, NumberGroup)])
    yield from _of_words([group for group in groups if isinstance(group, CategoryGroup)])
    yield _Row("missing", list(map(_missing, groups)), inner=True)


def _missing(group: NumberGroup | CategoryGroup) -> str:
    return "0" if not group.missing else _share(group.missing, group.n + group.missing)


def _share(count: int, whole: int) -> str:
    return f"{count_text(count)} ({share_text(count, whole)})" if whole else count_text(count)


def _of_numbers(groups: Sequence[NumberGroup]) -> Iterator[_Row]:
    if not groups:
        return
    exact = partial(measured_text, places=measured_places(groups[0].sd or groups[0].mean))

    def line(name: str, form: str, of: Callable[[NumberGroup], tuple[Any, ...]]) -> _Row:
        cells = [
            form.format(*(or_dash(x, exact) for x in of(g))) if g.n else "no value" for g in groups
        ]
        return _Row(name, cells, inner=True)

    yield line("mean (standard deviation)", "{} ({})", lambda g: (g.mean, g.sd))
    yield line(
        "median (quartiles)", "{} ({} to {})", lambda g: (g.median, g.quartile_1, g.quartile_3)
    )
    yield line("range", "{} to {}", lambda g: (g.low, g.high))


def _of_words(groups: Sequence[CategoryGroup]) -> Iterator[_Row]:
    if not groups:
        return
    for k, value in enumerate(groups[0].values):
        shares = [_share(g.values[k].count, g.n) for g in groups]
        yield _Row(label_text(value.value), shares, inner=True)
    if groups[0].other:
        yield _Row("other values", [_share(g.other, g.n) for g in groups], inner=True)
