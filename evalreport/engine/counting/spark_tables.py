"""The frame of a table or view of a cluster, and the hash of what its rows hold, made there."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evalreport.data.delimited import check_names
from evalreport.engine.counting.spark_frames import spark_text
from evalreport.engine.counting.sql_rows import TableOfCluster
from evalreport.engine.counting.wanted import NotPlainError, Wanted
from evalreport.errors import DataError, FilesError, Location, Problem
from evalreport.spec.datasets import ClusterTable

#: Letters of a hash in each of the sums that are made of them: as many as a whole number holds.
_LANE = 15
_LANES = 4
#: A date, or a time, as DuckDB writes it, also before our era and after the year 9999.
DATE_TEXT = (
    "CASE WHEN year({0}) > 9999 THEN substr(CAST({0} AS STRING), 2) "
    "WHEN year({0}) < 1 THEN concat(lpad(CAST(1 - year({0}) AS STRING), 4, '0'), "
    "date_format({0}, '-MM-dd'), ' (BC)', regexp_replace(CAST({0} AS STRING), '^[^ ]*', '')) "
    "ELSE CAST({0} AS STRING) END"
)
#: Times are texts, those with a zone in UTC, which is the zone of the session.
_TIMES = {"timestamp": f"concat({DATE_TEXT}, '+00')", "timestamp_ntz": DATE_TEXT}


@contextmanager
def table_frame(
    session: Any, source: TableOfCluster, asked: ClusterTable, wanted: Wanted
) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """The rows of a table with the columns that are counted by, called by their place; their names.

    The rows are hashed before they are counted and, where no version is named, after it: a
    table that changed meanwhile is a FilesError. Raises DataError for one without rows.
    """
    frame = session.sql(selected(asked))
    if asked.where is not None:
        frame = frame.where(asked.where)
    check_names(list(frame.columns), source.name)
    absent = [name for name in wanted.columns if name not in frame.columns]
    if absent:
        raise NotPlainError(f"the table has no column {absent[0]}")
    kinds = dict(frame.dtypes)
    header = tuple(name for name in frame.columns if name in wanted.columns)
    shown = frame.selectExpr(
        *(
            f"{_shown(_quoted(name), kinds[name], name in wanted.numbers)} AS c{i}"
            for i, name in enumerate(header)
        )
    )
    rows, sha256 = digest(shown, header)
    if not rows:
        told = Problem("the table has no such rows", "some rows", Location(source.name))
        raise DataError(told)
    source.digest.settle(sha256)
    yield shown, header
    if asked.version is None and digest(shown, header) != (rows, sha256):
        raise FilesError(
            Problem(
                "the table changed while it was counted",
                "a version of it (`version:`), or a time when nobody writes to it",
                Location(source.name),
            )
        )


def selected(asked: ClusterTable) -> str:
    """The SELECT of a table, at its version; the name is plain, and quoted all the same.

    >>> selected(ClusterTable(table="main.audit.seen", version="7"))
    'SELECT * FROM `main`.`audit`.`seen` VERSION AS OF 7'
    """
    name = ".".join(map(_quoted, asked.table.split(".")))
    if asked.version is None:
        return f"SELECT * FROM {name}"  # noqa: S608 - checked by the spec
    plain = re.fullmatch(r"[0-9]{1,18}", asked.version)
    version = asked.version if plain else spark_text(asked.version)
    return f"SELECT * FROM {name} VERSION AS OF {version}"  # noqa: S608 - checked, and quoted


def digest(frame: Any, header: Sequence[str]) -> tuple[int, str]:
    """How many rows there are, and the hash of what they hold, in any order.

    Each row is hashed by the cluster, and parts of the hashes are added up there.
    """
    lanes = [f"substr(h, {1 + i * _LANE}, {_LANE})" for i in range(_LANES)]
    sums = [f"sum(CAST(conv({lane}, 16, 10) AS DECIMAL(20, 0)))" for lane in lanes]
    row = ", ".join(frame.columns)
    each = f"sha2(to_json(struct({row}), map('ignoreNullFields', 'false')), 256) AS h"
    hashed = frame.selectExpr(each)
    ((count, *found),) = hashed.selectExpr("count(*)", *sums).collect()
    types = [kind for _, kind in frame.dtypes]
    told = json.dumps([list(header), types, int(count), [str(one or 0) for one in found]])
    return int(count), hashlib.sha256(told.encode()).hexdigest()


def _shown(column: str, kind: str, score: bool) -> str:
    """What is taken of a column: decimals that are scores as doubles, times as text.

    >>> _shown("`s`", "decimal(38,10)", True), _shown("`y`", "string", False)
    ('CAST(`s` AS DOUBLE)', '`y`')
    """
    if score and kind.startswith("decimal"):
        return f"CAST({column} AS DOUBLE)"
    return _TIMES.get(kind, "{0}").format(column)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
