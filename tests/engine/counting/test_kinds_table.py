"""Kinds of whole rows: how many are held, what is told of ids, and what is loaded instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from engine.counting.counted_runs import engine_of, run, spec_of

from evalreport.engine.counting import choosing, kinds_table
from evalreport.errors import DataError, LimitError

THREE = """
SELECT ['a', 'b', 'c'][i % 3 + 1] AS y, i AS id, (i % 8) / 16 AS a, (i % 4) / 8 AS b,
       1 - (i % 8) / 16 - (i % 4) / 8 AS c FROM range(1200) t(i)
"""
OF_EACH = {"scores": {"a": "a", "b": "b", "c": "c"}}


def spec_on(path: Path, **parts: Any) -> dict[str, Any]:
    return spec_of(path, OF_EACH, metrics=["accuracy", "log_loss"], **parts)


def test_kinds_beyond_the_limit_are_loaded_and_said_or_refused(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds_table, "LEAST_KINDS", 5)
    monkeypatch.setattr(kinds_table, "VALUE_BYTES", 10**9)
    spec = spec_on(write(THREE))
    why = "by y, a, b, c there are 24 kinds of rows"
    assert why in engine_of(run(spec, "duckdb"))[1]
    monkeypatch.setattr(choosing, "MANY_ROWS", 1)
    with pytest.raises(LimitError, match=f"the engine duckdb cannot count these rows: {why}"):
        run(spec, "duckdb")
    name, reason = engine_of(run(spec, "auto"))
    assert (name, f"read row by row, not counted: {why}" in reason) == ("memory", True)


def test_ids_tell_no_kinds_apart_and_are_unique(write: Callable[..., Path]) -> None:
    found = run(spec_on(write(THREE), dataset={"id": "id"}), "duckdb")
    assert "d, m: counted by what each row holds, 24 kinds of rows" in found["plan"]["counted"]
    twice = write(f"SELECT * REPLACE (id // 2 AS id) FROM ({THREE})")
    with pytest.raises(DataError, match="id is not unique: '0' in row 1 and row 2"):
        run(spec_on(twice, dataset={"id": "id"}), "duckdb")


def test_rows_without_an_id_are_left_out_and_counted(write: Callable[..., Path]) -> None:
    path = write(f"SELECT * REPLACE (nullif(id, 7) AS id) FROM ({THREE})")
    spec = spec_on(path, dataset={"id": "id", "missing": "exclude"})
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert counted["rows"] == memory["rows"]
    assert counted["rows"][0]["excluded"] == [{"reason": "id is empty", "count": 1}]
    assert engine_of(counted)[0] == "duckdb"


def test_lists_of_numbers_are_counted_in_the_file(write: Callable[..., Path]) -> None:
    path = write(f"SELECT y, [a, b, c] AS p FROM ({THREE})")
    spec = spec_of(path, {"scores": "p"}, metrics=["accuracy", "log_loss", "roc_auc"])
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted)[0] == "duckdb"
    assert counted["measures"] == memory["measures"]


def test_rows_that_stand_for_several_are_counted_by_kind(write: Callable[..., Path]) -> None:
    path = write(f"SELECT y, a, b, c, 1 + i % 3 AS n FROM (SELECT *, id AS i FROM ({THREE}))")
    spec = spec_on(path, dataset={"count": "n"})
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted)[0] == "duckdb"
    assert counted["measures"] == memory["measures"]
    assert counted["rows"] == memory["rows"]
    assert counted["provenance"]["inputs"] == memory["provenance"]["inputs"]


def test_scores_that_do_not_add_up_are_named_with_their_rows(write: Callable[..., Path]) -> None:
    path = write(f"SELECT * REPLACE (a + (id = 8)::INT / 2 AS a) FROM ({THREE})")
    with pytest.raises(DataError, match="do not add up to 1 in row 9"):
        run(spec_on(path), "duckdb")
