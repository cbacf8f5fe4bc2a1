"""Rows of text files, kept once as columns on disk: a relation of a connection.

Delimited text is read as text, JSON as the text of each value, so nothing is guessed
and a label keeps the type it was written with. Only what every reader reads alike is
taken (``data.text_scan``); the number of rows is held against that of the scan.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from evalreport.data.decimals import check_read_columns
from evalreport.data.delimited import beginning
from evalreport.data.dialect import BLANKS, DECIMAL_COMMA, THOUSANDS, Dialect
from evalreport.data.duckdb_columns import quoted_text
from evalreport.data.files import Files, parts_of
from evalreport.data.interruptible import interruptible
from evalreport.data.json_lines import MANY_DIGITS
from evalreport.data.limits import DEFAULT_LIMITS, decompressed
from evalreport.data.read import DELIMITERS, not_twice
from evalreport.data.source import Source, opened
from evalreport.data.text_scan import Plain, plain_delimited, plain_json
from evalreport.engine.counting.file_columns import kept_column
from evalreport.engine.counting.parquet_rows import Made
from evalreport.engine.databases.wanted import NotPlainError, Wanted, Watcher
from evalreport.errors import DataError

#: Decompressed text may be as large as the disk allows; the ratio stays under its limit.
_LIMITS = replace(DEFAULT_LIMITS, bytes=1 << 46)
_STRICT = (
    "header=true, auto_detect=false, quote='\"', escape='\"', strict_mode=true, "
    "null_padding=false, ignore_errors=false, comment='', nullstr='', allow_quoted_nulls=true"
)

#: Where a fraction may have digits that no double holds, or be too small for one.
_FINE = quoted_text(f"{MANY_DIGITS.pattern}|[eE][-+]?[0-9]{{3}}")


def kept_rows(
    connection: Any,
    source: Source,
    paths: Sequence[str],
    wanted: Wanted,
    relation: str = "data",
) -> Made:
    """Make a relation of text files; its header, and how many rows.

    Raises NotPlainError for text that is not plain, wrong text included.
    """
    import duckdb

    kind = source.suffix.removesuffix(".gz")
    keys = source.keys if isinstance(source, Files) else ()
    read = _delimited if kind in DELIMITERS else _json_lines
    header: tuple[str, ...] | None = None
    total = 0
    try:
        for part, path in zip(parts_of(source), paths, strict=True):
            asked = [name for name in wanted.columns if name not in keys]
            found = read(part.source, path, asked, wanted.numbers)
            if header not in (None, found.header):
                raise NotPlainError("its files have other columns than the first")
            header = found.header
            values = [quoted_text(value) for value in part.values]
            shown = [*found.shown, *(f"{v} AS c{i}" for i, v in enumerate(values, len(header)))]
            verb = f"INSERT INTO kept.{relation}" if total else f"CREATE TABLE kept.{relation} AS"
            text = f"{verb} SELECT {', '.join(shown) or 'NULL AS none'} FROM {found.rows}"  # noqa: S608
            interruptible(
                connection,
                partial(connection.execute, text),
                partial(_seen, wanted.watch, total, found.records),
            )
            total += found.records
    except (DataError, duckdb.InvalidInputException, duckdb.ConversionException) as error:
        reason = str(error).splitlines()[0].removeprefix("Invalid Input Error: ")
        raise NotPlainError(reason) from None
    assert header is not None
    if isinstance(source, Files):
        not_twice(source, header)
    _check_kept(connection, relation, total, header, kind)
    connection.execute(f"CREATE TEMP VIEW {relation} AS SELECT * FROM kept.{relation}")  # noqa: S608
    return (*header, *keys), total


class _Read(NamedTuple):
    """What is selected of the rows of a file, its header, and how many records it has."""

    shown: list[str]
    rows: str
    header: tuple[str, ...]
    records: int


def _seen(watch: Watcher, before: int, records: int, share: float) -> None:
    watch.seen(before + int(share * records), before + records)


def _delimited(part: Source, path: str, asked: Sequence[str], numbers: frozenset[str]) -> _Read:
    """The asked columns of a delimited file. Raises NotPlainError where it is not plain."""
    delimiter = part.dialect.delimiter or DELIMITERS[part.suffix.removesuffix(".gz")]
    with _plain_bytes(part) as stream:
        header = tuple(_header(stream, part, delimiter, asked))
    with _plain_bytes(part) as stream:
        found = _plain(plain_delimited(stream, delimiter, len(header)))
    taken = [(i, name) for i, name in enumerate(header) if name in asked]
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    quotes = "false" if found.lines else "true"
    rows = (
        f"read_csv({quoted_text(path)}, delim={quoted_text(delimiter)}, {_STRICT}, "
        f"parallel={quotes}, {_packed(part)}, columns={{{columns}}})"
    )
    if not part.dialect.is_usual and taken:
        pointed = ", ".join(
            f"nullif({_in_dialect(f'c{i}', name, part.dialect)}, '') AS c{i}" for i, name in taken
        )
        rows = f"(SELECT {pointed} FROM {rows})"  # noqa: S608
    shown = [kept_column(name, i, "VARCHAR", name in numbers) for i, name in taken]
    return _Read(shown, rows, header, found.records)


def _packed(part: Source) -> str:
    return f"compression='{'gzip' if part.suffix.endswith('.gz') else 'none'}'"


def _in_dialect(column: str, name: str, dialect: Dialect) -> str:
    """A text as every other file has it: numbers with a point, no text for no value."""
    if dialect.strip:
        column = f"trim({column}, {quoted_text(BLANKS)})"
    if dialect.gaps(name):
        gaps = ", ".join(quoted_text(text) for text in dialect.gaps(name))
        column = f"CASE WHEN {column} IN ({gaps}) THEN '' ELSE {column} END"
    if dialect.decimal == ",":
        # the reader of text says whether such points are of thousands
        column = (
            f"CASE WHEN regexp_full_match({column}, {quoted_text(THOUSANDS)}) "
            f"THEN error('points of thousands') "
            f"WHEN regexp_full_match({column}, {quoted_text(DECIMAL_COMMA)}) "
            f"THEN replace({column}, ',', '.') ELSE {column} END"
        )
    return column


def _json_lines(part: Source, path: str, asked: Sequence[str], numbers: frozenset[str]) -> _Read:
    """The asked keys of a file of JSON lines. Raises NotPlainError where it is not plain."""
    with _plain_bytes(part) as stream:
        records = _plain(plain_json(stream)).records
    pointers = ", ".join(
        quoted_text("/" + name.replace("~", "~0").replace("/", "~1")) for name in asked
    )
    values = [f"v[{i + 1}]" for i in range(len(asked))]
    # Lists and objects are no labels, and no key stands twice.
    odd = ["json_type(j) <> 'OBJECT'", "len(list_distinct(k)) <> len(k)"]
    odd += [f"json_type({value}) IN ('ARRAY', 'OBJECT')" for value in values]
    # A label that no double holds keeps all its digits, which only the reader of text sees.
    odd += [
        f"(json_type({value}) = 'DOUBLE' AND (length(CAST({value} AS VARCHAR)) > 15 "
        f"OR regexp_matches(CAST(j AS VARCHAR), {_FINE})))"
        for name, value in zip(asked, values, strict=True)
        if name not in numbers
    ]
    # A value of null is none.
    plain = ", ".join(f"nullif({value}, 'null'::JSON) AS c{i}" for i, value in enumerate(values))
    rows = (
        f"(SELECT {plain} FROM (SELECT CASE WHEN {' OR '.join(odd)} "  # noqa: S608
        "THEN error('it has lines that are not plain objects') ELSE v END AS v FROM "
        f"(SELECT json AS j, json_keys(json) AS k, json_extract(json, [{pointers}]) AS v "
        f"FROM read_ndjson_objects([{quoted_text(path)}], {_packed(part)}))))"
    )
    shown = [kept_column(name, i, "JSON", name in numbers) for i, name in enumerate(asked)]
    return _Read(shown, rows, tuple(asked), records)


@contextmanager
def _plain_bytes(part: Source) -> Iterator[BinaryIO]:
    with opened(part) as stream:
        gzipped = part.suffix.endswith(".gz")
        if gzipped:
            yield decompressed(stream, part.name, part.size, gzipped, _LIMITS)
        else:
            yield stream


def _header(stream: BinaryIO, part: Source, delimiter: str, asked: Sequence[str]) -> list[str]:
    """The header of a delimited file that DuckDB reads as this package does."""
    first = io.BytesIO(stream.read(1 << 20))
    begun = beginning(first, part.name, delimiter, asked, part.dialect)
    if begun.separated:
        raise NotPlainError("its first line names the delimiter")
    if begun.width > len(begun.names):
        raise NotPlainError("columns at its end have no name")
    check_read_columns(part.dialect, begun.names, part.name)
    return begun.names


def _plain(found: Plain | str) -> Plain:
    if isinstance(found, str):
        raise NotPlainError(found)
    if not found.records:
        raise NotPlainError("it has no rows")
    return found


def _check_kept(
    connection: Any, relation: str, total: int, header: tuple[str, ...], kind: str
) -> None:
    """Raise NotPlainError unless DuckDB read the rows of the scan, and all keys of JSON."""
    present = [f"count(c{i})" for i in range(len(header))] if kind == ".jsonl" else []
    rows, *found = connection.execute(
        f"SELECT {', '.join(['count(*)', *present])} FROM kept.{relation}"  # noqa: S608
    ).fetchone()
    for name, count in zip(header, found, strict=False):
        if not count:
            raise NotPlainError(f"no line gives {name} a value")
    if rows != total:
        raise NotPlainError(f"{total:,} rows were expected, and {rows:,} were read")
