"""Rows counted in the SQLite file that keeps them: no row is copied out of it.

A value of SQLite has a type of its own, whatever was declared for its column, so the types that
occur in a column are looked at first. What SQLite lacks, or would do with rounding of its own,
it asks of Python: patterns, and the double that a text stands for.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import Any

from sqlglot import exp

from evalreport.data.delimited import check_names
from evalreport.data.interruptible import interruptible
from evalreport.data.source import Source, reading
from evalreport.engine.counting.database_rows import DatabaseRows, Read, SqlDialect, check_columns
from evalreport.engine.counting.postgres_rows import without_end
from evalreport.engine.counting.query_limits import QueryWatch
from evalreport.engine.counting.sql_rows import failed_in_sqlite, no_rows, sqlite_file
from evalreport.engine.counting.wanted import NotPlainError, Wanted

#: The largest whole number up to which a double holds every one.
_EXACT = 2**53
_NUMBER = "evalreport_number"
#: How SQLite calls the second of two columns of one name, where a SELECT stands in another.
_RENAMED = re.compile(r".*:[0-9]+", re.DOTALL)
#: By the types that occur in a column, NULL aside. Text is compared letter by letter, whatever
#: order was declared for its column: what is put together has none.
_READS = {
    frozenset(): Read("VARCHAR", "({} || '')"),
    frozenset({"text"}): Read("VARCHAR", "({} || '')"),
    frozenset({"integer"}): Read("BIGINT", "CAST({} AS INTEGER)"),
    frozenset({"real"}): Read("DOUBLE", "CAST({} AS REAL)"),
    frozenset({"integer", "real"}): Read("DOUBLE", "CAST({} AS REAL)"),
}


class SqliteFile:
    """A SQLite file, opened for reading only, held against the limits of a query."""

    def __init__(self, connection: sqlite3.Connection, watch: QueryWatch) -> None:
        self._connection, self._watch = connection, watch

    def answer(self, text: str) -> tuple[list[str], list[Any]]:
        """The columns and the rows of the answer to one statement."""

        def work() -> tuple[list[str], list[Any]]:
            cursor = self._connection.execute(text)
            names = [str(column[0]) for column in cursor.description or ()]
            return names, list(self._watch.counted(cursor))

        return interruptible(self._connection, work, look=self._watch.look)

    def header(self, select: str) -> list[str]:
        """The names of the columns that a SELECT gives, also where two have one name."""
        names, _ = self.answer(f"SELECT * FROM (\n{select}\n) LIMIT 0")  # noqa: S608
        if not any(_RENAMED.fullmatch(name) for name in names):
            return names

        def begun() -> list[str]:
            with closing(self._connection.execute(select)) as cursor:
                return [str(column[0]) for column in cursor.description]

        found: list[str] = interruptible(self._connection, begun, look=self._watch.look)
        return found


@contextmanager
def sqlite_counts(source: Source, wanted: Wanted, watch: QueryWatch) -> Iterator[DatabaseRows]:
    """The rows of a query on a SQLite file for counting.

    Raises DataError for a query that fails and for columns that it does not give, LimitError past
    the limits of queries, NotPlainError for columns that hold values of several types.
    """
    assert wanted.query is not None
    select = without_end(wanted.query.sql)
    try:
        with reading(source), sqlite_file(source, watch) as connection:
            _teach(connection)
            file = SqliteFile(connection, watch)
            # A statement by itself, so nothing can be put behind it or around it.
            file.answer(f"EXPLAIN {select}")
            header = file.header(select)
            check_names(header, source.name)
            check_columns(source.name, wanted.columns, header)
            rows = _rows(file, source, select, header, wanted)
            wanted.watch.seen(rows.rows, rows.rows)
            yield rows
    except MemoryError:
        raise watch.too_much_memory() from None
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise failed_in_sqlite(source, str(error)) from None


def _rows(
    file: SqliteFile, source: Source, select: str, header: Sequence[str], wanted: Wanted
) -> DatabaseRows:
    """The rows, once the types that occur in the columns that are asked for are known."""
    places = [header.index(name) for name in wanted.columns]
    plain = DatabaseRows(file, _SQLITE, source.name, select, header, [None] * len(header))
    shown = "".join(
        f', group_concat(DISTINCT typeof("r{place}")), '
        f'sum(typeof("r{place}") = \'integer\' AND abs("r{place}" / 2.0) > {_EXACT // 2})'
        for place in places
    )
    _, ((count, *found),) = file.answer(f'{plain.raw} SELECT count(*){shown} FROM "raw"')  # noqa: S608
    if not count:
        raise no_rows(source)
    reads: list[Read | None] = [None] * len(header)
    for place, types, large in zip(places, found[::2], found[1::2], strict=True):
        reads[place] = _read(header[place], frozenset(types.split(",")) - {"null"}, bool(large))
    rows = DatabaseRows(file, _SQLITE, source.name, select, header, reads, wanted.count)
    rows.rows = int(count)
    return rows


def _read(name: str, types: frozenset[str], large: bool) -> Read:
    """How a column is counted whose values are of some types; ``large`` whole numbers are in it."""
    read = _READS.get(types)
    if read is None or (large and len(types) > 1):
        told = " and ".join(sorted(types))
        raise NotPlainError(f"{name} holds values that are not counted in SQLite ({told})")
    return read


def _teach(connection: sqlite3.Connection) -> None:
    """Give a connection the functions that counting queries need."""
    connection.create_function("regexp", 2, _fits, deterministic=True)
    connection.create_function(_NUMBER, 1, _double, deterministic=True)
    connection.create_function("floor", 1, _floor, deterministic=True)


@lru_cache(maxsize=16)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _fits(pattern: str, text: str | None) -> bool | None:
    return None if text is None else _compiled(pattern).search(text) is not None


def _double(value: Any) -> float | None:
    return None if value is None else float(value)


def _floor(value: float | None) -> float | None:
    return value if value is None or math.isinf(value) else float(math.floor(value))


def _said(node: Any) -> Any:
    """What SQLite says in another way; it has no NaN."""
    if isinstance(node, exp.IsNan):
        return exp.false()
    if isinstance(node, exp.RegexpLike):
        pattern = node.expression.this.replace(r"\z", r"\Z")
        return exp.RegexpLike(this=node.this, expression=exp.Literal.string(pattern))
    of_text = isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal)
    if isinstance(node, exp.TryCast) or (of_text and node.to.is_type("double")):
        return exp.Anonymous(this=_NUMBER, expressions=[node.this])
    return node


_SQLITE = SqlDialect("sqlite", _said)
