"""Rows that are left out because something is missing: what is known of them all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.data.design import group_codes
from evalreport.data.label_column import label_column
from evalreport.data.roles import Roles
from evalreport.data.scores import numbers, weights
from evalreport.data.table import Codes, Mask, RawTable

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

    row: npt.NDArray[np.int64]
    weight: npt.NDArray[np.int64] | Floats
    actual: Codes
    predicted: Codes
    score: Floats
    groups: Mapping[str, Codes]


def lost_places(raw: RawTable, roles: Roles) -> npt.NDArray[np.int64]:
    """Rows that lack a target or what the model says; those of no known weight left out."""
    gone = label_column(raw, roles.target).missing | _silent(raw, roles)
    if roles.weight is not None:
        weight = weights(raw, roles.weight)
        gone = gone & ~weight.missing & (weight.values > 0)
    return np.flatnonzero(gone).astype(np.int64)


def _silent(raw: RawTable, roles: Roles) -> Mask:
    """Rows of which the model says nothing."""
    gone = np.zeros(raw.rows, np.bool_)
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
        silent = _silent(raw, roles)[places]
        if len(labels) <= 2:
            own = columns[positive if positive is not None else len(labels) - 1]
            score = np.where(silent, np.nan, own)
        else:
            largest = np.stack(columns, axis=1).argmax(axis=1)
            predicted = np.where(silent, -1, largest).astype(np.int32)
    elif single is not None:
        column = numbers(raw, single)
        score = np.where(column.missing, np.nan, column.values)[places]
    return Lost(
        row=places,
        weight=np.ones(len(places), np.int64)
        if roles.weight is None
        else weights(raw, roles.weight).values[places],
        actual=actual,
        predicted=np.full(len(places), -1, np.int32) if predicted is None else predicted,
        score=score,
        groups={
            column: group_codes(raw, column, places, names) for column, (_, names) in groups.items()
        },
    )


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
