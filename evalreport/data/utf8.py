"""Lines of a text file; other bytes are refused by the name of what they look like."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from evalreport.errors import DataError, Location, Problem

_LONGEST_LINE = 1 << 24
_SAVE = "save the file as UTF-8"
_AS_SAVED = "read: {encoding: ...}, as the file was saved"


def _or_read(encoding: str) -> str:
    return f"{_SAVE}; or read: {{encoding: {encoding}}}, in the dataset"


_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32", _or_read("utf-32")),
    (codecs.BOM_UTF32_BE, "UTF-32", _or_read("utf-32")),
    (codecs.BOM_UTF16_LE, "UTF-16", _or_read("utf-16")),
    (codecs.BOM_UTF16_BE, "UTF-16", _or_read("utf-16")),
    (b"\x1f\x8b", "gzip data", "a name that ends in .gz"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet", "a text file, or a name that ends in .xlsx"),
    (b"PAR1", "Parquet", "a name that ends in .parquet"),
)


def text_lines(stream: BinaryIO, name: str, encoding: str = "utf-8") -> Iterator[str]:
    """Lines of the stream with their ends (LF, CR LF or CR), a byte order mark taken off.

    Raises DataError where the bytes are not of the encoding or hold a NUL byte, with the line.
    """
    plain: Any = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)
    if encoding == "utf-8":
        _check_marks(plain.peek(64)[:64], name)
    # as they are: ends of lines are told apart, and nothing else ends a line
    text = io.TextIOWrapper(plain, encoding, newline="")
    lines = 0
    try:
        while line := text.readline(_LONGEST_LINE + 1):
            where = Location(name, lines + 1)
            if "\0" in line:
                raise DataError(Problem("a NUL byte", f"{_SAVE} without NUL bytes", where))
            if len(line) > _LONGEST_LINE:
                what = f"a line of more than {_LONGEST_LINE:,} characters"
                raise DataError(Problem(what, "end lines with a line feed", where))
            if encoding != "utf-8":
                line.encode()  # half of a pair, which UTF-7 can write, is no text
            line = line if lines else line.removeprefix("\ufeff")
            lines += 1
            if line:
                yield line
    except UnicodeError as error:
        raise DataError(_undecoded(error, name, encoding, lines + 1)) from None
    finally:
        # the stream is not ours to close; it may be closed by now
        with suppress(ValueError):
            text.detach()


def _check_marks(beginning: bytes, name: str) -> None:
    found = next(
        ((kind, instead) for mark, kind, instead in _MARKS if beginning.startswith(mark)), None
    )
    # Text of two bytes a character without a mark: every second byte is zero.
    if len(beginning) >= 4 and not (any(beginning[1::2]) and any(beginning[0::2])):
        order = "utf-16-le" if any(beginning[0::2]) else "utf-16-be"
        found = found or ("UTF-16 without a byte order mark", _or_read(order))
    if found is not None:
        kind, instead = found
        raise DataError(Problem(f"the file is {kind}, not UTF-8 text", instead, Location(name, 1)))


def _undecoded(error: UnicodeError, name: str, encoding: str, line: int) -> Problem:
    """The problem of bytes that are no text, in what follows the line that was read last."""
    if not isinstance(error, UnicodeDecodeError):
        # Without a byte: no mark at the beginning, half of a pair, ...
        return Problem(f"the file is not {encoding} ({error})", _AS_SAVED, Location(name, line))
    where = Location(name, line + error.object[: error.start].count(b"\n"))
    byte = f"byte 0x{error.object[error.start]:02x}"
    if encoding != "utf-8":
        return Problem(f"{byte} is not {encoding}", _AS_SAVED, where)
    if error.reason == "unexpected end of data":
        return Problem(f"the file ends in the middle of a character ({byte})", _SAVE, where)
    what = f"{byte} is not UTF-8; the file looks like Latin-1 or Windows-1252"
    return Problem(what, _or_read("cp1252"), where)
