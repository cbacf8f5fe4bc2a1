"""Which rows are used, and of every other one: why not, and what is known of it all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.data.design import group_codes
from evalreport.data.findings import SHOWN_ROWS, rows_problem
from evalreport.data.label_column import label_column, texts
from evalreport.data.roles import Roles
from evalreport.data.sampling import unverified
from evalreport.data.scores import numbers, weights
from evalreport.data.table import PARTNER, Chosen, Codes, Mask, Places, RawTable
from evalreport.errors import Problem

#: The reason of rows that are not of the dataset.
NOT_SELECTED = "not selected"
_INSTEAD = "fill it in, or set `missing: exclude` to leave such rows out"


@dataclass(frozen=True, eq=False)
class Completeness:
    """``used``: indices of the rows that are used; ``excluded``: (reason, count), disjoint.

    A row is counted under the first reason that holds. ``problems``: rows that lack
    something, where that is not allowed.
    """

    used: Places
    excluded: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]

    def chosen(self, table: RawTable) -> Chosen:
        """The used rows as an index; where these are all rows of the table, nothing is copied."""
        return slice(None) if len(self.used) == table.rows else self.used


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
            rows_problem(
                table, reason, rows[:SHOWN_ROWS].tolist(), _INSTEAD, count=table.count(rows)
            )
            for reason, mask in gaps
            if len(rows := np.flatnonzero(mask))
        ]
    )
    if weight is not None:
        gaps = [*gaps, ("weight is 0", weights(table, weight).values == 0)]
    gaps = [*alone, *gaps]
    free = np.ones(table.rows, np.bool_)
    excluded = [(NOT_SELECTED, table.unselected)] if table.unselected else []
    for reason, mask in gaps:
        count = table.count(free & mask)
        if count:
            excluded.append((reason, count))
        free &= ~mask
    every = free.all()
    used = table.once("rows", lambda: _places(free)) if every else _places(free)
    return Completeness(used, tuple(excluded), tuple(problems))


def _places(free: Mask) -> Places:
    """Which rows are free, in half the memory where there are not thousands of millions."""
    places = np.flatnonzero(free)
    return places.astype(np.int32 if len(free) < 2**31 else np.int64)


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


Floats = npt.NDArray[np.float64]
Groups = Mapping[str, tuple[Codes, tuple[str, ...]]]


@dataclass(frozen=True, eq=False)
class Lost:
    """Rows without a target, or without what the model says of them; m kinds of them.

    ``row``: index of a row of each kind. ``weight``: how many there are, or their weight.
    ``actual`` and ``predicted``: codes as of the used rows, -1 where missing. ``score``:
    NaN where missing. ``groups``: codes of subgroup values among those of the used rows,
    -1 where no used row has the value. All of shape (m,).
    """

    row: Places
    weight: npt.NDArray[np.int64] | Floats
    actual: Codes
    predicted: Codes
    score: Floats
    groups: Mapping[str, Codes]


def lost_places(raw: RawTable, roles: Roles) -> npt.NDArray[np.int64]:
    """Rows that lack a target or what the model says; those of no known weight left out.

    Where rows have weights a kind of rows stands there as often as there are rows of it.
    """
    gone = label_column(raw, roles.target).missing | silent(raw, roles)
    if roles.weight is not None:
        weight = weights(raw, roles.weight)
        gone = gone & ~weight.missing & (weight.values > 0)
    places = np.flatnonzero(gone).astype(np.int64)
    if roles.weight is None or raw.times is None:
        return places
    return np.repeat(places, raw.times[places])


def silent(raw: RawTable, roles: Roles) -> Mask:
    """Rows of which the model says nothing."""
    gone = np.zeros(raw.rows, np.bool_)
    if roles.vector is not None:
        gone |= raw.columns[roles.vector].missing
    if roles.prediction is not None:
        gone |= label_column(raw, roles.prediction).missing
    for column in (roles.score, roles.margin, *roles.scores.values()):
        if column is not None:
            gone |= numbers(raw, column).missing
    return gone


def lost_rows(
    raw: RawTable,
    roles: Roles,
    places: npt.NDArray[np.int64],
    codes: tuple[Codes, Codes | None],
    groups: Groups,
    labels: tuple[str, ...],
    positive: int | None,
) -> Lost:
    """What is known of the rows at ``places``; ``codes`` of their targets and predictions."""
    actual, predicted = codes
    score = np.full(len(places), np.nan)
    single = roles.score or roles.margin
    if roles.scores and all(label in roles.scores for label in labels):
        columns = [numbers(raw, roles.scores[label]).values[places] for label in labels]
        gone = silent(raw, roles)[places]
        if len(labels) <= 2:
            own = columns[positive if positive is not None else len(labels) - 1]
            score = np.where(gone, np.nan, own)
        else:
            largest = np.stack(columns, axis=1).argmax(axis=1)
            predicted = np.where(gone, -1, largest).astype(np.int32)
    elif single is not None:
        column = numbers(raw, single)
        score = np.where(column.missing, np.nan, column.values)[places]
    return Lost(
        row=places,
        weight=_often(raw, places)
        if roles.weight is None
        else weights(raw, roles.weight).values[places],
        actual=actual,
        predicted=np.full(len(places), -1, np.int32) if predicted is None else predicted,
        score=score,
        groups={
            column: group_codes(raw, column, places, names) for column, (_, names) in groups.items()
        },
    )


def _often(raw: RawTable, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.ones(len(places), np.int64) if raw.times is None else raw.times[places]


def joined(one: Lost | None, other: Lost) -> Lost:
    """The rows of both."""
    if one is None:
        return other

    return Lost(
        row=np.concatenate([one.row, other.row]),
        weight=np.concatenate([one.weight, other.weight]),
        actual=np.concatenate([one.actual, other.actual]),
        predicted=np.concatenate([one.predicted, other.predicted]),
        score=np.concatenate([one.score, other.score]),
        groups={
            column: np.concatenate([codes, other.groups[column]])
            for column, codes in one.groups.items()
        },
    )
