"""Kinds of rows by bins of scores: exact tables, values within bounds, the same variances."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of
from sqlglot import exp

from evalreport import api
from evalreport.cli import status_of
from evalreport.engine.comparisons import pairs
from evalreport.engine.counting import binned_kinds, scored_kinds
from evalreport.engine.counting.duckdb_rows import DuckDBRows
from evalreport.record.recompute import recompute

#: 60 000 rows whose two scores are nearly all their own: of 12 MB of memory 30 000 kinds of rows
#: have room, and 23 437 distinct scores.
ROWS = """
SELECT i AS id, y, g, c, w, 1 / (1 + exp(-(own + shared + z))) AS a,
       1 / (1 + exp(-(own + shared + 0.6 * z + 0.8 * other))) AS b
FROM (SELECT i, CASE WHEN sick THEN 'sick' ELSE 'well' END AS y, 'c' || cluster AS c,
        'g' || (hash(i + 77) % 2) AS g, (1 + hash(i + 31) % 3)::DOUBLE / 2 AS w,
        CASE WHEN sick THEN 0.8 ELSE -0.9 END AS own, (hash(cluster) % 100) / 400 AS shared,
        sqrt(-2 * ln((hash(i * 3) % 1000003 + 1) / 1000004)) * cos(hash(i * 5) % 100003) AS z,
        sqrt(-2 * ln((hash(i * 7) % 1000003 + 1) / 1000004)) * cos(hash(i * 11) % 100003) AS other
      FROM (SELECT i, hash(i * 13) % 10 < 3 AS sick, hash(i * 17) % 12 AS cluster
            FROM range(60000) t(i)))
"""
LIMITED = {"memory_limit": "12MB", "bins": 1000}
METRICS = ["accuracy", "recall", "f1", "roc_auc", "brier", "log_loss", "average_precision"]
UNITS = [{"weight": "w"}, {"cluster": "c"}, {"cluster": "c", "weight": "w"}]


def both(spec: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What rows one by one tell, and what bins do."""
    exact, binned = run(spec, "memory"), run({**spec, "engine": LIMITED}, "duckdb")
    assert engine_of(binned) == ("duckdb", "asked for")
    assert any("variances alone are made of these bins" in t for t in binned["plan"]["counted"])
    return exact, binned


def close(one: dict[str, Any], two: dict[str, Any], slack: float, share: float) -> None:
    """Two intervals, the second widened by at most ``slack``, alike to a share of the width."""
    assert two["method"] == one["method"]
    width = one["high"] - one["low"]
    for end in ("low", "high"):
        assert two[end] == pytest.approx(one[end], abs=slack + share * width)
    assert two["high"] - two["low"] > (1 - 2 * share - 1e-9) * width


@pytest.mark.long
@pytest.mark.nightly_but_first
@pytest.mark.parametrize("dataset", UNITS[::-1], ids=str)
def test_counts_are_exact_values_within_bounds_and_limits_alike(
    write: Callable[..., Path], dataset: dict[str, str]
) -> None:
    spec = spec_of(write(ROWS), {"score": "a"}, metrics=METRICS, dataset=dataset, subgroups=["g"],
                   thresholds=[0.5, 0.37])  # fmt: skip
    spec["confidence"]["resamples"] = 1000
    exact, binned = both(spec)
    assert binned["tables"] == exact["tables"]
    assert binned["rows"] == exact["rows"]
    for one, two in zip(exact["measures"], binned["measures"], strict=True):
        assert (two["metric"], two["n"]) == (one["metric"], one["n"])
        if one["threshold"] is not None:
            assert two == {**one, "id": two["id"]}
            continue
        bounds = two["bounds"]
        assert bounds["low"] <= one["value"] <= bounds["high"]
        assert bounds["high"] - bounds["low"] < 4e-3 * max(1.0, 2.0 * one["value"])
        if one["interval"] is None:
            assert two["interval"] is None
            continue
        # clusters of losses are drawn, not the same ones
        drawn = one["interval"]["method"] == "cluster_bootstrap"
        slack = bounds["high"] - bounds["low"]
        share = 0.05 if "cluster" in dataset else 0.02
        close(one["interval"], two["interval"], slack, 0.12 if drawn else share)


