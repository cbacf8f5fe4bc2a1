"""Rows of files counted by an existing cluster, through Spark Connect."""

from __future__ import annotations

import re
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cached_property
from typing import Any

import numpy as np
from sqlglot import exp

from evalreport.data.files import holding, parts_of
from evalreport.data.joined import Joined
from evalreport.data.parquet_types import parquet_column
from evalreport.data.source import Source
from evalreport.data.table import RawColumn
from evalreport.engine.counting.answering import Columns, KindsOf, fetched
from evalreport.engine.counting.database_rows import Read
from evalreport.engine.counting.queries import Field
from evalreport.engine.counting.spark_frames import READ, frame_of, reason_of, seen_as
from evalreport.engine.counting.spark_joined import joined_frame
from evalreport.engine.counting.spark_tables import DATE_TEXT, table_frame
from evalreport.engine.counting.sql_rows import TableOfCluster
from evalreport.engine.counting.wanted import OTHER_ENGINE, Wanted
from evalreport.errors import DataError, FilesError, Location, LostError, Problem

#: The port of Spark Connect where the address names none.
PORT = 15002
#: Seconds until a cluster that does not answer is given up.
PATIENCE = 10.0

#: How often the client asks a server that does not answer: with the pauses, a quarter of a minute.
RETRIES = 5
#: What is said where a server is not there, or is another one.
_LOST = ("UNAVAILABLE", "Connection refused", "SESSION_CLOSED", "RETRIES_EXCEEDED",
         "RetriesExceeded", "INVALID_HANDLE")  # fmt: skip

_COLLATED = "string collate"
#: By the name of Spark's type: the DuckDB type that holds the same values, and how they are shown.
#: Texts are told apart letter by letter, whatever collation was declared for their column; dates
#: are as DuckDB writes them, also those before our era and after the year 9999.
_READS = {
    "string": Read("VARCHAR", "{0}"),
    _COLLATED: Read("VARCHAR", "COLLATE({0}, 'UTF8_BINARY')"),
    "tinyint": Read("TINYINT", "{0}"),
    "smallint": Read("SMALLINT", "{0}"),
    "int": Read("INTEGER", "{0}"),
    "bigint": Read("BIGINT", "{0}"),
    "float": Read("FLOAT", "{0}"),
    "double": Read("DOUBLE", "{0}"),
    "boolean": Read("BOOLEAN", "{0}"),
    "date": Read("VARCHAR", DATE_TEXT),
}
#: A column of any other type, which is not counted.
_AS_IT_IS = Read("", "{0}")


def _plain_type(kind: str) -> str:
    """The name of a type, without that of a collation.

    >>> _plain_type("string collate UTF8_LCASE"), _plain_type("int")
    ('string collate', 'int')
    """
    return _COLLATED if kind.startswith(_COLLATED) else kind


class SparkRows:
    """The rows of a dataset's files as the relation ``data`` of a Spark session."""

    def __init__(
        self,
        session: Any,
        frame: Any,
        header: tuple[str, ...],
        name: str,
        count: str | None = None,
    ) -> None:
        self.name, self.header = name, header
        self._types = [_plain_type(found) for _, found in frame.dtypes]
        self._session = session
        reads = (_READS.get(kind, _AS_IT_IS) for kind in self._types)
        shown = (f"{read.counted.format(f'c{i}')} AS c{i}" for i, read in enumerate(reads))
        frame = frame.selectExpr(*shown)
        frame.createOrReplaceTempView("data")
        self.times = None if count is None else self.field(count)

    @cached_property
    def rows(self) -> int:
        """Rows of the files, whatever each of them counts."""
        (found,) = self.ask(exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_("data"))[
            "n"
        ]
        return int(found)

    def field(self, column: str) -> Field:
        place = self.header.index(column)
        kind = self._types[place]
        if kind not in _READS:
            raise DataError(
                Problem(
                    f"column '{column}' of {self.name} has the type {kind}",
                    "give text, numbers, booleans or dates, or use another engine",
                    Location(self.name),
                )
            )
        return Field(place, _READS[kind].kind)

    def ask(self, query: exp.Select) -> Columns:
        answer = self._session.sql(query.sql("spark", identify=True)).toArrow()
        return {name: _masked(answer.column(name)) for name in answer.column_names}

    def kinds(self, asked: KindsOf) -> tuple[list[RawColumn], Any]:
        return fetched(self, asked)

    def column(self, name: str, kind: str, values: Any) -> RawColumn:
        return parquet_column(name, kind, values)


