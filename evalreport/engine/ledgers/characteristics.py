"""Table one: what the used rows are like, column by column and class by class."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.data.design import groups
from evalreport.data.findings import quoted
from evalreport.data.scores import numbers
from evalreport.data.table import RawTable
from evalreport.errors import Location, Problem, did_you_mean
from evalreport.predict.view import LabelView, View
from evalreport.results.records import (
    CategoryGroup,
    Characteristics,
    ClassRows,
    DescribedColumn,
    NumberGroup,
    ValueCount,
)
from evalreport.spec.load import LoadedSpec
from evalreport.statistics.exact_sums import exact_sum

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
            what = f"column {quoted(column)} of {raw.name} does not have single values"
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
    found: dict[tuple[Hashable, ...], tuple[_Rows, list[str]]] = {}
    for view in prepared.views:
        if view.dataset in prepared.tables:
            key = (view.dataset, view.row.tobytes(), view.truth.tobytes())
            # A row that was tested twice is described once.
            own = _rows_of(rows_once(view), prepared.tables[view.dataset])
            found.setdefault(key, (own, []))[1].append(view.model)
    return tuple(_record(prepared, rows, models, columns) for rows, models in found.values())


def rows_once(view: View) -> View:
    """The view with one entry of each row, good for what is told of rows."""
    entries = view.entries
    if entries is None or not isinstance(view, LabelView):
        return view
    return replace(view, row=view.row[entries], actual=view.actual[entries], fold=None)


@dataclass(frozen=True, eq=False)
class _Values:
    """One column of the used rows: where these stand in ``raw``, and of which class they are.

    ``classes`` gives the places among them of each class; a row with several labels stands with
    each. ``times``: how many rows each stands for.
    """

    raw: RawTable
    rows: Rows
    classes: tuple[tuple[str, Rows], ...]

    @property
    def times(self) -> Rows:
        often = self.raw.times
        return np.ones(len(self.rows), np.int64) if often is None else often[self.rows]


@dataclass(frozen=True, eq=False)
class _Rows:
    """The used rows of a dataset: how many, of each class too, and their columns."""

    dataset: str
    rows: int
    classes: tuple[tuple[str, int], ...]
    column: Callable[[str], _Values]


def _rows_of(view: View, raw: RawTable) -> _Rows:
    """Rows, or kinds of whole rows, that are held."""
    places = [np.flatnonzero(view.is_of(code)) for code in range(len(view.labels))]
    classes = tuple(zip(view.labels, places, strict=True))
    values = _Values(raw, np.asarray(view.row), classes)
    counts = tuple((label, int(values.times[at].sum())) for label, at in classes)
    return _Rows(view.dataset, view.rows, counts, lambda _: values)


def _record(
    prepared: Prepared, rows: _Rows, models: list[str], columns: tuple[str, ...]
) -> Characteristics:
    declared = prepared.loaded.spec.datasets[rows.dataset].types or {}
    return Characteristics(
        dataset=rows.dataset,
        models=tuple(models),
        rows=rows.rows,
        classes=tuple(ClassRows(label, count) for label, count in rows.classes),
        columns=tuple(
            _column(name, rows.column(name), declared.get(name) in {"text", "boolean"})
            for name in columns
        ),
    )


def _column(name: str, held: _Values, counted: bool) -> DescribedColumn:
    raw, rows, times = held.raw, held.rows, held.times
    places = [(None, np.arange(len(rows))), *held.classes]
    read = numbers(raw, name)
    values = read.values[rows]
    kind = raw.columns[name].kind
    several = len(np.unique(values[~np.isnan(values)])) > MOST_CODES
    if not counted and kind != "boolean" and not read.problems and several:
        numeric = tuple(_of_numbers(label, values[at], times[at]) for label, at in places)
        return DescribedColumn(name, "number", numeric)
    codes, names = groups(raw, name, rows)
    gaps = raw.columns[name].missing[rows]
    shown = _most_frequent(codes[~gaps], times[~gaps], names)
    words = tuple(
        _of_words(label, codes[at], gaps[at], times[at], names, shown) for label, at in places
    )
    return DescribedColumn(name, "category", words)


def _of_numbers(label: str | None, values: Floats, times: Rows) -> NumberGroup:
    """n, mean, standard deviation (n - 1), quartiles (type 7) and range of what is there."""
    known = ~np.isnan(values)
    there, often = values[known], times[known]
    n = int(often.sum())
    mean = sd = None
    quartiles: list[float | None] = [None] * 5
    if n:
        mean = exact_sum(there, often) / n
        squares = exact_sum((there - mean) ** 2, often)
        sd = math.sqrt(squares / (n - 1)) if n > 1 else None
        quartiles = [_quantile(there, often, share) for share in (0, 0.25, 0.5, 0.75, 1)]
    low, first, median, third, high = quartiles
    return NumberGroup(
        label=label,
        n=n,
        missing=int(times.sum()) - n,
        mean=mean,
        sd=sd,
        median=median,
        quartile_1=first,
        quartile_3=third,
        low=low,
        high=high,
    )


def _quantile(values: Floats, times: Rows, share: float) -> float:
    """The quantile of values that stand ``times`` times each, type 7 of Hyndman and Fan (1996)."""
    order = np.argsort(values)
    upto = np.cumsum(times[order])
    at = (int(upto[-1]) - 1) * share
    places = np.searchsorted(upto, [math.floor(at), math.ceil(at)], side="right")
    return float(np.quantile(values[order][places], at - math.floor(at)))


def _most_frequent(codes: Rows, times: Rows, names: tuple[str, ...]) -> list[int]:
    """Codes of the values counted by name, in the order of their names."""
    counts = np.bincount(codes, times, minlength=len(names))
    kept = sorted(np.flatnonzero(counts).tolist(), key=lambda code: (-counts[code], code))
    return sorted(kept[:MOST_VALUES])


def _of_words(
    label: str | None,
    codes: Rows,
    gaps: Rows,
    times: Rows,
    names: tuple[str, ...],
    shown: list[int],
) -> CategoryGroup:
    """Rows of each value, and n; values too many to be named are ``other``."""
    counts = np.bincount(codes[~gaps], times[~gaps], minlength=len(names))
    n = int(times[~gaps].sum())
    return CategoryGroup(
        label=label,
        n=n,
        missing=int(times.sum()) - n,
        values=tuple(ValueCount(names[code], int(counts[code])) for code in shown),
        other=n - sum(int(counts[code]) for code in shown),
    )
