"""Kinds of rows that a database counts, or its rows one by one, in one canonical form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.data.source import Source
from evalreport.data.table import PARTNER, RawColumn, RawTable
from evalreport.engine.calendar import period_name
from evalreport.engine.databases.query_text import (
    MOST,
    Column,
    count_query,
    kinds_query,
    rows_query,
    twice_query,
)
from evalreport.engine.databases.sessions import Address, Session, database
from evalreport.engine.databases.wanted import NotPlainError, TooManyKindsError, Wanted
from evalreport.errors import DataError, Location, Problem
from evalreport.spec.datasets import Query
from evalreport.statistics.numbering import in_order


class Kinds(NamedTuple):
    """Kinds of rows, and how many rows they were counted from."""

    table: RawTable
    rows: int


def counted_kinds(found: Session, source: Source, wanted: Wanted) -> Kinds:
    """The kinds of the rows of a session, in an order that follows from what they hold.

    Columns that are not there are left out: who needs them says so. The hash of the table is that
    of its kinds, the same for whatever database counts them.

    Raises DataError for a value of a period that is no date, one of an interval that is no
    number, a type that is not counted and an id that is not unique; TooManyKindsError for kinds
    beyond the room; NotPlainError where rows do not give the number of rows they represent.
    """
    held = KindsQuery(found, source.name, wanted).counted()
    times = held.pop().values.astype(np.int64, copy=False)
    in_database = found.size is None
    rows = int(times.sum()) if found.size is None else found.size
    if not rows:
        raise no_rows(source)
    if wanted.count in found.header:
        times = _represented(times, held.pop())
    taken, times, sha256 = canonical(held, times, hashed=in_database)
    if in_database:
        wanted.watch.seen(rows, rows)
    kept = {one.name: one for one in taken}
    return Kinds(RawTable(source.name, len(times), found.header, kept, sha256, times=times), rows)


def _represented(times: npt.NDArray[np.int64], each: RawColumn) -> npt.NDArray[np.int64]:
    """How many rows are of each kind, of which every row read stands for ``each``.

    Raises NotPlainError for what is no number of rows: reading names each.
    """
    values = np.where(each.missing, -1.0, each.values)
    wrong = (values < 0) | (values > MOST) | (values != np.floor(values))
    if wrong.any() or not 0 < (times * values).sum() <= MOST:
        raise NotPlainError("rows do not give the number of rows they represent")
    return times * values.astype(np.int64)


def read_query(
    source: Source, query: Query, columns: Collection[str] | None, memory: int
) -> RawTable:
    """The asked columns (default all) of the rows that a query gives, one by one.

    Rows come in the order the database gives them; results do not depend on it. The table of a
    source behind an address has the hash of their kinds. Raises as ``database``, and DataError
    for a type that is not read.
    """
    with database(source, query, memory) as found:
        kept = [name for name in found.header if columns is None or name in columns]
        of_columns = KindsQuery(found, source.name, Wanted(tuple(kept), query=query))
        values = [of_columns.plain(name) for name in kept]
        held = found.fetch(rows_query(found.rows, values), kept or ["n"])
    if not len(held[0].values):
        raise no_rows(source)
    rows = len(held[0].values)
    held = held if kept else []
    addressed = isinstance(source, Address)
    sha256 = canonical([*held], np.ones(rows, np.int64))[2] if addressed else source.sha256
    read = {one.name: one for one in held}
    return RawTable(source.name, rows, found.header, read, sha256)


def no_rows(source: Source) -> DataError:
    """The error for a query without rows."""
    return DataError(
        Problem("the query gives no rows", "one that gives some", Location(source.name))
    )


class KindsQuery:
    """The query of the kinds that are wanted of a session; problems are reported at ``name``."""

    def __init__(self, found: Session, name: str, wanted: Wanted) -> None:
        self._session, self._name, self._wanted = found, name, wanted
        self._dialect = found.dialect
        self._columns = {column.name: column for column in found.columns}

    def parts(self) -> dict[str, str]:
        """The columns that are there, and what rows are told apart by in each; counts are last.

        Raises DataError for what is no date, number or score where one is wanted, and for an id
        that stands in several rows.
        """
        wanted, names = self._wanted, (*self._wanted.columns, PARTNER)
        others = [c for c in names if c in self._columns and c not in (wanted.id, wanted.count)]
        found = {name: self._value(name) for name in others}
        if wanted.id is not None and wanted.id in self._columns:
            found[wanted.id] = self._identified(wanted.id)
        if wanted.count is not None and wanted.count in self._columns:
            found[wanted.count] = self._dialect.as_number(self._column(wanted.count))
        return found

    def _value(self, name: str) -> str:
        """What rows are told apart by in a column: its values, periods or intervals."""
        if name in self._wanted.periods:
            return self._dialect.day(self._column(name))
        if name in self._wanted.intervals or name in self._wanted.grains:
            column = self._column(name)
            self._check_numbers(column)
            if name in self._wanted.intervals:
                return self._dialect.lower_edge(column, self._wanted.intervals[name])
            return self._dialect.rounded(column, self._wanted.grains[name])
        return self.plain(name)

    def plain(self, name: str) -> str:
        """The values of a column."""
        column = self._column(name)
        return column.plain or self._dialect.value(column)

    def _identified(self, name: str) -> str:
        """The same text for every row that has an id."""
        column = self._column(name)
        if not self._wanted.repeats:
            asked = twice_query(self._dialect, self._session.rows, column, self._session.times)
            value, count = self._session.fetch(asked, [name, "n"])
            for one, n in zip(value.values.tolist(), count.values.tolist(), strict=True):
                what = f"{name} is not unique: {one!r} is in {int(n)} rows"
                raise self._wrong(what, "give each row its own id")
        return f"CASE WHEN {self._dialect.empty(column)} THEN NULL ELSE 'id' END"

    def select(self) -> tuple[list[str], str]:
        """The columns of the kinds, and the query of these and ``n``. Raises as ``parts``."""
        parts, session = self.parts(), self._session
        return [*parts], kinds_query(self._dialect, session.rows, [*parts.values()], session.times)

    def counted(self) -> list[RawColumn]:
        """The columns of the kinds, that of counts and ``n``. Raises TooManyKindsError."""
        names, text = self.select()
        most = self._wanted.most_kinds(len(names))
        found = self._session.fetch(f"{text} LIMIT {most + 1}", [*names, "n"])
        if len(found[-1].values) > most:
            raise TooManyKindsError([name for name in names if name != self._wanted.id], most)
        periods = self._wanted.periods
        return [self._in_periods(one) if one.name in periods else one for one in found]

    def _column(self, name: str) -> Column:
        found = self._columns[name]
        if found.kind is None:
            what = f"{name} is of a type that is not taken from a database: {found.type}"
            raise self._wrong(what, "text, numbers, booleans or dates: a CAST in the query")
        return found

    def _in_periods(self, column: RawColumn) -> RawColumn:
        """The periods of a column of days."""
        codes, days = column.factorize()
        try:
            names = [period_name(day, self._wanted.periods[column.name]) for day in days]
        except ValueError:
            hint = "ISO 8601, such as 2026-11-21 or 2026-11-21T06:00:00"
            raise self._wrong(f"{column.name} is not a date in some rows", hint) from None
        return replace(column, values=np.array([*names, ""], object)[codes])

    def _check_numbers(self, column: Column) -> None:
        """Raise DataError where a column holds what is no number."""
        wrong = self._dialect.no_number(column)
        (found,) = self._session.fetch(count_query(self._session.rows, wrong), ["n"])
        if found.values[0]:
            what = f"{column.name} is not a finite number in some rows"
            raise self._wrong(what, "give a number, or nothing")

    def _wrong(self, what: str, instead: str) -> DataError:
        return DataError(Problem(what, instead, Location(self._name)))


# ------------------------------------------------------------------ canonical kinds


def canonical(
    columns: list[RawColumn], times: npt.NDArray[np.int64], *, hashed: bool = True
) -> tuple[list[RawColumn], npt.NDArray[np.int64], str | None]:
    """Kinds in an order that follows from what they hold, each once, and the hash of them.

    A column without any value is one of text; -0.0 is 0.0; kinds of no rows are left out. Where
    they are not ``hashed`` they come by their scores first: what is then sorted by score, or
    counted at each, is read in one direction. ``columns`` is emptied as its columns are taken.

    >>> one = RawColumn("y", "text", np.array(["b", "a", "b"], object), np.zeros(3, bool))
    >>> (found,), counts, _ = canonical([one], np.array([1, 2, 3]))
    >>> found.values.tolist(), counts.tolist()
    (['a', 'b'], [2, 4])
    """
    columns.sort(key=lambda one: (not hashed and not one.kind.startswith("float"), one.name))
    kept = np.flatnonzero(times)
    for i, column in enumerate(columns):
        columns[i] = _plain(column if len(kept) == len(times) else column.at(kept))
    times = times[kept]
    codes, told = _codes_of(columns, len(times), hashed=hashed)
    chosen, times = _each_once(codes, times)
    digest = hashlib.sha256(json.dumps(told).encode())
    while codes:
        if hashed:
            digest.update(codes[0][chosen].astype("<i8").tobytes())
        del codes[0]
    if times.max() == 1:
        times = np.broadcast_to(np.int64(1), times.shape)  # which takes no memory
    digest.update(times.astype("<i8").tobytes())
    found = []
    while columns:
        found.append(columns.pop().at(chosen))
    return found, times, digest.hexdigest() if hashed else None


def _codes_of(
    columns: list[RawColumn], rows: int, *, hashed: bool
) -> tuple[list[npt.NDArray[np.int32]], list[list[Any]]]:
    """The place of each row's value in each column, and what the hash tells of the columns.

    Without a hash no column is looked at behind one that tells all rows apart, as scores do.
    """
    codes, told = [], list[list[Any]]()
    for column in columns:
        code, distinct = _ranked(column)
        codes.append(code)
        if hashed:
            told.append([column.name, column.kind, _written(distinct)])
        elif len(distinct) == rows:
            break
    return codes, told


def _each_once(
    codes: list[npt.NDArray[np.int32]], times: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Places of rows in the order of their codes, the first before the next; alike ones once.

    And how many there are.
    """
    rows = len(times)
    if len(codes) == 1 and rows == int(codes[0].max(initial=-1)) + 1 > 0:
        # as many places as rows: they are an order already
        order = np.empty(rows, np.intp)
        order[codes[0]] = np.arange(rows)
        return order, times[order]
    order = np.lexsort(codes[::-1]) if codes else np.arange(rows)
    new = np.arange(rows) == 0
    for code in codes:
        own = code[order]
        new[1:] |= own[1:] != own[:-1]
    first = np.flatnonzero(new)
    return order[first], np.add.reduceat(times[order], first)


