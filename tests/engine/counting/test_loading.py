"""Rows that have to be loaded: what that takes is said, and what does not fit is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from engine.counting.counted_runs import engine_of, run, spec_of

from evalreport.engine.counting import choosing
from evalreport.engine.read_and_plan import prepare
from evalreport.errors import LimitError, SpecError
from evalreport.spec.load import load_spec

ROWS = """SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS y, (i % 97) / 97 AS s,
    i AS k FROM range(20000) t(i)"""


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "MANY_ROWS", 2_000)
    monkeypatch.setattr(choosing, "MUCH_TEXT", 20_000)


def kept(path: Path, **engine: str) -> dict[str, Any]:
    """A spec that keeps digests of rows, for which they have to be loaded."""
    dataset = {"keep_rows": True, "id": "k"}
    spec = spec_of(path, {"score": "s"}, metrics=["accuracy"], dataset=dataset)
    return {**spec, "engine": engine} if engine else spec


def test_the_memory_that_loading_takes_is_told(write: Callable[..., Path]) -> None:
    # three columns of 20 000 rows at 100 bytes each
    found = run(kept(write(ROWS)), "auto")
    assert engine_of(found) == (
        "memory",
        "20,000 rows are loaded: digests of its rows are kept (about 6 MB of memory)",
    )
    with pytest.raises(SpecError, match="duckdb cannot count d: digests of its rows are kept"):
        run(kept(write(ROWS)), "duckdb")


def test_it_is_said_before_the_rows_are_loaded(write: Callable[..., Path]) -> None:
    told: list[str] = []
    spec = write(ROWS).with_name("spec.yaml")
    spec.write_text(json.dumps(kept(write(ROWS))))
    prepare(load_spec(spec), step=lambda what, _total: told.append(what))
    assert (
        told[0] == "reading d: rows are loaded: digests of its rows are kept (about 6 MB of memory)"
    )
    prepare(load_spec(spec), engine="memory", step=lambda what, _total: told.append(what))
    assert told[1] == "reading d"


@pytest.mark.parametrize("engine", ["auto", "memory"])
def test_rows_that_would_not_fit_are_refused(write: Callable[..., Path], engine: str) -> None:
    spec = kept(write(ROWS), memory_limit="5MB")
    with pytest.raises(LimitError, match=r"about 6 MB of memory, and engine\.memory_limit allows"):
        run(spec, engine)
    run(kept(write(ROWS), memory_limit="6MB"), engine)


def test_rows_that_the_machine_cannot_hold_are_refused(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "machine_bytes", lambda: 5_000_000)
    with pytest.raises(LimitError, match=r"this machine has 5 MB.*because digests of its rows are"):
        run(kept(write(ROWS)), "auto")
    unweighted = spec_of(write(ROWS), {"score": "s"})
    assert engine_of(run(unweighted, "auto"))[0] == "duckdb"


def test_text_is_judged_by_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.csv"
    rows = [f"{'ab'[i % 2]},{i % 97 / 97},{i}\n" for i in range(2000)]
    path.write_text("".join(["y,s,k\n", *rows]))
    found = run(kept(path), "auto")
    size = path.stat().st_size
    assert f"{size * 10 / 1e6:.0f} MB" in engine_of(found)[1]
    monkeypatch.setattr(choosing, "machine_bytes", lambda: size * 10 - 1)
    with pytest.raises(LimitError):
        run(kept(path), "auto")


def test_the_machine_tells_its_memory() -> None:
    assert (choosing.machine_bytes() or 0) > 100_000_000


def test_auto_counts_what_may_not_fit_the_limit_of_the_spec(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "MANY_ROWS", 2_000_000)
    rows = "SELECT i % 3 = 0 AS y, (i * 7919 % {}) / 20011 AS s FROM range(20000) t(i)"
    spec = spec_of(write(rows.format(1009)), {"score": "s"}, metrics=["roc_auc"])
    found = run({**spec, "engine": {"memory_limit": "3MB"}}, "auto")
    reason = "loading may take 4 MB, more than engine.memory_limit"
    assert engine_of(found) == ("duckdb", reason)
    exact = run(spec, "memory")
    assert found["measures"] == exact["measures"]
    assert engine_of(run({**spec, "engine": {"memory_limit": "5MB"}}, "auto"))[0] == "memory"
    spec = spec_of(write(rows.format(20011)), {"score": "s"}, metrics=["roc_auc"])
    with pytest.raises(LimitError, match="more than 12,500 kinds of rows by y, s"):
        run({**spec, "engine": {"memory_limit": "3MB"}}, "auto")
