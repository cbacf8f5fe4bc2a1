"""Probabilities of all classes in one column: a list in each row, one number per class.

The list is that of Parquet, JSON lines or a frame, or text: ``[0.1, 0.9]``, with commas,
semicolons or spaces between the numbers. Its numbers are those of the classes in the
order of the dataset's ``labels``; where none are declared, of the classes in sorted order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from evalreport.data.findings import SHOWN_ROWS, quoted, rows_problem, some
from evalreport.data.label_column import label_column
from evalreport.data.labels import matcher, order_labels
from evalreport.data.roles import Roles, Rules
from evalreport.data.scores import number_of
from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import DataError, Problem

_BETWEEN = re.compile(r"[\s,;]+")
_BRACKETS = {"[": "]", "(": ")"}


def with_columns(raw: RawTable, roles: Roles, rules: Rules) -> tuple[RawTable, Roles]:
    """The table with one column of scores per class, and the roles that name them.

    Raises DataError with the rows whose list is none, or not one number per class.
    """
    column = roles.vector
    if column is None:
        return raw, roles
    labels = classes_of(raw, roles, rules)
    made = raw.once(("vector", column, labels), lambda: _columns(raw, column, labels))
    names = {label: one.name for label, one in zip(labels, made, strict=True)}
    columns = {**raw.columns, **{one.name: one for one in made}}
    header = tuple(dict.fromkeys((*raw.header, *names.values())))
    return (
        replace(raw, columns=columns, header=header, _kept={}),
        replace(roles, vector=None, scores=names),
    )


def classes_of(raw: RawTable, roles: Roles, rules: Rules) -> tuple[str, ...]:
    """The classes in the order of the numbers: as declared, else sorted."""
    named = [rules.positive["label"]] if isinstance(rules.positive, Mapping) else []
    truth = label_column(raw, roles.target).labels
    seen = map(matcher([*rules.declared, *named]), truth)
    others = set(named) | set(seen)
    if rules.declared:
        return (*rules.declared, *order_labels(others - set(rules.declared)))
    return order_labels(others)


def _columns(raw: RawTable, column: str, labels: tuple[str, ...]) -> tuple[RawColumn, ...]:
    """One column of numbers per class; a missing list, or number, is a missing score."""
    source = raw.columns[column]
    values = np.full((raw.rows, len(labels)), math.nan)
    wrong: dict[str, list[tuple[int, str]]] = {}
    for row in np.flatnonzero(~source.missing).tolist():
        found = _numbers(source.values[row])
        if isinstance(found, str):
            wrong.setdefault(found, []).append((row, quoted(str(source.values[row]))))
        elif found is not None and len(found) != len(labels):
            wrong.setdefault("length", []).append((row, str(len(found))))
        elif found is not None:
            values[row] = found
    if wrong:
        raise DataError(*_problems(raw, column, labels, wrong))
    return tuple(
        RawColumn(f"{column}[{label}]", "float64", own, np.isnan(own))
        for label, own in zip(labels, values.T.copy(), strict=True)
    )


def _numbers(cell: Any) -> list[float] | str | None:
    """The numbers of a cell, None for an empty one, or what it is instead."""
    if isinstance(cell, str):
        text = cell.strip()
        if text[:1] in _BRACKETS and text.endswith(_BRACKETS[text[0]]):
            text = text[1:-1].strip()
        if not text:
            return None
        cell = _BETWEEN.split(text)
    if not isinstance(cell, list):
        return "no list of numbers"
    numbers = [math.nan if part is None else number_of(part) for part in cell]
    if any(isinstance(number, str) for number in numbers):
        return "no list of numbers"
    return [float(number) for number in numbers]


def _problems(
    raw: RawTable,
    column: str,
    labels: tuple[str, ...],
    wrong: Mapping[str, list[tuple[int, str]]],
) -> list[Problem]:
    classes = some([quoted(label) for label in labels])
    found = []
    for kind, rows in wrong.items():
        what = f"{column} is {kind}"
        instead = "write [0.1, 0.9], one number per class"
        if kind == "length":
            what = f"{column} does not have {len(labels)} numbers, one for each class ({classes})"
            instead = "one number per class, in this order; classes that do not occur are declared"
            instead += " in the dataset's `labels`"
        first = rows[:SHOWN_ROWS]
        found.append(
            rows_problem(
                raw,
                what,
                [row for row, _ in first],
                instead,
                [text for _, text in first],
                len(rows),
            )
        )
    return found
