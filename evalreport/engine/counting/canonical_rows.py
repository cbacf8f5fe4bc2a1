"""Rows and clusters in an order that follows from what they hold, not from where they stand.

Rows that are drawn one by one are drawn in this order, so that a resample is the same
whatever the order of the rows in the file or the names of the clusters. Rows, and
clusters, that hold the same are exchangeable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.statistics.numbering import numbered, tallied

Codes = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


def canonical_rows(
    code: Codes, weight: Floats | None, cluster: Codes | None
) -> tuple[Places, Places]:
    """Places of the rows in canonical order, and the unit that each of them is drawn with.

    ``code``: whole numbers that tell what rows hold. A unit is a row, or a cluster; units
    are numbered from 0.

    >>> order, unit = canonical_rows(np.array([3, 1, 2]), None, None)
    >>> order.tolist(), unit.tolist()
    ([1, 2, 0], [0, 1, 2])
    >>> order, unit = canonical_rows(np.array([3, 1, 2]), None, np.array([0, 1, 0]))
    >>> order.tolist(), unit.tolist()
    ([1, 2, 0], [0, 1, 1])
    """
    keys = (code,) if weight is None else (weight, code)
    if cluster is None:
        return np.lexsort(keys), np.arange(len(code))
    by_cluster = np.arange(len(code)) if _ascend(cluster, code) else np.lexsort((*keys, cluster))
    held = np.asarray(code, np.int64)[by_cluster, None]
    if weight is not None:
        held = np.column_stack([held, (weight[by_cluster] + 0.0).view(np.int64)])
    names, starts = np.unique(cluster[by_cluster], return_index=True)
    contents = [part.tobytes() for part in np.split(held, starts[1:])]
    places = sorted(range(len(names)), key=contents.__getitem__)
    rank = np.empty(len(names), np.intp)
    rank[places] = np.arange(len(names))
    # whole clusters change places, the rows within one do not
    sizes = np.diff(starts, append=len(code))[places]
    first = np.cumsum(sizes) - sizes
    order = by_cluster[np.arange(len(code)) + np.repeat(starts[places] - first, sizes)]
    return order, np.repeat(np.arange(len(names)), sizes)


def _ascend(cluster: Codes, code: Codes) -> bool:
    """Whether rows come in the order of their clusters and then of their codes, each once."""
    same = cluster[1:] == cluster[:-1]
    return bool(np.all((cluster[1:] > cluster[:-1]) | (same & (code[1:] > code[:-1]))))


def added_up(cluster: Codes, code: Codes, times: Codes | None) -> tuple[Codes, Codes, Floats]:
    """Cluster and code of rows that are alike, once, and how many there are.

    ``times``: how many rows are of each kind; each stands for itself where None.

    >>> cluster, code, rows = added_up(np.array([1, 0, 1]), np.array([5, 5, 5]), None)
    >>> cluster.tolist(), code.tolist(), rows.tolist()
    ([0, 1], [5, 5], [1.0, 2.0])
    """
    width = int(code.max(initial=0)) + 1
    both, rows = tallied(cluster.astype(np.int64) * width + code, times)
    return both // width, both % width, rows


def canonical_stack(tables: Floats) -> Floats:
    """Tables of clusters, shape (C, ...), in an order that follows from their counts."""
    flat = tables.reshape(len(tables), -1)
    return tables[np.lexsort(flat.T[::-1])]


def codes_of(*columns: npt.NDArray[Any]) -> Places:
    """One whole number for each row, equal where all columns are, in the order of the columns."""
    code = np.zeros(len(columns[0]), np.intp)
    for column in columns:
        _, place = numbered(column)
        _, code = numbered(code * (int(place.max(initial=0)) + 1) + place)
    return code
