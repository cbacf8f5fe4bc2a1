"""Rows of Parquet files, one or several, as a relation of a connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.data.duckdb_columns import expression, kind_of, quoted_text
from evalreport.data.files import Files, Part, parts_of
from evalreport.data.limits import DEFAULT_LIMITS
from evalreport.data.parquet import check_cells, check_stored
from evalreport.data.parquet_file import ParquetFile
from evalreport.data.read import not_twice, same_columns
from evalreport.data.source import Source, opened
from evalreport.engine.databases.wanted import NotPlainError

_SCAN = "hive_partitioning=false, filename=false, union_by_name=false"

#: The header of rows, and how many there are.
Made = tuple[tuple[str, ...], int]


def parquet_rows(
    connection: Any,
    source: Source,
    paths: Sequence[str],
    columns: tuple[str, ...],
    relation: str = "data",
) -> Made:
    """Make a relation; its header, and how many rows. Raises DataError for damaged files.

    Columns that stand in the names of folders are added; they are read from no file. Raises
    NotPlainError for columns of several types.
    """
    files = _checked_files(connection, source, paths, columns)
    first, keys = files[0], source.keys if isinstance(source, Files) else ()
    text = _relation(first.types, parts_of(source), paths, len(keys))
    connection.execute(f"CREATE TEMP VIEW {relation} AS {text}")
    return (*first.header, *keys), sum(file.rows for file in files)


def _relation(types: Sequence[str], parts: Sequence[Part], paths: Sequence[str], keys: int) -> str:
    """The SELECT of some files' rows, their columns called by their place.

    ``keys``: how many columns stand in the names of folders.
    """
    shown = [
        f"{expression(kind, f'c{i}')} AS c{i}" for i, kind in enumerate(types) if kind_of(kind)
    ]
    width = len(types)
    for place in range(keys):
        values = ", ".join(quoted_text(part.values[place]) for part in parts)
        # A list by the number of the file: nothing is stored or read for these columns.
        shown.append(f"([{values}])[CAST(part AS BIGINT) + 1] AS c{width + place}")
    names = ", ".join([f"c{i}" for i in range(width)] + ["part"])
    listed = ", ".join(quoted_text(path) for path in paths)
    # No name and no text of the file is in here, and the paths are quoted literals.
    return (
        f"SELECT {', '.join(shown)} FROM (SELECT *, file_index "  # noqa: S608
        f"FROM read_parquet([{listed}], {_SCAN})) AS t({names})"
    )


def _checked_files(
    connection: Any, source: Source, paths: Sequence[str], columns: tuple[str, ...]
) -> list[ParquetFile]:
    """The files of a dataset: whole, with rows, of the same columns, and no more than are read."""
    parts = parts_of(source)
    files = [
        ParquetFile(connection, path, part.name) for part, path in zip(parts, paths, strict=True)
    ]
    same_columns([(file.name, tuple(file.header)) for file in files])
    asked = [i for i, name in enumerate(files[0].header) if name in columns]
    for file, part in zip(files, parts, strict=True):
        with opened(part.source) as stream:
            check_stored(file, stream, asked, part.source.size, DEFAULT_LIMITS)
    check_cells(sum(file.rows for file in files), len(asked), files[0].name, DEFAULT_LIMITS)
    if isinstance(source, Files):
        not_twice(source, files[0].header)
        same_types(
            [(file.name, [file.types[i] for i in asked]) for file in files],
            [files[0].header[i] for i in asked],
        )
    return files


def same_types(files: Sequence[tuple[str, Sequence[str]]], columns: Sequence[str]) -> None:
    """Raise NotPlainError where files, by name, have other types in some columns than the first."""
    first, types = files[0]
    for file, own in files[1:]:
        for name, kind, other in zip(columns, own, types, strict=True):
            if kind != other:
                raise NotPlainError(f"{name} is {kind} in {file} and {other} in {first}")