def _masked(column: Any) -> Any:
    """A column of Arrow as a numpy array, masked where NULL."""
    column = column.combine_chunks()
    gaps = column.is_null().to_numpy(zero_copy_only=False)
    if str(column.type) in ("string", "large_string"):
        values = np.empty(len(column), object)
        values[:] = column.to_pylist()
        return np.ma.array(values, mask=gaps)
    if not gaps.any():
        return np.ma.array(column.to_numpy(zero_copy_only=False), mask=gaps)
    zero = False if str(column.type) == "bool" else 0
    return np.ma.array(column.fill_null(zero).to_numpy(zero_copy_only=False), mask=gaps)


@contextmanager
def spark_rows(source: Source, url: str, wanted: Wanted) -> Iterator[SparkRows]:
    """The rows of files, which the cluster sees under the same path, or of objects of a store.

    Raises FilesError where there is no client, no cluster, or the cluster fails, DataError
    for damaged files, NotPlainError for rows that Spark reads in another way.
    """
    failure, builder = _client()
    _reach(url, source.name)
    with nullcontext() if wanted.table is not None else holding(source):
        session = None
        try:
            session = builder.remote(url).getOrCreate()
            _give_up_after(session, RETRIES)
            # Names as they are written; the clock of no machine.
            session.conf.set("spark.sql.caseSensitive", "true")
            session.conf.set("spark.sql.session.timeZone", "UTC")
            if wanted.table is not None:
                assert isinstance(source, TableOfCluster)
                with table_frame(session, source, wanted.table, wanted) as (frame, header):
                    yield SparkRows(session, frame, header, source.name, wanted.count)
                return
            if isinstance(source, Joined):
                frame, header = joined_frame(session, source, wanted)
            else:
                frame, header = frame_of(session, source, wanted)
            yield SparkRows(session, frame, header, source.name, wanted.count)
        except failure as error:
            # A table is of no file.
            parts = () if wanted.table is not None else parts_of(source)
            reason = reason_of(error, {seen_as(part.source): part.name for part in parts})
            if _is_lost(error):
                if session is not None:
                    # Nobody is there to be told that the session ends.
                    _give_up_after(session, 0)
                    session.release_session_on_close = False
                raise LostError(f"Spark at {_place(url)}: {reason}", source.name) from None
            raise FilesError(Problem(f"Spark at {_place(url)}: {reason}", "")) from None
        finally:
            if session is not None:
                session.stop()


def _is_lost(error: Exception) -> bool:
    """Whether a cluster could not be reached any more: by what gRPC, or the client, says.

    One that was started again does not know the session (INVALID_HANDLE).
    """
    told = f"{type(error).__name__} {error}"
    return any(sign in told for sign in _LOST)


def _give_up_after(session: Any, retries: int) -> None:
    """Have the client try so often to reach its server; by itself it does for ten minutes."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    # It is told as an error, with the place.
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]", UserWarning)
    session.client.set_retry_policies([DefaultPolicy(max_retries=retries)])


def check_kind(source: Source) -> None:
    """Raise DataError for rows that a cluster does not read as the other engines do."""
    if isinstance(source, Joined):
        check_kind(source.left)
        check_kind(source.right)
        return
    why = None
    if isinstance(source, TableOfCluster):
        return
    if source.suffix not in READ:
        why = "a cluster does not reach databases"
    if source.suffix.startswith(".jsonl"):
        why = "Spark takes lines with text behind their object, and 1.0 for 1"
    elif source.suffix != ".parquet" and any(part.source.far for part in parts_of(source)):
        why = "objects of text would all be fetched here first; duckdb fetches them once"
    if why is not None:
        told = f"Spark cannot count these rows: {why}"
        raise DataError(Problem(told, OTHER_ENGINE, Location(source.name)))


def _client() -> tuple[type[Exception], Any]:
    """The client's error and its builder of sessions."""
    try:
        with warnings.catch_warnings():
            # Its frames are not used, so it may say what it likes about pandas.
            warnings.simplefilter("ignore", FutureWarning)
            from pyspark.errors import PySparkException
            from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise FilesError(
            Problem("the engine spark needs its client", "pip install 'evalreport[spark]'")
        ) from None
    return PySparkException, SparkSession.builder


def _place(url: str) -> str:
    """Host and port of an address; what follows them may be secret.

    >>> _place("sc://cluster/;token=abc"), _place("sc://[::1]:99")
    ('cluster:15002', '[::1]:99')
    """
    place = url.removeprefix("sc://").split("/")[0].split(";")[0]
    return place if re.search(r":\d+$", place) else f"{place}:{PORT}"


def _reach(url: str, name: str) -> None:
    """Raise LostError where nothing answers at the address."""
    host, _, port = _place(url).rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise LostError(
            f"no Spark Connect server answers at {_place(url)} ({error})",
            name,
            "start one, or correct engine.spark.url",
        ) from None
