"""The columns of a file as they were read: typed values, nothing guessed, nothing dropped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from evalreport.errors import Location

Kind = Literal["text", "integer", "float64", "float32", "boolean", "mixed", "list", "vector"]
Array = npt.NDArray[Any]
Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
#: Rows of a table, by their index.
Places = npt.NDArray[np.integer[Any]]
#: Some rows: a mask, their places, or a slice of all.
Chosen = Array | slice
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column: ``values`` shape (n,), and which of them are ``missing``, shape (n,).

    What stands in ``values`` at a missing row has no meaning. ``values`` holds str
    (kind ``text``), integers (``integer``; Python ints where 64 bits are too few),
    floats, bools, or any of them as Python values (``mixed``), lists of text
    (``list``), or lists of numbers (``vector``; None where a number is missing).
    """

    name: str
    kind: Kind
    values: Array
    missing: Mask

    @property
    def of_objects(self) -> bool:
        """Whether ``values`` holds Python values."""
        return bool(self.values.dtype == object)

    def at(self, places: npt.NDArray[Any]) -> RawColumn:
        """The column of the rows at some places."""
        return replace(self, values=self.values[places], missing=_gaps(self.missing[places]))

    def placed(self, places: npt.NDArray[Any], name: str | None = None) -> RawColumn:
        """The column of the rows at some places, without a value where a place is -1."""
        values = self.values[np.maximum(places, 0)]
        missing = self.missing[np.maximum(places, 0)] | (places < 0)
        if self.of_objects:
            values[places < 0] = ""
        return RawColumn(name or self.name, self.kind, values, missing)

    @property
    def single(self) -> bool:
        """Whether a row holds one value, no list of them."""
        return self.kind not in ("list", "vector")

    def known_by(self, places: npt.NDArray[Any], distinct: Sequence[Any]) -> None:
        """Tell what `factorize` would work out: each row's place among ``distinct``, or -1."""
        rows = len(places)
        first = np.full(len(distinct) + 1, rows)
        first[places[::-1]] = np.arange(rows - 1, -1, -1)
        order = [k for k in np.argsort(first[:-1]).tolist() if first[k] < rows]
        place = np.full(len(distinct) + 1, -1, np.int32)
        place[order] = np.arange(len(order))
        self.__dict__["_factors"] = (place[places], [distinct[k] for k in order])

    def factorize(self) -> tuple[Codes, list[Any]]:
        """Codes of the rows, -1 where missing, and the distinct values in order of first row.

        Values of different types are kept apart: 1, 1.0 and True are three.
        Worked out once.
        """
        return self._factors

    @property
    def is_factorized(self) -> bool:
        """Whether the distinct values are known already."""
        return "_factors" in self.__dict__

    @cached_property
    def _factors(self) -> tuple[Codes, list[Any]]:
        if self.of_objects:
            return self._factorize_objects()
        present = ~self.missing
        distinct, first, inverse = np.unique(
            self.values[present], return_index=True, return_inverse=True
        )
        by_first_row = np.argsort(first, kind="stable")
        place = np.empty(len(distinct), np.int32)
        place[by_first_row] = np.arange(len(distinct), dtype=np.int32)
        codes = np.full(len(self.values), -1, np.int32)
        codes[present] = place[inverse]
        return codes, distinct[by_first_row].tolist()

    def _factorize_objects(self) -> tuple[Codes, list[Any]]:
        values = self.values.tolist()
        if self.missing.any():
            gap = object()
            for row in np.flatnonzero(self.missing).tolist():
                values[row] = gap
        else:
            gap = None
        keys: Sequence[Any] = values
        if self.kind not in ("text", "integer"):
            keys = [(type(v), tuple(v) if isinstance(v, list) else v) for v in values]
        # a value that has no code yet takes the next
        code: dict[Any, int] = defaultdict(count().__next__)
        if gap is not None:
            code[gap if keys is values else (object, gap)] = -1
        codes = np.fromiter(map(code.__getitem__, keys), np.int32, len(keys))
        found = [key for key, number in code.items() if number >= 0]
        if keys is values:
            return codes, found
        distinct = [list(value) if kind is list else value for kind, value in found]
        return codes, distinct


