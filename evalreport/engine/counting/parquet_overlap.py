"""Rows that two Parquet files share, counted by DuckDB where they lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evalreport.data.source import Source, reading
from evalreport.engine.counting.duckdb_rows import locked
from evalreport.engine.counting.file_columns import types_of
from evalreport.engine.counting.parquet_rows import Made, parquet_rows

_NUMBERS = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT",
    "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE", "BOOLEAN",
)  # fmt: skip
_WHOLE = _NUMBERS[:8]
#: A number as a double; NaN is missing, and there is one zero.
_NUMBER = "CASE WHEN NOT isnan(CAST({0} AS DOUBLE)) THEN CAST({0} AS DOUBLE) + 0.0 END"
RELATIONS = ("tested", "trained")
#: What a comparison cannot do without, however low the limit.
LEAST_MEMORY = 256_000_000


class ParquetPair:
    """A tested and a training file as the relations of one locked connection."""

    def __init__(self, connection: Any, tested: Made, trained: Made) -> None:
        self._connection, self._made = connection, (tested, trained)
        self._types = [types_of(connection, relation) for relation in RELATIONS]

    @property
    def rows(self) -> int:
        """Rows of the tested file."""
        return self._made[0][1]

    @property
    def headers(self) -> tuple[Sequence[str], Sequence[str]]:
        """The columns of both that can be compared, in their order."""
        return self._comparable(0), self._comparable(1)

    def _comparable(self, side: int) -> list[str]:
        types = self._types[side]
        found = ((name, types.get(f"c{i}", "[]")) for i, name in enumerate(self._made[side][0]))
        return [name for name, kind in found if not kind.endswith("]")]

    def values(self, tested: str, trained: str) -> int:
        """Rows whose value of a column occurs in the other file; NULL occurs nowhere."""
        left, right = self._sides(tested, trained)
        return self._count([left], [right], "=")

    def contents(self, columns: Sequence[str]) -> int:
        """Rows that equal a row of the other file in every column; NULL equals NULL."""
        sides = [self._sides(name, name) for name in columns]
        return self._count([s[0] for s in sides], [s[1] for s in sides], "IS NOT DISTINCT FROM")

    def _sides(self, tested: str, trained: str) -> tuple[str, str]:
        """The two columns as expressions of one type."""
        sides = zip(self._made, self._types, (tested, trained), strict=True)
        found = [(f"c{header.index(name)}", types) for (header, _), types, name in sides]
        kinds = [types[name] for name, types in found]
        how = "CAST({} AS VARCHAR)"
        if all(kind in _WHOLE for kind in kinds):
            how = "CAST({} AS HUGEINT)"
        elif all(kind in _NUMBERS for kind in kinds):
            how = _NUMBER
        left, right = (how.format(name) for name, _ in found)
        return left, right

    def _count(self, tested: Sequence[str], trained: Sequence[str], equals: str) -> int:
        left = ", ".join(f"{one} AS k{i}" for i, one in enumerate(tested))
        right = ", ".join(f"{one} AS k{i}" for i, one in enumerate(trained))
        same = " AND ".join(f"a.k{i} {equals} b.k{i}" for i in range(len(tested)))
        # Places of columns and quoted paths only: no name and no text of a file is in here.
        query = (
            f"SELECT count(*) FROM (SELECT {left} FROM {RELATIONS[0]}) AS a "  # noqa: S608
            f"SEMI JOIN (SELECT DISTINCT {right} FROM {RELATIONS[1]}) AS b ON {same}"
        )
        return int(self._connection.execute(query).fetchone()[0])


@contextmanager
def parquet_pair(tested: Source, trained: Source, memory: int) -> Iterator[ParquetPair]:
    """Two Parquet files for comparison, with at most ``memory`` bytes held by DuckDB.

    Raises DataError for a damaged file, FilesError for one that changes, LimitError where
    memory or disk give out.
    """
    memory = max(memory, LEAST_MEMORY)
    files = [(one.name, one) for one in (tested, trained)]
    with (
        reading(tested),
        reading(trained),
        locked(tested.name, files, memory, doing="comparing the rows") as (connection, paths),
    ):
        one, other = (
            parquet_rows(connection, source, [path], (), relation)
            for source, path, relation in zip((tested, trained), paths, RELATIONS, strict=True)
        )
        yield ParquetPair(connection, one, other)
