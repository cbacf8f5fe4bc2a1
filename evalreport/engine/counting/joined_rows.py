"""Rows of two files joined by a column, as the relation ``data`` of a connection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalreport.data.duckdb_columns import quoted_text
from evalreport.data.files import parts_of
from evalreport.data.joined import Joined, check_keys, check_shared, without_partner
from evalreport.data.source import Source
from evalreport.data.table import PARTNER
from evalreport.engine.counting.file_columns import types_of
from evalreport.engine.counting.parquet_rows import Made, parquet_rows
from evalreport.engine.counting.text_rows import kept_rows
from evalreport.engine.databases.wanted import NotPlainError, Wanted
from evalreport.errors import DataError

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")


def joined_rows(connection: Any, source: Joined, paths: Sequence[str], wanted: Wanted) -> Made:
    """Make ``data`` of both files; its header, and how many rows.

    Every row of either is there once; the last column says which have no partner. Raises
    NotPlainError for files that are to be read row by row.
    """
    cut = len(parts_of(source.left))
    try:
        left = _side(connection, source.left, paths[:cut], wanted, source.on[0], "left_rows")
        right = _side(connection, source.right, paths[cut:], wanted, source.on[1], "right_rows")
        check_shared(left[0], right[0], wanted.columns, source)
    except DataError as error:
        # The reader of rows finds it again, with the place.
        raise NotPlainError(str(error).splitlines()[0]) from None
    own, other = left[0].index(source.on[0]), right[0].index(source.on[1])
    types = types_of(connection, "left_rows"), types_of(connection, "right_rows")
    _check_kinds(types[0][f"c{own}"], types[1][f"c{other}"])
    left_key, right_key = f"CAST(l.c{own} AS VARCHAR)", f"CAST(r.c{other} AS VARCHAR)"
    _check_once(connection, f"CAST(c{other} AS VARCHAR)", source)
    header = [*left[0], *(name for name in right[0] if name not in left[0])]
    shown = [f"coalesce({left_key}, {right_key}) AS c{own}"]
    for place, name in enumerate(header):
        if place != own and name in wanted.columns:
            in_left = place < len(left[0])
            old = f"l.c{place}" if in_left else f"r.c{right[0].index(name)}"
            shown.append(f"{old} AS c{place}")
    place = len(header)
    partner = (
        f"CASE WHEN l.here IS NULL THEN {quoted_text(without_partner(source.left.name))} "
        f"WHEN r.here IS NULL THEN {quoted_text(without_partner(source.right.name))} END"
    )
    # No name and no text of a file is in here but as a quoted literal.
    connection.execute(
        f"CREATE TEMP TABLE data AS SELECT {', '.join(shown)}, {partner} AS c{place} "  # noqa: S608
        f"FROM (SELECT *, 1 AS here FROM left_rows) l "
        f"FULL JOIN (SELECT *, 1 AS here FROM right_rows) r "
        f"ON nullif({left_key}, '') = nullif({right_key}, '')"
    )
    ((rows,),) = connection.execute("SELECT count(*) FROM data").fetchall()
    return (*header, PARTNER), int(rows)


def _side(
    connection: Any, source: Source, paths: Sequence[str], wanted: Wanted, key: str, name: str
) -> Made:
    """One file as a relation of its own."""
    if source.suffix.startswith((".jsonl", ".xlsx")):
        raise NotPlainError("a file of its kind is joined row by row")
    asked = replace(wanted, columns=(*wanted.columns, key), numbers=wanted.numbers - {key})
    if source.suffix == ".parquet":
        made = parquet_rows(connection, source, paths, asked.columns, name)
    else:
        made = kept_rows(connection, source, paths, asked, name)
    check_keys(made[0], key, source.name)
    return made


def _check_kinds(left: str, right: str) -> None:
    for kind in (left, right):
        if kind != "VARCHAR" and kind.removeprefix("U") not in _WHOLE:
            raise NotPlainError("rows are named by other values than text and whole numbers")


def _check_once(connection: Any, key: str, source: Joined) -> None:
    found = connection.execute(
        f"SELECT 1 FROM right_rows WHERE nullif({key}, '') IS NOT NULL "  # noqa: S608
        f"GROUP BY {key} HAVING count(*) > 1 LIMIT 1"
    ).fetchone()
    if found is not None:
        raise NotPlainError(f"{source.right.name} names a row twice")
