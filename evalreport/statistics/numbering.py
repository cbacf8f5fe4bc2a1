"""Distinct values and the place of each among them, mostly without sorting."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

#: Up to so many whole numbers for each that occurs, they are told apart without sorting; and
#: values that stand so often each are looked up among the distinct ones.
OFTEN = 32
LOOK = 1 << 14


def numbered(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """The distinct values, ascending, and which of them each is; shapes (distinct,) and (n,).

    >>> distinct, place = numbered(np.array([7, 3, 7, 5]))
    >>> distinct.tolist(), place.tolist()
    ([3, 5, 7], [2, 0, 2, 1])
    """
    top = int(values.max(initial=0)) if values.dtype.kind == "i" else -1
    if 0 <= top < OFTEN * len(values) and values.min() >= 0:
        held = np.zeros(top + 1, np.bool_)
        held[values] = True
        return np.flatnonzero(held), (np.cumsum(held) - 1)[values]
    # of many that differ the first ones tell, and are not sorted twice
    if OFTEN * len(np.unique(values[:LOOK])) <= min(len(values), LOOK):
        distinct = np.unique(values)
        return distinct, np.searchsorted(distinct, values)
    distinct, place = np.unique(values, return_inverse=True)
    return distinct, place.reshape(-1)


def tallied(
    values: npt.NDArray[Any], times: npt.ArrayLike | None = None
) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
    """The distinct values, ascending, and how many rows have each; both of shape (distinct,).

    ``times``: how many rows each value stands for, shape (n,); one each without it.

    >>> distinct, rows = tallied(np.array([7, 3, 7]), np.array([2, 1, 5]))
    >>> distinct.tolist(), rows.tolist()
    ([3, 7], [1.0, 7.0])
    """
    distinct, place = numbered(values)
    return distinct, np.bincount(place, times, len(distinct)).astype(np.float64)
