"""Rows that a Postgres server counts, in one transaction that only reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from sqlglot import exp

from evalreport.data.delimited import check_names
from evalreport.engine.counting.database_rows import DatabaseRows, Read, SqlDialect, check_columns
from evalreport.engine.counting.postgres_rows import server
from evalreport.engine.counting.query_limits import QueryWatch
from evalreport.engine.counting.sql_rows import no_rows
from evalreport.engine.counting.wanted import NotPlainError, Wanted

#: How values are written as text, whatever the server or its user prefer.
_WRITTEN = (
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL intervalstyle = 'iso_8601'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL bytea_output = 'hex'",
)
#: By the type of the server: how it is read. NaN is no value. Single precision is read by its
#: text, as the driver reads it.
_TYPES: Mapping[str, Read] = MappingProxyType(
    {
        "boolean": Read("BOOLEAN", "{}"),
        "smallint": Read("BIGINT", "CAST({} AS bigint)"),
        "integer": Read("BIGINT", "CAST({} AS bigint)"),
        "bigint": Read("BIGINT", "{}"),
        "double precision": Read("DOUBLE", "NULLIF({}, CAST('NaN' AS double precision))"),
        "real": Read(
            "DOUBLE",
            "NULLIF(CAST(CAST({} AS text) AS double precision), CAST('NaN' AS double precision))",
        ),
        "text": Read("VARCHAR", "{}"),
        "character varying": Read("VARCHAR", "CAST({} AS text)"),
        "date": Read("VARCHAR", "to_char({}, 'YYYY-MM-DD')"),
        "timestamp without time zone": Read(
            "VARCHAR",
            (
                "to_char({0}, 'YYYY-MM-DD HH24:MI:SS') || CASE WHEN to_char({0}, 'US') = '000000' "
                "THEN '' ELSE '.' || to_char({0}, 'US') END"
            ),
        ),
    }
)
#: Numbers of the server that are scores: they are read as doubles.
_SCORE = Read("DOUBLE", "CAST(NULLIF({}, 'NaN') AS double precision)")


@contextmanager
def postgres_counts(source: Any, wanted: Wanted, watch: QueryWatch) -> Iterator[DatabaseRows]:
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
        check_columns(source.name, wanted.columns, header)
        reads = [
            _SCORE if kind == "numeric" and name in wanted.numbers else _TYPES.get(kind)
            for name, kind in zip(header, types, strict=True)
        ]
        rows = DatabaseRows(found, _POSTGRES, source.name, wanted.query.sql, header, reads)
        for name in wanted.columns:
            rows.field(name)
        source.digest.settle(rows.digest(types))
        if not rows.rows:
            raise no_rows(source)
        wanted.watch.seen(rows.rows, rows.rows)
        yield rows


def _said(node: Any) -> Any:
    """What Postgres says in another way; NaN was taken for no value before."""
    if isinstance(node, exp.IsNan):
        return exp.false()
    if isinstance(node, exp.RegexpLike):
        pattern = node.expression.this.replace(r"\z", r"\Z")
        return exp.RegexpLike(this=node.this, expression=exp.Literal.string(pattern))
    return node


def _hashed(columns: Sequence[str]) -> str:
    row = ", ".join(columns)
    return f"encode(sha256(convert_to(CAST(ROW({row}) AS text), 'UTF8')), 'hex')"


_POSTGRES = SqlDialect(
    "postgres", _said, hashed=_hashed, lane="CAST(CAST('x' || {} AS bit(64)) AS bigint)"
)
