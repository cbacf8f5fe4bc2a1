"""Periods of time and declared types are the same, loaded or counted in the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of

from evalreport.engine.counting import choosing
from evalreport.errors import DataError, SpecError

pytestmark = pytest.mark.long_but_first


#: 900 rows over two years: truth, score, label, the day as text, as a date and as a moment.
ROWS = """
SELECT CASE WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS y,
       round((h % 97 + (h % 3 = 0)::INT * 30) / 128, 2) AS s,
       CASE WHEN h % 5 = 0 THEN 'sick' ELSE 'well' END AS p,
       (DATE '2025-11-20' + CAST(i * 7 % 700 AS INTEGER)) AS day,
       (DATE '2025-11-20' + CAST(i * 7 % 700 AS INTEGER))::VARCHAR AS text,
       (TIMESTAMP '2025-11-20 23:59:59.5' + INTERVAL 1 HOUR * (i * 163 % 16000)) AS moment,
       1 + h % 3 AS site, CASE WHEN h % 2 = 0 THEN '1.0' ELSE '1' END AS code
FROM (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h FROM range(900) t(i))
"""
METRICS = ["accuracy", "recall", "roc_auc", "brier"]


def same(spec: dict[str, Any]) -> dict[str, Any]:
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted) == ("duckdb", "requested")
    assert comparable(counted) == comparable(memory)
    return counted


@pytest.mark.long
@pytest.mark.parametrize("column", ["day", "text", "moment"])
@pytest.mark.parametrize("every", ["week", "month", "quarter", "year"])
def test_periods(write: Callable[..., Path], column: str, every: str) -> None:
    dataset = {"period": {"column": column, "every": every}}
    found = same(spec_of(write(ROWS), {"score": "s"}, metrics=METRICS, dataset=dataset,
                         subgroups=["site"]))  # fmt: skip
    names = {m["subgroup"][column] for m in found["measures"] if column in m["subgroup"]}
    assert len(names) >= 3
    assert found["periods"]


def test_periods_of_days_labels_weights_and_gaps(write: Callable[..., Path]) -> None:
    query = (
        "SELECT * REPLACE (CASE WHEN site = 2 THEN NULL ELSE text[:8] || '03' END AS text) "
        f"FROM ({ROWS})"
    )
    dataset = {"period": {"column": "text", "every": "day"}}
    same(spec_of(write(query), {"prediction": "p"}, dataset=dataset))
    weighted = {**dataset, "weight": "site"}
    spec = spec_of(write(query), {"prediction": "p"}, dataset=weighted)
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert comparable(counted) == comparable(memory)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_periods_of_text(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"rows.{kind}"
    form = "HEADER" if kind == "csv" else "FORMAT json"
    duckdb.connect().execute(f"COPY ({ROWS}) TO '{path}' ({form})")
    dataset = {"period": {"column": "moment", "every": "month"}}
    same(spec_of(path, {"score": "s"}, metrics=METRICS, dataset=dataset))


@pytest.mark.parametrize(
    "wrong", ["2026-02-30", "2026-1-1", "20260101", "2026-01-01T25:00", "2026-01-01x", ""]
)
def test_what_is_no_date_is_told_alike(write: Callable[..., Path], wrong: str) -> None:
    path = write(f"SELECT * REPLACE (CASE WHEN text < '2025-11-22' THEN '{wrong}' ELSE text END "
                 f"AS text) FROM ({ROWS})")  # fmt: skip
    spec = spec_of(path, {"score": "s"}, dataset={"period": {"column": "text", "every": "month"}})
    told = []
    for engine in ("memory", "duckdb"):
        with pytest.raises(DataError, match="is not a date") as caught:
            run(spec, engine)
        told.append([str(problem) for problem in caught.value.problems])
    assert told[0] == told[1]


def test_a_period_with_another_part_is_refused(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "MANY_ROWS", 1)
    dataset = {"period": {"column": "text", "every": "month"}, "fold": "text"}
    spec = spec_of(write(ROWS), {"score": "s"}, dataset=dataset)
    with pytest.raises(SpecError, match="text makes periods and has another part"):
        run(spec, "duckdb")


@pytest.mark.parametrize(
    ("types", "values"), [({"code": "number"}, {"1"}), ({"code": "text"}, {"1", "1.0"})]
)
def test_declared_types(
    write: Callable[..., Path], types: dict[str, str], values: set[str]
) -> None:
    dataset = {"types": {**types, "y": "text", "site": "integer"}}
    spec = spec_of(write(ROWS), {"score": "s"}, metrics=METRICS, dataset=dataset,
                   subgroups=["code", "site"])  # fmt: skip
    found = same(spec)
    names = {m["subgroup"]["code"] for m in found["measures"] if "code" in m["subgroup"]}
    assert names == values


def test_values_of_another_type_are_told_alike(write: Callable[..., Path]) -> None:
    spec = spec_of(write(ROWS), {"prediction": "p"}, dataset={"types": {"y": "boolean"}})
    told = []
    for engine in ("memory", "duckdb"):
        with pytest.raises(DataError, match="is not of the declared type") as caught:
            run(spec, engine)
        told.append([str(problem) for problem in caught.value.problems])
    assert told[0] == told[1]