@pytest.mark.long
@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("dataset", [{}, *UNITS], ids=str)
def test_models_are_compared_by_finer_values_and_the_same_variances(
    write: Callable[..., Path], dataset: dict[str, str]
) -> None:
    asked = ["accuracy", "recall", "roc_auc", "brier", "log_loss"]
    hypotheses = {"roc_auc": "non_inferiority"}
    comparisons = {"reference": "m", "hypotheses": hypotheses, "margins": {"roc_auc": 0.05}}
    spec = spec_of(write(ROWS), {}, metrics=asked, dataset=dataset, comparisons=comparisons)
    spec["models"] = {"m": {"score": "a"}, "n": {"score": "b"}}
    spec["confidence"]["resamples"] = 1000
    exact, binned = both(spec)
    for one, two in zip(exact["comparisons"], binned["comparisons"], strict=True):
        assert (two["metric"], two["test"], two["n"]) == (one["metric"], one["test"], one["n"])
        if one["metric"] in ("accuracy", "recall"):
            assert two["difference"] == one["difference"]
            assert two.get("joint_table") == one.get("joint_table")
            close(one["interval"], two["interval"], 0.0, 0.12 if dataset else 0.0)
            continue
        low, high = two["bounds"]["low"], two["bounds"]["high"]
        assert low <= one["difference"] <= high
        # of twelve clusters, with thirty bins of each score
        share = 0.06 if "cluster" in dataset else 0.02
        close(one["interval"], two["interval"], high - low, share)
        assert "widened by what the bins of the scores can change" in two["interval"]["note"]
        if one["statistic"] is None:  # drawn: the share of resamples decides
            assert two["statistic"] is None
        else:
            assert two["statistic"] == pytest.approx(one["statistic"], rel=2 * share, abs=0.05)
        if one.get("hypothesis") is not None:
            assert two["hypothesis"]["shown"] == one["hypothesis"]["shown"]


@pytest.mark.long_but_first
@pytest.mark.parametrize("dataset", [{"cluster": "c"}, {"cluster": "c", "weight": "w"}], ids=str)
def test_rows_that_lack_something_are_left_out_alike(
    write: Callable[..., Path], dataset: dict[str, str]
) -> None:
    gaps = "CASE WHEN id % 97 > 0 THEN c END AS c, CASE WHEN id % 89 > 0 THEN b END AS b"
    if "weight" in dataset:
        gaps += ", CASE WHEN id % 83 = 0 THEN NULL WHEN id % 79 = 0 THEN 0 ELSE w END AS w"
    path = write(f"SELECT * REPLACE ({gaps}) FROM ({ROWS})")
    spec = spec_of(path, {"score": "a"}, metrics=["accuracy", "roc_auc", "brier"],
                   dataset={**dataset, "missing": "exclude"})  # fmt: skip
    if "weight" not in dataset:
        spec["models"]["n"] = {"score": "b"}
        spec["comparisons"] = {"reference": "m"}
    exact, binned = both(spec)
    assert binned["rows"] == exact["rows"]
    assert binned["tables"] == exact["tables"]
    for one, two in zip(exact["measures"], binned["measures"], strict=True):
        assert two["value"] == pytest.approx(one["value"], abs=2e-3)
    for one, two in zip(exact["comparisons"], binned["comparisons"], strict=True):
        if one["metric"] == "accuracy":
            assert (two["n"], two["difference"]) == (one["n"], one["difference"])
        else:
            assert two["reason"] == pairs.COARSE


def test_few_distinct_scores_keep_exact_values(write: Callable[..., Path]) -> None:
    rounded = f"SELECT * REPLACE (round(a, 3) AS a) FROM ({ROWS})"
    spec = spec_of(write(rounded), {"score": "a"}, metrics=["roc_auc", "brier", "ks"],
                   dataset={"cluster": "c", "weight": "w"})  # fmt: skip
    exact, binned = both(spec)
    assert binned["curves"] == exact["curves"]
    for one, two in zip(exact["measures"], binned["measures"], strict=True):
        assert two["value"] == one["value"]
        assert two.get("bounds") is None


