"""The labels that a dataset knows: those of all its rows, whether or not they are used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalreport.data.completeness import silent
from evalreport.data.label_column import LabelColumn, called, label_column
from evalreport.data.labels import Written, as_number, matcher, names_totals
from evalreport.data.roles import Roles
from evalreport.data.table import Mask, RawTable
from evalreport.statistics.numbering import unless_once


@dataclass(frozen=True)
class Labels:
    """The labels of a dataset by how surely they are classes.

    ``known``: of the truth, in two rows or in one of which the model says something, and of
    predictions. ``beside``: labels that stand beside scores. ``single``: of the truth, in one row
    of which the model says nothing, as in a line of totals. ``totals``: what lines of totals are
    called of which the model says something, so that they would be used as rows. ``elsewhere``: of
    the truth in rows of the file that are not of the dataset. ``headed``: whether the names of the
    columns stand among the rows.
    """

    known: tuple[Written, ...] = ()
    beside: tuple[Written, ...] = ()
    single: tuple[Written, ...] = ()
    totals: tuple[Written, ...] = ()
    elsewhere: tuple[Written, ...] = ()
    headed: bool = False

    def __add__(self, other: Labels) -> Labels:
        return Labels(
            (*self.known, *other.known),
            (*self.beside, *other.beside),
            (*self.single, *other.single),
            (*self.totals, *other.totals),
            (*self.elsewhere, *other.elsewhere),
            self.headed or other.headed,
        )


def labels_known(
    table: RawTable, roles: Roles, indeterminate: tuple[str, ...] = (), said: str | None = None
) -> Labels:
    """The labels of all rows; ``said``: the column of labels beside scores.

    A number that one row alone has, or the label of the last row, is no ``single`` label:
    either may be a total. What names a line of totals is no label at all, nor is what stands
    beside it in the column of predictions. A class that is called so and has half of all rows
    cannot be told from one and is declared.
    """
    if any(column not in table.columns for _, column in roles.named()):
        return Labels()  # the check of the columns names them
    truth = label_column(table, roles.target)
    spoken, rows = _tallies(table, truth, ~silent(table, roles))
    known, single = [], []
    all_rows = sum(rows)
    totals = [_is_line_of_totals(*one, all_rows) for one in zip(truth.labels, rows, strict=True)]
    last = truth.codes[-1] if table.times is None and table.rows else None
    for code, label in enumerate(truth.labels):
        if totals[code]:
            continue
        if spoken[code] or rows[code] > 1:
            known.append(label)
        elif table.times is None and code != last and as_number(label.text) is None:
            single.append(label)
    if roles.prediction is not None:
        find = matcher(indeterminate)
        column = label_column(table, roles.prediction)
        # code -1, of a row without a label, is the last place
        often, _ = _tallies(table, column, ~np.array([*totals, False])[truth.codes])
        predicted = (label for label, n in zip(column.labels, often, strict=True) if n)
        known += [label for label in predicted if find(label) not in indeterminate]
    there = said is not None and said in table.columns
    beside = label_column(table, str(said)).labels if there else ()
    lines = [label for k, label in enumerate(truth.labels) if totals[k] and spoken[k]]
    others = tuple(map(called(table), table.elsewhere))
    headed = _repeats_header(table, roles)
    return Labels(tuple(dict.fromkeys(known)), beside, tuple(single), tuple(lines), others, headed)


def _repeats_header(table: RawTable, roles: Roles) -> bool:
    """Whether a row has in every column that is used the column's name, as joined files have."""
    there = np.ones(table.rows, np.bool_)
    used = [table.columns[column] for _, column in roles.named()]
    for column in used:
        if not column.of_objects or not column.single or not there.any():
            return False
        codes, values = column.factorize()
        there &= codes == (values.index(column.name) if column.name in values else len(values))
    return len(used) > 1 and bool(there.any())


def _is_line_of_totals(label: Written, rows: int, all_rows: int) -> bool:
    """Whether a label names totals, in a line or two, or in a line that counts all others."""
    return names_totals(label.text) and (rows <= 2 or 2 * rows == all_rows)


def _tallies(table: RawTable, column: LabelColumn, spoken: Mask) -> tuple[list[int], list[int]]:
    """Rows of each label, first those that the model speaks of, then all."""
    size, there = len(column.labels), ~column.missing

    times = unless_once(table.times)

    def tally(chosen: Mask) -> list[int]:
        often = None if times is None else times[chosen]
        counts: list[int] = np.bincount(column.codes[chosen], often, size).tolist()
        return counts

    return tally(there & spoken), tally(there)
