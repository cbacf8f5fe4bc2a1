"""Rows that two Parquet files share, counted by DuckDB where they lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evalreport.data.parquet_file import ParquetFile
from evalreport.data.parquet_types import expression, readable
from evalreport.data.source import Source, reading
from evalreport.engine.counting.duckdb_rows import locked

_NUMBERS = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT",
    "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE", "BOOLEAN",
)  # fmt: skip
_WHOLE = _NUMBERS[:8]
#: What a comparison cannot do without, however low the limit.
LEAST_MEMORY = 256_000_000


class ParquetPair:
    """A tested and a training file under one locked connection."""

    def __init__(self, connection: Any, tested: ParquetFile, trained: ParquetFile) -> None:
        self._connection, self._tested, self._trained = connection, tested, trained

    @property
    def rows(self) -> int:
        """Rows of the tested file."""
        return self._tested.rows

    @property
    def headers(self) -> tuple[Sequence[str], Sequence[str]]:
        """The columns of both that can be compared, in their order."""
        return _comparable(self._tested), _comparable(self._trained)

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
        places = self._tested.header.index(tested), self._trained.header.index(trained)
        kinds = self._tested.types[places[0]], self._trained.types[places[1]]
        names = [f"c{place}" for place in places]
        if all(kind in _WHOLE for kind in kinds):
            return tuple(f"CAST({name} AS HUGEINT)" for name in names)  # type: ignore[return-value]
        if all(kind in _NUMBERS for kind in kinds):
            return tuple(_number(name) for name in names)  # type: ignore[return-value]
        texts = [
            f"CAST({expression(kind, name)} AS VARCHAR)"
            for kind, name in zip(kinds, names, strict=True)
        ]
        return texts[0], texts[1]

    def _count(self, tested: Sequence[str], trained: Sequence[str], equals: str) -> int:
        left = ", ".join(f"{one} AS k{i}" for i, one in enumerate(tested))
        right = ", ".join(f"{one} AS k{i}" for i, one in enumerate(trained))
        same = " AND ".join(f"a.k{i} {equals} b.k{i}" for i in range(len(tested)))
        # Places of columns and quoted paths only: no name and no text of a file is in here.
        query = (
            f"SELECT count(*) FROM (SELECT {left} FROM {_scan(self._tested)}) AS a "  # noqa: S608
            f"SEMI JOIN (SELECT DISTINCT {right} FROM {_scan(self._trained)}) AS b ON {same}"
        )
        return int(self._connection.execute(query).fetchone()[0])


def _number(name: str) -> str:
    """A number as a double; NaN is missing, and there is one zero."""
    number = f"CAST({name} AS DOUBLE)"
    return f"CASE WHEN isnan({number}) THEN NULL ELSE {number} + 0.0 END"


def _scan(file: ParquetFile) -> str:
    literal = file.path.replace("'", "''")
    places = ", ".join(f"c{i}" for i in range(len(file.header)))
    how = "hive_partitioning=false, filename=false, union_by_name=false"
    return f"read_parquet('{literal}', {how}) AS t({places})"


def _comparable(file: ParquetFile) -> list[str]:
    return [
        name
        for name, kind in zip(file.header, file.types, strict=True)
        if readable(kind) and not kind.endswith("]")
    ]


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
            ParquetFile(connection, path, name)
            for path, (name, _) in zip(paths, files, strict=True)
        )
        yield ParquetPair(connection, one, other)
