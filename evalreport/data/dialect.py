"""How a file is written, where that is not told by its suffix: separators, characters, sheets."""

from __future__ import annotations

import codecs
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO, cast

from evalreport.errors import DataError, Location, Problem

#: A whole text that is a number with a decimal comma, also with a percent sign; the same
#: for the engines that count.
DECIMAL_COMMA = r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?( ?%)?"
#: A whole number whose thousands are set apart by points; the same for the engines that count.
THOUSANDS = r"[+-]?[0-9]{1,3}([.][0-9]{3})+"
#: What `strip` takes away around a value; the same for the engines that count.
BLANKS = " \t\u00a0"
_BLOCK = 1 << 18


@dataclass(frozen=True)
class Dialect:
    """``delimiter`` None: that of the suffix. ``percent``: columns that are divided by 100.

    ``missing``: texts that stand for no value, in every column or by column. ``strip``: blanks
    around values and names of columns are no part of them. ``escape``: the sign before a quote
    within quotes, where a quote is not doubled. ``pivot``: of a long table the columns that name
    the case, its class and the value.
    """

    delimiter: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    sheet: str | None = None
    percent: tuple[str, ...] = ()
    missing: tuple[str, ...] | Mapping[str, tuple[str, ...]] = ()
    pivot: tuple[str, str, str] | None = None
    strip: bool = False
    escape: str | None = None

    def gaps(self, column: str) -> tuple[str, ...]:
        """The texts that stand for no value in a column."""
        return self.missing.get(column, ()) if isinstance(self.missing, Mapping) else self.missing

    @property
    def is_usual(self) -> bool:
        """Whether nothing is declared but what every file of the kind has."""
        return self == Dialect()

    @property
    def is_utf8(self) -> bool:
        """Whether the characters are stored as every reader takes them."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig", "ascii")

    def why_read(self) -> str | None:
        """Why rows are read by this package and not counted where they lie, or None."""
        if not self.is_utf8:
            return f"its characters are stored as {self.encoding}"
        if self.pivot is not None:
            return "several of its rows are one case"
        if self.escape is not None:
            return f"quotes in it are escaped by {self.escape}"
        return "columns are given in percent" if self.percent else None


def as_utf8(stream: BinaryIO, name: str, dialect: Dialect) -> BinaryIO:
    """The bytes of a text as UTF-8. Raises DataError where they are not what is declared."""
    if dialect.is_utf8:
        return stream
    return cast("BinaryIO", io.BufferedReader(_Recoded(stream, name, dialect.encoding), _BLOCK))


class _Recoded(io.RawIOBase):
    """Text of another encoding as UTF-8 bytes."""

    def __init__(self, stream: BinaryIO, name: str, encoding: str) -> None:
        super().__init__()
        self._stream, self._name, self._encoding = stream, name, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")
        self._ready = b""
        self._lines = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer)).cast("B")
        while not self._ready:
            block = self._stream.read(_BLOCK)
            self._ready = self._decoded(block)
            if not block:
                break
        count = min(len(view), len(self._ready))
        view[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _decoded(self, block: bytes) -> bytes:
        try:
            text = self._decoder.decode(block, final=not block)
            content = text.removeprefix("\ufeff").encode("utf-8")
        except UnicodeDecodeError as error:
            line = self._lines + error.object[: error.start].count(b"\n") + 1
            raise DataError(
                Problem(
                    f"byte 0x{error.object[error.start]:02x} is not {self._encoding}",
                    "read: {encoding: ...}, as the file was saved",
                    Location(self._name, line),
                )
            ) from None
        except UnicodeError as error:
            # Without a byte: no mark at the beginning, half of a pair, ...
            raise DataError(
                Problem(
                    f"the file is not {self._encoding} ({error})",
                    "read: {encoding: ...}, as the file was saved",
                    Location(self._name, self._lines + 1),
                )
            ) from None
        self._lines += text.count("\n")
        return content
