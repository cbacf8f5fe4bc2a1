"""Tables of partitions, days and subgroups add up to the table of all rows."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, run, spec_of

from evalreport.engine.counting.set_tables import tables_of
from evalreport.engine.read_and_plan import prepare
from evalreport.metrics.tables import ScoreTable
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.spec.load import parse_spec

pytestmark = pytest.mark.long_but_first


ROWS = """SELECT CASE WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS y, (h % 5003) / 5003 AS s,
    CASE WHEN h % 11 > 0 THEN 'g' || h % 3 END AS g, i FROM
    (SELECT i, (i * 7919 + i * i * 31) % 100003 AS h FROM range(6000) t(i))"""

BY = [("site",), ("day",), ("g",), ("site", "day"), ("site", "g")]


@pytest.fixture
def partitions(tmp_path: Path) -> str:
    """Six thousand rows in folders by site and day."""
    connection = duckdb.connect()
    for site in ("a", "b"):
        for day in range(3):
            folder = tmp_path / f"site={site}" / f"day=2026-01-0{day + 1}"
            folder.mkdir(parents=True)
            part = f"SELECT * EXCLUDE (i) FROM ({ROWS}) WHERE i % 6 = {'ab'.index(site) * 3 + day}"
            connection.execute(f"COPY ({part}) TO '{folder}/rows.parquet' (FORMAT parquet)")
    return f"{tmp_path}/"


def entries(table: ScoreTable) -> dict[float, tuple[int, int]]:
    """Positives and negatives by score."""
    found: dict[float, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for score, p, n in zip(table.scores, table.positives, table.negatives, strict=True):
        found[float(score)] = (found[float(score)][0] + int(p), found[float(score)][1] + int(n))
    return found


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("by", BY, ids=str)
def test_parts_add_up(partitions: str, engine: str, by: tuple[str, ...]) -> None:
    spec = spec_of(partitions, {"score": "s"}, metrics=["roc_auc"], subgroups=[list(by)])
    loaded = parse_spec(json.dumps(spec))
    prepared = prepare(loaded, engine=engine)
    (view,), (facts,) = prepared.views, prepared.facts
    tables = tables_of(view)
    slices = [Slice(tuple(zip(by, values, strict=True))) for values in (facts.groups or {})[by]]
    assert len(slices) == {"site": 2, "day": 3, "g": 4}[by[0]] * {"day": 3, "g": 4}.get(
        by[-1] if len(by) == 2 else "", 1
    )
    added: dict[float, tuple[int, int]] = defaultdict(lambda: (0, 0))
    cells: Any = defaultdict(int)
    for where in slices:
        for score, (p, n) in entries(tables.scores(where)).items():
            added[score] = (added[score][0] + p, added[score][1] + n)
        for cell, count in tables.classification(where, 0.5).cells.items():
            cells[cell] += count
    assert added == entries(tables.scores(EVERYTHING))
    assert sum(sum(counts) for counts in added.values()) == 6000
    assert cells == tables.classification(EVERYTHING, 0.5).cells


def test_partitions_are_subgroups_of_every_engine(partitions: str) -> None:
    spec = spec_of(
        partitions,
        {"score": "s"},
        metrics=["accuracy", "roc_auc"],
        subgroups=["site", "day", ["site", "day"]],
    )
    assert comparable(run(spec, "memory")) == comparable(run(spec, "duckdb"))
