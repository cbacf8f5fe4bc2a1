"""Bootstrap of a million rows, against a loop over scikit-learn in the same run.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_bootstrap``. A few
resamples of the loop are measured before and after ours; the quicker half is scaled up to
as many as ours, so that a busy machine does not flatter us.
``make bench`` times the two kinds of resampling by themselves, on fewer rows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.intervals.bootstrap import Bootstrap, from_replicates
from evalreport.engine.metric_values import stacked_value
from evalreport.engine.settings import Settings
from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Interval, Metric, Table
from evalreport.predict.view import LabelView
from evalreport.results.identity import EVERYTHING
from evalreport.statistics.resampling import generator

SEED = 20261121
ROWS = 1_000_000
RESAMPLES = 2_000
PREVALENCE = 0.3
#: Resamples of the loop over scikit-learn that are measured, half of them before ours.
LOOPED = 10
CONTEXT = {"costs": {"false_negative": 5.0, "false_positive": 1.0}, "threshold": 0.5}


def view_of(rows: int) -> LabelView:
    """Rows with binormal scores, an AUC of 0.8, hardly any two of them equal."""
    rng = generator(SEED, "bench_bootstrap", rows)
    actual = rng.random(rows) < PREVALENCE
    score = 1.0 / (1.0 + np.exp(-(rng.standard_normal(rows) + 1.19 * actual - 0.84)))
    return LabelView(
        dataset="benchmark",
        model="binormal",
        source="score",
        labels=("no", "yes"),
        positive=1,
        actual=actual.astype(np.int64),
        row=np.arange(rows),
        score=score,
    )


def score_intervals(tables: MemoryTables, resamples: int) -> list[Any]:
    """Percentile intervals of ROC AUC and average precision, the one sort included."""
    bootstrap = Bootstrap(tables, Settings(resamples=resamples, seed=SEED))
    metrics = [m for m in catalogue() if m.name in ("roc_auc", "average_precision")]
    found = []
    for metric in metrics:
        values = bootstrap.of_scores(EVERYTHING, None, _of_scores(metric))
        value = float(_of_scores(metric)(tables.scores(EVERYTHING)))
        found.append(from_replicates(values, value, 0.95, "bootstrap_percentile"))
    return found


def _of_scores(metric: Metric) -> Callable[[Any], Any]:
    return lambda table: metric(table).array()


def table_metrics() -> list[tuple[Metric, dict[str, Any]]]:
    """Every metric of the classification table that can have an interval, with arguments."""
    found = []
    for metric in catalogue():
        if metric.table not in (Table.COUNTS, Table.MATRIX) or metric.interval is Interval.NONE:
            continue
        arguments = metric.arguments({"prevalence": 0.05})
        if not set(metric.context) <= CONTEXT.keys():
            continue  # it needs more than one table
        arguments |= {name: CONTEXT[name] for name in metric.context}
        found.append((metric, arguments))
    return found


def table_intervals(tables: MemoryTables, resamples: int) -> list[Any]:
    """Percentile intervals of all metrics of the classification table."""
    bootstrap = Bootstrap(tables, Settings(resamples=resamples, seed=SEED))
    table = tables.classification(EVERYTHING, 0.5).dense
    found = []
    for metric, arguments in table_metrics():
        index = None if metric.table is Table.MATRIX else 1
        function = stacked_value(metric, arguments, average=None, index=index)
        values = bootstrap.of_table(EVERYTHING, 0.5, function, table)
        value = float(function(table[None])[0])
        found.append(from_replicates(values, value, 0.95, "bootstrap_percentile"))
    return found


def scikit_learn(view: LabelView, resamples: int) -> float:
    """Seconds per resample of the usual loop: draw rows, call both functions."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    assert view.score is not None
    rng = np.random.default_rng(SEED)
    start = time.perf_counter()
    for _ in range(resamples):
        rows = rng.integers(0, view.rows, view.rows)
        actual, score = view.actual[rows], view.score[rows]
        roc_auc_score(actual, score)
        average_precision_score(actual, score)
    return (time.perf_counter() - start) / resamples


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of a piece of work."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    """Measure both sides and print the ratio."""
    parser = argparse.ArgumentParser(description="Bootstrap speed on many rows.")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    chosen = parser.parse_args()
    view = view_of(chosen.rows)
    half = LOOPED // 2
    scikit_learn(view, 1)  # imports
    before = scikit_learn(view, half)
    ours, intervals = timed(lambda: score_intervals(MemoryTables(view), chosen.resamples))
    after = scikit_learn(view, half)
    theirs = min(before, after) * chosen.resamples
    size = f"{chosen.rows:,} rows, {chosen.resamples:,} resamples"
    per_resample = ours / chosen.resamples
    print(f"{size}, ROC AUC and average precision")
    print(f"  scikit-learn loop  {theirs:9.1f} s, scaled up from the quicker {half} of {LOOPED}:")
    print(f"    {before * 1e3:.1f} ms each before ours, {after * 1e3:.1f} ms after")
    print(f"  evalreport         {ours:9.1f} s, all measured: {per_resample * 1e3:.1f} ms each")
    print(f"  ratio              {theirs / ours:9.1f}")
    for name, interval in zip(("ROC AUC", "average precision"), intervals, strict=True):
        print(f"  {name}: {interval.low:.5f} to {interval.high:.5f}")
    tables = MemoryTables(view)
    tables.classification(EVERYTHING, 0.5)  # counted once for the values in any case
    table_intervals(tables, 2)  # imports
    runs = sorted(timed(lambda: table_intervals(tables, chosen.resamples))[0] for _ in range(7))
    print(f"{size}, {len(table_metrics())} table metrics")
    middle, worst = runs[3] * 1e3, runs[-1] * 1e3
    print(f"  draws, values and limits: median {middle:.1f} ms, worst {worst:.1f} ms of 7")


@pytest.fixture(scope="module")
def tables() -> MemoryTables:
    made = MemoryTables(view_of(20_000))
    made.classification(EVERYTHING, 0.5)
    return made


def test_resampled_tables(benchmark: Any, tables: MemoryTables) -> None:
    found = benchmark(table_intervals, tables, RESAMPLES)
    assert all(interval is not None and interval.low <= interval.high for interval in found)


def test_resampled_scores(benchmark: Any, tables: MemoryTables) -> None:
    area, precision = benchmark(score_intervals, tables, 200)
    assert area.low < 0.8 < area.high
    assert precision.low < precision.high


if __name__ == "__main__":
    main()
