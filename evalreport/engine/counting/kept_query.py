"""Rows of a query, fetched in batches and kept once on disk: the relation ``data``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalreport.data.delimited import check_names
from evalreport.data.interruptible import interruptible
from evalreport.data.source import Source
from evalreport.data.typed_values import plain_value
from evalreport.engine.counting.sql_rows import no_rows, query_rows
from evalreport.engine.counting.text_rows import Made, kept_columns
from evalreport.engine.counting.wanted import NotPlainError, Wanted, quoted_text
from evalreport.errors import DataError

#: Rows between two tellings.
_TOLD = 10_000
#: The longest row, in bytes.
_LONGEST = 16_000_000


def kept_query(connection: Any, source: Source, file: Path, wanted: Wanted) -> Made:
    """Make ``data`` of a query's rows, by way of ``file``; header, types in it, and rows.

    Each value is written as JSON, so it keeps its type. Raises NotPlainError for rows
    that are to be read by the reader of this package.
    """
    import duckdb

    assert wanted.query is not None
    try:
        header, rows = _written(source, file, wanted)
    except DataError as error:
        # The reader tells what is wrong, in its words.
        raise NotPlainError(str(error)) from None
    asked = [name for name in wanted.columns if name in header]
    absent = [name for name in wanted.columns if name not in header]
    if absent:
        raise NotPlainError(f"the query gives no column {absent[0]}")
    shown = ", ".join(
        expression
        for i, name in enumerate(asked)
        for expression in kept_columns(i, "JSON", name in wanted.numbers)
    )
    plain = ", ".join(f"nullif(r{i}, 'null') AS c{i}" for i in range(len(asked)))
    columns = ", ".join(f"'r{i}': 'VARCHAR'" for i in range(len(asked)))
    statement = (
        f"CREATE TABLE kept.data AS SELECT {shown} FROM (SELECT {plain} FROM "  # noqa: S608
        f"read_csv({quoted_text(str(file))}, delim='\t', quote='', escape='', header=false, "
        f"auto_detect=false, comment='', max_line_size={_LONGEST}, columns={{{columns}}}))"
    )
    try:
        interruptible(connection, lambda: connection.execute(statement))
    except duckdb.InvalidInputException as error:
        raise NotPlainError(str(error).splitlines()[0]) from None
    file.unlink()
    kept = connection.execute("SELECT count(*) FROM kept.data").fetchone()[0]
    if kept != rows:
        raise NotPlainError(f"{rows:,} rows were fetched, and {kept:,} were kept")
    connection.execute("CREATE TEMP VIEW data AS SELECT * FROM kept.data")
    kinds = tuple("NUMBER" if name in wanted.numbers else "JSON" for name in asked)
    return tuple(asked), kinds, rows


def _written(source: Source, file: Path, wanted: Wanted) -> tuple[Sequence[str], int]:
    """Writes the asked columns of every row; the header of the query and the rows."""
    assert wanted.query is not None
    count = 0
    with query_rows(source, wanted.query) as found, file.open("w", encoding="ascii") as stream:
        header: list[str] = next(found)
        check_names(header, source.name)
        places = [header.index(name) for name in wanted.columns if name in header]
        for row in found:
            values = [plain_value(row[i], header[i], count, source.name) for i in places]
            if any(isinstance(value, list) for value in values):
                raise NotPlainError("it has lists")
            stream.write("\t".join(map(json.dumps, values)) + "\n")
            count += 1
            if not count % _TOLD:
                wanted.watch.seen(count, None)
    if not count:
        raise no_rows(source)
    return header, count
