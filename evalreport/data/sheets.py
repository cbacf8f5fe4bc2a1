"""A sheet of an Excel file (``pip install 'evalreport[excel]'``)."""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from itertools import islice
from typing import Any, BinaryIO

from evalreport.data.delimited_header import check_names
from evalreport.data.limits import Limits, Room, check_archive
from evalreport.data.table import RawTable
from evalreport.data.typed_values import column_of
from evalreport.errors import (
    DataError,
    EvalreportError,
    FilesError,
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
            Problem("the file is no Excel file", "a file saved as .xlsx", Location(name))
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
            Problem(f"the file is no Excel file: {error}", "a file saved as .xlsx", where)
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
