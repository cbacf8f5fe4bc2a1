"""How a file is written, where that is not told by its suffix: separators, characters, sheets."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass

#: A whole text that is a number with a decimal comma, also with a percent sign; the same
#: for the engines that count.
DECIMAL_COMMA = r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?( ?%)?"
#: A whole number whose thousands are set apart by points; the same for the engines that count.
THOUSANDS = r"[+-]?[0-9]{1,3}([.][0-9]{3})+"
#: What `strip` takes away around a value; the same for the engines that count.
BLANKS = " \t\u00a0"


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

    @property
    def decoding(self) -> str:
        """The encoding by which its characters are read; plain ASCII is UTF-8 too."""
        return "utf-8" if self.is_utf8 else self.encoding

    def why_read(self) -> str | None:
        """Why rows are read by this package and not counted where they lie, or None."""
        if not self.is_utf8:
            return f"its characters are stored as {self.encoding}"
        if self.pivot is not None:
            return "several of its rows are one case"
        if self.escape is not None:
            return f"quotes in it are escaped by {self.escape}"
        return "columns are given in percent" if self.percent else None
