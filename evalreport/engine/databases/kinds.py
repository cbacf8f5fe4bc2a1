"""Kinds of rows that a database counts, or its rows one by one, in one canonical form."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.data.delimited import check_names
from evalreport.data.source import Source, reading
from evalreport.data.table import PARTNER, RawColumn, RawTable
from evalreport.engine.databases.addresses import Address, hash_of
from evalreport.engine.databases.arrow import Session
from evalreport.engine.databases.query_limits import QueryWatch, limits_of
from evalreport.engine.databases.query_text import (
    MOST,
    Column,
    count_query,
    days_query,
    kinds_query,
    rows_query,
    twice_query,
)
from evalreport.engine.databases.wanted import (
    BYTES,
    NotPlainError,
    TooManyKindsError,
    Wanted,
)
from evalreport.errors import DataError, Location, Problem
from evalreport.spec.datasets import ClusterTable, Query

#: What the query of kinds gives beside its columns.
COUNTED = ("n", "rows_read", "wrong")


class Kinds(NamedTuple):
    """Kinds of rows, and how many rows of the database they were counted from."""

    table: RawTable
    rows: int


def session(
    source: Source, asked: Query | ClusterTable, watch: QueryWatch
) -> AbstractContextManager[Session]:
    """A session for the rows that are asked for.

    Raises FilesError where nobody answers or the rows may not be seen, LostError where that may
    change, DataError for a query that fails, LimitError for one that takes more than it may.
    """
    from evalreport.engine.databases import files, servers

    if isinstance(source, Address):
        if isinstance(asked, ClusterTable):
            return servers.spark(source, asked, watch)
        return servers.postgres(source, asked, watch)
    assert isinstance(asked, Query)
    with reading(source) as stream:
        begins = stream.read(16)
    if begins == files.SQLITE:
        return files.sqlite_file(source, asked, watch)
    if begins[8:12] == b"DUCK":
        return files.duckdb_file(source, asked, watch)
    what = "the file is not a database that is read"
    raise DataError(Problem(what, "a SQLite or DuckDB file", Location(source.name)))


def database_kinds(source: Source, wanted: Wanted) -> Kinds:
    """The kinds of the rows that a query, or a table, gives, in a canonical order.

    Columns that are not there are left out: who needs them says so. The hash of the table is that
    of its kinds, the same for whatever database counts them; a source behind an address keeps it.

    Raises as ``session``; DataError for a value of a period that is no date, one of an interval
    that is no number, a type that is not counted and an id that is not unique; TooManyKindsError
    for kinds beyond the room; NotPlainError where rows do not say how many they stand for.
    """
    asked = wanted.query or wanted.table
    assert asked is not None
    watch = QueryWatch(source.name, limits_of(os.environ))
    with session(source, asked, watch) as found:
        header = _header(found, source)
        answer = Asking(found, source.name, wanted).counted()
    *held, number, read, wrong = answer
    rows = int(read.values.sum())
    if not rows:
        raise no_rows(source)
    if wrong.values.any() or number.values.sum() > MOST:
        raise NotPlainError("rows do not give the number of rows they represent")
    held, times, sha256 = canonical(held, number.values.astype(np.int64))
    if isinstance(source, Address):
        source.rows.sha256 = sha256
    wanted.watch.seen(rows, rows)
    kept = {one.name: one for one in held}
    return Kinds(RawTable(source.name, len(times), header, kept, sha256, times=times), rows)


def read_query(source: Source, query: Query, columns: Collection[str] | None) -> RawTable:
    """The asked columns (default all) of the rows that a query gives, one by one.

    Rows come in the order the database gives them; results do not depend on it. A source behind
    an address keeps the hash of their kinds. Raises as ``session``, and DataError for a type
    that is not read.
    """
    watch = QueryWatch(source.name, limits_of(os.environ))
    with session(source, query, watch) as found:
        header = _header(found, source)
        kept = [name for name in header if columns is None or name in columns]
        asking = Asking(found, source.name, Wanted(tuple(kept), query=query))
        values = [asking.plain(name) for name in kept]
        text = rows_query(found.rows, values, watch.limits.rows + 1)
        held = found.fetch(text, kept or ["n"])
    if not len(held[0].values):
        raise no_rows(source)
    rows = len(held[0].values)
    held = held if kept else []
    if isinstance(source, Address):
        source.rows.sha256 = canonical(held, np.ones(rows, np.int64))[2]
    read = {one.name: one for one in held}
    return RawTable(source.name, rows, header, read, sha256=hash_of(source))


def _header(found: Session, source: Source) -> tuple[str, ...]:
    header = tuple(column.name for column in found.columns)
    check_names(header, source.name)
    return header


def no_rows(source: Source) -> DataError:
    """The error for a query without rows."""
    return DataError(
        Problem("the query gives no rows", "one that gives some", Location(source.name))
    )


def not_unique(file: str, column: str, value: Any, rows: int) -> DataError:
    """The error for an id that stands in several rows."""
    what = f"{column} is not unique: {value!r} is in {rows} rows"
    return DataError(Problem(what, "give each row its own id", Location(file)))


class Asking:
    """What is asked of a session for what is wanted; problems are told at ``name``."""

    def __init__(self, found: Session, name: str, wanted: Wanted) -> None:
        self._session, self._name, self._wanted = found, name, wanted
        self._dialect = found.dialect
        self._columns = {column.name: column for column in found.columns}

    def parts(self) -> dict[str, str]:
        """The columns that are there, and what rows are told apart by in each; the id is last.

        Raises DataError for what is no date, number or score where one is wanted, and for an id
        that stands in several rows.
        """
        wanted, names = self._wanted, (*self._wanted.columns, PARTNER)
        others = [c for c in names if c in self._columns and c not in (wanted.id, wanted.count)]
        found = {name: self._value(name) for name in others}
        if wanted.id is not None and wanted.id in self._columns:
            found[wanted.id] = self._identified(wanted.id)
        return found

    def _value(self, name: str) -> str:
        """What rows are told apart by in a column: its values, periods or intervals."""
        if name in self._wanted.periods:
            return self._period(name, self._wanted.periods[name])
        if name in self._wanted.intervals:
            column = self._column(name)
            self.check(column, self._dialect.no_number(column))
            return self._dialect.lower_edge(column, self._wanted.intervals[name])
        if name in self._wanted.grains:
            column = self._column(name)
            self.check(column, self._dialect.no_number(column))
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
            value, count = self._session.fetch(
                twice_query(self._dialect, self._session.rows, column), [name, "n"]
            )
            for one, n in zip(value.values.tolist(), count.values.tolist(), strict=True):
                raise not_unique(self._name, name, one, n)
        return f"CASE WHEN {self._dialect.empty(column)} THEN NULL ELSE 'id' END"

    def times(self) -> str | None:
        """How many rows each one stands for; None where each is one."""
        count = self._wanted.count
        return None if count is None else self._dialect.times(self._column(count))

    def counted(self) -> list[RawColumn]:
        """The answer to the query of kinds. Raises TooManyKindsError."""
        parts = self.parts()
        text = kinds_query(self._dialect, self._session.rows, [*parts.values()], self.times())
        most = self._wanted.most_kinds(BYTES * len(parts))
        found = self._session.fetch(f"{text} LIMIT {most + 1}", [*parts, *COUNTED])
        if len(found[-1].values) > most:
            self.check_room(text, parts, most)
        for one in found:
            if one.name in self._wanted.periods and (one.values[~one.missing] == "").any():
                raise self._no_date(one.name)
        return found

    def check_room(self, text: str, parts: Mapping[str, str], most: int) -> None:
        """Raise TooManyKindsError where a query of kinds by some parts gives more than ``most``."""
        (found,) = self._session.fetch(count_query(f"({text}) AS kinds"), ["n"])
        if found.values[0] > most:
            by = [name for name in parts if name != self._wanted.id]
            raise TooManyKindsError(int(found.values[0]), by, most)

    def _column(self, name: str) -> Column:
        found = self._columns[name]
        if found.kind is None:
            what = f"{name} is of a type that is not taken from a database: {found.type}"
            raise self._wrong(what, "text, numbers, booleans or dates: a CAST in the query")
        return found

    def _period(self, name: str, every: str) -> str:
        column = self._column(name)
        text = days_query(self._dialect, self._session.rows, column)
        (days,) = self._session.fetch(text, [name])
        try:
            return self._dialect.period(column, every, days.values[~days.missing].tolist())
        except ValueError:
            raise self._no_date(name) from None

    def _no_date(self, name: str) -> DataError:
        hint = "ISO 8601, such as 2026-11-21 or 2026-11-21T06:00:00"
        return self._wrong(f"{name} is not a date in some rows", hint)

    def check(self, column: Column, wrong: str) -> None:
        """Raise DataError where a column holds what is no number: ``wrong`` says which rows."""
        (found,) = self._session.fetch(count_query(self._session.rows, wrong), ["n"])
        if found.values[0]:
            what = f"{column.name} is not a finite number in some rows"
            raise self._wrong(what, "give a number, or nothing")

    def _wrong(self, what: str, instead: str) -> DataError:
        return DataError(Problem(what, instead, Location(self._name)))


# ------------------------------------------------------------------ canonical kinds


def canonical(
    columns: Sequence[RawColumn], times: npt.NDArray[np.int64]
) -> tuple[list[RawColumn], npt.NDArray[np.int64], str]:
    """Kinds in an order that follows from what they hold, each once, and the hash of them.

    A column without any value is one of text; -0.0 is 0.0; kinds of no rows are left out.

    >>> one = RawColumn("y", "text", np.array(["b", "a", "b"], object), np.zeros(3, bool))
    >>> (found,), counts, _ = canonical([one], np.array([1, 2, 3]))
    >>> found.values.tolist(), counts.tolist()
    (['a', 'b'], [2, 4])
    """
    kept = np.flatnonzero(times)
    columns = [_plain(taken(one, kept)) for one in sorted(columns, key=lambda one: one.name)]
    times = times[kept]
    codes, told = [], []
    for column in columns:
        code, distinct = ranked(column)
        codes.append(code)
        told.append([column.name, column.kind, distinct])
    order = np.lexsort(codes[::-1]) if codes else np.arange(len(times))
    begins = np.zeros(len(times), np.bool_)
    begins[:1] = True
    for code in codes:
        begins[1:] |= code[order][1:] != code[order][:-1]
    first = np.flatnonzero(begins)
    times = np.add.reduceat(times[order], first) if len(first) else times
    place = order[first]
    digest = hashlib.sha256(json.dumps(told).encode())
    for numbers in (*(code[place] for code in codes), times):
        digest.update(numbers.astype("<i8").tobytes())
    return [taken(one, place) for one in columns], times, digest.hexdigest()


def taken(column: RawColumn, places: npt.NDArray[np.intp]) -> RawColumn:
    """The column of the rows at some places."""
    return replace(column, values=column.values[places], missing=column.missing[places])


def _plain(column: RawColumn) -> RawColumn:
    """Whole numbers of 64 bits, doubles without -0.0; text where there is no value at all."""
    if column.missing.all():
        return RawColumn(
            column.name, "text", np.full(len(column.missing), "", object), column.missing
        )
    if column.kind == "float64":
        return replace(column, values=column.values + 0.0)
    whole = column.kind == "integer" and column.values.dtype != object
    return replace(column, values=column.values.astype(np.int64)) if whole else column


def ranked(column: RawColumn) -> tuple[npt.NDArray[Any], list[Any]]:
    """The place of each value among those that occur, -1 where missing, and those in order."""
    if column.values.dtype != object:
        found, place = np.unique(column.values[~column.missing], return_inverse=True)
        ranks = np.full(len(column.values), -1, np.int64)
        ranks[~column.missing] = place
        return ranks, [
            hashlib.sha256(found.astype(found.dtype.newbyteorder("<")).tobytes()).hexdigest()
        ]
    codes, values = column.factorize()
    written = [value if column.kind == "text" else repr(value) for value in values]
    order = sorted(range(len(values)), key=written.__getitem__)
    rank = np.full(len(values) + 1, -1, np.int64)
    rank[order] = np.arange(len(values))
    return rank[codes], [written[i] for i in order]
