"""Columns of numbers counted by the intervals they lie in, whatever engine counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sqlglot import exp

from evalreport.data.table import RawColumn
from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import Columns, CountedRows
from evalreport.engine.counting.queries import Field, Tree
from evalreport.errors import DataError, Location, Problem
from evalreport.values import dataclass

Edges = tuple[float, ...]


@dataclass(frozen=True)
class BinnedField(Field):
    """A column of numbers, each standing for its interval: by the lower edge of it.

    The first interval has none; any number below its end stands for it.
    """

    edges: Edges = ()

    @property
    def value(self) -> Tree:
        number = queries.read_number(Field(self.place, self.kind))
        below = float(np.nextafter(self.edges[0], -np.inf))
        case = exp.Case()
        for edge in reversed(self.edges):
            case = case.when(number >= queries.literal(repr(edge)), queries.literal(repr(edge)))
        return case.when(
            number < queries.literal(repr(self.edges[0])), queries.literal(repr(below))
        )

    @property
    def missing(self) -> Tree:
        return self.value.is_(exp.null())


class InIntervals:
    """Rows of an engine, some of whose columns are put into intervals."""

    def __init__(self, rows: CountedRows, bins: Mapping[str, Edges]) -> None:
        self._rows, self._bins = rows, bins
        self.name, self.header, self.times = rows.name, rows.header, rows.times
        self.binned = rows.binned

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self._rows.rows)  # type: ignore[attr-defined]

    def field(self, column: str) -> Field:
        found = self._rows.field(column)
        if column not in self._bins:
            return found
        return BinnedField(found.place, found.kind, self._bins[column])

    def ask(self, query: exp.Select) -> Columns:
        return self._rows.ask(query)

    def column(self, name: str, kind: str, values: Any) -> RawColumn:
        if name not in self._bins:
            return self._rows.column(name, kind, values)
        gaps = np.ma.getmaskarray(values)
        plain = np.where(gaps, np.nan, np.ma.getdata(values).astype(np.float64))
        return RawColumn(name, "float64", plain, gaps | np.isnan(plain))


def in_intervals(rows: CountedRows, bins: Mapping[str, Edges]) -> CountedRows:
    """The rows with numbers put into intervals. Raises DataError where one is no number."""
    own = {name: edges for name, edges in bins.items() if name in rows.header}
    for name in own:
        field = rows.field(name)
        wrong = queries.how_many(
            [exp.Literal.number(1)], queries.state(field).eq(exp.Literal.number(queries.WRONG))
        )
        if int(rows.ask(wrong)["n"][0]):
            raise DataError(
                Problem(
                    f"{name} is no finite number in some rows",
                    "give a number, or nothing",
                    Location(rows.name),
                )
            )
    return InIntervals(rows, own) if own else rows
