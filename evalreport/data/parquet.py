"""Columns of a Parquet file, as they are stored."""

from __future__ import annotations

from collections.abc import Collection
from typing import BinaryIO

from evalreport.data.duckdb_columns import columns_of, expression, is_number, kind_of
from evalreport.data.findings import quoted
from evalreport.data.interruptible import interruptible
from evalreport.data.limits import NUMBER_BYTES, TEXT_BYTES, Limits, Room, check_unpacked
from evalreport.data.parquet_file import (
    ParquetFile,
    check_pages,
    damaged,
    opened_parquet,
)
from evalreport.data.source import Source
from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import DataError, LimitError, Location, Problem


def read_parquet(
    source: Source,
    stream: BinaryIO,
    limits: Limits,
    columns: Collection[str] | None = None,
    rows: int | None = None,
    room: Room | None = None,
) -> RawTable:
    """Read columns of a Parquet file; NULL and NaN are missing, types stay as stored.

    Decimals, dates and times become text. Columns of types that are not read are left
    out unless they are asked for. ``columns``, ``rows`` and ``room`` as in
    ``read_delimited``; ``stream`` is the open file, for its pages. Raises DataError for a file that
    is damaged, LimitError for one with more than ``limits`` allow.
    """
    with opened_parquet(source) as file:
        asked = _asked(file, columns)
        count = file.rows if rows is None else min(rows, file.rows)
        check_cells(count, len(asked), source.name, limits)
        whole = limits if count == file.rows else None
        check_stored(file, stream, asked, source.size, whole)
        room = room or Room(source.name, source.size, limits)
        for i in asked:
            room.take(count, NUMBER_BYTES if is_number(file.types[i]) else TEXT_BYTES)
        kept = _columns(file, asked, count, limits, room)
    if any(len(column.missing) != count for column in kept):
        raise damaged(source.name, f"it does not contain the {count} rows that it states")
    by_name = {column.name: column for column in kept}
    return RawTable(source.name, count, tuple(file.header), by_name, sha256=source.sha256)


def _asked(file: ParquetFile, columns: Collection[str] | None) -> list[int]:
    if columns is None:
        return [i for i, kind in enumerate(file.types) if kind_of(kind)]
    asked = [i for i, name in enumerate(file.header) if name in columns]
    problems = [
        Problem(
            f"column {quoted(file.header[i])} has the type {file.types[i]}",
            "give text, numbers, booleans, dates or lists of text",
            Location(file.name),
        )
        for i in asked
        if not kind_of(file.types[i])
    ]
    if problems:
        raise DataError(*problems)
    return asked


def check_cells(rows: int, columns: int, name: str, limits: Limits) -> None:
    """Raise LimitError for more values than may be read."""
    if rows * max(columns, 1) > limits.cells:
        raise LimitError(
            Problem(
                f"{rows:,} rows by {columns} columns are more than the limit of "
                f"{limits.cells:,} values",
                "give a smaller file",
                Location(name),
            )
        )


def check_stored(
    file: ParquetFile,
    stream: BinaryIO,
    asked: Collection[int],
    size: int,
    limits: Limits | None,
) -> None:
    """Look at the pages of the asked columns before any is unpacked.

    Raises DataError for a file without rows, and where a page does not agree with its checksum,
    LimitError where together
    they claim to unpack to more than ``limits`` allow for a file of ``size`` bytes (None: where
    only the first rows are read).
    """
    if file.rows <= 0:
        raise DataError(Problem("the file has no rows", "give at least one", Location(file.name)))
    chunks = file.chunks(asked)
    found = check_pages(stream, chunks)
    if limits is not None:
        check_unpacked(file.name, found.unpacked, size, limits)
    problems = [
        Problem(
            f"a page of column {quoted(column)} (at byte {at}) does not agree with its checksum",
            "the file is damaged: get it again",
            Location(file.name),
        )
        for column, at in found.wrong
    ]
    if found.verified or found.wrong:
        problems += [
            Problem(
                f"the pages of column {quoted(column)} cannot be followed",
                "the file is damaged: get it again",
                Location(file.name),
            )
            for column in found.unread
        ]
    if problems:
        raise DataError(*problems)


def _columns(
    file: ParquetFile, asked: list[int], count: int, limits: Limits, room: Room
) -> list[RawColumn]:
    if not asked:
        return []
    room.take(0, more=_text_bytes(file, asked, count, limits))
    text = file.selection([f"{expression(file.types[i], f'c{i}')} AS c{i}" for i in asked], count)
    names = [file.header[i] for i in asked]
    return interruptible(
        file.connection, lambda: columns_of(file.connection, text, names, file.name)
    )


def _text_bytes(file: ParquetFile, asked: list[int], count: int, limits: Limits) -> int:
    """Bytes of the texts, added up before reading: one in a dictionary can stand for gigabytes."""
    sizes = [f"strlen(c{i})" for i in asked if file.types[i] == "VARCHAR"]
    sizes += [
        f"len(c{i}) * {TEXT_BYTES} + strlen(array_to_string(c{i}, ''))"
        for i in asked
        if file.types[i] == "VARCHAR[]"
    ]
    if not sizes:
        return 0
    if count < file.rows:
        found = file.connection.execute(file.selection(sizes, count)).fetchall()
    else:
        sums = [f"sum({size})" for size in sizes]
        text = file.selection(sums, count)
        found = interruptible(file.connection, lambda: file.connection.execute(text).fetchall())
    total = sum(int(size or 0) for row in found for size in row)
    if total > limits.bytes:
        raise LimitError(
            Problem(
                f"the text columns hold {total:,} bytes, more than the limit of {limits.bytes:,}",
                "give a smaller file",
                Location(file.name),
            )
        )
    return total