def _plain(column: RawColumn) -> RawColumn:
    """Whole numbers of 64 bits, doubles without -0.0; text where there is no value at all."""
    if column.missing.all():
        return RawColumn(
            column.name, "text", np.full(len(column.missing), "", object), column.missing
        )
    if column.kind == "float64":
        return replace(column, values=column.values + 0.0)
    whole = column.kind == "integer" and not column.of_objects
    return replace(column, values=column.values.astype(np.int64)) if whole else column


def _ranked(column: RawColumn) -> tuple[npt.NDArray[np.int32], Any]:
    """The place of each value among those that occur, -1 where missing, and those in order."""
    if not column.of_objects:
        present = np.flatnonzero(~column.missing) if column.missing.any() else slice(None)
        found, place = in_order(column.values[present])
        ranks = np.full(len(column.values), -1, np.int32)
        ranks[present] = place
        return ranks, found
    codes, values = column.factorize()
    written = [value if column.kind == "text" else repr(value) for value in values]
    order = sorted(range(len(values)), key=written.__getitem__)
    rank = np.full(len(values) + 1, -1, np.int32)
    rank[order] = np.arange(len(values))
    return rank[codes], [written[i] for i in order]


def _written(distinct: Any) -> list[str]:
    """Values in order as they are hashed: texts as they are, numbers by their bytes."""
    if isinstance(distinct, list):
        return distinct
    of = distinct.astype(distinct.dtype.newbyteorder("<"))
    return [hashlib.sha256(of.tobytes()).hexdigest()]
