"""Columns that say how rows belong together: ids, clusters, folds, subgroups and readers.

A subgroup of a column of numbers is a half-open interval between declared edges. Where several
readers read the same cases, each reader and case has a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import SHOWN_ROWS, nearest_column, quoted
from evalreport.data.label_column import label_column, texts
from evalreport.data.labels import order_labels, written
from evalreport.data.roles import PREDICTED, Roles
from evalreport.data.scores import numbers
from evalreport.data.table import Chosen, Codes, Places, RawTable
from evalreport.errors import DataError, Location, Problem
from evalreport.results.identity import MEAN_OF_FOLDS

Edges = tuple[float, ...]

Rows = npt.NDArray[np.int64]

MISSING = "(missing)"
_MISSING_BESIDE_TEXT = "(missing, no value)"


def column_problems(
    raw: RawTable, roles: Roles, where: Callable[[str], Location | None]
) -> list[Problem]:
    """A problem for each column of a role that the file has not, or has as lists."""
    problems = []
    for role, column in dict.fromkeys(roles.named()):
        if column not in raw.header and role == "strata" and column == PREDICTED:
            continue  # what the model predicts
        if column not in raw.header:
            what = f"{raw.name} has no column {quoted(column)} ({role})"
            instead = nearest_column(column, raw.header)
        elif column not in raw.columns or (
            not raw.columns[column].single and column != roles.vector
        ):
            what = f"column {quoted(column)} of {raw.name} ({role}) does not have single values"
            instead = "give text, numbers or booleans"
        else:
            continue
        problems.append(Problem(what, instead, where(role)))
    return problems


def duplicate_ids(raw: RawTable, column: str) -> list[Problem]:
    """A problem if an id stands in two rows; ids are compared as text."""
    codes, names = texts(raw, column)
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    twice = np.flatnonzero(counts > 1)
    if not len(twice):
        return []
    told = []
    for code in twice[:SHOWN_ROWS]:
        rows = np.flatnonzero(codes == code)
        told.append(
            f"{quoted(names[code])} in {raw.row_name(int(rows[0]))} and "
            f"{raw.row_name(int(rows[1]))}"
        )
    more = f" and {len(twice) - len(told)} more" if len(twice) > len(told) else ""
    first = int(np.flatnonzero(codes == twice[0])[1])
    return [
        Problem(
            f"{column} is not unique: {', '.join(told)}{more}",
            "give each row its own id, or declare the `cluster` that rows belong to",
            raw.where(first),
        )
    ]


def clusters(raw: RawTable, column: str, used: Chosen) -> tuple[Rows, int]:
    """Cluster of each used row, numbered from 0 without gaps, and how many there are.

    In the order of their names, so that sums over clusters do not depend on the order of rows.
    Models that use every row share them.
    """
    if isinstance(used, slice):
        return raw.once(("clusters", column), lambda: _clusters(raw, column, used))
    return _clusters(raw, column, used)


def _clusters(raw: RawTable, column: str, used: Chosen) -> tuple[Rows, int]:
    codes, names = texts(raw, column)
    inside = codes[used]
    present = np.flatnonzero(np.bincount(inside, minlength=len(names))).tolist()
    place = np.zeros(len(names), np.int64)
    place[sorted(present, key=names.__getitem__)] = np.arange(len(present))
    return place[inside], len(present)


def folds(raw: RawTable, column: str, used: Chosen) -> tuple[Codes, tuple[str, ...]]:
    """Fold of each used row, and the names of the folds in their order.

    Raises DataError for a fold of the name that the mean over folds has.
    """
    codes, names = texts(raw, column)
    found, ordered = _ordered(codes[used], names)
    if MEAN_OF_FOLDS in ordered:
        what = f"{column} has a fold {MEAN_OF_FOLDS!r}, which is the name of the mean over folds"
        raise DataError(Problem(what, "another name for that fold", Location(raw.name)))
    return found, ordered


def groups(raw: RawTable, column: str, used: Chosen) -> tuple[Codes, tuple[str, ...]]:
    """Value of a subgroup column in each used row; no value is a group, named last."""
    codes, names = _group_texts(raw, column)
    inside = codes[used]
    gaps = inside < 0
    in_order = column in raw.bins
    found, ordered = _present(inside, names) if in_order else _ordered(inside, names)
    if not gaps.any():
        return found, ordered
    empty = _MISSING_BESIDE_TEXT if MISSING in ordered else MISSING
    return np.where(gaps, np.int32(len(ordered)), found), (*ordered, empty)


def group_codes(raw: RawTable, column: str, rows: Places, names: tuple[str, ...]) -> Codes:
    """Codes of rows among the values of other rows, as :func:`groups` names them; -1: none."""
    codes, own = _group_texts(raw, column)
    place = {name: number for number, name in enumerate(names)}
    gap = place.get(_MISSING_BESIDE_TEXT, -1 if MISSING in own else place.get(MISSING, -1))
    table = np.array([*(place.get(name, -1) for name in own), gap], np.int32)
    found: Codes = table[codes[rows]]
    return found


def _group_texts(raw: RawTable, column: str) -> tuple[Codes, tuple[str, ...]]:
    """Codes and names of a subgroup column: its values, or the intervals they lie in."""
    edges = raw.bins.get(column)
    if edges is None:
        return texts(raw, column)
    return bin_codes(raw, column, edges), bin_names(edges)


def _present(codes: Codes, names: tuple[str, ...]) -> tuple[Codes, tuple[str, ...]]:
    """Codes among the names that occur, in their own order."""
    seen = np.bincount(codes[codes >= 0], minlength=len(names)) > 0
    table = np.append(np.cumsum(seen) - 1, -1).astype(np.int32)
    return table[codes], tuple(name for name, is_seen in zip(names, seen, strict=True) if is_seen)


def _ordered(codes: Codes, names: tuple[str, ...]) -> tuple[Codes, tuple[str, ...]]:
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    present = [name for name, count in zip(names, counts, strict=True) if count]
    ordered = order_labels(present)
    place = {name: number for number, name in enumerate(ordered)}
    table = np.array([*(place.get(name, -1) for name in names), -1], np.int32)
    return table[codes], ordered


def bin_names(edges: Sequence[float]) -> tuple[str, ...]:
    """The names of the intervals between edges, the outer two without end.

    >>> bin_names([40, 62.5])
    ('(-inf, 40)', '[40, 62.5)', '[62.5, inf)')
    """
    ends = [written(float(edge)).text for edge in edges]
    inner = [f"[{low}, {high})" for low, high in pairwise(ends)]
    return (f"(-inf, {ends[0]})", *inner, f"[{ends[-1]}, inf)")


def bin_codes(table: RawTable, column: str, edges: Edges) -> Codes:
    """Which interval each row's number is in, shape (n,); -1 where it is missing."""
    found = numbers(table, column)
    codes: npt.NDArray[np.int64] = np.searchsorted(np.asarray(edges), found.values, side="right")
    return np.where(np.isnan(found.values), -1, codes).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Readings:
    """Of every row of a file: ``reader`` and ``case`` as codes (-1 where there is none).

    ``names`` are the readers, ``column`` and ``case_column`` what the two columns are called.
    """

    reader: Codes
    names: tuple[str, ...]
    case: Codes
    column: str
    case_column: str


