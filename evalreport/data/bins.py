"""Subgroups of a column of numbers: half-open intervals between declared edges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from evalreport.data.labels import written
from evalreport.data.scores import numbers
from evalreport.data.table import Codes, RawTable

Edges = tuple[float, ...]


def bin_names(edges: Sequence[float]) -> tuple[str, ...]:
    """The names of the intervals between edges, the outer two without end.

    >>> bin_names([40, 62.5])
    ('(-inf, 40)', '[40, 62.5)', '[62.5, inf)')
    """
    texts = [written(float(edge)).text for edge in edges]
    inner = [f"[{low}, {high})" for low, high in pairwise(texts)]
    return (f"(-inf, {texts[0]})", *inner, f"[{texts[-1]}, inf)")


def bin_codes(table: RawTable, column: str, edges: Edges) -> Codes:
    """Which interval each row's number is in, shape (n,); -1 where it is missing."""
    found = numbers(table, column)
    codes: npt.NDArray[np.int64] = np.searchsorted(np.asarray(edges), found.values, side="right")
    return np.where(np.isnan(found.values), -1, codes).astype(np.int32)
