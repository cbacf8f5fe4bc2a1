"""Rows of files behind a locked DuckDB connection: they are counted, never fetched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalreport.data.duckdb_columns import quoted_text
from evalreport.data.files import holding, parts_of
from evalreport.data.joined import Joined
from evalreport.data.parquet_file import damaged, locked_connection
from evalreport.data.source import Source
from evalreport.engine.counting.file_columns import file_column, types_of
from evalreport.engine.counting.joined_rows import joined_rows
from evalreport.engine.counting.parquet_rows import parquet_rows
from evalreport.engine.counting.text_rows import kept_rows
from evalreport.engine.databases.sessions import DuckDBSession
from evalreport.engine.databases.wanted import (
    UNWATCHED,
    NotPlainError,
    Wanted,
    Watcher,
)
from evalreport.errors import LimitError, Location, Problem
from evalreport.scratch import scratch_folder

#: The most temporary space that counting may take on disk.
MOST_SPILLED = "64GB"
#: Threads that count, where there are so many processors.
MOST_THREADS = 4


class DuckDBRows(DuckDBSession):
    """The rows of files: the relation ``data`` of a locked connection.

    Its columns ``c0``, ``c1``, ... are those of the ``header`` that are read.
    """

    rows = "data"
    size: int

    def __init__(
        self,
        connection: Any,
        name: str,
        header: tuple[str, ...],
        size: int,
        watch: Watcher = UNWATCHED,
        times: str | None = None,
    ) -> None:
        super().__init__(connection, name, seen=lambda share: watch.seen(int(share * size), size))
        self.size, self.times = size, times
        types = types_of(connection, "data")
        self.columns = [
            file_column(column, place, types.get(f"c{place}", ""))
            for place, column in enumerate(header)
        ]

    def write(self, query: str, path: Path, about: str) -> None:
        """Write the answer to a query as Parquet, with a text that is kept in it.

        The connection must be allowed to.
        """
        kept = f"FORMAT parquet, KV_METADATA {{about: {quoted_text(about)}}}"
        text = f"COPY ({query}) TO {quoted_text(str(path))} ({kept})"
        self.run(lambda: self.connection.execute(text))


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
    with scratch_folder() as spill:
        folder = Path(spill).resolve()
        settings = (
            f"threads={min(MOST_THREADS, max(os.cpu_count() or 2, 2))}",
            f"memory_limit='{memory}B'",
            f"temp_directory={quoted_text(spill)}",
            f"max_temp_directory_size='{MOST_SPILLED}'",
            "preserve_insertion_order=false",
            "enable_progress_bar=true",
            "enable_progress_bar_print=false",
        )
        keep = [f"ATTACH {quoted_text(str(folder / 'rows.db'))} AS kept"] if text else []
        places = [source.path for _, source in files]
        try:
            with locked_connection(places, settings, allowed, before=keep) as (connection, paths):
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
