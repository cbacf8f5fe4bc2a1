"""Who read which case: several readers of the same cases, a row for each reader and case."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import quoted
from evalreport.data.label_column import label_column, texts
from evalreport.data.roles import Roles
from evalreport.data.table import Codes, RawTable
from evalreport.errors import Problem

Rows = npt.NDArray[np.int64]


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


def reading_problems(raw: RawTable, roles: Roles, used: Rows) -> list[Problem]:
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
