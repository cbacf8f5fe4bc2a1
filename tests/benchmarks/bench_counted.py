"""Rows with weights, clusters, periods and two models, counted where they lie, and by hand.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_counted 10000000``.
Each job is a run from a Parquet file to the published page, whole process, beside one GROUP BY of
the same columns with one sort of each score in DuckDB, and beside the same values, without any
interval, by pandas and scikit-learn. Scores are all but distinct; with ``--decimals 3`` there are
a thousand of them. Data are kept where :mod:`benchmarks.bench_audit` keeps its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench_audit import CACHE, HERE, Run, best, kept, peer

NORMAL = (
    "sqrt(-2 * ln((hash(i * {0}) % 9007199254740991 + 1) / 9007199254740992.0)) "
    "* cos(2 * pi() * (hash(i * {1}) % 9007199254740991) / 9007199254740992.0)"
)
ROWS = f"""
SELECT truth, round(1 / (1 + exp(-one)), {{decimals}}) AS score,
       round(1 / (1 + exp(-two)), {{decimals}}) AS other, sex, site, weight, cluster, day
FROM (SELECT CASE WHEN y THEN 'sick' ELSE 'well' END AS truth,
        (CASE WHEN y THEN 1 ELSE -1 END) + z AS one,
        (CASE WHEN y THEN 0.9 ELSE -0.9 END) + 0.7 * z + 0.7 * further AS two,
        CASE WHEN hash(i * 7 + 3) % 2 = 0 THEN 'F' ELSE 'M' END AS sex,
        'site ' || (hash(i * 13 + 5) % 8 + 1) AS site,
        [0.5, 0.8, 1.0, 1.5, 2.0, 3.25][(hash(i * 19 + 4) % 6 + 1)::INT]::DOUBLE AS weight,
        'c' || (hash(i * 23 + 9) % 3000) AS cluster,
        DATE '2026-01-01' + (i * 365 // {{rows}})::INT AS day
      FROM (SELECT i, hash(i * 17 + 1) % 10000 < 3000 AS y, {NORMAL.format(3, 5)} AS z,
              {NORMAL.format(29, 31)} AS further
            FROM range({{rows}}) t(i)))
"""
SPEC = """\
evalreport: 1
title: Audit
datasets: {{d: {{path: {path}, target: truth{part}}}}}
positive: {{label: sick}}
models: {models}
metrics: [accuracy, balanced_accuracy, precision, recall, specificity, roc_auc, log_loss, brier]
thresholds: [0.5]
{more}
report: {{formats: [html]}}
"""
BARE = """
import duckdb, sys
path, columns, *scores = sys.argv[1:]
c = duckdb.connect()
c.execute("SET threads=2"); c.execute("SET memory_limit='1GB'")
c.read_parquet(path).create_view("d")
c.execute(f"SELECT {columns}, count(*) AS n FROM d GROUP BY ALL ORDER BY n LIMIT 1")
for s in scores:
    c.execute(f"SELECT {s} FROM d ORDER BY {s} LIMIT 1 OFFSET (SELECT count(*) // 2 FROM d)")
"""


@dataclass(frozen=True)
class Job:
    """What is asked: part of the dataset, models, more of the spec; and the same by hand."""

    name: str
    part: str
    models: str
    more: str
    columns: str
    scores: tuple[str, ...] = ("score",)


ONE, TWO = "{m: {score: score}}", "{m: {score: score}, o: {score: other}}"
BOTH = ("score", "other")
COMPARED = "comparisons: {reference: m}"
MONTHS = ", period: {column: day, every: month}"
JOBS = (
    Job("one score", "", ONE, "", "truth, score"),
    Job("with weights, two subgroups", ", weight: weight", ONE, "subgroups: [sex]",
        "truth, score, weight, sex"),
    Job("in twelve periods", MONTHS, ONE, "", "truth, score, date_trunc('month', day)"),
    Job("in 3,000 clusters", ", cluster: cluster", ONE, "", "truth, score, cluster"),
    Job("two models compared", "", TWO, COMPARED, "truth, score, other", BOTH),
    Job("two models compared, with weights", ", weight: weight", TWO, COMPARED,
        "truth, score, other, weight", BOTH),
    Job("two models compared, in clusters", ", cluster: cluster", TWO, COMPARED,
        "truth, score, other, cluster", BOTH),
    Job("two models compared, periods, ten subgroups", MONTHS, TWO,
        f"{COMPARED}\nsubgroups: [sex, site]",
        "truth, score, other, sex, site, date_trunc('month', day)", BOTH),
)  # fmt: skip


def ours(job: Job, path: Path, folder: Path, times: int) -> Run:
    """One job with evalreport, from spec and file to a published run."""
    spec = folder / "audit.yaml"
    text = SPEC.format(path=path, part=job.part, models=job.models, more=job.more)
    spec.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "evalreport", "run", str(spec), "-o", str(folder / "runs")]
    return best([*command, "--quiet"], times)


def line(name: str, run: Run, unit: Run) -> None:
    """One line, with how often the time of the other one ours takes, by wall and processor."""
    ratio = ""
    if run.ok and unit.ok and run is not unit:
        ratio = f"{unit.seconds / run.seconds:7.2f} {unit.processor / run.processor:7.2f}"
    print(f"  {name:<44}{run}{ratio}", flush=True)


def main() -> None:
    """Measure the jobs at the size named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("rows", type=int, nargs="?", default=10_000_000)
    parser.add_argument("--decimals", type=int, default=15, help="of the scores")
    parser.add_argument("--times", type=int, default=1, help="runs, of which the best counts")
    parser.add_argument("--no-peers", action="store_true", help="leave out pandas")
    asked = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    query = ROWS.format(rows=asked.rows, decimals=asked.decimals)
    path = kept(f"counted_{asked.rows}_{asked.decimals}", query)
    print(f"{asked.rows:,} rows; wall, processor, memory; ours to it by both")
    for job in JOBS:
        print(f"{job.name}, load {os.getloadavg()[0]:.1f}")
        with tempfile.TemporaryDirectory() as name:
            unit = ours(job, path, Path(name), asked.times)
        line("evalreport, all intervals, HTML", unit, unit)
        bare = [sys.executable, "-c", BARE, str(path), job.columns, *job.scores]
        line("one GROUP BY and a sort of each score", best(bare, asked.times), unit)
        if not asked.no_peers:
            script = [peer("scikit-learn"), str(HERE / "peer_pandas.py"), str(path)]
            words = [job.part, job.more, *job.scores]
            by_hand = best([*script, *words], asked.times)
            line("pandas and scikit-learn, no intervals", by_hand, unit)


if __name__ == "__main__":
    main()
