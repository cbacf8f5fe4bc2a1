"""Classification tables as they are printed: labels, counts, totals.

Tables are made with actual classes in rows; a template whose readers expect the results of a
test there has them turned. Classes stand in the order of the
labels: read line by line, a table with actual classes in rows gives TN, FP, FN, TP where the
positive class is the last one, and TP, FN, FP, TN where it is the first. A template may have the
positive class first whatever the order of the labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from evalreport.numbers import count_text
from evalreport.report.contents import Contents
from evalreport.report.marking import role_text
from evalreport.report.model import Tables
from evalreport.report.pieces import CountCell, CountHead, CountRow, CountTable, Orientation
from evalreport.report.words import condition_text, counted, exact_label, label_text, subgroup_text
from evalreport.results.records import MissingRows, Table

#: Tables of more classes are printed in part.
MOST_CLASSES = 50
PART = 12
#: Classes of a table that stands beside the numbers that are of it, on their page.
MOST_WHOLE = 10
#: From so many classes on, heads of columns are the numbers that stand before the names of rows.
NUMBERED = 16
#: Shares of a row from which a mistake is shaded, and how many of a table stand out most.
SHADES, WORST = (0.02, 0.05, 0.15), 3
#: Letters of all columns of counts that fit half a line.
HALF_WIDTH = 52
#: Columns of a table whose counts are set larger, the totals among them, and by how much.
LARGE_COLUMNS, LARGER = 3, 1.2
#: Letters of a count that fill a cell of a small card, beside its role.
TIGHT = 5


def count_table(
    contents: Contents, table: Table, *, caption: str = "", totals: bool = True
) -> CountTable:
    """A table as it is printed; large ones in part.

    Without ``totals`` where what is beside it has them; rows that are no part of them keep them.
    """
    labels = [str(label) for label in table.labels]
    cells = cell_counts(table)
    extra = [str(name) for name in table.extra_columns or []]
    chosen = list(range(len(labels)))
    partial = ""
    if len(labels) > MOST_CLASSES:
        chosen = most_confused(cells, len(labels))
        partial = (
            f"{counted(len(chosen), 'class', 'classes')} of {len(labels)} with the most mistakes; "
            "totals are of all classes. The whole table is in results.json."
        )
    row_totals, column_totals = _totals(cells, len(labels), len(extra))
    strong = labels.index(table.positive) if table.positive in labels else None
    positive = _positive(table, labels)
    printer = _Printer(labels, cells, len(extra), positive, table.sampled_rows)
    rows = [printer.row(i, chosen, row_totals, strong == i) for i in chosen]
    all_rows = None if None in row_totals else math.fsum(row_totals)
    rows.append(printer.totals(chosen, column_totals, all_rows, partial))
    columns = [
        CountHead(label_text(labels[j]), exact_label(labels[j]), strong == j) for j in chosen
    ]
    if len(chosen) >= NUMBERED:
        columns = [replace(c, number=str(k)) for k, c in enumerate(columns, 1)]
        rows = [replace(r, number="" if r.total else str(k)) for k, r in enumerate(rows, 1)]
    columns += [CountHead(label_text(name), exact_label(name)) for name in extra]
    columns.append(CountHead("total", total=True))
    missing = table.missing
    if not (totals or missing or partial):
        columns.pop()
        rows = [replace(row, cells=row.cells[:-1]) for row in rows if not row.total]
    if missing and any([*missing.without_prediction, missing.without_both]):
        columns.append(CountHead("no prediction", total=True))
        rows = _with_unpredicted(rows, missing, chosen)
    if missing and any([*missing.without_target, missing.without_both]):
        rows.append(_untold(missing, chosen, len(extra), len(columns)))
    made = CountTable(
        table=table.id,
        caption=caption or table_caption(contents, table),
        columns=tuple(columns),
        rows=tuple(rows),
        partial=partial,
        crowded=_crowded(rows),
        ringed=any(c.shade > len(SHADES) for r in rows for c in r.cells),
    )
    return laid_out(made, contents)


def _crowded(rows: Sequence[CountRow]) -> bool:
    """Whether counts and their roles take more than a cell side by side."""
    cells = [c for row in rows for c in row.cells if c.role]
    return max((len(c.text) for c in cells), default=0) > TIGHT


def _with_unpredicted(
    rows: Sequence[CountRow], missing: MissingRows, chosen: Sequence[int]
) -> list[CountRow]:
    """Rows without a prediction, by actual class, beside the totals that do not count them."""
    silent = missing.without_prediction
    beside = [*(silent[i] for i in chosen), math.fsum(silent)]
    return [
        replace(row, cells=(*row.cells, _margin(count)))
        for row, count in zip(rows, beside, strict=True)
    ]


def _untold(missing: MissingRows, chosen: Sequence[int], extra: int, width: int) -> CountRow:
    """Rows without a target, by predicted class, below the totals that do not count them."""
    untold, size = missing.without_target, len(missing.without_prediction)
    counts = [untold[j] for j in (*chosen, *range(size, size + extra))]
    below = [*counts, math.fsum(untold), missing.without_both][:width]
    return CountRow("unknown", total=True, cells=tuple(map(_margin, below)))


def _margin(count: Any) -> CountCell:
    return CountCell(text=count_text(count), total=True)


def abreast(tables: Sequence[CountTable], *, large: bool = False) -> list[Tables]:
    """Tables two on a line where they are narrow enough, the others one."""
    narrow = tuple(t for t in tables if _width(t) <= HALF_WIDTH)
    wide = tuple(t for t in tables if _width(t) > HALF_WIDTH)
    return [Tables(own, k, large) for own, k in ((narrow, 2), (wide, 1)) if own]


def _width(table: CountTable) -> int:
    """Letters that the columns of counts take side by side; words of a label may wrap.

    Counts of two classes are set larger than others, and their totals are as wide.
    """
    counts = max((len(c.text) for r in table.rows for c in r.cells), default=1)
    two = len(table.columns) <= LARGE_COLUMNS
    columns = table.columns if two else table.columns[:-1]
    words = (max(map(len, c.label.split() or [""])) for c in columns)
    letters = sum(max(counts, word) + 1 for word in words)
    return round(LARGER * letters) if two else letters


def table_caption(contents: Contents, table: Table, *, brief: bool = False) -> str:
    """Id, model, threshold and slice of a table; ``brief``: not that it is of all rows."""
    place = place_text(contents, table)
    place = place.removesuffix(subgroup_text({})) if brief else place
    told = f"{table.id} · {contents.mark((table.dataset, table.model)).name} · {place}"
    told = told.removesuffix(" · ")
    if table.sampled_rows is not None:
        told += " · estimated from n rows"
    return f"{told} · ? was not counted" if None in cell_counts(table).values() else told


def place_text(contents: Contents, table: Table) -> str:
    """Threshold, subgroup and fold of a table."""
    view = (table.dataset, table.model)
    parts = []
    if table.threshold is not None:
        parts.append(condition_text(table.threshold, contents.operator(view)))
    parts.append(subgroup_text(table.subgroup))
    if table.fold is not None:
        parts.append(f"fold {label_text(table.fold)}")
    return " · ".join(parts)


def cell_counts(table: Table) -> dict[tuple[int, int], Any]:
    """The non-zero counts of a table by row and column, dense or not; None was not counted."""
    if table.counts is None:
        return {(i, j): count for i, j, count in table.cells or []}
    return {
        (i, j): count
        for i, row in enumerate(table.counts)
        for j, count in enumerate(row)
        if count is None or count
    }


def most_confused(cells: Mapping[tuple[int, int], Any], size: int) -> list[int]:
    """The classes that take part in most mistakes, in their declared order."""
    mistakes = [0.0] * size
    for (i, j), count in cells.items():
        if i != j and j < size:
            mistakes[i] += count
            mistakes[j] += count
    worst = sorted(range(size), key=lambda k: (-mistakes[k], k))[:PART]
    return sorted(worst)


class _Printer:
    """Rows of one table."""

    def __init__(
        self,
        labels: list[str],
        cells: Mapping[tuple[int, int], Any],
        extra: int,
        positive: int | None,
        sampled: Sequence[Sequence[int]] | None = None,
    ) -> None:
        self.sampled = sampled
        self.labels, self.cells, self.extra = labels, cells, extra
        self.positive = positive
        self.size = len(labels)
        self.shades = self._shaded() if self.size > 2 else {}

    def row(self, i: int, chosen: Sequence[int], totals: Sequence[Any], strong: bool) -> CountRow:
        """The row of an actual class."""
        columns = [*chosen, *range(self.size, self.size + self.extra)]
        cells = [self._cell((i, j), self.cells.get((i, j), 0), self._role(i, j)) for j in columns]
        cells.append(self._cell((i, self.size + self.extra), totals[i], total=True))
        label = self.labels[i]
        return CountRow(label_text(label), exact_label(label), strong, cells=tuple(cells))

    def totals(
        self, chosen: Sequence[int], totals: Sequence[Any], grand: float | None, partial: str
    ) -> CountRow:
        """The row of totals."""
        columns = [*chosen, *range(self.size, self.size + self.extra)]
        cells = [self._cell((self.size, j), totals[j], total=True) for j in columns]
        cells.append(self._cell((self.size, self.size + self.extra), grand, total=True))
        name = "total, all classes" if partial else "total"
        return CountRow(name, total=True, cells=tuple(cells))

    def _cell(
        self, place: tuple[int, int], count: Any, role: str = "", total: bool = False
    ) -> CountCell:
        return CountCell(
            text=count_text(count),
            role=role,
            total=total,
            strong=place[0] == place[1] and not total,
            rows=self._rows(place, total=total),
            shade=0 if total else self.shades.get(place, 0),
        )

    def _shaded(self) -> dict[tuple[int, int], int]:
        """The mistakes that are shaded: by their share of the row, the largest of all most."""
        totals, _ = _totals(self.cells, self.size, self.extra)
        wrong = {at: n or 0 for at, n in self.cells.items() if at[0] != at[1]}
        found = {
            at: sum(n >= share * (totals[at[0]] or math.inf) for share in SHADES)
            for at, n in wrong.items()
        }
        worst = sorted(wrong, key=lambda at: (-wrong[at], at))[:WORST]
        return found | {at: len(SHADES) + 1 for at in worst if wrong[at]}

    def _rows(self, place: tuple[int, int], *, total: bool) -> str:
        """The rows that an estimated cell comes from; nothing for margins and plain counts."""
        if self.sampled is None or total:
            return ""
        return count_text(self.sampled[place[0]][place[1]])

    def _role(self, i: int, j: int) -> str:
        if self.positive is None or j >= self.size:
            return ""
        return role_text(i, j, self.positive)


def _totals(
    cells: Mapping[tuple[int, int], Any], size: int, extra: int
) -> tuple[list[Any], list[Any]]:
    rows: list[Any] = [0] * size
    columns: list[Any] = [0] * (size + extra)
    for (i, j), count in sorted(cells.items()):
        rows[i] = None if None in (count, rows[i]) else rows[i] + count
        columns[j] = None if None in (count, columns[j]) else columns[j] + count
    return rows, columns


def _positive(table: Table, labels: list[str]) -> int | None:
    """The place of the class of a label, or the positive one, of two."""
    if len(labels) != 2:
        return None
    label = table.label if table.label is not None else table.positive
    return labels.index(label) if label in labels else 1


_Item = TypeVar("_Item")


def laid_out(table: CountTable, contents: Contents) -> CountTable:
    """The table turned, and its classes in the order that the template has them in."""
    if contents.orientation().transposed:
        table = _transposed(table, contents)
    return _mirrored(table) if contents.words.positive_first else table


def turned_counts(rows: Sequence[Sequence[_Item]], how: Orientation) -> list[list[_Item]]:
    """The rows that are printed of cells by actual and predicted class.

    >>> turned_counts([[5, 1], [2, 9]], Orientation(transposed=True))
    [[5, 2], [1, 9]]
    """
    printed = zip(*rows, strict=True) if how.transposed else rows
    return [list(row) for row in printed]


def _mirrored(table: CountTable) -> CountTable:
    """A table of two classes with both changing places where the second is the positive one."""
    heads = [c for c in table.columns if not c.total]
    if len(heads) != 2 or not heads[1].strong:
        return table
    columns = (*table.columns[1::-1], *table.columns[2:])
    order = (*table.rows[1::-1], *table.rows[2:])
    rows = tuple(replace(row, cells=(*row.cells[1::-1], *row.cells[2:])) for row in order)
    return replace(table, columns=columns, rows=rows)


def _transposed(table: CountTable, contents: Contents) -> CountTable:
    """A table of actual classes in rows with the predicted ones in their place."""
    recorded = contents.table_of(table.table)
    cells = zip(*(row.cells for row in table.rows), strict=True)
    rows = [
        CountRow(**vars(head), cells=own) for head, own in zip(table.columns, cells, strict=True)
    ]
    columns = [
        CountHead(row.label, row.exact, row.strong, row.total, row.number) for row in table.rows
    ]
    return replace(
        table,
        columns=tuple(columns),
        rows=tuple(rows),
        orientation=contents.orientation(None if recorded is None else recorded.dataset),
    )
