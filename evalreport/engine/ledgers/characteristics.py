"""Table one: what the used rows are like, column by column and class by class."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.data.design import groups
from evalreport.data.findings import quoted
from evalreport.data.scores import numbers
from evalreport.data.table import RawTable
from evalreport.errors import Location, Problem, did_you_mean
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import View
from evalreport.results.records import (
    CategoryGroup,
    Characteristics,
    ClassRows,
    DescribedColumn,
    NumberGroup,
    ValueCount,
)
from evalreport.spec.load import LoadedSpec

if TYPE_CHECKING:
    from evalreport.engine.prepared import Prepared

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[Any]

#: Values of a column of words that are counted by name; the rarest beyond it together.
MOST_VALUES = 20
#: A column of numbers with no more distinct values than this is a code and is counted.
MOST_CODES = 2


def characteristic_problems(loaded: LoadedSpec, name: str, raw: RawTable) -> list[Problem]:
    """A problem for each column to be described that a dataset does not have."""
    problems = []
    for number, column in enumerate(loaded.spec.report.characteristics):
        where = loaded.where(("report", "characteristics", number))
        if column not in raw.header:
            what = f"{raw.name} has no column {quoted(column)} (characteristics of {name})"
            problems.append(Problem(what, did_you_mean(column, raw.header, "columns"), where))
        elif column not in raw.columns or not raw.columns[column].single:
            what = f"column {quoted(column)} of {raw.name} does not hold single values"
            problems.append(Problem(what, "give text, numbers or booleans", _placed(where, raw)))
    return problems


def _placed(where: Location | None, raw: RawTable) -> Location:
    return where or Location(raw.name)


def characteristics(prepared: Prepared) -> tuple[Characteristics, ...] | None:
    """The records that describe rows; None where no column is named.

    One record for each dataset and each set of used rows, so that models which use the
    same rows share one. Weights are not used: rows are counted.
    """
    columns = prepared.loaded.spec.report.characteristics
    if not columns:
        return None
    found: dict[tuple[str, bytes, bytes], tuple[View, list[str]]] = {}
    for view in prepared.views:
        if view.dataset in prepared.tables:
            key = (view.dataset, view.row.tobytes(), view.actual.tobytes())
            # A row that was tested twice is described once.
            own = view if view.entries is None else rows_once(view, view.entries)
            found.setdefault(key, (own, []))[1].append(view.model)
    return tuple(_record(prepared, view, models, columns) for view, models in found.values())


def rows_once(view: View, entries: Rows) -> View:
    """The view with one entry of each row, good for what is told of rows."""
    return replace(view, row=view.row[entries], actual=view.actual[entries], fold=None)


def _record(
    prepared: Prepared, view: View, models: list[str], columns: tuple[str, ...]
) -> Characteristics:
    raw = prepared.tables[view.dataset]
    declared = prepared.loaded.spec.datasets[view.dataset].types or {}
    return Characteristics(
        dataset=view.dataset,
        models=tuple(models),
        rows=view.rows,
        classes=tuple(ClassRows(label, len(rows)) for label, rows in _classes(view)),
        columns=tuple(
            _column(raw, name, view, declared.get(name) in {"text", "boolean"}) for name in columns
        ),
    )


def _classes(view: View) -> Iterator[tuple[str, Rows]]:
    """Each class with the places of its rows; a row with several labels stands with each."""
    for code, label in enumerate(view.labels):
        if isinstance(view, SetView):
            yield label, np.flatnonzero(view.actual_sets[:, code])
        else:
            yield label, np.flatnonzero(view.actual == code)


def _column(raw: RawTable, name: str, view: View, counted: bool) -> DescribedColumn:
    rows = np.asarray(view.row)
    places = [(None, np.arange(len(rows))), *_classes(view)]
    read = numbers(raw, name)
    values = read.values[rows]
    kind = raw.columns[name].kind
    several = len(np.unique(values[~np.isnan(values)])) > MOST_CODES
    if not counted and kind != "boolean" and not read.problems and several:
        numeric = tuple(_of_numbers(label, values[at]) for label, at in places)
        return DescribedColumn(name, "number", numeric)
    codes, names = groups(raw, name, rows)
    gaps = raw.columns[name].missing[rows]
    shown = _most_frequent(codes[~gaps], names)
    words = tuple(_of_words(label, codes[at], gaps[at], names, shown) for label, at in places)
    return DescribedColumn(name, "category", words)


def _of_numbers(label: str | None, values: Floats) -> NumberGroup:
    """n, mean, standard deviation (n - 1), quartiles (type 7) and range of what is there."""
    there = values[~np.isnan(values)]
    n = len(there)
    mean = sd = None
    quartiles: list[float | None] = [None] * 5
    if n:
        mean = math.fsum(there) / n
        squares = math.fsum((value - mean) ** 2 for value in there.tolist())
        sd = math.sqrt(squares / (n - 1)) if n > 1 else None
        quartiles = np.quantile(there, [0, 0.25, 0.5, 0.75, 1]).tolist()
    low, first, median, third, high = quartiles
    return NumberGroup(
        label=label,
        n=n,
        missing=len(values) - n,
        mean=mean,
        sd=sd,
        median=median,
        quartile_1=first,
        quartile_3=third,
        low=low,
        high=high,
    )


def _most_frequent(codes: Rows, names: tuple[str, ...]) -> list[int]:
    """Codes of the values counted by name, in the order of their names."""
    counts = np.bincount(codes, minlength=len(names))
    kept = sorted(np.flatnonzero(counts).tolist(), key=lambda code: (-counts[code], code))
    return sorted(kept[:MOST_VALUES])


def _of_words(
    label: str | None, codes: Rows, gaps: Rows, names: tuple[str, ...], shown: list[int]
) -> CategoryGroup:
    """Rows of each value, and n; values too many to be named are ``other``."""
    counts = np.bincount(codes[~gaps], minlength=len(names))
    n = len(codes) - int(gaps.sum())
    return CategoryGroup(
        label=label,
        n=n,
        missing=len(codes) - n,
        values=tuple(ValueCount(names[code], int(counts[code])) for code in shown),
        other=n - sum(int(counts[code]) for code in shown),
    )
