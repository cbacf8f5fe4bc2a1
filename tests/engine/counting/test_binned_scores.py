"""Scores in bins: what is exact stays exact, the rest lies between bounds that are attained."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pytest
from engine.counting.counted_runs import run, spec_of
from sqlglot import exp

from evalreport.engine.counting import queries
from evalreport.engine.counting.binned_scores import BinnedScores, bounded
from evalreport.engine.counting.queries import Binning, Field
from evalreport.engine.intervals.binned import bounds
from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Binned, Metric
from evalreport.metrics.tables import ScoreTable

#: Metrics that are found from two orders of the rows within each bin.
RANKED = ("roc_auc", "gini", "mann_whitney_u", "ks", "average_precision")
#: 21,000 rows with scores that are nearly all distinct; binned where 1,953 fit (1 MB).
ROWS = """
SELECT CASE WHEN y THEN 'yes' ELSE 'no' END AS y, 'g' || (h % 3) AS g,
       greatest(0, least(1, (h % 99991) / 99991 * 0.7 + y::INT * 0.3)) AS s
FROM (SELECT i, hash(i) % 1000003 AS h, hash(i * 3) % 10 < 4 AS y FROM range(21000) t(i))
"""
#: Metrics that are found from two orders of the rows within each bin.
RANKED = ("roc_auc", "gini", "mann_whitney_u", "ks", "average_precision")
SMALL = {"memory_limit": "1MB", "bins": 100}


def metric_named(name: str) -> Metric:
    found = find(name)
    assert found is not None
    return found


def table_of(bins: list[tuple[int, int]]) -> BinnedScores:
    """Bins from the highest on, each of (positives, negatives), with room for any scores."""
    lows = np.array([(len(bins) - k) / 10 for k in range(len(bins))])
    positives, negatives = (np.array(part) for part in zip(*bins, strict=True))
    return BinnedScores(lows, positives, negatives, highs=lows + 0.05, bins=len(bins))


def orders(positives: int, negatives: int) -> list[list[tuple[int, int]]]:
    """Every way to rank so many rows, ties allowed: lists of (positives, negatives)."""
    if positives == negatives == 0:
        return [[]]
    found = []
    for p, n in itertools.product(range(positives + 1), range(negatives + 1)):
        if p + n:
            found += [[(p, n), *rest] for rest in orders(positives - p, negatives - n)]
    return found


def test_the_metrics_of_two_orders() -> None:
    found = {m.name for m in catalogue() if m.binned is not Binned.UNKNOWN}
    assert found == set(RANKED)


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.parametrize("bins", [[(1, 1)], [(2, 1), (1, 2)], [(1, 2), (2, 0), (2, 1)]])
def test_bounds_are_the_extremes_over_every_order_within_bins(
    name: str, bins: list[tuple[int, int]]
) -> None:
    metric, values = metric_named(name), []
    for ranked in itertools.product(*(orders(p, n) for p, n in bins)):
        entries = [entry for part in ranked for entry in part]
        positives, negatives = (np.array(part) for part in zip(*entries, strict=True))
        scores = -np.arange(len(entries), dtype=float)
        values.append(metric(ScoreTable(scores, positives, negatives)).outcome("").number)
    low, high = bounds(metric, {}, table_of(bins))
    assert high == pytest.approx(max(values), abs=1e-15)
    # 1 / (x + j) is summed up by an integral, a little too much where x is small
    slack = 0.02 if name == "average_precision" else 1e-15
    assert min(values) - slack <= low <= min(values) + 1e-15


def test_lowest_average_precision_is_close_in_large_bins() -> None:
    table = table_of([(1000, 1000), (500, 2000)])
    seen = np.cumsum([0] * 1000 + [1] * 1000 + [0] * 2000 + [1] * 500)
    ranks = np.arange(1, 4501)
    is_positive = np.diff(seen, prepend=0) == 1
    exact = math.fsum(seen[is_positive] / ranks[is_positive]) / 1500
    low, _ = bounds(metric_named("average_precision"), {}, table)
    assert exact - 1e-7 <= low <= exact


def test_mean_losses_lie_between_the_ends_of_bins() -> None:
    table = table_of([(2, 1), (0, 3)])
    low, high = bounds(metric_named("brier"), {}, table)
    # scores from 0.20 to 0.25 (two positives, a negative) and from 0.10 to 0.15 (three negatives)
    assert low == pytest.approx((2 * 0.75**2 + 0.2**2 + 3 * 0.1**2) / 6)
    assert high == pytest.approx((2 * 0.8**2 + 0.25**2 + 3 * 0.15**2) / 6)


def test_only_metrics_with_bounds_are_given(write: Callable[..., Path]) -> None:
    spec = spec_of(
        write(ROWS), {"score": "s"}, metrics=["roc_auc", "ece", "partial_auc"], engine=SMALL
    )
    spec["metrics"][2] = {"partial_auc": {"max_fpr": 0.2}}
    found = {m["metric"]: m for m in run(spec, "duckdb")["measures"]}
    assert found["roc_auc"]["state"] == "value"
    for name in ("ece", "partial_auc"):
        assert found[name]["state"] == "not_applicable"
        assert found[name]["reason"].startswith("it needs every distinct score; only 100 bins")
        assert not bounded(metric_named(name))


def test_binned_values_lie_within_bounds_and_counts_are_exact(write: Callable[..., Path]) -> None:
    spec = spec_of(
        write(ROWS),
        {"score": "s"},
        metrics=["accuracy", "f1", "roc_auc", "gini", "ks", "average_precision", "log_loss",
                 "brier"],
        thresholds=[0.5, 0.123456],
        subgroups=["g"],
        engine=SMALL,
    )  # fmt: skip
    exact, binned = run(spec, "memory"), run(spec, "duckdb")
    assert binned["tables"] == exact["tables"]
    assert binned["plan"]["notes"][0].startswith("d, m: scores are counted in 100 bins")
    assert {c["bins"] for c in binned["curves"]} == {100}
    for one, other in zip(exact["measures"], binned["measures"], strict=True):
        if "bounds" not in other:
            assert one["metric"] in ("accuracy", "f1")
            assert one == other
            continue
        low, high = other["bounds"]["low"], other["bounds"]["high"]
        assert low <= one["value"] <= high
        assert low <= other["value"] <= high
        assert 0 < high - low < 0.02
        # fewer cuts to choose from are less of a choice, which lowers the limit of KS less
        if one["metric"] != "ks":
            assert other["interval"]["low"] <= one["interval"]["low"] + 1e-4
        assert other["interval"]["high"] >= one["interval"]["high"] - 1e-4
        assert "counted in 100 bins" in other["reason"]


def test_scores_that_fit_are_never_binned(write: Callable[..., Path]) -> None:
    path = write(ROWS.replace("AS s\n", "AS t, round(h / 1000) AS s\n"))
    found = run(spec_of(path, {"score": "s"}, metrics=["roc_auc"], engine=SMALL), "duckdb")
    assert "bounds" not in found["measures"][0]


def test_margins_are_binned_over_their_range(write: Callable[..., Path]) -> None:
    path = write(ROWS.replace("AS s\n", "* 8 - 3 AS s\n"))
    spec = spec_of(path, {"margin": "s"}, metrics=["accuracy", "roc_auc"], engine=SMALL)
    exact, binned = run(spec, "memory"), run(spec, "duckdb")
    assert binned["tables"] == exact["tables"]
    area = binned["measures"][1]
    assert area["bounds"]["low"] <= exact["measures"][1]["value"] <= area["bounds"]["high"]


def test_threshold_by_a_rule_is_a_score_with_exact_counts(write: Callable[..., Path]) -> None:
    spec = spec_of(write(ROWS), {"score": "s"}, thresholds=[{"maximize": "youden_j"}], engine=SMALL)
    found = run(spec, "duckdb")
    chosen = found["thresholds"][0]["threshold"]
    again = run({**spec, "thresholds": [chosen]}, "memory")
    assert found["tables"][0]["counts"] == again["tables"][0]["counts"]


@pytest.mark.long_but_first
@pytest.mark.parametrize("bins", [100, 300, 100_000])
def test_edges_of_bins_are_exact(bins: int) -> None:
    edges = np.arange(0, bins + 1, max(1, bins // 1000)) / bins
    scores = np.concatenate([edges, np.nextafter(edges[1:], 0), np.nextafter(edges[:-1], 1)])
    connection = duckdb.connect()
    connection.execute("CREATE TABLE data (c0 VARCHAR, c1 DOUBLE)")
    connection.executemany("INSERT INTO data VALUES ('a', ?)", [[s] for s in scores.tolist()])
    score = Field(1, "DOUBLE")
    query = queries.score_counts([], score, None, Binning(bins, 0.0, 1.0))
    answer = connection.execute(query.sql("duckdb", identify=True)).fetchnumpy()
    assert (answer["low"] >= answer["bin"] / bins).all()
    assert (answer["high"] < (answer["bin"] + 1) / bins).all()
    assert int(answer["n"].sum()) == len(scores)


def test_bounds_stand_in_results_and_report(write: Callable[..., Path]) -> None:
    from plain_results import render_html

    metrics = ["roc_auc", "ks", "average_precision"]
    spec = spec_of(write(ROWS), {"score": "s"}, metrics=metrics, engine=SMALL)
    found = run(spec, "duckdb")
    page = render_html(found)
    told = [m for m in found["measures"] if "bounds" in m]
    assert [m["metric"] for m in told] == metrics
    for one in told:
        low, high = one["bounds"]["low"], one["bounds"]["high"]
        words = f"100 bins: the value lies from {low!r} to {high!r}"
        assert words in one["reason"]
        assert words in page


def test_tables_of_parts_add_up(write: Callable[..., Path]) -> None:
    """Partitions with the same bins: the sums of their bins are the bins of all rows."""
    path, binning = str(write(ROWS)), Binning(100, 0.0, 1.0, (0.5,))
    connection = duckdb.connect()

    def bins(part: str) -> dict[tuple[str, int, int], tuple[int, float, float]]:
        connection.execute(
            "CREATE OR REPLACE TEMP VIEW data AS SELECT y AS c0, s AS c1 "
            f"FROM read_parquet('{path}') WHERE {part}"
        )
        label, score = Field(0, "VARCHAR"), Field(1, "DOUBLE")
        query = queries.score_counts([label.value], score, None, binning)
        rows = connection.execute(query.sql("duckdb", identify=True)).fetchall()
        return {(y, k, step): (n, low, high) for y, k, step, n, low, high in rows}

    whole = bins("true")
    added: dict[tuple[str, int, int], tuple[int, float, float]] = {}
    for group in ("g0", "g1", "g2"):
        for key, (n, low, high) in bins(f"g = '{group}'").items():
            before, least, most = added.get(key, (0, low, high))
            added[key] = (before + n, min(least, low), max(most, high))
    assert added == whole


@pytest.mark.parametrize("edges", [0, 1, 2, 3, 4, 5, 17, 63, 64, 199])
def test_a_ladder_counts_the_edges_that_a_score_reaches(edges: int) -> None:
    rng = np.random.default_rng(edges)
    own = np.unique(rng.normal(size=edges))
    scores = np.concatenate([own, np.nextafter(own, -np.inf), rng.normal(size=200)])
    rung = queries.reached(exp.column("s"), own.tolist()).sql("duckdb")
    asked = f"SELECT {rung} AS n FROM (SELECT unnest($s)::DOUBLE AS s UNION ALL SELECT NULL)"
    found = duckdb.connect().execute(asked, {"s": scores.tolist()}).fetchnumpy()["n"]
    assert found.tolist() == [*np.searchsorted(own, scores, side="right").tolist(), None]
