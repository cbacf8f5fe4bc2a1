"""Columns of files as queries call them: by their place, whatever their names are."""

from __future__ import annotations

from evalreport.engine.databases.query_text import DUCKDB, Column, Kind

#: A column whose texts were read as numbers when they were kept; ``t0``, ``t1``, ... beside it say
#: whether a text is there that is none.
NUMBER = "NUMBER"
_KINDS = {
    **{f"{sign}{size}": Kind.WHOLE for sign in ("", "U")
       for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")},
    **dict.fromkeys(("FLOAT", "DOUBLE", NUMBER), Kind.NUMBER),
    "BOOLEAN": Kind.FLAG,
}  # fmt: skip
#: The text of a value that is written as JSON: 1, 1.0 and "1" are one.
_JSON = (
    "CASE WHEN {0} LIKE '\"%' THEN substr({0}, 2, length({0}) - 2) "
    "ELSE regexp_replace({0}, '\\.0$', '') END"
)


def file_column(name: str, place: int, kind: str) -> Column:
    """A column of ``data``; ``kind``: the DuckDB name of its type, JSON, or NUMBER."""
    own = f"c{place}"
    text = _JSON.format(own) if kind == "JSON" else own
    return Column(name, text, _KINDS.get(kind, Kind.TEXT), kind, plain=own)


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
