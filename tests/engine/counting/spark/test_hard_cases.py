"""Kinds of rows that a cluster counts are those of the other databases, with the same hash."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from engine.counting.hard_cases import ALL, CASES, database_kinds
from engine.counting.spark.spark_server import MARKS, server
from engine.counting.test_hard_cases import fill_duckdb, query_on, rows_of

from evalreport.engine.databases.sessions import open_database, open_table
from evalreport.spec.datasets import ClusterTable

pytestmark = MARKS


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a cluster with the rows in tables, and a DuckDB file with the same rows."""
    folder = tmp_path_factory.mktemp("hard")
    file = folder / "hard.duckdb"
    fill_duckdb(file)
    with server(folder) as url:
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(url).getOrCreate()
        with duckdb.connect(str(file)) as connection:
            for name in ("hard", "more"):
                connection.execute(f"COPY {name} TO '{folder}/{name}.parquet'")
                session.sql(
                    f"CREATE TABLE {name} USING parquet AS "
                    f"SELECT * FROM parquet.`{folder}/{name}.parquet`"
                ).collect()
        for place, case in enumerate(CASES.values()):
            if case.sql != ALL:
                sql = case.sql.rstrip("; \n")
                session.sql(f"CREATE VIEW view_{place} AS {sql}").collect()
        session.stop()
        yield url, file


@pytest.mark.parametrize("name", CASES)
def test_kinds_are_those_of_memory_and_of_a_file(tables: tuple[str, Path], name: str) -> None:
    url, file = tables
    case = CASES[name]
    place = list(CASES).index(name)
    table = ClusterTable(table="hard" if case.sql == ALL else f"view_{place}")
    kinds = database_kinds(open_table(table, url), case.asked(table=table)).table
    assert rows_of(kinds) == case.expected()
    query = query_on(str(file), case.sql)
    own = database_kinds(open_database(Path(), query), case.asked(query=query)).table
    assert kinds.sha256 == own.sha256
