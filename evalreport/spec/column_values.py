"""The values of a file's columns, as the texts of labels and as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evalreport.data.labels import as_number, written
from evalreport.data.table import RawTable

#: Texts that programs write where there is no value.
GAPS = (
    "NA",
    "N/A",
    "n/a",
    "NULL",
    "null",
    "None",
    "none",
    "nan",
    "NaN",
    "#N/A",
    "\\N",
    "?",
    "-",
    "NaT",
    "<NA>",
    ".",
)
_SINGLE = ("text", "integer", "float64", "float32", "boolean", "mixed")


@dataclass
class Columns:
    """The columns of a table: their values as text and as numbers, None where missing."""

    table: RawTable
    gaps: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self._texts: dict[str, list[str | None]] = {}
        self._numbers: dict[str, list[float | None] | None] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that hold single values."""
        return tuple(
            c
            for c in self.table.header
            if c in self.table.columns and self.table.columns[c].kind in _SINGLE
        )

    def texts(self, name: str) -> list[str | None]:
        """The values of a column as the texts of labels."""
        if name not in self._texts:
            codes, values = self.table.columns[name].factorize()
            shown = [_text(value, self.gaps) for value in values]
            self._texts[name] = [None if code < 0 else shown[code] for code in codes.tolist()]
        return self._texts[name]

    def distinct(self, name: str) -> list[str]:
        """The different texts of a column."""
        return sorted({text for text in self.texts(name) if text is not None})

    def numbers(self, name: str) -> list[float | None] | None:
        """The values as numbers, percent signs taken off; None where some are none."""
        if name not in self._numbers:
            self._numbers[name] = _numbers(self.texts(name))
        return self._numbers[name]

    def range(self, name: str) -> tuple[float, float] | None:
        """The smallest and largest number, None for a column without numbers."""
        found = [v for v in self.numbers(name) or () if v is not None]
        return (min(found), max(found)) if found else None

    def is_fraction(self, name: str) -> bool:
        """Whether a column holds numbers that are not all whole."""
        return any(v is not None and not v.is_integer() for v in self.numbers(name) or ())

    def lacking(self, name: str) -> int:
        """How many rows have no value."""
        return sum(text is None for text in self.texts(name))


def _text(value: Any, gaps: frozenset[str]) -> str | None:
    if isinstance(value, str):
        return None if value in gaps or not value else value
    return None if isinstance(value, list) else written(value).text


def _numbers(texts: Sequence[str | None]) -> list[float | None] | None:
    found: dict[str, float] = {}
    for text in {t for t in texts if t is not None}:
        plain = text.strip().removesuffix("%").strip()
        number = as_number(plain)
        if number is None or not math.isfinite(float(number)):
            return None
        found[text] = float(number)
    return [None if t is None else found[t] for t in texts] if found else None


def gap_texts(table: RawTable) -> frozenset[str]:
    """The texts that stand for no value: beside numbers, or NA among labels."""
    found = set()
    for column in table.columns.values():
        if column.kind not in ("text", "mixed"):
            continue
        values = [v for v in column.factorize()[1] if isinstance(v, str)]
        odd = {v for v in values if v in GAPS}
        rest = [v for v in values if v not in odd]
        numeric = bool(rest) and _numbers(rest) is not None
        if odd and (numeric or (len(rest) >= 2 and odd <= {"NA", "NULL", "\\N", "NaN", "nan"})):
            found |= odd - {"nan", "NaN"} if numeric else odd
    return frozenset(found)


def alike(text: str) -> str:
    """A label without what people write differently: capitals, spaces, 1 and 1.0."""
    number = as_number(text.strip())
    low = text.strip().casefold()
    low = {"true": "1", "false": "0"}.get(low, low)
    return str(number.normalize() + 0) if number is not None else low


def adds_up(columns: Columns, names: Iterable[str]) -> bool:
    """Whether the numbers of each row add up to 1, or to 100."""
    rows = [columns.numbers(name) or [] for name in names]
    sums = [
        sum(v for v in row if v is not None) for row in zip(*rows, strict=True) if None not in row
    ]
    return bool(sums) and (
        all(abs(s - 1) < 0.02 for s in sums) or all(abs(s - 100) < 2 for s in sums)
    )
