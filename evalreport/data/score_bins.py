"""Scores that are known by the bin they lie in: written as ``[0.25, 0.26)``, and read again.

So a site can hand over how its scores lie without handing over the scores. A bin holds every
score from its lower edge up to, not including, its upper edge; the last one holds 1 as well.
"""

from __future__ import annotations

import math
import re

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import quoted
from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import DataError, Location, Problem
from evalreport.values import dataclass

Floats = npt.NDArray[np.float64]

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
_BIN = re.compile(rf"\[({_NUMBER}), ({_NUMBER})([\])])")


@dataclass(frozen=True, eq=False)
class ScoreBins:
    """Bins that do not overlap, lowest first: the lowest and the highest score each may hold."""

    lows: Floats
    highs: Floats

    def inside(self, threshold: float) -> bool:
        """Whether a threshold parts the scores of one bin, so that nobody knows how many reach it.

        >>> ScoreBins(np.array([0.0, 0.5]), np.array([0.49, 1.0])).inside(0.5)
        False
        """
        return bool(np.any((self.lows < threshold) & (threshold <= self.highs)))


def bin_text(score: float, bins: int) -> str | None:
    """The bin of a score among ``bins`` of equal width from 0 to 1; None outside of them.

    >>> bin_text(0.25, 100), bin_text(1.0, 10), bin_text(0.29, 100), bin_text(1.5, 10)
    ('[0.25, 0.26)', '[0.9, 1.0]', '[0.29, 0.3)', None)
    """
    if not 0.0 <= score <= 1.0:
        return None
    place = min(math.floor(score * bins), bins - 1)
    # the product may round across an edge; the edges k / bins themselves are exact
    place += (place + 1 < bins and score >= (place + 1) / bins) - (score < place / bins)
    return f"[{place / bins!r}, {(place + 1) / bins!r}{')' if place + 1 < bins else ']'}"


def is_bin(text: object) -> bool:
    """Whether a value is written as a bin."""
    return isinstance(text, str) and _BIN.fullmatch(text) is not None


def binned_scores(table: RawTable, name: str) -> tuple[Floats, ScoreBins] | None:
    """The lower edge of the bin of each row (NaN where missing), and the bins.

    None for a column whose values are no bins. Raises DataError where only some are, and where
    two of them overlap.
    """
    column = table.columns[name]
    codes, values = column.factorize() if column.single else (None, [])
    found = [_BIN.fullmatch(value) if isinstance(value, str) else None for value in values]
    if codes is None or not any(found):
        return None
    for value, one in zip(values, found, strict=True):
        if one is None:
            what = f"{name} holds bins of scores, and {quoted(str(value))}"
            raise DataError(
                Problem(what, "bins in every row, or none", _first(table, column, value))
            )
    edges = [_edges(one) for one in found if one is not None]
    lows = np.array([low for low, _ in edges])
    highs = np.array([high for _, high in edges])
    order = np.argsort(lows)
    apart = lows[order][1:] > highs[order][:-1]
    if not apart.all() or not (lows <= highs).all():
        place = int(np.flatnonzero(~apart)[0]) if not apart.all() else 0
        pair = " and ".join(quoted(str(values[k])) for k in order[place : place + 2])
        what = f"bins of {name} overlap: {pair}"
        raise DataError(Problem(what, "the same bins in every file", Location(table.name)))
    per_row = np.where(codes < 0, np.nan, lows[np.maximum(codes, 0)])
    return per_row, ScoreBins(lows[order], highs[order])


def _edges(found: re.Match[str]) -> tuple[float, float]:
    low, high = float(found[1]), float(found[2])
    return low, (high if found[3] == "]" else math.nextafter(high, -math.inf))


def _first(table: RawTable, column: RawColumn, value: object) -> Location:
    codes, values = column.factorize()
    return table.where(int(np.argmax(codes == values.index(value))))
