"""Whether text is so plain that any reader reads the same rows from it, and how many.

The reader of this package and the one of DuckDB agree on text that passes here. All
other text (wrong, or merely unusual) is told apart by the first thing that is not
plain, and is left to the stricter reader. One pass over the bytes, no rows are held.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

_BLOCK = 4 << 20
#: The longest record; csv of Python takes fields of 131 072 characters.
_LONGEST = 131_072
_LF, _CR, _QUOTE = 10, 13, 34
_BLANK_LINE = re.compile(rb"\n\r?\n")
#: What readers of JSON take differently, in lower case and without spaces: a comma before a
#: bracket, a key of nothing, halves of surrogate pairs.
_ODD_JSON = (b",}", b",]", b'"":', b"\\ud8", b"\\ud9", b"\\uda", b"\\udb", b"\\u0000")
_NOT_FINITE = re.compile(rb"[:\[,][-+]?(?:nan|inf(?:inity)?)[,}\]]")

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Plain:
    """Plain text of so many records, the header not counted; some of several ``lines``."""

    records: int
    lines: bool = False


def plain_delimited(stream: BinaryIO, delimiter: str, columns: int) -> Plain | str:
    """The records of delimited text with a header of so many columns, or what is not plain."""
    records = delimiters = returns = left = 0
    quoted = several = False
    try:
        for block in _lines(stream, _LONGEST * 64):
            found = np.frombuffer(block, np.uint8)
            inside = None
            if quoted or b'"' in block:
                inside = _inside(found, quoted)
                _check_quotes(found, inside, ord(delimiter))
                quoted = bool(inside[-1])
                several |= bool(((found == _LF) & inside).any())
            at = _outside(found, _LF, inside)
            if b"\r" in block:
                returns += _returns(found, inside)
            left = _check_records(found, at, left)
            records += len(at)
            delimiters += len(_outside(found, ord(delimiter), inside))
    except _NotPlainError as error:
        return str(error)
    if quoted:
        return "a quote is not closed"
    if returns not in (0, records):
        return "its line ends are not all of one kind"
    records += left > 0
    if delimiters != records * (columns - 1):
        return "not every row has a field per column"
    return Plain(records - 1, several)


def plain_json(stream: BinaryIO) -> Plain | str:
    """The lines of JSON, or what is not plain; whether they are objects is not looked at."""
    records = 0
    try:
        for block in _lines(stream, _LONGEST * 8):
            if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
                return "its line ends are not all of one kind"
            if block.startswith((b"\n", b"\r\n")) or _BLANK_LINE.search(block) is not None:
                return "it has empty lines"
            if _odd_json(block.lower().translate(None, b" \t")):
                return "it has JSON that readers read differently"
            records += block.count(b"\n") + (not block.endswith(b"\n"))
    except _NotPlainError as error:
        return str(error)
    return Plain(records)


class _NotPlainError(Exception):
    """What is not plain about the bytes."""


def _lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """Blocks of whole lines, UTF-8 without NUL, a byte order mark taken off."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    rest, first = b"", True
    try:
        while block := stream.read(_BLOCK):
            if b"\0" in block:
                raise _NotPlainError("it has NUL bytes")
            if not block.isascii() or decoder.getstate()[0]:
                decoder.decode(block)
            if first:
                block, first = block.removeprefix(codecs.BOM_UTF8), False
            lines, end, tail = block.rpartition(b"\n")
            if end:
                yield rest + lines + end
                rest = tail
            else:
                rest += tail
            if len(rest) > longest:
                raise _NotPlainError("it has very long lines")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise _NotPlainError("it is not UTF-8") from None
    if rest:
        yield rest


def _odd_json(tight: bytes) -> bool:
    if any(sign in tight for sign in _ODD_JSON):
        return True
    return (b"nan" in tight or b"inf" in tight) and _NOT_FINITE.search(tight) is not None


def _inside(found: Bytes, quoted: bool) -> Mask:
    """Which bytes follow an opened quote; the opening quote itself does, the closing does not."""
    counts = np.add.accumulate(found == _QUOTE, dtype=np.uint8)
    return np.asarray(((counts + np.uint8(quoted)) & 1).astype(np.bool_))


def _check_quotes(found: Bytes, inside: Mask, delimiter: int) -> None:
    """Quotes stand around whole fields only; a doubled one closes and opens again."""
    at = np.flatnonzero(found == _QUOTE)
    opens = inside[at]
    before = np.where(at > 0, found[at - 1], _LF)[opens]
    if not np.isin(before, (delimiter, _LF, _QUOTE)).all():
        raise _NotPlainError("there is a quote within a field")
    closing = at[~opens]
    after = found[np.minimum(closing + 1, len(found) - 1)]
    last = closing == len(found) - 1
    if not (np.isin(after, (delimiter, _LF, _CR, _QUOTE)) | last).all():
        raise _NotPlainError("text follows a closing quote")


def _returns(found: Bytes, inside: Mask | None) -> int:
    """How many carriage returns stand outside of quotes, each before a line feed."""
    at = _outside(found, _CR, inside)
    if not len(at):
        return 0
    if at[-1] + 1 == len(found) or not (found[at + 1] == _LF).all():
        raise _NotPlainError("its line ends are not all of one kind")
    return len(at)


def _check_records(found: Bytes, at: npt.NDArray[np.intp], left: int) -> int:
    """Bytes after the last end of a record; ``left`` is their number in the blocks before."""
    lengths = np.diff(at, prepend=-1 - left)
    after = len(found) + left if not len(at) else len(found) - 1 - int(at[-1])
    if max(after, int(lengths.max(initial=0))) > _LONGEST:
        raise _NotPlainError("it has very long records")
    short = at[lengths <= 2]
    blank = lengths[lengths <= 2] == 1
    if (blank | (found[short - 1] == _CR)).any():
        raise _NotPlainError("it has empty lines")
    return after


def _outside(found: Bytes, mark: int, inside: Mask | None) -> npt.NDArray[np.intp]:
    """Where a byte stands outside of quotes."""
    there = found == mark
    if inside is not None:
        there &= ~inside
    return np.flatnonzero(there)
