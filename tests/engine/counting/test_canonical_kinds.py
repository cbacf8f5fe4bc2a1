"""Kinds in canonical form: the same whatever their order, and however an answer is fetched."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest

from evalreport.data import duckdb_columns
from evalreport.data.table import RawColumn
from evalreport.engine.databases import kinds

RNG = np.random.default_rng(3)
ROWS = 400
COLUMNS = (
    ("score", "float64", RNG.integers(0, 9, ROWS) / 8 * RNG.choice([-1.0, 1.0], ROWS)),
    ("truth", "text", RNG.choice(np.array(["a", "b", "B "], object), ROWS)),
    ("site", "integer", RNG.integers(-2, 2, ROWS)),
)
GAPS = RNG.random((3, ROWS)) < 0.1


def columns(order: Any) -> list[RawColumn]:
    return [
        RawColumn(name, kind, values[order], gap[order])  # type: ignore[arg-type]
        for (name, kind, values), gap in zip(COLUMNS, GAPS, strict=True)
    ]


def told(found: list[RawColumn], times: Any) -> dict[str, Any]:
    held = {
        one.name: np.where(one.missing, None, one.values.astype(object)).tolist() for one in found
    }
    return {**held, "times": times.tolist()}


@pytest.mark.parametrize("hashed", [True, False])
def test_they_follow_from_what_rows_hold_alone(hashed: bool) -> None:
    times = RNG.integers(0, 4, ROWS)
    expected = kinds.canonical(columns(slice(None)), times, hashed=hashed)
    order = RNG.permutation(ROWS)
    found = kinds.canonical(columns(order), times[order], hashed=hashed)
    assert told(*found[:2]) == told(*expected[:2])
    assert found[2] == expected[2]
    by_kind: dict[tuple[Any, ...], int] = {}
    held = columns(slice(None))
    for row, n in enumerate(times.tolist()):
        key = tuple(None if c.missing[row] else c.values[row] for c in held)
        by_kind[key] = by_kind.get(key, 0) + n
    names = [name for name, _, _ in COLUMNS]
    one = told(*found[:2])
    assert dict(zip(zip(*(one[n] for n in names), strict=True), one["times"], strict=True)) == {
        key: n for key, n in by_kind.items() if n
    }


def test_one_column_of_which_no_two_rows_are_alike_decides() -> None:
    scores = RNG.permutation(50) / 50
    other = RawColumn("site", "text", np.array(["x", "y"] * 25, object), np.zeros(50, bool))
    held = [other, RawColumn("score", "float64", scores, np.zeros(50, bool))]
    found, times, _ = kinds.canonical(held, np.ones(50, np.int64), hashed=False)
    by_name = {one.name: one.values.tolist() for one in found}
    order = np.argsort(scores)
    assert by_name == {"score": scores[order].tolist(), "site": other.values[order].tolist()}
    assert times.tolist() == [1] * 50


def test_an_answer_is_the_same_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = """SELECT i, CASE WHEN i % 7 > 0 THEN i / 8 END AS s, CASE WHEN i > 11 THEN 't' || i END
        AS t, i % 2 = 0 AS f, ['a', 'b'][1 : i % 3] AS l, i % 5 - 2 AS w FROM range(25) t(i)"""
    found = []
    for most in (1_000_000, 4):
        monkeypatch.setattr(duckdb_columns, "AT_ONCE", most)
        with duckdb.connect() as connection:
            found.append(duckdb_columns.columns_of(connection, rows, None, "rows"))
    for one, other in zip(*found, strict=True):
        assert (one.name, one.kind) == (other.name, other.kind)
        assert one.missing.tolist() == other.missing.tolist()
        there = ~one.missing
        assert one.values[there].tolist() == other.values[there].tolist()


@pytest.mark.parametrize("hashed", [True, False])
def test_a_single_kind_of_one_column(hashed: bool) -> None:
    one = RawColumn("truth", "text", np.array(["a"], object), np.zeros(1, bool))
    found, times, _ = kinds.canonical([one], np.array([7]), hashed=hashed)
    assert told(found, times) == {"truth": ["a"], "times": [7]}
