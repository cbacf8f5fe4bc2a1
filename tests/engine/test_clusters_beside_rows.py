"""Clusters are counted beside rows: how many, how large, and how many have rows of each class."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from plain_results import render_html
from report.html_page import parse

from evalreport.api import run
from evalreport.results.codec import encode
from evalreport.results.records import RowLedger
from evalreport.verify.recompute import recompute

RNG = np.random.default_rng(3)
N = 300
ROWS = pd.DataFrame(
    {
        "patient": [f"p{k}" for k in RNG.integers(0, 60, N) ** 2 // 60],
        "truth": RNG.choice(["ill", "well"], N, p=[0.1, 0.9]),
        "said": RNG.choice(["ill", "well"], N),
        "score": RNG.random(N).round(3),
        "cough": RNG.choice(["0", "1"], N),
        "fever": RNG.choice(["0", "1"], N, p=[0.95, 0.05]),
    }
)
ROWS["row"] = [f"r{k}" for k in range(N)]
ROWS.loc[7, "said"] = ""  # one row of one patient is not used
LABELS = {"m": {"prediction": "said"}}


def evaluated(folder: Path, models: dict[str, Any], engine: str, **more: Any) -> Any:
    ROWS.to_csv(folder / "rows.csv", index=False)
    dataset: dict[str, Any] = {"path": str(folder / "rows.csv"), "target": "truth"}
    spec: dict[str, Any] = {
        "evalreport": 1,
        "title": "Several rows of each patient",
        "datasets": {"d": {**dataset, "missing": "exclude", **(more or {"cluster": "patient"})}},
        "positive": {"label": "ill"},
        "models": models,
        "metrics": ["recall"],
    }
    return run(spec, engine=engine, at="2026-01-02T03:04:05Z")


def expected(rows: pd.DataFrame) -> tuple[int, dict[str, int], float, int]:
    """By pandas: clusters, those with rows of each class, and rows in a cluster."""
    sizes = rows.groupby("patient").size()
    holders = rows.groupby("truth")["patient"].nunique().to_dict()
    return len(sizes), holders, float(sizes.median()), int(sizes.max())


def told(record: RowLedger) -> tuple[int | None, dict[str, int], float, int]:
    held = record.clustered
    assert held is not None
    assert held.column == "patient"
    holders = {one.label: one.count for one in held.classes}
    return record.clusters, holders, held.median, held.most


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_clusters_of_used_rows_are_counted_by_class(tmp_path: Path, engine: str) -> None:
    (record,) = evaluated(tmp_path, LABELS, engine).records.rows
    assert record.used == N - 1
    assert told(record) == expected(ROWS.drop(index=7))


def test_both_engines_keep_the_same_record(tmp_path: Path) -> None:
    memory, counted = (
        evaluated(tmp_path, LABELS, engine).records.rows for engine in ("memory", "duckdb")
    )
    assert memory == counted


def test_every_row_is_in_a_cluster_where_scores_are_judged(tmp_path: Path) -> None:
    (record,) = evaluated(tmp_path, {"m": {"score": "score"}}, "memory").records.rows
    assert told(record) == expected(ROWS)


def test_rows_without_a_declared_cluster_say_nothing(tmp_path: Path) -> None:
    (record,) = evaluated(tmp_path, LABELS, "memory", id="row").records.rows
    assert record.clusters is None
    assert record.clustered is None
    assert "clustered" not in encode(record)


def words_of(found: Any, template: str | None = None) -> str:
    page = render_html(encode(found.records), *filter(None, [template]))
    return " ".join(parse(page).text.split())


def test_the_page_names_the_column_and_counts_both(tmp_path: Path) -> None:
    text = words_of(evaluated(tmp_path, LABELS, "memory"))
    clusters, holders, median, most = expected(ROWS.drop(index=7))
    assert f"in {clusters} clusters by patient, 30 of them ill" in text
    assert f"clusters of used rows, by patient{clusters}" in text
    assert f"rows in a cluster, median{median:g}" in text
    assert f"rows in a cluster, most{most}" in text
    assert f"clusters with rows of ill{holders['ill']}" in text
    assert f"clusters with rows of well{holders['well']}" in text


def test_the_flow_of_rows_counts_clusters(tmp_path: Path) -> None:
    text = words_of(evaluated(tmp_path, LABELS, "memory"), "clinical")
    clusters, holders, median, most = expected(ROWS.drop(index=7))
    assert f"in {clusters} clusters by patient" in text
    assert f"rows in a cluster: median {median:g}, most {most}" in text
    told = f"ill in {holders['ill']} and well in {holders['well']}"
    assert f"clusters with rows of each class: {told}" in text


CHANGES = {
    "more of a class than there are rows of it": {"classes": 400},
    "a cluster larger than the others leave room for": {"most": 290},
    "clusters too small for the rows": {"median": 1.0, "most": 2},
    "a middle above the largest": {"median": 299.0},
}


@pytest.mark.parametrize("name", CHANGES)
def test_clusters_that_cannot_hold_the_rows_are_found(tmp_path: Path, name: str) -> None:
    honest = encode(evaluated(tmp_path, LABELS, "memory").records)
    assert recompute(honest).problems == ()
    forged = copy.deepcopy(honest)
    held = forged["rows"][0]["clustered"]
    for field, value in CHANGES[name].items():
        if field == "classes":
            held["classes"][0]["count"] = value
        else:
            held[field] = value
    assert any("clusters" in one.what for one in recompute(forged).problems)


def test_clusters_described_without_a_number_of_them_are_found(tmp_path: Path) -> None:
    found = evaluated(tmp_path, LABELS, "memory")
    forged = encode(found.records)
    del forged["rows"][0]["clusters"]
    problems = [one.what for one in recompute(forged).problems]
    assert any("there is no number of them" in one for one in problems)
