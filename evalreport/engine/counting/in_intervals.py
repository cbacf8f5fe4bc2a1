"""Columns of numbers put into intervals, or rounded, before rows are counted by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlglot import exp

from evalreport.data.scores import steps_of
from evalreport.engine.counting import queries
from evalreport.engine.counting.duckdb_rows import DuckDBRows
from evalreport.engine.counting.queries import Field, Tree
from evalreport.errors import DataError, Location, Problem

Edges = tuple[float, ...]


@dataclass(frozen=True)
class BinnedField(Field):
    """A column of numbers, each standing for its interval: by the lower edge of it.

    The first interval has none; any number below its end stands for it.
    """

    edges: Edges = ()

    @property
    def shown(self) -> str:
        return "DOUBLE"

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


@dataclass(frozen=True)
class RoundedField(Field):
    """A column of scores, each standing for the multiple of ``grain`` that is nearest."""

    grain: float = 1.0

    @property
    def shown(self) -> str:
        return "DOUBLE"

    @property
    def value(self) -> Tree:
        number, half = queries.read_number(Field(self.place, self.kind)), queries.literal("0.5")
        steps = steps_of(self.grain)
        if steps is None:
            grain = queries.literal(repr(self.grain))
            return exp.Floor(this=exp.paren(number / grain) + half) * grain
        each = queries.literal(repr(float(steps)))
        return exp.Floor(this=exp.paren(number * each) + half) / each

    @property
    def missing(self) -> Tree:
        return self.value.is_(exp.null())


def rounded_fields(rows: DuckDBRows, grains: Mapping[str, float]) -> dict[str, Field]:
    """The columns of scores, rounded. Raises DataError where one is no number."""
    plain = {name: rows.field(name) for name in _numeric(rows, grains)}
    return {name: RoundedField(one.place, one.kind, grains[name]) for name, one in plain.items()}


def interval_fields(rows: DuckDBRows, bins: Mapping[str, Edges]) -> dict[str, Field]:
    """The columns of numbers put into intervals. Raises DataError where one is no number."""
    plain = {name: rows.field(name) for name in _numeric(rows, bins)}
    return {name: BinnedField(one.place, one.kind, bins[name]) for name, one in plain.items()}


def _numeric(rows: DuckDBRows, asked: Mapping[str, Any]) -> list[str]:
    """Those of the columns that are there, all of whose values are numbers, or none."""
    own = [name for name in asked if name in rows.header]
    for name in own:
        wrong = queries.state(rows.field(name)).eq(queries.whole(queries.WRONG))
        if int(rows.ask(queries.how_many_rows(wrong))["n"][0]):
            raise DataError(
                Problem(
                    f"{name} is no finite number in some rows",
                    "give a number, or nothing",
                    Location(rows.name),
                )
            )
    return own
