"""Lines of a UTF-8 file; anything else is refused by the name of what it looks like."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from evalreport.errors import DataError, Location, Problem

_BLOCK = 1 << 18
_LONGEST_LINE = 1 << 24
_SAVE = "save the file as UTF-8"


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


def text_lines(stream: BinaryIO, name: str) -> Iterator[str]:
    """Lines of the stream with their ends (LF, CR LF or CR), a byte order mark taken off.

    Raises DataError where the bytes are not UTF-8 or hold a NUL byte, with the line.
    """
    lines = 0
    pending = ""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    first = True
    while True:
        block = stream.read(_BLOCK)
        if first:
            _check_marks(block, name)
            block = block.removeprefix(codecs.BOM_UTF8)
            first = False
            if not block:
                return
        text = pending + _decode(decoder, block, name, lines)
        if "\0" in text:
            line = lines + text[: text.index("\0")].count("\n") + 1
            raise DataError(
                Problem("a NUL byte", f"{_SAVE} without NUL bytes", Location(name, line))
            )
        if not block:
            yield from _split(text)
            return
        # A CR at the end may be half of a CR LF.
        cut = max(text.rfind("\n"), text.rfind("\r", 0, len(text) - 1)) + 1
        pending = text[cut:]
        if len(pending) > _LONGEST_LINE:
            raise DataError(
                Problem(
                    f"a line of more than {_LONGEST_LINE:,} characters",
                    "end lines with a line feed",
                    Location(name, lines + 1),
                )
            )
        parts = _split(text[:cut])
        lines += len(parts)
        yield from parts


def _split(text: str) -> list[str]:
    r"""Lines ended by LF, CR LF or CR only: str.splitlines knows more ends than files do.

    >>> _split("a\x0cb\r\nc\rd")
    ['a\x0cb\r\n', 'c\r', 'd']
    """
    lines = text.split("\n")
    last = lines.pop()
    out = [line + "\n" for line in lines]
    if last:
        out.append(last)
    if "\r" not in text:
        return out
    return [part for line in out for part in _split_returns(line)]


def _split_returns(line: str) -> list[str]:
    body, end = (line[:-2], "\r\n") if line.endswith("\r\n") else (line, "")
    if "\r" not in body:
        return [line]
    pieces = body.split("\r")
    last = pieces.pop()
    out = [piece + "\r" for piece in pieces]
    if last or end:
        out.append(last + end)
    return out


def _check_marks(block: bytes, name: str) -> None:
    found = next(
        ((kind, instead) for mark, kind, instead in _MARKS if block.startswith(mark)), None
    )
    # Text of two bytes a character without a mark: every second byte is zero.
    if len(block) >= 4 and not (any(block[1:64:2]) and any(block[0:64:2])):
        order = "utf-16-le" if any(block[0:64:2]) else "utf-16-be"
        found = found or ("UTF-16 without a byte order mark", _or_read(order))
    if found is not None:
        kind, instead = found
        raise DataError(Problem(f"the file is {kind}, not UTF-8 text", instead, Location(name, 1)))


def _decode(decoder: codecs.IncrementalDecoder, block: bytes, name: str, lines: int) -> str:
    try:
        return decoder.decode(block, final=not block)
    except UnicodeDecodeError as error:
        bad: bytes = error.object[error.start : error.start + 1]
        line = lines + error.object[: error.start].count(b"\n") + 1
        what = f"byte 0x{bad.hex()} is not UTF-8; the file looks like Latin-1 or Windows-1252"
        instead = _or_read("cp1252")
        if not block:
            what = f"the file ends in the middle of a character (byte 0x{bad.hex()})"
            instead = _SAVE
        raise DataError(Problem(what, instead, Location(name, line))) from None