def test_a_threshold_that_is_chosen_is_no_matter_of_coarse_bins(write: Callable[..., Path]) -> None:
    spec = spec_of(write(ROWS), {"score": "a"}, metrics=["f1"], dataset={"cluster": "c"},
                   thresholds=[{"maximize": "f1"}])  # fmt: skip
    exact, binned = both(spec)
    (one,), (two,) = exact["measures"], binned["measures"]
    # a lowest score of one of 1 000 bins
    assert two["value"] <= one["value"] < two["value"] + 0.002
    (table,), threshold = binned["tables"], binned["measures"][0]["threshold"]
    query = f"SELECT count(*) FROM ({ROWS}) GROUP BY y, a >= $t"
    counted = [n for (n,) in duckdb.connect().execute(query, {"t": threshold}).fetchall()]
    assert sorted(counted) == sorted(n for row in table["counts"] for n in row if n)
    close(one["interval"], two["interval"], 0.002, 0.05)


@pytest.mark.long_but_first
@pytest.mark.parametrize("clusters", [1_400, 9_000], ids=["looked at", "counted before"])
def test_too_many_clusters_are_told(write: Callable[..., Path], clusters: int) -> None:
    alone = f"SELECT * REPLACE ('c' || (id % {clusters}) AS c) FROM ({ROWS})"
    spec = spec_of(write(alone), {"score": "a"}, metrics=["roc_auc"], dataset={"cluster": "c"})
    found = run({**spec, "engine": LIMITED}, "duckdb")
    name, reason = engine_of(found)
    assert name == "memory"
    assert "even with bins" in reason


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that DuckDB is asked."""
    texts: list[str] = []
    ask = DuckDBRows.ask

    def noted(self: DuckDBRows, query: exp.Select) -> Any:
        texts.append(query.sql("duckdb"))
        return ask(self, query)

    monkeypatch.setattr(DuckDBRows, "ask", noted)
    return texts


@pytest.mark.long_but_first
@pytest.mark.parametrize("subgroups", [[], ["g"]], ids=str)
def test_kinds_that_the_tables_tell_are_not_counted_again(
    write: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    asked: list[str],
    subgroups: list[str],
) -> None:
    gaps = "CASE WHEN id % 83 > 0 THEN w END AS w, CASE WHEN id % 71 > 0 THEN g END AS g"
    path = write(f"SELECT * REPLACE ({gaps}) FROM ({ROWS})")
    spec = spec_of(path, {"score": "a"}, metrics=METRICS, thresholds=[0.5, 0.37], engine=LIMITED,
                   subgroups=subgroups, dataset={"weight": "w", "missing": "exclude"})  # fmt: skip
    told = run(spec, "duckdb")
    assert not any("b0" in text for text in asked)
    tables = binned_kinds._tables
    monkeypatch.setattr(binned_kinds, "_tables", lambda *of: (tables(*of)[0], None))
    counted = run(spec, "duckdb")
    assert sum("b0" in text for text in asked) == 1
    assert comparable(told) == comparable(counted)


@pytest.mark.long
def test_scores_that_differ_are_looked_at_once(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    small = {"memory_limit": "9MB", "bins": 1000}
    spec = spec_of(write(ROWS), {"score": "a"}, metrics=METRICS, engine=small,
                   dataset={"cluster": "c"})  # fmt: skip
    once = run(spec, "duckdb")
    assert sum("DISTINCT" in text for text in asked) == 1
    asked.clear()
    monkeypatch.setattr(scored_kinds, "_crowded", lambda *_: None)
    twice = run(spec, "duckdb")
    assert sum("DISTINCT" in text for text in asked) == 2
    assert comparable(once) == comparable(twice)


@pytest.mark.long
def test_the_run_verifies(write: Callable[..., Path], tmp_path: Path) -> None:
    spec = spec_of(write(ROWS), {"score": "a"}, metrics=METRICS, engine=LIMITED,
                   dataset={"cluster": "c", "weight": "w"})  # fmt: skip
    spec["models"]["n"] = {"score": "b"}
    spec["comparisons"] = {"reference": "m"}
    saved = api.run(spec, engine="duckdb", at="2026-01-01T00:00:00Z").save(tmp_path / "runs")
    assert status_of(["verify", str(saved)]) == 0
    content = json.loads((saved / "results.json").read_bytes())
    (area,) = (c for c in content["comparisons"] if c["metric"] == "roc_auc")
    area["bounds"]["low"] -= 1e-3
    (told,) = recompute(content).problems
    assert "bounds.low" in told.what
