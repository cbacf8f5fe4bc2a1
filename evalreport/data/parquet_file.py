"""A Parquet file through DuckDB, which may open this one file and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalreport.data.delimited_header import check_names
from evalreport.data.findings import quoted
from evalreport.data.parquet_pages import Chunk
from evalreport.data.source import Source, reading
from evalreport.errors import DataError, LimitError, Location, Problem
from evalreport.scratch import scratch_folder

_MEMORY = "4GB"
#: Settings of a connection that reads the files allowed before, and does nothing else.
LOCKS = (
    "enable_external_access=false",
    "python_enable_replacements=false",
    "autoinstall_known_extensions=false",
    "autoload_known_extensions=false",
    "allow_community_extensions=false",
    "lock_configuration=true",
)
_LOCKS = ("threads=2", f"memory_limit='{_MEMORY}'", "temp_directory=''", *LOCKS)
_SCAN = "read_parquet(?, hive_partitioning=false, filename=false, union_by_name=false)"
_PATTERN_MARKS = "*?[]{}"


class ParquetFile:
    """One Parquet file under a locked connection: what of it is asked, and how it is named."""

    def __init__(self, connection: Any, path: str, name: str) -> None:
        self.connection, self.path, self.name = connection, path, name
        self.header, self.leaves = self._schema()
        check_names(self.header, name)
        self.types = [str(row[1]) for row in self.ask(f"DESCRIBE FROM {_SCAN}")]
        if len(self.types) != len(self.header):
            raise damaged(name, "the list of columns does not fit the columns")
        self.rows = int(self.ask("SELECT num_rows FROM parquet_file_metadata(?)")[0][0])

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a query about this file."""
        rows: list[tuple[Any, ...]] = self.connection.execute(query, [self.path]).fetchall()
        return rows

    def select(self, expressions: Collection[str], count: int) -> Any:
        """A query of the first ``count`` rows; columns are called c0, c1, ... by position."""
        names = ", ".join(f"c{i}" for i in range(len(self.header)))
        limit = f" LIMIT {count}" if count < self.rows else ""
        # No name and no text of the file becomes part of a query, so none can be injected.
        query = f"SELECT {', '.join(expressions)} FROM {_SCAN} AS t({names}){limit}"  # noqa: S608
        return self.connection.execute(query, [self.path])

    def _schema(self) -> tuple[list[str], list[int]]:
        """Names of the top-level columns as written, and of each stored column its place."""
        entries = self.ask("SELECT name, num_children FROM parquet_schema(?)")
        names: list[str] = []
        leaves: list[int] = []
        at = 1
        while at < len(entries):
            names.append(str(entries[at][0]))
            left = 1
            while left and at < len(entries):
                children = entries[at][1] or 0
                if not children:
                    leaves.append(len(names) - 1)
                left += children - 1
                at += 1
        return names, leaves

    def chunks(self, asked: Collection[int]) -> list[Chunk]:
        """Where the pages of the asked columns are."""
        found = self.ask(
            "SELECT column_id, dictionary_page_offset, data_page_offset, total_compressed_size, "
            "path_in_schema, total_uncompressed_size "
            "FROM parquet_metadata(?) ORDER BY row_group_id, column_id"
        )
        chunks = []
        for leaf, dictionary, data, size, path, unpacked in found:
            column = self.leaves[int(leaf)]
            # Names are not under a checksum, but they are written twice.
            if not f"{path}, ".startswith(f"{self.header[column]}, "):
                raise damaged(self.name, f"column {quoted(self.header[column])} has two names")
            if column in asked and data is not None and size is not None:
                start = dictionary if dictionary and dictionary < data else data
                end = int(start) + int(size)
                chunks.append(Chunk(self.header[column], int(start), end, int(unpacked or 0)))
        return chunks


@contextmanager
def opened_parquet(source: Source) -> Iterator[ParquetFile]:
    """The file under a locked connection. Raises DataError for a damaged file."""
    import duckdb

    with plain_name(source.path) as path:
        connection = duckdb.connect(":memory:")
        try:
            literal = path.replace("'", "''")
            connection.execute(f"SET allowed_paths=['{literal}']")
            for lock in _LOCKS:
                connection.execute(f"SET {lock}")
            yield ParquetFile(connection, path, source.name)
        except duckdb.OutOfMemoryException:
            raise LimitError(
                Problem(
                    f"reading needs more than {_MEMORY} of memory",
                    "give a smaller file",
                    Location(source.name),
                )
            ) from None
        except (duckdb.Error, UnicodeDecodeError) as error:
            reason = str(error).splitlines()[0].replace(path, source.name)
            raise damaged(source.name, reason) from None
        finally:
            connection.close()


@contextmanager
def plain_name(path: Path) -> Iterator[str]:
    """A name of the file without the characters that DuckDB takes for a pattern."""
    if not any(mark in str(path) for mark in _PATTERN_MARKS):
        yield str(path)
        return
    with scratch_folder() as folder:
        link = Path(folder).resolve() / "data.parquet"
        link.symlink_to(path)
        yield str(link)


def damaged(name: str, reason: str) -> DataError:
    """The error for a file that is no sound Parquet file."""
    return DataError(
        Problem(f"the file is no sound Parquet file ({reason})", "write it again", Location(name))
    )


def parquet_header(source: Source) -> tuple[str, ...]:
    """The names of the columns, of a file that is read no further.

    Raises DataError for a file that is damaged, FilesError for one that changes.
    """
    with reading(source), opened_parquet(source) as file:
        return tuple(file.header)
