"""What DuckDB answers, as columns: one rule for types and values, wherever rows come from.

Answers of servers come as Arrow and are read by DuckDB too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from evalreport.data.json_lines import json_value
from evalreport.data.table import CodedText, RawColumn
from evalreport.data.table import Kind as Stored
from evalreport.data.typed_values import column_of
from evalreport.errors import DataError, Location, Problem

_INTEGERS = {
    f"{sign}{size}" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
}
_FLOATS: dict[str, Stored] = {"FLOAT": "float32", "DOUBLE": "float64"}
_WITH_ZONE = "TIMESTAMP WITH TIME ZONE"
_LIST = "VARCHAR[]"
#: Lists of numbers, of any length or of a fixed one.
_VECTOR = re.compile(r"(U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\([0-9,]+\))\[[0-9]*\]")
#: Answers of so many rows share the texts that they have in common.
SHARED_FROM = 1_000
#: Rows of an answer that are fetched at a time.
AT_ONCE = 1_000_000


class Kind(StrEnum):
    """What the values of a column are, whatever a database calls their type."""

    WHOLE = "whole numbers"
    NUMBER = "numbers"
    FLAG = "true or false"
    TEXT = "text"
    DAY = "days"
    MOMENT = "times"
    TEXTS = "lists of texts"
    NUMBERS = "lists of numbers"
    ANY = "of any type"


#: By what a type is called, in whichever of the databases.
_NAMES = {
    **dict.fromkeys(
        ("tinyint", "smallint", "int", "integer", "bigint", "hugeint", "utinyint", "usmallint",
         "uinteger", "ubigint", "uhugeint"), Kind.WHOLE),
    **dict.fromkeys(("float", "real", "double", "double precision", "decimal", "numeric"),
                    Kind.NUMBER),
    "boolean": Kind.FLAG,
    **dict.fromkeys(
        ("text", "varchar", "string", "character varying", "character", "name", "citext", "inet",
         "cidr", "uuid", "interval", "time", "time_ns", "time without time zone",
         "time with time zone"),
        Kind.TEXT),
    "date": Kind.DAY,
    **dict.fromkeys(
        ("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp_ntz",
         "timestamp without time zone", "timestamp with time zone"), Kind.MOMENT),
}  # fmt: skip


def kind_of(type_name: str) -> Kind | None:
    """What the values of a type are, by its name in any of the databases; None: not taken.

    >>> kind_of("DECIMAL(9,2)").name, kind_of("timestamp_ntz").name, kind_of("real[]").name
    ('NUMBER', 'MOMENT', 'NUMBERS')
    >>> kind_of("BLOB"), kind_of("INTEGER[][]"), kind_of("ENUM('[', 'b')").name
    (None, None, 'TEXT')
    """
    if type_name.startswith("ENUM(") and type_name.endswith(")"):
        return Kind.TEXT
    of, begins, size = type_name.lower().partition("[")
    kind = _NAMES.get(re.sub(r"(\(| collate ).*", "", of))
    if not begins:
        return kind
    if of in ("text", "varchar", "character varying") and size == "]":
        return Kind.TEXTS
    return Kind.NUMBERS if kind in (Kind.WHOLE, Kind.NUMBER) and "[" not in size else None


def is_number(kind: str) -> bool:
    """Whether values of a DuckDB type are held as numbers, not as objects."""
    return kind in _INTEGERS or kind in _FLOATS or kind == "BOOLEAN"


def expression(kind: str, column: str) -> str:
    """What is selected of a column: itself, or its text where numpy would change it."""
    if kind in _INTEGERS or kind in _FLOATS or kind in ("BOOLEAN", "VARCHAR", _LIST):
        return column
    if _VECTOR.fullmatch(kind):
        return f"CAST({column} AS DOUBLE[])"
    if kind == _WITH_ZONE:
        # Written in UTC, whatever the zone of the machine.
        return f"CAST(make_timestamp(epoch_us({column})) AS VARCHAR) || '+00'"
    return f"CAST({column} AS VARCHAR)"


def quoted_text(text: str | None) -> str:
    """A text as a literal of a query, NULL for none.

    >>> quoted_text("it's"), quoted_text(None)
    ("'it''s'", 'NULL')
    """
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


#: What a date is told by that this package does not read.
_ODD = "!"
_MOMENT = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN NOT isfinite({0}) OR {1} < TIMESTAMP '0001-01-01' OR "
    "{1} > TIMESTAMP '9999-12-31 23:59:59.999999' THEN '!' ELSE substr(CAST({1} AS VARCHAR), 1, 19)"
    " || CASE WHEN epoch_us({1}) % 1000000 = 0 THEN '' ELSE strftime({1}, '.%f') END"
)
#: By the type of what comes: its text. Times with a zone are told in UTC.
_DATED = {
    "DATE": "CASE WHEN {0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' "
    "THEN CAST({0} AS VARCHAR) WHEN {0} IS NOT NULL THEN '!' END",
    "TIMESTAMP": _MOMENT.format("{0}", "CAST({0} AS TIMESTAMP)") + " END",
    "TIMESTAMP WITH TIME ZONE": _MOMENT.format("{0}", "make_timestamp(epoch_us({0}))")
    + " || '+00:00' END",
}


def columns_of(
    connection: Any, text: str, names: Sequence[str] | None, file: str
) -> list[RawColumn]:
    """The columns of an answer, called ``names``, as it calls them where None.

    Rows share the texts that are equal. Raises DataError for dates beyond the calendar, ValueError
    for a number written as JSON that has more digits than Python reads.
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE answer AS {text}")
    described = connection.execute("DESCRIBE answer").fetchall()
    kinds = [re.sub(r"^TIMESTAMP_(S|MS|NS)$", "TIMESTAMP", str(kind)) for _, kind, *_ in described]
    names = [str(name) for name, *_ in described] if names is None else names
    own = ['"' + str(name).replace('"', '""') + '"' for name, *_ in described]
    texts: dict[int, list[str]] = {}
    shown = []
    for place, (name, kind) in enumerate(zip(own, kinds, strict=True)):
        listed = _texts(connection, name, place) if kind == "VARCHAR" else []
        if listed:
            texts[place] = listed
            shown.append(f"enum_code(CAST({name} AS texts_{place})) AS c{place}")
        else:
            known = _DATED[kind].format(name) if kind in _DATED else expression(kind, name)
            shown.append(f"{known} AS c{place}")
    values = _fetched(connection, f"SELECT {', '.join(shown)} FROM answer")  # noqa: S608
    connection.execute("DROP TABLE answer")
    found = [
        _text_column(names[i], values[f"c{i}"], texts[i])
        if i in texts
        else _column(names[i], kinds[i], values[f"c{i}"], file)
        for i in range(len(names))
    ]
    odd = [
        Problem(
            f"{column.name} has dates before year 1, after 9999 or infinite",
            "dates of the years 1 to 9999, or the column as text",
            Location(file),
        )
        for column, kind in zip(found, kinds, strict=True)
        if kind in _DATED and bool(((column.values == _ODD) & ~column.missing).any())
    ]
    if odd:
        raise DataError(*odd)
    return found


