"""Columns of files as queries call them: by their place, whatever their names are."""

from __future__ import annotations

from typing import Any

from evalreport.data.duckdb_columns import Kind, kind_of, quoted_text
from evalreport.engine.databases.query_text import DUCKDB, Column

#: The text of a value that is written as JSON: 1, 1.0 and "1" are one.
_JSON = (
    "CASE WHEN {0} LIKE '\"%' THEN substr({0}, 2, length({0}) - 2) "
    "ELSE regexp_replace({0}, '\\.0$', '') END"
)


def types_of(connection: Any, relation: str) -> dict[str, str]:
    """The DuckDB names of the types of a relation's columns."""
    described = connection.execute(f"DESCRIBE FROM {relation}").fetchall()
    return {str(name): str(kind) for name, kind, *_ in described}


def file_column(name: str, place: int, kind: str) -> Column:
    """A column of ``data``; ``kind``: the DuckDB name of its type, none where it is not read."""
    own, json = f"c{place}", kind == "JSON"
    text = _JSON.format(own) if json else own
    return Column(name, text, Kind.TEXT if json else kind_of(kind), kind, plain=own)


def kept_column(name: str, place: int, kind: str, number: bool) -> str:
    """How a column of text is kept: as it is, or as its numbers, where others end the reading."""
    if not number:
        return f"c{place}"
    column = file_column(name, place, kind)
    wrong = quoted_text(f"{name} is not a finite number in some rows")
    return (
        f"CASE WHEN {DUCKDB.no_number(column)} THEN error({wrong}) "
        f"ELSE {DUCKDB.as_number(column)} END AS c{place}"
    )
