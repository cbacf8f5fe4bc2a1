"""The labels that a dataset knows: those of all its rows, whether or not they are used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalreport.data.completeness import silent
from evalreport.data.label_column import LabelColumn, label_column
from evalreport.data.labels import Written, as_number, matcher
from evalreport.data.roles import Roles
from evalreport.data.table import Mask, RawTable


@dataclass(frozen=True)
class Labels:
    """The labels of a dataset by how surely they are classes.

    ``known``: of the truth, in two rows or in one of which the model says something, and of
    predictions. ``beside``: labels that stand beside scores. ``single``: of the truth, in one row
    of which the model says nothing, as in a line of totals.
    """

    known: tuple[Written, ...] = ()
    beside: tuple[Written, ...] = ()
    single: tuple[Written, ...] = ()

    def __add__(self, other: Labels) -> Labels:
        return Labels(
            (*self.known, *other.known),
            (*self.beside, *other.beside),
            (*self.single, *other.single),
        )


def labels_known(
    table: RawTable, roles: Roles, indeterminate: tuple[str, ...] = (), said: str | None = None
) -> Labels:
    """The labels of all rows; ``said``: the column of labels beside scores.

    A number that one row alone has, or the label of the last row, is no ``single`` label:
    either may be a total.
    """
    if any(column not in table.columns for _, column in roles.named()):
        return Labels()  # the check of the columns names them
    truth = label_column(table, roles.target)
    spoken, rows = _tallies(table, truth, ~silent(table, roles))
    known, single = [], []
    last = truth.codes[-1] if table.times is None and table.rows else None
    for code, label in enumerate(truth.labels):
        if spoken[code] or rows[code] > 1:
            known.append(label)
        elif table.times is None and code != last and as_number(label.text) is None:
            single.append(label)
    if roles.prediction is not None:
        find = matcher(indeterminate)
        predicted = label_column(table, roles.prediction).labels
        known += [label for label in predicted if find(label) not in indeterminate]
    there = said is not None and said in table.columns
    beside = label_column(table, str(said)).labels if there else ()
    return Labels(tuple(dict.fromkeys(known)), beside, tuple(single))


def _tallies(table: RawTable, column: LabelColumn, spoken: Mask) -> tuple[list[int], list[int]]:
    """Rows of each label, first those that the model speaks of, then all."""
    size, there = len(column.labels), ~column.missing
    often = np.ones(table.rows, np.int64) if table.times is None else table.times

    def tally(chosen: Mask) -> list[int]:
        counts: list[int] = np.bincount(column.codes[chosen], often[chosen], size).tolist()
        return counts

    return tally(there & spoken), tally(there)
