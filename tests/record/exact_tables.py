"""A classification table of results.json as exact counts, read without the code of the engine.

Nothing here or in the modules that build on it comes from the code that made the
numbers: a check that shares code with what it checks repeats its mistakes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evalreport.results import records


@dataclass(frozen=True)
class Counts:
    """One class against the rest."""

    tp: Fraction
    fn: Fraction
    fp: Fraction
    tn: Fraction

    @property
    def total(self) -> Fraction:
        """The number of rows (or the sum of their weights)."""
        return self.tp + self.fn + self.fp + self.tn


@dataclass(frozen=True)
class Table:
    """K classes: cells by (actual, predicted) where not zero, margins, and the positive class.

    ``of_label`` is set on a one-versus-rest table: the class that is not the rest.
    ``rows`` counts indeterminate predictions even where ``total`` leaves them out;
    ``unplaced`` says that some rows are wrong without having been given a class.
    """

    labels: tuple[Any, ...]
    positive: Any
    of_label: Any
    cells: Mapping[tuple[int, int], Fraction]
    actual: tuple[Fraction, ...]
    predicted: tuple[Fraction, ...]
    total: Fraction
    rows: Fraction
    unplaced: bool

    def index(self, label: Any) -> int | None:
        """The place of a label; None when it is none of the table's.

        Types count: the labels 1 and true are two labels.
        """
        for place, own in enumerate(self.labels):
            if type(own) is type(label) and own == label:
                return place
        return None

    def right(self, place: int) -> Fraction:
        """How many rows of this class were predicted so."""
        return self.cells.get((place, place), Fraction(0))

    def one_versus_rest(self, place: int) -> Counts:
        """The counts of one class against all others."""
        tp = self.right(place)
        fn = self.actual[place] - tp
        fp = self.predicted[place] - tp
        return Counts(tp, fn, fp, self.total - tp - fn - fp)


def has_unknown(record: records.Table) -> bool:
    """Whether a cell of the table was not counted."""
    return any(count is None for row in record.counts or () for count in row)


def read_table(record: records.Table, indeterminate: str | None, unknown: int = 0) -> Table:
    """The table of a ``tables`` record.

    Indeterminate predictions are left out, or counted as right ("for") or as
    wrong ("against"), as the measure says. Wrong means the other class of two;
    of more classes none: the row is a miss of its class and no false alarm of
    another. ``unknown`` stands for cells that were not counted. Raises ValueError,
    TypeError or KeyError when the record is not laid out as results.json says.
    """
    labels = tuple(record.labels)
    size = len(labels)
    cells: dict[tuple[int, int], Fraction] = {}
    actual, predicted = [Fraction(0)] * size, [Fraction(0)] * size
    rows, unplaced = Fraction(0), False
    for row, column, count in _entries(record, unknown):
        if not (0 <= row < size and column >= 0):
            raise ValueError("a cell outside the table")
        rows += count
        if column >= size and indeterminate is None:
            continue
        actual[row] += count
        if column >= size and indeterminate == "against" and size != 2:
            unplaced = True
            continue
        place = column if column < size else row if indeterminate == "for" else 1 - row
        predicted[place] += count
        cells[row, place] = cells.get((row, place), Fraction(0)) + count
    return Table(
        labels=labels,
        positive=record.positive,
        of_label=record.label,
        cells=cells,
        actual=tuple(actual),
        predicted=tuple(predicted),
        total=sum(actual, Fraction(0)),
        rows=rows,
        unplaced=unplaced,
    )


def number(value: Any) -> Fraction:
    """A JSON number, exactly. Raises TypeError for anything else, true and false included."""
    if type(value) not in (int, float):
        raise TypeError(f"{value!r} is not a number")
    return Fraction(value)


def _entries(record: records.Table, unknown: int) -> list[tuple[int, int, Fraction]]:
    counts = record.counts
    if counts is None:
        listed = [(row, column, number(count)) for row, column, count in record.cells or ()]
    else:
        width = len(record.labels) + len(record.extra_columns)
        if len(counts) != len(record.labels) or any(len(row) != width for row in counts):
            raise ValueError("the counts are not as wide and high as the labels say")
        listed = [
            (i, j, number(unknown if count is None else count))
            for i, row in enumerate(counts)
            for j, count in enumerate(row)
        ]
    if any(count < 0 for _, _, count in listed):
        raise ValueError("a negative count")
    return [entry for entry in listed if entry[2]]
