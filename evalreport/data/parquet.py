"""Parquet through DuckDB, which may open this one file and nothing else."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from evalreport.data.delimited_header import check_names
from evalreport.data.findings import quoted
from evalreport.data.limits import Limits
from evalreport.data.source import Source
from evalreport.data.table import Kind, RawColumn, RawTable
from evalreport.errors import DataError, LimitError, Location, Problem

_LOCKS = (
    "enable_external_access=false",
    "python_enable_replacements=false",
    "autoinstall_known_extensions=false",
    "autoload_known_extensions=false",
    "allow_community_extensions=false",
    "lock_configuration=true",
)
_SCAN = "read_parquet(?, hive_partitioning=false, filename=false, union_by_name=false)"
_INTEGERS = {f"{u}{size}INT" for u in ("", "U") for size in ("TINY", "SMALL", "BIG")} | {
    "INTEGER",
    "UINTEGER",
}
_HUGE = {"HUGEINT", "UHUGEINT"}
_FLOATS: dict[str, Kind] = {"FLOAT": "float32", "DOUBLE": "float64"}
_TEXTS = ("VARCHAR", "DATE", "TIME", "TIMESTAMP", "INTERVAL", "UUID", "ENUM", "DECIMAL")


def read_parquet(
    source: Source,
    limits: Limits,
    columns: Collection[str] | None = None,
    rows: int | None = None,
) -> RawTable:
    """Read columns of a Parquet file; NULL and NaN are missing, types stay as stored.

    Decimals, dates and times become text; columns of other types may be there but not
    be read. ``columns`` and ``rows`` as in ``read_delimited``. Raises DataError for a
    file that is no sound Parquet file, LimitError for more than ``limits`` allow.
    """
    with _connected(source) as (connection, path):
        header, types = _schema(connection, path)
        check_names(header, source.name)
        asked = [i for i, name in enumerate(header) if columns is None or name in columns]
        total = _row_count(connection, path, source.name)
        count = total if rows is None else min(rows, total)
        _check_size(count, len(asked), source.name, limits)
        kept = {
            header[i]: column
            for i, column in zip(
                asked, _columns(connection, path, header, types, asked, rows, limits), strict=True
            )
        }
    wrong = [name for name, column in kept.items() if len(column.values) != count]
    if wrong:
        raise _damaged(source.name, f"column {quoted(wrong[0])} has another number of rows")
    return RawTable(source.name, count, tuple(header), kept, sha256=source.sha256)


@contextmanager
def _connected(source: Source) -> Iterator[tuple[Any, str]]:
    """A locked connection, and the name under which it may read the file."""
    import duckdb

    with _plain_name(source.path) as path:
        connection = duckdb.connect(":memory:")
        try:
            quoted_path = path.replace("'", "''")
            connection.execute(f"SET allowed_paths=['{quoted_path}']")
            connection.execute("SET threads=2")
            for lock in _LOCKS:
                connection.execute(f"SET {lock}")
            yield connection, path
        except duckdb.Error as error:
            raise _damaged(source.name, str(error).splitlines()[0]) from None
        finally:
            connection.close()


@contextmanager
def _plain_name(path: Path) -> Iterator[str]:
    """A name of the file without the characters that DuckDB takes for a pattern."""
    if not any(mark in str(path) for mark in "*?[]{}"):
        yield str(path)
        return
    with tempfile.TemporaryDirectory(prefix="evalreport-") as folder:
        link = Path(folder).resolve() / "data.parquet"
        os.symlink(path, link)
        yield str(link)


def _schema(connection: Any, path: str) -> tuple[list[str], list[str]]:
    """Names of the top-level columns as written in the file, and DuckDB's types of them."""
    entries = connection.execute(
        "SELECT name, num_children FROM parquet_schema(?)", [path]
    ).fetchall()
    names: list[str] = []
    at = 1
    while at < len(entries):
        names.append(entries[at][0])
        open_entries = 1
        while open_entries and at < len(entries):
            open_entries += (entries[at][1] or 0) - 1
            at += 1
    described = connection.execute(f"DESCRIBE SELECT * FROM {_SCAN}", [path]).fetchall()
    if len(described) != len(names):
        raise _damaged(path, "the list of columns does not fit the columns")
    return names, [str(row[1]) for row in described]


def _row_count(connection: Any, path: str, name: str) -> int:
    told = connection.execute("SELECT num_rows FROM parquet_file_metadata(?)", [path])
    count = int(told.fetchall()[0][0])
    if count <= 0:
        raise DataError(Problem("the file has no rows", "give at least one", Location(name)))
    return count


def _check_size(rows: int, columns: int, name: str, limits: Limits) -> None:
    if rows * max(columns, 1) > limits.cells:
        raise LimitError(
            Problem(f"{rows:,} rows by {columns} columns are more than the limit of "
                    f"{limits.cells:,} values", "give a smaller file", Location(name))
        )


def _columns(
    connection: Any,
    path: str,
    header: list[str],
    types: list[str],
    asked: list[int],
    rows: int | None,
    limits: Limits,
) -> list[RawColumn]:
    # Columns are renamed by position, so that no name of the file becomes part of a query.
    if not asked:
        return []
    names = ", ".join(f"c{i}" for i in range(len(header)))
    table = f"{_SCAN} AS t({names})"
    limit = "" if rows is None else f" LIMIT {int(rows)}"
    wanted = ", ".join(f"{_expression(types[i], f'c{i}', header[i])} AS c{i}" for i in asked)
    found = connection.execute(f"SELECT {wanted} FROM {table}{limit}", [path]).fetchnumpy()
    return [_column(header[i], types[i], found[f"c{i}"]) for i in asked]


def _expression(kind: str, column: str, name: str) -> str:
    if kind in _INTEGERS or kind in _FLOATS or kind == "BOOLEAN":
        return column
    if kind.startswith("TIMESTAMP WITH TIME ZONE"):
        return f"CAST(make_timestamp(epoch_us({column})) AS VARCHAR) || '+00'"
    if kind == "VARCHAR[]":
        return column
    if not kind.endswith("]") and (kind in _HUGE or kind.startswith(_TEXTS)):
        return f"CAST({column} AS VARCHAR)"
    raise DataError(
        Problem(f"column {quoted(name)} has the type {kind}",
                "give text, numbers, booleans, dates or lists of text")
    )


def _column(name: str, kind: str, values: Any) -> RawColumn:
    missing = np.ma.getmaskarray(values).copy()
    data = np.ma.getdata(values)
    if kind in _FLOATS:
        return RawColumn(name, _FLOATS[kind], data, missing | np.isnan(data))
    if kind in _INTEGERS:
        return RawColumn(name, "integer", data, missing)
    if kind == "BOOLEAN":
        return RawColumn(name, "boolean", data.astype(np.bool_), missing)
    if kind in _HUGE:
        whole = [0 if gap else int(v) for v, gap in zip(data, missing, strict=True)]
        return RawColumn(name, "integer", np.array(whole, object), missing)
    if kind == "VARCHAR[]":
        lists = np.empty(len(data), object)
        lists[:] = [[] if gap else _texts(v) for v, gap in zip(data, missing, strict=True)]
        return RawColumn(name, "list", lists, missing)
    return RawColumn(name, "text", data, missing)


def _texts(values: Any) -> list[str]:
    return ["" if gap else str(v) for v, gap in zip(
        np.ma.getdata(values), np.ma.getmaskarray(values), strict=True)]


def _damaged(name: str, reason: str) -> DataError:
    return DataError(
        Problem(f"the file is no sound Parquet file ({reason})", "write it again", Location(name))
    )
