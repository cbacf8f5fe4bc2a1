"""Rows of files behind a locked DuckDB connection: they are counted, never fetched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from evalreport.data.files import Files, holding, parts_of
from evalreport.data.interruptible import interruptible
from evalreport.data.joined import Joined
from evalreport.data.parquet_file import LOCKS, damaged, given_names
from evalreport.data.parquet_types import parquet_column
from evalreport.data.score_bins import ScoreBins
from evalreport.data.source import Source
from evalreport.data.table import RawColumn
from evalreport.engine.counting.answering import Columns
from evalreport.engine.counting.joined_rows import joined_rows
from evalreport.engine.counting.parquet_rows import parquet_rows
from evalreport.engine.counting.queries import Field
from evalreport.engine.counting.text_rows import kept_rows, typed_column
from evalreport.engine.counting.wanted import UNWATCHED, NotPlainError, Wanted, Watcher, quoted_text
from evalreport.errors import LimitError, Location, Problem
from evalreport.scratch import scratch_folder

if TYPE_CHECKING:
    from evalreport.engine.counting.kept_counts import KeptCounts

#: The most temporary space that counting may take on disk.
MOST_SPILLED = "64GB"
#: Kinds of files whose tables are kept, packed or not.
_ADDED = (".parquet", ".csv", ".tsv")
#: Threads that count, where there are so many processors.
MOST_THREADS = 4


class DuckDBRows:
    """The relation ``data`` of a connection, its columns called by their place."""

    def __init__(
        self,
        connection: Any,
        name: str,
        header: tuple[str, ...],
        kinds: tuple[str, ...],
        rows: int,
        watch: Watcher = UNWATCHED,
        count: str | None = None,
    ) -> None:
        self.name, self.header, self.kinds, self.rows = name, header, kinds, rows
        self._connection, self._watch = connection, watch
        self.times = None if count is None else self.field(count)
        self.binned: Mapping[str, ScoreBins] = {}

    def field(self, column: str) -> Field:
        place = self.header.index(column)
        return Field(place, self.kinds[place])

    def ask(self, query: exp.Select) -> Columns:
        text = query.sql("duckdb", identify=True)
        found: Columns = interruptible(
            self._connection,
            lambda: self._connection.execute(text).fetchnumpy(),
            lambda share: self._watch.seen(int(share * self.rows), self.rows),
        )
        return found

    def fingerprints(self, texts: Sequence[str]) -> Any:
        asked = "SELECT hash(unnest($texts)) AS h"
        return self._connection.execute(asked, {"texts": list(texts)}).fetchnumpy()["h"]

    def column(self, name: str, kind: str, values: Any) -> RawColumn:
        if kind == "JSON":
            return typed_column(name, values, self.name)
        return parquet_column(name, kind, values)


@contextmanager
def duckdb_rows(
    source: Source, wanted: Wanted, counts: KeptCounts | None = None
) -> Iterator[DuckDBRows]:
    """The rows of a dataset's files for counting, with at most ``memory`` bytes held by DuckDB.

    ``counts``: where the tables of files that are one dataset are kept, and looked up.

    The files are proved to hold still until the end. Raises DataError for damaged files,
    FilesError for files that change, LimitError where memory or disk give out, and
    NotPlainError for text that is to be read by the reader of text.
    """
    import duckdb

    with ExitStack() as stack:
        stack.enter_context(holding(source))
        spill = stack.enter_context(scratch_folder())
        connection = duckdb.connect(":memory:")
        stack.callback(connection.close)
        sources = [part.source for part in parts_of(source)]
        paths = stack.enter_context(given_names(connection, sources))
        try:
            if counts is not None and adds_up(source):
                from evalreport.engine.counting.added_rows import AddedRows

                text = source.suffix != ".parquet"
                lock(connection, paths, spill, wanted.memory, kept=text)
                yield AddedRows(connection, source, paths, wanted, counts)
                return
            kept = source.suffix != ".parquet"
            lock(connection, paths, spill, wanted.memory, kept=kept)
            if isinstance(source, Joined):
                made = joined_rows(connection, source, paths, wanted)
            elif kept:
                made = kept_rows(connection, source, paths, wanted)
            else:
                made = parquet_rows(connection, source, paths, wanted.columns)
            yield DuckDBRows(connection, source.name, *made, wanted.watch, wanted.count)
        except duckdb.OutOfMemoryException:
            raise LimitError(
                Problem(
                    f"counting needs more than {wanted.memory >> 20:,} MiB of memory",
                    "raise engine.memory_limit",
                    Location(source.name),
                )
            ) from None
        except (duckdb.Error, UnicodeDecodeError) as error:
            for one in sources:
                one.check_given()
            raise _failure(error, source, paths) from None


def adds_up(source: Source) -> bool:
    """Whether a dataset is of several files, each of which has a counted table of its own."""
    kind = source.suffix.removesuffix(".gz")
    return isinstance(source, Files) and kind in _ADDED and len(source.parts) > 1


def _failure(error: Exception, source: Source, paths: list[str]) -> Exception:
    reason = str(error).splitlines()[0]
    for part, path in zip(parts_of(source), paths, strict=True):
        reason = reason.replace(path, part.name)
    if "No space left" in reason or "max_temp_directory_size" in reason:
        instead = "free some space where temporary files are kept (TMPDIR)"
        what = "counting needs more space on disk than there is"
        return LimitError(Problem(what, instead, Location(source.name)))
    if source.suffix == ".parquet":
        return damaged(source.name, reason)
    return NotPlainError(reason)


def lock(connection: Any, paths: list[str], spill: str, memory: int, *, kept: bool = False) -> None:
    """Let a connection open the ``paths`` and nothing else; what it spills goes to ``spill``.

    With ``kept`` there is a database ``kept`` in that folder, for rows on disk.
    """
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