class CodedText(RawColumn):
    """A column of text that is known by its distinct texts; values are made only if looked at."""

    def __new__(cls, *args: Any, **changed: Any) -> Any:
        # what `dataclasses.replace` makes of one has values of its own
        return RawColumn(*args, **changed) if args or changed else object.__new__(cls)

    @classmethod
    def of(cls, name: str, places: Codes, distinct: Sequence[str]) -> RawColumn:
        """The column of which each row has one of some texts, by its place; -1 where missing."""
        found = object.__new__(cls)
        found.__dict__.update(name=name, kind="text", missing=_gaps(places < 0))
        found.known_by(places, distinct)
        return found

    @cached_property
    def values(self) -> Array:
        codes, distinct = self.factorize()
        return np.array([*distinct, ""], object)[codes]

    @property
    def of_objects(self) -> bool:
        return True

    def at(self, places: npt.NDArray[Any]) -> RawColumn:
        codes, distinct = self.factorize()
        return CodedText.of(self.name, codes[places], distinct)


def _gaps(missing: Mask) -> Mask:
    """Which rows have no value; where all have one, a mask that takes no memory."""
    return missing if missing.any() else np.broadcast_to(np.False_, missing.shape)


#: The column that says why a row of joined files has no partner; no file has such a name.
PARTNER = "\0partner"


@dataclass(frozen=True, eq=False)
class RawTable:
    """What was read of a file: all its rows, the columns that were asked for.

    ``name`` is the file as the user wrote it; ``header`` lists every column of the
    file. ``lines`` is the file line where each row starts, shape (n,); None where a
    file has no lines or row i (from 0) starts at line i + ``first_line``. A table of
    several files has them in ``parts``, one after the other. ``label_names`` are what
    labels are called, by how they are written; ``bins`` the edges of the intervals that
    make subgroups of a column of numbers. ``kind`` is, where rows of the file stand for
    several rows each, the row of the file that each row comes from, shape (n,). ``times`` is,
    where rows were counted and not read, how many each of these stands for, shape (n,).
    ``classes`` are those that are known of the rows from anything in the report. ``grain``: scores
    are rounded to its multiples. ``unselected``: how many rows of the file are not of the dataset;
    ``elsewhere``: the labels that these have, as they are written.
    """

    name: str
    rows: int
    header: tuple[str, ...]
    columns: Mapping[str, RawColumn]
    sha256: str | None = None
    lines: npt.NDArray[np.int64] | None = None
    first_line: int | None = None
    parts: tuple[RawTable, ...] = ()
    label_names: Mapping[str, str] = field(default_factory=dict)
    bins: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    kind: npt.NDArray[np.int64] | None = None
    times: npt.NDArray[np.int64] | None = None
    classes: tuple[str, ...] = ()
    grain: float | None = None
    unselected: int = 0
    elsewhere: tuple[Any, ...] = ()
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    def line(self, row: int) -> int | None:
        """The file line of a row (counted from 0), None where the file has no lines."""
        row = self._in_file(row)
        if self.parts:
            part, own = self._part(row)
            return part.line(own)
        if self.lines is not None:
            return int(self.lines[row])
        return None if self.first_line is None else row + self.first_line

    def where(self, row: int) -> Location:
        """Where a row (counted from 0) is."""
        if self.parts:
            part, own = self._part(self._in_file(row))
            return part.where(own)
        return Location(self.name, self.line(row))

    def row_name(self, row: int) -> str:
        """A row (counted from 0) as people count: from 1, with its line in the file.

        >>> RawTable("a.csv", 3, (), {}, first_line=2).row_name(2)
        'row 3 (line 4)'
        """
        line = self.line(row)
        row = self._in_file(row)
        if self.parts:
            part, own = self._part(row)
            return f"{part.row_name(own)} of {part.name}"
        return f"row {row + 1}" + ("" if line is None else f" (line {line})")

    def count(self, chosen: Chosen = slice(None)) -> int:
        """How many rows are chosen, by a mask of shape (n,) or by their places."""
        if self.times is not None:
            return int(self.times[chosen].sum())
        return len(np.arange(self.rows)[chosen])

    def _in_file(self, row: int) -> int:
        """The row of the file, from 0, that a row comes from."""
        return row if self.kind is None else int(self.kind[row])

    def _part(self, row: int) -> tuple[RawTable, int]:
        """The file that holds a row, and its place there."""
        for part in self.parts:
            if row < part.rows:
                return part, row
            row -= part.rows
        raise IndexError(row)

    def once(self, key: Any, work: Callable[[], T]) -> T:
        """The result of ``work``, done once per table and key."""
        if key not in self._kept:
            self._kept[key] = work()
        result: T = self._kept[key]
        return result
