"""The query of kinds that each dataset of a spec needs, to be run by any tool of any database.

Its answer, exported as a file, is the dataset: with ``count: n``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalreport.engine.counting.choosing import columns_alone, counts_lack
from evalreport.engine.databases.query_text import grouped_by_name, rounded
from evalreport.plan.from_spec import requests_of
from evalreport.predict.columns import columns_needed, columns_read, score_columns
from evalreport.spec.datasets import ClusterTable, Query
from evalreport.spec.model import Spec

#: What stands around a name in each dialect.
MARKS = {
    **dict.fromkeys(("postgres", "sqlite", "duckdb", "snowflake"), '""'),
    **dict.fromkeys(("spark", "bigquery", "databricks", "mysql"), "``"),
    "tsql": "[]",
    "sas": "",
}
#: Dialects in which texts that differ in case or in blanks at their end are one, unless told.
COLLATIONS = {"mysql": "utf8mb4_0900_bin", "tsql": "Latin1_General_100_BIN2"}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}", re.ASCII)


def printed_queries(spec: Spec, dialect: str) -> str:
    """The queries of all datasets in a dialect, each behind a comment that says what to do."""
    return "\n\n".join(_of_dataset(spec, name, dialect) for name in spec.datasets) + "\n"


def _of_dataset(spec: Spec, name: str, dialect: str) -> str:
    dataset = spec.datasets[name]
    requests = requests_of(spec)
    subgroups = requests.subgroup_columns
    read = columns_read(spec, name, subgroups)
    why = counts_lack(spec, name)
    if why is None and read is None:
        why = "every column of a row is needed"
    if dataset.table is not None:
        return f"/* {_said(name)}: a table in the spec, which is counted already */"
    if why is not None:
        return f"/* {_said(name)}: kinds of rows are not enough: {_said(why)} */"
    columns = [
        column
        for column in dict.fromkeys((*(read or ()), *columns_needed(spec, name, subgroups),
                                     *columns_alone(spec)))
        if column not in (dataset.id, dataset.count)
    ]  # fmt: skip
    count = dataset.count or "n"
    ids = "" if dataset.id is None else f", without `id: {_said(dataset.id)}`"
    told = f"/* {_said(name)}: its answer as a file, with `count: {_said(count)}`{ids} */"
    if dataset.join is not None:
        other, on = map(_said, (str(dataset.join.path), dataset.join.left))
        told += f"\n/* its rows are joined with those of {other} on {on} first; "
        told += "the answer is without `join` */"
    if dialect in COLLATIONS:
        own = f"COLLATE {COLLATIONS[dialect]}"
        told += f"\n/* texts that differ in case are one kind here, unless each column has {own} */"
    quoted = {column: _quoted(column, dialect) for column in (*columns, count)}
    # A file with counts is what the answer will be; a query may give counts itself.
    adds = dataset.count is not None and isinstance(dataset.path, Query | ClusterTable)
    times = _taken(count, dialect) if adds else None
    rounded = () if spec.engine.grain is None else score_columns(spec, name, subgroups)
    pairs = [
        (_value(column, dialect, spec.engine.grain if column in rounded else None), quoted[column])
        for column in columns
    ]
    return f"{told}\n{grouped_by_name(_rows(spec, name, dialect), pairs, times, quoted[count])};"


def _rows(spec: Spec, name: str, dialect: str) -> str:
    """What stands behind FROM: the query of the spec, its table, or one called as the dataset."""
    path = spec.datasets[name].path
    if isinstance(path, Query) and path.sql is not None:
        return "(\n" + path.sql.rstrip("; \n\t") + "\n) AS q"
    table = path.table if isinstance(path, Query | ClusterTable) else None
    parts: Sequence[str] = [name] if table is None else table.split(".")
    rows = ".".join(_taken(part, dialect) for part in parts)
    where = path.where if isinstance(path, ClusterTable) else None
    return rows if where is None else f"{rows}\nWHERE (\n{where}\n)"


def _value(name: str, dialect: str, grain: float | None) -> str:
    """What rows are told apart by in a column: its values, or its scores as rounded."""
    taken = _taken(name, dialect)
    return taken if grain is None else rounded(taken, grain)


def _taken(name: str, dialect: str) -> str:
    """A name as the rows have it: Snowflake holds names without quotes in capital letters."""
    return name if dialect == "snowflake" and _PLAIN.fullmatch(name) else _quoted(name, dialect)


def _quoted(name: str, dialect: str) -> str:
    """A name with the quotes of a dialect.

    >>> _quoted("a b", "tsql"), _quoted("score", "sas"), _quoted("a b", "sas")
    ('[a b]', 'score', '"a b"n')
    """
    marks = MARKS[dialect]
    if not marks:
        return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"n'
    return f"{marks[0]}{name.replace(marks[1], 2 * marks[1])}{marks[1]}"


def _said(text: str) -> str:
    """A text within a comment, which it does not end."""
    return text.replace("*/", "* /").replace("/*", "/ *")
