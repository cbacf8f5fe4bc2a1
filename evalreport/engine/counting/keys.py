"""Columns to count by: as codes where their values are few texts, else as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting import queries
from evalreport.engine.counting.counted_values import values_of
from evalreport.statistics.numbering import numbered

if TYPE_CHECKING:
    from evalreport.engine.counting.answering import CountedRows

Codes = npt.NDArray[np.int64]

#: Up to so many texts a column is coded by the query itself.
FEW = 64


#: The code of a value that no row holds that is used.
UNUSED = -1


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """Numbers that stand for texts, ascending, with the code of each and that of no text."""

    marks: npt.NDArray[np.uint64]
    codes: Codes
    missing: int

    def codes_of(self, marks: npt.NDArray[np.uint64], gone: npt.NDArray[np.bool_]) -> Codes:
        """The code of each number; ``gone``: where there was no text."""
        place = np.minimum(np.searchsorted(self.marks, marks), len(self.marks) - 1)
        found = np.where(self.marks[place] == marks, self.codes[place], UNUSED)
        return np.where(gone, self.missing, found)


@dataclass(frozen=True)
class Key:
    """A column whose values have known ``codes``; ``partly``: the others are ``UNUSED``.

    ``held_against``: how many rows have known values is held against what is known of them, so
    that a number of another text that is that of a known one would be found.
    """

    column: str
    codes: Mapping[Any, int]
    partly: bool = False
    held_against: bool = False
    _told: dict[str, Fingerprints | None] = field(default_factory=dict, repr=False, compare=False)

    def is_few(self, rows: CountedRows) -> bool:
        """Whether the query itself gives codes."""
        return self._is_text(rows) and len(self.codes) <= FEW

    def tree(self, rows: CountedRows) -> queries.Tree:
        """What is counted by."""
        column = rows.field(self.column)
        if self.is_few(rows):
            return queries.coded(column, self.codes)
        return column.value if self._fingerprints(rows) is None else queries.fingerprint(column)

    def _is_text(self, rows: CountedRows) -> bool:
        return rows.field(self.column).kind in ("VARCHAR", "JSON")

    def _fingerprints(self, rows: CountedRows) -> Fingerprints | None:
        """Numbers that stand for the texts, where the engine has such and none stands for two."""
        if rows.name not in self._told:
            self._told[rows.name] = self._looked_up(rows)
        return self._told[rows.name]

    def _looked_up(self, rows: CountedRows) -> Fingerprints | None:
        texts = [text for text in self.codes if text is not None]
        if not self._is_text(rows) or (self.partly and not self.held_against) or not texts:
            return None
        marks = rows.fingerprints(texts)
        if marks is None or len(np.unique(marks)) < len(texts):
            return None
        order = np.argsort(marks)
        codes = np.array([self.codes[text] for text in texts], np.int64)
        return Fingerprints(marks[order], codes[order], self.codes.get(None, UNUSED))

    def read(self, rows: CountedRows, values: Any) -> Codes:
        """The codes of what a query gave for the tree."""
        if self.is_few(rows):
            return np.asarray(np.ma.filled(values, UNUSED).astype(np.int64))
        data, gone = np.ma.getdata(values), np.ma.getmaskarray(values)
        told = self._fingerprints(rows)
        if told is not None:
            return told.codes_of(data, gone)
        if data.dtype == object:
            return self._each(rows, values)
        codes = np.empty(len(data), np.int64)
        # each number once, and once what is missing
        held, missing = np.flatnonzero(~gone), np.flatnonzero(gone)
        known, place = numbered(data[held])
        codes[held] = self._each(rows, known)[place]
        codes[missing] = self._each(rows, values[missing[:1]])
        return codes

    def _each(self, rows: CountedRows, values: Any) -> Codes:
        written = values_of(rows, self.column, values)
        return np.fromiter(map(self._code, written), np.int64, len(written))

    def _code(self, value: Any) -> int:
        return self.codes.get(value, UNUSED) if self.partly else self.codes[value]
