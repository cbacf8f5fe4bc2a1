"""Rows of files behind a locked DuckDB connection: they are counted, never fetched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from evalreport.data.files import holding, parts_of
from evalreport.data.interruptible import interruptible
from evalreport.data.joined import Joined
from evalreport.data.parquet_file import LOCKS, damaged, plain_name
from evalreport.data.parquet_types import parquet_column, text_column
from evalreport.data.source import Source
from evalreport.data.table import RawColumn
from evalreport.engine.counting.file_columns import file_column
from evalreport.engine.counting.joined_rows import joined_rows
from evalreport.engine.counting.parquet_rows import parquet_rows
from evalreport.engine.counting.text_rows import kept_rows, typed_column
from evalreport.engine.databases.arrow import columns_of
from evalreport.engine.databases.query_text import DUCKDB, Column
from evalreport.engine.databases.wanted import (
    UNWATCHED,
    NotPlainError,
    Wanted,
    Watcher,
    quoted_text,
)
from evalreport.errors import LimitError, Location, Problem
from evalreport.scratch import scratch_folder

T = TypeVar("T")
#: The most temporary space that counting may take on disk.
MOST_SPILLED = "64GB"
#: Threads that count, where there are so many processors.
MOST_THREADS = 4


@dataclass(frozen=True)
class KindsOf:
    """What rows are counted by: the query, its columns ``k0``, ``k1``, ... and what they are.

    ``kinds``: the DuckDB names of their types.
    """

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    query: str


class DuckDBRows:
    """The rows of files as a session: the relation ``data`` of a locked connection.

    ``types``: the DuckDB names of the types of its columns, see ``file_columns``; ``size``: how
    many rows there are. ``times``: how many each stands for, as a query says it, where no column
    of the file does.
    """

    dialect = DUCKDB
    rows = "data"

    def __init__(
        self,
        connection: Any,
        name: str,
        header: tuple[str, ...],
        types: tuple[str, ...],
        size: int,
        watch: Watcher = UNWATCHED,
        times: str | None = None,
    ) -> None:
        self.name, self.header, self.size, self.times = name, header, size, times
        self._connection, self._watch, self._types = connection, watch, types
        self.columns = [
            file_column(column, place, kind)
            for place, (column, kind) in enumerate(zip(header, types, strict=True))
        ]

    def type_of(self, column: str) -> str:
        """The DuckDB name of the type of a column."""
        return self._types[self.header.index(column)]

    def column(self, name: str) -> Column:
        """A column by its name."""
        return self.columns[self.header.index(name)]

    def fetch(self, text: str, names: Sequence[str]) -> list[RawColumn]:
        """The columns of an answer, called ``names``."""
        return self._while(lambda: columns_of(self._connection.sql(text), names, self.name))

    def kinds(self, asked: KindsOf) -> tuple[list[RawColumn], Any, Any]:
        """The columns of each kind of rows, how many rows are of it, and how many do not say it.

        Kinds that have a text in common share it: what is fetched of it is a number.
        """
        self._run(f"CREATE OR REPLACE TEMP TABLE kinds AS {asked.query}")
        texts: dict[str, list[str]] = {}
        shown = ["coalesce(n, 0) AS n", "wrong"]
        for i, kind in enumerate(asked.kinds):
            found = self._texts(f"k{i}") if kind == "VARCHAR" else None
            if found is None:
                shown.append(f"k{i}")
                continue
            texts[f"k{i}"] = found
            shown.append(f"enum_code(CAST(k{i} AS texts_{i})) AS k{i}")
        answer = self._run(f"SELECT {', '.join(shown)} FROM kinds").fetchnumpy()  # noqa: S608
        columns = [
            text_column(name, answer[f"k{i}"], texts[f"k{i}"])
            if f"k{i}" in texts
            else self._column(name, kind, answer[f"k{i}"])
            for i, (name, kind) in enumerate(zip(asked.columns, asked.kinds, strict=True))
        ]
        self._run("DROP TABLE kinds")
        return columns, np.ma.getdata(answer["n"]), np.ma.getdata(answer["wrong"])

    def _texts(self, column: str) -> list[str] | None:
        """The texts of a column of the kinds, as a type; None where hardly any is shared."""
        name = f"texts_{column.removeprefix('k')}"
        distinct = f"SELECT DISTINCT {column} FROM kinds WHERE {column} IS NOT NULL"  # noqa: S608
        counts = self._run(f"SELECT count(*), (SELECT count(*) FROM kinds) FROM ({distinct})")  # noqa: S608
        some, every = counts.fetchone()
        if not some or some > every // 2 + 1:
            return None
        self._run(
            f"DROP TYPE IF EXISTS {name}; CREATE TEMP TYPE {name} AS ENUM ({distinct} ORDER BY 1)"
        )
        listed = self._run(f"SELECT unnest(enum_range(NULL::{name}))").fetchall()
        return [str(text) for (text,) in listed]

    def _run(self, text: str) -> Any:
        return self._while(lambda: self._connection.execute(text))

    def _while(self, work: Callable[[], T]) -> T:
        return interruptible(
            self._connection,
            work,
            lambda share: self._watch.seen(int(share * self.size), self.size),
        )

    def write(self, query: str, path: Path) -> None:
        """Write the answer to a query as Parquet; the connection must be allowed to."""
        self._run(f"COPY ({query}) TO {quoted_text(str(path))} (FORMAT parquet)")

    def _column(self, name: str, kind: str, values: Any) -> RawColumn:
        if kind == "JSON":
            return typed_column(name, values, self.name)
        return parquet_column(name, kind, values)


@contextmanager
def duckdb_rows(
    source: Source, wanted: Wanted, allowed: Sequence[str] = ()
) -> Iterator[DuckDBRows]:
    """The rows of a dataset's files for counting, with at most ``memory`` bytes held by DuckDB.

    ``allowed``: files that may be written. The files are proved to hold still until the end. Raises
    DataError for damaged files, FilesError for files that change, LimitError where memory or disk
    give out, and NotPlainError for text that is to be read by the reader of text.
    """
    text = source.suffix != ".parquet"
    files = [(part.name, part.source) for part in parts_of(source)]
    with (
        holding(source),
        locked(source.name, files, wanted.memory, allowed, text=text) as (connection, paths),
    ):
        if isinstance(source, Joined):
            made = joined_rows(connection, source, paths, wanted)
        elif text:
            made = kept_rows(connection, source, paths, wanted)
        else:
            made = parquet_rows(connection, source, paths, wanted.columns)
        yield DuckDBRows(connection, source.name, *made, wanted.watch)


@contextmanager
def locked(
    name: str,
    files: Sequence[tuple[str, Source]],
    memory: int,
    allowed: Sequence[str] = (),
    *,
    text: bool = False,
    doing: str = "counting",
) -> Iterator[tuple[Any, list[str]]]:
    """A connection that may open some files, by name, and nothing else; and what it calls them.

    ``allowed``: further files, and those that may be written. Of ``text`` rows are kept on disk, in
    the database ``kept``. What fails is said of ``name``, as :func:`duckdb_rows` does.
    """
    import duckdb

    paths: list[str] = []
    with scratch_folder() as spill, closing(duckdb.connect(":memory:")) as connection:
        try:
            with ExitStack() as stack:
                paths = [stack.enter_context(plain_name(source.path)) for _, source in files]
                _lock(connection, [*paths, *allowed], spill, memory, kept=text)
                yield connection, paths
        except (duckdb.Error, UnicodeDecodeError) as error:
            if isinstance(error, duckdb.OutOfMemoryException):
                what = f"{doing} needs more than {memory >> 20:,} MiB of memory"
                told = Problem(what, "raise engine.memory_limit", Location(name))
                raise LimitError(told) from None
            reason = str(error).splitlines()[0]
            for (own, _), path in zip(files, paths, strict=False):
                reason = reason.replace(path, own)
            if "No space left" in reason or "max_temp_directory_size" in reason:
                instead = "free some space where temporary files are kept (TMPDIR)"
                what = f"{doing} needs more space on disk than there is"
                raise LimitError(Problem(what, instead, Location(name))) from None
            raise (NotPlainError(reason) if text else damaged(name, reason)) from None


def _lock(connection: Any, paths: list[str], spill: str, memory: int, *, kept: bool) -> None:
    if kept:
        rows = str(Path(spill).resolve() / "rows.db").replace("'", "''")
        connection.execute(f"ATTACH '{rows}' AS kept")
    listed = ", ".join(quoted_text(path) for path in paths)
    folder = spill.replace("'", "''")
    for setting in (
        f"threads={min(MOST_THREADS, max(os.cpu_count() or 2, 2))}",
        f"memory_limit='{memory}B'",
        f"temp_directory='{folder}'",
        f"max_temp_directory_size='{MOST_SPILLED}'",
        "preserve_insertion_order=false",
        "enable_progress_bar=true",
        "enable_progress_bar_print=false",
        f"allowed_paths=[{listed}]",
        *LOCKS,
    ):
        connection.execute(f"SET {setting}")
