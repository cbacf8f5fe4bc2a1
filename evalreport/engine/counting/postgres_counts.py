"""Rows that a Postgres server counts, in one transaction that only reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from sqlglot import exp

from evalreport.data.delimited import check_names
from evalreport.engine.counting.database_rows import DatabaseRows, Read, SqlDialect, check_columns
from evalreport.engine.counting.postgres_rows import Server, ServerColumn, server, without_end
from evalreport.engine.counting.query_limits import QueryWatch
from evalreport.engine.counting.sql_rows import no_rows
from evalreport.engine.counting.wanted import NotPlainError, Wanted
from evalreport.errors import DataError, Location, Problem

#: The letters of a text, in order by themselves: with the order that was declared for its column
#: the server may take texts for one that differ in case or accents.
_LETTERS = '({} COLLATE "C")'
_MOMENT = (
    "to_char({0}, 'YYYY-MM-DD HH24:MI:SS') || CASE WHEN to_char({0}, 'US') = '000000' "
    "THEN '' ELSE '.' || to_char({0}, 'US') END"
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
        "text": Read("VARCHAR", _LETTERS),
        "character varying": Read("VARCHAR", _LETTERS.format("CAST({} AS text)")),
        # Blanks at the end are of the value, as the driver reads it.
        "character": Read(
            "VARCHAR", _LETTERS.format("CASE WHEN {0} IS NOT NULL THEN concat({0}) END")
        ),
        "date": Read("VARCHAR", "to_char({}, 'YYYY-MM-DD')"),
        "timestamp without time zone": Read("VARCHAR", _MOMENT),
        # The zone of the transaction is UTC.
        "timestamp with time zone": Read("VARCHAR", f"{_MOMENT} || '+00:00'"),
    }
)
#: Numbers of the server that are scores: they are read as doubles.
_SCORE = Read("DOUBLE", "CAST(NULLIF({}, 'NaN') AS double precision)")
_ENUMERATION = Read("VARCHAR", _LETTERS.format("CAST({} AS text)"))
#: Types of which years are read that have four digits, and the first day that has more.
_DATED = ("date", "timestamp without time zone", "timestamp with time zone")
_FIRST, _END = "0001-01-01", "10000-01-01"


@contextmanager
def postgres_counts(source: Any, wanted: Wanted, watch: QueryWatch) -> Iterator[DatabaseRows]:
    """The rows of a query for counting; ``source`` is an address, and gets the hash of its rows.

    Raises as ``postgres_rows``, and NotPlainError for columns whose types are not counted.
    """
    assert wanted.query is not None
    if wanted.count is not None:
        raise NotPlainError("each row stands for as many as it counts")
    with server(source.address, source.name, watch) as found:
        select = without_end(wanted.query.sql)
        columns = found.described(select)
        header = [column.name for column in columns]
        check_names(header, source.name)
        check_columns(source.name, wanted.columns, header)
        reads = [_read(column, column.name in wanted.numbers) for column in columns]
        rows = DatabaseRows(found, _POSTGRES, source.name, select, header, reads)
        for name in wanted.columns:
            rows.field(name)
        _check_dates(found, rows, columns, wanted.columns)
        source.digest.settle(rows.digest([column.type for column in columns]))
        if not rows.rows:
            raise no_rows(source)
        wanted.watch.seen(rows.rows, rows.rows)
        yield rows


def _read(column: ServerColumn, score: bool) -> Read | None:
    if column.letter == "e":
        return _ENUMERATION
    return _SCORE if column.type == "numeric" and score else _TYPES.get(column.type)


def _check_dates(
    found: Server, rows: DatabaseRows, columns: Sequence[ServerColumn], asked: Sequence[str]
) -> None:
    """Raise DataError for dates that no reader of this package reads, as memory refuses them.

    They would be written as others: those before our era without it, infinite ones as nothing.
    """
    dated = {i: c.name for i, c in enumerate(columns) if c.name in asked and c.type in _DATED}
    if not dated:
        return
    shown = ", ".join(
        f"""count(*) FILTER (WHERE "r{i}" < '{_FIRST}' OR "r{i}" >= '{_END}')""" for i in dated
    )
    _, (counts,) = found.answer(f'{rows.raw} SELECT {shown} FROM "raw"')  # noqa: S608 - places
    wrong = [(name, n) for name, n in zip(dated.values(), counts, strict=True) if n]
    if wrong:
        raise DataError(
            *(
                Problem(
                    f"{name} holds dates before year 1, after 9999 or infinite, in {n:,} rows",
                    "dates of the years 1 to 9999, or the column as text",
                    Location(rows.name),
                )
                for name, n in wrong
            )
        )


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
