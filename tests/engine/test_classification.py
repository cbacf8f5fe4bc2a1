"""The classification table that engines hand over, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.engine.counting.classification import (
    DENSE_LABELS,
    ClassificationTable,
    dense_counts,
)
from evalreport.metrics.tables import Matrix

#: 2 classes and an indeterminate column: [[5, 1, 2], [3, 4, 6]]
CELLS = {(1, 2): 6, (0, 0): 5, (0, 1): 1, (0, 2): 2, (1, 0): 3, (1, 1): 4}
TWO = ClassificationTable(("a", "b"), 1, CELLS, rows=21, extra=("unsure",))
THREE = ClassificationTable(
    ("a", "b", "c"), None, {(0, 0): 5, (0, 3): 2, (0, 4): 1, (2, 1): 3}, rows=11, extra=("x", "y")
)


def test_the_dense_table_has_the_indeterminate_columns_last() -> None:
    assert TWO.size == 2
    assert TWO.counts() == [[5, 1, 2], [3, 4, 6]]
    assert THREE.counts() == [[5, 0, 0, 2, 1], [0, 0, 0, 0, 0], [0, 3, 0, 0, 0]]
    assert DENSE_LABELS == 500


@pytest.mark.parametrize(
    ("counted", "cells"),
    [
        (None, "Counts(tp=4, fp=1, fn=3, tn=5)"),
        ("for", "Counts(tp=10, fp=1, fn=3, tn=7)"),
        ("against", "Counts(tp=4, fp=3, fn=9, tn=5)"),
    ],
)
def test_indeterminate_predictions_of_two_classes(counted: str | None, cells: str) -> None:
    assert repr(TWO.binary(counted)) == cells


def test_indeterminate_predictions_of_three_classes() -> None:
    left_out, pro, against = (THREE.matrix(word) for word in (None, "for", "against"))
    assert left_out.cell_counts == {(0, 0): 5, (2, 1): 3}
    assert pro.cell_counts == {(0, 0): 8, (2, 1): 3}
    assert against.cell_counts == {(0, 0): 5, (2, 1): 3}
    assert (left_out.unplaced, pro.unplaced, against.unplaced) == ([0] * 3, [0] * 3, [3, 0, 0])
    assert (left_out.n.value, pro.n.value, against.n.value) == (8, 11, 11)


def test_every_row_is_looked_at_after_one_that_is_set_aside() -> None:
    # sorted, the indeterminate cell of the first class comes before those of the others
    assert TWO.matrix().cell_counts == {(0, 0): 5, (0, 1): 1, (1, 0): 3, (1, 1): 4}


def test_the_only_class_is_the_positive_one() -> None:
    one = ClassificationTable(("a",), None, {(0, 0): 3}, rows=3)
    assert repr(one.binary()) == "Counts(tp=3, fp=0, fn=0, tn=0)"
    first = ClassificationTable(("a", "b"), 0, CELLS, rows=21)
    assert repr(first.binary()) == "Counts(tp=5, fp=3, fn=1, tn=4)"
    last = ClassificationTable(("a", "b", "c"), None, {(2, 2): 3, (1, 2): 1}, rows=4)
    assert repr(last.binary()) == "Counts(tp=3, fp=1, fn=0, tn=0)"
    assert (one.extra, one.squares) == ((), None)


def test_arrays_of_a_table() -> None:
    assert TWO.dense.tolist() == [[5, 1], [3, 4]]
    assert TWO.dense.dtype == np.float64
    assert TWO.squares_matrix() is None
    squares = {(0, 0): 2.5, (1, 2): 9.0, (1, 1): 4.0}
    weighted = ClassificationTable(("a", "b"), 1, CELLS, 21, ("unsure",), squares)
    found = weighted.squares_matrix()
    assert found is not None
    assert dense_counts(found).tolist() == [[2.5, 0], [0, 4]]
    assert dense_counts(Matrix.from_counts([[1, 2], [0, 3]])).tolist() == [[1, 2], [0, 3]]


def test_one_class_against_the_rest() -> None:
    table = ClassificationTable(
        ("a", "b", "c"), None, {(0, 0): 5, (0, 1): 2, (1, 1): 3, (2, 1): 4, (1, 0): 7}, rows=21
    )
    rest = table.against_the_rest(1)
    assert (rest.labels, rest.positive, rest.rows) == (("not b", "b"), 1, 21)
    assert rest.counts() == [[5, 6], [7, 3]]
    never = table.against_the_rest(2)
    assert (never.labels, never.cells) == (("not c", "c"), {(0, 0): 17, (1, 0): 4})
