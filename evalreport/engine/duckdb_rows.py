"""Rows of a file behind a locked DuckDB connection: they are counted, never fetched."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, BinaryIO

from sqlglot import exp

from evalreport.data.limits import DEFAULT_LIMITS
from evalreport.data.parquet import (
    LOCKS,
    ParquetFile,
    check_cells,
    check_checksums,
    damaged,
    plain_name,
)
from evalreport.data.parquet_types import expression, parquet_column, readable
from evalreport.data.source import Source, reading
from evalreport.data.table import RawColumn
from evalreport.engine.counted_rows import Columns
from evalreport.engine.queries import Field
from evalreport.errors import DataError, LimitError, Location, Problem

#: The most temporary space that counting may take on disk.
MOST_SPILLED = "64GB"

#: Types whose values are their own text.
_PLAIN = ("VARCHAR", "BOOLEAN", "FLOAT", "DOUBLE")


class DuckDBRows:
    """The rows of one Parquet file as the relation ``data``, columns by their place."""

    def __init__(self, file: ParquetFile, name: str) -> None:
        self.name = name
        self.header = tuple(file.header)
        self.types = list(file.types)
        self.rows = file.rows
        self._connection = file.connection
        shown = ", ".join(
            f"{expression(kind, f'c{i}')} AS c{i}"
            for i, kind in enumerate(file.types)
            if readable(kind) and not kind.endswith("]")
        )
        literal = file.path.replace("'", "''")
        places = ", ".join(f"c{i}" for i in range(len(file.header)))
        scan = "hive_partitioning=false, filename=false, union_by_name=false"
        # No name and no text of the file is in here, and the path is a quoted literal.
        self._connection.execute(
            f"CREATE TEMP VIEW data AS SELECT {shown} "  # noqa: S608
            f"FROM read_parquet('{literal}', {scan}) AS t({places})"
        )

    def field(self, column: str) -> Field:
        place = self.header.index(column)
        return Field(place, _shown_type(self.types[place]))

    def ask(self, query: exp.Select) -> Columns:
        text = query.sql("duckdb", identify=True)
        # The query runs beside the main thread, which so can be stopped by a signal at once.
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(lambda: self._connection.execute(text).fetchnumpy())
            try:
                found: Columns = answer.result()
            except BaseException:
                self._connection.interrupt()
                raise
        return found

    def column(self, name: str, kind: str, values: Any) -> RawColumn:
        return parquet_column(name, kind, values)


def _shown_type(kind: str) -> str:
    """The type of a column in ``data``: itself for plain values and integers, else text."""
    whole = kind.removeprefix("U") in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
    return kind if kind in _PLAIN or whole else "VARCHAR"


@contextmanager
def duckdb_rows(source: Source, columns: tuple[str, ...], memory: int) -> Iterator[DuckDBRows]:
    """The rows of a Parquet file for counting, with at most ``memory`` bytes held by DuckDB.

    The file is proved to hold still until the end. Raises DataError for a damaged
    file, FilesError for one that changes, LimitError where memory or disk give out.
    """
    import duckdb

    with (
        reading(source) as stream,
        plain_name(source.path) as path,
        tempfile.TemporaryDirectory(prefix="evalreport-") as spill,
    ):
        connection = duckdb.connect(":memory:")
        try:
            _lock(connection, path, spill, memory)
            file = ParquetFile(connection, path, source.name)
            _check(file, stream, columns)
            yield DuckDBRows(file, source.name)
        except duckdb.OutOfMemoryException:
            raise LimitError(
                Problem(
                    f"counting needs more than {memory >> 20:,} MiB of memory",
                    "raise engine.memory_limit",
                    Location(source.name),
                )
            ) from None
        except (duckdb.Error, UnicodeDecodeError) as error:
            reason = str(error).splitlines()[0].replace(path, source.name)
            raise damaged(source.name, reason) from None
        finally:
            connection.close()


def _lock(connection: Any, path: str, spill: str, memory: int) -> None:
    literal, folder = path.replace("'", "''"), spill.replace("'", "''")
    for setting in (
        "threads=2",
        f"memory_limit='{memory}B'",
        f"temp_directory='{folder}'",
        f"max_temp_directory_size='{MOST_SPILLED}'",
        "preserve_insertion_order=false",
        "enable_progress_bar=false",
        f"allowed_paths=['{literal}']",
        *LOCKS,
    ):
        connection.execute(f"SET {setting}")


def _check(file: ParquetFile, stream: BinaryIO, columns: tuple[str, ...]) -> None:
    asked = [i for i, name in enumerate(file.header) if name in columns]
    if file.rows <= 0:
        raise DataError(Problem("the file has no rows", "give at least one", Location(file.name)))
    check_cells(file.rows, len(asked), file.name, DEFAULT_LIMITS)
    check_checksums(file, stream, asked)
