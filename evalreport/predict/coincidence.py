"""Whether more rows are equal than chance makes equal, told from rows that nearly are.

Features of few values make rows equal by coincidence. Copies of rows have no rows beside them
that differ in a single feature; coincidences have many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import pdtrc

Codes = npt.NDArray[Any]
#: Equal rows that come by chance at least this often are no copies.
BY_CHANCE = 0.001


def row_marks(values: Sequence[Codes]) -> list[Codes]:
    """64 random bits for each value of each column; rows whose marks add up alike are equal.

    Sums are equal for different rows once in 10^19 pairs. ``values``: codes from 0, by column.
    """
    drawn = np.random.default_rng(0)
    return [drawn.integers(0, 2**63, int(v.max()) + 1, dtype=np.uint64)[v] for v in values]


def more_than_chance(
    values: Sequence[Codes], alike: Sequence[Codes], tested: Codes | None = None
) -> bool:
    """Whether more pairs of rows are equal in every column than chance explains.

    Of pairs that agree in all columns but one, known whether or not they agree in that one too,
    a share agrees by chance: that of pairs of ``alike`` rows with the same value. The column that
    makes the most pairs equal by chance decides, as the mean of a Poisson distribution.

    Args:
        values: codes from 0 of each row, by column.
        alike: masks of rows between which equal values are no sign of a copy, as of one class.
        tested: rows of one of two tables, whose pairs with the others count alone; else every pair.
    """
    marks = row_marks(values)
    whole = np.add.reduce(marks)
    equal = _across(whole, tested)
    every = sum(_pairs(np.zeros(int(own.sum()))) for own in alike)
    expected = []
    for value, mark in zip(values, marks, strict=True):
        agree = sum(_pairs(value[own]) for own in alike) / every if every else 1.0
        if agree < 1.0:
            near = _across(whole - mark, tested) - equal
            expected.append(near * agree / (1.0 - agree))
    return bool(pdtrc(equal - 1, max(expected, default=equal)) < BY_CHANCE)


def _across(codes: Codes, tested: Codes | None) -> float:
    """Pairs of equal entries, those of one table left out where there are two."""
    within = 0.0 if tested is None else _pairs(codes[tested]) + _pairs(codes[~tested])
    return _pairs(codes) - within


def _pairs(codes: Codes) -> float:
    """Number of pairs of equal entries."""
    times = np.unique(codes, return_counts=True)[1].astype(np.float64)
    return float((times * (times - 1) / 2).sum())
