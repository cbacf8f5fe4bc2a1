"""The classification table as engines hand it over: counts by actual and predicted label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.tables import Counts, Matrix
from evalreport.plan.inputs import RECORDS_PER_CLASS

#: Above so many labels a table is kept and written as its non-zero cells.
DENSE_LABELS = RECORDS_PER_CLASS


@dataclass(frozen=True, eq=False)
class ClassificationTable:
    """Counts by actual label (rows) and predicted label (columns), as non-zero cells.

    Column indices from ``len(labels)`` on are indeterminate predictions, named
    in ``extra``. ``sampled``: how many rows each cell was estimated from, where rows stand for
    others by a declared design. ``squares`` are sums of squared weights per cell, or None where
    every row weighs 1. ``rows`` is the number of rows, whatever they weigh.
    """

    labels: tuple[str, ...]
    positive: int | None
    cells: Mapping[tuple[int, int], int | float]
    rows: int
    extra: tuple[str, ...] = ()
    squares: Mapping[tuple[int, int], float] | None = None
    sampled: Mapping[tuple[int, int], int] | None = None

    @property
    def size(self) -> int:
        """Number of classes."""
        return len(self.labels)

    def counts(self) -> list[list[int | float]]:
        """The dense table, indeterminate columns last."""
        return self._dense_list(self.cells)

    def sampled_counts(self) -> list[list[int | float]] | None:
        """The rows that each cell was estimated from; None where rows stand for themselves."""
        return None if self.sampled is None else self._dense_list(self.sampled)

    def _dense_list(self, cells: Mapping[tuple[int, int], int | float]) -> list[list[int | float]]:
        dense: list[list[int | float]] = [
            [0] * (self.size + len(self.extra)) for _ in range(self.size)
        ]
        for (actual, predicted), count in cells.items():
            dense[actual][predicted] = count
        return dense

    def matrix(self, indeterminate: str | None = None) -> Matrix:
        """The K x K table, indeterminate predictions counted ``for``, ``against`` or left out.

        Against the model they join the other class where there are two, and are
        a miss of the actual class without a predicted one where there are more.
        """
        return self._placed(self.cells, indeterminate)

    def squares_matrix(self, indeterminate: str | None = None) -> Matrix | None:
        """The K x K sums of squared weights, counted as :meth:`matrix` counts the rows.

        None where every row weighs 1.
        """
        return None if self.squares is None else self._placed(self.squares, indeterminate)

    def _placed(
        self, cells: Mapping[tuple[int, int], int | float], indeterminate: str | None
    ) -> Matrix:
        inside: dict[tuple[int, int], Any] = {}
        unplaced: list[Any] = [0] * self.size
        for (actual, predicted), count in sorted(cells.items()):
            column = predicted
            if predicted >= self.size:
                column = column_of_indeterminate(actual, self.size, indeterminate)
            if column == NOWHERE:
                unplaced[actual] = unplaced[actual] + count
            elif column != LEFT_OUT:
                inside[actual, column] = inside.get((actual, column), 0) + count
        return Matrix(self.size, inside, unplaced)

    def binary(self, indeterminate: str | None = None) -> Counts:
        """The four cells of the positive class (or of the only class)."""
        index = self.positive if self.positive is not None else self.size - 1
        return self.matrix(indeterminate).one_versus_rest(index)

    def against_the_rest(self, index: int) -> ClassificationTable:
        """The two-class table of one class against all others, which stand first."""
        c = self.matrix().one_versus_rest(index)
        named = {(0, 0): c.tn, (0, 1): c.fp, (1, 0): c.fn, (1, 1): c.tp}
        label = self.labels[index]
        return ClassificationTable(
            labels=(f"not {label}", label),
            positive=1,
            cells={place: cell.value for place, cell in named.items() if cell.value},
            rows=self.rows,
        )

    @cached_property
    def dense(self) -> npt.NDArray[np.float64]:
        """The K x K counts as floats, indeterminate predictions left out."""
        return dense_counts(self.matrix())


#: Columns of an indeterminate prediction that counts for no class, and of one that is left out.
NOWHERE, LEFT_OUT = -1, -2


def column_of_indeterminate(actual: Any, size: int, mode: str | None) -> Any:
    """The column that an indeterminate prediction is counted in, by its actual class.

    ``mode``: ``for``, ``against`` or None for left out. ``actual`` may be an array of codes.

    >>> column_of_indeterminate(1, 2, "for"), column_of_indeterminate(1, 2, "against")
    (1, 0)
    >>> column_of_indeterminate(1, 3, "against") == NOWHERE
    True
    """
    if mode == "for":
        return actual
    if mode == "against" and size == 2:
        return 1 - actual
    return actual * 0 + (NOWHERE if mode == "against" else LEFT_OUT)


def dense_counts(matrix: Matrix) -> npt.NDArray[np.float64]:
    """A matrix as a dense float array, shape (K, K)."""
    table = np.zeros((matrix.size, matrix.size))
    for (actual, predicted), count in matrix.cell_counts.items():
        table[actual, predicted] = count
    return table
