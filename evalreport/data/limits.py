"""How much a file may hold, and reading gzip within it."""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import dataclass
from typing import BinaryIO, cast

from evalreport.errors import DataError, LimitError, Location, Problem


@dataclass(frozen=True)
class Limits:
    """``bytes``: of the decompressed file, and of all text read from a Parquet file.

    ``ratio``: decompressed to compressed size, looked at from ``free_bytes`` on.
    ``cells``: rows times columns that are read.
    """

    bytes: int = 8 << 30
    ratio: int = 200
    free_bytes: int = 256 << 20
    cells: int = 2_000_000_000


DEFAULT_LIMITS = Limits()

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
