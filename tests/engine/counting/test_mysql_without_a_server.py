"""What is asked of a server of MySQL, and what is made of its answers, with a driver of this test.

:mod:`engine.counting.test_counted_by_mariadb` asks a server.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from sqlglot import exp

from evalreport.data.source import Source
from evalreport.engine.counting import mysql_counts
from evalreport.engine.counting.mysql_rows import from_mysql, mysql_server
from evalreport.engine.counting.query_limits import QueryLimits, QueryWatch
from evalreport.engine.counting.rows_digest import RowsDigest
from evalreport.engine.counting.wanted import NotPlainError, Wanted
from evalreport.errors import DataError, FilesError, LimitError, LostError
from evalreport.spec.datasets import Query

ADDRESS = "mysql://me@127.0.0.1/study"
Answer = tuple[list[tuple[Any, ...]], list[tuple[str, int]]]


class Error(Exception):
    """The driver's errors: a number and a reason."""


class Cursor:
    def __init__(self, server: Server, *_: Any) -> None:
        self._server = server
        self.description: Any = None

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def execute(self, text: str) -> None:
        self._server.asked.append(text)
        self._rows, self.description = self._server.told(text)

    def fetchall(self) -> Any:
        return tuple(self._rows)

    def fetchmany(self, count: int) -> Any:
        found, self._rows = self._rows[:count], self._rows[count:]
        return found


class Server:
    """A connection; ``answer`` gives what a statement is told, None for nothing."""

    def __init__(self, answer: Callable[[str], Answer | None], version: str) -> None:
        self.asked: list[str] = []
        self.closed = False
        self._answer, self._version = answer, version

    def told(self, text: str) -> Answer:
        if text == "SELECT VERSION()":
            return [(self._version,)], [("VERSION()", 253)]
        return self._answer(text) or ([], [])

    def cursor(self, *_: Any) -> Cursor:
        return Cursor(self)

    def escape(self, text: str) -> str:
        return "'" + text.replace("'", "\\'") + "'"

    def _force_close(self) -> None:
        self.closed = True


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Server]:
    def with_answers(
        answer: Callable[[str], Answer | None], version: str = "10.11.6-MariaDB"
    ) -> Server:
        server = Server(answer, version)
        driver, cursors = ModuleType("pymysql"), ModuleType("pymysql.cursors")

        def connect(**settings: Any) -> Server:
            assert settings["host"] == "127.0.0.1"
            answer("connect")
            return server

        vars(driver).update(Error=Error, connect=connect, cursors=cursors)
        vars(cursors).update(SSCursor=Cursor)
        monkeypatch.setitem(sys.modules, "pymysql", driver)
        monkeypatch.setitem(sys.modules, "pymysql.cursors", cursors)
        return server

    return with_answers


def watch(**limits: Any) -> QueryWatch:
    return QueryWatch("study (MySQL)", QueryLimits(**limits))


def fetched(sql: str, **limits: Any) -> list[Any]:
    return list(from_mysql(ADDRESS, "study (MySQL)", sql, watch(**limits)))


@pytest.mark.parametrize(
    ("version", "limit"),
    [("10.11.6-MariaDB", "max_statement_time"), ("8.4.3", "max_execution_time")],
)
def test_rows_are_fetched_in_one_snapshot_that_only_reads(
    serve: Callable[..., Server], version: str, limit: str
) -> None:
    rows = [(i, "a") for i in range(5_000)]
    columns = [("s", 8), ("y", 253)]
    server = serve(lambda text: (rows, columns) if "AS q" in text else None, version)
    assert fetched("SELECT s, y FROM seen ; ") == [["s", "y"], *rows]
    assert "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY" in server.asked
    assert "PREPARE evalreport FROM 'SELECT s, y FROM seen '" in server.asked
    assert server.asked[-1] == "SELECT * FROM (\nSELECT s, y FROM seen \n) AS q"
    assert limit in server.asked[-2]
    assert server.closed


def raising(number: int, told: str, where: str) -> Callable[[str], Answer | None]:
    def answer(text: str) -> Answer | None:
        if "information_schema" in text:
            return [("seen",), ("score",)], [("name", 253)]
        if where in text:
            raise Error(number, told)
        return None

    return answer


@pytest.mark.parametrize(
    ("number", "told", "where", "kind", "said"),
    [
        (1146, "Table 'study.seem' doesn't exist", "PREPARE", DataError, "did you mean 'seen'"),
        (1054, "Unknown column 'scor' in 'field list'", "AS q", DataError, "mean 'score'"),
        (1064, "You have an error", "PREPARE", DataError, "the query fails: You have an error"),
        (2013, "Lost connection", "AS q", LostError, "the connection to the database was lost"),
        (2003, "Connection refused", "connect", LostError, "does not answer: Connection refused"),
        (1045, "Access denied", "connect", FilesError, "does not let this user in: Access denied"),
        (1142, "SELECT command denied", "AS q", FilesError, "refuses to show the rows: SELECT"),
        (1969, "Query execution was interrupted", "AS q", DataError, "interrupted"),
    ],
)
def test_errors_are_told_with_what_to_do(
    serve: Callable[..., Server], number: int, told: str, where: str, kind: type, said: str
) -> None:
    serve(raising(number, told, where))
    with pytest.raises(kind, match=said):
        fetched("SELECT 1")


