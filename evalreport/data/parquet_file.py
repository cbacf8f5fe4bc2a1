"""A Parquet file through DuckDB, which may open this one file and nothing else.

Every page that carries a checksum is held against it before: page headers are Thrift's compact
protocol (parquet-format, PageHeader: field 3 is the size of the page as stored, field 2 that of
what it unpacks to, field 4 the CRC-32 of the stored bytes).
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from evalreport.data.delimited import check_names
from evalreport.data.duckdb_columns import quoted_text
from evalreport.data.findings import quoted
from evalreport.data.source import Source, reading
from evalreport.errors import DataError, LimitError, Location, Problem
from evalreport.scratch import scratch_folder

_UNPACKED_SIZE, _COMPRESSED_SIZE, _CRC = 2, 3, 4
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_DEEPEST = 16
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Chunk:
    """Where the pages of one column chunk are: first byte, and the byte after the last.

    ``unpacked`` is what the file says that they unpack to.
    """

    column: str
    start: int
    end: int
    unpacked: int = 0


@dataclass(frozen=True)
class PageChecks:
    """``verified``: pages that agree with their checksum.

    ``wrong``: column and first byte of pages that do not agree; ``unread``: columns
    whose page headers cannot be followed. ``unpacked``: bytes that the pages say they unpack
    to, by their own headers or by the file's account, whichever is more.
    """

    verified: int
    wrong: tuple[tuple[str, int], ...]
    unread: tuple[str, ...]
    unpacked: int = 0


def check_pages(stream: BinaryIO, chunks: Iterable[Chunk]) -> PageChecks:
    """Hold the pages of column chunks against the checksums they carry."""
    verified = unpacked = 0
    wrong: list[tuple[str, int]] = []
    unread: list[str] = []
    for chunk in chunks:
        told = 0
        try:
            for at, size, plain, crc in _pages(stream, chunk):
                told += plain
                if crc is None:
                    continue
                if _crc32(stream, at, size) == crc & 0xFFFFFFFF:
                    verified += 1
                else:
                    wrong.append((chunk.column, at))
        except (IndexError, _MalformedError):
            unread.append(chunk.column)
        unpacked += max(told, chunk.unpacked)
    return PageChecks(verified, tuple(wrong), tuple(dict.fromkeys(unread)), unpacked)


class _MalformedError(Exception):
    pass


def _pages(stream: BinaryIO, chunk: Chunk) -> Iterable[tuple[int, int, int, int | None]]:
    """First byte, stored size, size when unpacked and checksum of each page's data."""
    at = chunk.start
    while at < chunk.end:
        stream.seek(at)
        header = _Compact(stream.read(min(1 << 16, chunk.end - at)))
        fields = header.integers()
        size = fields.get(_COMPRESSED_SIZE, -1)
        at += header.at
        if size < 0 or at + size > chunk.end:
            raise _MalformedError
        yield at, size, max(fields.get(_UNPACKED_SIZE, 0), 0), fields.get(_CRC)
        at += size


def _crc32(stream: BinaryIO, at: int, size: int) -> int:
    stream.seek(at)
    crc = 0
    while size > 0:
        block = stream.read(min(size, _BLOCK))
        if not block:
            raise _MalformedError
        crc = zlib.crc32(block, crc)
        size -= len(block)
    return crc


class _Compact:
    """A reader of Thrift's compact protocol that keeps only integers of the outer struct."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def integers(self) -> dict[int, int]:
        found: dict[int, int] = {}
        number = 0
        while kind := self._field_kind():
            number = number + (kind >> 4) if kind >> 4 else self._zigzag()
            if kind & 15 in (_I16, _I32, _I64):
                found[number] = self._zigzag()
            else:
                self._skip(kind & 15, 0)
        return found

    def _field_kind(self) -> int:
        kind = self._byte()
        return kind if kind & 15 else 0

    def _byte(self) -> int:
        value = self.data[self.at]
        self.at += 1
        return value

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise _MalformedError

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, kind: int, depth: int) -> None:
        if depth > _DEEPEST:
            raise _MalformedError
        if kind in (_TRUE, _FALSE):
            return
        if kind in (_I16, _I32, _I64):
            self._varint()
        elif kind in (_BYTE, _DOUBLE, _BINARY):
            self._step({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._varint())
        elif kind in (_LIST, _SET):
            self._skip_list(depth)
        elif kind == _STRUCT:
            while inner := self._field_kind():
                if not inner >> 4:
                    self._zigzag()
                self._skip(inner & 15, depth + 1)
        else:
            raise _MalformedError

    def _skip_list(self, depth: int) -> None:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        for _ in range(count):
            # In a list, unlike in a struct, a truth value takes a byte.
            inner = head & 15
            self._skip(_BYTE if inner in (_TRUE, _FALSE) else inner, depth + 1)

    def _step(self, count: int) -> None:
        self.at += count
        if self.at > len(self.data):
            raise _MalformedError


_MEMORY = "4GB"
#: Settings of a connection that reads the files allowed before, and does nothing else.
_LOCKS = (
    "enable_external_access=false",
    "python_enable_replacements=false",
    "autoinstall_known_extensions=false",
    "autoload_known_extensions=false",
    "allow_community_extensions=false",
    "lock_configuration=true",
)
_LIMITS = ("threads=2", f"memory_limit='{_MEMORY}'", "temp_directory=''")
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

    def selection(self, expressions: Collection[str], count: int) -> str:
        """A query of the first ``count`` rows; columns are called c0, c1, ... by position."""
        names = ", ".join(f"c{i}" for i in range(len(self.header)))
        limit = f" LIMIT {count}" if count < self.rows else ""
        rows = _SCAN.replace("?", quoted_text(self.path))
        # No name and no text of the file becomes part of a query, so none can be injected.
        return f"SELECT {', '.join(expressions)} FROM {rows} AS t({names}){limit}"  # noqa: S608

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
def locked_connection(
    files: Sequence[Path],
    settings: Sequence[str],
    allowed: Sequence[str] = (),
    path: str = ":memory:",
    before: Sequence[str] = (),
) -> Iterator[tuple[Any, list[str]]]:
    """A connection of DuckDB that may open some files and nothing else, and what it calls them.

    ``allowed``: further files, and those that may be written. ``path``: a database, which is only
    read. ``before``: statements that come before the lock.
    """
    import duckdb

    with ExitStack() as stack:
        connection = stack.enter_context(
            closing(duckdb.connect(path, read_only=path != ":memory:"))
        )
        paths = [stack.enter_context(plain_name(file)) for file in files]
        listed = ", ".join(map(quoted_text, (*paths, *allowed)))
        sets = (*settings, f"allowed_paths=[{listed}]", *_LOCKS)
        for statement in (*before, *(f"SET {setting}" for setting in sets)):
            connection.execute(statement)
        yield connection, paths


@contextmanager
def opened_parquet(source: Source) -> Iterator[ParquetFile]:
    """The file under a locked connection. Raises DataError for a damaged file."""
    import duckdb

    path = str(source.path)
    try:
        with locked_connection([source.path], _LIMITS) as (connection, (path,)):
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
        Problem(
            f"the file is not a sound Parquet file ({reason})", "write it again", Location(name)
        )
    )


def parquet_header(source: Source) -> tuple[str, ...]:
    """The names of the columns, of a file that is read no further.

    Raises DataError for a file that is damaged, FilesError for one that changes.
    """
    with reading(source), opened_parquet(source) as file:
        return tuple(file.header)
