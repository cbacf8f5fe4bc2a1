"""Rows counted in the DuckDB file that keeps them: no row is copied out of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from evalreport.data.delimited import check_names
from evalreport.data.interruptible import interruptible
from evalreport.data.parquet_file import LOCKS, plain_name
from evalreport.data.source import Source, reading
from evalreport.engine.counting import query_limits
from evalreport.engine.counting.database_rows import Read, check_columns
from evalreport.engine.counting.duckdb_rows import DuckDBRows
from evalreport.engine.counting.postgres_rows import query_fails
from evalreport.engine.counting.query_limits import QueryWatch
from evalreport.engine.counting.sql_rows import (
    DATED,
    bounded,
    no_rows,
    not_a_database,
    one_select,
)
from evalreport.engine.counting.wanted import NotPlainError, Wanted
from evalreport.errors import LimitError, Location, Problem
from evalreport.scratch import scratch_folder

_DOUBLE = Read("DOUBLE", "CAST({0} AS DOUBLE)")
#: By the type of DuckDB: how it is read.
_TYPES = {
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT"), Read("BIGINT", "CAST({0} AS BIGINT)")
    ),
    "FLOAT": _DOUBLE,
    "DOUBLE": Read("DOUBLE", "{0}"),
    "BOOLEAN": Read("BOOLEAN", "{0}"),
    # Letter by letter, whatever order was declared for the column.
    "VARCHAR": Read("VARCHAR", "({0} COLLATE C)"),
    **{kind: Read("VARCHAR", how) for kind, how in DATED.items()},
}


@contextmanager
def database_file_rows(source: Source, wanted: Wanted) -> Iterator[DuckDBRows]:
    """The rows of a query on a DuckDB file for counting, opened for reading only.

    Raises DataError for a query that fails and for a file that is no database, LimitError past
    the limits of queries, and NotPlainError for columns whose types are not counted.
    """
    import duckdb

    assert wanted.query is not None
    limits = query_limits.limits_of(os.environ)
    look = QueryWatch(source.name, limits).look
    with reading(source) as stream, plain_name(source.path) as path, scratch_folder() as spill:
        if stream.read(16)[8:12] != b"DUCK":
            raise not_a_database(source)
        try:
            with duckdb.connect(path, read_only=True) as connection:
                for setting in (*bounded(limits, spill), *LOCKS):
                    connection.execute(f"SET {setting}")
                made = _made(connection, source, wanted, look)
                how = wanted.watch, wanted.count, look
                yield DuckDBRows(connection, source.name, *made, *how)
        except duckdb.OutOfMemoryException:
            what = f"the query takes more than {limits.memory >> 20:,} MiB of memory"
            raise LimitError(Problem(what, "a simpler query", Location(source.name))) from None
        except duckdb.Error as error:
            raise query_fails(source.name, str(error).replace(path, source.name)) from None


def _made(
    connection: Any, source: Source, wanted: Wanted, look: Callable[[], None]
) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Make the relation ``data`` of the query; its columns, their types, and its rows."""
    import duckdb

    assert wanted.query is not None
    statements = connection.extract_statements(wanted.query.sql)
    if [s.type for s in statements] != [duckdb.StatementType.SELECT]:
        raise query_fails(source.name, "it is not one SELECT statement")
    sql = one_select(statements[0])

    def answer(text: str) -> Any:
        return interruptible(connection, lambda: connection.execute(text), look=look)

    # What it would give is only looked up: nothing of it is executed.
    found = connection.sql(statements[0])
    header = [str(name) for name in found.columns]
    check_names(header, source.name)
    kinds = dict(zip(header, map(str, found.types), strict=True))
    check_columns(source.name, wanted.columns, header)
    asked = wanted.columns
    read = [_read(name, kinds[name], name in wanted.numbers) for name in asked]
    shown = ", ".join(
        f"{how.counted.format(f'r{header.index(name)}')} AS c{place}"
        for place, (name, how) in enumerate(zip(asked, read, strict=True))
    )
    places = ", ".join(f"r{place}" for place in range(len(header)))
    view = f"CREATE TEMP VIEW data AS SELECT {shown} FROM (\n{sql}\n) AS q({places})"  # noqa: S608
    connection.execute(view)
    rows = int(answer("SELECT count(*) FROM data").fetchone()[0])
    if not rows:
        raise no_rows(source)
    return tuple(asked), tuple(how.kind for how in read), rows


def _read(name: str, kind: str, score: bool) -> Read:
    if score and kind.startswith("DECIMAL"):
        return _DOUBLE
    if kind.startswith("ENUM("):
        return Read("VARCHAR", "CAST({0} AS VARCHAR)")
    if kind not in _TYPES:
        raise NotPlainError(f"{name} is of a type that is not counted in a database")
    return _TYPES[kind]
