"""Kinds of rows and how many rows are of each: written out as rows, or added up over files.

A count says how often a row was seen; it is no weight. 89 right of 100 is the same whether
the rows are written one by one or as two kinds, and so are its intervals: every row is
independent of every other. Rows are written out only where single ones are needed; how many
there are is known before, and held against what may be taken.

A site can hand over the kinds in the place of its rows. The kinds of several files are added up;
values are kept as they are written, so nothing that is read from the sum differs from what is
read from the files.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import rows_problem
from evalreport.data.read import read_table, same_columns
from evalreport.data.scores import numbers, rounded
from evalreport.data.source import Source
from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import DataError, Location, Problem, did_you_mean

#: The largest whole number up to which a double counts every one.
MOST = 2**53


def multiplicities(table: RawTable, column: str) -> npt.NDArray[np.int64]:
    """How many rows are of each kind, shape (kinds,): whole numbers from 0 on.

    Raises DataError for a count that is missing, no number, not whole, negative or too large,
    and where no kind has a row.
    """
    found = numbers(table, column)
    values, missing = found.values, found.missing
    read = ~missing & np.isfinite(values)
    at_zero = np.where(read, values, 0.0)
    wrong = (
        ("is missing", missing),
        ("is negative", at_zero < 0),
        ("is not whole", at_zero != np.floor(at_zero)),
        (f"is larger than {MOST:,}", at_zero > MOST),
    )
    problems = list(found.problems)
    for what, where in wrong:
        rows = np.flatnonzero(where).tolist()
        if rows:
            told = f"the count in {column} {what}"
            problems.append(rows_problem(table, told, rows, "a whole number of rows, 0 or more"))
    if problems:
        raise DataError(*problems)
    if sum(values.tolist()) > MOST:
        what = f"the counts in {column} add up to more than {MOST:,} rows"
        raise DataError(Problem(what, "fewer rows", Location(table.name)))
    if not values.any():
        what = f"every count in {column} is 0"
        raise DataError(Problem(what, "at least one row", Location(table.name)))
    return values.astype(np.int64)


def written_out(
    table: RawTable, column: str, room: Callable[[int], None] = lambda _rows: None
) -> RawTable:
    """The rows that the kinds of a table stand for, each as often as ``column`` says.

    ``room`` is told how many there will be before they are made, and raises LimitError where
    they are too many. Raises DataError as :func:`multiplicities` does.

    >>> from evalreport.data.frames import read_frame
    >>> kinds = read_frame({"y": ["a", "b"], "n": [2, 1]}, "kinds")
    >>> written_out(kinds, "n").columns["y"].values.tolist()
    ['a', 'a', 'b']
    """
    times = multiplicities(table, column)
    rows = int(times.sum())
    room(rows)
    columns = {
        name: RawColumn(name, one.kind, np.repeat(one.values, times), np.repeat(one.missing, times))
        for name, one in table.columns.items()
        if name != column
    }
    kind = np.repeat(np.arange(table.rows, dtype=np.int64), times)
    return replace(table, rows=rows, columns=columns, kind=kind, _kept={})


#: Files in which every value is text.
WRITTEN = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


@dataclass(frozen=True)
class Merged:
    """Kinds of rows in the order of their values; ``rows`` of each file that was added up."""

    columns: tuple[str, ...]
    count: str
    kinds: tuple[tuple[tuple[str, ...], int], ...]
    rows: tuple[int, ...]

    @property
    def single(self) -> int:
        """Kinds of which there is only one row: a hint that rows may still be told apart."""
        return sum(count == 1 for _, count in self.kinds)

    def text(self) -> str:
        """The kinds as a csv file."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*self.columns, self.count])
        writer.writerows([*kind, count] for kind, count in self.kinds)
        return out.getvalue()


def merged(
    sources: Sequence[Source],
    count: str,
    columns: Sequence[str] | None = None,
    grains: Mapping[str, float] | None = None,
) -> Merged:
    """The kinds of rows of several files, with how many rows of all files are of each.

    A file without a column ``count`` holds rows, one each. ``columns`` are kept, all by
    default. ``grains``: columns of scores, each rounded to a multiple of this. Raises DataError
    for other columns than the first file has, for columns that are not there, for what is no
    count, and for files whose values are not written as text.
    """
    for source in sources:
        if source.suffix not in WRITTEN:
            what = f"files of the kind '{source.suffix}' are not added up"
            raise DataError(Problem(what, f"one of {', '.join(WRITTEN)}", Location(source.name)))
    tables = [read_table(source) for source in sources]
    same_columns([(table.name, table.header) for table in tables])
    header = tuple(name for name in tables[0].header if name != count)
    kept = header if columns is None else tuple(columns)
    grains = grains or {}
    absent = [name for name in dict.fromkeys((*kept, *grains)) if name not in header]
    if absent:
        raise DataError(
            *(
                Problem(
                    f"no column '{name}'",
                    did_you_mean(name, header, "columns"),
                    Location(tables[0].name),
                )
                for name in absent
            )
        )
    total: Counter[tuple[str, ...]] = Counter()
    rows = []
    for table in tables:
        times = _times(table, count)
        rows.append(sum(times))
        texts = (_texts(table, name, grains.get(name)) for name in kept)
        written = zip(*texts, strict=True)
        for kind, number in zip(written, times, strict=True):
            total[kind] += number
    kinds = tuple(sorted((kind, number) for kind, number in total.items() if number))
    return Merged(kept, count, kinds, tuple(rows))


def _times(table: RawTable, count: str) -> list[int]:
    if count not in table.columns:
        return [1] * table.rows
    found: list[int] = multiplicities(table, count).tolist()
    return found


def _texts(table: RawTable, name: str, grain: float | None) -> list[str]:
    """A column as written, or its scores rounded; nothing where there is no value."""
    column = table.columns[name]
    values = column.values
    if grain is not None:
        found = numbers(table, name)
        if found.problems:
            raise DataError(*found.problems)
        values = rounded(found.values, grain)
        column = replace(column, missing=found.missing)
    pairs = zip(values.tolist(), column.missing.tolist(), strict=True)
    return ["" if gap else str(value) for value, gap in pairs]
