"""Counting queries in the dialects of warehouses that no test reaches: written, and read back.

Each query is written in a dialect, read in it again, and then asked of DuckDB: the answer is that
of the query itself. That shows what is written, not what such a warehouse makes of it.
"""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import ErrorLevel, exp

from evalreport.engine.counting import queries
from evalreport.engine.counting.in_intervals import BinnedField, RoundedField
from evalreport.engine.counting.in_periods import PeriodField
from evalreport.engine.counting.queries import Field

DIALECTS = ["bigquery", "databricks", "snowflake", "trino"]
SCORE, LABEL, TEXT = Field(0, "DOUBLE"), Field(1, "VARCHAR"), Field(2, "VARCHAR")
MONTH, AGE = PeriodField(3, "VARCHAR", "month"), BinnedField(4, "INTEGER", (10.0, 20.0))
TIMES = Field(5, "BIGINT")
BOTH = [LABEL.value, RoundedField(0, "DOUBLE", 0.25).value, MONTH.value, AGE.value]
QUERIES = {
    "rows by what they hold": queries.kinds([LABEL.value, SCORE.value], None),
    "scores that are text": queries.kinds([queries.read_number(TEXT)], None),
    "ids that are there": queries.kinds([queries.there(TEXT)], None),
    "kinds of rows that stand for several": queries.kinds(BOTH, None, TIMES),
    "how many kinds": queries.how_many(BOTH, None),
    "ids that stand twice": queries.repeated(TEXT),
    "counts that are none": queries.uncountable(TIMES),
}
ROWS = """CREATE TABLE data AS SELECT
    CASE WHEN i % 9 > 0 THEN (i % 40 - 4) / 32.0::DOUBLE END AS c0,
    ['sick', 'it''s', 'well', NULL][i % 4 + 1] AS c1,
    ['0.5', ' 1', '-1e3', 'nan', '', 'x', NULL][i % 7 + 1] || CASE WHEN i < 350 THEN '' END AS c2,
    '2026-0' || (1 + i % 9) || '-11' AS c3, (i % 30)::INTEGER AS c4, (i % 5)::BIGINT AS c5
    FROM range(360) t(i)"""


@pytest.fixture(scope="module")
def rows() -> Any:
    connection = duckdb.connect()
    connection.execute(ROWS)
    return connection


def answer(rows: Any, query: exp.Expression | str) -> list[str]:
    text = query if isinstance(query, str) else query.sql("duckdb", identify=True)
    return sorted(map(repr, rows.execute(text).fetchall()))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", QUERIES)
def test_a_query_is_written_in_a_dialect_and_read_back(rows: Any, dialect: str, name: str) -> None:
    query = QUERIES[name]
    written = query.sql(dialect, identify=True, unsupported_level=ErrorLevel.RAISE)
    back = sqlglot.parse_one(written, read=dialect)
    assert back.sql(dialect, identify=True) == written
    told = answer(rows, query)
    assert told
    if name == "ids that stand twice":
        # any one of them is told
        assert len(answer(rows, back)) == len(told) == 1
    else:
        assert answer(rows, back) == told
