"""Sets of labels in columns: one 0/1 column per label, or one column that lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import SHOWN_ROWS, quoted, rows_problem
from evalreport.data.labels import order_labels, written
from evalreport.data.table import Codes, Mask, RawTable
from evalreport.errors import Problem

Flags = npt.NDArray[np.bool_]

_TRUTH_VALUES = {"0": 0, "0.0": 0, "false": 0, "1": 1, "1.0": 1, "true": 1}
_NO_VALUE = ("", "nan")
#: Files whose empty cell may be an empty list: they cannot tell it from a missing one.
_DELIMITED = (".csv", ".csv.gz", ".tsv", ".tsv.gz")


@dataclass(frozen=True)
class FlagColumns:
    """One 0/1 column per label: ``columns`` maps each label to its column."""

    columns: Mapping[str, str]


@dataclass(frozen=True)
class ListColumn:
    """One column with the labels of a row, set apart by ``separator`` where it is text."""

    column: str
    separator: str


SetColumns: TypeAlias = FlagColumns | ListColumn


@dataclass(frozen=True, eq=False)
class LabelSetColumn:
    """The sets of all rows of a file.

    ``labels``: those the columns stand for, or those that occur in the lists, in order.
    ``flags``: shape (n, labels). ``missing``: which rows lack which column, by its name.
    ``empty``: rows of an empty cell that was taken for an empty list.
    """

    labels: tuple[str, ...]
    flags: Flags
    missing: tuple[tuple[str, Mask], ...]
    problems: tuple[Problem, ...] = ()
    empty: int = 0


def columns_of(source: SetColumns) -> tuple[str, ...]:
    """Every column that sets are read from."""
    return tuple(source.columns.values()) if isinstance(source, FlagColumns) else (source.column,)


def label_sets(table: RawTable, source: SetColumns) -> LabelSetColumn:
    """Read sets of labels, once per table and source.

    A 0/1 column holds 0, 1, false or true; no value is missing. A list is split at the
    separator, without the spaces around each label; a label named twice counts once. An
    empty cell of a csv or tsv file is the empty set; NULL in other formats is missing.
    """
    key = ("sets", columns_of(source), getattr(source, "separator", ""))
    if isinstance(source, FlagColumns):
        return table.once(("flags", tuple(source.columns.items())), lambda: _flags(table, source))
    return table.once(key, lambda: _lists(table, source))


def _flags(table: RawTable, source: FlagColumns) -> LabelSetColumn:
    flags = np.zeros((table.rows, len(source.columns)), np.bool_)
    missing, problems = [], []
    for place, column in enumerate(source.columns.values()):
        codes, values = table.columns[column].factorize()
        states = np.array([*(_truth_value(value) for value in values), -1], np.int8)[codes]
        flags[:, place] = states == 1
        missing.append((column, states == -1))
        wrong = np.flatnonzero(states == -2)
        if len(wrong):
            first = wrong[:SHOWN_ROWS].tolist()
            shown = [quoted(written(values[codes[row]]).text) for row in first]
            problems.append(
                rows_problem(
                    table,
                    f"{column} is neither 0 nor 1",
                    first,
                    "write 1 where the row has the label and 0 where not",
                    shown,
                    len(wrong),
                )
            )
    return LabelSetColumn(tuple(source.columns), flags, tuple(missing), tuple(problems))


def _truth_value(value: Any) -> int:
    """0 or 1, -1 where there is no value, -2 for anything else."""
    if isinstance(value, list):
        return -2
    text = written(value).text.casefold()
    return -1 if text in _NO_VALUE else _TRUTH_VALUES.get(text, -2)


def _lists(table: RawTable, source: ListColumn) -> LabelSetColumn:
    codes, values = table.columns[source.column].factorize()
    sets = [tuple(_labels_of(value, source.separator)) for value in values]
    labels = order_labels(label for one in sets for label in one if label)
    place = {label: number for number, label in enumerate(labels)}
    # One more line, without any label, so that -1 (missing) finds one.
    known = np.zeros((len(sets) + 1, len(labels)), np.bool_)
    for number, one in enumerate(sets):
        known[number, [place[label] for label in one if label]] = True
    blank = codes < 0
    delimited = table.name.lower().endswith(_DELIMITED)
    missing = np.zeros_like(blank) if delimited else blank
    return LabelSetColumn(
        labels,
        known[codes],
        ((source.column, missing),),
        _empty_labels(table, source, codes, sets),
        int(np.count_nonzero(blank)) if delimited else 0,
    )


def _labels_of(value: Any, separator: str) -> Iterator[str]:
    """The labels of one cell; a label without text comes out empty."""
    if isinstance(value, list):
        yield from (str(label) for label in value)
    elif isinstance(value, str):
        if value.strip():
            yield from (part.strip() for part in value.split(separator))
    else:
        yield written(value).text


def _empty_labels(
    table: RawTable, source: ListColumn, codes: Codes, sets: Sequence[tuple[str, ...]]
) -> tuple[Problem, ...]:
    wrong = np.array([*("" in one for one in sets), False], np.bool_)
    rows = np.flatnonzero(wrong[codes])
    if not len(rows):
        return ()
    instead = f"put {quoted(source.separator)} between two labels only"
    what = f"{source.column} lists a label without text"
    return (rows_problem(table, what, rows[:SHOWN_ROWS].tolist(), instead, count=len(rows)),)
