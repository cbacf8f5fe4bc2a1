"""A classification table of results.json as exact counts, read without the code of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

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
        """The number of rows."""
        return self.tp + self.fn + self.fp + self.tn


@dataclass(frozen=True)
class Table:
    """K classes: cells by (actual, predicted) where not zero, margins, and the positive class."""

    labels: tuple[str, ...]
    positive: str | None
    cells: Mapping[tuple[int, int], Fraction]
    actual: tuple[Fraction, ...]
    predicted: tuple[Fraction, ...]
    total: Fraction

    def right(self, place: int) -> Fraction:
        """How many rows of this class were predicted so."""
        return self.cells.get((place, place), Fraction(0))

    def one_versus_rest(self, place: int) -> Counts:
        """The counts of one class against all others."""
        tp = self.right(place)
        fn = self.actual[place] - tp
        fp = self.predicted[place] - tp
        return Counts(tp, fn, fp, self.total - tp - fn - fp)


def read_table(record: records.Table) -> Table:
    """The table of a record whose cells are all counted, and nothing beside them."""
    counts = [[Fraction(count or 0) for count in row] for row in record.counts or ()]
    cells = {(i, j): n for i, row in enumerate(counts) for j, n in enumerate(row) if n}
    actual = tuple(sum(row, Fraction(0)) for row in counts)
    predicted = tuple(sum(column, Fraction(0)) for column in zip(*counts, strict=True))
    total = sum(actual, Fraction(0))
    return Table(record.labels, record.positive, cells, actual, predicted, total)
