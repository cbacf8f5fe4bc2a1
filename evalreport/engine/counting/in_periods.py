"""Columns of dates counted by the period they lie in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from evalreport.engine.counting import queries
from evalreport.engine.counting.calendar import period_name
from evalreport.engine.counting.duckdb_rows import DuckDBRows
from evalreport.engine.counting.queries import Field, Tree
from evalreport.errors import DataError, Location, Problem

#: A date, and a time of day behind it, as ISO 8601 and as databases write them. Whether the
#: day is one of the calendar is seen where its period is found.
_TIME = (
    r"[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?"
    r"(Z|[+-]([01][0-9]|2[0-3])(:[0-5][0-9])?)?"
)
_MOMENT = rf"\A[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}({_TIME})?\z"
#: Letters of a day, and of the month and the year at its beginning.
_LETTERS = {"day": 10, "month": 7, "year": 4}


@dataclass(frozen=True)
class PeriodField(Field):
    """A column of dates, each standing for its period: by the name of it.

    ``ends``: the last day of each period that occurs, in order, with its name.
    """

    every: str = "day"
    ends: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        return "VARCHAR"

    @property
    def written(self) -> Tree:
        """The dates as text."""
        plain = Field(self.place, self.kind).text
        return plain if self.kind in ("VARCHAR", "JSON") else exp.cast(plain, "varchar")

    @property
    def day(self) -> Tree:
        """The first letters, which are the day."""
        return self._first(_LETTERS["day"])

    @property
    def value(self) -> Tree:
        if self.every in _LETTERS:
            return self._first(_LETTERS[self.every])
        case = exp.Case()
        for last, name in self.ends:
            case = case.when(self.day <= exp.Literal.string(last), exp.Literal.string(name))
        return case if self.ends else exp.cast(exp.null(), "varchar")

    @property
    def missing(self) -> Tree:
        return exp.column(f"c{self.place}", quoted=True).is_(exp.null())

    @property
    def empty(self) -> Tree:
        return self.missing

    @property
    def text(self) -> Tree:
        return self.value

    def _first(self, letters: int) -> Tree:
        one, most = exp.Literal.number(1), exp.Literal.number(letters)
        return exp.func("SUBSTR", self.written, one, most)


def period_fields(rows: DuckDBRows, asked: Mapping[str, str]) -> dict[str, Field]:
    """The columns of dates put into periods; ``asked``: the length of period by column.

    Raises DataError where something else than a date stands in such a column.
    """
    return {name: _field(rows, name, every) for name, every in asked.items() if name in rows.header}


def _field(rows: DuckDBRows, name: str, every: str) -> PeriodField:
    plain = rows.field(name)
    field = PeriodField(plain.place, plain.kind, every)
    there = exp.not_(field.missing)
    moment = exp.RegexpLike(this=field.written, expression=exp.Literal.string(_MOMENT))
    wrong = queries.how_many([exp.Literal.number(1)], exp.and_(there, exp.not_(moment)))
    if int(rows.ask(wrong)["n"][0]):
        raise _no_dates(rows.name, name)
    days = sorted(np.ma.getdata(rows.ask(queries.kinds([field.day], there))["k0"]).tolist())
    ends: dict[str, str] = {}
    for day in days:
        try:
            ends[period_name(day, every)] = day
        except ValueError:
            raise _no_dates(rows.name, name) from None
    return PeriodField(
        plain.place, plain.kind, every, tuple((last, one) for one, last in ends.items())
    )


def _no_dates(name: str, column: str) -> DataError:
    hint = "ISO 8601, such as 2026-11-21 or 2026-11-21T06:00:00"
    return DataError(Problem(f"{column} is no date in some rows", hint, Location(name)))
