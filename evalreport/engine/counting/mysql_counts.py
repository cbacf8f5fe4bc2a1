"""Rows that a server of MySQL or MariaDB counts, in one transaction that only reads.

Text is told apart letter by letter: the order that was declared for its column would take ``a``
and ``A``, and texts with blanks at their ends, for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from sqlglot import exp

from evalreport.data.delimited import check_names
from evalreport.engine.counting.database_rows import DatabaseRows, Read, SqlDialect, check_columns
from evalreport.engine.counting.mysql_rows import MysqlServer, mysql_server
from evalreport.engine.counting.postgres_rows import without_end
from evalreport.engine.counting.query_limits import QueryWatch
from evalreport.engine.counting.sql_rows import no_rows
from evalreport.engine.counting.wanted import Wanted

#: What compares letter by letter and heeds blanks at the end: of MariaDB, and of MySQL.
_LETTERS = {True: "utf8mb4_nopad_bin", False: "utf8mb4_0900_bin"}
_DAY, _TIME = "'%Y-%m-%d'", "'%Y-%m-%d %H:%i:%s'"
_PLAIN = Read("BIGINT", "CAST({} AS SIGNED)")
#: By the number of the type in the protocol: how it is read. Single precision is read by its text,
#: as the driver reads it. Whole numbers without a sign may be too large for one: as they stand.
_TYPES: Mapping[int, Read] = MappingProxyType(
    {
        **dict.fromkeys((1, 2, 3, 9, 13), _PLAIN),  # tinyint to mediumint, year
        8: Read("BIGINT", "{}"),
        4: Read("DOUBLE", "CAST(CAST({} AS CHAR) AS DOUBLE)"),
        5: Read("DOUBLE", "{}"),
        10: Read("VARCHAR", f"DATE_FORMAT({{}}, {_DAY})"),
        **dict.fromkeys(
            (7, 12),
            Read(
                "VARCHAR",
                f"CONCAT(DATE_FORMAT({{0}}, {_TIME}), CASE WHEN MICROSECOND({{0}}) = 0 THEN '' "
                "ELSE DATE_FORMAT({0}, '.%f') END)",
            ),
        ),
    }
)
_TEXTS = (15, 252, 253, 254)
_DECIMAL = 246
#: By its text, as it would be sent: a quotient is kept with more digits than it has.
_SCORE = Read("DOUBLE", "CAST(CAST({} AS CHAR) AS DOUBLE)")


class _Plain:
    """The answers of a server, sums as the numbers that they are."""

    def __init__(self, server: MysqlServer) -> None:
        self._server = server

    def answer(self, text: str) -> tuple[list[str], list[Any]]:
        """The columns and the rows of the answer to one statement."""
        names, rows = self._server.answer(text)
        return names, [tuple(map(_plain, row)) for row in rows]


def _plain(value: Any) -> Any:
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)


@contextmanager
def mysql_counts(source: Any, wanted: Wanted, watch: QueryWatch) -> Iterator[DatabaseRows]:
    """The rows of a query for counting; ``source`` is an address, and gets the hash of its rows.

    Raises as ``mysql_rows``, and NotPlainError for columns whose types are not counted.
    """
    assert wanted.query is not None
    select = without_end(wanted.query.sql)
    with mysql_server(source.address, source.name, watch) as found:
        header, types = found.described(select)
        check_names(header, source.name)
        check_columns(source.name, wanted.columns, header)
        letters = _LETTERS[found.is_mariadb]
        reads = [
            _read(number, charset, letters, name in wanted.numbers)
            for name, (number, charset) in zip(header, types, strict=True)
        ]
        rows = DatabaseRows(_Plain(found), _MYSQL, source.name, select, header, reads, wanted.count)
        for name in wanted.columns:
            rows.field(name)
        source.digest.settle(rows.digest([f"{number} {charset}" for number, charset in types]))
        if not rows.rows:
            raise no_rows(source)
        wanted.watch.seen(rows.rows, rows.rows)
        yield rows


def _read(number: int, charset: str, letters: str, score: bool) -> Read | None:
    if number in _TEXTS:
        text = Read("VARCHAR", f"(CONVERT({{}} USING utf8mb4) COLLATE {letters})")
        return None if charset == "binary" else text
    return _SCORE if score and number == _DECIMAL else _TYPES.get(number)


def _said(node: Any) -> Any:
    """What MySQL and MariaDB say in another way; neither has NaN."""
    if isinstance(node, exp.IsNan):
        return exp.false()
    if isinstance(node, exp.RegexpLike):
        found = exp.Anonymous(this="REGEXP_INSTR", expressions=[node.this, node.expression])
        return exp.paren(found > 0)
    return node


def _hashed(columns: Sequence[str]) -> str:
    """Each value with a mark that ends it, and one of its own where there is none."""
    each = ", ".join(f"IFNULL(CONCAT('v', HEX(CAST({c} AS BINARY)), ' '), 'n ')" for c in columns)
    return f"SHA2(CONCAT({each}), 256)"


_MYSQL = SqlDialect(
    "mysql", _said, mark="`", hashed=_hashed, lane="CAST(CONV({}, 16, 10) AS UNSIGNED)"
)
