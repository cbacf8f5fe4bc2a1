"""Kinds of rows that a database counts, or its rows one by one, in one canonical form."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.data.delimited import check_names
from evalreport.data.duckdb_columns import Kind
from evalreport.data.source import Source, reading
from evalreport.data.table import PARTNER, RawColumn, RawTable
from evalreport.engine.calendar import period_name
from evalreport.engine.databases.addresses import Address
from evalreport.engine.databases.query_limits import QueryWatch, limits_of
from evalreport.engine.databases.query_text import (
    MOST,
    Column,
    count_query,
    kinds_query,
    rows_query,
    twice_query,
)
from evalreport.engine.databases.sessions import Session
from evalreport.engine.databases.wanted import (
    BYTES,
    NotPlainError,
    TooManyKindsError,
    Wanted,
)
from evalreport.errors import DataError, Location, Problem
from evalreport.spec.datasets import ClusterTable, Query
from evalreport.statistics.numbering import in_order, numbered

#: So many kinds have a whole number each.
_MOST_KINDS = 2**62
#: Bytes that a value takes at most which is a list, or written as JSON.
OWN_BYTES = 160


class Kinds(NamedTuple):
    """Kinds of rows, and how many rows they were counted from."""

    table: RawTable
    rows: int


@contextmanager
def database(source: Source, asked: Query | ClusterTable, watch: QueryWatch) -> Iterator[Session]:
    """A session for the rows that are asked for in a database.

    Raises FilesError where nobody answers or the rows may not be seen, LostError where that may
    change, DataError for a query that fails, LimitError for one that takes more than it may.
    """
    with _session(source, asked, watch) as found:
        check_names(found.header, source.name)
        yield found


def _session(
    source: Source, asked: Query | ClusterTable, watch: QueryWatch
) -> AbstractContextManager[Session]:
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


def counted_kinds(found: Session, source: Source, wanted: Wanted) -> Kinds:
    """The kinds of the rows of a session, in an order that follows from what they hold.

    Columns that are not there are left out: who needs them says so. The hash of the table is that
    of its kinds, the same for whatever database counts them.

    Raises DataError for a value of a period that is no date, one of an interval that is no
    number, a type that is not counted and an id that is not unique; TooManyKindsError for kinds
    beyond the room; NotPlainError where rows do not give the number of rows they represent.
    """
    asked = KindsQuery(found, source.name, wanted)
    held = asked.counted()
    counts = {name: held.pop().values for name in reversed(asked.counts)}
    number = counts.pop("n")
    in_database = found.size is None
    rows = int(counts.get("rows_read", number).sum()) if found.size is None else found.size
    if not rows:
        raise no_rows(source)
    check_counts("wrong" in counts and counts["wrong"].any(), number.sum())
    times = number.astype(np.int64, copy=False)
    taken, times, sha256 = canonical(held, times, hashed=in_database)
    if in_database:
        wanted.watch.seen(rows, rows)
    kept = {one.name: one for one in taken}
    return Kinds(RawTable(source.name, len(times), found.header, kept, sha256, times=times), rows)


def check_counts(wrong: Any, total: Any) -> None:
    """Raise NotPlainError for rows without the number that they represent: reading names each."""
    if wrong or not 0 < total <= MOST:
        raise NotPlainError("rows do not give the number of rows they represent")


def read_query(source: Source, query: Query, columns: Collection[str] | None) -> RawTable:
    """The asked columns (default all) of the rows that a query gives, one by one.

    Rows come in the order the database gives them; results do not depend on it. The table of a
    source behind an address has the hash of their kinds. Raises as ``database``, and DataError
    for a type that is not read.
    """
    watch = QueryWatch(source.name, limits_of(os.environ))
    with database(source, query, watch) as found:
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

    @property
    def counts(self) -> tuple[str, ...]:
        """What the query gives beside the columns of the kinds."""
        said = self._session.times is None and self._wanted.count is not None
        return ("n", "rows_read", "wrong") if said else ("n",)

    def select(self) -> tuple[list[str], str]:
        """The columns of the kinds, and the query of these. Raises as ``parts``."""
        parts, count = self.parts(), self._wanted.count
        times = known = self._session.times
        if times is None and count is not None:
            times = self._dialect.as_number(self._column(count))
        asked = self._dialect, self._session.rows, [*parts.values()], times
        return [*parts], kinds_query(*asked, known=known is not None)

    def counted(self) -> list[RawColumn]:
        """The answer to the query of kinds. Raises TooManyKindsError."""
        names, text = self.select()
        width = sum(self._bytes(name) for name in names)
        most = self._wanted.most_kinds(width)
        found = self._session.fetch(f"{text} LIMIT {most + 1}", [*names, *self.counts])
        if len(found[-1].values) > most:
            (number,) = self._session.fetch(count_query(f"({text}) AS kinds"), ["n"])
            by = [name for name in names if name != self._wanted.id]
            raise TooManyKindsError(int(number.values[0]), by, most)
        periods = self._wanted.periods
        return [self._in_periods(one) if one.name in periods else one for one in found]

    def _bytes(self, name: str) -> int:
        """Bytes that a value of a column takes at most."""
        column = self._columns[name]
        several = column.type == "JSON" or column.kind in (Kind.TEXTS, Kind.NUMBERS)
        return OWN_BYTES if several else BYTES

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
            raise self._no_date(column.name) from None
        return replace(column, values=np.array([*names, ""], object)[codes])

    def _no_date(self, name: str) -> DataError:
        hint = "ISO 8601, such as 2026-11-21 or 2026-11-21T06:00:00"
        return self._wrong(f"{name} is not a date in some rows", hint)

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
    del kept
    codes, told = [], []
    kind, kinds, chosen = np.zeros(len(times), np.int64), 1, None
    for place, column in enumerate(columns):
        code, distinct = _ranked(column)
        if not hashed and place == 0 and len(distinct) == len(times):
            # where the first column tells all apart, as scores do, no other is looked at
            chosen = np.empty(len(times), np.intp)
            chosen[code] = np.arange(len(times))
            del code, distinct
            break
        kind, kinds = _finer(kind, kinds, code, len(distinct))
        if hashed:
            codes.append(code)
            told.append([column.name, column.kind, _written(distinct)])
    if chosen is None:
        order = np.argsort(kind)
        kind = kind[order]
        first = np.flatnonzero(np.append(True, kind[1:] != kind[:-1])[: len(times)])
        times = np.add.reduceat(times[order], first) if len(first) else times
        chosen = order[first]
        del order, first
    else:
        times = times[chosen]
    del kind
    if times.max(initial=1) == 1:
        times = np.broadcast_to(np.int64(1), times.shape)  # which takes no memory
    digest = hashlib.sha256(json.dumps(told).encode())
    for code in codes if hashed else ():
        digest.update(code[chosen].astype("<i8").tobytes())
    digest.update(times.astype("<i8").tobytes())
    found = []
    while columns:
        found.append(columns.pop().at(chosen))
    return found, times, digest.hexdigest() if hashed else None


def _finer(
    kind: npt.NDArray[np.int64], kinds: int, code: npt.NDArray[np.int32], size: int
) -> tuple[npt.NDArray[np.int64], int]:
    """Kinds told apart by one column more, in order, and how many there are at most.

    ``code``: the place of each row's value in that column, -1 to ``size`` - 1.
    """
    lowest = int(code.min(initial=0))
    size = max(size - lowest, 1)
    if kinds > _MOST_KINDS // size:
        distinct, kind = numbered(kind)
        kinds = len(distinct)
    finer = kind * size
    finer += code
    finer -= lowest
    return finer, kinds * size


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