def test_a_statement_that_was_stopped_for_its_time(serve: Callable[..., Server]) -> None:
    serve(raising(3024, "maximum statement execution time exceeded", "AS q"))
    with pytest.raises(LimitError, match="more than"):
        fetched("SELECT 1", seconds=1e-9)


def test_a_hint_that_cannot_be_had_hides_no_error(serve: Callable[..., Server]) -> None:
    def answer(text: str) -> Answer | None:
        if "information_schema" in text:
            raise Error(1142, "SELECT command denied")
        if "PREPARE" in text:
            raise Error(1146, "Table 'study.seem' doesn't exist")
        return None

    serve(answer)
    with pytest.raises(DataError, match=r"Table 'study\.seem' doesn't exist; one SELECT"):
        fetched("SELECT 1")


def test_the_driver_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymysql", None)
    with (
        pytest.raises(FilesError, match=r"pip install 'evalreport\[mysql\]'"),
        mysql_server(ADDRESS, "study", watch()),
    ):
        pass


#: Name, number of the type, letters: what is counted, and a blob.
TYPES = [("y", 253, "utf8mb4"), ("s", 5, "binary"), ("d", 246, "binary"), ("raw", 252, "binary")]


def counting(rows: int) -> Callable[[str], Answer | None]:
    def answer(text: str) -> Answer | None:
        if "LIMIT 0" in text:
            return [], [(name, number) for name, number, _ in TYPES]
        if "CHARSET" in text:
            return [tuple(letters for *_, letters in TYPES)], [("c", 253)] * len(TYPES)
        if "SHA2" in text:
            sums = tuple(Decimal(2**64 + i) if rows else None for i in range(4))
            return [(rows, *sums)], [("n", 8)] * 5
        if "data" in text:
            return [("a", Decimal(2), Decimal("0.5")), (None, 3, 1.5)], [
                ("k0", 253), ("n", 8), ("s", 5)]  # fmt: skip
        return None

    return answer


@contextmanager
def counts(columns: tuple[str, ...], numbers: frozenset[str] = frozenset()) -> Any:
    source = SimpleNamespace(address=ADDRESS, name="study (MySQL)", digest=RowsDigest())
    query = Query(sql="SELECT * FROM seen;", database="study.db")
    wanted = Wanted(columns, numbers, query=query)
    with mysql_counts.mysql_counts(source, wanted, watch()) as rows:
        yield source, rows


@pytest.mark.parametrize("version", ["11.4-MariaDB", "9.1.0"])
def test_rows_are_counted_and_hashed_there(serve: Callable[..., Server], version: str) -> None:
    server = serve(counting(7), version)
    with counts(("y", "s", "d"), frozenset("d")) as (source, rows):
        assert rows.rows == 7
        assert len(source.digest.sha256) == 64
        column = exp.column("c0", quoted=True)
        fits = exp.RegexpLike(this=column, expression=exp.Literal.string(r"\z"))
        told = rows.ask(exp.select(fits, exp.IsNan(this=column)).from_("data"))
        assert told["n"].tolist() == [2, 3]
        assert told["s"].tolist() == [0.5, 1.5]
        assert told["k0"].tolist() == ["a", None]
        kind = "utf8mb4_nopad_bin" if "MariaDB" in version else "utf8mb4_0900_bin"
        assert f"COLLATE {kind}) AS `c0`" in server.asked[-1]
        assert r"(REGEXP_INSTR(`c0`, '\\z') > 0), FALSE" in server.asked[-1]
        assert [rows.field(name).kind for name in "ysd"] == ["VARCHAR", "DOUBLE", "DOUBLE"]


@pytest.mark.parametrize(
    ("columns", "rows", "kind", "told"),
    [
        (("raw",), 7, NotPlainError, "raw is of a type that is not counted"),
        (("d",), 7, NotPlainError, "d is of a type that is not counted"),
        (("ys",), 7, DataError, "gives no column ys; did you mean"),
        (("y",), 0, DataError, "gives no rows"),
    ],
)
def test_what_is_not_counted(
    serve: Callable[..., Server], columns: tuple[str, ...], rows: int, kind: type, told: str
) -> None:
    serve(counting(rows))
    with pytest.raises(kind, match=told), counts(columns):
        pass


def test_an_address_is_a_source_without_a_file(serve: Callable[..., Server]) -> None:
    from evalreport.engine.counting.sql_rows import open_database, read_query

    rows = [("a", 0.5), ("b", None)]
    serve(lambda text: (rows, [("y", 253), ("s", 5)]) if "AS q" in text else None)
    query = Query.model_validate({"sql": "SELECT 1", "database": "mariadb://localhost/study"})
    source = open_database(Path(), Query.model_construct(sql="SELECT 1", database=ADDRESS))
    assert isinstance(source, Source)
    assert source.name == "study (MySQL)"
    assert read_query(source, query, None).rows == 2
