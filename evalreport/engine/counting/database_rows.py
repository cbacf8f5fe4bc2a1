"""Rows counted where a database keeps them: queries go there, and only counts come back.

The SELECT of a spec stands in front of every counting query as a table expression whose columns
are called by their place, so no name of a column becomes part of a query. All queries of a run
see one state of the database: they are made in one transaction that only reads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np
from sqlglot import exp

from evalreport.data.delimited import check_names
from evalreport.data.parquet_types import parquet_column
from evalreport.data.score_bins import ScoreBins
from evalreport.data.table import RawColumn
from evalreport.engine.counting.answering import Columns
from evalreport.engine.counting.postgres_rows import Server, server
from evalreport.engine.counting.queries import Field
from evalreport.engine.counting.query_limits import QueryWatch
from evalreport.engine.counting.wanted import NotPlainError, Wanted
from evalreport.errors import DataError, Location, Problem

#: How values are written as text, whatever the server or its user prefer.
_WRITTEN = (
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL intervalstyle = 'iso_8601'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL bytea_output = 'hex'",
)
#: By the type of the server: the DuckDB name of the type that holds the same values, and what is
#: counted. NaN is no value. Single precision is read by its text, as the driver reads it.
_TYPES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "boolean": ("BOOLEAN", "{}"),
        "smallint": ("BIGINT", "CAST({} AS bigint)"),
        "integer": ("BIGINT", "CAST({} AS bigint)"),
        "bigint": ("BIGINT", "{}"),
        "double precision": ("DOUBLE", "NULLIF({}, CAST('NaN' AS double precision))"),
        "real": (
            "DOUBLE",
            "NULLIF(CAST(CAST({} AS text) AS double precision), CAST('NaN' AS double precision))",
        ),
        "text": ("VARCHAR", "{}"),
        "character varying": ("VARCHAR", "CAST({} AS text)"),
        "date": ("VARCHAR", "to_char({}, 'YYYY-MM-DD')"),
        "timestamp without time zone": (
            "VARCHAR",
            (
                "to_char({0}, 'YYYY-MM-DD HH24:MI:SS') || CASE WHEN to_char({0}, 'US') = '000000' "
                "THEN '' ELSE '.' || to_char({0}, 'US') END"
            ),
        ),
    }
)
#: Numbers of the server that are scores: they are read as doubles.
_SCORE = ("DOUBLE", "CAST(NULLIF({}, 'NaN') AS double precision)")
#: Letters of a hash in each of the sums that are made of them.
_LANE = 16
_LANES = 4


class DatabaseRows:
    """The rows of a SELECT as the relation ``data`` of a server."""

    times: Field | None = None
    binned: Mapping[str, ScoreBins] = MappingProxyType({})

    def __init__(
        self, server: Server, name: str, select: str, header: Sequence[str], kinds: Sequence[Any]
    ) -> None:
        self.name, self.header = name, tuple(header)
        self._server, self._kinds = server, tuple(kinds)
        places = ", ".join(f'"r{i}"' for i in range(len(header)))
        self._raw = f'WITH "raw"({places}) AS (\n{select}\n)'
        shown = ", ".join(
            kind[1].format(f'"r{i}"') + f' AS "c{i}"' for i, kind in enumerate(kinds) if kind
        )
        self._data = f'{self._raw}, "data" AS (SELECT {shown} FROM "raw")'  # noqa: S608 - places
        self.rows = 0

    def field(self, column: str) -> Field:
        place = self.header.index(column)
        kind = self._kinds[place]
        if kind is None:
            raise NotPlainError(f"{column} is of a type that is not counted in a database")
        return Field(place, kind[0])

    def ask(self, query: exp.Select) -> Columns:
        text = query.transform(_for_postgres).sql("postgres", identify=True)
        names, rows = self._server.answer(f"{self._data} {text}")
        return {name: _masked([row[place] for row in rows]) for place, name in enumerate(names)}

    def column(self, name: str, kind: str, values: Any) -> RawColumn:
        return parquet_column(name, kind, values)

    def digest(self, types: Sequence[str]) -> str:
        """The hash of what the rows hold, in any order; it counts them as well.

        Each row is hashed by the server; the quarters of the hashes are added up.
        """
        row = ", ".join(f'"r{i}"' for i in range(len(self.header)))
        each = f"encode(sha256(convert_to(CAST(ROW({row}) AS text), 'UTF8')), 'hex')"
        sums = ", ".join(
            f"sum(CAST(CAST('x' || substr(h, {1 + i * _LANE}, {_LANE}) AS bit(64)) AS bigint))"
            for i in range(_LANES)
        )
        text = f'{self._raw} SELECT count(*), {sums} FROM (SELECT {each} AS h FROM "raw") AS d'  # noqa: S608
        _, ((count, *found),) = self._server.answer(text)
        self.rows = int(count)
        told = json.dumps([self.header, list(types), self.rows, [str(one or 0) for one in found]])
        return hashlib.sha256(told.encode()).hexdigest()


@contextmanager
def database_rows(source: Any, wanted: Wanted, watch: QueryWatch) -> Iterator[DatabaseRows]:
    """The rows of a query for counting; ``source`` is an address, and gets the hash of its rows.

    Raises as ``postgres_rows``, and NotPlainError for columns whose types are not counted.
    """
    assert wanted.query is not None
    if wanted.count is not None:
        raise NotPlainError("each row stands for as many as it counts")
    with server(source.address, source.name, watch) as found:
        for setting in _WRITTEN:
            found.answer(setting)
        header, types = found.described(wanted.query.sql)
        check_names(header, source.name)
        absent = [name for name in wanted.columns if name not in header]
        if absent:
            raise NotPlainError(f"the query gives no column {absent[0]}")
        pairs = zip(header, types, strict=True)
        kinds = [_kind(kind, name in wanted.numbers) for name, kind in pairs]
        rows = DatabaseRows(found, source.name, wanted.query.sql, header, kinds)
        for name in wanted.columns:
            rows.field(name)
        source.digest.settle(rows.digest(types))
        if not rows.rows:
            told = Problem("the query gives no rows", "one that gives some", Location(source.name))
            raise DataError(told)
        wanted.watch.seen(rows.rows, rows.rows)
        yield rows


def _kind(kind: str, score: bool) -> tuple[str, str] | None:
    if score and kind == "numeric":
        return _SCORE
    return _TYPES.get(kind)


def _for_postgres(node: Any) -> Any:
    """What Postgres says in another way; NaN was taken for no value before."""
    if isinstance(node, exp.IsNan):
        return exp.false()
    if isinstance(node, exp.RegexpLike):
        pattern = node.expression.this.replace(r"\z", r"\Z")
        return exp.RegexpLike(this=node.this, expression=exp.Literal.string(pattern))
    return node


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
