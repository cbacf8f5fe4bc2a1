"""How much a file may hold, and reading gzip within it."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, cast
from zipfile import ZipInfo

from evalreport.errors import DataError, LimitError, Location, Problem


@dataclass(frozen=True)
class Limits:
    """``bytes``: of the decompressed file, and of all text read from a Parquet file.

    ``ratio``: decompressed to compressed size, looked at from ``free_bytes`` on.
    ``cells``: rows times columns that are read.
    ``held``: bytes of memory that the values of a file may take, at least; a large file may
    take ``held_ratio`` times its own size, which no file reaches that is not packed.
    """

    bytes: int = 8 << 30
    ratio: int = 100
    free_bytes: int = 256 << 20
    cells: int = 2_000_000_000
    held: int = 1 << 30
    held_ratio: int = 400


DEFAULT_LIMITS = Limits()

#: Bytes that a value takes in memory while a file is read: text besides its letters, numbers.
TEXT_BYTES, NUMBER_BYTES = 58, 9

#: Distinct labels that a column of labels may hold, and values that a subgroup may have.
MOST_CLASSES, MOST_GROUPS = 100_000, 10_000


def limit_distinct(name: str, what: str, found: int, most: int) -> None:
    """Raise LimitError for more distinct values than ``most``; ``name`` is that of the data."""
    if found > most:
        raise LimitError(
            Problem(
                f"{what} has {found:,} distinct values, more than the limit of {most:,}",
                "another column, or fewer values",
                Location(name),
            )
        )


#: Files in an archive.
MOST_ENTRIES = 100_000


class Room:
    """The memory that the values of a file, or of several together, may take while it is read.

    It is counted while reading: what a packed file claims of itself, or its own size, says
    nothing of what comes out of it.
    """

    def __init__(self, name: str, size: int, limits: Limits) -> None:
        self.name = name
        self.left = self.most = max(limits.held, limits.held_ratio * size)

    def take(self, cells: int, each: int = TEXT_BYTES, more: int = 0) -> None:
        """Count ``cells`` values of ``each`` bytes, and ``more`` bytes. Raises LimitError."""
        self.left -= cells * each + more
        if self.left < 0:
            raise LimitError(
                Problem(
                    f"reading stopped: the values unpack to more than {self.most >> 20:,} MiB",
                    "a plain file, fewer columns, or --engine duckdb, which counts without "
                    "loading the rows",
                    Location(self.name),
                )
            )


def check_unpacked(name: str, unpacked: int, size: int, limits: Limits) -> None:
    """Raise LimitError where ``size`` bytes claim to unpack to more than ``limits`` allow."""
    if unpacked > limits.bytes:
        what = f"{unpacked:,} bytes when unpacked, more than the limit of {limits.bytes:,}"
    elif unpacked > limits.free_bytes and unpacked > limits.ratio * size:
        what = f"compressed more than {limits.ratio} to 1: {unpacked:,} bytes in {size:,}"
    else:
        return
    raise LimitError(Problem(what, "give a smaller or a plain file", Location(name)))


def check_archive(name: str, entries: Sequence[ZipInfo], size: int, limits: Limits) -> None:
    """Hold what a zip archive of ``size`` bytes says it unpacks to against ``limits``.

    Readers take no more of an entry than it says. Entries that lie over one another, which
    multiply what is stored once, are refused. Raises LimitError and DataError.
    """
    check_unpacked(name, sum(entry.file_size for entry in entries), size, limits)
    if sum(entry.compress_size for entry in entries) > size or len(entries) > MOST_ENTRIES:
        raise DataError(
            Problem(
                "the archive contains more than its bytes, or very many files",
                "write it again",
                Location(name),
            )
        )


def plain_bytes(stream: BinaryIO, name: str, size: int, limits: Limits, most: int) -> int:
    """The bytes of a gzip stream when decompressed, counted up to ``most``.

    Raises DataError for damaged data and LimitError past ``limits``, as reading does.
    """
    count = 0
    plain = decompressed(stream, name, size, True, limits)
    while count < most and (block := plain.read(1 << 20)):
        count += len(block)
    return count


class _Gunzip(io.RawIOBase):
    """Decompressed bytes of a gzip stream, counted against the limits."""

    def __init__(self, stream: BinaryIO, name: str, size: int, limits: Limits) -> None:
        super().__init__()
        self._gzip = gzip.GzipFile(fileobj=stream, mode="rb")
        self._name, self._size, self._limits = name, size, limits
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer)).cast("B")
        try:
            count = self._gzip.readinto(view)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(
                Problem(
                    f"the gzip data is damaged or cut off ({error})",
                    "give the whole, unchanged file",
                    Location(self._name),
                )
            ) from None
        self._count += count
        self._check()
        return count

    def _check(self) -> None:
        limits, count = self._limits, self._count
        if count > limits.bytes:
            what = f"more than {limits.bytes:,} bytes when decompressed"
        elif count > limits.free_bytes and count > limits.ratio * self._size:
            what = f"compressed more than {limits.ratio} to 1: {count:,} bytes so far"
        else:
            return
        raise LimitError(
            Problem(
                f"reading stopped: {what}", "give a smaller or a plain file", Location(self._name)
            )
        )


def decompressed(stream: BinaryIO, name: str, size: int, gzipped: bool, limits: Limits) -> BinaryIO:
    """The plain bytes of a file, gzip undone where ``gzipped``.

    Raises DataError for damaged gzip data, LimitError for more than ``limits`` allow.
    """
    if gzipped:
        return cast("BinaryIO", io.BufferedReader(_Gunzip(stream, name, size, limits), 1 << 20))
    if size > limits.bytes:
        raise LimitError(
            Problem(
                f"the file has {size:,} bytes, more than the limit of {limits.bytes:,}",
                "give a smaller file, or Parquet",
                Location(name),
            )
        )
    return stream
