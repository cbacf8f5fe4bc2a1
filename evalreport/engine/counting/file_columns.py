"""Columns of files as queries call them: by their place, whatever their names are."""

from __future__ import annotations

from typing import Any

from evalreport.engine.databases.query_text import DUCKDB, Column, Kind, kind_of

#: The text of a value that is written as JSON: 1, 1.0 and "1" are one.
_JSON = (
    "CASE WHEN {0} LIKE '\"%' THEN substr({0}, 2, length({0}) - 2) "
    "ELSE regexp_replace({0}, '\\.0$', '') END"
)


def types_of(connection: Any, relation: str) -> dict[str, str]:
    """The DuckDB names of the types of a relation's columns."""
    described = connection.execute(f"DESCRIBE FROM {relation}").fetchall()
    return {str(name): str(kind) for name, kind, *_ in described}


def file_column(name: str, place: int, kind: str, parsed: bool = False) -> Column:
    """A column of ``data``; ``kind``: the DuckDB name of its type, none where it is not read.

    ``parsed``: it is the number that a text was read as.
    """
    own, json = f"c{place}", kind == "JSON"
    return Column(
        name,
        _JSON.format(own) if json else own,
        Kind.TEXT if json else kind_of(kind),
        kind,
        plain=own,
        wrong=f"t{place}" if parsed else "",
    )


def kept_columns(place: int, kind: str, number: bool) -> list[str]:
    """How a column of text is kept: as it is, or as its number and whether it is none."""
    if not number:
        return [f"c{place}"]
    column = file_column("", place, kind)
    wrong = DUCKDB.no_number(column)
    return [
        f"CASE WHEN NOT ({wrong}) THEN {DUCKDB.times(column)} END AS c{place}",
        f"{wrong} AS t{place}",
    ]
