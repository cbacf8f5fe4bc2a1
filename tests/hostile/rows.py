"""The same rows as delimited text, JSON lines and Parquet, for every engine."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

Rows = Sequence[Sequence[Any]]


def csv_bytes(header: Sequence[str], rows: Rows, delimiter: str = ",") -> bytes:
    """Delimited text; None is an empty field."""
    out = io.StringIO()
    # The module quotes a field for a line feed but not for a carriage return.
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    writer.writerows([["" if v is None else v for v in row] for row in rows])
    return out.getvalue().encode("utf-8")


def jsonl_bytes(header: Sequence[str], rows: Rows) -> bytes:
    lines = (json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False) for row in rows)
    return "".join(line + "\n" for line in lines).encode("utf-8")


def write_parquet(path: Path, header: Sequence[str], rows: Rows, types: Sequence[str]) -> None:
    """A Parquet file whose columns have these DuckDB types."""
    columns = ", ".join(
        f'"{name.replace(chr(34), chr(34) * 2)}" {kind}'
        for name, kind in zip(header, types, strict=True)
    )
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({columns})")
        marks = ", ".join("?" * len(header))
        if rows:
            connection.executemany(f"INSERT INTO t VALUES ({marks})", [list(r) for r in rows])
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")


def write_rows(path: Path, header: Sequence[str], rows: Rows, types: Sequence[str]) -> None:
    """Rows in the format of the path's suffix."""
    name = path.name
    if name.endswith(".parquet"):
        write_parquet(path, header, rows, types)
        return
    if ".jsonl" in name:
        data = jsonl_bytes(header, rows)
    else:
        data = csv_bytes(header, rows, "\t" if ".tsv" in name else ",")
    path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
