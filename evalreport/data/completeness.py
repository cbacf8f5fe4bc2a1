"""Which rows are used, and for every other one the reason why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import SHOWN_ROWS, rows_problem
from evalreport.data.label_column import label_column, texts
from evalreport.data.roles import Roles
from evalreport.data.sampling import unverified
from evalreport.data.scores import numbers, weights
from evalreport.data.table import PARTNER, Mask, RawTable
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
    apart = [] if roles.sampling is None else unverified(table, roles)
    return accounted(table, _gaps(table, roles), roles.weight, exclude, apart)


def complete_but_for_labels(table: RawTable, roles: Roles) -> Mask:
    """The rows that lack nothing but perhaps a target."""
    lacking = np.zeros(table.rows, np.bool_)
    for _, mask in (*_partnerless(table), *_gaps(table, roles)[1:]):
        lacking |= mask
    return ~lacking


def accounted(
    table: RawTable,
    gaps: list[tuple[str, Mask]],
    weight: str | None,
    exclude: bool,
    unknown: Sequence[tuple[str, Mask]] = (),
) -> Completeness:
    """Rows by what they lack: ``gaps`` are reasons with the rows they hold for.

    ``unknown``: reasons that are no mistake, as that nobody verified a row.
    """
    alone = [*_partnerless(table), *unknown]
    apart = np.zeros(table.rows, np.bool_)
    for _, mask in alone:
        apart |= mask
    if alone:
        gaps = [(reason, mask & ~apart) for reason, mask in gaps]
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
    gaps = [*alone, *gaps]
    free = np.ones(table.rows, np.bool_)
    excluded = []
    for reason, mask in gaps:
        count = int(np.count_nonzero(free & mask))
        if count:
            excluded.append((reason, count))
        free &= ~mask
    return Completeness(np.flatnonzero(free).astype(np.int64), tuple(excluded), tuple(problems))


def _partnerless(table: RawTable) -> list[tuple[str, Mask]]:
    """Reason and rows that only one of two joined files has: never a mistake, always counted."""
    if PARTNER not in table.columns:
        return []
    codes, names = table.columns[PARTNER].factorize()
    return [(name, codes == names.index(name)) for name in sorted(names)]


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
    """Reason and rows that lack a cluster, a fold, an id, a reader or a case."""
    columns = dict.fromkeys((roles.cluster, roles.fold, roles.id, roles.reader, roles.case))
    return [
        (f"{column} is empty", texts(table, column)[0] < 0)
        for column in columns
        if column is not None
    ]


def _empty(table: RawTable, column: str) -> tuple[str, Mask]:
    return f"{column} is empty", label_column(table, column).missing
