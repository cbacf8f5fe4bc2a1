"""The frame of a dataset's files in a Spark session, its columns called by their place.

What the files hold is settled here first, by the same code as for DuckDB: the columns,
their types, and how many rows there are. The cluster must then see as many.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any
from urllib.parse import unquote

from evalreport.data.dialect import BLANKS, DECIMAL_COMMA, Dialect
from evalreport.data.files import Files, Part, parts_of
from evalreport.data.parquet_file import damaged, given_names
from evalreport.data.read import DELIMITERS, not_twice
from evalreport.data.source import Source
from evalreport.data.store_clients import account_of
from evalreport.data.stores import StoredObject
from evalreport.engine.counting.duckdb_rows import lock
from evalreport.engine.counting.parquet_rows import checked_files
from evalreport.engine.counting.text_rows import scanned
from evalreport.engine.counting.wanted import NotPlainError, Wanted
from evalreport.errors import DataError
from evalreport.scratch import scratch_folder

_PACKED = tuple(f"{kind}.gz" for kind in DELIMITERS)
#: Kinds of files that a cluster reads.
READ = (".parquet", *DELIMITERS, *_PACKED)

#: Readers of Spark pass over blank lines and make up what is missing: rows are counted after.
_STRICT = {
    "header": True,
    "quote": '"',
    "escape": '"',
    "mode": "FAILFAST",
    "encoding": "UTF-8",
    "maxColumns": 1_000_000,
}

#: How the file systems of Hadoop call a store that a spec calls otherwise.
_HADOOP = {"s3": "s3a"}

Made = tuple[Any, tuple[str, ...]]


def frame_of(session: Any, source: Source, wanted: Wanted) -> Made:
    """The frame and the names of its columns, those of folders at the end.

    Raises DataError for damaged files, NotPlainError where Spark reads other rows.
    """
    made = _parquet if source.suffix == ".parquet" else _delimited
    frame, header, rows = made(session, source, wanted)
    keys = source.keys if isinstance(source, Files) else ()
    if keys:
        frame = _with_folders(session, frame, parts_of(source), len(header))
    seen = frame.count()
    if seen != rows:
        raise NotPlainError(f"the files have {rows:,} rows here, and {seen:,} for the cluster")
    return frame.select(*(f"c{i}" for i in range(len(header) + len(keys)))), (*header, *keys)


def _paths(source: Source) -> list[str]:
    return [literal_path(seen_as(part.source)) for part in parts_of(source)]


def seen_as(source: Source) -> str:
    """How a cluster names a file, or an object, which it reads with credentials of its own.

    The names are those of Hadoop's file systems: ``s3a`` and ``abfss`` where a spec has the
    shorter ones. Raises FilesError where the account of Azure is not known.
    """
    if not isinstance(source, StoredObject):
        return str(source.path)
    scheme, _, below = source.name.partition("://")
    if scheme == "az":
        container, _, name = below.partition("/")
        return f"abfss://{container}@{account_of(source.name)}/{name}"
    return f"{_HADOOP.get(scheme, scheme)}://{below}"


def _parquet(session: Any, source: Source, wanted: Wanted) -> tuple[Any, tuple[str, ...], int]:
    import duckdb

    sources = [part.source for part in parts_of(source)]
    with ExitStack() as stack:
        spill = stack.enter_context(scratch_folder())
        connection = stack.enter_context(duckdb.connect(":memory:"))
        paths = stack.enter_context(given_names(connection, sources))
        try:
            lock(connection, paths, spill, wanted.memory)
            files = checked_files(connection, source, paths, wanted.columns)
        except (duckdb.Error, UnicodeDecodeError) as error:
            for one in sources:
                one.check_given()
            names = dict(zip(paths, (part.name for part in parts_of(source)), strict=True))
            raise damaged(source.name, reason_of(error, names)) from None
    header = tuple(files[0].header)
    frame = session.read.parquet(*_paths(source))
    if tuple(frame.columns) != header:
        raise NotPlainError("the cluster sees other columns")
    numbered = frame.select(
        *(frame[f"`{name.replace('`', '``')}`"].alias(f"c{i}") for i, name in enumerate(header)),
        _place_of(frame).alias("path"),
    )
    return numbered, header, sum(file.rows for file in files)


def reason_of(error: Exception, names: Mapping[str, str]) -> str:
    """The reason of an error, files called as the spec calls them; ``names`` by their paths."""
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    for path, name in names.items():
        reason = reason.replace(path, name)
    return reason


def _delimited(session: Any, source: Source, wanted: Wanted) -> tuple[Any, tuple[str, ...], int]:
    keys = source.keys if isinstance(source, Files) else ()
    asked = [name for name in wanted.columns if name not in keys]
    try:
        found = [scanned(part.source, asked) for part in parts_of(source)]
    except DataError as error:
        # Wrong text is told in full by the reader of this package.
        raise NotPlainError(str(error).splitlines()[0]) from None
    delimiter, header, _ = found[0]
    if any(other != header for _, other, _ in found):
        raise NotPlainError("its files have other columns than the first")
    if isinstance(source, Files):
        not_twice(source, header)
    names = [f"c{i}" for i in range(len(header))]
    read = session.read.schema(", ".join(f"{name} STRING" for name in names))
    if any(plain.lines for _, _, plain in found):
        raise NotPlainError("line ends in quoted fields, which Spark may change")
    frame = read.options(**_STRICT, sep=delimiter).csv(_paths(source))
    # Empty text is no value, with quotes around it or without.
    dialect = parts_of(source)[0].source.dialect
    shown = [
        f"nullif({_in_dialect(own, name, dialect)}, '') AS {own}"
        for own, name in zip(names, header, strict=True)
    ]
    path = _place_of(frame).alias("path")
    frame = frame.select(*names, path).selectExpr(*shown, "path")
    return frame, header, sum(plain.records for _, _, plain in found)


def _in_dialect(column: str, name: str, dialect: Dialect) -> str:
    """A text as every other file has it: numbers with a point, no text for no value."""
    if dialect.strip:
        column = f"trim(BOTH {spark_text(BLANKS)} FROM {column})"
    if dialect.gaps(name):
        gaps = ", ".join(map(spark_text, dialect.gaps(name)))
        column = f"CASE WHEN {column} IN ({gaps}) THEN '' ELSE {column} END"
    if dialect.decimal == ",":
        number = spark_text(f"^(?:{DECIMAL_COMMA})$")
        column = (
            f"CASE WHEN {column} RLIKE {number} THEN replace({column}, ',', '.') ELSE {column} END"
        )
    return column


def spark_text(text: str) -> str:
    r"""A text as a literal of Spark SQL.

    >>> print(spark_text("it's"), spark_text(r"a\d"))
    'it\'s' 'a\\d'
    """
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _place_of(frame: Any) -> Any:
    """The file of a row; a column of that name may be there too."""
    return frame.metadataColumn("_metadata")["file_path"]


def _with_folders(session: Any, frame: Any, parts: Sequence[Part], width: int) -> Any:
    """The frame with the values of each file's folders, as text and not as Spark guesses them."""
    by_path = {seen_as(p.source).rpartition("://")[2]: p.values for p in parts}
    values = []
    for row in frame.select("path").distinct().collect():
        own = by_path.get(_path_of(row[0]))
        if own is None:
            raise NotPlainError(f"the cluster names its files otherwise ({row[0]})")
        values.append((row[0], *own))
    keys = [f"c{width + i}" for i in range(len(parts[0].values))]
    schema = ", ".join(f"{name} STRING" for name in ("path", *keys))
    return frame.join(session.createDataFrame(values, schema).hint("broadcast"), "path", "left")


def _path_of(address: str) -> str:
    """The path of a file that the cluster names by an address; of an object with its bucket.

    >>> _path_of("file:///rows/site=A%252FB/r%5B1%5D.csv"), _path_of("dbfs:/rows/a.csv")
    ('/rows/site=A%2FB/r[1].csv', '/rows/a.csv')
    >>> _path_of("s3a://bucket/rows/a.parquet")
    'bucket/rows/a.parquet'
    """
    found = _OBJECT.fullmatch(address)
    if found is not None:
        return unquote(found[1])
    return unquote(re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?(?=/)", "", address))


#: The address of an object as a cluster names it: what stands before the bucket differs.
_OBJECT = re.compile(r"(?:s3[an]?|gs|abfss?)://(.*)", re.DOTALL)


def literal_path(path: str) -> str:
    r"""A path in which no character stands for others.

    >>> literal_path("data[1].parquet")
    'data\\[1\\].parquet'
    """
    return re.sub(r"([\\*?{}\[\]])", r"\\\1", path)
