"""Which rows are used, and for every other one the reason why not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import SHOWN_ROWS, rows_problem
from evalreport.data.label_column import label_column, texts
from evalreport.data.roles import Roles
from evalreport.data.scores import numbers, weights
from evalreport.data.table import Mask, RawTable
from evalreport.errors import Problem

_INSTEAD = "fill it in, or set `missing: exclude` to leave such rows out"


@dataclass(frozen=True, eq=False)
class Completeness:
    """``used``: indices of the rows that are used; ``excluded``: (reason, count), disjoint.

    A row is counted under the first reason that holds. ``problems``: rows that lack
    something, where that is not allowed.
    """

    used: npt.NDArray[np.int64]
    excluded: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]


def completeness(table: RawTable, roles: Roles, exclude: bool) -> Completeness:
    """Sort the rows of a table into used and excluded ones."""
    return accounted(table, _gaps(table, roles), roles.weight, exclude)


def accounted(
    table: RawTable, gaps: list[tuple[str, Mask]], weight: str | None, exclude: bool
) -> Completeness:
    """Rows by what they lack: ``gaps`` are reasons with the rows they hold for."""
    problems = (
        []
        if exclude
        else [
            rows_problem(table, reason, rows[:SHOWN_ROWS].tolist(), _INSTEAD, count=len(rows))
            for reason, mask in gaps
            if len(rows := np.flatnonzero(mask))
        ]
    )
    if weight is not None:
        gaps = [*gaps, ("weight is 0", weights(table, weight).values == 0)]
    free = np.ones(table.rows, np.bool_)
    excluded = []
    for reason, mask in gaps:
        count = int(np.count_nonzero(free & mask))
        if count:
            excluded.append((reason, count))
        free &= ~mask
    return Completeness(np.flatnonzero(free).astype(np.int64), tuple(excluded), tuple(problems))


def _gaps(table: RawTable, roles: Roles) -> list[tuple[str, Mask]]:
    """Reason and rows of everything a row may lack, in the order reasons are given."""
    gaps = [_empty(table, roles.target)]
    if roles.prediction is not None:
        gaps.append(_empty(table, roles.prediction))
    gaps += [
        (f"{column} is missing", numbers(table, column).missing)
        for column in (roles.score, roles.margin, *roles.scores.values(), roles.weight)
        if column is not None
    ]
    return gaps + design_gaps(table, roles)


def design_gaps(table: RawTable, roles: Roles) -> list[tuple[str, Mask]]:
    """Reason and rows that lack a cluster, a fold or an id."""
    return [
        (f"{column} is empty", texts(table, column)[0] < 0)
        for column in (roles.cluster, roles.fold, roles.id)
        if column is not None
    ]


def _empty(table: RawTable, column: str) -> tuple[str, Mask]:
    return f"{column} is empty", label_column(table, column).missing
