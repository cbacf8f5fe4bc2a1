"""A file by its suffix to a table; the file is proved to hold still meanwhile."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass

from evalreport.data.delimited import read_delimited
from evalreport.data.json_lines import read_json_lines
from evalreport.data.limits import DEFAULT_LIMITS, Limits, decompressed
from evalreport.data.parquet import read_parquet
from evalreport.data.source import Source, reading
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Location, Problem

SUFFIXES = (".csv", ".tsv", ".jsonl", ".csv.gz", ".tsv.gz", ".jsonl.gz", ".parquet")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_SAMPLE = 1_000


@dataclass(frozen=True)
class ColumnNames:
    """The header of a file and a table of its first rows."""

    header: tuple[str, ...]
    sample: RawTable


def read_table(
    source: Source,
    columns: Collection[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    rows: int | None = None,
) -> RawTable:
    """Read a file: the asked ``columns`` (default all) of all rows (or the first ``rows``).

    Raises DataError for wrong content, FilesError for a file that cannot be read or
    changes meanwhile, LimitError for one that is too large.
    """
    suffix, gzipped = source.suffix.removesuffix(".gz"), source.suffix.endswith(".gz")
    with reading(source) as stream:
        if source.suffix == ".parquet":
            return read_parquet(source, stream, limits, columns, rows)
        plain = decompressed(stream, source.name, source.size, gzipped, limits)
        if suffix in _DELIMITERS:
            delimiter = _DELIMITERS[suffix]
            table = read_delimited(plain, source.name, delimiter, columns, rows)
        elif suffix == ".jsonl":
            table = read_json_lines(plain, source.name, columns, rows)
        else:
            raise DataError(
                Problem(
                    f"files of the kind '{source.suffix}' are not read",
                    f"kinds are: {', '.join(SUFFIXES)}",
                    Location(source.name),
                )
            )
        return dataclasses.replace(table, sha256=source.sha256)


def column_names(source: Source, limits: Limits = DEFAULT_LIMITS) -> ColumnNames:
    """The columns of a file with its first rows, for suggestions. Raises as ``read_table``."""
    sample = read_table(source, None, limits, rows=_SAMPLE)
    return ColumnNames(sample.header, sample)
