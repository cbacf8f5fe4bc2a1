"""Two files whose columns are of the same rows: truth in one, predictions in the other.

Rows are joined by a column that names them. A row without a partner stays in the
table, marked in a column of its own, so that it is left out for that reason and counted.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import SHOWN_ROWS, quoted, some
from evalreport.data.label_column import texts
from evalreport.data.source import Source, listed_sha256
from evalreport.data.table import PARTNER, RawColumn, RawTable
from evalreport.data.typed_values import column_of
from evalreport.errors import DataError, Location, Problem, did_you_mean


@dataclass(frozen=True)
class Joined(Source):
    """A dataset's own file ``left``, the one joined to it, and the columns that name rows."""

    left: Source
    right: Source
    on: tuple[str, str]


def joined_source(left: Source, right: Source, on: tuple[str, str]) -> Joined:
    """Two sources as one; its hash is that of the list of their hashes and names."""
    both = {left.suffix, right.suffix} == {".parquet"}
    return Joined(
        name=left.name,
        path=left.path,
        suffix=".parquet" if both else ".csv",
        size=left.size + right.size,
        sha256=listed_sha256([(one.sha256, one.name) for one in (left, right)]),
        identity=(),
        left=left,
        right=right,
        on=on,
    )


def without_partner(name: str) -> str:
    """Why a row is left out; ``name`` is the file that does not have it."""
    return f"no partner in {name}"


def check_shared(
    left: Collection[str], right: Collection[str], wanted: Collection[str] | None, source: Joined
) -> None:
    """Raise DataError for a column that both files have and that is asked for."""
    twice = [
        c for c in right if c in left and c not in source.on and (wanted is None or c in wanted)
    ]
    if twice:
        raise DataError(
            Problem(
                f"{source.left.name} and {source.right.name} both have "
                f"{some([quoted(c) for c in twice])}",
                "rename it in one of them, or leave it out",
                Location(source.right.name),
            )
        )


def check_keys(header: Collection[str], column: str, name: str) -> None:
    """Raise DataError where a file lacks the column that names its rows."""
    if column not in header:
        hint = did_you_mean(column, header, "columns")
        raise DataError(
            Problem(f"{name} has no column {quoted(column)} (join: on)", hint, Location(name))
        )


def joined_table(left: RawTable, right: RawTable, source: Joined) -> RawTable:
    """The rows of the left file with the columns of the right, then those of the right alone.

    Raises DataError for a row that the right file names twice.
    """
    own, other = source.on
    places, alone = _partners(left, right, own, other)
    rows = left.rows + len(alone)
    take = np.concatenate([places, alone])
    longer = np.concatenate([np.arange(left.rows), np.full(len(alone), -1)])
    key = _key(left.columns[own], right.columns[other], alone, left.name)
    columns = {name: column.placed(longer) for name, column in left.columns.items()}
    columns[own] = key
    columns |= {
        name: column.placed(take)
        for name, column in right.columns.items()
        if name != other or other != own
    }
    columns[PARTNER] = _marks(left, right, places, len(alone))
    lines = np.array([right.line(int(row)) or 0 for row in alone], np.int64)
    rest = RawTable(
        right.name, len(alone), right.header, {}, lines=lines if right.line(0) is not None else None
    )
    header = [*left.header, *(c for c in right.header if c not in left.header)]
    return RawTable(
        name=left.name,
        rows=rows,
        header=tuple(header),
        columns=columns,
        sha256=source.sha256,
        parts=(replace(left, columns={}, _kept={}), rest) if len(alone) else (),
        lines=left.lines,
        first_line=left.first_line,
    )


def _partners(
    left: RawTable, right: RawTable, own: str, other: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each left row the right one, -1 where there is none; and the right rows left over."""
    codes, names = texts(right, other)
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    twice = np.flatnonzero(counts > 1)
    if len(twice):
        told = [
            f"{quoted(names[code])} in {counts[code]} rows" for code in twice[:SHOWN_ROWS].tolist()
        ]
        first = int(np.flatnonzero(codes == twice[0])[1])
        raise DataError(
            Problem(
                f"{other} does not name one row each: {some(told)}",
                "one row of the joined file for each row",
                right.where(first),
            )
        )
    row_of = np.full(len(names) + 1, -1, np.int64)
    row_of[codes[codes >= 0]] = np.flatnonzero(codes >= 0)
    place = {name: code for code, name in enumerate(names)}
    own_codes, own_names = texts(left, own)
    table = np.array([*(place.get(name, len(names)) for name in own_names), len(names)], np.int64)
    places = row_of[table[own_codes]]
    found = np.zeros(right.rows, np.bool_)
    found[places[places >= 0]] = True
    return places, np.flatnonzero(~found)


def _key(own: RawColumn, other: RawColumn, alone: npt.NDArray[np.int64], name: str) -> RawColumn:
    """The column that names rows, of both files."""
    plain: list[Any] = [
        None if gone else value
        for column, rows in ((own, np.arange(len(own.values))), (other, alone))
        for value, gone in zip(
            column.values[rows].tolist(), column.missing[rows].tolist(), strict=True
        )
    ]
    kinds = {type(value) for value in plain if value is not None}
    if len(kinds) > 1:
        plain = [None if value is None else str(value) for value in plain]
    return column_of(own.name, plain, name)


def _marks(left: RawTable, right: RawTable, places: Any, alone: int) -> RawColumn:
    values = np.full(len(places) + alone, "", object)
    values[: len(places)][places < 0] = without_partner(right.name)
    values[len(places) :] = without_partner(left.name)
    return RawColumn(PARTNER, "text", values, np.asarray(values == "", np.bool_))