def _fetched(connection: Any, text: str) -> dict[str, Any]:
    """The columns of the answer, masked where NULL; DuckDB holds what it gives a second time."""
    ((rows,),) = connection.execute("SELECT count(*) FROM answer").fetchall()
    found: dict[str, Any] = {}
    for start in range(0, max(rows, 1), AT_ONCE):
        part = f"{text} WHERE rowid >= {start} AND rowid < {start + AT_ONCE}"
        values = connection.execute(part).fetchnumpy()
        if rows <= AT_ONCE:
            return dict(values)
        for name, own in values.items():
            if name not in found:
                found[name] = np.ma.array(np.empty(rows, own.dtype), mask=np.zeros(rows, np.bool_))
            found[name][start : start + AT_ONCE] = own
    return found


def _texts(connection: Any, column: str, place: int) -> list[str]:
    """The texts of a column of the answer, as a type of their own; none where few are shared."""
    distinct = f"SELECT DISTINCT {column} FROM answer WHERE {column} IS NOT NULL"  # noqa: S608
    counts = f"SELECT count(*), (SELECT count(*) FROM answer) FROM ({distinct})"  # noqa: S608
    some, every = connection.execute(counts).fetchone()
    if every < SHARED_FROM or not some or some > every // 2:
        return []
    name = f"texts_{place}"
    connection.execute(
        f"DROP TYPE IF EXISTS {name}; CREATE TEMP TYPE {name} AS ENUM ({distinct} ORDER BY 1)"
    )
    ((listed,),) = connection.execute(f"SELECT enum_range(NULL::{name})").fetchall()
    return list(listed)


def _column(name: str, kind: str, values: Any, file: str) -> RawColumn:
    """A column of what DuckDB gave, masked where NULL; of JSON the values that are written."""
    missing = np.ma.getmaskarray(values).copy()
    data = np.ma.getdata(values)
    if kind == "JSON":
        pairs = zip(data.tolist(), missing.tolist(), strict=True)
        return column_of(name, [None if gap else json_value(text) for text, gap in pairs], file)
    if kind in _FLOATS:
        return RawColumn(name, _FLOATS[kind], data, missing | np.isnan(data))
    if kind in _INTEGERS:
        return RawColumn(name, "integer", data, missing)
    if kind == "BOOLEAN":
        return RawColumn(name, "boolean", data.astype(np.bool_), missing)
    if kind == _LIST:
        lists = np.empty(len(data), object)
        for row in np.flatnonzero(~missing).tolist():
            lists[row] = _listed(data[row])
        return RawColumn(name, "list", lists, missing)
    if _VECTOR.fullmatch(kind):
        vectors = np.empty(len(data), object)
        for row in np.flatnonzero(~missing).tolist():
            gaps = np.ma.getmaskarray(data[row])
            given = np.ma.getdata(data[row]).tolist()
            vectors[row] = [None if gap else v for v, gap in zip(given, gaps, strict=True)]
        return RawColumn(name, "vector", vectors, missing)
    return RawColumn(name, "text", data, missing)


def _text_column(name: str, places: Any, texts: Sequence[str]) -> RawColumn:
    """A column of text of the places of its texts, masked where NULL; rows share the texts."""
    of = np.ma.getdata(places).astype(np.int32)
    of[np.ma.getmaskarray(places)] = -1
    return CodedText.of(name, of, texts)


def _listed(values: Any) -> list[str]:
    gaps = np.ma.getmaskarray(values)
    return ["" if gap else str(v) for v, gap in zip(np.ma.getdata(values), gaps, strict=True)]
