"""Rows of Parquet files, one or several, as the relation ``data`` of a connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from evalreport.data.files import Files, Part, parts_of
from evalreport.data.limits import DEFAULT_LIMITS
from evalreport.data.parquet import check_cells, check_stored
from evalreport.data.parquet_file import ParquetFile
from evalreport.data.parquet_types import expression, readable
from evalreport.data.read import not_twice, same_columns
from evalreport.data.source import Source, opened
from evalreport.engine.databases.wanted import NotPlainError, quoted_text
from evalreport.errors import DataError, Location, Problem

#: Types whose values are their own text.
_PLAIN = ("VARCHAR", "BOOLEAN", "FLOAT", "DOUBLE")
_SCAN = "hive_partitioning=false, filename=false, union_by_name=false"


class HasColumns(Protocol):
    """What tells whether files are alike."""

    @property
    def name(self) -> str:
        """What a file is called."""

    @property
    def header(self) -> Sequence[str]:
        """Its columns."""

    @property
    def types(self) -> Sequence[str]:
        """Their types."""

    @property
    def rows(self) -> int:
        """Its rows."""


Made = tuple[tuple[str, ...], tuple[str, ...], int]


def parquet_rows(
    connection: Any, source: Source, paths: Sequence[str], columns: tuple[str, ...]
) -> Made:
    """Make ``data``; header, types in it, and rows. Raises DataError for damaged files.

    Columns that stand in the names of folders are added; they are read from no file.
    """
    files = checked_files(connection, source, paths, columns)
    first, keys = files[0], keys_of(source)
    text = relation(first.types, parts_of(source), paths, len(keys))
    connection.execute(f"CREATE TEMP VIEW data AS {text}")
    return (*first.header, *keys), shown_types(first.types, keys), sum(file.rows for file in files)


def keys_of(source: Source) -> tuple[str, ...]:
    """The columns that stand in the names of folders."""
    return source.keys if isinstance(source, Files) else ()


def shown_types(types: Sequence[str], keys: Sequence[str]) -> tuple[str, ...]:
    """The types of columns in ``data``, those in the names of folders last."""
    return (*(_shown_type(kind) for kind in types), *("VARCHAR" for _ in keys))


def relation(types: Sequence[str], parts: Sequence[Part], paths: Sequence[str], keys: int) -> str:
    """The SELECT of some files' rows, their columns called by their place.

    ``keys``: how many columns stand in the names of folders.
    """
    shown = [
        f"{expression(kind, f'c{i}')} AS c{i}" for i, kind in enumerate(types) if readable(kind)
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


def checked_files(
    connection: Any, source: Source, paths: Sequence[str], columns: tuple[str, ...]
) -> list[ParquetFile]:
    """The files of a dataset: whole, with rows, and of the same columns.

    Raises DataError for damaged files, NotPlainError for columns of several types.
    """
    parts = parts_of(source)
    files = [
        ParquetFile(connection, path, part.name) for part, path in zip(parts, paths, strict=True)
    ]
    same_columns([(file.name, tuple(file.header)) for file in files])
    for file, part in zip(files, parts, strict=True):
        check_file(file, part, columns)
    check_alike(source, files, columns)
    return files


def check_alike(source: Source, files: Sequence[HasColumns], columns: tuple[str, ...]) -> None:
    """Look whether files are of one dataset, with no more values than are read.

    Raises DataError, and NotPlainError for columns of several types.
    """
    same_columns([(file.name, tuple(file.header)) for file in files])
    asked = [name for name in files[0].header if name in columns]
    check_cells(sum(file.rows for file in files), len(asked), files[0].name, DEFAULT_LIMITS)
    if isinstance(source, Files):
        not_twice(source, files[0].header)
        _same_types(files, columns)


def check_file(file: ParquetFile, part: Part, columns: tuple[str, ...]) -> None:
    """Raise DataError for a file that is damaged, or has no rows."""
    if file.rows <= 0:
        told = Problem("the file has no rows", "give at least one", Location(file.name))
        raise DataError(told)
    asked = [i for i, name in enumerate(file.header) if name in columns]
    with opened(part.source) as stream:
        check_stored(file, stream, asked, part.source.size, DEFAULT_LIMITS)


def _same_types(files: Sequence[HasColumns], columns: tuple[str, ...]) -> None:
    first = files[0]
    for file in files[1:]:
        for name, own, other in zip(first.header, file.types, first.types, strict=True):
            if name in columns and own != other:
                raise NotPlainError(f"{name} is {own} in {file.name} and {other} in {first.name}")


def _shown_type(kind: str) -> str:
    """The type of a column in ``data``: itself for plain values and integers, else text."""
    whole = kind.removeprefix("U") in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
    if kind.endswith("]"):
        return kind if kind == "VARCHAR[]" else "DOUBLE[]"
    return kind if kind in _PLAIN or whole else "VARCHAR"
