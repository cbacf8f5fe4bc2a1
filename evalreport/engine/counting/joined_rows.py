"""Rows of two files joined by a column, as the relation ``data`` of a connection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalreport.data.files import parts_of
from evalreport.data.joined import Joined, check_keys, check_shared, without_partner
from evalreport.data.source import Source
from evalreport.data.table import PARTNER
from evalreport.engine.counting.file_columns import NUMBER
from evalreport.engine.counting.parquet_rows import Made, parquet_rows
from evalreport.engine.counting.text_rows import kept_rows
from evalreport.engine.databases.wanted import NotPlainError, Wanted, quoted_text
from evalreport.errors import DataError

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")


def joined_rows(connection: Any, source: Joined, paths: Sequence[str], wanted: Wanted) -> Made:
    """Make ``data`` of both files; header, types in it, and rows.

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
    _check_kinds(left[1][own], right[1][other])
    left_key, right_key = f"CAST(l.c{own} AS VARCHAR)", f"CAST(r.c{other} AS VARCHAR)"
    _check_once(connection, f"CAST(c{other} AS VARCHAR)", source)
    header, kinds, shown = _columns(left, right, wanted, source)
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
    return (*header, PARTNER), (*kinds, "VARCHAR"), int(rows)


def _side(
    connection: Any, source: Source, paths: Sequence[str], wanted: Wanted, key: str, name: str
) -> Made:
    """One file as a relation of its own."""
    if source.suffix.startswith((".jsonl", ".xlsx")):
        raise NotPlainError("a file of its kind is joined row by row")
    asked = replace(wanted, columns=(*wanted.columns, key), numbers=wanted.numbers - {key})
    if source.suffix == ".parquet":
        made = parquet_rows(connection, source, paths, asked.columns)
        connection.execute(f"ALTER VIEW data RENAME TO {name}")
    else:
        made = kept_rows(connection, source, paths, asked)
        connection.execute(f"DROP VIEW data; ALTER TABLE kept.data RENAME TO {name}")
        connection.execute(f"CREATE TEMP VIEW {name} AS SELECT * FROM kept.{name}")  # noqa: S608
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


def _columns(
    left: Made, right: Made, wanted: Wanted, source: Joined
) -> tuple[list[str], list[str], list[str]]:
    """The joined header, the types in it, and what selects the columns that are asked for."""
    own, other = source.on
    header: list[str] = []
    kinds: list[str] = []
    shown: list[str] = []
    right_key = right[0].index(other)
    for side, (names, types, _) in (("l", left), ("r", right)):
        for old, (name, kind) in enumerate(zip(names, types, strict=True)):
            if side == "r" and name in header:
                continue
            new = len(header)
            header.append(name)
            if side == "l" and name == own:
                kinds.append("VARCHAR")
                shown.append(
                    f"CAST(coalesce(CAST(l.c{old} AS VARCHAR), "
                    f"CAST(r.c{right_key} AS VARCHAR)) AS VARCHAR) AS c{new}"
                )
                continue
            kinds.append(kind)
            if name in wanted.columns:
                shown.append(f"{side}.c{old} AS c{new}")
                if kind == NUMBER:
                    shown.append(f"coalesce({side}.t{old}, false) AS t{new}")
    return header, kinds, shown
