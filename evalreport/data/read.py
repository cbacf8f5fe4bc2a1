"""A file of any format to a table, by its suffix; the file is proved to hold still meanwhile.

Sheets of Excel files need ``pip install 'evalreport[excel]'``.
"""

from __future__ import annotations

import dataclasses
import zipfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from evalreport.data.decimals import in_dialect
from evalreport.data.delimited import check_names, read_delimited
from evalreport.data.dialect import BLANKS
from evalreport.data.files import Files, Part
from evalreport.data.findings import SHOWN_ROWS, quoted, some
from evalreport.data.joined import Joined, check_keys, check_shared, joined_table
from evalreport.data.json_lines import read_json_lines
from evalreport.data.limits import DEFAULT_LIMITS, Limits, Room, check_archive, decompressed
from evalreport.data.parquet import read_parquet
from evalreport.data.source import Source, reading
from evalreport.data.table import RawColumn, RawTable
from evalreport.data.typed_values import column_of
from evalreport.errors import (
    DataError,
    EvalreportError,
    FilesError,
    LimitError,
    Location,
    Problem,
    did_you_mean,
)


def read_sheet(
    stream: BinaryIO,
    name: str,
    sheet: str | None,
    limits: Limits,
    columns: Collection[str] | None = None,
    rows: int | None = None,
    room: Room | None = None,
    strip: bool = False,
) -> RawTable:
    """The rows of a sheet, the first one unless it is named; its first row is the header.

    Formulas have the values that were stored with them; empty rows and columns at the end
    are no rows. Every cell up to the last one of a row counts against ``room``, as one far to
    the right makes a whole row. Raises DataError for what is no such file, FilesError where
    the reader is not installed, LimitError for one that is too large.
    """
    where = Location(name)
    _check_size(stream, name, limits)
    book = _opened(stream, where)
    try:
        if sheet is not None and sheet not in book.sheetnames:
            hint = did_you_mean(sheet, book.sheetnames, "sheets")
            raise DataError(Problem(f"there is no sheet '{sheet}'", hint, where))
        found = book[sheet] if sheet is not None else book[book.sheetnames[0]]
        most = None if rows is None else rows + 1
        body = _body(found, most, room or Room(name, stream.seek(0, 2), limits), where)
    finally:
        book.close()
    while body and not any(cell not in (None, "") for cell in body[-1]):
        body.pop()
    if len(body) < 2:
        raise DataError(Problem("the sheet has no rows", "a header and at least one row", where))
    width = max(i + 1 for row in body for i, cell in enumerate(row) if cell not in (None, ""))
    header = [_named(cell) for cell in _wide(body[0], width)]
    header = [name.strip(BLANKS) for name in header] if strip else header
    check_names(header, name, line=1)
    cells = [_wide(row, width) for row in body[1:]]
    return RawTable(
        name=name,
        rows=len(cells),
        header=tuple(header),
        columns={
            title: column_of(title, [_value(row[i]) for row in cells], name)
            for i, title in enumerate(header)
            if columns is None or title in columns
        },
        first_line=2,
    )


def _body(sheet: Any, most: int | None, room: Room, where: Location) -> list[list[Any]]:
    """The cells of the first ``most`` rows."""
    body: list[list[Any]] = []
    try:
        for row in islice(sheet.iter_rows(values_only=True), most):
            room.take(len(row))
            body.append(list(row))
    except EvalreportError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a damaged sheet makes its reader raise
        what = f"the sheet cannot be read: {error}"
        raise DataError(Problem(what, "a file saved as .xlsx", where)) from None
    return body


def _check_size(stream: BinaryIO, name: str, limits: Limits) -> None:
    """Raise for what is no zip archive, and for one that would unfold beyond the limits."""
    size = stream.seek(0, 2)
    stream.seek(0)
    try:
        with zipfile.ZipFile(stream) as archive:
            check_archive(name, archive.infolist(), size, limits)
    except (zipfile.BadZipFile, OSError, ValueError):
        raise DataError(
            Problem("the file is not an Excel file", "a file saved as .xlsx", Location(name))
        ) from None
    stream.seek(0)


def _opened(stream: BinaryIO, where: Location) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise FilesError(
            Problem("reading Excel files needs openpyxl", "pip install 'evalreport[excel]'", where)
        ) from None
    try:
        return openpyxl.load_workbook(stream, read_only=True, data_only=True)
    except Exception as error:  # noqa: BLE001 - whatever a damaged book makes it raise
        raise DataError(
            Problem(f"the file is not an Excel file: {error}", "a file saved as .xlsx", where)
        ) from None


