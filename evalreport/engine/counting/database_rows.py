"""Rows counted where a database keeps them: queries go there, and only counts come back.

The SELECT of a spec stands in front of every counting query as a table expression whose columns
are called by their place, so no name of a column becomes part of a query. All queries of a run
see one state of the database.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sqlglot import exp

from evalreport.data.parquet_types import parquet_column
from evalreport.data.table import RawColumn
from evalreport.engine.counting.answering import Columns, KindsOf, fetched
from evalreport.engine.counting.queries import Field
from evalreport.engine.counting.wanted import NotPlainError
from evalreport.errors import DataError, Location, Problem, did_you_mean

#: Letters of a hash in each of the sums that are made of them.
_LANE = 16
_LANES = 4


@dataclass(frozen=True)
class SqlDialect:
    """How a kind of database writes what is asked: sqlglot's ``name`` of its dialect.

    ``said`` gives a node of a query as the database says it, ``mark`` stands around names.
    ``hashed`` gives the SHA-256 of a row, in hexadecimal, of its columns; ``lane`` the number that
    some letters of it are.
    """

    name: str
    said: Callable[[Any], Any]
    mark: str = '"'
    hashed: Callable[[Sequence[str]], str] = ", ".join
    lane: str = "{}"

    def named(self, name: str) -> str:
        """A name of ours, quoted."""
        return f"{self.mark}{name}{self.mark}"


class Answering(Protocol):
    """A database that answers one statement after another, all in one state of it."""

    def answer(self, text: str) -> tuple[list[str], list[Any]]:
        """The columns and the rows of the answer to one statement."""


@dataclass(frozen=True)
class Read:
    """How a column is counted: the DuckDB name of the type of its values, and what is counted.

    ``counted`` has a place for the name of the column.
    """

    kind: str
    counted: str


class DatabaseRows:
    """The rows of a SELECT as the relation ``data`` of a database.

    ``reads`` are of the columns by their place, None where one is not counted; ``count`` is the
    column that says how many rows each one stands for.
    """

    def __init__(
        self,
        database: Answering,
        dialect: SqlDialect,
        name: str,
        select: str,
        header: Sequence[str],
        reads: Sequence[Read | None],
        count: str | None = None,
    ) -> None:
        self.name, self.header = name, tuple(header)
        self._database, self._dialect, self._reads = database, dialect, tuple(reads)
        q = dialect.named
        self._own = [q(f"r{place}") for place in range(len(header))]
        self.raw = f"WITH {q('raw')}({', '.join(self._own)}) AS (\n{select}\n)"
        shown = ", ".join(
            f"{read.counted.format(self._own[place])} AS {q(f'c{place}')}"
            for place, read in enumerate(reads)
            if read is not None
        )
        self._data = f"{self.raw}, {q('data')} AS (SELECT {shown} FROM {q('raw')})"  # noqa: S608 - places
        self.rows = 0
        self.times = None if count is None else self.field(count)

    def field(self, column: str) -> Field:
        place = self.header.index(column)
        read = self._reads[place]
        if read is None:
            raise NotPlainError(f"{column} is of a type that is not counted in a database")
        return Field(place, read.kind)

    def ask(self, query: exp.Select) -> Columns:
        dialect = self._dialect
        text = query.transform(dialect.said).sql(dialect.name, identify=True)
        names, rows = self._database.answer(f"{self._data} {text}")
        try:
            return {n: _masked([row[place] for row in rows]) for place, n in enumerate(names)}
        except OverflowError:
            raise NotPlainError("whole numbers are too large") from None

    def kinds(self, asked: KindsOf) -> tuple[list[RawColumn], Any]:
        return fetched(self, asked)

    def column(self, name: str, kind: str, values: Any) -> RawColumn:
        return parquet_column(name, kind, values)

    def digest(self, types: Sequence[str]) -> str:
        """The hash of what the rows hold, in any order; it counts them as well.

        Each row is hashed by the database; the quarters of the hashes are added up.
        """
        q = self._dialect.named
        lanes = (f"substr(h, {1 + i * _LANE}, {_LANE})" for i in range(_LANES))
        sums = ", ".join(f"sum({self._dialect.lane.format(lane)})" for lane in lanes)
        each = f"SELECT {self._dialect.hashed(self._own)} AS h FROM {q('raw')}"  # noqa: S608
        text = f"{self.raw} SELECT count(*), {sums} FROM ({each}) AS d"  # noqa: S608 - ours
        _, ((count, *found),) = self._database.answer(text)
        self.rows = int(count)
        told = json.dumps([self.header, list(types), self.rows, [str(one or 0) for one in found]])
        return hashlib.sha256(told.encode()).hexdigest()


def check_columns(name: str, wanted: Sequence[str], header: Sequence[str]) -> None:
    """Raise DataError for each column that is asked for and that a query does not give."""
    absent = [column for column in wanted if column not in header]
    if absent:
        raise DataError(
            *(
                Problem(
                    f"the query gives no column {column}",
                    did_you_mean(column, header, "its columns"),
                    Location(name),
                )
                for column in absent
            )
        )


def _masked(values: list[Any]) -> Any:
    """Values of an answer as a numpy array, masked where NULL."""
    gaps = np.fromiter((value is None for value in values), np.bool_, len(values))
    there = {type(value) for value in values if value is not None}
    if there <= {str} and there:
        found = np.empty(len(values), object)
        found[:] = ["" if value is None else value for value in values]
        return np.ma.array(found, mask=gaps)
    kind: Any = np.bool_ if there == {bool} else np.int64 if there == {int} else np.float64
    return np.ma.array(np.array([0 if v is None else v for v in values], kind), mask=gaps)