def readings(raw: RawTable, roles: Roles) -> Readings | None:
    """The readers and cases of a file; None where no readers are declared.

    Where the ``id`` names every row apart and a ``cluster`` is declared beside it, the cluster
    is the case.
    """
    if roles.reader is None or roles.case is None:
        return None
    column = roles.case
    apart = column == roles.id and roles.cluster not in (None, column)
    if apart and not _repeats(texts(raw, column)[0]):
        column = str(roles.cluster)
    codes, names = texts(raw, roles.reader)
    return Readings(codes, names, texts(raw, column)[0], roles.reader, column)


def _repeats(codes: Codes) -> bool:
    return len(np.unique(codes[codes >= 0])) < int(np.count_nonzero(codes >= 0))


def reading_problems(raw: RawTable, roles: Roles, used: Places) -> list[Problem]:
    """Cases that a reader read twice, or that are of two classes; one problem for each kind."""
    found = readings(raw, roles)
    if found is None or not len(used):
        return []
    problems = []
    reader, case = found.reader[used].astype(np.int64), found.case[used].astype(np.int64)
    first, again = _met_again(case * max(len(found.names), 1) + reader)
    if first is not None and again is not None:
        who = quoted(found.names[int(reader[again])])
        names = texts(raw, found.case_column)[1]
        told = f"{raw.row_name(int(used[first]))} and {raw.row_name(int(used[again]))}"
        problems.append(
            Problem(
                f"{who} read {found.case_column} {quoted(names[int(case[again])])} twice: {told}",
                "one row for each reader and case",
                raw.where(int(used[again])),
            )
        )
    truth = label_column(raw, roles.target).codes[used]
    place = np.full(int(case.max()) + 1, -1, np.int64)
    order = np.arange(len(case))[::-1]
    place[case[order]] = order  # the first row of each case
    other = np.flatnonzero(truth != truth[place[case]])
    if len(other):
        row, before = int(other[0]), int(place[case[other[0]]])
        names = texts(raw, found.case_column)[1]
        labels = label_column(raw, roles.target).labels
        told = f"{quoted(labels[int(truth[before])].text)} in {raw.row_name(int(used[before]))}"
        problems.append(
            Problem(
                f"{found.case_column} {quoted(names[int(case[row])])} is {told} and "
                f"{quoted(labels[int(truth[row])].text)} in {raw.row_name(int(used[row]))}",
                "one true class for each case",
                raw.where(int(used[row])),
            )
        )
    return problems


def _met_again(codes: Rows) -> tuple[int | None, int | None]:
    """The first entry whose value stood before, and where; None without any."""
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(np.diff(codes[order]) == 0)
    if not len(same):
        return None, None
    best = same[np.argmin(order[same + 1])]
    return int(order[best]), int(order[best + 1])