def _wide(row: list[Any], width: int) -> list[Any]:
    return [*row[:width], *[None] * (width - len(row))]


def _named(cell: Any) -> str:
    """The name of a column: text, or a whole number by its digits."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return "" if cell is None else str(cell)


def _value(cell: Any) -> Any:
    """A cell's value; whole numbers, which Excel stores like all others, are whole."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return int(cell)
    return None if cell == "" else cell


SUFFIXES = (
    ".csv",
    ".tsv",
    ".txt",
    ".jsonl",
    ".csv.gz",
    ".tsv.gz",
    ".jsonl.gz",
    ".parquet",
    ".xlsx",
)
#: What stands between columns, by the kind of file, unless it is declared (as it has to be
#: for .txt, where it may be anything).
DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_SAMPLE = 1_000


@dataclass(frozen=True)
class ColumnNames:
    """The header of a file and a table of its first rows."""

    header: tuple[str, ...]
    sample: RawTable


def read_table(
    source: Source,
    columns: Collection[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    rows: int | None = None,
    seen: Callable[[int], None] | None = None,
    room: Room | None = None,
) -> RawTable:
    """Read a file: the asked ``columns`` (default all) of all rows (or the first ``rows``).

    Of several files each is read so, and put after the one before; the first ``rows`` are
    then those of the first file. ``seen`` is told from time to time how many rows of a text
    file have been read. ``room`` is what its values may take in memory, where other files
    share it.

    Raises DataError for wrong content, FilesError for a file that cannot be read or
    changes meanwhile, LimitError for one that is too large.
    """
    if isinstance(source, Joined):
        return _read_joined(source, columns, limits, rows, seen)
    if isinstance(source, Files):
        return _read_files(source, columns, limits, rows, seen)
    room = room or Room(source.name, source.size, limits)
    suffix, gzipped = source.suffix.removesuffix(".gz"), source.suffix.endswith(".gz")
    dialect = source.dialect
    if dialect.pivot is not None:
        columns = None  # classes become columns once it is read
    with reading(source) as stream:
        if source.suffix == ".parquet":
            made = read_parquet(source, stream, limits, columns, rows, room)
            return in_dialect(made, dialect)
        if source.suffix == ".xlsx":
            table = read_sheet(
                stream, source.name, dialect.sheet, limits, columns, rows, room, dialect.strip
            )
            return in_dialect(dataclasses.replace(table, sha256=source.sha256), dialect)
        plain = decompressed(stream, source.name, source.size, gzipped, limits)
        if suffix in DELIMITERS:
            delimiter = dialect.delimiter or DELIMITERS[suffix]
            table = read_delimited(
                plain, source.name, delimiter, columns, rows, seen, room, dialect
            )
        elif suffix == ".jsonl":
            table = read_json_lines(plain, source.name, columns, rows, seen, room, dialect.decoding)
        else:
            raise DataError(
                Problem(
                    f"files of the kind '{source.suffix}' are not read",
                    f"kinds are: {', '.join(SUFFIXES)}",
                    Location(source.name),
                )
            )
        return in_dialect(dataclasses.replace(table, sha256=source.sha256), dialect)


def column_names(source: Source, limits: Limits = DEFAULT_LIMITS) -> ColumnNames:
    """The columns of a file with its first rows, for suggestions. Raises as ``read_table``."""
    sample = read_table(source, None, limits, rows=_SAMPLE)
    return ColumnNames(sample.header, sample)


def _read_joined(
    source: Joined,
    columns: Collection[str] | None,
    limits: Limits,
    rows: int | None,
    seen: Callable[[int], None] | None,
) -> RawTable:
    """Both files, joined; of the first ``rows`` of the left one with all of the right."""
    sides = []
    for side, key in zip((source.left, source.right), source.on, strict=True):
        asked = None if columns is None else {*columns, key}
        most = rows if side is source.left else None
        table = read_table(side, asked, limits, most, seen)
        check_keys(table.header, key, side.name)
        sides.append(table)
    left, right = sides
    check_shared(left.header, right.header, columns, source)
    return joined_table(left, right, source)


def _read_files(
    files: Files,
    columns: Collection[str] | None,
    limits: Limits,
    rows: int | None,
    seen: Callable[[int], None] | None,
) -> RawTable:
    parts = files.parts if rows is None else files.parts[:1]
    tables: list[RawTable] = []
    room = Room(files.name, files.size, limits)
    for part in parts:
        before = sum(table.rows for table in tables)
        told = None if seen is None else lambda count, before=before: seen(before + count)
        tables.append(read_table(part.source, columns, limits, rows, told, room))
    header = list(tables[0].header)
    if files.suffix.startswith(".jsonl"):
        header = list(dict.fromkeys(name for table in tables for name in table.header))
    else:
        same_columns([(table.name, table.header) for table in tables])
    not_twice(files, header)
    limit_cells(files, sum(table.rows for table in tables), len(columns or header), limits)
    kept = [name for name in header if columns is None or name in columns]
    made = {
        name: _joined(name, [_of(table, name) for table in tables], tables)
        for name in kept
        if any(name in table.columns for table in tables)
    }
    for place, key in enumerate(files.keys):
        if columns is None or key in columns:
            made[key] = _of_folders(key, place, parts, tables)
    return RawTable(
        name=files.name,
        rows=sum(table.rows for table in tables),
        header=(*header, *files.keys),
        columns=made,
        sha256=files.sha256,
        # For their rows and lines: the columns are in the whole.
        parts=tuple(dataclasses.replace(table, columns={}, _kept={}) for table in tables),
    )


def limit_cells(files: Files, rows: int, columns: int, limits: Limits) -> None:
    """Raise LimitError where the files together hold more values than may be read."""
    if rows * max(columns, 1) > limits.cells:
        raise LimitError(
            Problem(
                f"{rows:,} rows by {columns} columns are more than the limit of "
                f"{limits.cells:,} values",
                "fewer files",
                Location(files.name),
            )
        )


def same_columns(headers: Sequence[tuple[str, tuple[str, ...]]]) -> None:
    """Raise DataError unless every file, by its name, has the columns of the first."""
    first, expected = headers[0]
    problems = [
        Problem(
            f"its columns differ from those of {first}: {some([quoted(c) for c in header])}",
            f"the columns {some([quoted(c) for c in expected])}, in this order",
            Location(name, 1),
        )
        for name, header in headers[1:]
        if header != expected
    ]
    if problems:
        raise DataError(*problems[:SHOWN_ROWS])


def not_twice(files: Files, header: Collection[str]) -> None:
    """Raise DataError for a column that both files and the names of folders give."""
    twice = [key for key in files.keys if key in header]
    if twice:
        raise DataError(
            Problem(
                f"the names of folders and the files both give {', '.join(twice)}",
                "one of the two",
                Location(files.name),
            )
        )


def _of(table: RawTable, name: str) -> RawColumn | None:
    return table.columns.get(name)


def _joined(name: str, found: Sequence[RawColumn | None], tables: Sequence[RawTable]) -> RawColumn:
    """The column of all files; of values as they are, where its type is not the same in all."""
    columns = [
        RawColumn(name, "text", np.full(table.rows, "", object), np.ones(table.rows, np.bool_))
        if column is None
        else column
        for column, table in zip(found, tables, strict=True)
    ]
    missing = np.concatenate([column.missing for column in columns])
    kinds = {column.kind for column in columns if not column.missing.all()}
    if len(kinds) <= 1:
        kind = kinds.pop() if kinds else columns[0].kind
        values = [c.values if c.kind == kind else _blank(c, columns, kind) for c in columns]
        return RawColumn(name, kind, np.concatenate(values), missing)
    plain = [value for column in columns for value in column.values.tolist()]
    gone = missing.tolist()
    told = [None if gap else value for value, gap in zip(plain, gone, strict=True)]
    return column_of(name, told, tables[0].name)


def _blank(column: RawColumn, columns: Sequence[RawColumn], kind: str) -> np.ndarray[Any, Any]:
    """Nothing, of the type that the other files have."""
    like = next(other.values for other in columns if other.kind == kind)
    return np.resize(like[:1], len(column.values))


def _of_folders(
    key: str, place: int, parts: Sequence[Part], tables: Sequence[RawTable]
) -> RawColumn:
    counts = [table.rows for table in tables]
    told = np.array([part.values[place] or "" for part in parts], object)
    gaps = np.array([part.values[place] is None for part in parts], np.bool_)
    return RawColumn(key, "text", np.repeat(told, counts), np.repeat(gaps, counts))
