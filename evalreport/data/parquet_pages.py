"""Checksums of Parquet pages: every page that carries one is held against it.

Page headers are Thrift's compact protocol (parquet-format, PageHeader: field 3 is the
size of the page as stored, field 2 that of what it unpacks to, field 4 the CRC-32 of the
stored bytes).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

_UNPACKED_SIZE, _COMPRESSED_SIZE, _CRC = 2, 3, 4
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_DEEPEST = 16
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Chunk:
    """Where the pages of one column chunk are: first byte, and the byte after the last.

    ``unpacked`` is what the file says that they unpack to.
    """

    column: str
    start: int
    end: int
    unpacked: int = 0


@dataclass(frozen=True)
class PageChecks:
    """``verified``: pages that agree with their checksum; ``without``: pages that have none.

    ``wrong``: column and first byte of pages that do not agree; ``unread``: columns
    whose page headers cannot be followed. ``unpacked``: bytes that the pages say they unpack
    to, by their own headers or by the file's account, whichever is more.
    """

    verified: int
    without: int
    wrong: tuple[tuple[str, int], ...]
    unread: tuple[str, ...]
    unpacked: int = 0


def check_pages(stream: BinaryIO, chunks: Iterable[Chunk]) -> PageChecks:
    """Hold the pages of column chunks against the checksums they carry."""
    verified = without = unpacked = 0
    wrong: list[tuple[str, int]] = []
    unread: list[str] = []
    for chunk in chunks:
        told = 0
        try:
            for at, size, plain, crc in _pages(stream, chunk):
                told += plain
                if crc is None:
                    without += 1
                elif _crc32(stream, at, size) == crc & 0xFFFFFFFF:
                    verified += 1
                else:
                    wrong.append((chunk.column, at))
        except (IndexError, _MalformedError):
            unread.append(chunk.column)
        unpacked += max(told, chunk.unpacked)
    return PageChecks(verified, without, tuple(wrong), tuple(dict.fromkeys(unread)), unpacked)


class _MalformedError(Exception):
    pass


def _pages(stream: BinaryIO, chunk: Chunk) -> Iterable[tuple[int, int, int, int | None]]:
    """First byte, stored size, size when unpacked and checksum of each page's data."""
    at = chunk.start
    while at < chunk.end:
        stream.seek(at)
        header = _Compact(stream.read(min(1 << 16, chunk.end - at)))
        fields = header.integers()
        size = fields.get(_COMPRESSED_SIZE, -1)
        at += header.at
        if size < 0 or at + size > chunk.end:
            raise _MalformedError
        yield at, size, max(fields.get(_UNPACKED_SIZE, 0), 0), fields.get(_CRC)
        at += size


def _crc32(stream: BinaryIO, at: int, size: int) -> int:
    stream.seek(at)
    crc = 0
    while size > 0:
        block = stream.read(min(size, _BLOCK))
        if not block:
            raise _MalformedError
        crc = zlib.crc32(block, crc)
        size -= len(block)
    return crc


class _Compact:
    """A reader of Thrift's compact protocol that keeps only integers of the outer struct."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def integers(self) -> dict[int, int]:
        found: dict[int, int] = {}
        number = 0
        while kind := self._field_kind():
            number = number + (kind >> 4) if kind >> 4 else self._zigzag()
            if kind & 15 in (_I16, _I32, _I64):
                found[number] = self._zigzag()
            else:
                self._skip(kind & 15, 0)
        return found

    def _field_kind(self) -> int:
        kind = self._byte()
        return kind if kind & 15 else 0

    def _byte(self) -> int:
        value = self.data[self.at]
        self.at += 1
        return value

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise _MalformedError

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, kind: int, depth: int) -> None:
        if depth > _DEEPEST:
            raise _MalformedError
        if kind in (_TRUE, _FALSE):
            return
        if kind in (_I16, _I32, _I64):
            self._varint()
        elif kind in (_BYTE, _DOUBLE, _BINARY):
            self._step({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._varint())
        elif kind in (_LIST, _SET):
            self._skip_list(depth)
        elif kind == _STRUCT:
            while inner := self._field_kind():
                if not inner >> 4:
                    self._zigzag()
                self._skip(inner & 15, depth + 1)
        else:
            raise _MalformedError

    def _skip_list(self, depth: int) -> None:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        for _ in range(count):
            # In a list, unlike in a struct, a truth value takes a byte.
            inner = head & 15
            self._skip(_BYTE if inner in (_TRUE, _FALSE) else inner, depth + 1)

    def _step(self, count: int) -> None:
        self.at += count
        if self.at > len(self.data):
            raise _MalformedError
