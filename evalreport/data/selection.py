"""Which rows of a file are those of a dataset, by the values of some of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import quoted, some
from evalreport.data.label_column import label_column
from evalreport.data.labels import Written, matcher, names_totals
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Location, Problem, did_you_mean


def selected(
    table: RawTable, where: Mapping[str, tuple[str, ...]], target: str | None = None
) -> RawTable:
    """The rows whose columns have one of the values given.

    How many others there are is kept, and which labels in ``target`` at least two of them have.

    Values are matched as labels are: a stored number by its value, text by itself. Raises
    DataError for a column that is not there, for a value that no row has, and where no row is
    left.

    >>> from evalreport.data.frames import read_frame
    >>> rows = read_frame({"part": ["test", "train", "test"]}, "rows")
    >>> found = selected(rows, {"part": ("test",)})
    >>> found.rows, found.unselected, found.row_name(1)
    (2, 1, 'row 3')
    """
    if not where:
        return table
    problems = [problem for column in where for problem in _problems(table, column, where[column])]
    if problems:
        raise DataError(*problems)
    chosen = np.ones(table.rows, np.bool_)
    for column, values in where.items():
        chosen &= _has(table, column, values)
    places = np.flatnonzero(chosen)
    if not len(places):
        told = " and ".join(
            f"{column}: {some([quoted(v) for v in where[column]])}" for column in where
        )
        what = f"no row is selected by where ({told})"
        raise DataError(Problem(what, "values that occur together in a row", Location(table.name)))
    return replace(
        table,
        rows=len(places),
        columns={name: one.at(places) for name, one in table.columns.items()},
        kind=places if table.kind is None else table.kind[places],
        times=None if table.times is None else table.times[places],
        unselected=table.unselected + table.count(~chosen),
        elsewhere=_labels(table, target, ~chosen),
        _kept={},
    )


def _labels(
    table: RawTable, target: str | None, others: npt.NDArray[np.bool_]
) -> tuple[Written, ...]:
    """The labels that two or more of the other rows have; what is in one alone may be a mistake."""
    if target is None or target not in table.columns or not table.columns[target].single:
        return ()
    column = label_column(table, target)
    rows = (table.count(others & (column.codes == code)) for code in range(len(column.labels)))
    return tuple(
        label
        for label, often in zip(column.labels, rows, strict=True)
        if often > 1 and not names_totals(label.text)
    )


def _problems(table: RawTable, column: str, values: tuple[str, ...]) -> list[Problem]:
    if column not in table.columns:
        what = f"no column {quoted(column)}, which where selects rows by"
        hint = did_you_mean(column, table.header, "columns")
        return [Problem(what, hint, Location(table.name))]
    if not table.columns[column].single:
        what = f"column {quoted(column)} does not have single values, and where selects rows by it"
        return [Problem(what, "a column of text or numbers", Location(table.name))]
    find = matcher(values)
    there = [label.text for label in label_column(table, column).labels]
    found = {find(label) for label in label_column(table, column).labels}
    return [
        Problem(
            f"no row has {quoted(value)} in {quoted(column)}, which where asks for",
            did_you_mean(value, there, "values"),
            Location(table.name),
        )
        for value in values
        if value not in found
    ]


def _has(table: RawTable, column: str, values: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """Which rows have one of the values, shape (n,)."""
    labels, find = label_column(table, column), matcher(values)
    matches = np.array([*(find(label) in values for label in labels.labels), False], np.bool_)
    return np.asarray(matches[labels.codes])
